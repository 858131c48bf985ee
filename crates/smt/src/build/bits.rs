//! Bit-vectors.

use crate::sort::{MAX_WIDTH, Sort};
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};

/// Builders that only name their operator.
macro_rules! binary {
    ($($name:ident $op:ident;)*) => {
        $(pub fn $name(&mut self, a: Term, b: Term) -> Term {
            self.bv_binary(Op::$op, a, b)
        })*
    };
}

macro_rules! compare {
    ($($name:ident $op:ident;)*) => {
        $(pub fn $name(&mut self, a: Term, b: Term) -> Term {
            self.bv_compare(Op::$op, a, b)
        })*
    };
}

impl Terms {
    /// Bits above the width are cut off.
    pub fn bv(&mut self, bits: u128, width: u32) -> Term {
        self.value(&Value::bv(bits, width), Sort::BitVec(width))
    }

    pub fn width(&self, term: Term) -> u32 {
        self.sort(term).width()
    }

    binary! {
        bv_add BvAdd;
        bv_sub BvSub;
        bv_mul BvMul;
        bv_udiv BvUdiv;
        bv_sdiv BvSdiv;
        bv_urem BvUrem;
        bv_srem BvSrem;
        bv_and BvAnd;
        bv_or BvOr;
        bv_xor BvXor;
        bv_shl BvShl;
        bv_lshr BvLshr;
        bv_ashr BvAshr;
    }

    compare! {
        bv_ult BvUlt;
        bv_ule BvUle;
        bv_slt BvSlt;
        bv_sle BvSle;
    }

    pub fn bv_not(&mut self, a: Term) -> Term {
        self.bv_unary(Op::BvNot, a)
    }

    pub fn bv_neg(&mut self, a: Term) -> Term {
        self.bv_unary(Op::BvNeg, a)
    }

    fn bv_unary(&mut self, op: Op, a: Term) -> Term {
        let sort = Sort::BitVec(self.width(a));
        if let Some(folded) = self.folded(&op, &[a], sort) {
            return folded;
        }
        if *self.op(a) == op {
            return self.args(a)[0];
        }
        self.intern(op, &[a], sort)
    }

