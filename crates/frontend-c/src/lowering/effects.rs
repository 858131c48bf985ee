//! What evaluating an expression or calling a function may read and write (`order::effects` finds
//! it).

use std::rc::Rc;

use selvedge_ir::{Expr, LocalId};

use super::GlobalId;

#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub reads: Spots,
    pub writes: Spots,
    /// Other threads may see when it happens: an atomic access, a lock.
    pub sync: bool,
    /// It happens inside a call, which nothing of the expression interrupts.
    pub call: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Spots {
    /// Whatever pointers lead to.
    pub anywhere: bool,
    pub named: Vec<Spot>,
}

/// A variable, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub root: Root,
    pub path: Vec<Step>,
    /// One scalar, and no other.
    pub exact: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Root {
    /// A local that is no object: no call reaches it.
    Register(LocalId),
    /// A local object, by its address.
    Local(Expr),
    Global(GlobalId),
    /// The static variables of a function.
    Statics(Rc<str>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Member(Rc<str>),
    /// None for one that is not constant.
    Element(Option<i128>),
}

impl Spot {
    pub fn overlaps(&self, other: &Spot) -> bool {
        let same = |(a, b): (&Step, &Step)| match (a, b) {
            (Step::Element(a), Step::Element(b)) => a.is_none() || b.is_none() || a == b,
            _ => a == b,
        };
        self.root == other.root && self.path.iter().zip(&other.path).all(same)
    }
}

impl Spots {
    pub fn is_empty(&self) -> bool {
        !self.anywhere && self.named.is_empty()
    }

    pub fn add(&mut self, other: &Spots) {
        self.anywhere |= other.anywhere;
        for spot in &other.named {
            if !self.named.contains(spot) {
                self.named.push(spot.clone());
            }
        }
    }
}

impl Effects {
    pub fn anything() -> Effects {
        let anywhere = Spots { anywhere: true, named: Vec::new() };
        Effects { reads: anywhere.clone(), writes: anywhere, sync: true, call: true }
    }

    pub fn add(&mut self, other: &Effects) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.sync |= other.sync;
        self.call |= other.call;
    }

    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && !self.sync
    }
}
