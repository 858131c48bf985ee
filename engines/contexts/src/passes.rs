//! Loops that need no bound.
//!
//! Where nothing goes wrong within the bound on loops, invariants may show that nothing does however
//! often they are passed ([`sequential::prove`]); the paper could not say that. It is tried when the
//! cheap bounds are through, and for no longer than half of what was spent on looking for bugs.
//!
//! Where invariants are given, they are tried first. They stand in a program of their own, which does
//! what the other does and reads what they speak of; what is proved of it holds for the other.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use selvedge_smt::{Dump, Limits};

use super::Bounds;
use selvedge_sequential::{self, Answer, Beyond, NotUsed, Proof, SequentialProgram};

/// From this bound on loops, or from the one that the user gave.
const FROM: u32 = 4;

/// Not more than this part of all time at once; without a limit, as long.
const PART: f64 = 0.1;
const LONGEST: Duration = Duration::from_secs(20);

/// The part of all time for invariants that are given.
const GIVEN: f64 = 0.2;

/// With less there is no point.
const SHORTEST: Duration = Duration::from_millis(300);

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
    /// The last number of contexts, where no bug waits to be found behind it.
    last: Option<u32>,
    dump: Option<Dump>,
    failed: Cell<Option<Failed>>,
    /// The contexts that given invariants were last tried with, and those that did not help.
    tried: RefCell<Option<(u32, Vec<NotUsed>)>>,
}

impl AnyPasses {
    pub fn new(started: Instant, options: &super::Options) -> AnyPasses {
        let fixed = options.unwind.is_some();
        let last = options.contexts.filter(|_| fixed);
        let (time, dump) = (options.time, options.dump.clone());
        let (failed, tried) = (Cell::new(None), RefCell::new(None));
        AnyPasses { started, time, fixed, last, dump, failed, tried }
    }

    /// A better answer where the bound on loops is all that is in the way. `cut` says that threads
    /// or calls are left out, which is another bound.
    pub fn improve(
        &self,
        answer: Option<Answer>,
        program: &SequentialProgram,
        annotated: &dyn Fn() -> Option<SequentialProgram>,
        bounds: Bounds,
        cut: bool,
    ) -> Option<Answer> {
        match &answer {
            Some(Answer::Bounded(b)) if b.beyond == Beyond::Unwind && b.also.is_empty() && !cut => {
            }
            _ => return answer,
        }
        if let Some(proof) = self.as_given(annotated, bounds) {
            return Some(Answer::Correct(proof));
        }
        let spent = self.started.elapsed();
        let Some(time) = self.slice(bounds, spent) else { return answer };
        let limits = self.limits();
        match sequential::prove(program, &limits, time) {
            Some(proof) => Some(Answer::Correct(proof)),
            None => {
                let after = self.started.elapsed();
                self.failed.set(Some(Failed { contexts: bounds.contexts, after }));
                answer
            }
        }
    }

    fn limits(&self) -> Limits {
        let left = self.time.map(|all| all.saturating_sub(self.started.elapsed()));
        let deadline = left.map(|left| Instant::now() + left);
        Limits { deadline, dump: self.dump.clone(), ..Limits::none() }
    }

    /// A proof with the invariants that are given, once for each number of contexts.
    fn as_given(
        &self,
        annotated: &dyn Fn() -> Option<SequentialProgram>,
        bounds: Bounds,
    ) -> Option<Proof> {
        let before = self.tried.borrow().as_ref().map_or(0, |(contexts, _)| *contexts);
        if bounds.contexts <= before {
            return None;
        }
        let program = annotated()?;
        let time = self.time.map_or(LONGEST, |all| all.mul_f64(GIVEN));
        let (proof, unused) = sequential::prove_as_given(&program, &self.limits(), time);
        *self.tried.borrow_mut() = Some((bounds.contexts, unused));
        proof
    }

    /// The given invariants that did not help; none if they have not been tried.
    pub fn unused(&self) -> Option<Vec<NotUsed>> {
        self.tried.borrow().as_ref().map(|(_, unused)| unused.clone())
    }

