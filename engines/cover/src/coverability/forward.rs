//! Which local states threads can be in, at each shared state: an over-approximation from the
//! initial states on, ignoring how many threads there are and which are there together.
//!
//! The backward search need not follow what lies outside. The result is part of the evidence: that
//! it holds initially and is kept by every transition is checked there.

use selvedge_certify::tts::{Initial, Local, Shared, State, System, Transition};

/// For each shared state that may be reached, the local states that threads may be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    per_shared: Vec<Option<Vec<bool>>>,
}

impl Reach {
    pub fn of(system: &System, initial: &Initial) -> Reach {
        let mut reach = Reach { per_shared: vec![None; system.shared as usize] };
        let locals = system.locals as usize;
        let mut leaving: Vec<Vec<&Transition>> = vec![Vec::new(); system.shared as usize];
        for transition in &system.transitions {
            leaving[transition.from.0 as usize].push(transition);
        }
        let first = initial.bounded.iter().chain(initial.unbounded.iter().copied());
        reach.add(initial.shared, first, locals);
        let mut open = vec![initial.shared];
        while let Some(shared) = open.pop() {
            for transition in &leaving[shared.0 as usize] {
                if reach.step(transition, locals) {
                    open.push(transition.to);
                }
            }
        }
        reach
    }

    /// Adds what a transition leads to; whether that was new.
    fn step(&mut self, transition: &Transition, locals: usize) -> bool {
        let Some(here) = &self.per_shared[transition.from.0 as usize] else { return false };
        if !transition.takes.iter().all(|local| here[local.0 as usize]) {
            return false;
        }
        let mut found: Vec<Local> = transition.gives.iter().collect();
        for (local, _) in here.iter().enumerate().filter(|(_, there)| **there) {
            let local = Local(local as u32);
            match transition.passive.targets(local) {
                Some(targets) => found.extend(targets),
                None => found.push(local),
            }
        }
        self.add(transition.to, found.into_iter(), locals)
    }

    fn add(&mut self, shared: Shared, found: impl Iterator<Item = Local>, locals: usize) -> bool {
        let place = &mut self.per_shared[shared.0 as usize];
        let mut new = place.is_none();
        let there = place.get_or_insert_with(|| vec![false; locals]);
        for local in found {
            new |= !std::mem::replace(&mut there[local.0 as usize], true);
        }
        new
    }

    /// Whether the state, or one with more threads, may be reachable.
    pub fn allows(&self, state: &State) -> bool {
        let here = self.per_shared[state.shared.0 as usize].as_ref();
        here.is_some_and(|here| state.threads.iter().all(|local| here[local.0 as usize]))
    }

    /// Whether threads may be in a local state at a shared state.
    pub fn has(&self, shared: Shared, local: Local) -> bool {
        self.per_shared[shared.0 as usize].as_ref().is_some_and(|here| here[local.0 as usize])
    }

    /// Whether a transition may happen.
    pub fn fires(&self, transition: &Transition) -> bool {
        let here = self.per_shared[transition.from.0 as usize].as_ref();
        here.is_some_and(|here| transition.takes.iter().all(|local| here[local.0 as usize]))
    }

    /// As lists: for each reachable shared state its local states.
    pub fn lists(&self) -> Vec<(Shared, Vec<Local>)> {
        let listed = |there: &Vec<bool>| -> Vec<Local> {
            let locals = there.iter().enumerate().filter(|(_, there)| **there);
            locals.map(|(local, _)| Local(local as u32)).collect()
        };
        let reached = self.per_shared.iter().enumerate();
        reached
            .filter_map(|(shared, there)| {
                there.as_ref().map(|there| (Shared(shared as u32), listed(there)))
            })
            .collect()
    }
}
