//! Operations on machine integers as bit-vectors.

use selvedge_ir::BinaryOp;

use super::{Num, Range, Work};
use crate::term::Term;

impl Work<'_> {
    pub fn arithmetic_bits(&mut self, op: BinaryOp, a: &Num, b: &Num) -> Num {
        let (x, y, signed) = (a.term, b.term, a.int.signed);
        let t = &mut *self.terms;
        let term = match op {
            BinaryOp::Add => t.bv_add(x, y),
            BinaryOp::Sub => t.bv_sub(x, y),
            BinaryOp::Mul => t.bv_mul(x, y),
            BinaryOp::Div if signed => t.bv_sdiv(x, y),
            BinaryOp::Div => t.bv_udiv(x, y),
            BinaryOp::Rem if signed => t.bv_srem(x, y),
            BinaryOp::Rem => t.bv_urem(x, y),
            BinaryOp::And => t.bv_and(x, y),
            BinaryOp::Or => t.bv_or(x, y),
            BinaryOp::Xor => t.bv_xor(x, y),
            BinaryOp::Shl => t.bv_shl(x, y),
            BinaryOp::Shr if signed => t.bv_ashr(x, y),
            BinaryOp::Shr => t.bv_lshr(x, y),
            _ => panic!("{op:?} does not give an integer"),
        };
        Num { term, int: a.int, range: Range::of(a.int) }
    }

    pub fn compare_bits(&mut self, op: BinaryOp, a: Term, b: Term, signed: bool) -> Term {
        let t = &mut *self.terms;
        match (op, signed) {
            (BinaryOp::Lt, true) => t.bv_slt(a, b),
            (BinaryOp::Le, true) => t.bv_sle(a, b),
            (BinaryOp::Gt, true) => t.bv_slt(b, a),
            (BinaryOp::Ge, true) => t.bv_sle(b, a),
            (BinaryOp::Lt, false) => t.bv_ult(a, b),
            (BinaryOp::Le, false) => t.bv_ule(a, b),
            (BinaryOp::Gt, false) => t.bv_ult(b, a),
            (BinaryOp::Ge, false) => t.bv_ule(b, a),
            _ => panic!("{op:?} is no order"),
        }
    }

    /// The exact result has so many bits more that it fits; it overflows if cutting it to the type
    /// and extending it again changes it.
    pub fn overflows_bits(&mut self, op: BinaryOp, a: &Num, b: &Num) -> Term {
        let (width, signed) = (u32::from(a.int.width), a.int.signed);
        if op == BinaryOp::SubOverflows && !signed {
            return self.terms.bv_ult(a.term, b.term);
        }
        let more = if op == BinaryOp::MulOverflows { width } else { 1 };
        let (x, y) = (self.extend(a.term, more, signed), self.extend(b.term, more, signed));
        let exact = match op {
            BinaryOp::AddOverflows => self.terms.bv_add(x, y),
            BinaryOp::SubOverflows => self.terms.bv_sub(x, y),
            _ => self.terms.bv_mul(x, y),
        };
        let cut = self.terms.extract(width - 1, 0, exact);
        let again = self.extend(cut, more, signed);
        self.terms.ne(again, exact)
    }

    fn extend(&mut self, term: Term, by: u32, signed: bool) -> Term {
        if signed { self.terms.sign_extend(by, term) } else { self.terms.zero_extend(by, term) }
    }

    /// Wraps or extends by the source's signedness.
    pub fn resize(&mut self, term: Term, to: u32, signed: bool) -> Term {
        let width = self.terms.width(term);
        if to <= width {
            self.terms.extract(to - 1, 0, term)
        } else {
            self.extend(term, to - width, signed)
        }
    }
}
