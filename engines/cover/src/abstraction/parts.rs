//! Parts of a question that have no variable in common.
//!
//! The solutions of the question are then the product of the solutions of its parts, and the solver is
//! asked about each part once for given truth values of that part alone: that a counter is 0 has
//! nothing to do with whose ticket is served. Many actions have parts in common, those that they do
//! not touch, and most parts stay the same when predicates are added; so solutions are kept for all
//! questions.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Sort, Term, Terms};

/// Variables in a union-find structure: two are joined if one formula mentions both.
#[derive(Default)]
pub struct Parts {
    parent: FxHashMap<Term, Term>,
    /// A variable of each asserted formula, and the formula.
    conjuncts: Vec<(Term, Term)>,
}

impl Parts {
    /// Adds a formula that is asserted.
    pub fn add(&mut self, terms: &Terms, formula: Term) {
        for conjunct in terms.conjuncts(&[formula]) {
            let variables = terms.variables(&[conjunct]);
            let Some(&first) = variables.first() else { continue };
            let root = self.of(first);
            for &variable in &variables {
                let other = self.of(variable);
                if other != root {
                    self.parent.insert(other, root);
                }
            }
            self.conjuncts.push((first, conjunct));
        }
    }

    /// The part of a variable.
    pub fn of(&self, variable: Term) -> Term {
        let mut at = variable;
        while let Some(&next) = self.parent.get(&at) {
            at = next;
        }
        at
    }

    /// The parts, numbered so that equal formulas have equal numbers in all questions.
    pub fn numbered(&self, known: &mut Known) -> FxHashMap<Term, PartId> {
        let mut all: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        for &(variable, conjunct) in &self.conjuncts {
            all.entry(self.of(variable)).or_default().push(conjunct);
        }
        let number = |(root, mut said): (Term, Vec<Term>)| {
            said.sort_unstable();
            said.dedup();
            let next = PartId(known.parts.len() as u32);
            (root, *known.parts.entry(said).or_insert(next))
        };
        all.into_iter().map(number).collect()
    }

    /// Divides given truth values, and variables that are asked for, among the parts.
    pub fn split(&self, fixed: &[(Term, bool)], open: &[Term]) -> BTreeMap<Term, Given> {
        let mut parts: BTreeMap<Term, Given> = BTreeMap::new();
        for &(bit, value) in fixed {
            parts.entry(self.of(bit)).or_default().fixed.push((bit, value));
        }
        for &bit in open {
            parts.entry(self.of(bit)).or_default().open.push(bit);
        }
        for given in parts.values_mut() {
            given.fixed.sort_unstable();
            given.fixed.dedup();
        }
        parts
    }
}

/// What is asked of one part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Given {
    pub fixed: Vec<(Term, bool)>,
    pub open: Vec<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartId(u32);

/// The values that the variables asked for can have together.
pub type Solutions = Rc<Vec<Vec<bool>>>;

/// What the solver has said about parts, kept for all questions.
#[derive(Debug, Default)]
pub struct Known {
    parts: FxHashMap<Vec<Term>, PartId>,
    pub solutions: FxHashMap<(PartId, Given), Solutions>,
    /// Parts that are satisfiable while no truth values are given.
    pub possible: FxHashSet<PartId>,
    /// The variables that stand for formulas.
    bits: FxHashMap<Term, Term>,
}

impl Known {
    /// The variable that stands for a formula, the same in all questions.
    pub fn bit(&mut self, terms: &mut Terms, formula: Term) -> Term {
        *self.bits.entry(formula).or_insert_with(|| terms.fresh("bit", Sort::Bool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_one_formula_are_together() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| terms.var(name, Sort::Bool));
        let mut parts = Parts::default();
        let (first, second) = (terms.or(&[a, b]), terms.or(&[b, c]));
        let both = terms.and(&[first, d]);
        parts.add(&terms, both);
        assert_ne!(parts.of(b), parts.of(c));
        parts.add(&terms, second);
        assert_eq!(parts.of(a), parts.of(c));
        assert_ne!(parts.of(a), parts.of(d));
        let split = parts.split(&[(d, true), (c, false), (c, false)], &[a]);
        let given = Given { fixed: vec![(c, false)], open: vec![a] };
        assert_eq!(split[&parts.of(a)], given);
        assert_eq!(split.len(), 2);
    }

    #[test]
    fn a_part_is_what_it_says() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.var(name, Sort::Bool));
        let (first, second) = (terms.or(&[a, b]), terms.not(c));
        let mut known = Known::default();
        let mut number = |formulas: &[Term], of: Term| {
            let mut parts = Parts::default();
            formulas.iter().for_each(|&formula| parts.add(&terms, formula));
            parts.numbered(&mut known)[&parts.of(of)]
        };
        assert_eq!(number(&[first], a), number(&[second, first], b));
        assert_ne!(number(&[first], a), number(&[first, b], a));
    }
}
