//! Unbounded integers.

use num_bigint::{BigInt, Sign};

use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::Value;

/// Longer sums are not taken apart again when something is added, or adding up a long sum one by
/// one would take quadratic time.
const LONG_SUM: usize = 16;

impl Terms {
    pub fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.value(&Value::int(value), Sort::Int)
    }

    pub(crate) fn int_of(&self, term: Term) -> Option<&BigInt> {
        self.constant(term)?.as_int()
    }

    fn is_int(&self, term: Term, value: u32) -> bool {
        self.int_of(term).is_some_and(|found| *found == BigInt::from(value))
    }

    pub fn neg(&mut self, a: Term) -> Term {
        let minus = self.int(-1);
        self.mul(&[minus, a])
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.neg(b);
        self.add(&[a, negated])
    }

    /// Sums are kept as multiples of distinct terms, the constant last.
    pub fn add(&mut self, args: &[Term]) -> Term {
        let mut constant = BigInt::ZERO;
        let mut multiples: Vec<(Term, BigInt)> = Vec::new();
        for &arg in args {
            self.expect(arg, Sort::Int);
            let is_sum = matches!(self.op(arg), Op::Add) && self.args(arg).len() <= LONG_SUM;
            let parts = if is_sum { self.args(arg) } else { &[arg] };
            for &part in parts {
                match self.int_of(part) {
                    Some(value) => constant += value,
                    None => multiples.push(self.as_multiple(part)),
                }
            }
        }
        multiples.sort_by_key(|(term, _)| *term);
        let mut summands: Vec<Term> = Vec::new();
        for same in multiples.chunk_by(|a, b| a.0 == b.0) {
            let factor: BigInt = same.iter().map(|(_, factor)| factor).sum();
            if factor.sign() != Sign::NoSign {
                let factor = self.int(factor);
                summands.push(self.mul(&[factor, same[0].0]));
            }
        }
        if constant.sign() != Sign::NoSign || summands.is_empty() {
            summands.push(self.int(constant));
        }
        match summands.as_slice() {
            [only] => *only,
            _ => self.intern(Op::Add, &summands, Sort::Int),
        }
    }

    /// A term as a constant times another.
    fn as_multiple(&self, term: Term) -> (Term, BigInt) {
        if let (Op::Mul, &[factor, rest]) = (self.op(term), self.args(term))
            && let Some(factor) = self.int_of(factor)
        {
            return (rest, factor.clone());
        }
        (term, BigInt::from(1))
    }

    /// A constant factor stands first.
    pub fn mul(&mut self, args: &[Term]) -> Term {
        let mut constant = BigInt::from(1);
        let mut factors: Vec<Term> = Vec::new();
        for &arg in args {
            self.expect(arg, Sort::Int);
            if let Some(value) = self.int_of(arg) {
                constant *= value;
                continue;
            }
            let (rest, factor) = self.as_multiple(arg);
            constant *= factor;
            factors.push(rest);
        }
        if constant.sign() == Sign::NoSign || factors.is_empty() {
            return self.int(constant);
        }
        factors.sort_unstable();
        let product = match factors.as_slice() {
            [only] => *only,
            _ => self.intern(Op::Mul, &factors, Sort::Int),
        };
        if constant == BigInt::from(1) {
            return product;
        }
        let constant = self.int(constant);
        self.intern(Op::Mul, &[constant, product], Sort::Int)
    }

    /// Euclidean quotient; zero where the divisor is zero.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        self.guarded(Op::Div, a, b)
    }

    /// Euclidean remainder, never negative; zero where the divisor is zero.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        self.guarded(Op::Mod, a, b)
    }

    /// Quotient of a division that truncates, as C's; zero where the divisor is zero.
    pub fn truncating_div(&mut self, a: Term, b: Term) -> Term {
        self.truncating(Op::Div, a, b)
    }

    /// Remainder of a division that truncates: its sign is the dividend's.
    pub fn truncating_rem(&mut self, a: Term, b: Term) -> Term {
        self.truncating(Op::Mod, a, b)
    }

    fn truncating(&mut self, op: Op, a: Term, b: Term) -> Term {
        let zero = self.int(0);
        let negative = self.lt(a, zero);
        let opposite = self.neg(a);
        let below = self.guarded(op.clone(), opposite, b);
        let below = self.neg(below);
        let above = self.guarded(op, a, b);
        self.ite(negative, below, above)
    }

    /// SMT-LIB leaves division by zero open; here every term has one meaning.
    fn guarded(&mut self, op: Op, a: Term, b: Term) -> Term {
        let result = self.divide(op, a, b);
        if self.int_of(b).is_some() {
            return result;
        }
        let zero = self.int(0);
        let by_zero = self.eq(b, zero);
        self.ite(by_zero, zero, result)
    }

    pub(crate) fn divide(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.expect(a, Sort::Int);
        self.expect(b, Sort::Int);
        if let Some(folded) = self.folded(&op, &[a, b], Sort::Int) {
            return folded;
        }
        let is_mod = op == Op::Mod;
        if self.is_int(b, 0) || (is_mod && self.is_int(b, 1)) {
            return self.int(0);
        }
        let reduced_before = matches!(self.op(a), Op::Mod) && self.args(a)[1] == b;
        if (!is_mod && self.is_int(b, 1)) || (is_mod && reduced_before) {
            return a;
        }
        self.intern(op, &[a, b], Sort::Int)
    }

    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.order(Op::Le, a, b, true)
    }

    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.order(Op::Lt, a, b, false)
    }

    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// `low <= a <= high`
    pub fn between(&mut self, low: impl Into<BigInt>, a: Term, high: impl Into<BigInt>) -> Term {
        let (low, high) = (self.int(low), self.int(high));
        let (above, below) = (self.le(low, a), self.le(a, high));
        self.and(&[above, below])
    }

    fn order(&mut self, op: Op, a: Term, b: Term, reflexive: bool) -> Term {
        self.expect(a, Sort::Int);
        self.expect(b, Sort::Int);
        if a == b {
            return self.bool(reflexive);
        }
        match self.folded(&op, &[a, b], Sort::Bool) {
            Some(folded) => folded,
            None => self.intern(op, &[a, b], Sort::Bool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_in_normal_form() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
        let (one, two) = (t.int(1), t.int(2));
        let left = t.add(&[x, one]);
        let left = t.add(&[left, y, one]);
        let right = t.add(&[two, y, x]);
        assert_eq!(left, right);
        let double = t.mul(&[two, x]);
        assert_eq!(t.add(&[x, x]), double);
        assert_eq!(t.sub(double, x), x);
        assert_eq!(t.sub(x, x), t.int(0));
        let zero = t.int(0);
        assert_eq!(t.mul(&[zero, x]), zero);
    }

    #[test]
    fn division_is_total() {
        let mut t = Terms::new();
        let (x, zero, one) = (t.var("x", Sort::Int), t.int(0), t.int(1));
        assert_eq!(t.div(x, zero), zero);
        assert_eq!(t.div(x, one), x);
        assert_eq!(t.modulo(x, one), zero);
        let (minus_seven, two) = (t.int(-7), t.int(2));
        assert_eq!(t.truncating_div(minus_seven, two), t.int(-3));
        assert_eq!(t.truncating_rem(minus_seven, two), t.int(-1));
        let by_x = t.div(one, x);
        assert!(t.show(by_x).to_string().starts_with("(ite"));
    }

    #[test]
    fn orders() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
        let less = t.lt(x, y);
        assert_eq!(t.not(less), t.le(y, x));
        assert_eq!(t.le(x, x), t.bool(true));
        assert_eq!(t.lt(x, x), t.bool(false));
    }
}
