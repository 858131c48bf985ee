//! `cover` against `explore` on random small programs.
//!
//! A proof that `certify` accepts must be of a program that `explore` finds correct; an execution
//! that goes wrong must be of one that it finds wrong. `SELVEDGE_RANDOM=COUNT` takes more programs,
//! `SELVEDGE_RANDOM=FROM,COUNT` others.

use std::time::Duration;

use selvedge_cover::{self, Failure, Outcome};
use selvedge_exec::{Stop, Verdict};
use selvedge_explore as explore;
use selvedge_ir::{Program, Property, text};
use selvedge_random;
use selvedge_smt::Limits;

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    /// A proof that the checker does not take.
    Rejected,
    Open,
    Defect(String),
}

fn by_explore(program: &Program) -> Answer {
    let options = explore::Options {
        max_states: Some(100_000),
        walks: false,
        ..explore::Options::new(&[Property::Assert])
    };
    match explore::explore(program, &options, &mut |_| {}) {
        Ok(Verdict::Safe(_)) => Answer::Safe,
        Ok(Verdict::Unsafe(_)) => Answer::Unsafe,
        Err(_) => Answer::Open,
    }
}

fn by_cover(program: &Program) -> Answer {
    let time = Some(Duration::from_secs(2));
    let options = cover::Options { time, ..cover::Options::new(&[Property::Assert]) };
    match cover::verify(program, &options, &mut |_| {}) {
        Ok(Outcome::Unsafe(_)) => Answer::Unsafe,
        Ok(Outcome::Proved(certificate)) => {
            let limits = Limits::time(Duration::from_secs(5));
            match selvedge_certify::check(program, &certificate, &limits) {
                Ok(_) => Answer::Safe,
                Err(_) => Answer::Rejected,
            }
        }
        Err(Failure::Stop(Stop::Unconfirmed { what })) => Answer::Defect(what),
        Err(Failure::Stop(_)) => Answer::Open,
        Err(Failure::Predicate { message, .. }) => Answer::Defect(message),
    }
}

#[test]
fn cover_agrees_with_explore() {
    let chosen = std::env::var("SELVEDGE_RANDOM").unwrap_or_else(|_| "10".into());
    let (from, count) = chosen.split_once(',').unwrap_or(("0", &chosen));
    let (from, count): (u64, u64) = (from.parse().unwrap(), count.parse().unwrap());
    let (mut safe, mut wrong, mut rejected, mut open) = (0, 0, 0, 0);
    for seed in from..from + count {
        let program = random::mixed(seed);
        let expected = by_explore(&program);
        let found = by_cover(&program);
        let differ = matches!(
            (&expected, &found),
            (Answer::Safe, Answer::Unsafe)
                | (Answer::Unsafe, Answer::Safe | Answer::Rejected)
                | (_, Answer::Defect(_))
        );
        assert!(!differ, "seed {seed}: {found:?}, not {expected:?}\n{}", text::print(&program));
        match found {
            Answer::Safe => safe += 1,
            Answer::Unsafe => wrong += 1,
            Answer::Rejected => rejected += 1,
            _ => open += 1,
        }
    }
    println!(
        "{count} programs: {safe} proved, {rejected} not certified, {wrong} wrong, {open} open"
    );
    assert!(safe + wrong > 0, "the programs test nothing");
}
