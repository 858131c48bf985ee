//! Dual-reference programs (§3.1, §4): relations between the active thread and a passive one.
//!
//! A transition of n threads holds if the relation holds for the active thread with every passive
//! one. Adding a thread can then block a transition that was possible: the relation need not be
//! monotone (§4.1). Its monotone closure (§4.2) sends the threads that would block to a sink, from
//! which they never come back.
//!
//! This is the paper's construction, on whole relations, to be shown and to be tested against its
//! tables. The engine closes each move that it reaches (`abstraction::explore`) and has no relation:
//! with m predicates of each thread one may have 2^(4 m) rows.

use std::collections::{BTreeMap, BTreeSet};

/// A relation over the local states of the active thread and of one passive thread, before and
/// after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation<V> {
    rows: BTreeSet<Row<V>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row<V> {
    pub active: V,
    pub passive: V,
    pub active_after: V,
    pub passive_after: V,
}

/// What the closure does with a passive thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passive<V> {
    /// It goes to one of these.
    To(BTreeSet<V>),
    /// It would block, and goes to the sink.
    Sink,
}

/// For each move of the active thread, what every passive thread does.
pub type Closure<V> = BTreeMap<(V, V), Vec<(V, Passive<V>)>>;

impl<V: Ord + Clone> Relation<V> {
    pub fn new(rows: impl IntoIterator<Item = Row<V>>) -> Relation<V> {
        Relation { rows: rows.into_iter().collect() }
    }

    pub fn rows(&self) -> impl Iterator<Item = &Row<V>> {
        self.rows.iter()
    }

    /// The pairs of local states of the active thread for which some passive thread can go along.
    pub fn moves(&self) -> BTreeSet<(V, V)> {
        self.rows.iter().map(|row| (row.active.clone(), row.active_after.clone())).collect()
    }

    /// Where a passive thread can go along to.
    pub fn targets(&self, active: &V, active_after: &V, passive: &V) -> BTreeSet<V> {
        let rows = self.rows.iter().filter(|row| {
            row.active == *active && row.active_after == *active_after && row.passive == *passive
        });
        rows.map(|row| row.passive_after.clone()).collect()
    }

    /// Equation (18), the non-monotone fragment: the moves of the active thread with the passive
    /// local states that cannot go along, though others can. Equation (17), monotonicity, is that
    /// there are none; `passives` are all local states that a passive thread may be in.
    pub fn fragment(&self, passives: &BTreeSet<V>) -> BTreeSet<(V, V, V)> {
        let mut fragment = BTreeSet::new();
        for (active, after) in self.moves() {
            for passive in passives {
                if self.targets(&active, &after, passive).is_empty() {
                    fragment.insert((active.clone(), passive.clone(), after.clone()));
                }
            }
        }
        fragment
    }

    /// Definition 10, the monotone closure: for each move of the active thread, what every passive
    /// thread does.
    pub fn closure(&self, passives: &BTreeSet<V>) -> Closure<V> {
        let close = |(active, after): (V, V)| {
            let of = |passive: &V| match self.targets(&active, &after, passive) {
                targets if targets.is_empty() => (passive.clone(), Passive::Sink),
                targets => (passive.clone(), Passive::To(targets)),
            };
            let all = passives.iter().map(of).collect();
            ((active.clone(), after.clone()), all)
        };
        self.moves().into_iter().map(close).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instruction as a relation over the first few numbers: what becomes of (l, l_P).
    fn instruction(domain: &[i64], become_: impl Fn(i64, i64) -> (i64, i64)) -> Relation<i64> {
        let row = |active: i64, passive: i64| {
            let (active_after, passive_after) = become_(active, passive);
            Row { active, passive, active_after, passive_after }
        };
        Relation::new(domain.iter().flat_map(|&l| domain.iter().map(move |&p| row(l, p))))
    }

    /// Table 3: whether each instruction is monotone, and if not, for which l and l' it fails.
    #[test]
    fn table_3() {
        let bits = [0, 1];
        let numbers = [0, 1, 2, 3];
        let fails = |relation: &Relation<i64>, domain: &[i64]| -> BTreeSet<(i64, i64)> {
            let fragment = relation.fragment(&domain.iter().copied().collect());
            fragment.into_iter().map(|(l, _, after)| (l, after)).collect()
        };
        let swap = instruction(&bits, |l, p| (p, l));
        assert!(fails(&swap, &bits).contains(&(0, 1)));
        let shift = instruction(&numbers, |l, p| (l + 1, p - 1));
        assert!(fails(&shift, &numbers).is_empty());
        let passive_sum = instruction(&numbers, |l, p| (l, p + l));
        assert!(fails(&passive_sum, &numbers).is_empty());
        let sum = instruction(&numbers, |l, p| (l + p, p));
        assert!(fails(&sum, &numbers).contains(&(1, 1)));
        let constant = instruction(&numbers, |l, _| (l, 2));
        assert!(fails(&constant, &numbers).is_empty());
    }

    /// §4.2: the fragment of the swap is l' != l_P, that of the sum l' >= l and l' != l + l_P.
    #[test]
    fn fragments_of_the_text() {
        let domain: BTreeSet<i64> = [0, 1, 2, 3].into();
        let list: Vec<i64> = domain.iter().copied().collect();
        let swap = instruction(&list, |l, p| (p, l)).fragment(&domain);
        let sum = instruction(&list, |l, p| (l + p, p)).fragment(&domain);
        for &l in &domain {
            for &p in &domain {
                for &after in &domain {
                    assert_eq!(swap.contains(&(l, p, after)), after != p);
                    let expected = after >= l && after != l + p;
                    assert_eq!(sum.contains(&(l, p, after)), expected, "{l} {p} {after}");
                }
            }
        }
    }

    #[test]
    fn who_blocks_goes_to_the_sink() {
        let swap = instruction(&[0, 1], |l, p| (p, l));
        let closure = swap.closure(&[0, 1].into());
        let expected = vec![(0, Passive::Sink), (1, Passive::To([0].into()))];
        assert_eq!(closure[&(0, 1)], expected);
    }
}
