//! The engine `contracts`: modular proofs from annotations, after Calvin.
//!
//! Flanagan, Freund, Qadeer, Seshia, "Modular verification of multithreaded programs". The author says
//! what every thread may assume of the others (environment assumption E), what holds between any two
//! steps (invariant I), and for procedures what callers and others see of them (abstraction A). Then
//! each procedure is checked by itself, with E* before each of its steps and with calls replaced by
//! abstractions (§4, §5): every assertion holds; every step keeps I and does to each other thread what
//! it assumes (the guarantee G of §6.3); every step is one that A allows; and A is done at the exit.
//!
//! Where we differ. The paper lets the author write a program counter that relates code to the actions
//! of A; here the set of positions in A that are possible is followed (`step.rs`). The paper unrolls
//! loops; here they are cut, with given and guessed invariants (`loops.rs`). Integers are those of the
//! machine. Objects that a thread has made and told nobody of are its own (`memory.rs`).
//!
//! Why it is sound. Theorem 1 of the paper, with one E and one I for all procedures. E* is E because E
//! is proved reflexive and transitive. Everything that is not known is possible: memory after E is any
//! that E and I allow. Universal assumptions are used by instances, universal goals are proved for a
//! value of which nothing is known. What is believed beside that is in [`Report::assumptions`].
//!
//! This engine gives no verdict. What it found about loops makes a certificate ([`Report::certificate`]),
//! from which `selvedge_certify_contracts` makes the obligations again.
//! Checks are made on several threads, and those whose questions the solver has answered
//! before are not made again (`cache.rs`). The environment is taken in parts that have nothing to do
//! with each other (`components.rs`).
//!
//! This engine gives no verdict: its obligations are its own, and nothing else has checked them.

mod action;
mod apart;
mod cache;
mod call;
mod checker;
mod closure;
mod components;
mod describe;
mod digest;
mod facts;
mod formula;
mod ghost;
mod global;
mod guess;
mod heads;
mod implicit;
mod loops;
mod memory;
mod prepare;
mod questions;
mod reach;
mod recall;
mod regions;
mod report;
mod scope;
mod shown;
mod state;
mod step;
mod task;
#[cfg(test)]
mod tests;
mod texts;
mod world;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use selvedge_budget::workers;
use selvedge_ir::{ProcId, Program, Property};
use selvedge_smt::Limits;
use selvedge_verdict::{Abilities, Options, Run, Stop};

use cache::Cache;
use checker::{Checker, Mode};
use heads::{Guess, Guesses, Loops};
use prepare::Subject;
pub use prepare::inlined;
use recall::{Candidates, Checked};
pub use report::{
    Annotation, Change, Kind, LoopInvariants, Obligation, Outcome, Part, Report, place,
};
use scope::Scope;
use task::{Shared, Task};

pub const ABILITIES: Abilities = Abilities {
    name: "contracts",
    unchecked: &[Property::Race, Property::Deadlock, Property::Invariant],
    math: false,
};

/// What only this engine knows.
#[derive(Clone, Debug)]
pub struct Own {
    /// Leave the environment out before steps that do not look at memory (§6.4).
    pub commute: bool,
    /// Before a step of which it is known what it touches, let the environment change no more than
    /// what belongs to that (`components.rs`).
    pub split: bool,
    /// Assume only what belongs to what a procedure names (`components.rs`).
    pub focus: bool,
    /// For each question to the solver.
    pub question: Duration,
    /// Threads that check.
    pub jobs: usize,
    /// The folder where answers are kept; none if they are not.
    pub cache: Option<PathBuf>,
}

impl Default for Own {
    fn default() -> Own {
        let question = Duration::from_secs(10);
        Own { commute: true, split: true, focus: true, question, jobs: 1, cache: None }
    }
}

/// Checks the specification, every procedure with a contract, and every procedure that a thread
/// starts in.
pub fn check(program: &Program, options: &Options<Own>, run: &mut Run<'_>) -> Result<Report, Stop> {
    ABILITIES.admit(options)?;
    let subject = prepare::prepare(program, run)?;
    let limits = run.limits(options.queries.as_ref());
    let limits = Limits { time: Some(options.own.question), ..limits };
    let cache = options.own.cache.as_deref().map(Cache::new);
    let shared = Shared::new(cache, limits, run);
    let task = Task {
        subject: &subject,
        properties: &options.properties,
        commute: options.own.commute,
        split: options.own.split,
        focus: options.own.focus,
        limits: shared.limits(),
        rehearsal: false,
        shared: &shared,
    };
    let jobs = options.own.jobs;
    let mut parts = vec![whole(&task, jobs)?];
    let all = checked(&subject);
    let one = |index: usize| unit(&task, all[index]);
    parts.extend(workers::all(jobs, all.len(), one, |index| {
        run.progress(format!("checking {}", subject.program.procedures[all[index]].name));
    })?);
    let assumptions = assumptions(&subject);
    Ok(Report { parts, assumptions, found: subject.found })
}

/// One procedure, within a budget of its own where work is counted. The end of the budget is the end
/// of this procedure only.
fn unit(task: &Task<'_>, id: ProcId) -> Result<Part, Stop> {
    let task = Task { limits: task.shared.limits(), ..task.clone() };
    let start = Instant::now();
    let found = task.shared.check(&task.limits).and_then(|()| procedure(&task, id));
    match found.map_err(|stop| task.shared.in_budget(&task.limits, stop)) {
        Err(stop @ (Stop::Time { .. } | Stop::Work { .. })) => {
            Ok(unfinished(&task, id, stop, start))
        }
        found => found,
    }
}