    pub(crate) fn bv_binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let sort = Sort::BitVec(self.width(a));
        self.expect(b, sort);
        if let Some(folded) = self.folded(&op, &[a, b], sort) {
            return folded;
        }
        if let Some(simpler) = self.bv_identity(&op, a, b) {
            return simpler;
        }
        let commutes = matches!(op, Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor);
        let args = if commutes { [a.min(b), a.max(b)] } else { [a, b] };
        self.intern(op, &args, sort)
    }

    fn bv_identity(&mut self, op: &Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        if a == b {
            match op {
                Op::BvSub | Op::BvXor => return Some(self.bv(0, width)),
                Op::BvAnd | Op::BvOr => return Some(a),
                _ => {}
            }
        }
        if let Some(right) = self.bits_of(b) {
            return self.bv_right_constant(op, a, b, right);
        }
        let left = self.bits_of(a)?;
        match op {
            // Constants are treated on the right.
            Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor => {
                self.bv_right_constant(op, b, a, left)
            }
            Op::BvShl | Op::BvLshr | Op::BvAshr if left.bits == 0 => Some(a),
            _ => None,
        }
    }

    /// `constant` is the value of `b`.
    fn bv_right_constant(&mut self, op: &Op, a: Term, b: Term, constant: Bits) -> Option<Term> {
        let Bits { bits, width } = constant;
        let ones = bits == Bits::mask(width);
        match op {
            Op::BvAdd | Op::BvSub | Op::BvOr | Op::BvXor if bits == 0 => Some(a),
            Op::BvShl | Op::BvLshr | Op::BvAshr if bits == 0 => Some(a),
            Op::BvShl | Op::BvLshr if bits >= u128::from(width) => Some(self.bv(0, width)),
            Op::BvMul | Op::BvAnd if bits == 0 => Some(b),
            Op::BvAnd if ones => Some(a),
            Op::BvOr if ones => Some(b),
            Op::BvMul | Op::BvUdiv | Op::BvSdiv if bits == 1 && width > 1 => Some(a),
            Op::BvAdd if matches!(self.op(a), Op::BvAdd) => {
                // (x + c) + d
                let (x, inner) = (self.args(a)[0], self.args(a)[1]);
                let (x, inner) = if self.bits_of(x).is_some() { (inner, x) } else { (x, inner) };
                let inner = self.bits_of(inner)?;
                let sum = self.bv(inner.bits.wrapping_add(bits), width);
                Some(self.bv_add(x, sum))
            }
            _ => None,
        }
    }

    pub(crate) fn bv_compare(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.expect(b, Sort::BitVec(self.width(a)));
        if a == b {
            return self.bool(matches!(op, Op::BvUle | Op::BvSle));
        }
        if let Some(folded) = self.folded(&op, &[a, b], Sort::Bool) {
            return folded;
        }
        let zero = |term| self.bits_of(term).is_some_and(|found| found.bits == 0);
        match op {
            Op::BvUlt if zero(b) => self.bool(false),
            Op::BvUle if zero(a) => self.bool(true),
            Op::BvUle if zero(b) => self.eq(a, b),
            _ => self.intern(op, &[a, b], Sort::Bool),
        }
    }

    /// `a` in the high bits, `b` in the low ones.
    pub fn concat(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a) + self.width(b);
        assert!(width <= MAX_WIDTH, "a bit-vector of {width} bits");
        let sort = Sort::BitVec(width);
        match self.folded(&Op::Concat, &[a, b], sort) {
            Some(folded) => folded,
            None => self.intern(Op::Concat, &[a, b], sort),
        }
    }

    /// The bits from `high` down to `low`.
    pub fn extract(&mut self, high: u32, low: u32, a: Term) -> Term {
        let width = self.width(a);
        assert!(low <= high && high < width, "bits {high} to {low} of {width}");
        if high - low + 1 == width {
            return a;
        }
        let sort = Sort::BitVec(high - low + 1);
        if let Some(folded) = self.folded(&Op::Extract(high, low), &[a], sort) {
            return folded;
        }
        match (self.op(a).clone(), self.args(a)) {
            (Op::Extract(_, below), &[inner]) => self.extract(high + below, low + below, inner),
            (Op::ZeroExtend(_) | Op::SignExtend(_), &[inner]) if high < self.width(inner) => {
                self.extract(high, low, inner)
            }
            (Op::Concat, &[_, right]) if high < self.width(right) => self.extract(high, low, right),
            (Op::Concat, &[left, right]) if low >= self.width(right) => {
                let right = self.width(right);
                self.extract(high - right, low - right, left)
            }
            _ => self.intern(Op::Extract(high, low), &[a], sort),
        }
    }

    pub fn zero_extend(&mut self, by: u32, a: Term) -> Term {
        self.extend(Op::ZeroExtend(by), by, a)
    }

    pub fn sign_extend(&mut self, by: u32, a: Term) -> Term {
        self.extend(Op::SignExtend(by), by, a)
    }

    fn extend(&mut self, op: Op, by: u32, a: Term) -> Term {
        if by == 0 {
            return a;
        }
        let width = self.width(a) + by;
        assert!(width <= MAX_WIDTH, "a bit-vector of {width} bits");
        let sort = Sort::BitVec(width);
        match self.folded(&op, &[a], sort) {
            Some(folded) => folded,
            None => self.intern(op, &[a], sort),
        }
    }

    /// Read as unsigned.
    pub fn bv_to_int(&mut self, a: Term) -> Term {
        self.width(a);
        match self.folded(&Op::BvToInt, &[a], Sort::Int) {
            Some(folded) => folded,
            None => self.intern(Op::BvToInt, &[a], Sort::Int),
        }
    }

    /// Read as two's complement.
    pub fn bv_to_signed_int(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let unsigned = self.bv_to_int(a);
        let modulus = self.int(num_bigint::BigInt::from(1) << width);
        let below = self.sub(unsigned, modulus);
        let sign = self.bv(1 << (width - 1), width);
        let positive = self.bv_ult(a, sign);
        self.ite(positive, unsigned, below)
    }

    /// Modulo two to the width.
    pub fn int_to_bv(&mut self, width: u32, a: Term) -> Term {
        self.expect(a, Sort::Int);
        assert!((1..=MAX_WIDTH).contains(&width), "a bit-vector of {width} bits");
        let (op, sort) = (Op::IntToBv(width), Sort::BitVec(width));
        if let Some(folded) = self.folded(&op, &[a], sort) {
            return folded;
        }
        if matches!(self.op(a), Op::BvToInt) && self.width(self.args(a)[0]) == width {
            return self.args(a)[0];
        }
        self.intern(op, &[a], sort)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities() {
        let mut t = Terms::new();
        let x = t.var("x", Sort::BitVec(8));
        let (zero, one, ones) = (t.bv(0, 8), t.bv(1, 8), t.bv(255, 8));
        assert_eq!(t.bv_add(zero, x), x);
        assert_eq!(t.bv_mul(x, one), x);
        assert_eq!(t.bv_and(ones, x), x);
        assert_eq!(t.bv_sub(x, x), zero);
        assert_eq!(t.bv_ult(x, zero), t.bool(false));
        let next = t.bv_add(x, one);
        assert_eq!(t.bv_add(next, ones), x);
    }

    #[test]
    fn parts_of_composed_words() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::BitVec(8)), t.var("y", Sort::BitVec(8)));
        let both = t.concat(x, y);
        assert_eq!(t.extract(7, 0, both), y);
        assert_eq!(t.extract(15, 8, both), x);
        let high = t.extract(12, 5, both);
        let bit = t.extract(3, 3, high);
        assert_eq!(bit, t.extract(0, 0, x));
        let wide = t.sign_extend(24, x);
        assert_eq!(t.extract(7, 0, wide), x);
    }

    #[test]
    fn a_product_by_one_bit_is_no_identity() {
        // At width 1 the constant 1 is also the sign, but multiplication keeps it all the same;
        // signed division by it does not.
        let mut t = Terms::new();
        let (x, one) = (t.var("x", Sort::BitVec(1)), t.bv(1, 1));
        assert_eq!(t.bv_to_int(one), t.int(1));
        assert_eq!(t.bv_to_signed_int(one), t.int(-1));
        assert_ne!(t.bv_sdiv(x, one), x);
    }
}
