//! The values of all variables on a way through the unrolled program.
//!
//! Locals, one-scalar maps, single cells and whole arrays are all *slots* of one vector, cut into
//! shared pieces: a step copies one piece, and where paths meet only pieces that differ are looked
//! at. A slot that is not set has its initial value, so slots can be added at any time.

use std::rc::Rc;

use selvedge_smt::{Term, Terms};

const PIECE: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot(pub u32);

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pieces: Rc<Vec<Option<Rc<Piece>>>>,
}

type Piece = [Option<Term>; PIECE];

impl State {
    pub fn get(&self, slot: Slot) -> Option<Term> {
        let index = slot.0 as usize;
        self.pieces.get(index / PIECE)?.as_ref()?[index % PIECE]
    }

    pub fn set(&mut self, slot: Slot, value: Term) {
        let index = slot.0 as usize;
        let pieces = Rc::make_mut(&mut self.pieces);
        if pieces.len() <= index / PIECE {
            pieces.resize(index / PIECE + 1, None);
        }
        let piece = pieces[index / PIECE].get_or_insert_with(|| Rc::new([None; PIECE]));
        Rc::make_mut(piece)[index % PIECE] = Some(value);
    }

    /// The state where paths meet: each slot has the value of the path whose condition holds.
    /// `live` says which slots matter; the others get any value.
    pub fn merge(
        terms: &mut Terms,
        states: &[State],
        conditions: &[Term],
        initial: impl Fn(Slot) -> Term,
        live: impl Fn(Slot) -> bool,
    ) -> State {
        let first = &states[0];
        if states.iter().all(|s| Rc::ptr_eq(&s.pieces, &first.pieces)) {
            return first.clone();
        }
        let count = states.iter().map(|s| s.pieces.len()).max().unwrap_or(0);
        let mut pieces = Vec::with_capacity(count);
        for index in 0..count {
            let parts: Vec<Option<&Rc<Piece>>> =
                states.iter().map(|s| s.pieces.get(index).and_then(Option::as_ref)).collect();
            let same = parts.iter().all(|p| match (p, parts[0]) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            });
            if same {
                pieces.push(parts[0].cloned());
                continue;
            }
            let mut piece: Piece = [None; PIECE];
            for (offset, to) in piece.iter_mut().enumerate() {
                let found: Vec<Option<Term>> =
                    parts.iter().map(|part| part.and_then(|p| p[offset])).collect();
                if found.iter().all(|value| *value == found[0]) {
                    *to = found[0];
                    continue;
                }
                let slot = Slot((index * PIECE + offset) as u32);
                if live(slot) {
                    let values: Vec<Term> =
                        found.iter().map(|v| v.unwrap_or_else(|| initial(slot))).collect();
                    *to = Some(choose(terms, conditions, &values));
                } else {
                    *to = found.iter().copied().flatten().next();
                }
            }
            pieces.push(Some(Rc::new(piece)));
        }
        State { pieces: Rc::new(pieces) }
    }
}

/// The value whose condition holds; exactly one does.
pub(super) fn choose(terms: &mut Terms, conditions: &[Term], values: &[Term]) -> Term {
    let mut groups: Vec<(Term, Vec<Term>)> = Vec::new();
    for (&condition, &value) in conditions.iter().zip(values) {
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, alternatives)) => alternatives.push(condition),
            None => groups.push((value, vec![condition])),
        }
    }
    let (mut chosen, _) = groups.pop().expect("at least one path");
    for (value, alternatives) in groups.into_iter().rev() {
        let condition = terms.or(&alternatives);
        chosen = terms.ite(condition, value, chosen);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use selvedge_smt::Sort;

    use super::*;

    #[test]
    fn merges_what_differs() {
        let mut t = Terms::new();
        let c = t.var("c", Sort::Bool);
        let not_c = t.not(c);
        let (zero, one, two) = (t.bv(0, 8), t.bv(1, 8), t.bv(2, 8));
        let mut a = State::default();
        a.set(Slot(40), one);
        a.set(Slot(3), two);
        let mut b = a.clone();
        b.set(Slot(40), two);
        b.set(Slot(100), two);
        b.set(Slot(101), two);
        let conditions = [c, not_c];
        let live = |slot: Slot| slot.0 != 101;
        let merged = State::merge(&mut t, &[a, b], &conditions, |_| zero, live);
        assert_eq!(merged.get(Slot(3)), Some(two));
        assert_eq!(merged.get(Slot(40)), Some(t.ite(c, one, two)));
        assert_eq!(merged.get(Slot(100)), Some(t.ite(c, zero, two)));
        assert_eq!(merged.get(Slot(101)), Some(two));
        assert_eq!(merged.get(Slot(0)), None);
    }

    #[test]
    fn equal_values_share_a_condition() {
        let mut t = Terms::new();
        let conditions: Vec<Term> = ["a", "b", "c"].iter().map(|n| t.var(n, Sort::Bool)).collect();
        let (one, two) = (t.bv(1, 8), t.bv(2, 8));
        let chosen = choose(&mut t, &conditions, &[one, two, one]);
        let either = t.or(&[conditions[0], conditions[2]]);
        assert_eq!(chosen, t.ite(either, one, two));
    }
}
