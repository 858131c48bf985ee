//! `requires` of the functions that threads start in, and of those that are called through a contract:
//! what they are given is there, and in the range of what is given.

use selvedge_ir::{LocalId, ProcId, Type};

use crate::candidate::{Candidate, Site, Why, Word};
use crate::place::Name;
use crate::survey::{Survey, Value};

pub fn candidates(survey: &Survey) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut entries: Vec<ProcId> = survey.starts.iter().map(|start| start.entry).collect();
    entries.sort_unstable();
    entries.dedup();
    for entry in entries {
        let procedure = &survey.program.procedures[entry];
        let mut say = |text: String| {
            let site = Site::Function(procedure.name.clone());
            found.push(Candidate { site, word: Word::Requires, text, why: Why::Start });
        };
        for (number, &param) in procedure.params.iter().enumerate() {
            let local = &procedure.locals[param];
            if local.ty == Type::Ptr && local.named && may_be_object(survey, entry, number) {
                say(format!("{} != 0", local.name));
                members(survey, entry, param, &local.name).into_iter().for_each(&mut say);
            }
            if let (Type::Int(int), true) = (local.ty, local.named) {
                let name = &local.name;
                let bounds = bounds(survey, entry, number, int.signed);
                bounds.into_iter().map(|bound| format!("{name} {bound}")).for_each(&mut say);
            }
        }
    }
    found
}

/// Whether nobody starts it with null.
fn may_be_object(survey: &Survey, entry: ProcId, number: usize) -> bool {
    let starts = survey.starts.iter().filter(|start| start.entry == entry);
    let mut given = starts.filter_map(|start| start.arguments.get(number));
    given.all(|argument| !matches!(argument, Value::Null | Value::Int(_)))
}

/// Bounds of the numbers that it is given: those of the constants, if all are; else, perhaps, that none
/// is negative.
fn bounds(survey: &Survey, entry: ProcId, number: usize, signed: bool) -> Vec<String> {
    let starts = survey.starts.iter().filter(|start| start.entry == entry);
    let given: Vec<Value> =
        starts.filter_map(|start| start.arguments.get(number).copied()).collect();
    let constants: Option<Vec<i128>> = given
        .iter()
        .map(|value| match value {
            Value::Int(number) => Some(*number),
            _ => None,
        })
        .collect();
    let constants = constants.unwrap_or_default();
    match (constants.iter().min(), constants.iter().max()) {
        (Some(least), Some(most)) if least == most => vec![format!("== {least}")],
        (Some(least), Some(most)) => vec![format!(">= {least}"), format!("<= {most}")],
        _ if signed && !given.is_empty() => vec![">= 0".to_owned(), "> 0".to_owned()],
        _ => Vec::new(),
    }
}

/// The pointers in what a parameter leads to that the thread uses.
fn members(survey: &Survey, entry: ProcId, param: LocalId, name: &str) -> Vec<String> {
    let through = survey.accesses.iter().filter(|access| {
        access.procedure == entry
            && access.through == Some(param)
            && access.ty == Type::Ptr
            && access.stored.is_none()
    });
    let named = through.filter_map(|access| access.place.name(&survey.program));
    let mut texts: Vec<String> = named
        .filter_map(|found| match found {
            Name::Member { record, path } => Some(format!("(({record} *){name})->{path} != 0")),
            Name::Variable(_) => None,
        })
        .collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
