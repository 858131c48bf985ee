//! Under which condition a copy of a location is reached.
//!
//! A guard is a chain of conditions, shared with the guards that it extends. Where paths meet
//! again, what they have in common stays as it is, and two that differ in a last condition and its
//! negation become what stood before the branch; so a condition does not grow with the branches
//! that are over, and values are merged by what distinguishes the paths only.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_smt::{Sort, Term, Terms};

#[derive(Clone, Debug)]
pub(super) struct Guard(Rc<Link>);

#[derive(Debug)]
struct Link {
    before: Option<Guard>,
    last: Term,
    /// All of it.
    term: Term,
    depth: u32,
}

impl Drop for Link {
    /// Chains are long; the default would recurse.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(Guard(link)) = next {
            match Rc::try_unwrap(link) {
                Ok(mut link) => next = link.before.take(),
                Err(_) => break,
            }
        }
    }
}

impl Guard {
    pub fn always(terms: &mut Terms) -> Guard {
        let yes = terms.bool(true);
        Guard(Rc::new(Link { before: None, last: yes, term: yes, depth: 0 }))
    }

    pub fn term(&self) -> Term {
        self.0.term
    }

    pub fn and(&self, terms: &mut Terms, condition: Term) -> Guard {
        if condition == terms.bool(true) {
            return self.clone();
        }
        let term = terms.and(&[self.0.term, condition]);
        let before = Some(self.clone());
        Guard(Rc::new(Link { before, last: condition, term, depth: self.0.depth + 1 }))
    }

    fn id(&self) -> *const Link {
        Rc::as_ptr(&self.0)
    }

    fn common(a: &Guard, b: &Guard) -> Guard {
        let (mut a, mut b) = (a.clone(), b.clone());
        while a.id() != b.id() {
            let deeper = if a.0.depth >= b.0.depth { &mut a } else { &mut b };
            let before = deeper.0.before.clone();
            *deeper = before.expect("all guards share the first link");
        }
        a
    }

    /// What each of the guards says beyond what all have in common.
    pub fn distinctions(terms: &mut Terms, guards: &[Guard]) -> (Guard, Vec<Term>) {
        let common = guards.iter().skip(1).fold(guards[0].clone(), |all, g| Guard::common(&all, g));
        let mut known: FxHashMap<*const Link, Term> = FxHashMap::default();
        known.insert(common.id(), terms.bool(true));
        let distinctions = guards.iter().map(|g| g.beyond(terms, &mut known)).collect();
        (common, distinctions)
    }

    fn beyond(&self, terms: &mut Terms, known: &mut FxHashMap<*const Link, Term>) -> Term {
        let mut open = Vec::new();
        let mut at = self.clone();
        while !known.contains_key(&at.id()) {
            open.push(at.clone());
            let before = at.0.before.clone();
            at = before.expect("the common part is below every guard");
        }
        let mut sum = known[&at.id()];
        for link in open.into_iter().rev() {
            sum = terms.and(&[sum, link.0.last]);
            known.insert(link.id(), sum);
        }
        sum
    }

    /// One of the guards holds.
    pub fn join(terms: &mut Terms, guards: &[Guard]) -> Guard {
        // From the deepest up: alternatives that together say nothing give way to what is before.
        let mut levels: BTreeMap<u32, Vec<Guard>> = BTreeMap::new();
        for guard in guards {
            levels.entry(guard.0.depth).or_default().push(guard.clone());
        }
        let yes = terms.bool(true);
        let mut left: Vec<Guard> = Vec::new();
        while let Some((depth, level)) = levels.pop_last() {
            for group in siblings(level) {
                let Some(before) = group[0].0.before.clone() else { return group[0].clone() };
                let lasts: Vec<Term> = group.iter().map(|g| g.0.last).collect();
                let either = terms.or(&lasts);
                if either == yes {
                    levels.entry(depth - 1).or_default().push(before);
                } else if group.len() == 1 {
                    left.push(group[0].clone());
                } else {
                    left.push(before.and(terms, either));
                }
            }
        }
        if left.len() == 1 {
            return left.swap_remove(0);
        }
        let (common, distinctions) = Guard::distinctions(terms, &left);
        let either = terms.or(&distinctions);
        common.and(terms, either)
    }
}

/// Conditions of which exactly one holds, and any may: a free choice.
pub(super) fn one_of(terms: &mut Terms, count: usize) -> Vec<Term> {
    let mut rest = terms.bool(true);
    let mut choices = Vec::with_capacity(count);
    for _ in 1..count {
        let take = terms.fresh("choice", Sort::Bool);
        let not = terms.not(take);
        choices.push(terms.and(&[rest, take]));
        rest = terms.and(&[rest, not]);
    }
    choices.extend((count > 0).then_some(rest));
    choices
}

/// Guards grouped by what stands before their last condition, in order of appearance.
fn siblings(level: Vec<Guard>) -> Vec<Vec<Guard>> {
    let mut groups: Vec<Vec<Guard>> = Vec::new();
    let mut known: FxHashMap<Option<*const Link>, usize> = FxHashMap::default();
    for guard in level {
        let before = guard.0.before.as_ref().map(Guard::id);
        let group = *known.entry(before).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(guard);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_branches_leave_no_condition() {
        let mut t = Terms::new();
        let (a, b, c) = (t.var("a", Sort::Bool), t.var("b", Sort::Bool), t.var("c", Sort::Bool));
        let (not_b, not_c) = (t.not(b), t.not(c));
        let start = Guard::always(&mut t).and(&mut t, a);
        let then = start.and(&mut t, b);
        let otherwise = start.and(&mut t, not_b);
        let first = otherwise.and(&mut t, c);
        let second = otherwise.and(&mut t, not_c);
        let all = [then.clone(), first.clone(), second.clone()];
        assert_eq!(Guard::join(&mut t, &all).term(), a);
        let (common, told) = Guard::distinctions(&mut t, &all);
        assert_eq!(common.term(), a);
        assert_eq!(told[0], b);
        let some = Guard::join(&mut t, &[then, first]);
        let expected = t.and(&[not_b, c]);
        let expected = t.or(&[b, expected]);
        assert_eq!(some.term(), t.and(&[a, expected]));
    }

    #[test]
    fn a_guard_implied_by_another_is_dropped() {
        let mut t = Terms::new();
        let a = t.var("a", Sort::Bool);
        let start = Guard::always(&mut t);
        let other = start.and(&mut t, a);
        assert_eq!(Guard::join(&mut t, &[other, start]).term(), t.bool(true));
    }
}
