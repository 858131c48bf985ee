//! Agreement of an engine with the semantics, on random small programs.
//!
//! What an engine says is compared with an exhaustive search of the program as it is given. SAFE
//! must not be said where that finds a violation; UNSAFE must come with a trace that replays; and
//! "nothing within so many contexts" must not be said where the search within so many rounds
//! ([`super::rounds`]) finds a violation. An answer that is left open is no disagreement.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_ir::{Program, Property, text};

use super::campaign::Disagreement;
use super::rounds::{Seen, within_rounds};
use super::{generate, shrink};
use selvedge_exec::Trace;
use selvedge_exec::replay::{ReplayResult, replay};
use selvedge_explore::{Own, verify_as_given};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// What an engine says.
#[derive(Clone, Debug)]
pub enum Said {
    Safe,
    Unsafe(Box<Trace>),
    /// No violation in which each thread has at most so many contexts.
    Nothing {
        contexts: u32,
        /// It says that it looked no further than what is undefined.
        reservation: bool,
    },
    /// No answer, for a reason that an engine may have.
    Open,
    /// No answer, for a reason that it may not have.
    Defect(String),
}

/// One way of asking the engine.
pub struct Way<'a> {
    pub name: &'a str,
    pub ask: &'a (dyn Fn(&Program, &[Property]) -> Said + Sync),
    /// Why a violation may be missed, where the engine does not claim to find it.
    pub excuse: &'a (dyn Fn(&Program, &[Property]) -> Option<&'static str> + Sync),
}

/// Which programs, and how many at a time.
#[derive(Clone, Copy)]
pub struct Campaign<'a> {
    pub first: u64,
    pub count: u64,
    pub jobs: usize,
    /// A seed makes a program of one of these kinds.
    pub kinds: &'a [Kind],
    /// Whether the engine checks a property.
    pub checks: &'a (dyn Fn(Property) -> bool + Sync),
}

/// A kind of random programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A little of everything.
    Plain,
    /// Threads that contend for few variables.
    Contending,
    /// In some, variables share their bytes.
    Mixed,
}

impl Kind {
    fn program(self, seed: u64) -> Program {
        match self {
            Kind::Plain => generate::program(seed),
            Kind::Contending => generate::contending(seed),
            Kind::Mixed => generate::mixed(seed),
        }
    }
}

impl Campaign<'_> {
    fn program(&self, seed: u64) -> Program {
        let kind = seed as usize % self.kinds.len().max(1);
        self.kinds.get(kind).unwrap_or(&Kind::Plain).program(seed)
    }

    /// Some properties that the engine checks.
    fn properties(&self, seed: u64) -> Vec<Property> {
        let mut properties = generate::properties(seed);
        properties.retain(|&property| (self.checks)(property));
        if properties.is_empty() {
            properties.push(Property::Assert);
        }
        properties
    }
}

/// What came of the comparison.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    pub programs: u64,
    /// By the exhaustive search: the rest was left open by it.
    pub safe: u64,
    pub unsafe_: u64,
    /// Answers of the engine, of all ways together.
    pub proved: u64,
    pub found: u64,
    pub nothing: u64,
    pub open: u64,
    /// Nothing was found, and there is a violation, but beyond the bounds.
    pub beyond: u64,
    /// Violations missed with an excuse.
    pub excused: u64,
    /// Nothing was found, and not a word said of what cannot be followed within the bounds.
    pub silent: u64,
    pub disagreements: Vec<Disagreement>,
}

/// Programs between two lines that say how far a long campaign has come.
const REPORTED: u64 = 500;
/// Nobody reads more.
const SHOWN: usize = 8;
const MAX_STATES: u64 = 50_000;

/// Compares the engine on all programs of the campaign.
pub fn agreement(campaign: Campaign<'_>, ways: &[Way]) -> Agreement {
    let next = AtomicU64::new(campaign.first);
    let total = Mutex::new(Agreement::default());
    std::thread::scope(|scope| {
        for _ in 0..campaign.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= campaign.first + campaign.count {
                        break;
                    }
                    let one = one(&campaign, seed, ways);
                    let mut total = total.lock().expect("no comparison panics");
                    total.add(one);
                    if total.programs.is_multiple_of(REPORTED) {
                        let (programs, differ) = (total.programs, total.disagreements.len());
                        eprintln!("{programs} of {}: {differ} disagreements", campaign.count);
                    }
                    if total.disagreements.len() >= SHOWN {
                        break;
                    }
                }
            });
        }
    });
    total.into_inner().expect("no comparison panics")
}

/// What the exhaustive search says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Safe,
    Unsafe,
    Open,
}

