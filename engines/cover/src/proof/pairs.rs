//! Which pairs of local states can be reached together: thread-modular reasoning about two threads
//! at a time, forwards, in the abstract system.
//!
//! The complement of a basis is the weakest reason why an error is not covered: it allows whatever
//! cannot go wrong, and may need to speak of many threads to be kept by every step. What can be
//! reached is a stronger reason, and often one about pairs. A passive thread that would go to the
//! sink blocks the transition here: the sink stands for states that the program does not have.

use std::collections::BTreeSet;

use selvedge_certify::tts::{Local, Shared, Transition};
use selvedge_verdict::Stop;

use crate::abstraction::{AbstractSystem, LocalState};
use crate::watch::Watch;

/// More local states than these are not paired.
const MOST_LOCALS: usize = 150;

/// So many pairs of local states are followed through a transition for a unit of work.
const PAIRS_PER_UNIT: u64 = 8;

/// For each shared state, the local states and the pairs of them (the smaller one first).
#[derive(Clone, Debug)]
pub struct Pairs {
    singles: Vec<BTreeSet<Local>>,
    pairs: Vec<BTreeSet<(Local, Local)>>,
    sink: Option<Local>,
}

impl Pairs {
    /// What pairs of threads can reach; none if they can reach the target, or if there are too many.
    pub fn of(found: &AbstractSystem, watch: &Watch) -> Result<Option<Pairs>, Stop> {
        if found.locals.len() > MOST_LOCALS {
            return Ok(None);
        }
        let sink = found.locals.iter().position(|local| *local == LocalState::Sink);
        let count = found.shared.len();
        let mut reached = Pairs {
            singles: vec![BTreeSet::new(); count],
            pairs: vec![BTreeSet::new(); count],
            sink: sink.map(|local| Local(local as u32)),
        };
        reached.begin(found);
        while reached.step_all(found, watch)? {
            if !reached.singles[found.target.shared.0 as usize].is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(reached))
    }

    pub fn has(&self, shared: Shared, threads: &[Local]) -> bool {
        match threads {
            [one] => self.singles[shared.0 as usize].contains(one),
            [one, two] => self.together(shared, *one, *two),
            _ => true,
        }
    }

    fn together(&self, shared: Shared, one: Local, two: Local) -> bool {
        self.pairs[shared.0 as usize].contains(&(one.min(two), one.max(two)))
    }

    fn begin(&mut self, found: &AbstractSystem) {
        let initial = &found.initial;
        let bounded: Vec<Local> = initial.bounded.iter().collect();
        let all: Vec<Local> = bounded.iter().chain(&initial.unbounded).copied().collect();
        for (index, &one) in all.iter().enumerate() {
            self.add(initial.shared, one);
            // Of a bounded thread there is no second one, unless it is listed twice.
            let others = if index < bounded.len() { &all[index + 1..] } else { &all[index..] };
            others.iter().for_each(|&two| {
                self.add_pair(initial.shared, one, two);
            });
        }
    }

    fn add(&mut self, shared: Shared, one: Local) -> bool {
        self.singles[shared.0 as usize].insert(one)
    }

    fn add_pair(&mut self, shared: Shared, one: Local, two: Local) -> bool {
        self.pairs[shared.0 as usize].insert((one.min(two), one.max(two)))
    }

    /// Adds what all transitions lead to; whether something was new.
    fn step_all(&mut self, found: &AbstractSystem, watch: &Watch) -> Result<bool, Stop> {
        let mut new = false;
        for transition in &found.system.transitions {
            let here = self.singles[transition.from.0 as usize].len() as u64;
            watch.spend(here * here / PAIRS_PER_UNIT + 1);
            watch.check()?;
            new |= self.step(transition);
        }
        Ok(new)
    }

    /// Adds what a transition leads to; whether that was new.
    fn step(&mut self, transition: &Transition) -> bool {
        let Transition { from, to, takes, gives, .. } = transition;
        let takes: Vec<Local> = takes.iter().collect();
        let gives: Vec<Local> = gives.iter().collect();
        let there = takes.iter().all(|local| self.singles[from.0 as usize].contains(local));
        let compatible = takes.iter().enumerate().all(|(index, &one)| {
            takes[index + 1..].iter().all(|&two| self.together(*from, one, two))
        });
        if !there || !compatible {
            return false;
        }
        let passives: Vec<(Local, Vec<Local>)> = self.singles[from.0 as usize]
            .iter()
            .filter(|&&local| takes.iter().all(|&taken| self.together(*from, local, taken)))
            .map(|&local| (local, self.targets(transition, local)))
            .collect();
        let mut new = false;
        for (index, &one) in gives.iter().enumerate() {
            new |= self.add(*to, one);
            for &two in &gives[index + 1..] {
                new |= self.add_pair(*to, one, two);
            }
            for &two in passives.iter().flat_map(|(_, targets)| targets) {
                new |= self.add_pair(*to, one, two);
            }
        }
        for (index, (one, first)) in passives.iter().enumerate() {
            for &target in first {
                new |= self.add(*to, target);
            }
            for (two, second) in &passives[index..] {
                if !self.together(*from, *one, *two) {
                    continue;
                }
                for &a in first {
                    for &b in second {
                        new |= self.add_pair(*to, a, b);
                    }
                }
            }
        }
        // A bad step gives nobody, and its shared state must still be seen.
        if gives.is_empty() && !takes.is_empty() {
            new |= self.add(*to, takes[0]);
        }
        new
    }

    fn targets(&self, transition: &Transition, local: Local) -> Vec<Local> {
        let stays = [local];
        let targets = transition.passive.targets(local).unwrap_or(&stays);
        targets.iter().copied().filter(|target| Some(*target) != self.sink).collect()
    }
}
