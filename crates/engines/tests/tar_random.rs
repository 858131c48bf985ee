//! `tar` against `explore` on random small programs.
//!
//! Verdicts must be the same wherever both have one; every proof must be accepted by the checker of
//! certificates, every violation has been replayed. `SELVEDGE_RANDOM=1000` for more,
//! `SELVEDGE_SEED` to start elsewhere.

use std::time::Duration;

use selvedge_engines::tar::{self, Found};
use selvedge_exec::explore;
use selvedge_exec::random;
use selvedge_exec::{Stop, Verdict};
use selvedge_ir::{Program, Property, text};
use selvedge_smt::Limits;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    /// Without a verdict, for this reason.
    Open(String),
    Defect(String),
}

fn reference(program: &Program, properties: &[Property]) -> Answer {
    let options = explore::Options {
        max_states: Some(100_000),
        walks: false,
        ..explore::Options::new(properties)
    };
    match explore::explore(program, &options, &mut |_| {}) {
        Ok(Verdict::Safe(_)) => Answer::Safe,
        Ok(Verdict::Unsafe(_)) => Answer::Unsafe,
        Err(stop) => Answer::Open(stop.to_string()),
    }
}

fn by_tar(program: &Program, properties: &[Property]) -> Answer {
    let options =
        tar::Options { time: Some(Duration::from_secs(5)), ..tar::Options::new(properties) };
    match tar::verify(program, &options, &mut |_| {}) {
        Ok(Found::Unsafe(_)) => Answer::Unsafe,
        Ok(Found::Safe(proof)) => {
            let limits = Limits::time(Duration::from_secs(10));
            match selvedge_certify::check(program, &proof.certificate, &limits) {
                Ok(_) => Answer::Safe,
                Err(rejected) => Answer::Open(format!("proof rejected: {rejected}")),
            }
        }
        Err(stop @ Stop::Unconfirmed { .. }) => Answer::Defect(stop.to_string()),
        Err(stop) => Answer::Open(stop.to_string()),
    }
}

fn disagreement(program: &Program, properties: &[Property]) -> Result<Answer, String> {
    let found = by_tar(program, properties);
    match (&found, reference(program, properties)) {
        (Answer::Defect(what), _) => Err(what.clone()),
        (Answer::Safe, Answer::Unsafe) => Err("a violation is called safe".into()),
        (Answer::Unsafe, Answer::Safe) => Err("a violation of a correct program".into()),
        _ => Ok(found),
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn tar_agrees_with_explore() {
    let (from, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 60));
    let mut wrong = Vec::new();
    let (mut safe, mut violated) = (0, 0);
    for seed in from..from + count {
        let program = random::mixed(seed);
        let mut properties = random::properties(seed);
        properties.retain(|property| *property != Property::Deadlock);
        if properties.is_empty() {
            properties.push(Property::Assert);
        }
        match disagreement(&program, &properties) {
            Ok(Answer::Safe) => safe += 1,
            Ok(Answer::Unsafe) => violated += 1,
            Ok(other) => println!("seed {seed}: {other:?}"),
            Err(what) => {
                let mut shows = |p: &Program| disagreement(p, &properties).is_err();
                let small = random::shrink(&program, &mut shows);
                let text = text::print(&small);
                wrong.push(format!("seed {seed}, {properties:?}: {what}\n{text}"));
            }
        }
        if wrong.len() >= 3 {
            break;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{safe} proved and {violated} violated of {count}");
    assert!(safe + violated > count / 4, "hardly a verdict: the programs test nothing");
}
