//! Loops that need no bound.
//!
//! Where nothing goes wrong within the bound on loops, invariants may show that nothing does however
//! often they are passed ([`selvedge_sequential::prove`]); the paper does not have that. It is tried
//! when the cheap bounds are covered, and for no longer than half of the time spent on bugs so far.
//!
//! Where invariants are given, they are tried first. They stand in a program of their own, which does
//! what the other does and reads what they speak of; what is proved of it holds for the other.

use std::time::Duration;

use selvedge_sequential::{
    Beyond, Bounded, CheckResult, NotUsed, Proof, SequentialProgram, prove, prove_as_given,
};
use selvedge_smt::Limits;
use selvedge_verdict::{Moment, Options};

use super::bounds::Bounds;
use super::options::Own;

/// From this bound on loops on, or from the one that the user gave.
const FROM: u32 = 4;

/// At most this part of all time at once; without a limit, at most so long.
const PART: f64 = 0.1;
const LONGEST: Duration = Duration::from_secs(20);

/// The part of all time for invariants that are given.
const GIVEN: f64 = 0.2;

/// With less there is no point.
const SHORTEST: Duration = Duration::from_millis(300);

/// An attempt that found no proof: with how many contexts, and when it was over.
#[derive(Clone, Copy, Debug)]
struct Failed {
    contexts: u32,
    after: Duration,
}

/// Attempts to prove that loops need no bound.
#[derive(Debug)]
pub struct Unbounded {
    /// Until the end of the run.
    limits: Limits,
    started: Moment,
    /// All time that there is.
    whole: Option<Duration>,
    /// The user gave the bound on loops.
    fixed: bool,
    /// The last number of contexts, where no bug waits to be found behind it.
    last: Option<u32>,
    failed: Option<Failed>,
    /// The contexts that given invariants were last tried with, and those that did not help.
    tried: Option<(u32, Vec<NotUsed>)>,
}

impl Unbounded {
    pub fn new(options: &Options<Own>, limits: Limits) -> Unbounded {
        let started = limits.clock.now();
        let whole = limits.deadline.map(|end| end.since(started));
        let fixed = options.own.unwind.is_some();
        let last = options.own.contexts.filter(|_| fixed);
        Unbounded { limits, started, whole, fixed, last, failed: None, tried: None }
    }

    /// A proof, where the bound on loops is all that is in the way. `annotated` gives the program
    /// with the invariants that are given.
    pub fn prove(
        &mut self,
        bounded: &Bounded,
        program: &SequentialProgram,
        annotated: &dyn Fn() -> Option<SequentialProgram>,
        bounds: Bounds,
    ) -> Option<CheckResult> {
        if bounded.beyond != Beyond::Unwind || !bounded.also.is_empty() {
            return None;
        }
        let proof = self.as_given(annotated, bounds).or_else(|| self.found(program, bounds));
        proof.map(CheckResult::Correct)
    }

    fn spent(&self) -> Duration {
        self.limits.clock.now().since(self.started)
    }

    /// A proof with invariants that the solver finds.
    fn found(&mut self, program: &SequentialProgram, bounds: Bounds) -> Option<Proof> {
        let time = self.share(bounds, self.spent())?;
        let proof = prove(program, &self.limits, time);
        if proof.is_none() {
            self.failed = Some(Failed { contexts: bounds.contexts, after: self.spent() });
        }
        proof
    }

    /// A proof with the invariants that are given, once for each number of contexts.
    fn as_given(
        &mut self,
        annotated: &dyn Fn() -> Option<SequentialProgram>,
        bounds: Bounds,
    ) -> Option<Proof> {
        let before = self.tried.as_ref().map_or(0, |(contexts, _)| *contexts);
        if bounds.contexts <= before {
            return None;
        }
        let program = annotated()?;
        let time = self.whole.map_or(LONGEST, |whole| whole.mul_f64(GIVEN));
        let (proof, unused) = prove_as_given(&program, &self.limits, time);
        self.tried = Some((bounds.contexts, unused));
        proof
    }

    /// The given invariants that did not help; none if they have not been tried.
    pub fn unused(&self) -> Option<Vec<NotUsed>> {
        self.tried.as_ref().map(|(_, unused)| unused.clone())
    }

    /// The time for an attempt; none if it is too early for one.
    fn share(&self, bounds: Bounds, spent: Duration) -> Option<Duration> {
        if bounds.unwind < FROM && !self.fixed {
            return None;
        }
        if self.last == Some(bounds.contexts) {
            return Some(self.whole.map_or(LONGEST, |whole| whole.saturating_sub(spent)));
        }
        // More contexts are not easier. After a while, there is more time to try.
        if let Some(failed) = self.failed
            && bounds.contexts >= failed.contexts
            && spent < 4 * failed.after
        {
            return None;
        }
        let most = self.whole.map_or(LONGEST, |whole| whole.mul_f64(PART));
        Some((spent / 2).max(SHORTEST).min(most))
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::Property;
    use selvedge_verdict::{Budget, Run};

    use super::*;

    #[test]
    fn bugs_are_looked_for_with_all_contexts_before_a_proof_takes_the_time() {
        let own = Own { contexts: Some(2), unwind: Some(2), ..Own::default() };
        let run = Run::silent(Budget::work(100_000_000));
        let unbounded = Unbounded::new(&Options::with(&[Property::Assert], own), run.limits(None));
        let spent = Duration::from_secs(40);
        let share = |contexts| unbounded.share(Bounds { contexts, unwind: 2, threads: 2 }, spent);
        assert_eq!(share(1), Some(Duration::from_secs(10)));
        assert_eq!(share(2), Some(Duration::from_secs(60)));
    }
}
