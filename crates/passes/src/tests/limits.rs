//! Preparation keeps to its budget.

use selvedge_budget::{Clock, Moment};

use super::*;
use crate::limits::{MOST_EDGES, Unprepared};
use crate::prepare::prepare_within;

/// Procedures each of which calls the next twice: in full, their bodies double at each level.
fn doubling(levels: usize) -> Program {
    let mut text = String::from("shared x: i32;\n");
    text += "procedure f0(n: i32) -> i32 { local v: i32; v := x; x := v + n; return v; }\n";
    for level in 1..=levels {
        let below = level - 1;
        text += &format!(
            "procedure f{level}(n: i32) -> i32 {{
               local a: i32; local b: i32;
               a := call f{below}(n + 1); b := call f{below}(a + n); return a + b;
             }}\n"
        );
    }
    text += &format!(
        "procedure main() {{ local r: i32; r := call f{levels}(3); x := r; }}
         thread main main;"
    );
    parsed(&text)
}

fn work(units: u64) -> Limits {
    Limits::until(&Clock::counting(), Some(Moment::START + Clock::time_for(units)))
}

#[test]
fn a_program_that_doubles_stops_with_its_budget() {
    let program = doubling(30);
    for fields in [false, true] {
        for units in [10_000, 1_000_000] {
            let limits = work(units);
            let options = Options { fields, promote: true, ..Options::default() };
            let result = prepare_within(&program, &options, &limits);
            assert_eq!(result.err(), Some(Unprepared::OutOfBudget));
            // No pass goes on for long without looking.
            let spent = limits.clock.spent();
            assert!((units..units + 2 * 200_000 + 1_000).contains(&spent), "{spent} of {units}");
        }
    }
}

#[test]
fn a_program_that_is_too_large_is_refused() {
    let limits = Limits { edges: 10_000, ..Limits::none() };
    let result = prepare_within(&doubling(12), &Options::default(), &limits);
    let what = "more than 10000 edges after inlining".to_owned();
    assert_eq!(result.err(), Some(Unprepared::TooLarge { what }));
    assert!(prepare_within(&doubling(4), &Options::default(), &limits).is_ok());
    assert_eq!(Limits::until(&Clock::wall(), None).edges, MOST_EDGES);
}

#[test]
fn the_same_program_takes_the_same_work() {
    let spent = || {
        let limits = work(u64::MAX);
        prepare_within(&doubling(6), &Options::default(), &limits).expect("small enough");
        limits.clock.spent()
    };
    assert_eq!(spent(), spent());
}
