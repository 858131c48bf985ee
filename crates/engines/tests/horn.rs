//! `horn` against `explore` on random small programs.
//!
//! What `explore` finds wrong must not be proved, and what it finds correct must not be found wrong.
//! `SELVEDGE_RANDOM=1000` for more, `SELVEDGE_SEED` to start elsewhere.

use std::time::Duration;

use selvedge_engines::horn::{self, Found};
use selvedge_exec::{Stop, Verdict, explore, random};
use selvedge_ir::{Program, Property, text};

const PROPERTIES: [Property; 1] = [Property::Assert];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    /// Without a verdict, for a good reason.
    Open,
    /// A trace was found that does not replay.
    Defect,
}

fn by_explore(program: &Program) -> Answer {
    let options = explore::Options {
        max_states: Some(100_000),
        walks: false,
        ..explore::Options::new(&PROPERTIES)
    };
    match explore::explore(program, &options, &mut |_| {}) {
        Ok(Verdict::Safe(_)) => Answer::Safe,
        Ok(Verdict::Unsafe(_)) => Answer::Unsafe,
        Err(_) => Answer::Open,
    }
}

fn by_horn(program: &Program) -> Answer {
    let options =
        horn::Options { time: Some(Duration::from_secs(4)), ..horn::Options::new(&PROPERTIES) };
    match horn::verify(program, &options, &mut |_| {}) {
        Ok(Found::Safe(..)) => Answer::Safe,
        Ok(Found::Unsafe(_)) => Answer::Unsafe,
        Err(Stop::Unconfirmed { .. }) => Answer::Defect,
        Err(_) => Answer::Open,
    }
}

fn disagree(expected: Answer, found: Answer) -> bool {
    match (expected, found) {
        (_, Answer::Defect) => true,
        (Answer::Open, _) | (_, Answer::Open) => false,
        _ => expected != found,
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn horn_agrees_with_explore() {
    let (from, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 40));
    let mut wrong = Vec::new();
    let (mut proved, mut refuted) = (0, 0);
    for seed in from..from + count {
        let program = random::program(seed);
        let (expected, found) = (by_explore(&program), by_horn(&program));
        proved += u64::from(found == Answer::Safe);
        refuted += u64::from(found == Answer::Unsafe);
        if disagree(expected, found) {
            let mut shows = |p: &Program| disagree(by_explore(p), by_horn(p));
            let small = random::shrink(&program, &mut shows);
            let text = text::print(&small);
            wrong.push(format!("seed {seed}: {expected:?}, by horn {found:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{proved} proved and {refuted} refuted of {count}");
    assert!(proved + refuted > count / 8, "only {proved} and {refuted}: the programs test nothing");
}
