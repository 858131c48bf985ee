//! Refinement by values: tracks the values of the variables that make a path infeasible.
//!
//! Where each of these variables has only a few values anywhere, no interpolant is needed: their values
//! are tracked (Beyer, Löwe, "Explicit-State Software Model
//! Checking Based on CEGAR and Interpolation"). Where a thread stands matters by what it has behind it.

use rustc_hash::FxHashSet;
use selvedge_smt::{Limits, Term};

use super::expose::reached_from;
use super::model::{Ghost, Model};
use super::path::{Path, relevant};
use super::predicates::Predicates;
use super::slice::{Matter, can_be_unrolled, matter};
use super::transitions::{Kind, Transitions};
use selvedge_system::{End, TemplateId};

/// Numbers that have at most so many values are tracked by them.
const MANY: usize = 6;

#[derive(Debug)]
pub enum Explicit {
    /// By values that are tracked from now on: new predicates, so many.
    Excluded(usize),
    /// The path is possible for all that a thread-modular proof can say.
    Possible,
    /// Something else makes it infeasible, or the solver does not know.
    Unknown,
}

/// Looks for values that exclude a path.
pub fn exclude(
    model: &mut Model,
    predicates: &mut Predicates,
    transitions: &Transitions,
    path: &Path,
    limits: &Limits,
) -> Explicit {
    let mut variables = relevant(model, transitions, path);
    for shared in &model.shared {
        if matches!(shared.ghost, Some(Ghost::Started(id)) if model.template(id).pool) {
            variables.remove(&shared.term);
        }
    }
    let mut last = Explicit::Unknown;
    for apart in [false, true] {
        if apart && !can_be_unrolled(path) {
            continue;
        }
        let wanted = predicates.variables();
        last = match matter(model, transitions, path, &variables, &wanted, apart, limits) {
            Matter::Nothing => Explicit::Possible,
            Matter::Unknown => Explicit::Unknown,
            Matter::Variables(found) => track(model, predicates, transitions, path, &found),
        };
        if !matches!(last, Explicit::Unknown) {
            return last;
        }
    }
    last
}

/// Tracks the values of variables.
fn track(
    model: &mut Model,
    predicates: &mut Predicates,
    transitions: &Transitions,
    path: &Path,
    variables: &FxHashSet<Term>,
) -> Explicit {
    let Some(atoms) = values(model, transitions, path, variables) else {
        return Explicit::Unknown;
    };
    let add = |(template, atom)| usize::from(predicates.add(model, template, atom));
    match atoms.into_iter().map(add).sum() {
        0 if !predicates.any_new() => Explicit::Unknown,
        added => Explicit::Excluded(added),
    }
}

/// What to track of variables; none if some have too many values.
fn values(
    model: &mut Model,
    transitions: &Transitions,
    path: &Path,
    variables: &FxHashSet<Term>,
) -> Option<Vec<(TemplateId, Term)>> {
    let mut variables: Vec<Term> =
        variables.iter().copied().filter(|v| !model.numbers.contains(v)).collect();
    variables.sort_unstable();
    let mut found = Vec::new();
    for variable in variables {
        let ghost = model.shared.iter().find(|s| s.term == variable).and_then(|s| s.ghost);
        if let Some(Ghost::Location(id)) = ghost {
            let behind = milestones(model, transitions, path, id, variable);
            found.extend(behind.into_iter().map(|atom| (id, atom)));
            continue;
        }
        let template = match model.owner(variable) {
            Some(Some((template, _))) => template,
            _ => TemplateId(0),
        };
        let values = model.values.choices(&mut model.terms, variable, MANY)?;
        found.extend(values.into_iter().map(|value| (template, value)));
    }
    Some(found)
}

/// For each step by which a thread disturbs another on the path: whether it is behind the thread.
fn milestones(
    model: &mut Model,
    transitions: &Transitions,
    path: &Path,
    id: TemplateId,
    location: Term,
) -> Vec<Term> {
    let mut steps: Vec<u32> = Vec::new();
    for (_, how) in &path.nodes {
        let transition = transitions.get(how.transition);
        if let (Kind::Environment { step }, Some(mover)) = (transition.kind, transition.mover)
            && mover == id
        {
            steps.push(step);
        }
    }
    steps.sort_unstable();
    steps.dedup();
    let mut found = Vec::new();
    for step in steps {
        let End::To(after) = model.step(id, step).end else { continue };
        let mut behind: Vec<i64> =
            reached_from(model, id, after).into_iter().map(|at| model.number(id, at)).collect();
        behind.sort_unstable();
        let cases: Vec<Term> = behind
            .into_iter()
            .map(|number| {
                let number = model.terms.int(number);
                model.terms.eq(location, number)
            })
            .collect();
        found.push(model.terms.or(&cases));
    }
    found
}
