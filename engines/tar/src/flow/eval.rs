//! Terms over bounds of their variables. Truth is 0 or 1; a word is what it is without a sign.

use rustc_hash::FxHashMap;
use selvedge_smt::{Op, Sort, Term, Terms, Value};

use crate::values::domain::{ALL, Bounds, HIGH, LOW};

/// What variables may be, and what is known of other terms.
#[derive(Debug)]
pub struct Evaluation<'a> {
    terms: &'a Terms,
    known: FxHashMap<Term, Bounds>,
}

impl<'a> Evaluation<'a> {
    /// With bounds of some terms, mostly of variables; the others may be anything of their sort.
    pub fn new(terms: &'a Terms, known: FxHashMap<Term, Bounds>) -> Evaluation<'a> {
        Evaluation { terms, known }
    }

    pub fn bounds(&mut self, term: Term) -> Bounds {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let bounds = self.compute(term);
        self.known.insert(term, bounds);
        bounds
    }

    fn compute(&mut self, term: Term) -> Bounds {
        let sort = self.terms.sort(term);
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Const(value) => constant(value).unwrap_or(any(sort)),
            Op::Not => {
                let (low, high) = self.bounds(args[0]);
                (1 - high, 1 - low)
            }
            Op::And => args.iter().fold((1, 1), |all, &arg| {
                let one = self.bounds(arg);
                (all.0.min(one.0), all.1.min(one.1))
            }),
            Op::Or => args.iter().fold((0, 0), |all, &arg| {
                let one = self.bounds(arg);
                (all.0.max(one.0), all.1.max(one.1))
            }),
            Op::Ite => match self.bounds(args[0]) {
                (0, 0) => self.bounds(args[2]),
                (1, 1) => self.bounds(args[1]),
                _ => hull(self.bounds(args[1]), self.bounds(args[2])),
            },
            Op::Eq => {
                let (a, b) = (self.bounds(args[0]), self.bounds(args[1]));
                match (single(a), single(b)) {
                    (Some(a), Some(b)) => truth(a == b),
                    _ if a.1 < b.0 || b.1 < a.0 => (0, 0),
                    _ => (0, 1),
                }
            }
            Op::Le | Op::BvUle => self.compare(args, |a, b| a <= b),
            Op::Lt | Op::BvUlt => self.compare(args, |a, b| a < b),
            Op::Add => args.iter().fold((0, 0), |all, &arg| {
                let one = self.bounds(arg);
                clamp((all.0.saturating_add(one.0), all.1.saturating_add(one.1)))
            }),
            Op::Mul => args.iter().fold((1, 1), |all, &arg| product(all, self.bounds(arg))),
            Op::Div | Op::Mod => {
                let divides = *self.terms.op(term) == Op::Div;
                let (a, b) = (self.bounds(args[0]), self.bounds(args[1]));
                quotient(a, single(b), divides)
            }
            Op::BvToInt | Op::ZeroExtend(_) => self.bounds(args[0]),
            Op::IntToBv(_) => {
                let (inner, all) = (self.bounds(args[0]), any(sort));
                match single(inner) {
                    _ if all.0 <= inner.0 && inner.1 <= all.1 => inner,
                    Some(value) if all.1 < HIGH => {
                        let value = value.rem_euclid(all.1 + 1);
                        (value, value)
                    }
                    _ => all,
                }
            }
            Op::BvAnd | Op::BvOr | Op::BvXor => self.bitwise(term, sort),
            _ => any(sort),
        }
    }

    fn compare(&mut self, args: &[Term], holds: impl Fn(i128, i128) -> bool) -> Bounds {
        let (a, b) = (self.bounds(args[0]), self.bounds(args[1]));
        let finite = |value: i128| LOW < value && value < HIGH;
        if finite(a.1) && finite(b.0) && holds(a.1, b.0) {
            (1, 1)
        } else if !holds(a.0, b.1) {
            (0, 0)
        } else {
            (0, 1)
        }
    }

    fn bitwise(&mut self, term: Term, sort: Sort) -> Bounds {
        let all = any(sort);
        let bounds: Vec<Bounds> =
            self.terms.args(term).iter().map(|&arg| self.bounds(arg)).collect();
        let op = self.terms.op(term).clone();
        let singles: Option<Vec<i128>> = bounds.iter().map(|&b| single(b)).collect();
        match singles.as_deref() {
            Some([a, b]) => {
                let value = match op {
                    Op::BvAnd => a & b,
                    Op::BvOr => a | b,
                    _ => a ^ b,
                };
                (value, value)
            }
            _ if op == Op::BvAnd => {
                let least = bounds.iter().map(|(_, high)| *high).min();
                (0, least.map_or(all.1, |least| least.min(all.1)))
            }
            _ => all,
        }
    }
}

