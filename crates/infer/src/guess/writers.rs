//! Who writes: one thread, the thread that a variable names, or nobody after the first time.

use std::collections::BTreeSet;

use selvedge_ir::{Multiplicity, ProcId, Type};

use super::locks;
use crate::candidate::{Candidate, Site, Why, Word};
use crate::place::{Name, Place};
use crate::survey::{Access, Survey, Value};

/// Variables that name threads, at most.
const OWNERS: usize = 3;

pub fn candidates(survey: &Survey) -> Vec<Candidate> {
    let mut found = Vec::new();
    let owners = owners(survey);
    for (place, writes) in survey.written() {
        let Some(site) = site(survey, place) else { continue };
        let mut say = |text: String, why: Why| {
            let site = site.clone();
            found.push(Candidate { site, word: Word::UnwritableByEnvIf, text, why });
        };
        if let Some(writer) = one_writer(survey, &writes) {
            say(writer, Why::Writer);
        }
        once_set(survey, place, &writes).into_iter().for_each(|text| say(text, Why::Writer));
        for owner in &owners {
            owned(survey, place, &site, owner).into_iter().for_each(|text| say(text, Why::Owner));
        }
    }
    found
}

fn site(survey: &Survey, place: &Place) -> Option<Site> {
    place.site(&survey.program).filter(|_| !place.is_mutex(&survey.program))
}

/// The thread that writes, if it is one.
fn one_writer(survey: &Survey, writes: &[&Access]) -> Option<String> {
    let writers: BTreeSet<ProcId> = writes.iter().map(|write| write.procedure).collect();
    let [writer] = Vec::from_iter(writers)[..] else { return None };
    let template = survey.templates.by_procedure(writer)?;
    (template.count == Multiplicity::Exactly(1)).then(|| match template.initial {
        true => "\\tid == \\main".to_owned(),
        false => format!("\\runs({})", survey.program.procedures[writer].name),
    })
}

/// What is not zero stays: flags that are only set, pointers that are set once.
fn once_set(survey: &Survey, place: &Place, writes: &[&Access]) -> Vec<String> {
    let sets = |write: &&Access| match write.stored {
        Some(Value::Int(number)) => number != 0,
        Some(Value::Object) => true,
        Some(Value::Other) => write.ty == Type::Ptr,
        _ => false,
    };
    if !place.is_single(&survey.program) || !writes.iter().all(sets) {
        return Vec::new();
    }
    let Some(name) = own_name(survey, place) else { return Vec::new() };
    let set = format!("{name} != 0");
    match one_writer(survey, writes) {
        Some(writer) => vec![set.clone(), format!("{writer} || {set}")],
        None => vec![set],
    }
}

/// The name of a place in an annotation that stands at it.
fn own_name(survey: &Survey, place: &Place) -> Option<String> {
    match (place.site(&survey.program)?, place.name(&survey.program)) {
        (Site::Variable(name), _) => Some(name),
        (Site::Member(_), Some(Name::Member { path, .. })) => Some(path),
        (Site::Member(member), None) => Some(member.name),
        _ => None,
    }
}

/// Variables that threads put themselves into, other than mutexes.
pub fn owners(survey: &Survey) -> Vec<Place> {
    let program = &survey.program;
    let written = survey.written();
    let names_thread = written.iter().filter(|(place, writes)| {
        place.is_single(program)
            && !place.is_mutex(program)
            && writes.iter().all(|write| write.ty == Type::Thread)
            && writes.iter().any(|write| write.stored == Some(Value::Own))
    });
    names_thread.map(|(place, _)| (*place).clone()).take(OWNERS).collect()
}

/// The thread that the owner names may rely on the place; the owner itself may be protected by a
/// lock as well.
fn owned(survey: &Survey, place: &Place, site: &Site, owner: &Place) -> Vec<String> {
    let Some(Name::Variable(name)) = owner.name(&survey.program) else { return Vec::new() };
    let own = format!("{name} == \\tid");
    if place != owner {
        return vec![own];
    }
    let locks = locks::by_site(survey).remove(site).unwrap_or_default();
    let both = locks.keys().map(|mutex| format!("{} || {own}", locks::holds(mutex)));
    both.chain([own.clone()]).collect()
}
