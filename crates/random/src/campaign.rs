//! Campaigns: many random programs, each explored in several ways that must agree.
//!
//! The reference is the search without any pass or reduction. What goes wrong there must go wrong
//! in each reduced search, and the other way round. Every violation is replayed by the search itself, so a trace that does not
//! replay shows up as an answer of its own. Random runs of the interpreter must replay, too, and a
//! violation that one meets must be found by the search.

use std::fmt;

use selvedge_ir::{Program, Property, text};

use super::{generate, shrink};
use selvedge_exec::replay::{ReplayResult, replay};
use selvedge_exec::run::{Limits, run};
use selvedge_explore::{self as explore, Own};
use selvedge_verdict::{Budget, Event, Options, Run, Stop, Verdict};

/// What came of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub programs: u64,
    pub safe: u64,
    pub unsafe_: u64,
    /// No verdict: something unsupported, undefined, or an input too large.
    pub cut: u64,
    /// The unreduced space was too large to compare with.
    pub too_large: u64,
    /// States of all unreduced searches, and of all fully reduced ones.
    pub states: u64,
    pub reduced_states: u64,
    pub disagreements: Vec<Disagreement>,
}

#[derive(Clone, Debug)]
pub struct Disagreement {
    pub seed: u64,
    pub what: String,
    /// The program, made as small as it would go, in Plato's text form.
    pub program: String,
}

/// An answer as far as ways of searching must agree on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    Cut,
    TooLarge,
    Unconfirmed,
}

/// The ways compared with the reference: reduction, symmetry, persistent sets.
const WAYS: [(&str, bool, bool, bool); 5] = [
    ("passes only", false, false, false),
    ("reduce", true, false, false),
    ("symmetry", false, true, false),
    ("persistent sets", false, false, true),
    ("all", true, true, true),
];

const MAX_STATES: u64 = 20_000;
/// Random runs of each program.
const RUNS: u64 = 2;

/// Explores the programs of `count` seeds from `seed` on.
pub fn campaign(count: u64, seed: u64) -> Report {
    let mut report = Report::default();
    for seed in seed..seed + count {
        one(seed, &mut report);
    }
    report
}

fn one(seed: u64, report: &mut Report) {
    let program = generate::program(seed);
    let properties = generate::properties(seed);
    report.programs += 1;
    let (reference, states) = unreduced(&program, &properties);
    match reference {
        Answer::Safe => report.safe += 1,
        Answer::Unsafe => report.unsafe_ += 1,
        Answer::Cut => report.cut += 1,
        Answer::TooLarge => {
            report.too_large += 1;
            return;
        }
        Answer::Unconfirmed => {}
    }
    report.states += states;
    if reference == Answer::Unconfirmed {
        let mut shows = |p: &Program| unreduced(p, &properties).0 == Answer::Unconfirmed;
        disagree(&program, seed, "unreduced: the trace does not replay".into(), &mut shows, report);
        return;
    }
    for run in 0..RUNS {
        if let Some(what) = wrong_run(&program, &properties, seed + run, reference) {
            let mut shows = |p: &Program| {
                let reference = unreduced(p, &properties).0;
                wrong_run(p, &properties, seed + run, reference).is_some()
            };
            disagree(&program, seed, what, &mut shows, report);
            return;
        }
    }
    for (name, reduce, symmetry, por) in WAYS {
        let way = |p: &Program| search(p, &options(&properties, reduce, symmetry, por));
        let (answer, states) = way(&program);
        if name == "all" {
            report.reduced_states += states;
        }
        if answer != reference {
            let what = format!("{properties:?}: unreduced {reference:?}, {name} {answer:?}");
            let mut shows =
                |p: &Program| unreduced(p, &properties).0 == reference && way(p).0 == answer;
            disagree(&program, seed, what, &mut shows, report);
            return;
        }
    }
}

/// What is wrong with a random run of the interpreter, if anything is.
fn wrong_run(
    program: &Program,
    properties: &[Property],
    seed: u64,
    reference: Answer,
) -> Option<String> {
    let trace = match run(program, seed, &Limits { steps: 300 }, properties) {
        Ok((trace, _)) => trace,
        Err(stop @ Stop::Unconfirmed { .. }) => return Some(format!("run {seed}: {stop}")),
        Err(_) => return None,
    };
    match replay(&trace) {
        Ok(ReplayResult::Recurs(_)) => {}
        other => return Some(format!("run {seed} does not replay: {other:?}")),
    }
    (trace.failure().is_some() && reference != Answer::Unsafe)
        .then(|| format!("run {seed} goes wrong, but the search says {reference:?}"))
}

fn disagree(
    program: &Program,
    seed: u64,
    what: String,
    shows: &mut dyn FnMut(&Program) -> bool,
    report: &mut Report,
) {
    let small = shrink::shrink(program, shows);
    report.disagreements.push(Disagreement { seed, what, program: text::print(&small) });
}

fn options(properties: &[Property], reduce: bool, symmetry: bool, por: bool) -> Options<Own> {
    let max_states = Some(MAX_STATES);
    let own = Own { symmetry, por, max_states, walks: false, ..Own::default() };
    Options { reduce, ..Options::with(properties, own) }
}

fn unreduced(program: &Program, properties: &[Property]) -> (Answer, u64) {
    let options = options(properties, false, false, false);
    answer(|run| explore::verify_as_given(program, &options, run))
}

fn search(program: &Program, options: &Options<Own>) -> (Answer, u64) {
    answer(|run| explore::verify(program, options, run))
}

fn answer(ask: impl FnOnce(&mut Run<'_>) -> Result<Verdict, Stop>) -> (Answer, u64) {
    let mut states = 0;
    let mut run = Run::new(Budget::unlimited(), |event| {
        if let Event::Round(round) = event {
            states = round.number("states").unwrap_or(0);
        }
    });
    let found = ask(&mut run);
    drop(run);
    let answer = match found {
        Ok(Verdict::Safe(_)) => Answer::Safe,
        Ok(Verdict::Unsafe(_)) => Answer::Unsafe,
        Err(stop) if stop.is_defect() => Answer::Unconfirmed,
        Err(Stop::Bound { .. } | Stop::Time { .. } | Stop::Memory { .. }) => Answer::TooLarge,
        Err(_) => Answer::Cut,
    };
    (answer, states)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs: {} safe, {} unsafe, {} cut, {} too large; {} states, {} reduced; \
             {} disagreements",
            self.programs,
            self.safe,
            self.unsafe_,
            self.cut,
            self.too_large,
            self.states,
            self.reduced_states,
            self.disagreements.len()
        )?;
        for Disagreement { seed, what, program } in &self.disagreements {
            writeln!(f, "seed {seed}: {what}\n{program}")?;
        }
        Ok(())
    }
}
