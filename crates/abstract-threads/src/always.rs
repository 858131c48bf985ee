//! What a contract's `modifies` allows in every step, as steps of an abstract thread.

use selvedge_ir::spec::{Clause, Contract, Target, When};
use selvedge_ir::{Expr, Place, Program, Type};

use crate::locks::{FREE, counts, is_held_by, is_lock};
use crate::refused::Refused;

/// What a contract allows in every step.
pub struct Always {
    /// What may get any value.
    pub plain: Vec<Target>,
    /// Variables for threads, of which a step has to say what they are afterwards; and whether
    /// they are locks.
    threads: Vec<(Target, bool)>,
}

/// A step by what it says and what it changes.
pub type Change = (Vec<Clause>, Vec<Target>);

impl Always {
    pub fn of(program: &Program, contract: &Contract) -> Always {
        let targets = contract.modifies.iter().filter(|target| counts(program, target));
        let (threads, plain): (Vec<&Target>, Vec<&Target>) =
            targets.partition(|target| target.ty == Type::Thread);
        let lock = |target: &Target| target.direct().is_some_and(|place| is_lock(program, &place));
        let threads = threads.into_iter().map(|target| (target.clone(), lock(target)));
        Always { plain: plain.into_iter().cloned().collect(), threads: threads.collect() }
    }

    /// The places of locks.
    pub fn locks(&self) -> Vec<Place> {
        let locks = self.threads.iter().filter(|(_, lock)| *lock);
        locks.filter_map(|(target, _)| target.direct()).collect()
    }

    /// The same, of targets for which something holds.
    pub fn only(mut self, holds: impl Fn(&Target) -> bool) -> Always {
        self.plain.retain(&holds);
        self.threads.retain(|(target, _)| holds(target));
        self
    }

    /// A step that changes what may get any value, and for each variable for threads those in which
    /// it becomes the executing thread, or none. A lock is taken when it is free, and released by its
    /// holder.
    pub fn changes(&self) -> Result<Vec<Change>, Refused> {
        let mut changes = Vec::new();
        if !self.plain.is_empty() {
            changes.push((Vec::new(), self.plain.clone()));
        }
        for (target, lock) in &self.threads {
            let Some(place) = target.direct() else {
                let what = "a thread identifier behind a pointer";
                return Err(Refused::unsupported(what, target.span));
            };
            let is = |when, value| is_held_by(&place, when, value, &target.text, target.span);
            for (from, to) in [(FREE, Expr::Tid), (Expr::Tid, FREE)] {
                let mut relation = vec![is(When::After, to)];
                if *lock {
                    relation.insert(0, is(When::Before, from));
                }
                let targets = self.plain.iter().chain([target]).cloned().collect();
                changes.push((relation, targets));
            }
        }
        Ok(changes)
    }
}
