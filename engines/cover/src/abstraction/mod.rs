//! Inter-thread predicate abstraction (§2.2, §3): a system of threads over data becomes a thread
//! transition system over truth values.
//!
//! A thread's abstract local state is where it stands and which predicates hold of it; the shared
//! state is which shared predicates hold. For each step, the solver enumerates the truth values
//! before and after, of the thread that acts and of one passive thread ([`question`]): the
//! dual-reference template, with as many further threads as Theorem 3 asks for. What passive threads
//! do is closed monotonically (Definition 10), so that the result is a thread transition system
//! ([`explore`]). Only what can be reached is enumerated.

mod explore;
mod parts;
mod question;
mod show;
pub mod thread;

use std::rc::Rc;
use std::time::{Duration, Instant};

use selvedge_exec::Stop;
use selvedge_smt::Term;

use super::predicate::{Predicate, Vocabulary};
use super::refine::Atoms;
use selvedge_clauses::Counts;
use selvedge_system::{At, System, TemplateId};

pub use explore::{Abstract, Cause, LocalState, SharedState};
pub use question::{Looked, Question};
pub use show::Stage;

/// A system, and the predicates that it is seen through.
pub struct Abstraction {
    pub system: System,
    pub vocabulary: Vocabulary,
    pub predicates: Vec<Predicate>,
    /// Candidates for further predicates from a solution of Horn clauses.
    pub atoms: Atoms,
    /// What variables say about numbers of threads, where that is used.
    pub counts: Option<Rc<Counts>>,
    /// For the log: where predicates and facts come from.
    pub notes: Vec<String>,
    time: Option<Duration>,
    deadline: Option<Instant>,
    /// Questions that the solver was asked.
    pub checks: u64,
    known: parts::Known,
}

impl Abstraction {
    pub fn new(mut system: System, time: Option<Duration>) -> Abstraction {
        let vocabulary = Vocabulary::new(&mut system);
        let deadline = time.map(|time| Instant::now() + time);
        Abstraction {
            system,
            vocabulary,
            predicates: Vec::new(),
            atoms: Atoms::default(),
            counts: None,
            notes: Vec::new(),
            time,
            deadline,
            checks: 0,
            known: parts::Known::default(),
        }
    }

    /// What is known of the shared variables when these threads stand so.
    pub fn counted(&mut self, threads: &[(TemplateId, At)]) -> Vec<Term> {
        let Some(counts) = self.counts.clone() else { return Vec::new() };
        let threads: Vec<(usize, At)> = threads.iter().map(|&(id, at)| (id.index(), at)).collect();
        counts.instance(&mut self.system.terms, &threads)
    }

    fn in_time(&self) -> Result<(), Stop> {
        match (self.deadline, self.time) {
            (Some(deadline), Some(limit)) if Instant::now() > deadline => Err(Stop::Time { limit }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
