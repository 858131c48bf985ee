//! Memory as terms: for each scalar type a map from object to offset to value (two for pointers), and
//! for each object whether it lives and whose it is.
//!
//! `owner` of an object is the thread whose own it is, or 0 if several threads may know it. Numbers of
//! objects are never used twice; those from `next` on are not given away yet.

use std::collections::BTreeMap;

use selvedge_ir::Type;
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub maps: BTreeMap<Type, Vec<Term>>,
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
