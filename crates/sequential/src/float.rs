//! Floating point over bit-vectors: exact but for square roots and remainders, which have any value
//! unless the operands are constants.

use selvedge_ir::{Float, FloatFn, FloatOp, Int};
use selvedge_smt::{Sort, Term, Value};

use super::expr::Translation;

impl Translation<'_> {
    /// `int` is the operand's type.
    pub fn float_unary(&mut self, format: Float, function: FloatFn, int: Int, a: Term) -> Term {
        let width = u32::from(format.result(function).width);
        match self.known(a) {
            Some(bits) => self.terms.bv(format.unary(function, int, bits).into(), width),
            None => {
                let circuit = self.terms.float_unary(format, function, int, a);
                circuit.unwrap_or_else(|| self.terms.fresh("float", Sort::BitVec(width)))
            }
        }
    }

    pub fn float_binary(&mut self, format: Float, op: FloatOp, a: Term, b: Term) -> Term {
        let width = u32::from(format.int().width);
        match (self.known(a).zip(self.known(b)), op.is_test()) {
            (Some((x, y)), true) => self.terms.bool(format.binary(op, x, y) != 0),
            (Some((x, y)), false) => self.terms.bv(format.binary(op, x, y).into(), width),
            (None, true) => self.float_test(format, op, a, b),
            (None, false) => {
                let circuit = self.terms.float_binary(format, op, a, b);
                circuit.unwrap_or_else(|| self.terms.fresh("float", Sort::BitVec(width)))
            }
        }
    }

    fn known(&self, term: Term) -> Option<u64> {
        match self.terms.constant(term)? {
            Value::Bv(bits) => u64::try_from(bits.bits).ok(),
            _ => None,
        }
    }

    fn float_test(&mut self, format: Float, op: FloatOp, a: Term, b: Term) -> Term {
        let (x, y) = (self.in_order(format, a), self.in_order(format, b));
        let t = &mut *self.terms;
        let relation = match op {
            FloatOp::Eq => t.eq(x, y),
            FloatOp::Lt => t.bv_slt(x, y),
            _ => t.bv_sle(x, y),
        };
        let numbers = [a, b].map(|bits| self.is_number(format, bits));
        self.terms.and(&[numbers[0], numbers[1], relation])
    }

    /// Signed words in the order of the numbers; both zeros are zero.
    fn in_order(&mut self, format: Float, bits: Term) -> Term {
        let (t, width) = (&mut *self.terms, u32::from(format.int().width));
        let (zero, sign) = (t.bv(0, width), t.bv(format.sign().into(), width));
        let (negative, turned) = (t.bv_slt(bits, zero), t.bv_sub(sign, bits));
        t.ite(negative, turned, bits)
    }

    fn is_number(&mut self, format: Float, bits: Term) -> Term {
        let (t, width) = (&mut *self.terms, u32::from(format.int().width));
        let rest = t.bv((format.sign() - 1).into(), width);
        let (size, most) = (t.bv_and(bits, rest), t.bv(format.infinity().into(), width));
        t.bv_ule(size, most)
    }
}
