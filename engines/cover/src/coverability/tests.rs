//! Systems small enough to be decided by hand.

use selvedge_certify::tts::{parse, parse_initial, parse_target};
use selvedge_verdict::Budget;

use super::*;

fn coverage(system: &str, initial: &str, target: &str) -> Coverage {
    let system = parse(system).unwrap();
    let initial = parse_initial(initial, &system).unwrap();
    let target = parse_target(target, &system).unwrap();
    let run = Run::silent(Budget::unlimited());
    cover(&system, &initial, &target, &run, &mut Effort::default()).unwrap()
}

#[track_caller]
fn covered(system: &str, initial: &str, target: &str, steps: usize, threads: usize) {
    match coverage(system, initial, target) {
        Coverage::Covered(run) => {
            assert_eq!((run.steps.len(), run.initial.threads.len()), (steps, threads), "{run:?}");
        }
        Coverage::NotCovered(basis) => panic!("not covered: {basis:?}"),
    }
}

#[track_caller]
fn not_covered(system: &str, initial: &str, target: &str, basis: &[&str]) {
    match coverage(system, initial, target) {
        Coverage::Covered(run) => panic!("covered: {run:?}"),
        // Of the minimal elements those are left that no bound excludes.
        Coverage::NotCovered(found) => {
            let system = parse(system).unwrap();
            let expected: Vec<State> =
                basis.iter().map(|text| parse_target(text, &system).unwrap()).collect();
            assert!(found.elements.iter().all(|element| expected.contains(element)), "{found:?}");
            assert!(expected.iter().all(|element| found.excludes(element)), "{found:?}");
        }
    }
}

/// 0 is free, 1 is taken; local 1 is inside.
const LOCK: &str = "2 2\n0 0 -> 1 1\n1 1 -> 0 0\n";

#[test]
fn a_lock_excludes() {
    not_covered(LOCK, "0/0", "1|1,1", &["0|0,1", "1|1,1"]);
    covered(LOCK, "0/0", "1|1", 1, 1);
    covered(LOCK, "0|1/0", "1|1,1", 1, 2);
}

#[test]
fn nothing_moves() {
    not_covered("1 1\n", "0", "0|0", &[]);
    not_covered("1 2\n", "0/0", "0|1", &[]);
    not_covered("2 1\n", "0/0", "1", &[]);
    covered("1 1\n", "0/0", "0|0,0,0", 0, 3);
}

#[test]
fn the_target_is_initial() {
    covered(LOCK, "0/0", "0|0,0", 0, 2);
    covered(LOCK, "0/0", "0", 0, 0);
    covered(LOCK, "1|1", "1|1", 0, 1);
    not_covered(LOCK, "0|0", "0|0,0", &["0|0,0", "1|0,1"]);
}

#[test]
fn loops_lead_nowhere() {
    not_covered("1 2\n0 0 -> 0 0\n", "0/0", "0|1", &[]);
    not_covered("1 2\n0 0 -> 0 0 0 ~> 0\n", "0|0", "0|0,0", &["0|0,0"]);
    covered("1 2\n0 0 -> 0 0\n0 0 -> 0 1\n", "0/0", "0|1", 1, 1);
}

#[test]
fn bounded_threads_are_counted() {
    let climb = "1 3\n0 0 -> 0 1\n0 1 -> 0 2\n";
    covered(climb, "0|0,0", "0|2,2", 4, 2);
    not_covered(climb, "0|0", "0|1,1", &["0|0,0", "0|0,1", "0|1,1"]);
}

#[test]
fn one_passive_thread_goes_two_ways() {
    let either = "2 4\n0 0 -> 1 1 2 ~> 3 2 ~> 2\n";
    covered(either, "0|0,2", "1|1,3", 1, 2);
    covered(either, "0|0,2", "1|1,2", 1, 2);
    not_covered(either, "0|0,2", "1|2,3", &["0|0,2,2", "1|2,3"]);
    covered(either, "0|0,2,2", "1|2,3", 1, 3);
}

#[test]
fn everybody_is_moved() {
    let all = "2 3\n0 0 ~> 1 1\n1 1 -> 1 2\n";
    covered(all, "0/0", "1|2,2", 3, 2);
    covered(all, "0", "1", 1, 0);
    not_covered(all, "0/0", "1|0", &[]);
}

#[test]
fn threads_are_spawned() {
    let spawn = "2 3\n0 0 +> 1 1\n1 1 -> 0 2\n";
    covered(spawn, "0|0", "0|2,2,2", 6, 1);
    not_covered(spawn, "0|0", "0|0,0", &["0|0,0", "1|0,0,1"]);
    not_covered(spawn, "0", "1", &[]);
    covered("1 1\n0 0 +> 0 0\n", "0|0", "0|0,0,0,0", 3, 1);
}

/// A counter of two bits in the shared state that each round of a thread increases: covering needs
/// exactly as many threads as it counts to.
#[test]
fn threads_are_needed_to_count() {
    let count = "4 2\n0 0 -> 1 1\n1 0 -> 2 1\n2 0 -> 3 1\n";
    covered(count, "0/0", "3", 3, 3);
    not_covered(count, "0|0,0", "3", &["0|0,0,0", "1|0,0", "2|0", "3"]);
}

#[test]
fn limits_are_kept() {
    let system = parse(LOCK).unwrap();
    let target = parse_target("1|1,1", &system).unwrap();
    let decide = |budget: Budget| {
        let (run, initial) = (Run::silent(budget), Initial::default());
        cover(&system, &initial, &target, &run, &mut Effort::default())
    };
    assert_eq!(decide(Budget::work(1)), Err(Stop::Work { limit: 1 }));
    let little = Budget { memory: Some(1), ..Budget::unlimited() };
    assert_eq!(decide(little), Err(Stop::Memory { limit_bytes: 1 }));
}

#[test]
fn every_predecessor_is_work() {
    let system = parse(LOCK).unwrap();
    let target = parse_target("1|1", &system).unwrap();
    let (run, mut effort) = (Run::silent(Budget::work(100_000)), Effort::default());
    cover(&system, &Initial::default(), &target, &run, &mut effort).unwrap();
    assert!(run.clock().spent() >= PREDECESSOR * effort.predecessors);
    assert!(effort.predecessors > 0);
}
