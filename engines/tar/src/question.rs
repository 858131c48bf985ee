//! Questions about formulas, cut down to what has to do with them, and remembered.
//!
//! The conjuncts of formulas fall into components that have no variables in common. If each can hold
//! alone, what is asked depends only on the components that it has variables of. Steps of large
//! programs differ mostly in what does not matter, so that most questions have been asked before.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_smt::{Term, Terms};

/// Formulas, assumptions and candidates.
pub type Question = (Vec<Term>, Vec<Term>, Vec<Term>);

/// The variables of terms that were looked at.
#[derive(Debug, Default)]
pub struct Variables {
    known: FxHashMap<Term, Rc<[Term]>>,
}

impl Variables {
    pub fn of(&mut self, terms: &Terms, term: Term) -> Rc<[Term]> {
        let found = self.known.entry(term).or_insert_with(|| terms.variables(&[term]).into());
        found.clone()
    }
}

/// Conjuncts by component.
#[derive(Debug, Default)]
pub struct Components {
    of_variable: FxHashMap<Term, u32>,
    /// What each component belongs to since it was joined with others; itself if it is the first.
    parents: Vec<u32>,
    conjuncts: FxHashMap<u32, Vec<Term>>,
    /// Those without variables.
    closed: Vec<Term>,
}

impl Components {
    pub fn of(terms: &Terms, variables: &mut Variables, formulas: &[Term]) -> Components {
        let mut all = Components::default();
        let conjuncts = terms.conjuncts(formulas);
        for &conjunct in &conjuncts {
            let mentioned = variables.of(terms, conjunct);
            for pair in mentioned.windows(2) {
                all.join(pair[0], pair[1]);
            }
        }
        for conjunct in conjuncts {
            match variables.of(terms, conjunct).first() {
                Some(&variable) => {
                    let component = all.component(variable);
                    all.conjuncts.entry(component).or_default().push(conjunct);
                }
                None if terms.constant(conjunct).and_then(|v| v.as_bool()) == Some(true) => {}
                None => all.closed.push(conjunct),
            }
        }
        all
    }

    fn component(&mut self, variable: Term) -> u32 {
        let new = self.parents.len() as u32;
        let mut at = *self.of_variable.entry(variable).or_insert(new);
        if at == new {
            self.parents.push(new);
        }
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        at
    }

    fn join(&mut self, a: Term, b: Term) {
        let (a, b) = (self.component(a), self.component(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The components that terms have variables of.
    pub fn touched(
        &mut self,
        terms: &Terms,
        variables: &mut Variables,
        about: &[Term],
    ) -> BTreeSet<u32> {
        let mut touched = BTreeSet::new();
        for &term in about {
            touched.extend(variables.of(terms, term).iter().map(|&v| self.component(v)));
        }
        touched
    }

    /// What is said of some components, in an order that does not depend on where it came from.
    pub fn conjuncts(&self, components: &BTreeSet<u32>) -> Vec<Term> {
        let inside = components.iter().filter_map(|component| self.conjuncts.get(component));
        let mut found: Vec<Term> = inside.flatten().chain(&self.closed).copied().collect();
        found.sort();
        found.dedup();
        found
    }

    /// All components of which anything is said.
    pub fn all(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.conjuncts.keys().copied().collect();
        all.sort();
        all
    }
}

#[cfg(test)]
mod tests {
    use selvedge_smt::Sort;

    use super::*;

    #[test]
    fn conjuncts_meet_where_they_share_variables() {
        let mut t = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| t.var(name, Sort::Int));
        let (ab, bc, zero) = (t.lt(a, b), t.lt(b, c), t.int(0));
        let d_zero = t.eq(d, zero);
        let all = t.and(&[ab, d_zero, bc]);
        let mut variables = Variables::default();
        let mut components = Components::of(&t, &mut variables, &[all]);
        let of_a = components.touched(&t, &mut variables, &[a]);
        let mut expected = vec![ab, bc];
        expected.sort();
        assert_eq!(components.conjuncts(&of_a), expected);
        let of_d = components.touched(&t, &mut variables, &[d]);
        assert_eq!(components.conjuncts(&of_d), [d_zero]);
        assert!(of_a.is_disjoint(&of_d));
        assert_eq!(components.all().len(), 2);
    }

    #[test]
    fn what_nothing_is_said_of_is_a_component_of_its_own() {
        let mut t = Terms::new();
        let (a, b) = (t.var("a", Sort::Bool), t.var("b", Sort::Bool));
        let mut variables = Variables::default();
        let mut components = Components::of(&t, &mut variables, &[a]);
        let of_b = components.touched(&t, &mut variables, &[b]);
        assert!(components.conjuncts(&of_b).is_empty());
        assert_eq!(components.touched(&t, &mut variables, &[b]), of_b);
    }
}