fn unfinished(task: &Task<'_>, id: ProcId, stop: Stop, start: Instant) -> Part {
    let body = &task.subject.program.procedures[id];
    let outcome = Outcome::Unknown(stop.to_string());
    let kind = Kind::Unfinished(stop);
    let open = Obligation { kind, at: body.span, annotation: None, outcome };
    Part {
        procedure: Some(id),
        name: body.name.clone(),
        obligations: vec![open],
        invariants: Vec::new(),
        loops: Vec::new(),
        seconds: start.elapsed().as_secs_f64(),
        recalled: false,
        questions: 0,
        work: task.limits.clock.spent(),
    }
}

/// Those with a contract, and those that threads start in.
fn checked(subject: &Subject) -> Vec<ProcId> {
    let program = &subject.program;
    let started = |id: ProcId| subject.entries.contains(id) && subject.reached.contains(id);
    let all = program.procedures.keys();
    all.filter(|&id| started(id) || subject.contract_of(id).is_some()).collect()
}

fn assumptions(subject: &Subject) -> Vec<String> {
    let mut found = Vec::new();
    if subject.has_locks_in_undefined_memory() {
        found.push("locks in allocated memory are initialised before they are used".to_owned());
    }
    if subject.reads_undefined_pointers() {
        found.push("pointers in allocated memory are written before they are read".to_owned());
    }
    let library = subject
        .program
        .procedures
        .keys()
        .any(|id| subject.contract_of(id).is_some() && !subject.reached.contains(id));
    if library {
        let what = "callers outside of the program access memory at the types that are declared";
        found.push(what.to_owned());
    }
    found
}

/// What is asked of the specification.
fn whole(task: &Task<'_>, jobs: usize) -> Result<Part, Stop> {
    let start = Instant::now();
    let asked = global::specification(task, jobs)?;
    Ok(Part {
        procedure: None,
        name: "specification".to_owned(),
        obligations: asked.obligations,
        invariants: Vec::new(),
        loops: Vec::new(),
        seconds: start.elapsed().as_secs_f64(),
        recalled: asked.recalled,
        questions: asked.questions,
        work: asked.work,
    })
}

/// One procedure: what is known of it, or else guesses about its loops until those left hold, then
/// its obligations.
fn procedure(task: &Task<'_>, id: ProcId) -> Result<Part, Stop> {
    let start = Instant::now();
    let program = &task.subject.program;
    let body = &program.procedures[id];
    let loops = Loops::of(body);
    let mut all = Guesses::default();
    if loops.heads().next().is_some() {
        let scope = Scope::new(task.subject, id, task.focus);
        let formulas = scope.formulas(task.subject, id);
        all = guess::guesses(&formulas, body, task.subject.contract_of(id), &loops);
    }
    let candidates = Candidates::new(all);
    let cache = task.shared.cache.as_ref();
    let before = cache.and_then(|cache| candidates.held(cache));
    let known = before.and_then(|mut guesses| {
        let known = task.recalled(|task| recall::with_guesses(task, id, &mut guesses));
        known.map(|checked| (checked, guesses))
    });
    let recalled = known.is_some();
    let (checked, guesses) = match known {
        Some(known) => known,
        None => workers::alone(|| searched(task, id, candidates.all()))?,
    };
    if let Some(cache) = cache.filter(|_| !recalled) {
        candidates.keep(cache, &guesses);
        task.keep(&checked);
    }
    Ok(Part {
        procedure: Some(id),
        name: body.name.clone(),
        obligations: checked.obligations,
        invariants: invariants(program, id, &guesses),
        loops: facts::facts(program, id, &guesses),
        seconds: start.elapsed().as_secs_f64(),
        recalled,
        questions: if recalled { 0 } else { checked.asked },
        work: task.limits.clock.spent(),
    })
}

/// Guesses about loops until those left hold, and the obligations with them.
fn searched(task: &Task<'_>, id: ProcId, mut guesses: Guesses) -> Result<(Checked, Guesses), Stop> {
    let mut shown = None;
    while !guesses.at.is_empty() {
        task.shared.check(&task.limits)?;
        let mut checker = Checker::new(task, id, Mode::Guess, &mut guesses);
        checker.run()?;
        if checker.wrong == 0 {
            shown = Some(checker.world.digest());
            break;
        }
    }
    let checked = recall::obligations(task, id, &mut guesses, shown)?;
    Ok((checked, guesses))
}

/// The invariants of loops, in words.
fn invariants(program: &Program, id: ProcId, guesses: &Guesses) -> Vec<LoopInvariants> {
    let body = &program.procedures[id];
    let about = guesses.at.iter().map(|(head, kept)| LoopInvariants {
        head: body.locations[*head].edges.first().map_or(body.span, |edge| edge.span),
        facts: kept.iter().map(|guess| in_words(program, id, guess)).collect(),
    });
    about.collect()
}

fn in_words(program: &Program, id: ProcId, guess: &Guess) -> String {
    let name = |local| program.procedures[id].locals[local].name.as_str();
    match guess {
        Guess::Position(number) => format!("{number} actions may be done"),
        Guess::Requires(number) => match program.spec.contract_of(id) {
            Some(contract) => contract.requires[*number].text.clone(),
            None => String::new(),
        },
        Guess::Local(expr) => format!("{expr:?}"),
        Guess::Entry(local, param) => {
            format!("{} is parameter {param} at the entry", name(*local))
        }
        Guess::Memory(place, op, value) => format!("{:?} {op:?} {value:?}", place.addr),
        Guess::Where(condition, guess) => {
            format!("{condition:?} ==> {}", in_words(program, id, guess))
        }
        Guess::Object(local) => format!("{} leads to an object", name(*local)),
        Guess::Own(local) => format!("{} leads to an object of the thread's own", name(*local)),
        Guess::Public(local) => format!("{} is null or leads to what others know", name(*local)),
    }
}
