//! Every engine against the semantics, on random small programs: one test for each engine.
//!
//! What an engine says is held against an exhaustive search without any pass. Every SAFE has an
//! accepted certificate or an exhausted search behind it, every UNSAFE a replayed trace; a verdict
//! against the search is a disagreement, which is shrunk and shown.
//!
//! A few programs by default; `SELVEDGE_RANDOM=5000` for more, `SELVEDGE_SEED` to start elsewhere,
//! `SELVEDGE_JOBS` for several at a time. `cargo xtask fuzz ENGINE N` sets these.

use selvedge_contexts::{self as contexts, Slice};
use selvedge_engines::{Engine, Knobs, verify};
use selvedge_ir::{Program, Property};
use selvedge_random::agree::{Agreement, Campaign, Kind, Said, Way, agreement};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// Compares an engine, and says what came of it.
fn fuzz(engine: Engine, count: u64, kinds: &[Kind], ways: &[Way]) -> Agreement {
    let campaign = Campaign {
        first: number("SELVEDGE_SEED", 0),
        count: number("SELVEDGE_RANDOM", count),
        jobs: number("SELVEDGE_JOBS", 1) as usize,
        kinds,
        checks: &|property| engine.checks(property),
    };
    let report = agreement(campaign, ways);
    println!("{}: {report}", engine.name());
    assert!(report.disagreements.is_empty(), "{report}");
    report
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

const ALL_KINDS: [Kind; 3] = [Kind::Plain, Kind::Contending, Kind::Mixed];

/// Units of work for one program.
const WORK: u64 = 3_000_000;

/// An engine that has verdicts, asked in its usual way.
fn decides(engine: Engine, count: u64) {
    let ask = |program: &Program, properties: &[Property]| {
        let options = Options::with(properties, Knobs::default());
        answer(engine, program, &options, Budget::work(WORK))
    };
    let ways = [Way { name: engine.name(), ask: &ask, excuse: &|_, _| None }];
    let report = fuzz(engine, count, &ALL_KINDS, &ways);
    let decided = report.proved + report.found;
    assert!(decided > report.programs / 8, "few verdicts: the programs test nothing\n{report}");
}

fn answer(engine: Engine, program: &Program, options: &Options<Knobs>, budget: Budget) -> Said {
    match verify(engine, program, options, &mut Run::silent(budget)) {
        Ok(Verdict::Safe(_)) => Said::Safe,
        Ok(Verdict::Unsafe(shown)) => Said::Unsafe(Box::new(shown.trace().clone())),
        Err(stop) => stop.into(),
    }
}

#[test]
fn explore() {
    decides(Engine::Explore, 300);
}

#[test]
fn tar() {
    decides(Engine::Tar, 60);
}

#[test]
fn horn() {
    decides(Engine::Horn, 40);
}

#[test]
fn cover() {
    decides(Engine::Cover, 20);
}

/// An engine that only proves, and only what locks and intervals say.
#[test]
fn locks() {
    let ask = |program: &Program, properties: &[Property]| {
        let options = Options::with(properties, Knobs::default());
        answer(Engine::Locks, program, &options, Budget::work(WORK))
    };
    let ways = [Way { name: Engine::Locks.name(), ask: &ask, excuse: &|_, _| None }];
    let report = fuzz(Engine::Locks, 300, &ALL_KINDS, &ways);
    assert!(
        report.proved > report.programs / 50,
        "few proofs: the programs test nothing\n{report}"
    );
}

#[test]
fn contexts() {
    let ask = |k, slice| {
        move |program: &Program, properties: &[Property]| {
            within(program, properties, k, UNWIND, slice)
        }
    };
    let excuse = |k| move |p: &Program, properties: &[Property]| excuse(p, properties, k);
    let ways = [
        Way { name: "1 context", ask: &ask(1, Slice::Off), excuse: &excuse(1) },
        Way { name: "2 contexts", ask: &ask(2, Slice::Off), excuse: &excuse(2) },
        Way { name: "2 contexts, sliced", ask: &ask(2, Slice::Always), excuse: &excuse(2) },
        Way { name: "3 contexts", ask: &ask(3, Slice::Off), excuse: &excuse(3) },
    ];
    // It takes programs to be field-safe, so variables that share bytes are not for it.
    let report = fuzz(Engine::Contexts, 40, &[Kind::Plain, Kind::Contending], &ways);
    let answers = ways.len() as u64 * report.programs;
    assert!(report.found > answers / 8, "few violations: the programs test nothing\n{report}");
    assert!(report.open < answers / 2, "few answers\n{report}");
}

/// The loops of the programs have two rounds.
const UNWIND: u32 = 3;
/// Shrinking can make endless loops.
const MORE_UNWIND: u32 = 12;

/// What `contexts` says within these bounds.
fn within(
    program: &Program,
    properties: &[Property],
    contexts: u32,
    unwind: u32,
    slice: Slice,
) -> Said {
    let own = contexts::Own {
        contexts: Some(contexts),
        unwind: Some(unwind),
        slice,
        ..contexts::Own::default()
    };
    let options = Options::with(properties, Knobs { contexts: own, ..Knobs::default() });
    let mut run = Run::silent(Budget::work(20 * WORK));
    match verify(Engine::Contexts, program, &options, &mut run) {
        Ok(Verdict::Unsafe(shown)) => Said::Unsafe(Box::new(shown.trace().clone())),
        Ok(Verdict::Safe(_)) => Said::Defect("SAFE, which it cannot know".into()),
        Err(Stop::Bound { partial, .. }) => Said::Nothing { contexts, reservation: partial },
        Err(stop) => stop.into(),
    }
}

/// What the engine does not claim to find.
fn excuse(program: &Program, properties: &[Property], contexts: u32) -> Option<&'static str> {
    if let Said::Unsafe(_) = within(program, properties, contexts, MORE_UNWIND, Slice::Off) {
        return Some("more passes through loops");
    }
    let options = Options::with(properties, contexts::Own::default());
    let deadlocks = contexts::leaves_out_deadlocks(program, &options);
    deadlocks.then_some("deadlocks that the answer leaves out")
}
