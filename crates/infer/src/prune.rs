//! Which candidates hold: Houdini (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java")
//! over the specification.
//!
//! All candidates are put into the program at once and everything is checked. Whichever has an
//! obligation that is not proved is dropped, until all that are left are proved from each other. That
//! is the largest such set: dropping a candidate never helps another.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_contracts::{Kind, Obligation, Outcome, Own, Report};
use selvedge_ir::{FileId, Program, Span};
use selvedge_verdict::{Options, Run, Stop};

use crate::candidate::Candidate;

/// Reads the program with annotations in it. Whoever knows the language of the source does that.
pub trait Reader {
    /// The program with these annotations where they belong.
    fn read(&mut self, annotations: &[&Candidate]) -> Result<Reading, Unread>;
}

/// A program with annotations.
#[derive(Clone, Debug)]
pub struct Reading {
    pub program: Program,
    /// The file in which what candidates say has its places: line n is the n-th of them.
    pub marks: Option<FileId>,
}

/// Why the program cannot be read with some annotations.
#[derive(Clone, Debug)]
pub enum Unread {
    /// These, by their positions, cannot stand where they belong, or say nothing there.
    Rejected(Vec<usize>),
    Stop(Stop),
}

impl Reading {
    /// The candidate whose words these are, by its position.
    fn candidate(&self, span: Span) -> Option<usize> {
        let marked = self.marks == Some(span.file) && !span.is_none();
        marked.then(|| span.line.checked_sub(1).map(|line| line as usize)).flatten()
    }
}

/// An obligation that no candidate brings with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Goal {
    /// `file.c:12`; files have other numbers in other readings.
    pub place: String,
    column: u32,
    /// What is wrong where it does not hold.
    pub what: String,
    /// Of the program itself, rather than of what its author has specified.
    pub program: bool,
}

/// Candidates that are proved from each other, and what else is proved with them.
#[derive(Clone, Debug)]
pub struct Held {
    pub kept: Vec<Candidate>,
    pub proved: BTreeSet<Goal>,
    pub open: BTreeSet<Goal>,
    /// Why each of these is open.
    pub reasons: BTreeMap<Goal, String>,
    /// How many obligations are not proved; one place may have several.
    pub unproved: usize,
    /// What is believed beside the program.
    pub assumptions: Vec<String>,
}

/// Who asks, and with which options.
pub struct Pruning<'a> {
    pub reader: &'a mut dyn Reader,
    pub options: &'a Options<Own>,
    /// How often everything was checked.
    pub checks: usize,
    /// Those that cannot be written where they belong.
    pub misplaced: Vec<Candidate>,
}

/// The share of a budget that all candidates together get, before halves of them are tried.
const FOR_ALL: f64 = 0.5;

