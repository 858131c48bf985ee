//! Parts of a question that have no variable in common.
//!
//! What can be is then the product of what can be in each part, and each part is asked for each of its
//! own truth values once: that a counter is 0 has nothing to do with whose ticket is served.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_smt::{Term, Terms};

use crate::cover::predicate::conjuncts;

/// Variables, joined where some formula has both.
#[derive(Default)]
pub struct Parts {
    parent: FxHashMap<Term, Term>,
}

impl Parts {
    /// Takes a formula that is asserted.
    pub fn add(&mut self, terms: &Terms, formula: Term) {
        for conjunct in conjuncts(terms, formula) {
            let variables = terms.variables(&[conjunct]);
            let Some(&first) = variables.first() else { continue };
            let root = self.of(first);
            for &variable in &variables {
                let other = self.of(variable);
                if other != root {
                    self.parent.insert(other, root);
                }
            }
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

    /// Truth values that are given and variables that are asked for, by part.
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

#[cfg(test)]
mod tests {
    use selvedge_smt::Sort;

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
}
