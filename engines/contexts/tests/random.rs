//! The engine against the semantics, on random small programs.
//!
//! A few by default; `SELVEDGE_RANDOM=5000` for more, `SELVEDGE_SEED` to start elsewhere,
//! `SELVEDGE_JOBS` for several at a time. `cargo xtask fuzz ENGINE N` sets these.

use selvedge_contexts::{Own, Slice, leaves_out_deadlocks, verify};
use selvedge_ir::{Program, Property};
use selvedge_random::agree::{Agreement, Campaign, Said, Way, agreement};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// Compares an engine, and says what came of it.
fn fuzz(engine: &str, count: u64, ways: &[Way]) -> Agreement {
    let campaign = Campaign {
        first: number("SELVEDGE_SEED", 0),
        count: number("SELVEDGE_RANDOM", count),
        jobs: number("SELVEDGE_JOBS", 1) as usize,
    };
    let report = agreement(campaign, ways);
    println!("{engine}: {report}");
    assert!(report.disagreements.is_empty(), "{report}");
    report
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn contexts() {
    let ask = |k, slice| {
        move |program: &Program, properties: &[Property]| {
            by_contexts(program, properties, k, UNWIND, slice)
        }
    };
    let excuse = |k| move |p: &Program, properties: &[Property]| contexts_excuse(p, properties, k);
    let ways = [
        Way { name: "1 context", ask: &ask(1, Slice::Off), excuse: &excuse(1) },
        Way { name: "2 contexts", ask: &ask(2, Slice::Off), excuse: &excuse(2) },
        Way { name: "2 contexts, sliced", ask: &ask(2, Slice::Always), excuse: &excuse(2) },
        Way { name: "3 contexts", ask: &ask(3, Slice::Off), excuse: &excuse(3) },
    ];
    let report = fuzz("contexts", 40, &ways);
    let answers = ways.len() as u64 * report.programs;
    assert!(report.found > answers / 8, "few violations: the programs test nothing\n{report}");
    assert!(report.open < answers / 2, "few answers\n{report}");
}

/// The loops of the programs have two rounds.
const UNWIND: u32 = 3;
/// Shrinking can make endless loops.
const MORE_UNWIND: u32 = 12;
const WORK: u64 = 60_000_000;

/// What is said where executions may come to something that is not followed.
const RESERVATIONS: [&str; 2] = ["up to anything undefined", "not supported"];

fn by_contexts(
    program: &Program,
    properties: &[Property],
    contexts: u32,
    unwind: u32,
    slice: Slice,
) -> Said {
    let own = Own { contexts: Some(contexts), unwind: Some(unwind), slice, ..Own::default() };
    let options = Options::with(properties, own);
    match verify(program, &options, &mut Run::silent(Budget::work(WORK))) {
        Ok(Verdict::Unsafe(found)) => Said::Unsafe(Box::new(found.trace().clone())),
        Ok(Verdict::Safe(_)) => Said::Defect("SAFE, which it cannot know".into()),
        Err(Stop::Bound { what, .. }) => {
            let reservation = RESERVATIONS.iter().any(|words| what.contains(words));
            Said::Nothing { contexts, reservation }
        }
        Err(stop) => stop.into(),
    }
}

/// What the engine does not claim to find.
fn contexts_excuse(
    program: &Program,
    properties: &[Property],
    contexts: u32,
) -> Option<&'static str> {
    if let Said::Unsafe(_) = by_contexts(program, properties, contexts, MORE_UNWIND, Slice::Off) {
        return Some("more passes through loops");
    }
    let deadlocks = leaves_out_deadlocks(program, &Options::new(properties));
    deadlocks.then_some("deadlocks that the answer leaves out")
}
