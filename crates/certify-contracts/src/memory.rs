//! Memory as terms: for each scalar type and each variable of the specification a map from object to
//! offset to value (two for pointers), and for each object whether it lives and whose it is.
//!
//! `owner` of an object is the thread whose own it is, or 0 if several threads may know it. Numbers of
//! objects are never used twice; those from `next` on are not given away yet.

use std::collections::BTreeMap;

use selvedge_ir::spec::Target;
use selvedge_ir::{GhostId, Type};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

/// What there is a map of. A variable of the specification is at the address of its object; one that
/// belongs to no object, at null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kept {
    Scalar(Type),
    Ghost(GhostId),
}

impl From<Type> for Kept {
    fn from(ty: Type) -> Kept {
        Kept::Scalar(ty)
    }
}

impl From<&Target> for Kept {
    fn from(target: &Target) -> Kept {
        target.ghost.map_or(Kept::Scalar(target.ty), Kept::Ghost)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub maps: BTreeMap<Kept, Vec<Term>>,
    pub alive: Term,
    pub owner: Term,
    pub next: Term,
}

/// The object and the offset of a pointer.
pub(crate) fn parts(pointer: Sym) -> (Term, Term) {
    match pointer {
        Sym::Pointer { object, offset } => (object, offset),
        Sym::Scalar(_) => panic!("invariant: an address is a pointer in a checked program"),
    }
}
