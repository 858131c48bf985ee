//! What is known of a thread at a location: symbolic values, and the step that it is in.

use std::collections::BTreeMap;

use selvedge_ir::{EdgeId, LocalId, Place};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Term, Terms};

use crate::memory::{Kept, Memory};

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Where the thread is here at all.
    pub guard: Term,
    pub locals: BTreeMap<LocalId, Sym>,
    pub memory: Memory,
    /// Memory where the current step began.
    pub start: Memory,
    /// What the step has written so far.
    pub writes: Vec<Write>,
    /// Whether it has looked at memory, or done something to objects.
    pub looked: bool,
    pub dirty: bool,
    /// Whether others may have run since memory was last looked at.
    pub stale: bool,
    /// For each number of actions of the contract, whether so many may be done. Empty without one.
    pub positions: Vec<Term>,
}

/// A place that a step may have changed.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub kept: Kept,
    pub at: Sym,
    /// It was, only where this holds.
    pub condition: Term,
    pub place: Option<Place>,
    /// Where the procedure does it, if it is an action of its own.
    pub edge: Option<EdgeId>,
}

impl State {
    /// The step is over.
    pub fn rest(&mut self) {
        self.start = self.memory.clone();
        self.writes.clear();
        self.looked = false;
        self.dirty = false;
        self.stale = true;
    }

    /// One of several states whose guards exclude each other.
    pub fn merge(terms: &mut Terms, mut states: Vec<State>) -> Option<State> {
        let mut merged = states.pop()?;
        while let Some(other) = states.pop() {
            merged = other.or(terms, merged);
        }
        Some(merged)
    }

    /// This state where its guard holds, else the other.
    fn or(self, terms: &mut Terms, other: State) -> State {
        let here = self.guard;
        let mut locals = other.locals;
        for (local, value) in self.locals {
            let value = match locals.get(&local) {
                Some(&else_) => value.ite(terms, here, else_),
                None => value,
            };
            locals.insert(local, value);
        }
        let positions = self.positions.iter().zip(&other.positions);
        let mut writes = self.writes;
        writes.extend(other.writes);
        State {
            guard: terms.or(&[here, other.guard]),
            locals,
            memory: self.memory.ite(terms, here, &other.memory),
            start: self.start.ite(terms, here, &other.start),
            writes,
            looked: self.looked || other.looked,
            dirty: self.dirty || other.dirty,
            stale: self.stale || other.stale,
            positions: positions.map(|(&a, &b)| terms.ite(here, a, b)).collect(),
        }
    }
}
