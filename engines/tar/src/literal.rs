//! Literals, and the clauses over them that stand for a transition.

use super::predicates::PredicateId;

/// Where a predicate is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Of the observer, before. Common predicates before are always read here.
    Now,
    /// Of the observer, afterwards.
    Next,
    /// Of the mover, before.
    Mover,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    pub predicate: PredicateId,
    pub slot: Slot,
    pub positive: bool,
}

impl Literal {
    pub fn negated(self) -> Literal {
        Literal { positive: !self.positive, ..self }
    }
}

pub type Clause = Vec<Literal>;

/// The abstraction of a transition so far.
#[derive(Clone, Debug, Default)]
pub struct Abstract {
    pub clauses: Vec<Clause>,
    /// Predicates of the observer that may change, all others keep their values.
    pub affected: Vec<PredicateId>,
    /// It cannot happen at all.
    pub impossible: bool,
    /// How many predicates have been looked at.
    pub seen: usize,
}
