//! Formulas taken apart: atoms, literals, and what they say as predicates.

use rustc_hash::FxHashMap;
use selvedge_smt::{Op, Sort, Term, Terms};
use selvedge_system::concretize::{Name, Point};

use crate::abstraction::Abstraction;
use crate::predicate::Predicate;

/// The parts of a formula that are neither connectives nor inside another such part.
pub fn atoms(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        let connective = match terms.op(term) {
            Op::And | Op::Or | Op::Not => true,
            Op::Eq | Op::Ite => terms.sort(terms.args(term)[1]) == Sort::Bool,
            _ => false,
        };
        if connective {
            open.extend(terms.args(term));
        } else if !found.contains(&term) && terms.constant(term).is_none() {
            found.push(term);
        }
    }
    found
}

/// The atoms, each as it occurs: plain or negated.
pub fn literals(terms: &mut Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = vec![(formula, true)];
    while let Some((term, positive)) = open.pop() {
        let args = terms.args(term).to_vec();
        match terms.op(term) {
            Op::And | Op::Or => open.extend(args.into_iter().map(|arg| (arg, positive))),
            Op::Not => open.push((args[0], !positive)),
            Op::Eq | Op::Ite if terms.sort(args[1]) == Sort::Bool => {
                open.extend(args.iter().flat_map(|&arg| [(arg, true), (arg, false)]));
            }
            Op::Const(_) => {}
            _ => found.push(if positive { term } else { terms.not(term) }),
        }
    }
    found
}

/// A formula over the variables of a point as predicates: of the shared state, of one thread, or of
/// two, each in turn as the active one.
pub fn renamed(abstraction: &mut Abstraction, point: &Point, literal: Term) -> Vec<Predicate> {
    let mut map = FxHashMap::default();
    for (variable, &here) in abstraction.system.shared.iter().zip(&point.shared) {
        map.insert(here, variable.term);
    }
    let variables = abstraction.system.terms.variables(&[literal]);
    let mentioned: Vec<Name> = point
        .threads
        .iter()
        .filter(|(_, stand)| stand.locals.iter().any(|local| variables.contains(local)))
        .map(|(&name, _)| name)
        .collect();
    let orders: Vec<Vec<Name>> = match mentioned.as_slice() {
        [] => vec![vec![]],
        [one] => vec![vec![*one]],
        [one, two] => vec![vec![*one, *two], vec![*two, *one]],
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for order in orders {
        let mut map = map.clone();
        for (role, name) in order.iter().enumerate() {
            let template = name.template.index();
            let locals = &abstraction.system.templates[template].locals;
            for (at, &here) in point.threads[name].locals.iter().enumerate() {
                let others = &abstraction.vocabulary.others[template];
                map.insert(here, if role == 0 { locals[at].term } else { others[at] });
            }
        }
        let formula = abstraction.system.terms.substitute(literal, &map);
        found.extend(Predicate::new(&abstraction.system, &abstraction.vocabulary, formula));
    }
    found
}