fn truth(program: &Program, properties: &[Property]) -> Truth {
    let own = Own { symmetry: false, max_states: Some(MAX_STATES), walks: false, ..Own::default() };
    let options = Options::with(properties, own);
    match verify_as_given(program, &options, &mut Run::silent(Budget::unlimited())) {
        Ok(Verdict::Safe(_)) => Truth::Safe,
        Ok(Verdict::Unsafe(_)) => Truth::Unsafe,
        Err(_) => Truth::Open,
    }
}

fn one(campaign: &Campaign<'_>, seed: u64, ways: &[Way]) -> Agreement {
    let program = campaign.program(seed);
    let properties = campaign.properties(seed);
    let mut report = Agreement { programs: 1, ..Agreement::default() };
    match truth(&program, &properties) {
        Truth::Safe => report.safe += 1,
        Truth::Unsafe => report.unsafe_ += 1,
        Truth::Open => {}
    }
    for way in ways {
        if let Some(what) = compare(&program, &properties, way, &mut report) {
            let mut unseen = Agreement::default();
            let mut shows = |p: &Program| compare(p, &properties, way, &mut unseen).is_some();
            let small = shrink::shrink(&program, &mut shows);
            let names: Vec<&str> = properties.iter().map(|p| p.name()).collect();
            let what = format!("{}, {}: {what}", names.join(","), way.name);
            report.disagreements.push(Disagreement { seed, what, program: text::print(&small) });
            break;
        }
    }
    report
}

/// What is wrong with the engine's answer, if anything is.
fn compare(
    program: &Program,
    properties: &[Property],
    way: &Way,
    report: &mut Agreement,
) -> Option<String> {
    match (way.ask)(program, properties) {
        Said::Safe => {
            report.proved += 1;
            (truth(program, properties) == Truth::Unsafe).then(|| "SAFE, but it is not".into())
        }
        Said::Unsafe(trace) => {
            report.found += 1;
            wrong_trace(&trace, properties).or_else(|| {
                let safe = truth(program, properties) == Truth::Safe;
                safe.then(|| "UNSAFE, but the search finds it correct".into())
            })
        }
        Said::Nothing { contexts, reservation } => {
            report.nothing += 1;
            missed(program, properties, contexts, reservation, way, report)
        }
        Said::Open => {
            report.open += 1;
            None
        }
        Said::Defect(what) => Some(what),
    }
}

fn wrong_trace(trace: &Trace, properties: &[Property]) -> Option<String> {
    match replay(trace) {
        Ok(ReplayResult::Recurs(_)) => {}
        other => return Some(format!("the trace does not replay: {other:?}")),
    }
    match trace.failure() {
        Some(failure) if properties.contains(&failure.property) => None,
        other => Some(format!("the trace does not show what was asked for: {other:?}")),
    }
}

fn missed(
    program: &Program,
    properties: &[Property],
    contexts: u32,
    reservation: bool,
    way: &Way,
    report: &mut Agreement,
) -> Option<String> {
    match within_rounds(program, properties, contexts) {
        Seen::Violation { round } => match (way.excuse)(program, properties) {
            Some(_) => {
                report.excused += 1;
                None
            }
            None => Some(format!("nothing, but there is a violation in round {round}")),
        },
        Seen::Stop(_) => {
            report.silent += u64::from(!reservation);
            None
        }
        _ => {
            report.beyond += u64::from(truth(program, properties) == Truth::Unsafe);
            None
        }
    }
}

/// What a [`Stop`] means here.
impl From<Stop> for Said {
    fn from(stop: Stop) -> Said {
        match stop {
            stop if stop.is_defect() => Said::Defect(stop.to_string()),
            _ => Said::Open,
        }
    }
}

impl Agreement {
    fn add(&mut self, other: Agreement) {
        self.programs += other.programs;
        self.safe += other.safe;
        self.unsafe_ += other.unsafe_;
        self.proved += other.proved;
        self.found += other.found;
        self.nothing += other.nothing;
        self.open += other.open;
        self.beyond += other.beyond;
        self.excused += other.excused;
        self.silent += other.silent;
        self.disagreements.extend(other.disagreements);
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs: {} safe, {} unsafe; answers: {} SAFE, {} UNSAFE, {} nothing within the \
             bounds ({} with a violation beyond them, {} with one that is not looked for, {} that \
             do not name what is not supported), {} open; {} disagreements",
            self.programs,
            self.safe,
            self.unsafe_,
            self.proved,
            self.found,
            self.nothing,
            self.beyond,
            self.excused,
            self.silent,
            self.open,
            self.disagreements.len()
        )?;
        for Disagreement { seed, what, program } in &self.disagreements {
            writeln!(f, "seed {seed}: {what}\n{program}")?;
        }
        Ok(())
    }
}