impl Pruning<'_> {
    /// The largest set of candidates that are proved from each other.
    pub fn prune(
        &mut self,
        mut candidates: Vec<Candidate>,
        run: &mut Run<'_>,
    ) -> Result<Held, Stop> {
        self.prune_all(&mut candidates, run)
    }

    /// Likewise. Where the budget ends, those are left that are not known to be wrong.
    fn prune_all(
        &mut self,
        candidates: &mut Vec<Candidate>,
        run: &mut Run<'_>,
    ) -> Result<Held, Stop> {
        loop {
            run.check()?;
            let reading = self.read(candidates)?;
            self.checks += 1;
            run.progress(format!("checking {} annotations", candidates.len()));
            let found = selvedge_contracts::check(&reading.program, self.options, run);
            match found.and_then(|report| report.finished()) {
                Ok(report) => {
                    let wrong = wrong(&reading, &report);
                    if wrong.is_empty() {
                        return Ok(held(&reading, &report, std::mem::take(candidates)));
                    }
                    drop_all(candidates, &wrong);
                }
                Err(Stop::Annotation { message, span }) => match reading.candidate(span) {
                    Some(position) => drop_all(candidates, &BTreeSet::from([position])),
                    None if candidates.is_empty() => {
                        return Err(Stop::Annotation { message, span });
                    }
                    // Which one it is about is not said.
                    None => candidates.clear(),
                },
                Err(stop) => return Err(stop),
            }
        }
    }

    /// Adds those of further candidates that are proved with what is held; says whether the budget was
    /// enough for all. Where it is not, halves of them are tried by themselves, the first half first.
    pub fn extend(
        &mut self,
        held: &mut Held,
        further: Vec<Candidate>,
        run: &mut Run<'_>,
    ) -> Result<bool, Stop> {
        let mut open = vec![further];
        let mut whole = true;
        while let Some(further) = open.pop() {
            let mut all: Vec<Candidate> = held.kept.iter().chain(&further).cloned().collect();
            match self.prune_all(&mut all, &mut run.part(FOR_ALL)) {
                Ok(more) => *held = more,
                Err(Stop::Time { .. } | Stop::Work { .. }) => {
                    whole = false;
                    let mut further = further;
                    further.retain(|candidate| all.contains(candidate));
                    if further.len() > 1 && run.exceeded().is_none() {
                        let half = further.split_off(further.len() / 2);
                        open.extend([half, further]);
                    }
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(whole)
    }

    /// The program with the candidates that can be read.
    fn read(&mut self, candidates: &mut Vec<Candidate>) -> Result<Reading, Stop> {
        loop {
            let all: Vec<&Candidate> = candidates.iter().collect();
            match self.reader.read(&all) {
                Ok(reading) => return Ok(reading),
                Err(Unread::Stop(stop)) => return Err(stop),
                Err(Unread::Rejected(rejected)) => {
                    let rejected: BTreeSet<usize> = rejected.into_iter().collect();
                    let gone = rejected.iter().filter_map(|&at| candidates.get(at).cloned());
                    self.misplaced.extend(gone);
                    drop_all(candidates, &rejected);
                }
            }
        }
    }
}

fn drop_all(candidates: &mut Vec<Candidate>, positions: &BTreeSet<usize>) {
    let mut position = 0;
    candidates.retain(|_| {
        position += 1;
        !positions.contains(&(position - 1))
    });
}

/// The candidates that have an obligation that is not proved.
fn wrong(reading: &Reading, report: &Report) -> BTreeSet<usize> {
    let open = report.obligations().filter(|obligation| !obligation.outcome.is_proved());
    open.filter_map(|obligation| of(reading, obligation)).collect()
}

fn of(reading: &Reading, obligation: &Obligation) -> Option<usize> {
    reading.candidate(obligation.annotation.as_ref()?.span)
}

fn held(reading: &Reading, report: &Report, kept: Vec<Candidate>) -> Held {
    let (mut proved, mut open) = (BTreeSet::new(), BTreeSet::new());
    let (mut reasons, mut unproved) = (BTreeMap::new(), 0);
    for obligation in report.obligations().filter(|o| of(reading, o).is_none()) {
        // What a mutex's holder may rely on is in the assumption without being written.
        let own = obligation.annotation.as_ref().is_some_and(|said| said.span.is_none());
        if own && obligation.outcome.is_proved() {
            continue;
        }
        let goal = Goal {
            place: selvedge_contracts::place(&reading.program, obligation.at),
            column: obligation.at.column,
            what: obligation.kind.to_string(),
            program: is_of_program(&obligation.kind),
        };
        let why = match &obligation.outcome {
            Outcome::Proved => {
                proved.insert(goal);
                continue;
            }
            Outcome::Failed(_) => "nothing that was tried excludes it".to_owned(),
            Outcome::Unknown(why) => format!("not decided: {why}"),
        };
        unproved += 1;
        reasons.insert(goal.clone(), why);
        open.insert(goal);
    }
    // One place may be gone through in several ways.
    proved.retain(|goal| !open.contains(goal));
    let assumptions = report.assumptions.clone();
    Held { kept, proved, open, reasons, unproved, assumptions }
}

fn is_of_program(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Assertion(_) | Kind::Access(_) | Kind::Defined(_) | Kind::Known | Kind::Supported(_)
    )
}
