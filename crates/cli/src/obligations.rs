//! The obligations of contracts as they are reported: which of them an execution refutes, and all of
//! them as plain data.

use std::collections::HashMap;

use selvedge_contracts::{Kind, Obligation, Outcome, Part, Report};
use selvedge_exec::Fault;
use selvedge_exec::trace::{Failure, Trace};
use selvedge_ir::Program;
use selvedge_report::{
    Answer, ContractAnnotation, ContractChange, ContractLoop, ContractObligation, ContractOutcome,
    ContractPart, ContractsReport,
};
use selvedge_verdict::Stop;

use crate::sources::place;

/// Whether the execution is one in which this obligation fails: it ends where the obligation stands,
/// with what the obligation excludes.
pub fn is_refuted(program: &Program, obligation: &Obligation, trace: Option<&Trace>) -> bool {
    let Some(failure) = trace.and_then(Trace::failure) else { return false };
    let there = failure.place.as_ref().is_some_and(|at| {
        place(program, obligation.at) == Some(format!("{}:{}", at.file, at.line))
    });
    there && !obligation.outcome.is_proved() && excludes(&obligation.kind, failure)
}

/// Whether an obligation of this kind says that this does not happen.
fn excludes(kind: &Kind, failure: &Failure) -> bool {
    match (kind, &failure.fault) {
        (Kind::Assertion(check), Fault::Assertion { condition: Some(condition), .. }) => {
            *check == format!("assertion {condition}")
        }
        (Kind::Assertion(check), Fault::Assertion { label: Some(label), .. }) => check == label,
        (
            Kind::Assertion(check),
            fault @ (Fault::ErrorCall { .. } | Fault::SignedOverflow { .. }),
        )
        | (Kind::Assertion(check), fault @ Fault::ShiftCount { .. }) => *check == fault.to_string(),
        (Kind::Defined(what), Fault::Undefined { what: found, .. }) => what == found,
        (Kind::Access(_), fault) => matches!(
            fault,
            Fault::NullDereference
                | Fault::FreedAccess
                | Fault::ScopeEnded
                | Fault::ThreadEnded
                | Fault::OutOfBounds { .. }
                | Fault::InvalidAddress { .. }
        ),
        _ => false,
    }
}

/// What is said beside the obligations.
pub struct Conclusion {
    pub verdict: Answer,
    pub reason: String,
    pub stop: Option<Stop>,
    pub trace: Option<Trace>,
    pub seconds: f64,
    /// Beside those of the report.
    pub assumptions: Vec<String>,
}

/// Everything, as plain data.
pub fn report(program: &Program, report: &Report, conclusion: Conclusion) -> ContractsReport {
    let Conclusion { verdict, reason, stop, trace, seconds, assumptions: more } = conclusion;
    let mut assumptions = report.assumptions.clone();
    assumptions.extend(more.into_iter().filter(|more| !report.assumptions.contains(more)));
    let (checked, recalled) = report.checked_and_recalled();
    let obligations = report.parts.iter().flat_map(|part| of_part(program, part, trace.as_ref()));
    ContractsReport {
        obligations: obligations.collect(),
        parts: report.parts.iter().map(|part| summary(program, part)).collect(),
        assumptions,
        checked,
        recalled,
        stop,
        ..empty(verdict, reason, seconds, trace)
    }
}

/// Nothing was decided.
pub fn stopped(program: &Program, stop: &Stop, seconds: f64) -> ContractsReport {
    let unknown = crate::answer::unknown(stop, program);
    let report = empty(Answer::Unknown, unknown.reason, seconds, None);
    ContractsReport { stop: unknown.stop, place: unknown.place, ..report }
}

fn empty(verdict: Answer, reason: String, seconds: f64, trace: Option<Trace>) -> ContractsReport {
    ContractsReport {
        tool: selvedge_exec::trace::tool(),
        verdict,
        reason,
        stop: None,
        place: None,
        parts: Vec::new(),
        obligations: Vec::new(),
        assumptions: Vec::new(),
        checked: 0,
        recalled: 0,
        seconds,
        trace,
    }
}

fn summary(program: &Program, part: &Part) -> ContractPart {
    let loops = part.invariants.iter().map(|about| ContractLoop {
        place: selvedge_contracts::place(program, about.head),
        facts: about.facts.clone(),
    });
    ContractPart {
        name: part.name.clone(),
        count: part.obligations.len(),
        proved: part.obligations.iter().filter(|o| o.outcome.is_proved()).count(),
        recalled: part.recalled,
        questions: part.questions,
        work: part.work,
        seconds: part.seconds,
        loops: loops.collect(),
    }
}

fn of_part(program: &Program, part: &Part, trace: Option<&Trace>) -> Vec<ContractObligation> {
    let mut numbers: HashMap<&'static str, usize> = HashMap::new();
    let named = part.obligations.iter().map(|obligation| {
        let kind = obligation.kind.name();
        let number = numbers.entry(kind).or_default();
        *number += 1;
        let name = format!("{}.{kind}.{number}", part.name);
        of_obligation(program, obligation, name, &part.name, trace)
    });
    named.collect()
}

fn of_obligation(
    program: &Program,
    obligation: &Obligation,
    name: String,
    part: &str,
    trace: Option<&Trace>,
) -> ContractObligation {
    let Obligation { kind, at, annotation, outcome } = obligation;
    let (state, undecided) = match outcome {
        Outcome::Proved => (Vec::new(), None),
        Outcome::Unknown(why) => (Vec::new(), Some(why.clone())),
        Outcome::Failed(changes) => (changes.iter().map(change).collect(), None),
    };
    let outcome = match outcome {
        Outcome::Proved => ContractOutcome::Proved,
        _ if is_refuted(program, obligation, trace) => ContractOutcome::False,
        Outcome::Failed(_) => ContractOutcome::NotProved,
        Outcome::Unknown(_) => ContractOutcome::Undecided,
    };
    ContractObligation {
        name,
        part: part.to_owned(),
        kind: kind.name(),
        place: place(program, *at),
        annotation: annotation.as_ref().map(|annotation| ContractAnnotation {
            place: place(program, annotation.span),
            text: annotation.text.clone(),
        }),
        outcome,
        undecided,
        state,
        to_hold: kind.to_hold(),
        if_proved: kind.if_proved(),
        if_wrong: kind.to_string(),
    }
}

fn change(change: &selvedge_contracts::Change) -> ContractChange {
    let selvedge_contracts::Change { name, before, after } = change.clone();
    ContractChange { name, before, after }
}
