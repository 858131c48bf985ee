//! Operations on machine integers as mathematical integers.

use num_bigint::BigInt;
use selvedge_ir::{BinaryOp, Int};

use super::{Arithmetic, Need, Num, Range, Work, Wrap};
use crate::term::Term;

impl Work<'_> {
    /// A constant, in any arithmetic.
    pub fn number(&mut self, value: i128, int: Int) -> Num {
        let term = match self.types.arithmetic {
            Arithmetic::Bits => self.terms.bv(u128::from(int.wrap(value)), u32::from(int.width)),
            _ => self.terms.int(value),
        };
        Num { term, int, range: Range::exactly(value) }
    }

    /// An exact result as a value of its type: as it is, where it certainly is one.
    pub fn fit(&mut self, term: Term, int: Int, range: Range) -> Num {
        if let Some(value) = self.terms.int_of(term).cloned() {
            return self.fit_constant(&value, int);
        }
        let wrap = match self.types.arithmetic {
            Arithmetic::Math => return Num { term, int, range },
            _ if range.within(int) => return Num { term, int, range },
            Arithmetic::Integers(wrap) => wrap,
            Arithmetic::Bits => panic!("bit-vectors wrap by themselves"),
        };
        let term = match wrap {
            Wrap::Modular => match self.wrapped_once(term, int, range) {
                Some(term) => term,
                None => self.wrapped(term, int),
            },
            Wrap::Obliged => {
                let inside = self.terms.between(int.min(), term, int.max());
                self.oblige(Need::NoWrap, inside);
                term
            }
        };
        Num { term, int, range: Range::of(int) }
    }

    fn fit_constant(&mut self, value: &BigInt, int: Int) -> Num {
        let exact = i128::try_from(value).ok();
        let value = match (self.types.arithmetic, exact) {
            (Arithmetic::Math, Some(value)) => value,
            (Arithmetic::Math, None) => {
                let term = self.terms.int(value.clone());
                return Num { term, int, range: Range(None) };
            }
            (_, Some(value)) => int.value(int.wrap(value)),
            (_, None) => {
                let term = self.terms.int(value.clone());
                let term = self.wrapped(term, int);
                let wrapped = self.terms.int_of(term).and_then(|w| i128::try_from(w).ok());
                wrapped.expect("a wrapped constant is in range")
            }
        };
        self.number(value, int)
    }

    /// Into the type's range where a result is at most once around: a choice, which solvers of Horn
    /// clauses understand better than a remainder.
    fn wrapped_once(&mut self, term: Term, int: Int, range: Range) -> Option<Term> {
        let (low, high) = range.0?;
        let around = 1i128 << int.width;
        if low < int.min() - around || high > int.max() + around {
            return None;
        }
        let mut wrapped = term;
        let t = &mut *self.terms;
        if high > int.max() {
            let (limit, less) = (t.int(int.max()), t.int(-around));
            let (over, back) = (t.lt(limit, term), t.add(&[term, less]));
            wrapped = t.ite(over, back, wrapped);
        }
        if low < int.min() {
            let (limit, more) = (t.int(int.min()), t.int(around));
            let (under, back) = (t.lt(term, limit), t.add(&[term, more]));
            wrapped = t.ite(under, back, wrapped);
        }
        Some(wrapped)
    }

    /// Modulo two to the width, into the type's range.
    fn wrapped(&mut self, term: Term, int: Int) -> Term {
        let t = &mut *self.terms;
        let modulus = t.int(1i128 << int.width);
        if !int.signed {
            return t.modulo(term, modulus);
        }
        let half = t.int(1i128 << (int.width - 1));
        let moved = t.add(&[term, half]);
        let rest = t.modulo(moved, modulus);
        t.sub(rest, half)
    }

    pub fn neg(&mut self, a: Num) -> Num {
        if self.types.arithmetic == Arithmetic::Bits {
            return Num { term: self.terms.bv_neg(a.term), int: a.int, range: Range::of(a.int) };
        }
        let term = self.terms.neg(a.term);
        self.fit(term, a.int, Range::exactly(0).sub(a.range))
    }

    pub fn bit_not(&mut self, a: Num) -> Num {
        if self.types.arithmetic == Arithmetic::Bits {
            return Num { term: self.terms.bv_not(a.term), int: a.int, range: Range::of(a.int) };
        }
        // Two's complement: -1 - a for signed, the greatest value less a for unsigned.
        let top = if a.int.signed { -1 } else { a.int.max() };
        let term = self.terms.int(top);
        let term = self.terms.sub(term, a.term);
        self.fit(term, a.int, Range::exactly(top).sub(a.range))
    }

    pub fn compare(&mut self, op: BinaryOp, a: &Num, b: &Num) -> Term {
        if self.types.arithmetic == Arithmetic::Bits {
            return self.compare_bits(op, a.term, b.term, a.int.signed);
        }
        self.compare_int(op, a.term, b.term)
    }

    pub fn compare_int(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        match op {
            BinaryOp::Lt => self.terms.lt(a, b),
            BinaryOp::Le => self.terms.le(a, b),
            BinaryOp::Gt => self.terms.lt(b, a),
            BinaryOp::Ge => self.terms.le(b, a),
            _ => panic!("{op:?} is no order"),
        }
    }

    pub fn overflows(&mut self, op: BinaryOp, a: &Num, b: &Num) -> Term {
        if self.types.arithmetic == Arithmetic::Bits {
            return self.overflows_bits(op, a, b);
        }
        let exact = match op {
            BinaryOp::AddOverflows => self.terms.add(&[a.term, b.term]),
            BinaryOp::SubOverflows => self.terms.sub(a.term, b.term),
            _ => self.terms.mul(&[a.term, b.term]),
        };
        let inside = self.terms.between(a.int.min(), exact, a.int.max());
        self.terms.not(inside)
    }

    pub fn arithmetic_int(&mut self, op: BinaryOp, a: Num, b: Num) -> Num {
        let (x, y, int) = (a.term, b.term, a.int);
        match op {
            BinaryOp::Add => {
                let term = self.terms.add(&[x, y]);
                self.fit(term, int, a.range.add(b.range))
            }
            BinaryOp::Sub => {
                let term = self.terms.sub(x, y);
                self.fit(term, int, a.range.sub(b.range))
            }
            BinaryOp::Mul => {
                let term = self.terms.mul(&[x, y]);
                self.fit(term, int, a.range.mul(b.range))
            }
            BinaryOp::Div => self.divide(a, b),
            BinaryOp::Rem => {
                let nonnegative = a.range.0.is_some_and(|(low, _)| low >= 0);
                let term = if nonnegative {
                    self.terms.modulo(x, y)
                } else {
                    self.terms.truncating_rem(x, y)
                };
                // Not farther from zero than the dividend, and of its sign.
                Num { term, int, range: a.range.union(Range::exactly(0)) }
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.bitwise(op, a, b),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, a, b),
            _ => panic!("{op:?} does not give an integer"),
        }
    }

    fn divide(&mut self, a: Num, b: Num) -> Num {
        let nonnegative = a.range.0.is_some_and(|(low, _)| low >= 0);
        let term = if nonnegative {
            self.terms.div(a.term, b.term)
        } else {
            self.terms.truncating_div(a.term, b.term)
        };
        // Only the least value divided by -1 leaves the type.
        let negated = Range::exactly(0).sub(a.range);
        let positive = b.range.0.is_some_and(|(low, _)| low >= 0);
        let range = a.range.union(Range::exactly(0));
        let range = if positive { range } else { range.union(negated) };
        self.fit(term, a.int, range)
    }

    /// By the bits: exact, but hard for the solver unless one operand is a constant that speaks of
    /// one bit or of the low bits.
    fn bitwise(&mut self, op: BinaryOp, a: Num, b: Num) -> Num {
        let constant = |work: &Self, n: &Num| {
            work.terms.int_of(n.term).and_then(|value| i128::try_from(value).ok())
        };
        let simple = match (constant(self, &a), constant(self, &b)) {
            (_, Some(mask)) => self.bitwise_constant(op, &a, mask),
            (Some(mask), _) => self.bitwise_constant(op, &b, mask),
            _ => None,
        };
        let int = a.int;
        let term = simple.unwrap_or_else(|| {
            let width = u32::from(int.width);
            let t = &mut *self.terms;
            let (x, y) = (t.int_to_bv(width, a.term), t.int_to_bv(width, b.term));
            let word = match op {
                BinaryOp::And => t.bv_and(x, y),
                BinaryOp::Or => t.bv_or(x, y),
                _ => t.bv_xor(x, y),
            };
            if int.signed { t.bv_to_signed_int(word) } else { t.bv_to_int(word) }
        });
        Num { term, int, range: Range::of(int) }
    }

    /// None where the mask is not simple.
    fn bitwise_constant(&mut self, op: BinaryOp, a: &Num, mask: i128) -> Option<Term> {
        // In `Math` a value may have bits above the width, which the machine's would not have.
        if !a.range.within(a.int) {
            return None;
        }
        let bits = u128::from(a.int.wrap(mask));
        let all = u128::from(a.int.mask());
        let x = a.term;
        let sign = 1u128 << (a.int.width - 1);
        let touches_sign = |bit: u128| a.int.signed && bit == sign;
        match op {
            BinaryOp::And if bits == 0 => Some(self.terms.int(0)),
            BinaryOp::And if bits == all => Some(x),
            BinaryOp::And if (bits + 1).is_power_of_two() => {
                let modulus = self.terms.int(bits + 1);
                Some(self.terms.modulo(x, modulus))
            }
            BinaryOp::And if bits.is_power_of_two() && !touches_sign(bits) => {
                let (bit, weight) = self.bit(x, bits);
                Some(self.terms.mul(&[weight, bit]))
            }
            BinaryOp::And if (all - bits).is_power_of_two() && !touches_sign(all - bits) => {
                let (bit, weight) = self.bit(x, all - bits);
                let value = self.terms.mul(&[weight, bit]);
                Some(self.terms.sub(x, value))
            }
            BinaryOp::Or | BinaryOp::Xor if bits == 0 => Some(x),
            BinaryOp::Or | BinaryOp::Xor if bits.is_power_of_two() && !touches_sign(bits) => {
                let (bit, weight) = self.bit(x, bits);
                let zero = self.terms.int(0);
                let clear = self.terms.eq(bit, zero);
                let set = self.terms.add(&[x, weight]);
                let otherwise = if op == BinaryOp::Or { x } else { self.terms.sub(x, weight) };
                Some(self.terms.ite(clear, set, otherwise))
            }
            _ => None,
        }
    }

    /// The bit of this weight (0 or 1), and the weight as a term.
    fn bit(&mut self, x: Term, weight: u128) -> (Term, Term) {
        let (weight, two) = (self.terms.int(weight), self.terms.int(2));
        let above = self.terms.div(x, weight);
        (self.terms.modulo(above, two), weight)
    }

    fn shift(&mut self, op: BinaryOp, a: Num, b: Num) -> Num {
        let int = a.int;
        let count = self.terms.int_of(b.term).cloned();
        let (term, range) = match count {
            Some(count) => {
                let by = u8::try_from(&count).ok().filter(|&by| by < int.width);
                self.shifted(op, &a, by)
            }
            None => {
                // Counts are unsigned: a negative one is as good as one beyond the width.
                let (mut term, mut range) = self.shifted(op, &a, None);
                for by in 0..int.width {
                    let (moved, bounds) = self.shifted(op, &a, Some(by));
                    let number = self.terms.int(by);
                    let here = self.terms.eq(b.term, number);
                    term = self.terms.ite(here, moved, term);
                    range = range.union(bounds);
                }
                (term, range)
            }
        };
        self.fit(term, int, range)
    }

    /// By a count below the width, or by all.
    fn shifted(&mut self, op: BinaryOp, a: &Num, by: Option<u8>) -> (Term, Range) {
        let zero = self.terms.int(0);
        match (op, by) {
            (BinaryOp::Shl, Some(by)) => {
                let weight = self.terms.int(1i128 << by);
                (self.terms.mul(&[weight, a.term]), a.range.mul(Range::exactly(1 << by)))
            }
            (BinaryOp::Shl, None) => (zero, Range::exactly(0)),
            // Division by a positive number rounds down, as the shift does.
            (_, Some(by)) => {
                let weight = self.terms.int(1i128 << by);
                (self.terms.div(a.term, weight), a.range)
            }
            (_, None) if a.int.signed => {
                let minus = self.terms.int(-1);
                let negative = self.terms.lt(a.term, zero);
                (self.terms.ite(negative, minus, zero), Range(Some((-1, 0))))
            }
            (_, None) => (zero, Range::exactly(0)),
        }
    }
}
