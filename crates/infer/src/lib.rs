//! Annotations that nobody has to write: found, checked by the engine `contracts`, and few.
//!
//! Candidates are read off the program (`guess`): which locks are held where memory is written, who
//! writes, which values are stored, what threads and functions are given, and what the engines `tar` and
//! `horn` have proved. They
//! are pruned with the checks of the specification itself until all that remain are proved (`prune`),
//! and then reduced to those that the proofs of the program need (`minimize`).
//!
//! A candidate is a clause in the language of annotations, with what it stands at. Whoever calls this
//! knows the language of the source: it puts candidates where they belong and reads the program again
//! ([`Reader`]). So what is checked is what will be written, word for word, and nothing has to be
//! believed of the guesses.

mod candidate;
mod guess;
mod implied;
mod known;
mod minimize;
mod place;
mod prune;
mod survey;
#[cfg(test)]
mod tests;

pub use candidate::{Candidate, Member, Site, Why, Word};
pub use prune::{Goal, Held, Reader, Reading, Unread};

use std::collections::BTreeSet;
use std::time::Duration;

use selvedge_contracts::Own;
use selvedge_ir::Program;
use selvedge_verdict::{Options, Run, Stop};

use prune::Pruning;
use survey::Survey;

/// What is kept of what is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// What the proofs of the program need.
    Needed,
    /// That, and what protects variables that threads share: locks, or, where there is none, what the
    /// absence of races rests on.
    Protection,
    All,
}

/// What is asked.
pub struct Question<'a> {
    /// The program, with what its author has specified.
    pub program: &'a Program,
    /// The same, lowered for proofs of the absence of races as well.
    pub for_proofs: Option<&'a Program>,
    pub options: &'a Options<Own>,
    pub keep: Keep,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Inferred {
    pub held: Held,
    /// What is proved without any of the annotations.
    pub before: BTreeSet<Goal>,
    /// How many candidates were tried.
    pub tried: usize,
    pub checks: usize,
    /// Those that cannot be written where they belong.
    pub misplaced: Vec<Candidate>,
    /// Whether the budget was enough for all that was to be tried.
    pub whole: bool,
}

/// Candidates are tried in this order, the later ones with what is known of the earlier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Locks,
    Writers,
    /// Of variables that are accessed where something is not proved yet.
    ValuesNear,
    BetweenNear,
    Values,
    Between,
    Horn,
    Proof,
}

impl Stage {
    const ALL: [Stage; 8] = [
        Stage::Locks,
        Stage::Writers,
        Stage::ValuesNear,
        Stage::BetweenNear,
        Stage::Values,
        Stage::Between,
        Stage::Horn,
        Stage::Proof,
    ];

    /// Whether there is something to be gained: a check that is not proved yet, or what protects a
    /// variable.
    fn is_worthwhile(self, keep: Keep, survey: &Survey, held: &Held) -> bool {
        let protects = match self {
            Stage::Locks | Stage::Proof => true,
            Stage::Writers => guess::locks(survey).iter().any(|lock| !held.kept.contains(lock)),
            _ => false,
        };
        !held.open.is_empty() || keep == Keep::All || protects && keep == Keep::Protection
    }
}

/// Shares of what is left of the budget: for `tar` and for `horn`, for what protects memory, for each
/// further set of candidates, and for a single question.
const FOR_PROOF: f64 = 0.2;
const FOR_LOCKS: f64 = 0.6;
const FOR_STAGE: f64 = 0.4;
const FOR_QUESTION: f64 = 0.01;

/// A question gets so much at least.
const SHORTEST_QUESTION: Duration = Duration::from_millis(500);

/// The options of checks within a budget. A set of candidates is checked again and again, and a
/// question that has no answer soon seldom has one later: then its candidate is dropped, or its
/// place stays open.
pub fn briefly(options: &Options<Own>, run: &Run<'_>) -> Options<Own> {
    let mut options = options.clone();
    if let Some(left) = run.remaining() {
        let share = left.mul_f64(FOR_QUESTION).max(SHORTEST_QUESTION);
        options.own.question = options.own.question.min(share);
    }
    options
}

/// Finds annotations of a program.
pub fn infer(
    question: &Question<'_>,
    reader: &mut dyn Reader,
    run: &mut Run<'_>,
) -> Result<Inferred, Stop> {
    let survey = Survey::of(question.program, run)?;
    let options = briefly(question.options, run);
    let mut pruning = Pruning { reader, options: &options, checks: 0, misplaced: Vec::new() };
    let mut held = pruning.prune(Vec::new(), run)?;
    let before = held.proved.clone();
    let (mut tried, mut whole) = (0, true);
    for stage in Stage::ALL {
        let further = candidates(stage, question, &survey, &held, run);
        if further.is_empty() {
            continue;
        }
        tried += further.len();
        run.progress(format!("trying {} annotations", further.len()));
        let share = if stage == Stage::Locks { FOR_LOCKS } else { FOR_STAGE };
        whole &= pruning.extend(&mut held, further, &mut run.part(share))?;
    }
    let mut part = run.part(FOR_STAGE);
    let (mut held, minimal) = minimize::minimize(held, question.keep, &mut pruning, &mut part);
    if question.keep != Keep::All {
        implied::drop_implied(&mut held.kept);
    }
    let Pruning { checks, misplaced, .. } = pruning;
    Ok(Inferred { held, before, tried, checks, misplaced, whole: whole && minimal })
}

/// The candidates of a stage that are not known to hold yet.
fn candidates(
    stage: Stage,
    question: &Question<'_>,
    survey: &Survey,
    held: &Held,
    run: &mut Run<'_>,
) -> Vec<Candidate> {
    let found = match stage {
        _ if !stage.is_worthwhile(question.keep, survey, held) => Vec::new(),
        Stage::Locks => guess::locks(survey),
        // A lock may protect something only if the way to the lock stays the same.
        Stage::Writers => guess::writers(survey).into_iter().chain(guess::locks(survey)).collect(),
        Stage::ValuesNear => guess::values(&near(survey, held)),
        Stage::BetweenNear => guess::values_between(&near(survey, held), &held.kept),
        Stage::Values => guess::values(survey),
        Stage::Between => guess::values_between(survey, &held.kept),
        Stage::Horn => match question.for_proofs {
            Some(program) => guess::from_horn(program, &mut run.part(FOR_PROOF)),
            None => Vec::new(),
        },
        Stage::Proof => match question.for_proofs {
            Some(program) => guess::from_tar(program, &mut run.part(FOR_PROOF)),
            None => Vec::new(),
        },
    };
    let known = |candidate: &Candidate| {
        known::is_stated(question.program, candidate)
            || held.kept.contains(candidate)
            || candidate.why == Why::Race && is_locked(candidate, held)
    };
    found.into_iter().filter(|candidate| !known(candidate)).collect()
}

/// What is accessed where something is not proved.
fn near(survey: &Survey, held: &Held) -> Survey {
    let lines: BTreeSet<&str> = held.open.iter().map(|goal| goal.place.as_str()).collect();
    survey.near(&lines)
}

/// Whether an assumption is about a lock, or about a variable that a lock is known to protect.
fn is_locked(candidate: &Candidate, held: &Held) -> bool {
    let Some(name) = guess::stays_as_it_is(candidate) else { return false };
    let locks = held.kept.iter().filter(|known| known.why == Why::Lock);
    let mut locked = locks.map(|known| &known.site);
    name.starts_with('\\') || locked.any(|site| *site == Site::Variable(name.to_owned()))
}
