//! `horn` against `explore` on random small programs.
//!
//! What `explore` finds wrong must not be proved, and what it finds correct must not be found wrong.
//! `SELVEDGE_RANDOM=1000` for more, `SELVEDGE_SEED` to start elsewhere.

use std::time::Duration;

use selvedge_exec::{Stop, Verdict, explore, random};
use selvedge_horn::{self, Found};
use selvedge_ir::{Program, Property, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    /// Without a verdict, for a good reason.
    Open,
    /// A trace was found that does not replay.
    Defect,
}

fn by_explore(program: &Program, properties: &[Property]) -> Answer {
    let options = explore::Options {
        max_states: Some(100_000),
        walks: false,
        ..explore::Options::new(properties)
    };
    match explore::explore(program, &options, &mut |_| {}) {
        Ok(Verdict::Safe(_)) => Answer::Safe,
        Ok(Verdict::Unsafe(_)) => Answer::Unsafe,
        Err(_) => Answer::Open,
    }
}

fn by_horn(program: &Program, properties: &[Property]) -> Answer {
    let options =
        horn::Options { time: Some(Duration::from_secs(4)), ..horn::Options::new(properties) };
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

/// Every other program is asked about races, too, or about races alone.
fn properties(seed: u64) -> Vec<Property> {
    match seed % 4 {
        1 => vec![Property::Assert, Property::Race],
        3 => vec![Property::Race],
        _ => vec![Property::Assert],
    }
}

#[test]
fn horn_agrees_with_explore() {
    let (from, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 40));
    let mut wrong = Vec::new();
    let (mut proved, mut refuted, mut raced) = (0, 0, 0);
    for seed in from..from + count {
        let program = random::program(seed);
        let properties = properties(seed);
        let expected = by_explore(&program, &properties);
        let found = by_horn(&program, &properties);
        let races = u64::from(properties.contains(&Property::Race));
        raced += races * u64::from(found == Answer::Safe || found == Answer::Unsafe);
        proved += u64::from(found == Answer::Safe);
        refuted += u64::from(found == Answer::Unsafe);
        if disagree(expected, found) {
            let mut shows =
                |p: &Program| disagree(by_explore(p, &properties), by_horn(p, &properties));
            let small = random::shrink(&program, &mut shows);
            let text = text::print(&small);
            let asked = format!("seed {seed}, {properties:?}");
            wrong.push(format!("{asked}: {expected:?}, by horn {found:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{proved} proved and {refuted} refuted of {count}, {raced} of these with races");
    assert!(proved + refuted > count / 8, "only {proved} and {refuted}: the programs test nothing");
    assert!(raced > count / 16, "only {raced} about races: the programs test nothing");
}