/// Whatever the sort has.
pub fn any(sort: Sort) -> Bounds {
    match sort {
        Sort::Bool => (0, 1),
        Sort::BitVec(width) if width < 120 => (0, (1 << width) - 1),
        Sort::BitVec(_) => (0, HIGH),
        Sort::Int | Sort::Array(_) => ALL,
    }
}

pub fn constant(value: &Value) -> Option<Bounds> {
    let number = match value {
        Value::Bool(truth) => i128::from(*truth),
        Value::Int(number) => i128::try_from(number).ok()?,
        Value::Bv(bits) => i128::try_from(bits.bits).ok()?,
        Value::Array(_) => return None,
    };
    (LOW < number && number < HIGH).then_some((number, number))
}

/// The only value there is.
pub fn single((low, high): Bounds) -> Option<i128> {
    (low == high && LOW < low && low < HIGH).then_some(low)
}

pub fn hull(a: Bounds, b: Bounds) -> Bounds {
    (a.0.min(b.0), a.1.max(b.1))
}

fn truth(holds: bool) -> Bounds {
    if holds { (1, 1) } else { (0, 0) }
}

fn clamp((low, high): Bounds) -> Bounds {
    (low.clamp(LOW, HIGH), high.clamp(LOW, HIGH))
}

fn product(a: Bounds, b: Bounds) -> Bounds {
    let corners = [
        a.0.saturating_mul(b.0),
        a.0.saturating_mul(b.1),
        a.1.saturating_mul(b.0),
        a.1.saturating_mul(b.1),
    ];
    let (low, high) =
        corners.iter().fold((i128::MAX, i128::MIN), |(l, h), &c| (l.min(c), h.max(c)));
    clamp((low, high))
}

/// Division and remainder by a positive number; by others it may be anything.
fn quotient(a: Bounds, by: Option<i128>, divides: bool) -> Bounds {
    let Some(by) = by.filter(|by| *by > 0) else { return ALL };
    let part = |value: i128| match value {
        LOW => LOW,
        HIGH => HIGH,
        value => value.div_euclid(by),
    };
    let (low, high) = (part(a.0), part(a.1));
    if divides {
        (low, high)
    } else if low == high && LOW < low && low < HIGH {
        (a.0.rem_euclid(by), a.1.rem_euclid(by))
    } else {
        (0, by - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(known: &[(Term, Bounds)], terms: &Terms, term: Term) -> Bounds {
        Evaluation::new(terms, known.iter().copied().collect()).bounds(term)
    }

    #[test]
    fn arithmetic_and_comparisons() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Int), terms.var("y", Sort::Int));
        let sum = terms.add(&[x, y]);
        let known = [(x, (0, 3)), (y, (-2, 5))];
        assert_eq!(with(&known, &terms, sum), (-2, 8));
        let twice = terms.mul(&[x, y]);
        assert_eq!(with(&known, &terms, twice), (-6, 15));
        let (six, limit) = (terms.int(6), terms.int(8));
        let rest = terms.modulo(sum, six);
        assert_eq!(with(&known, &terms, rest), (0, 5));
        assert_eq!(with(&[(x, (7, 8)), (y, (0, 1))], &terms, rest), (1, 3));
        let small = terms.le(sum, limit);
        assert_eq!(with(&known, &terms, small), (1, 1));
        assert_eq!(with(&[(x, (4, 9)), (y, (5, 5))], &terms, small), (0, 0));
        // Of what has no bounds nothing is known.
        assert_eq!(with(&[(x, (0, 3))], &terms, small), (0, 1));
    }

    #[test]
    fn a_choice_has_the_bounds_of_both_branches() {
        let mut terms = Terms::new();
        let c = terms.var("c", Sort::Bool);
        let (one, nine) = (terms.int(1), terms.int(9));
        let choice = terms.ite(c, one, nine);
        assert_eq!(with(&[], &terms, choice), (1, 9));
        assert_eq!(with(&[(c, (0, 0))], &terms, choice), (9, 9));
    }
}
