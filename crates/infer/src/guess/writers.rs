//! Who writes: one thread, the thread that a variable names, or nobody after the first time.
//!
//! Each condition is tried by itself: that a variable is unwritable if one of two conditions holds
//! says the same as both of them.

use selvedge_ir::{Multiplicity, Type};

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
        if let Some(set) = once_set(survey, place, &writes) {
            say(set, Why::Writer);
        }
        for owner in &owners {
            if let Some(Name::Variable(name)) = owner.name(&survey.program) {
                say(format!("{name} == \\tid"), Why::Owner);
            }
        }
    }
    found
}

fn site(survey: &Survey, place: &Place) -> Option<Site> {
    place.site(&survey.program).filter(|_| !place.is_mutex(&survey.program))
}

/// That the first thread writes, if nobody else does. Of other threads it is not known that there is
/// one of a kind only.
fn one_writer(survey: &Survey, writes: &[&Access]) -> Option<String> {
    let first = |write: &&Access| {
        let template = survey.templates.by_procedure(write.procedure);
        template.is_some_and(|t| t.initial && t.count == Multiplicity::Exactly(1))
    };
    writes.iter().all(first).then(|| "\\tid == \\main".to_owned())
}

/// What is not zero stays: flags that are only set, pointers that are set once.
fn once_set(survey: &Survey, place: &Place, writes: &[&Access]) -> Option<String> {
    let sets = |write: &&Access| match write.stored {
        Some(Value::Int(number)) => number != 0,
        Some(Value::Object) => true,
        Some(Value::Other) => write.ty == Type::Ptr,
        _ => false,
    };
    let once = place.is_single(&survey.program) && writes.iter().all(sets);
    let name = own_name(survey, place).filter(|_| once)?;
    Some(format!("{name} != 0"))
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
