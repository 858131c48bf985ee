//! Values: bounds, what holds while nobody has the lock, sizes of what pointers lead to, and counters
//! that only grow.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::{Shape, Type};

use super::{locks, writers};
use crate::candidate::{Candidate, Site, Why, Word};
use crate::place::{Name, Place};
use crate::survey::{Access, Survey, Value};

/// Bounds of one kind for one variable.
const BOUNDS: usize = 3;
/// Values that are listed.
const LISTED: usize = 4;
/// Variables of which all pairs are looked at.
const PAIRED: usize = 6;

/// A number or a pointer that somebody writes.
struct Scalar<'a> {
    place: &'a Place,
    name: Name,
    ty: Type,
    writes: Vec<&'a Access>,
}

/// What always holds.
pub fn always(survey: &Survey) -> Vec<Candidate> {
    let scalars = scalars(survey);
    let mut found = Vec::new();
    for scalar in &scalars {
        found.extend(facts(survey, scalar).iter().map(|fact| invariant(scalar, fact)));
        if grows(scalar) {
            let text = scalar.name.formula(|name| format!("{name} <= {name}'"));
            found.push(said(scalar, Word::EnvAssumption, text));
        }
    }
    found.extend(lengths(&scalars));
    found
}

/// What holds while nobody has a lock or owns something: of what does not always hold.
pub fn sometimes(survey: &Survey, held: &[Candidate]) -> Vec<Candidate> {
    let scalars = scalars(survey);
    let mut found = Vec::new();
    for scalar in &scalars {
        let mut facts = facts(survey, scalar);
        facts.retain(|fact| !held.contains(&invariant(scalar, fact)));
        let first = survey.initial(scalar.place).filter(|_| scalar.ty != Type::Ptr);
        facts.extend(first.map(|first| format!("# == {first}")));
        for free in when_free(survey, scalar) {
            let each = facts.iter().map(|fact| format!("{free} ==> {}", in_brackets(fact)));
            found.extend(each.map(|fact| invariant(scalar, &fact)));
        }
    }
    found.extend(pairs(survey, &scalars));
    found
}

fn in_brackets(fact: &str) -> String {
    if fact.contains("||") { format!("({fact})") } else { fact.to_owned() }
}

fn facts(survey: &Survey, scalar: &Scalar<'_>) -> Vec<String> {
    match scalar.ty {
        Type::Int(_) | Type::Bool => numbers(survey, scalar),
        Type::Ptr => vec!["# != 0".to_owned()],
        Type::Thread => Vec::new(),
    }
}

fn scalars(survey: &Survey) -> Vec<Scalar<'_>> {
    let program = &survey.program;
    let mut found = Vec::new();
    for (place, writes) in survey.written() {
        let (Some(name), Some(first)) = (place.name(program), writes.first()) else { continue };
        if !place.is_mutex(program) && writes.iter().all(|write| write.ty == first.ty) {
            found.push(Scalar { place, name, ty: first.ty, writes });
        }
    }
    found
}

/// In a fact, `#` is the scalar.
fn invariant(scalar: &Scalar<'_>, fact: &str) -> Candidate {
    let text = scalar.name.formula(|name| fact.replace('#', name));
    said(scalar, Word::GlobalInvariant, text)
}

fn said(scalar: &Scalar<'_>, word: Word, text: String) -> Candidate {
    Candidate { site: Site::File { near: vec![scalar.name.near()] }, word, text, why: Why::Values }
}

fn numbers(survey: &Survey, scalar: &Scalar<'_>) -> Vec<String> {
    let stored: Vec<Value> = scalar.writes.iter().filter_map(|write| write.stored).collect();
    let mut constants: BTreeSet<i128> = survey.initial(scalar.place).into_iter().collect();
    if matches!(scalar.name, Name::Member { .. }) {
        constants.insert(0);
    }
    constants.extend(stored.iter().filter_map(|value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }));
    let listed = stored.iter().all(|value| matches!(value, Value::Int(_)));
    if listed && constants.len() <= LISTED {
        let each: Vec<String> = constants.iter().map(|number| format!("# == {number}")).collect();
        return vec![each.join(" || ")];
    }
    let compared = survey.compared.get(scalar.place).cloned().unwrap_or_default();
    let signed = scalar.ty.as_int().is_some_and(|int| int.signed);
    let lower = constants.iter().chain(&compared).filter(|&&number| signed || number > 0);
    let lower: BTreeSet<i128> = lower.copied().chain(signed.then_some(0)).collect();
    let mut upper: BTreeSet<i128> = constants.iter().chain(&compared).copied().collect();
    upper.extend(last_indices(survey));
    // What the type says anyway is not worth a word.
    let range = scalar.ty.as_int().map_or((0, 1), |int| (int.min(), int.max()));
    let lower = lower.into_iter().filter(|number| *number > range.0);
    let upper = upper.into_iter().filter(|number| *number < range.1);
    let lower = lower.take(BOUNDS).map(|number| format!("# >= {number}"));
    let upper = upper.rev().take(BOUNDS).map(|number| format!("# <= {number}"));
    lower.chain(upper).collect()
}

