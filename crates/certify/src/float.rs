//! Floating point: exact on constants and in comparisons, and by circuits over bit-vectors; any value
//! otherwise.

use selvedge_ir::{Expr, Float, FloatFn, FloatOp, Int, Type};
use selvedge_smt::{Sort, Term, Value};

use crate::certificate::Arithmetic;
use crate::expr::Scope;
use crate::word::{Num, Val};

impl Scope<'_> {
    pub(crate) fn float_function(&mut self, format: Float, function: FloatFn, a: &Expr) -> Num {
        let a = self.number(a);
        let int = format.result(function);
        match self.constant_bits(a) {
            Some(bits) => {
                let result = format.unary(function, a.int, bits);
                self.words.number(self.terms, int.value(result), int)
            }
            None => {
                let bits = self.words.arithmetic == Arithmetic::Bits;
                let circuit = bits.then(|| self.terms.float_unary(format, function, a.int, a.term));
                self.circuit_or_any(circuit.flatten(), int)
            }
        }
    }

    fn circuit_or_any(&mut self, circuit: Option<Term>, int: Int) -> Num {
        match circuit {
            Some(term) => self.words.num(term, int),
            None => self.any(int),
        }
    }

    pub(crate) fn float_result(&mut self, format: Float, op: FloatOp, a: &Expr, b: &Expr) -> Num {
        let (a, b) = (self.number(a), self.number(b));
        match self.constant_bits(a).zip(self.constant_bits(b)) {
            Some((x, y)) => {
                let result = format.binary(op, x, y);
                self.words.number(self.terms, result.into(), format.int())
            }
            None => {
                let bits = self.words.arithmetic == Arithmetic::Bits;
                let circuit = bits.then(|| self.terms.float_binary(format, op, a.term, b.term));
                self.circuit_or_any(circuit.flatten(), format.int())
            }
        }
    }

    pub(crate) fn float_test(&mut self, format: Float, op: FloatOp, a: &Expr, b: &Expr) -> Term {
        let (a, b) = (self.number(a), self.number(b));
        if let Some((x, y)) = self.constant_bits(a).zip(self.constant_bits(b)) {
            return self.terms.bool(format.binary(op, x, y) != 0);
        }
        if self.words.arithmetic == Arithmetic::Math {
            let truth = self.terms.fresh("float", Sort::Bool);
            self.unknowns.push((Val::One(truth), Type::Bool));
            return truth;
        }
        let (x, y) = (self.parts(format, a), self.parts(format, b));
        let zeros = self.terms.and(&[x.zero, y.zero]);
        let same = self.terms.eq(a.term, b.term);
        let equal = self.terms.or(&[zeros, same]);
        let answer = match op {
            FloatOp::Eq => equal,
            _ => {
                let less = self.float_less(a, &x, b, &y);
                let differ = self.terms.not(zeros);
                let less = self.terms.and(&[differ, less]);
                if op == FloatOp::Le { self.terms.or(&[less, equal]) } else { less }
            }
        };
        let none = self.terms.or(&[x.none, y.none]);
        let numbers = self.terms.not(none);
        self.terms.and(&[numbers, answer])
    }

    /// Of two numbers that are not both zero.
    fn float_less(&mut self, a: Num, x: &Parts, b: Num, y: &Parts) -> Term {
        let lt = selvedge_ir::BinaryOp::Lt;
        let (up, down) =
            (self.words.test(self.terms, lt, a, b), self.words.test(self.terms, lt, b, a));
        let positive = self.terms.not(y.negative);
        let below = self.terms.or(&[positive, down]);
        let above = self.terms.and(&[positive, up]);
        self.terms.ite(x.negative, below, above)
    }

    fn parts(&mut self, format: Float, a: Num) -> Parts {
        let lt = selvedge_ir::BinaryOp::Lt;
        let mut limit = |bits: u64| self.words.number(self.terms, bits.into(), format.int());
        let (zero, sign) = (limit(0), limit(format.sign()));
        let (top, bottom) = (limit(format.infinity()), limit(format.sign() | format.infinity()));
        let positive = self.words.test(self.terms, lt, a, sign);
        let negative = self.terms.not(positive);
        let zeros = [zero, sign].map(|zero| self.terms.eq(a.term, zero.term));
        let zero = self.terms.or(&zeros);
        let above = self.words.test(self.terms, lt, top, a);
        let below = self.words.test(self.terms, lt, bottom, a);
        let none = self.terms.ite(positive, above, below);
        Parts { negative, zero, none }
    }

    fn constant_bits(&self, number: Num) -> Option<u64> {
        match self.terms.constant(number.term)? {
            Value::Bv(bits) => u64::try_from(bits.bits).ok(),
            Value::Int(value) => {
                let value = i128::try_from(value).ok()?;
                let inside = number.int.min() <= value && value <= number.int.max();
                inside.then(|| number.int.wrap(value))
            }
            _ => None,
        }
    }

    fn any(&mut self, int: Int) -> Num {
        let term = self.terms.fresh("float", self.words.int_sort(int));
        self.unknowns.push((Val::One(term), Type::Int(int)));
        self.words.num(term, int)
    }
}

/// What the bits of a number say.
struct Parts {
    negative: Term,
    zero: Term,
    /// It is not a number.
    none: Term,
}
