//! Operations whose wrapping around is harmless.
//!
//! That an operation does not wrap around is part of a proof, because terms are about integers without
//! bounds. For a counter that nothing depends on, such as one for statistics, that would be hard to
//! prove and of no use: such operations are translated with wrapping around from the start.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use selvedge_ir::{EdgeId, ProcId};
use selvedge_smt::{Op, Term};

use super::model::Model;
use selvedge_system::{Bad, End, Step};

type Operation = (ProcId, EdgeId);

/// Operations that may wrap around, for all that is known of values, on variables that do not matter.
pub fn harmless(model: &Model) -> BTreeSet<Operation> {
    let matters = relevant(model);
    let is_harmless =
        |(_, left): &(Operation, Vec<Term>)| left.iter().any(|v| !matters.contains(v));
    let all = possible(model).into_iter();
    all.filter(is_harmless).map(|(operation, _)| operation).collect()
}

/// Operations that may wrap around, for all that is known of values, and what they depend on.
fn possible(model: &Model) -> Vec<(Operation, Vec<Term>)> {
    let mut found = Vec::new();
    for id in model.ids() {
        let template = model.template(id);
        for (index, step) in template.steps.iter().enumerate() {
            if let End::Bad(Bad::Wrap { edge, .. }) = step.end
                && model.values.is_possible(id, index as u32)
            {
                let left = model.terms.variables(&left_ranges(model, step));
                found.push(((template.procedure, edge), left));
            }
        }
    }
    found
}

/// The ranges that an operation leaves when it wraps around.
fn left_ranges(model: &Model, step: &Step) -> Vec<Term> {
    let parts = model.terms.conjuncts(&[step.guard]);
    let left = parts.into_iter().filter(|&part| *model.terms.op(part) == Op::Not);
    left.map(|part| model.terms.args(part)[0]).filter(|&fact| is_range(model, fact)).collect()
}

/// That a term is between two constants.
fn is_range(model: &Model, fact: Term) -> bool {
    let terms = &model.terms;
    let constant = |term: Term| terms.constant(term).is_some();
    let [low, high] = terms.args(fact) else { return false };
    if *terms.op(fact) != Op::And || *terms.op(*low) != Op::Le || *terms.op(*high) != Op::Le {
        return false;
    }
    let (low, high) = (terms.args(*low), terms.args(*high));
    constant(low[0]) && constant(high[1]) && low[1] == high[0]
}

/// The variables that guards and addresses depend on, other than by what does not wrap around.
fn relevant(model: &Model) -> FxHashSet<Term> {
    let mut ranges: FxHashSet<Term> = FxHashSet::default();
    for step in model.templates.iter().flat_map(|template| &template.steps) {
        if matches!(step.end, End::Bad(Bad::Wrap { .. })) {
            for range in left_ranges(model, step) {
                ranges.insert(range);
                ranges.extend(model.terms.args(range));
            }
        }
    }
    let mut known: FxHashSet<Term> = FxHashSet::default();
    for template in &model.templates {
        for step in &template.steps {
            let conditions = model.terms.conjuncts(&[step.guard]).into_iter();
            let conditions = conditions.filter(|part| !is_about(model, &ranges, *part));
            let conditions: Vec<Term> = conditions.collect();
            known.extend(model.terms.variables(&conditions));
        }
        for access in &template.accesses {
            known.extend(model.terms.variables(access.address.terms().as_slice()));
            known.extend(model.terms.variables(&[access.guard]));
        }
    }
    loop {
        let before = known.len();
        for template in &model.templates {
            for step in &template.steps {
                sources(model, &template.locals, step, &mut known);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

fn is_about(model: &Model, ranges: &FxHashSet<Term>, part: Term) -> bool {
    let negated = *model.terms.op(part) == Op::Not;
    ranges.contains(&part) || negated && ranges.contains(&model.terms.args(part)[0])
}

/// Adds what relevant variables are computed from.
fn sources(
    model: &Model,
    locals: &[selvedge_system::Variable],
    step: &Step,
    known: &mut FxHashSet<Term>,
) {
    let shared = step.shared.iter().map(|&(at, v)| (model.shared[at as usize].term, v));
    let own = step.locals.iter().map(|&(at, v)| (locals[at as usize].term, v));
    let given = step.spawns.iter().flat_map(|spawn| {
        let child = &model.template(spawn.template).locals;
        spawn.args.iter().map(|&(at, v)| (child[at as usize].term, v))
    });
    for (target, value) in shared.chain(own).chain(given) {
        if known.contains(&target) {
            known.extend(model.terms.variables(&[value]));
        }
    }
}
