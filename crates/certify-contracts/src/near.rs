//! What of what is known on a path has to do with a question.
//!
//! On a long path most of what is known is about other places and other times. So a question is asked first
//! with what shares values with it, what shares values with that, and so on up to some number of facts.
//! With fewer facts less follows, so what follows then does follow; what does not is asked again with all.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Op, Sort, Term, Terms};

/// Facts that a question is asked with first, at most, and then. Few are asked about in no time, and are
/// enough for most questions.
pub(crate) const STAGES: [usize; 2] = [20, MANY];

pub(crate) const MANY: usize = 100;

/// Which facts speak of which values: of what is read from a memory, and of variables that stand for
/// numbers. That something is read from the same memory at another place, or by the same thread, says
/// nothing.
#[derive(Default)]
pub(crate) struct Near {
    values: FxHashMap<Term, Rc<[Term]>>,
    facts: FxHashSet<Term>,
    speaking: FxHashMap<Term, Vec<Term>>,
    /// Facts that speak of no value.
    general: Vec<Term>,
    /// Variables that everything mentions.
    common: FxHashSet<Term>,
}

impl Near {
    pub fn new(common: &[Term]) -> Near {
        Near { common: common.iter().copied().collect(), ..Near::default() }
    }

    /// From now on, nothing has to do with another because both mention this.
    pub fn add_common(&mut self, variable: Term) {
        self.common.insert(variable);
    }

    /// This may be asked for: it is a fact on some path.
    pub fn add(&mut self, terms: &Terms, fact: Term) {
        if !self.facts.insert(fact) {
            return;
        }
        let values = self.values(terms, fact);
        values.iter().for_each(|&value| self.speaking.entry(value).or_default().push(fact));
        if values.is_empty() {
            self.general.push(fact);
        }
    }

    /// Those of the facts that have to do with what is asked about, at most so many beside those that
    /// speak of no value.
    pub fn of(
        &mut self,
        terms: &Terms,
        facts: &FxHashSet<Term>,
        about: impl IntoIterator<Item = Term>,
        most: usize,
    ) -> Vec<Term> {
        let mut known: FxHashSet<Term> = FxHashSet::default();
        let mut open: Vec<Term> = Vec::new();
        for term in about {
            open.extend(self.values(terms, term).iter().filter(|&&value| known.insert(value)));
        }
        let mut chosen: FxHashSet<Term> = FxHashSet::default();
        while !open.is_empty() {
            let all = open.drain(..).filter_map(|value| self.speaking.get(&value)).flatten();
            let mut next: Vec<Term> = all
                .copied()
                .filter(|fact| facts.contains(fact) && !chosen.contains(fact))
                .collect();
            next.sort_unstable();
            next.dedup();
            let left = most - chosen.len();
            if next.len() > left {
                // Those that speak of little else say the most.
                let new = |fact: &Term| {
                    let values = self.values[fact].iter();
                    values.filter(|&value| !known.contains(value)).count()
                };
                next.sort_by_cached_key(new);
                chosen.extend(next.into_iter().take(left));
                break;
            }
            for fact in next {
                chosen.insert(fact);
                open.extend(self.values[&fact].iter().filter(|&&value| known.insert(value)));
            }
        }
        chosen.extend(self.general.iter().filter(|fact| facts.contains(fact)));
        let mut chosen: Vec<Term> = chosen.into_iter().collect();
        chosen.sort_unstable();
        chosen
    }

    /// What a formula speaks of.
    pub fn values(&mut self, terms: &Terms, root: Term) -> Rc<[Term]> {
        if let Some(known) = self.values.get(&root) {
            return known.clone();
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let is_value = match terms.op(term) {
                Op::Select => true,
                Op::Var(_) => {
                    !matches!(terms.sort(term), Sort::Array(_)) && !self.common.contains(&term)
                }
                _ => false,
            };
            if is_value {
                found.push(term);
            }
            open.extend(terms.args(term));
        }
        let found: Rc<[Term]> = found.into();
        self.values.insert(root, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(terms: &Terms, facts: &[Term], common: &[Term], about: Term, most: usize) -> Vec<Term> {
        let mut near = Near::new(common);
        facts.iter().for_each(|&fact| near.add(terms, fact));
        near.of(terms, &facts.iter().copied().collect(), [about], most)
    }

    /// Facts about a chain of numbers, each with the next, and about another number.
    fn chain(terms: &mut Terms) -> (Vec<Term>, Vec<Term>) {
        let x: Vec<Term> = (0..6).map(|i| terms.var(&format!("x{i}"), Sort::Int)).collect();
        let mut facts: Vec<Term> = x.windows(2).map(|two| terms.le(two[0], two[1])).collect();
        let (other, zero) = (terms.var("other", Sort::Int), terms.int(0));
        facts.push(terms.le(zero, other));
        (x, facts)
    }

    #[test]
    fn facts_are_found_by_what_they_share() {
        let mut terms = Terms::new();
        let (x, facts) = chain(&mut terms);
        assert_eq!(near(&terms, &facts, &[], x[0], 100), facts[..5]);
        assert_eq!(near(&terms, &facts, &[], x[0], 2), facts[..2]);
        assert_eq!(near(&terms, &facts, &[], x[3], 2), facts[2..4]);
        assert_eq!(near(&terms, &facts, &[], x[3], 1), facts[2..3]);
    }

    #[test]
    fn what_speaks_of_little_else_comes_first() {
        let mut terms = Terms::new();
        let (x, mut facts) = chain(&mut terms);
        let zero = terms.int(0);
        facts.push(terms.le(zero, x[3]));
        assert_eq!(near(&terms, &facts, &[], x[3], 1), facts[6..]);
    }

    #[test]
    fn only_facts_of_this_path_count() {
        let mut terms = Terms::new();
        let (x, facts) = chain(&mut terms);
        let mut near = Near::new(&[]);
        facts.iter().for_each(|&fact| near.add(&terms, fact));
        let path = facts[..3].iter().copied().collect();
        assert_eq!(near.of(&terms, &path, [x[0]], 100), facts[..3]);
    }

    #[test]
    fn what_everything_mentions_says_nothing() {
        let mut terms = Terms::new();
        let (x, facts) = chain(&mut terms);
        assert_eq!(near(&terms, &facts, &[x[2]], x[0], 100), facts[..2]);
    }

    #[test]
    fn two_places_of_one_memory_have_nothing_to_do_with_each_other() {
        let mut terms = Terms::new();
        let numbers = terms.array_sort(Sort::Int, Sort::Int);
        let memory = terms.var("memory", numbers);
        let mut cell = |i: i64| {
            let index = terms.int(i);
            terms.select(memory, index)
        };
        let cells = [cell(0), cell(1)];
        let zero = terms.int(0);
        let facts: Vec<Term> = cells.iter().map(|&cell| terms.le(zero, cell)).collect();
        assert_eq!(near(&terms, &facts, &[], cells[1], 100), facts[1..]);
    }
}
