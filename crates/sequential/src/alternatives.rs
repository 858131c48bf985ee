//! The addresses that a word can be: what lets a map stay a set of variables.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_smt::{Op, Term, Terms};

use super::address::{Addresses, GLANCE, Number, Spot, choice, equals};

/// More parts of a word than this are not looked at.
const VISITED: usize = 4096;

/// An address that a word may be, with the condition that it is this one.
pub(super) type Alternative = (Term, u64);

impl Addresses {
    /// The addresses that a word can be, given that it may be accessed for scalars of some size;
    /// none if they are too many or not known. Exactly one condition holds. Without a size, the
    /// starts of the objects that it can point into.
    pub fn alternatives(
        &mut self,
        terms: &mut Terms,
        address: Term,
        bytes: Option<u64>,
        spots: Option<&[Spot]>,
        limit: usize,
    ) -> Option<Vec<Alternative>> {
        // By word: the addresses that it can be. Words share parts, so each is looked at once.
        let mut known: FxHashMap<Term, Vec<Alternative>> = FxHashMap::default();
        let mut open = vec![address];
        while let Some(&at) = open.last() {
            if known.contains_key(&at) {
                open.pop();
                continue;
            }
            let found = match self.choice_of(terms, at) {
                None => self.at_leaf(terms, at, bytes, spots, limit)?,
                Some((condition, a, b)) => match (known.get(&a), known.get(&b)) {
                    (Some(a), Some(b)) => either(terms, condition, a, b),
                    (None, _) => {
                        open.push(a);
                        continue;
                    }
                    (_, None) => {
                        open.push(b);
                        continue;
                    }
                },
            };
            if found.len() > limit || known.len() > VISITED {
                return None;
            }
            known.insert(at, found);
        }
        known.remove(&address)
    }

    /// A choice between words, if it is not plain that both are of one object.
    fn choice_of(&mut self, terms: &mut Terms, at: Term) -> Option<(Term, Term, Term)> {
        if self.constant(terms, at).is_some() {
            return None;
        }
        choice(terms, at)
    }

    /// The addresses that a word without choices can be.
    fn at_leaf(
        &mut self,
        terms: &mut Terms,
        at: Term,
        bytes: Option<u64>,
        spots: Option<&[Spot]>,
        limit: usize,
    ) -> Option<Vec<Alternative>> {
        let always = terms.bool(true);
        let mut found = Vec::new();
        let constant = self.constant(terms, at);
        if let (Some(constant), Some(_)) = (constant, bytes) {
            let known = |spots: &[Spot]| spots.iter().any(|spot| spot.address == constant);
            if spots.is_none_or(known) {
                found.push((always, constant));
            }
        } else if let Some(number) = self.base(terms, at) {
            match (bytes, spots) {
                (Some(_), Some(spots)) if spots.len() <= limit => {
                    let bits = self.distinguishing(terms, number);
                    let low = self.low(terms, bits, at, GLANCE);
                    for spot in spots.iter().filter(|spot| spot.of == number) {
                        found.push((equals(terms, low, spot.address), spot.address));
                    }
                }
                (Some(bytes), _) => {
                    self.inside(terms, at, number, bytes, always, limit, &mut found)?
                }
                (None, _) => found.push((always, self.address(number, 0))),
            }
        } else {
            for spot in spots.filter(|spots| spots.len() <= limit)? {
                let here = match bytes {
                    Some(_) => equals(terms, at, spot.address),
                    None => {
                        let number = self.number(terms, at);
                        let of = terms.bv(u128::from(spot.of.0), terms.width(number));
                        terms.eq(number, of)
                    }
                };
                found.push((here, spot.address));
            }
        }
        Some(by_address(terms, found))
    }

    /// The offsets of one object that an address can have.
    #[allow(clippy::too_many_arguments)]
    fn inside(
        &mut self,
        terms: &mut Terms,
        at: Term,
        number: Number,
        bytes: u64,
        when: Term,
        limit: usize,
        found: &mut Vec<Alternative>,
    ) -> Option<()> {
        let Some(size) = self.size(number) else {
            // No object: not accessed.
            return Some(());
        };
        let size = self.constant(terms, size)?;
        let start = self.address(number, 0);
        let (known, zeros) = self.alignment(terms, at, GLANCE);
        let step = 1u64 << zeros.min(16);
        let first = known.wrapping_sub(start) % step;
        let count = size.saturating_sub(bytes + first) / step + 1;
        if first + bytes > size || found.len() as u64 + count > limit as u64 {
            return (first + bytes > size).then_some(());
        }
        let bits = self.distinguishing(terms, number);
        let low = self.low(terms, bits, at, GLANCE);
        for i in 0..count {
            let address = start.wrapping_add(first + i * step);
            let here = equals(terms, low, address);
            found.push((terms.and(&[when, here]), address));
        }
        Some(())
    }

    /// How many low bits tell the bytes of an object apart: all, where its size is not known.
    /// Whether an access lies in the object is asked elsewhere.
    fn distinguishing(&self, terms: &Terms, number: Number) -> u32 {
        let size = self.size(number).and_then(|size| self.constant(terms, size));
        size.map_or(self.width, |size| (u64::BITS - size.leading_zeros() + 1).min(self.width))
    }

    /// The constant part of a sum, and how many low bits of the rest are zero.
    fn alignment(&self, terms: &Terms, word: Term, look: u32) -> (u64, u32) {
        if let Some(constant) = self.constant(terms, word) {
            return (constant, 63);
        }
        let below = |t: Term| {
            let (constant, zeros) = self.alignment(terms, t, look - 1);
            zeros.min(constant.trailing_zeros())
        };
        match (terms.op(word), terms.args(word)) {
            _ if look == 0 => (0, 0),
            (Op::BvAdd, &[a, b]) => {
                let (c, x) = self.alignment(terms, a, look - 1);
                let (d, y) = self.alignment(terms, b, look - 1);
                (c.wrapping_add(d), x.min(y))
            }
            (Op::BvMul, &[a, b]) => (0, (below(a) + below(b)).min(63)),
            (Op::BvShl, &[a, by]) => match self.constant(terms, by) {
                Some(by) => (0, (below(a) + by.min(63) as u32).min(63)),
                None => (0, 0),
            },
            (Op::ZeroExtend(_) | Op::SignExtend(_), &[a]) => (0, below(a)),
            (Op::Ite, &[_, a, b]) => (0, below(a).min(below(b))),
            _ => (0, 0),
        }
    }
}

/// What one of two words can be.
fn either(
    terms: &mut Terms,
    condition: Term,
    a: &[Alternative],
    b: &[Alternative],
) -> Vec<Alternative> {
    let no = terms.bool(false);
    let mut both: BTreeMap<u64, (Term, Term)> = BTreeMap::new();
    for &(when, address) in a {
        both.entry(address).or_insert((no, no)).0 = when;
    }
    for &(when, address) in b {
        both.entry(address).or_insert((no, no)).1 = when;
    }
    let choose = |(address, (a, b))| (terms.ite(condition, a, b), address);
    both.into_iter().map(choose).collect()
}

/// One alternative for each address.
fn by_address(terms: &mut Terms, found: Vec<Alternative>) -> Vec<Alternative> {
    let mut conditions: BTreeMap<u64, Vec<Term>> = BTreeMap::new();
    for (condition, address) in found {
        conditions.entry(address).or_default().push(condition);
    }
    conditions.into_iter().map(|(address, any)| (terms.or(&any), address)).collect()
}
