//! `cover` against `explore` on random small programs.
//!
//! A program that `cover` finds SAFE must be one that `explore` finds correct; an execution that goes
//! wrong must be of one that it finds wrong. `SELVEDGE_RANDOM=COUNT` takes more programs,
//! `SELVEDGE_RANDOM=FROM,COUNT` others.

use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// For each program, by `cover`.
const WORK: u64 = 2_000_000;

#[derive(Debug, PartialEq, Eq)]
enum ByEngine {
    Safe,
    Unsafe,
    /// A proof that the checker does not take.
    Rejected,
    Open,
    Defect(String),
}

fn by_explore(program: &Program) -> ByEngine {
    let own =
        selvedge_explore::Own { max_states: Some(100_000), walks: false, ..Default::default() };
    let options = Options::with(&[Property::Assert], own);
    let mut run = Run::silent(Budget::unlimited());
    match selvedge_explore::verify(program, &options, &mut run) {
        Ok(Verdict::Safe(_)) => ByEngine::Safe,
        Ok(Verdict::Unsafe(_)) => ByEngine::Unsafe,
        Err(_) => ByEngine::Open,
    }
}

fn by_cover(program: &Program) -> ByEngine {
    let options = Options::new(&[Property::Assert]);
    match selvedge_cover::verify(program, &options, &mut Run::silent(Budget::work(WORK))) {
        Ok(Verdict::Safe(_)) => ByEngine::Safe,
        Ok(Verdict::Unsafe(_)) => ByEngine::Unsafe,
        Err(Stop::NotCertified { .. }) => ByEngine::Rejected,
        Err(stop) if stop.is_defect() => ByEngine::Defect(stop.to_string()),
        Err(_) => ByEngine::Open,
    }
}

#[test]
fn cover_agrees_with_explore() {
    let chosen = std::env::var("SELVEDGE_RANDOM").unwrap_or_else(|_| "10".into());
    let (from, count) = chosen.split_once(',').unwrap_or(("0", &chosen));
    let (from, count): (u64, u64) = (from.parse().unwrap(), count.parse().unwrap());
    let (mut safe, mut wrong, mut rejected, mut open) = (0, 0, 0, 0);
    for seed in from..from + count {
        let program = selvedge_random::mixed(seed);
        let expected = by_explore(&program);
        let found = by_cover(&program);
        let differ = matches!(
            (&expected, &found),
            (ByEngine::Safe, ByEngine::Unsafe)
                | (ByEngine::Unsafe, ByEngine::Safe | ByEngine::Rejected)
                | (_, ByEngine::Defect(_))
        );
        assert!(!differ, "seed {seed}: {found:?}, not {expected:?}\n{}", text::print(&program));
        match found {
            ByEngine::Safe => safe += 1,
            ByEngine::Unsafe => wrong += 1,
            ByEngine::Rejected => rejected += 1,
            _ => open += 1,
        }
    }
    println!(
        "{count} programs: {safe} proved, {rejected} not certified, {wrong} wrong, {open} open"
    );
    assert!(safe + wrong > 0, "the programs test nothing");
}
