//! From what an engine found to what is reported.

use selvedge_exec::Trace;
use selvedge_ir::spec::GhostAction;
use selvedge_ir::{Action, BinaryOp, Edge, Expr, Note, Procedure, Program, Property};
use selvedge_report::{Answer, RacePair, RaceResult, Report, counted};
use selvedge_verdict::{
    Conformance, Evidence, Obligation, Proof, RaceResult as Found, Stop, Verdict,
};

use crate::sources::place;
use crate::status::Status;
use crate::{assumptions, terminal};

/// The report of a verdict, or of the reason why there is none.
pub fn report(
    program: &Program,
    properties: &[Property],
    found: &Result<Verdict, Stop>,
    races: Vec<selvedge_verdict::RacePair>,
) -> Report {
    let report = match found {
        Ok(Verdict::Safe(proof)) => safe(proof, program, properties),
        Ok(Verdict::Unsafe(counterexample)) => {
            let trace = counterexample.trace();
            let report = Report::new(Answer::Unsafe, failure_reason(trace));
            Report { trace: Some(trace.clone()), ..report }
        }
        Err(stop) => unknown(stop, program),
    };
    let certified = report.verdict == Answer::Safe;
    let races = races.into_iter().map(|pair| race(program, pair, certified)).collect();
    Report { races, ..report }
}

/// What a proof in parts is about, but for the composition.
fn pieces(conformance: &Conformance) -> String {
    let is_contract = |part: &&(Obligation, Proof)| matches!(part.0, Obligation::Keeps(_));
    let contracts = conformance.parts().iter().filter(is_contract).count() as u64;
    let threads = counted(conformance.parts().len() as u64 - 1 - contracts, "abstract thread");
    match contracts {
        0 => threads,
        _ => format!("{threads}, {}", counted(contracts, "contract")),
    }
}

/// SAFE, with what is known of each property and what it rests on.
fn safe(proof: &Proof, program: &Program, properties: &[Property]) -> Report {
    let parts;
    let (how, accepted) = match proof.evidence() {
        Evidence::Exhausted(search) => {
            (format!("search complete, {}", counted(search.states(), "state")), &[][..])
        }
        Evidence::Certificate(_, accepted) => {
            let obligations = counted(accepted.obligations as u64, "obligation");
            (format!("proved, {obligations} certified"), accepted.assumptions.as_slice())
        }
        Evidence::Parts(conformance) => {
            parts = conformance.assumptions();
            (format!("{} and the composition proved", pieces(conformance)), parts.as_slice())
        }
        Evidence::Locks(_, accepted) => {
            let obligations = counted(accepted.obligations as u64, "obligation");
            (format!("proved by locks, {obligations} certified"), &[][..])
        }
        Evidence::Contracts(_, accepted) => {
            let obligations = counted(accepted.obligations as u64, "obligation");
            (format!("contracts proved, {obligations} certified"), &[][..])
        }
    };
    let nothing = |&property: &Property| property == Property::Assert && !asserts(program);
    let about = |property: &Property| {
        let reason = if nothing(property) { NO_ASSERTIONS } else { &how };
        Report::new(Answer::Safe, reason).about(*property)
    };
    let each = properties.iter().map(about).collect();
    let names: Vec<&str> = properties.iter().map(|property| property.name()).collect();
    let mut reason = format!("{}: {how}", names.join(", "));
    for assumption in accepted {
        reason.push_str(&format!("; {assumption}"));
    }
    if properties.iter().any(nothing) {
        reason.push_str(&format!("; {NO_ASSERTIONS}"));
    }
    let assumptions = assumptions::of(program, accepted);
    Report { properties: each, assumptions, ..Report::new(Answer::Safe, reason) }
}

/// That nothing fails where nothing is asserted is no merit.
pub const NO_ASSERTIONS: &str = "the program has no assertions that could fail";

pub const NOBODY_WAITS: &str = "no thread ever waits";

