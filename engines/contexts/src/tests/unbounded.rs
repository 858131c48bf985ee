//! Loops that need no bound.

use selvedge_ir::{Program, Property, text};
use selvedge_random as random;
use selvedge_sequential::{CheckResult, check, prove};
use selvedge_smt::Limits;
use selvedge_verdict::{Budget, Clock, Moment, RoundResult, Stop};

use super::super::bounds::Bounds;
use super::super::options::Own;
use super::super::plan::Plan;
use super::super::sequentialize::{Sequentialized, sequentialize};
use super::{prepared, run};

fn sequential(program: &Program, contexts: u32) -> Sequentialized {
    let properties = &[Property::Assert];
    let prepared = prepared(program, properties);
    let bounds = Bounds { contexts, unwind: 2, threads: 2 };
    let plan = Plan { bounds, properties, tracked: None, addresses: false, points: 100 };
    sequentialize(&prepared, &plan).expect("it is small")
}

/// What is proved for any number of passes is not refuted for some.
#[test]
fn proofs_agree_with_the_unrolling() {
    let (mut proved, mut wrong) = (0, 0);
    for seed in 0..60 {
        let program = random::program(seed);
        let Sequentialized { sequential, .. } = sequential(&program, 2);
        let mut run = selvedge_sequential::Run::new(Limits::none());
        let bounded = selvedge_sequential::Options::unwind(3);
        let bad = match check(&sequential, &bounded, &mut run) {
            Ok(result) => matches!(result, CheckResult::Wrong(_)),
            Err(_) => continue,
        };
        let time = Clock::time_for(150_000);
        let limits = Limits::until(&Clock::counting(), Moment::START + time);
        let shown = prove(&sequential, &limits, time).is_some();
        assert!(!(bad && shown), "seed {seed}\n{}", text::print(&program));
        proved += u32::from(shown);
        wrong += u32::from(bad);
    }
    assert!(proved > 0 && wrong > 0, "{proved} proved, {wrong} wrong");
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

/// What the last round came to, and the answer.
fn covered(source: &str) -> (RoundResult, String) {
    let own = Own { contexts: Some(1), unwind: Some(2), ..Own::default() };
    let (rounds, answer) = run(source, own, Budget::unlimited());
    let last = rounds.last().expect("a round").result.clone();
    match answer {
        Err(Stop::Bound { what, grows, .. }) => {
            assert!(!grows, "all bounds are given");
            (last, what)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn loops_of_threads_need_no_bound() {
    let (result, what) = covered(COUNTERS);
    assert_eq!(result, RoundResult::Nothing { any_passes: true }, "{what}");
    assert!(what.contains("loops passed any number of times"), "{what}");
}

#[test]
fn a_bound_on_recursion_is_no_bound_on_loops() {
    let source = "shared x: i32;
        procedure down(n: i32) { local t: i32; t := x; x := t;
          if (n > 0) { call down(n - 1); } }
        procedure main() { local n: i32; havoc n; call down(n); assert true; }
        thread main main;";
    let (_, what) = covered(source);
    assert!(what.contains("recursion at most 2 deep"), "{what}");
}
