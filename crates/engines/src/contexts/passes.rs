//! Loops that need no bound.
//!
//! Where nothing goes wrong within the bound on loops, invariants may show that nothing does however
//! often they are passed ([`sequential::prove`]); the paper could not say that. It is tried when the
//! cheap bounds are through, and for no longer than what was spent on looking for bugs.

use std::cell::Cell;
use std::time::{Duration, Instant};

use selvedge_smt::{Dump, Limits};

use super::Bounds;
use crate::sequential::{self, Answer, Beyond, SequentialProgram};

/// From this bound on loops, or from the one that the user gave.
const FROM: u32 = 4;

/// Not more than this part of all time at once; without a limit, as long.
const PART: f64 = 0.1;
const LONGEST: Duration = Duration::from_secs(20);

/// With less there is no point.
const SHORTEST: Duration = Duration::from_millis(200);

/// What was tried in vain: how many contexts, and how long the search had gone on.
#[derive(Clone, Copy, Debug)]
struct Failed {
    contexts: u32,
    after: Duration,
}

#[derive(Debug)]
pub struct AnyPasses {
    started: Instant,
    time: Option<Duration>,
    fixed: bool,
    dump: Option<Dump>,
    failed: Cell<Option<Failed>>,
}

impl AnyPasses {
    pub fn new(started: Instant, options: &super::Options) -> AnyPasses {
        let fixed = options.unwind.is_some();
        let (time, dump) = (options.time, options.dump.clone());
        AnyPasses { started, time, fixed, dump, failed: Cell::new(None) }
    }

    /// A better answer where the bound on loops is all that is in the way. `cut` says that threads
    /// or calls are left out, which is another bound.
    pub fn improve(
        &self,
        answer: Option<Answer>,
        program: &SequentialProgram,
        bounds: Bounds,
        cut: bool,
    ) -> Option<Answer> {
        match &answer {
            Some(Answer::Bounded(b)) if b.beyond == Beyond::Unwind && !cut => {}
            _ => return answer,
        }
        let spent = self.started.elapsed();
        let Some(time) = self.slice(bounds, spent) else { return answer };
        let left = self.time.map(|all| Instant::now() + all.saturating_sub(spent));
        let limits = Limits { deadline: left, dump: self.dump.clone(), ..Limits::none() };
        match sequential::prove(program, &limits, time) {
            Some(proof) => Some(Answer::Correct(proof)),
            None => {
                let after = self.started.elapsed();
                self.failed.set(Some(Failed { contexts: bounds.contexts, after }));
                answer
            }
        }
    }

    /// The time to try; none if it is not the time.
    fn slice(&self, bounds: Bounds, spent: Duration) -> Option<Duration> {
        if bounds.unwind < FROM && !self.fixed {
            return None;
        }
        // More contexts are not easier. After a while, there is more time to try.
        if let Some(failed) = self.failed.get()
            && bounds.contexts >= failed.contexts
            && spent < 4 * failed.after
        {
            return None;
        }
        let most = self.time.map_or(LONGEST, |all| all.mul_f64(PART));
        Some(spent.max(SHORTEST).min(most))
    }
}
