//! What must have been so for a predicate to hold behind a step: weakest preconditions of the
//! predicates that are there, as further candidates.
//!
//! A value that a thread reads, changes and writes back is followed in this way: `inside == 1` behind
//! `inside = t + 1` is `t == 0` before it, and before `t = inside` it is `inside == 0`.

use rustc_hash::FxHashMap;
use selvedge_smt::{Op, Sort, Term, Terms};
use selvedge_system::{Step, Template, Variable};

use super::literals::atoms;
use crate::abstraction::Abstraction;

/// How many steps back.
const DEPTH: usize = 4;
/// Counting up and down gives ever more.
const MOST: usize = 40;
/// What mentions more variables than these is hardly what a proof is about.
const MOST_VARIABLES: usize = 3;

/// The atoms before steps behind which a predicate of the shared state or of one thread is to hold.
pub fn before(abstraction: &mut Abstraction) -> Vec<Term> {
    let plain = abstraction.predicates.iter().filter(|p| p.passive.is_none());
    let mut known: Vec<Term> = plain.flat_map(|p| &p.atoms).map(|atom| atom.term).collect();
    let given = known.len();
    let mut last = 0;
    for _ in 0..DEPTH {
        let fresh = known[last..].to_vec();
        last = known.len();
        for atom in fresh {
            for found in one_step(abstraction, atom) {
                if !known.contains(&found) && known.len() < given + MOST {
                    known.push(found);
                }
            }
        }
    }
    known.split_off(given)
}

fn one_step(abstraction: &mut Abstraction, atom: Term) -> Vec<Term> {
    let system = &mut abstraction.system;
    let mut found = Vec::new();
    for template in &system.templates {
        for step in &template.steps {
            let by = updates(&system.shared, template, step);
            let earlier = system.terms.substitute(atom, &by);
            if earlier == atom {
                continue;
            }
            for part in atoms(&system.terms, earlier) {
                let part = tidy(&mut system.terms, part);
                let few = system.terms.variables(&[part]).len() <= MOST_VARIABLES;
                if few && system.terms.constant(part).is_none() {
                    found.push(part);
                }
            }
        }
    }
    found
}

/// What each variable becomes.
fn updates(shared: &[Variable], template: &Template, step: &Step) -> FxHashMap<Term, Term> {
    let shared = step.shared.iter().map(|&(at, value)| (shared[at as usize].term, value));
    let locals = step.locals.iter().map(|&(at, value)| (template.locals[at as usize].term, value));
    shared.chain(locals).collect()
}

/// A comparison about one variable as one of the variable with a constant: `t + 1 == 1` is `t == 0`.
fn tidy(terms: &mut Terms, atom: Term) -> Term {
    solved(terms, atom).unwrap_or(atom)
}

fn solved(terms: &mut Terms, atom: Term) -> Option<Term> {
    let op = terms.op(atom).clone();
    let &[left, right] = terms.args(atom) else { return None };
    let &[variable] = terms.variables(&[atom]).as_slice() else { return None };
    if terms.sort(left) != Sort::Int || terms.sort(variable) != Sort::Int || !linear(terms, atom) {
        return None;
    }
    // The difference of the sides at 0 and at 1 is enough to know it.
    let difference = terms.sub(left, right);
    let mut at = |number: i32| {
        let number = terms.int(number);
        terms.substitute(difference, &FxHashMap::from_iter([(variable, number)]))
    };
    let (zero, one) = (at(0), at(1));
    let slope = terms.sub(one, zero);
    let positive = match terms.constant(slope)?.as_int()? {
        slope if *slope == 1.into() => true,
        slope if *slope == (-1).into() => false,
        _ => return None,
    };
    let bound = if positive { terms.neg(zero) } else { zero };
    let (low, high) = if positive { (variable, bound) } else { (bound, variable) };
    match op {
        Op::Eq => Some(terms.eq(variable, bound)),
        Op::Le => Some(terms.le(low, high)),
        Op::Lt => Some(terms.lt(low, high)),
        _ => None,
    }
}

fn linear(terms: &Terms, atom: Term) -> bool {
    let mut linear = true;
    terms.walk(&[atom], |part| {
        linear &= match (terms.op(part), terms.args(part)) {
            (Op::Add | Op::Var(_) | Op::Const(_), _) => true,
            (Op::Mul, &[factor, _]) => terms.constant(factor).is_some(),
            _ => part == atom,
        };
    });
    linear
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_is_compared_with_a_constant() {
        let mut terms = Terms::new();
        let t = terms.var("t", Sort::Int);
        let (zero, one, three) = (terms.int(0), terms.int(1), terms.int(3));
        let more = terms.add(&[t, one]);
        let less = terms.sub(three, t);
        let cases = [
            (terms.eq(more, one), terms.eq(t, zero)),
            (terms.le(one, more), terms.le(zero, t)),
            (terms.lt(less, zero), terms.lt(three, t)),
        ];
        for (atom, expected) in cases {
            assert_eq!(tidy(&mut terms, atom), expected, "{}", terms.show(atom));
        }
        let other = terms.var("u", Sort::Int);
        let two = terms.eq(more, other);
        assert_eq!(tidy(&mut terms, two), two);
    }
}
