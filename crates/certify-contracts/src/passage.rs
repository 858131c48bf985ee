//! From one memory to another by steps that are known only by what they may do.

use selvedge_ir::{LayoutId, Type};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::Memory;

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
    At(Type, Sym, Sym),
    /// In every element of a layout, at an offset.
    Each {
        ty: Type,
        layout: LayoutId,
        offset: i64,
    },
    /// Every scalar of a type.
    Every(Type),
    Any,
}

impl Changed {
    fn ty(&self) -> Option<Type> {
        match self {
            Changed::At(ty, ..) | Changed::Each { ty, .. } | Changed::Every(ty) => Some(*ty),
            Changed::Any => None,
        }
    }

    fn may_be(&self, ty: Type) -> bool {
        self.ty().is_none_or(|own| own == ty)
    }
}

impl Passage {
    /// Whether what it leaves alone at a type is told place by place.
    pub fn is_by_cells(&self, ty: Type) -> bool {
        let Some((changed, _)) = &self.frame else { return false };
        changed.iter().any(|c| c.may_be(ty) && !matches!(c, Changed::At(..)))
    }
}