/// The last indices of arrays that threads share.
fn last_indices(survey: &Survey) -> Vec<i128> {
    let program = &survey.program;
    let counts =
        program.objects.values().filter_map(|object| match program.layouts[object.layout].shape {
            Shape::Array { count, .. } if count > 0 => Some(i128::from(count) - 1),
            _ => None,
        });
    let counts: BTreeSet<i128> = counts.collect();
    counts.into_iter().take(BOUNDS).collect()
}

/// Conditions under which nobody is changing the scalar: its lock is free, or nobody owns it.
fn when_free(survey: &Survey, scalar: &Scalar<'_>) -> Vec<String> {
    let program = &survey.program;
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for held in scalar.writes.iter().flat_map(|write| &write.held) {
        let mutex = match &scalar.name {
            Name::Variable(_) => held.mutex(program),
            Name::Member { .. } => match held.mutex_at(program, scalar.place) {
                Some(path) if held.mutex(program).as_ref() != Some(&path) => {
                    Some(format!("p->{path}"))
                }
                global => global,
            },
        };
        *times.entry(mutex.unwrap_or_default()).or_default() += 1;
    }
    times.remove("");
    let mutex = times.into_iter().max_by_key(|(_, times)| *times).map(|(mutex, _)| mutex);
    let owners = writers::owners(survey).into_iter().filter(|owner| owner != scalar.place);
    let owners = owners.filter_map(|owner| match owner.name(program)? {
        Name::Variable(name) => Some(format!("{name} == 0")),
        Name::Member { .. } => None,
    });
    mutex.map(|mutex| locks::is_free(&mutex)).into_iter().chain(owners).collect()
}

fn grows(scalar: &Scalar<'_>) -> bool {
    let mut up = false;
    for write in &scalar.writes {
        match write.stored {
            Some(Value::Plus(more)) if more > 0 => up = true,
            _ => return false,
        }
    }
    up && matches!(scalar.ty, Type::Int(_))
}

/// A number of elements and where they are.
fn lengths(scalars: &[Scalar<'_>]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let numbers = scalars.iter().filter(|scalar| matches!(scalar.ty, Type::Int(_)));
    for number in numbers.take(PAIRED) {
        for pointer in scalars.iter().filter(|scalar| scalar.ty == Type::Ptr).take(PAIRED) {
            let text = match (&number.name, &pointer.name) {
                (Name::Variable(n), Name::Variable(d)) => fits(n, d),
                (Name::Member { record, path: n }, Name::Member { record: same, path: d })
                    if record == same =>
                {
                    let formula = fits(&format!("p->{n}"), &format!("p->{d}"));
                    format!("\\forall {record} *p; {formula}")
                }
                _ => continue,
            };
            let mut candidate = said(number, Word::GlobalInvariant, text);
            candidate.site = Site::File { near: vec![number.name.near(), pointer.name.near()] };
            found.push(candidate);
        }
    }
    found
}

fn fits(number: &str, pointer: &str) -> String {
    format!("0 <= {number} && {number} <= \\length({pointer})")
}

/// Variables that are equal while nobody has their lock, and what holds while somebody owns
/// something.
fn pairs(survey: &Survey, scalars: &[Scalar<'_>]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let variables: Vec<(&Scalar<'_>, &String)> = scalars
        .iter()
        .filter_map(|scalar| match &scalar.name {
            Name::Variable(name) if matches!(scalar.ty, Type::Int(_)) => Some((scalar, name)),
            _ => None,
        })
        .take(PAIRED)
        .collect();
    for (index, (one, a)) in variables.iter().enumerate() {
        for (other, b) in variables[index + 1..].iter().filter(|(other, _)| other.ty == one.ty) {
            let near = vec![(*a).clone(), (*b).clone()];
            for free in when_free(survey, one) {
                if when_free(survey, other).contains(&free) {
                    let text = format!("{free} ==> {a} == {b}");
                    let site = Site::File { near: near.clone() };
                    let word = Word::GlobalInvariant;
                    found.push(Candidate { site, word, text, why: Why::Values });
                }
            }
        }
    }
    for owner in writers::owners(survey) {
        let Some(Name::Variable(owner)) = owner.name(&survey.program) else { continue };
        for (scalar, _) in &variables {
            if let Some(first) = survey.initial(scalar.place) {
                found.push(invariant(scalar, &format!("{owner} != 0 ==> # == {first}")));
            }
        }
    }
    found
}