/// Whether a thread could wait for another one, or use a lock in a wrong way.
pub fn waits(program: &Program) -> bool {
    let waits = |edge: &Edge| match &edge.action {
        Action::Wait(_) | Action::Lock { .. } | Action::Unlock { .. } | Action::Join { .. } => true,
        Action::Assert { check, .. } => check.property == Property::Deadlock,
        Action::Unsupported { .. } => true,
        _ => false,
    };
    program.procedures.values().any(|p| p.edges().any(|(_, edge)| waits(edge)))
}

/// Whether anything in the program could violate `assert`.
pub fn asserts(program: &Program) -> bool {
    let checks = |edge: &Edge| match &edge.action {
        Action::Assert { check, .. } => check.property == Property::Assert,
        Action::Ghost(ghost) => matches!(**ghost, GhostAction::Assert(_)),
        _ => false,
    };
    program.procedures.values().any(|p| p.edges().any(|(_, edge)| checks(edge)))
}

/// Whether the program computes with integers, so that it can matter how large they get.
pub fn computes(program: &Program) -> bool {
    let mut computes = false;
    for (_, edge) in program.procedures.values().flat_map(Procedure::edges) {
        edge.action.for_each_expr(&mut |expr| {
            expr.walk(&mut |part| {
                let Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right) = part
                else {
                    return;
                };
                let constant = |side: &Expr| matches!(side, Expr::Const(_));
                computes |= !(constant(left) && constant(right));
            });
        });
    }
    computes
}

pub fn unknown(stop: &Stop, program: &Program) -> Report {
    let place = stop.span().and_then(|span| place(program, span));
    Report::unknown(stop.clone(), place)
}

/// A pair of accesses as it is reported. A certificate is for the program as a whole: where anything
/// goes wrong there is none, and what was proved of the rest rests on the engine alone.
fn race(program: &Program, pair: selvedge_verdict::RacePair, certified: bool) -> RacePair {
    let place = |span| place(program, span).unwrap_or_else(|| "?".into());
    let (result, reason, trace) = match pair.result {
        Found::Excluded if certified => (RaceResult::Proved, None, None),
        Found::Excluded => (RaceResult::Uncertified, None, None),
        Found::Race(shown) => (RaceResult::Race, None, Some(shown.trace().clone())),
        Found::Open(why) => (RaceResult::Open, Some(why.to_string()), None),
        Found::Unexamined => {
            (RaceResult::Open, Some("another violation was found first".to_owned()), None)
        }
    };
    let (first, second) = (place(pair.first), place(pair.second));
    RacePair { first, second, memory: pair.memory, result, reason, trace }
}

pub fn status(answer: Answer) -> Status {
    match answer {
        Answer::Safe => Status::Safe,
        Answer::Unsafe => Status::Unsafe,
        Answer::Unknown => Status::Unknown,
    }
}

/// A program's notes, each once, with its place.
pub fn notes(program: &Program) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for Note { span, text } in &program.notes {
        let line = match place(program, *span) {
            Some(place) => format!("{place}: {text}"),
            None => text.clone(),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// More notes than this hide what comes after them.
const SHOWN_NOTES: usize = 10;

/// Notes on standard error, a few of them.
pub fn tell_notes(notes: &[String]) {
    for note in notes.iter().take(SHOWN_NOTES) {
        terminal::complain(&format!("note: {note}\n"));
    }
    if notes.len() > SHOWN_NOTES {
        let rest = notes.len() - SHOWN_NOTES;
        terminal::complain(&format!("note: {rest} more notes; `--format json` lists all\n"));
    }
}

/// The violation that a trace ends with, in a few words.
pub fn failure_reason(trace: &Trace) -> String {
    let Some(failure) = trace.failure() else { return trace.outcome.to_string() };
    match &failure.place {
        Some(place) => format!("{}, {}:{}", failure.fault, place.file, place.line),
        None => failure.fault.to_string(),
    }
}
