//! `horn` against `explore` on random small programs.
//!
//! What `explore` finds wrong must not be proved, and what it finds correct must not be found wrong.
//! `SELVEDGE_RANDOM=1000` for more, `SELVEDGE_SEED` to start elsewhere.

use selvedge_ir::{Program, Property, text};
use selvedge_random::{program, shrink};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// Units of work of `horn` for each program.
const WORK: u64 = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Safe,
    Unsafe,
    /// No verdict, for a good reason.
    Open,
    /// A trace was found that does not replay, or another defect.
    Defect,
}

fn said(result: Result<Verdict, Stop>) -> Said {
    match result {
        Ok(Verdict::Safe(_)) => Said::Safe,
        Ok(Verdict::Unsafe(_)) => Said::Unsafe,
        Err(stop) if stop.is_defect() => Said::Defect,
        Err(_) => Said::Open,
    }
}

fn by_explore(program: &Program, properties: &[Property]) -> Said {
    let own = selvedge_explore::Own {
        max_states: Some(100_000),
        walks: false,
        ..selvedge_explore::Own::default()
    };
    let options = Options::with(properties, own);
    said(selvedge_explore::verify(program, &options, &mut Run::silent(Budget::unlimited())))
}

fn by_horn(program: &Program, properties: &[Property]) -> Said {
    let mut run = Run::silent(Budget::work(WORK));
    said(selvedge_horn::verify(program, &Options::new(properties), &mut run))
}

fn disagree(expected: Said, found: Said) -> bool {
    match (expected, found) {
        (_, Said::Defect) => true,
        (Said::Open, _) | (_, Said::Open) => false,
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
        let program = program(seed);
        let properties = properties(seed);
        let expected = by_explore(&program, &properties);
        let found = by_horn(&program, &properties);
        let races = u64::from(properties.contains(&Property::Race));
        raced += races * u64::from(found == Said::Safe || found == Said::Unsafe);
        proved += u64::from(found == Said::Safe);
        refuted += u64::from(found == Said::Unsafe);
        if disagree(expected, found) {
            let mut shows =
                |p: &Program| disagree(by_explore(p, &properties), by_horn(p, &properties));
            let small = shrink(&program, &mut shows);
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
