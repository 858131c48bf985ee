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

mod action;
mod call;
mod checker;
mod closure;
mod describe;
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
mod report;
mod shown;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod world;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use selvedge_ir::{ProcId, Program, Property};
use selvedge_smt::Limits;
use selvedge_verdict::{Abilities, Options, Run, Stop};

use checker::{Checker, Mode, Task};
use heads::{Guess, Guesses, Loops};
use prepare::Subject;
pub use prepare::inlined;
pub use report::{
    Annotation, Change, Kind, LoopInvariants, Obligation, Outcome, Part, Report, place,
};

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
    /// For each question to the solver.
    pub question: Duration,
}

impl Default for Own {
    fn default() -> Own {
        Own { commute: true, question: Duration::from_secs(10) }
    }
}

/// Checks the specification, every procedure with a contract, and every procedure that a thread
/// starts in.
pub fn check(program: &Program, options: &Options<Own>, run: &mut Run<'_>) -> Result<Report, Stop> {
    ABILITIES.admit(options)?;
    let subject = prepare::prepare(program, run)?;
    let limits = run.limits(options.queries.as_ref());
    let limits = Limits { time: Some(options.own.question), ..limits };
    let task = Task {
        subject: &subject,
        properties: &options.properties,
        commute: options.own.commute,
        limits,
        known_transitive: RefCell::default(),
    };
    let mut report = Report { parts: Vec::new(), assumptions: assumptions(&subject) };
    report.parts.push(whole(&task).map_err(|stop| in_time(stop, run))?);
    for id in checked(&subject) {
        run.check()?;
        run.progress(format!("checking {}", subject.program.procedures[id].name));
        report.parts.push(procedure(&task, id, run).map_err(|stop| in_time(stop, run))?);
    }
    Ok(report)
}

/// A question that was cut short by the end of the run is the end of the run.
fn in_time(stop: Stop, run: &Run<'_>) -> Stop {
    run.exceeded().unwrap_or(stop)
}

/// Those with a contract, and those that threads start in.
fn checked(subject: &Subject) -> Vec<ProcId> {
    let program = &subject.program;
    let started = |id: ProcId| subject.entries.contains(id) && subject.reached.contains(id);
    let all = program.procedures.keys();
    all.filter(|&id| started(id) || program.spec.contract_of(id).is_some()).collect()
}

fn assumptions(subject: &Subject) -> Vec<String> {
    let mut found = Vec::new();
    if subject.has_locks_in_undefined_memory() {
        found.push("locks in allocated memory are initialised before they are used".to_owned());
    }
    if subject.reads_undefined_pointers() {
        found.push("pointers in allocated memory are written before they are read".to_owned());
    }
    let library =
        subject.program.procedures.keys().any(|id| {
            subject.program.spec.contract_of(id).is_some() && !subject.reached.contains(id)
        });
    if library {
        let what = "callers outside of the program access memory at the types that are declared";
        found.push(what.to_owned());
    }
    found
}

/// What is asked of the specification.
fn whole(task: &Task<'_>) -> Result<Part, Stop> {
    let start = Instant::now();
    let obligations = global::specification(task)?;
    Ok(Part {
        procedure: None,
        name: "specification".to_owned(),
        obligations,
        invariants: Vec::new(),
        loops: Vec::new(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// One procedure: guesses about its loops until those left hold, then its obligations.
fn procedure(task: &Task<'_>, id: ProcId, run: &Run<'_>) -> Result<Part, Stop> {
    let start = Instant::now();
    let program = &task.subject.program;
    let body = &program.procedures[id];
    let contract = program.spec.contract_of(id);
    let mut guesses = guess::guesses(program, body, contract, &Loops::of(body));
    while !guesses.at.is_empty() {
        run.check()?;
        let mut checker = Checker::new(task, id, Mode::Guess, &mut guesses);
        checker.run()?;
        if checker.wrong == 0 {
            break;
        }
    }
    let mut checker = Checker::new(task, id, Mode::Check, &mut guesses);
    checker.run()?;
    let obligations = std::mem::take(&mut checker.obligations);
    Ok(Part {
        procedure: Some(id),
        name: body.name.clone(),
        obligations,
        invariants: invariants(program, id, &guesses),
        loops: facts::facts(program, id, &guesses),
        seconds: start.elapsed().as_secs_f64(),
    })
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
    }
}
