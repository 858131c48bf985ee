//! Floating point: comparisons are exact, and so are the circuits over bit-vectors. Where there is
//! none, and on integers, the result is known if the operands are, and otherwise any value.

use selvedge_ir::{BinaryOp, Float, FloatFn, FloatOp, Int, Type};

use super::{Arithmetic, Num, Range, Sym, Val, Work};
use crate::term::Term;
use crate::value::Value;

impl Work<'_> {
    pub fn float_unary(&mut self, format: Float, function: FloatFn, a: Num) -> Num {
        let int = format.result(function);
        match self.known_bits(&a) {
            Some(bits) => self.number(int.value(format.unary(function, a.int, bits)), int),
            None => {
                let circuit = match self.types.arithmetic {
                    Arithmetic::Bits => self.terms.float_unary(format, function, a.int, a.term),
                    _ => None,
                };
                self.number_or_any(circuit, int)
            }
        }
    }

    fn number_or_any(&mut self, circuit: Option<Term>, int: Int) -> Num {
        match circuit {
            Some(term) => Num { term, int, range: Range::of(int) },
            None => self.any_number(int),
        }
    }

    pub fn float_binary(&mut self, format: Float, op: FloatOp, a: Num, b: Num) -> Val {
        match (self.known_bits(&a), self.known_bits(&b), op.is_test()) {
            (Some(x), Some(y), true) => Val::Bool(self.terms.bool(format.binary(op, x, y) != 0)),
            (Some(x), Some(y), false) => {
                Val::Int(self.number(format.binary(op, x, y).into(), format.int()))
            }
            (_, _, false) => {
                let circuit = match self.types.arithmetic {
                    Arithmetic::Bits => self.terms.float_binary(format, op, a.term, b.term),
                    _ => None,
                };
                Val::Int(self.number_or_any(circuit, format.int()))
            }
            _ if self.types.arithmetic == Arithmetic::Math => Val::Bool(self.any_truth()),
            _ => Val::Bool(self.compare_floats(format, op, &a, &b)),
        }
    }

    /// The bits of a constant that is in its type.
    fn known_bits(&self, number: &Num) -> Option<u64> {
        match self.terms.constant(number.term)? {
            Value::Bv(bits) => u64::try_from(bits.bits).ok(),
            Value::Int(value) => {
                let value = i128::try_from(value).ok()?;
                let inside = (number.int.min()..=number.int.max()).contains(&value);
                inside.then(|| number.int.wrap(value))
            }
            _ => None,
        }
    }

    fn any_number(&mut self, int: Int) -> Num {
        let sort = self.types.int_sort(int);
        let term = self.terms.fresh("float", sort);
        self.unknowns.push((Sym::Scalar(term), Type::Int(int)));
        Num { term, int, range: Range::of(int) }
    }

    fn any_truth(&mut self) -> Term {
        let term = self.terms.fresh("float", crate::sort::Sort::Bool);
        self.unknowns.push((Sym::Scalar(term), Type::Bool));
        term
    }

    /// Both are numbers, and their places in the order of numbers are in the relation.
    fn compare_floats(&mut self, format: Float, op: FloatOp, a: &Num, b: &Num) -> Term {
        let (x, y) = (self.place(format, a), self.place(format, b));
        let relation = match op {
            FloatOp::Eq => self.terms.eq(x.term, y.term),
            FloatOp::Lt => self.compare(BinaryOp::Lt, &x, &y),
            _ => self.compare(BinaryOp::Le, &x, &y),
        };
        let (first, second) = (self.is_number(format, x), self.is_number(format, y));
        self.terms.and(&[first, second, relation])
    }

    /// The bits without the sign, negative where that is set: in the order of the numbers, and both
    /// zeros are one.
    fn place(&mut self, format: Float, a: &Num) -> Num {
        let signed = Int { signed: true, ..format.int() };
        let half = self.number(format.sign().into(), format.int());
        let positive = self.compare(BinaryOp::Lt, a, &half);
        let turned = match self.types.arithmetic {
            Arithmetic::Bits => self.terms.bv_sub(half.term, a.term),
            _ => self.terms.sub(half.term, a.term),
        };
        let term = self.terms.ite(positive, a.term, turned);
        Num { term, int: signed, range: Range::of(signed) }
    }

    fn is_number(&mut self, format: Float, place: Num) -> Term {
        let most = self.number(format.infinity().into(), place.int);
        let least = self.number(-i128::from(format.infinity()), place.int);
        let below = self.compare(BinaryOp::Le, &place, &most);
        let above = self.compare(BinaryOp::Le, &least, &place);
        self.terms.and(&[below, above])
    }
}