    /// The time to try; none if it is not the time.
    fn slice(&self, bounds: Bounds, spent: Duration) -> Option<Duration> {
        if bounds.unwind < FROM && !self.fixed {
            return None;
        }
        if self.last == Some(bounds.contexts) {
            return Some(self.time.map_or(LONGEST, |all| all.saturating_sub(spent)));
        }
        // More contexts are not easier. After a while, there is more time to try.
        if let Some(failed) = self.failed.get()
            && bounds.contexts >= failed.contexts
            && spent < 4 * failed.after
        {
            return None;
        }
        let most = self.time.map_or(LONGEST, |all| all.mul_f64(PART));
        Some((spent / 2).max(SHORTEST).min(most))
    }
}

#[cfg(test)]
mod tests {
    use selvedge_exec::{Stop, random};
    use selvedge_ir::{Program, Property, text};
    use selvedge_passes::prepare;

    use super::super::sequentialize::{Plan, Sequentialized, sequentialize};
    use super::super::{Covered, Options, verify};
    use super::*;

    fn sequential(program: &Program, contexts: u32) -> Sequentialized {
        let properties = vec![Property::Assert];
        let passes =
            selvedge_passes::Options { properties: properties.clone(), ..Default::default() };
        let prepared = prepare(program, &passes);
        let bounds = Bounds { contexts, unwind: 2, threads: 2 };
        let plan =
            Plan { bounds, properties: &properties, tracked: None, addresses: false, points: 100 };
        sequentialize(&prepared, &plan).expect("it is small")
    }

    /// What is proved for any number of passes is not refuted for some.
    #[test]
    fn proofs_agree_with_the_unrolling() {
        let (mut proved, mut wrong) = (0, 0);
        for seed in 0..60 {
            let program = random::program(seed);
            let Sequentialized { sequential, .. } = sequential(&program, 2);
            let mut run = sequential::Run::new(Limits::none());
            let bounded = sequential::Options::unwind(3);
            let bad = match sequential::check(&sequential, &bounded, &mut run) {
                Ok(answer) => matches!(answer, Answer::Wrong(_)),
                Err(_) => continue,
            };
            let time = Duration::from_millis(150);
            let shown = sequential::prove(&sequential, &Limits::none(), time).is_some();
            assert!(!(bad && shown), "seed {seed}\n{}", text::print(&program));
            proved += u32::from(shown);
            wrong += u32::from(bad);
        }
        assert!(proved > 0 && wrong > 0, "{proved} proved, {wrong} wrong");
    }

    #[test]
    fn bugs_are_looked_for_with_all_contexts_before_a_proof_takes_the_time() {
        let time = Some(Duration::from_secs(100));
        let options = Options {
            contexts: Some(2),
            unwind: Some(2),
            time,
            ..Options::new(&[Property::Assert])
        };
        let passes = AnyPasses::new(Instant::now(), &options);
        let spent = Duration::from_secs(40);
        let slice = |contexts| passes.slice(Bounds { contexts, unwind: 2, threads: 2 }, spent);
        assert_eq!(slice(1), Some(Duration::from_secs(10)));
        assert_eq!(slice(2), Some(Duration::from_secs(60)));
    }

    const COUNTERS: &str = "shared x: i32; shared y: i32;
        procedure worker() {
          local c: bool; local t: i32; havoc c;
          while (c) { atomic { t := x; x := t + 1; t := y; y := t + 1; } havoc c; }
        }
        procedure main() {
          local t: thread; local a: i32; local b: i32;
          t := spawn worker();
          atomic { a := x; b := y; }
          assert a == b;
        }
        thread main main;";

    fn covered(source: &str) -> (Covered, String) {
        let program = text::parse("test.plato", source).unwrap_or_else(|e| panic!("{e:?}"));
        let time = Some(Duration::from_secs(600));
        let options = Options {
            contexts: Some(1),
            unwind: Some(2),
            time,
            ..Options::new(&[Property::Assert])
        };
        let mut last = Covered::Nothing;
        match verify(&program, &options, &mut |round| last = round.result) {
            Err(Stop::Bound { what }) => (last, what),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn loops_of_threads_need_no_bound() {
        let (result, what) = covered(COUNTERS);
        assert_eq!(result, Covered::AllLoops, "{what}");
        assert!(what.contains("loops passed any number of times"), "{what}");
    }

    #[test]
    fn calls_that_are_cut_are_not_loops() {
        let source = "shared x: i32;
            procedure down(n: i32) { local t: i32; t := x; x := t;
              if (n > 0) { call down(n - 1); } }
            procedure main() { local n: i32; havoc n; call down(n); assert true; }
            thread main main;";
        let (_, what) = covered(source);
        assert!(what.contains("recursion 2 deep"), "{what}");
    }
}
