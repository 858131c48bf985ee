//! From one memory to another by steps that are known only by what they may do.

use selvedge_ir::{LayoutId, ObjectId};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory};

#[derive(Clone, Debug)]
pub(crate) struct Passage {
    pub before: Memory,
    pub after: Memory,
    /// The thread's own objects below this number are left alone; none: they may be changed.
    pub own: Option<Term>,
    /// What may be changed in objects below a number; all else is as it was.
    pub frame: Option<(Vec<Changed>, Term)>,
}

/// A part of memory that steps may change.
#[derive(Clone, Debug)]
pub(crate) enum Changed {
    /// One place, to a value of which nothing is known.
    At(Kept, Sym, Sym),
    /// In every element of a layout, at an offset.
    Each {
        kept: Kept,
        layout: LayoutId,
        offset: i64,
    },
    /// Every scalar of a type in one object.
    In(Kept, ObjectId),
    /// Every scalar of a type, or a variable of the specification of every object.
    Every(Kept),
    Any,
}

impl Changed {
    /// Whether it may be something that this map has.
    pub fn may_be(&self, kept: Kept) -> bool {
        match self {
            Changed::At(own, ..)
            | Changed::Each { kept: own, .. }
            | Changed::In(own, _)
            | Changed::Every(own) => *own == kept,
            Changed::Any => true,
        }
    }
}

impl Passage {
    /// Whether what it leaves alone of a map is told place by place.
    pub fn is_by_cells(&self, kept: Kept) -> bool {
        let Some((changed, _)) = &self.frame else { return false };
        changed.iter().any(|c| c.may_be(kept) && !matches!(c, Changed::At(..)))
    }
}
