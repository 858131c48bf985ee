//! Floating-point operators as circuits over bit-vectors, exact in every bit.
//!
//! Numbers are taken apart into a sign, an exponent and a significand whose highest bit is set, what
//! comes out exactly is rounded once and put together again. Square roots and remainders have no
//! circuit here.

use selvedge_ir::{Float, FloatFn, FloatOp, Int};

use crate::term::{Term, Terms};

/// Width of exponents on the way: sums and differences of any two fit.
const EXPONENT: u32 = 16;

/// Bits of the significand, the hidden one included.
fn precision(format: Float) -> u32 {
    match format {
        Float::F32 => 24,
        Float::F64 => 53,
    }
}

fn width(format: Float) -> u32 {
    u32::from(format.int().width)
}

fn bias(format: Float) -> i64 {
    (1 << (width(format) - precision(format) - 1)) - 1
}

/// A number in parts; those of what is no ordinary number mean nothing.
struct Parts {
    negative: Term,
    nan: Term,
    infinite: Term,
    zero: Term,
    /// Of the significand's highest bit, signed.
    exponent: Term,
    significand: Term,
}

impl Terms {
    /// None where there is no circuit, and for comparisons.
    pub fn float_binary(&mut self, format: Float, op: FloatOp, a: Term, b: Term) -> Option<Term> {
        match op {
            FloatOp::Add => Some(self.float_add(format, a, b)),
            FloatOp::Sub => {
                let sign = self.bv(format.sign().into(), width(format));
                let turned = self.bv_xor(b, sign);
                Some(self.float_add(format, a, turned))
            }
            FloatOp::Mul => Some(self.float_mul(format, a, b)),
            FloatOp::Div => Some(self.float_div(format, a, b)),
            FloatOp::Rem | FloatOp::Eq | FloatOp::Lt | FloatOp::Le => None,
        }
    }

    /// `int` is the type of the operand. None where there is no circuit.
    pub fn float_unary(
        &mut self,
        format: Float,
        function: FloatFn,
        int: Int,
        a: Term,
    ) -> Option<Term> {
        match function {
            FloatFn::Sqrt => None,
            FloatFn::Convert(to) => Some(self.float_convert(format, to, a)),
            FloatFn::FromInt => Some(self.float_from_int(format, int, a)),
            FloatFn::ToInt(to) => Some(self.float_to_int(format, to, a)),
        }
    }

    fn exponent(&mut self, value: i64) -> Term {
        self.bv(u128::from(value as u64 & 0xffff), EXPONENT)
    }

    fn is_bit_set(&mut self, bit: u32, word: Term) -> Term {
        let (bit, one) = (self.extract(bit, bit, word), self.bv(1, 1));
        self.eq(bit, one)
    }

    fn is_zero(&mut self, word: Term) -> Term {
        let zero = self.bv(0, self.width(word));
        self.eq(word, zero)
    }

    fn as_bit(&mut self, truth: Term, width: u32) -> Term {
        let (one, zero) = (self.bv(1, width), self.bv(0, width));
        self.ite(truth, one, zero)
    }

    /// Shifts left until the highest bit is set; by how much, as an exponent.
    fn normalized(&mut self, word: Term) -> (Term, Term) {
        let width = self.width(word);
        let (mut word, mut count) = (word, self.exponent(0));
        let mut step = width.next_power_of_two() / 2;
        while step > 0 {
            let high = self.extract(width - 1, width - step, word);
            let empty = self.is_zero(high);
            let by = self.bv(step.into(), width);
            let shifted = self.bv_shl(word, by);
            word = self.ite(empty, shifted, word);
            let more = self.exponent(step.into());
            let counted = self.bv_add(count, more);
            count = self.ite(empty, counted, count);
            step /= 2;
        }
        (word, count)
    }

    /// Shifts right by an exponent that is not negative; the lowest bit says whether anything was
    /// lost.
    fn shifted_sticky(&mut self, word: Term, by: Term) -> Term {
        let width = self.width(word);
        let most = self.exponent(width.into());
        let beyond = self.bv_ult(most, by);
        let by = self.ite(beyond, most, by);
        let by = if width > EXPONENT {
            self.zero_extend(width - EXPONENT, by)
        } else {
            self.extract(width - 1, 0, by)
        };
        let shifted = self.bv_lshr(word, by);
        let back = self.bv_shl(shifted, by);
        let lost = self.ne(back, word);
        let lost = self.as_bit(lost, width);
        self.bv_or(shifted, lost)
    }

    fn float_parts(&mut self, format: Float, bits: Term) -> Parts {
        let (whole, precision) = (width(format), precision(format));
        let fraction = self.extract(precision - 2, 0, bits);
        let field = self.extract(whole - 2, precision - 1, bits);
        let ones = self.greatest_field(format);
        let (least, most) = (self.is_zero(field), self.eq(field, ones));
        let empty = self.is_zero(fraction);
        let some = self.not(empty);
        let small = self.zero_extend(1, fraction);
        let (small, places) = self.normalized(small);
        let lowest = self.exponent(1 - bias(format));
        let small_exponent = self.bv_sub(lowest, places);
        let hidden = self.bv(1, 1);
        let normal = self.concat(hidden, fraction);
        let field = self.zero_extend(EXPONENT - (whole - precision), field);
        let bias = self.exponent(bias(format));
        let exponent = self.bv_sub(field, bias);
        Parts {
            negative: self.is_bit_set(whole - 1, bits),
            nan: self.and(&[most, some]),
            infinite: self.and(&[most, empty]),
            zero: self.and(&[least, empty]),
            exponent: self.ite(least, small_exponent, exponent),
            significand: self.ite(least, small, normal),
        }
    }

    /// The greatest exponent field, that of infinity.
    fn greatest_field(&mut self, format: Float) -> Term {
        let field = width(format) - precision(format);
        self.bv((1 << field) - 1, field)
    }

    /// Rounds a number that is not zero. Of the significand the highest bit is set, and it has some
    /// bits more than the format or stands for all of the number.
    fn float_rounded(
        &mut self,
        format: Float,
        negative: Term,
        exponent: Term,
        significand: Term,
    ) -> Term {
        let (whole, precision) = (width(format), precision(format));
        let significand = self.padded(significand, precision + 2);
        let wide = self.width(significand);
        let lowest = self.exponent(1 - bias(format));
        let small = self.bv_slt(exponent, lowest);
        let below = self.bv_sub(lowest, exponent);
        let moved = self.shifted_sticky(significand, below);
        let significand = self.ite(small, moved, significand);
        let kept = self.extract(wide - 1, wide - precision, significand);
        let half = self.is_bit_set(wide - precision - 1, significand);
        let rest = self.extract(wide - precision - 2, 0, significand);
        let exact = self.is_zero(rest);
        let (more, odd) = (self.not(exact), self.is_bit_set(0, kept));
        let away = self.or(&[more, odd]);
        let up = self.and(&[half, away]);
        // The hidden bit adds one to the field, and so does a carry.
        let offset = self.exponent(bias(format) - 1);
        let field = self.bv_add(exponent, offset);
        let none = self.exponent(0);
        let field = self.ite(small, none, field);
        let field = self.extract(whole - precision, 0, field);
        let fraction = self.bv(0, precision - 1);
        let field = self.concat(field, fraction);
        let kept = self.zero_extend(whole - precision, kept);
        let up = self.as_bit(up, whole);
        let sum = self.bv_add(field, kept);
        let bits = self.bv_add(sum, up);
        let greatest = self.exponent(bias(format));
        let large = self.bv_slt(greatest, exponent);
        let infinity = self.bv(format.infinity().into(), whole);
        let bits = self.ite(large, infinity, bits);
        self.signed_bits(format, negative, bits)
    }

    /// With zeros behind, if it has fewer bits than that.
    fn padded(&mut self, word: Term, least: u32) -> Term {
        match least.checked_sub(self.width(word)) {
            None | Some(0) => word,
            Some(more) => {
                let zeros = self.bv(0, more);
                self.concat(word, zeros)
            }
        }
    }

    fn signed_bits(&mut self, format: Float, negative: Term, bits: Term) -> Term {
        let (sign, none) =
            (self.bv(format.sign().into(), width(format)), self.bv(0, width(format)));
        let sign = self.ite(negative, sign, none);
        self.bv_or(bits, sign)
    }

    /// The result where it is no ordinary number, before what is one: the conditions are tried in
    /// the order nan, infinity, zero.
    fn float_choice(
        &mut self,
        format: Float,
        [nan, infinite, zero]: [Term; 3],
        negative: Term,
        number: Term,
    ) -> Term {
        let whole = width(format);
        let none = self.bv(0, whole);
        let nothing = self.signed_bits(format, negative, none);
        let infinity = self.bv(format.infinity().into(), whole);
        let infinity = self.signed_bits(format, negative, infinity);
        let not_a_number = self.bv(format.nan().into(), whole);
        let result = self.ite(zero, nothing, number);
        let result = self.ite(infinite, infinity, result);
        self.ite(nan, not_a_number, result)
    }

    fn float_add(&mut self, format: Float, a: Term, b: Term) -> Term {
        let (whole, precision) = (width(format), precision(format));
        // The larger one first.
        let sizes = [a, b].map(|bits| self.extract(whole - 2, 0, bits));
        let swap = self.bv_ult(sizes[0], sizes[1]);
        let (a, b) = (self.ite(swap, b, a), self.ite(swap, a, b));
        let (x, y) = (self.float_parts(format, a), self.float_parts(format, b));
        let [first, second] = [x.significand, y.significand].map(|significand| {
            let room = self.zero_extend(1, significand);
            self.padded(room, 2 * precision + 3)
        });
        let distance = self.bv_sub(x.exponent, y.exponent);
        let second = self.shifted_sticky(second, distance);
        let differ = self.xor(x.negative, y.negative);
        let (sum, difference) = (self.bv_add(first, second), self.bv_sub(first, second));
        let exact = self.ite(differ, difference, sum);
        let cancelled = self.is_zero(exact);
        let (significand, places) = self.normalized(exact);
        let one = self.exponent(1);
        let exponent = self.bv_add(x.exponent, one);
        let exponent = self.bv_sub(exponent, places);
        let number = self.float_rounded(format, x.negative, exponent, significand);
        // Zeros add nothing; that of both is negative only if both are.
        let number = self.ite(y.zero, a, number);
        let zeros = self.and(&[x.zero, y.zero]);
        let negative = self.and(&[x.negative, y.negative]);
        let plain = self.not(y.zero);
        let cancelled = self.and(&[cancelled, plain]);
        let zero = self.or(&[zeros, cancelled]);
        let nans = self.or(&[x.nan, y.nan]);
        let opposite = self.and(&[x.infinite, y.infinite, differ]);
        let nan = self.or(&[nans, opposite]);
        let none = self.bv(0, whole);
        let nothing = self.signed_bits(format, negative, none);
        let number = self.ite(zero, nothing, number);
        let number = self.ite(x.infinite, a, number);
        let not_a_number = self.bv(format.nan().into(), whole);
        self.ite(nan, not_a_number, number)
    }

    fn float_mul(&mut self, format: Float, a: Term, b: Term) -> Term {
        let precision = precision(format);
        let (x, y) = (self.float_parts(format, a), self.float_parts(format, b));
        let [first, second] =
            [x.significand, y.significand].map(|word| self.zero_extend(precision, word));
        let product = self.bv_mul(first, second);
        let (significand, places) = self.normalized(product);
        let (sum, one) = (self.bv_add(x.exponent, y.exponent), self.exponent(1));
        let exponent = self.bv_add(sum, one);
        let exponent = self.bv_sub(exponent, places);
        let negative = self.xor(x.negative, y.negative);
        let number = self.float_rounded(format, negative, exponent, significand);
        let infinite = self.or(&[x.infinite, y.infinite]);
        let zero = self.or(&[x.zero, y.zero]);
        let undecided = self.and(&[infinite, zero]);
        let nan = self.or(&[x.nan, y.nan, undecided]);
        self.float_choice(format, [nan, infinite, zero], negative, number)
    }

    fn float_div(&mut self, format: Float, a: Term, b: Term) -> Term {
        let precision = precision(format);
        let (x, y) = (self.float_parts(format, a), self.float_parts(format, b));
        let wide = 2 * precision + 2;
        let dividend = self.padded(x.significand, wide);
        let divisor = self.zero_extend(wide - precision, y.significand);
        let quotient = self.bv_udiv(dividend, divisor);
        let rest = self.bv_urem(dividend, divisor);
        let even = self.is_zero(rest);
        let more = self.not(even);
        let more = self.as_bit(more, 1);
        let quotient = self.extract(precision + 2, 0, quotient);
        let quotient = self.concat(quotient, more);
        let (significand, places) = self.normalized(quotient);
        let difference = self.bv_sub(x.exponent, y.exponent);
        let exponent = self.bv_sub(difference, places);
        let negative = self.xor(x.negative, y.negative);
        let number = self.float_rounded(format, negative, exponent, significand);
        let undecided = [self.and(&[x.infinite, y.infinite]), self.and(&[x.zero, y.zero])];
        let nan = self.or(&[x.nan, y.nan, undecided[0], undecided[1]]);
        let infinite = self.or(&[x.infinite, y.zero]);
        let zero = self.or(&[x.zero, y.infinite]);
        self.float_choice(format, [nan, infinite, zero], negative, number)
    }

    fn float_convert(&mut self, from: Float, to: Float, a: Term) -> Term {
        let x = self.float_parts(from, a);
        let number = self.float_rounded(to, x.negative, x.exponent, x.significand);
        self.float_choice(to, [x.nan, x.infinite, x.zero], x.negative, number)
    }

    fn float_from_int(&mut self, format: Float, int: Int, a: Term) -> Term {
        let bits = u32::from(int.width);
        let never = self.bool(false);
        let negative = if int.signed { self.is_bit_set(bits - 1, a) } else { never };
        let turned = self.bv_neg(a);
        let size = self.ite(negative, turned, a);
        let zero = self.is_zero(a);
        let (significand, places) = self.normalized(size);
        let top = self.exponent(i64::from(bits) - 1);
        let exponent = self.bv_sub(top, places);
        let number = self.float_rounded(format, negative, exponent, significand);
        self.float_choice(format, [never, never, zero], negative, number)
    }

    fn float_to_int(&mut self, format: Float, to: Int, a: Term) -> Term {
        let (precision, bits) = (precision(format), u32::from(to.width));
        let x = self.float_parts(format, a);
        let (none, most) = (self.exponent(0), self.exponent(bits.into()));
        let whole = self.bv_sle(none, x.exponent);
        let near = self.bv_slt(x.exponent, most);
        let wide = precision + bits;
        let significand = self.zero_extend(bits, x.significand);
        let by = self.ite(whole, x.exponent, none);
        let by = self.zero_extend(wide - EXPONENT, by);
        let moved = self.bv_shl(significand, by);
        let size = self.extract(wide - 1, precision - 1, moved);
        // One bit more than the type has.
        let least = self.bv(to.min().unsigned_abs(), bits + 1);
        let greatest = self.bv(to.max().unsigned_abs(), bits + 1);
        let limit = self.ite(x.negative, least, greatest);
        let fits = self.bv_ule(size, limit);
        let size = self.extract(bits - 1, 0, size);
        let turned = self.bv_neg(size);
        let number = self.ite(x.negative, turned, size);
        let special = self.or(&[x.nan, x.infinite, x.zero]);
        let ordinary = self.not(special);
        let inside = self.and(&[ordinary, whole, near, fits]);
        let nothing = self.bv(0, bits);
        self.ite(inside, number, nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    /// Numbers where something happens, and random ones.
    fn samples(format: Float, count: usize) -> Vec<u64> {
        let (whole, infinity, sign) = (width(format), format.infinity(), format.sign());
        let one = (bias(format) as u64) << (precision(format) - 1);
        let mut list = vec![0, 1, 2, 3, one, one + 1, one - 1, infinity - 1, infinity];
        list.extend([format.nan(), infinity + 1, infinity >> 1, 1 << (precision(format) - 1)]);
        list.extend([(1 << (precision(format) - 1)) - 1, one + (1 << (precision(format) - 2))]);
        let negative: Vec<u64> = list.iter().map(|bits| bits | sign).collect();
        list.extend(negative);
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for i in 0..count {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let bits = state & format.int().mask();
            // Half of them near one another, so that they cancel and round.
            let near = (bits & (sign | (1 << (precision(format) + 1)) - 1)) | one;
            list.push(if i % 2 == 0 { bits } else { near & format.int().mask() });
        }
        assert!(list.iter().all(|bits| bits >> (whole - 1) <= 1));
        list
    }

    fn value(terms: &Terms, term: Term) -> u64 {
        match terms.constant(term) {
            Some(Value::Bv(bits)) => bits.bits as u64,
            other => panic!("constants fold to a constant, not {other:?}"),
        }
    }

    #[test]
    fn operators_give_what_the_machine_gives() {
        for format in Float::ALL {
            let list = samples(format, 60);
            for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div] {
                for (&a, &b) in list.iter().flat_map(|a| list.iter().map(move |b| (a, b))) {
                    let mut terms = Terms::new();
                    let bits = [a, b].map(|bits| terms.bv(bits.into(), width(format)));
                    let result = terms.float_binary(format, op, bits[0], bits[1]);
                    let result = value(&terms, result.expect("there is a circuit"));
                    let expected = format.binary(op, a, b);
                    assert_eq!(result, expected, "{format:?} {op:?} {a:x} {b:x}");
                }
            }
        }
    }

    #[test]
    fn conversions_give_what_the_machine_gives() {
        let ints = [Int::I8, Int::U8, Int::I32, Int::U32, Int::I64, Int::U64];
        for format in Float::ALL {
            let list = samples(format, 600);
            let mut functions: Vec<_> = Float::ALL.into_iter().map(FloatFn::Convert).collect();
            functions.extend(ints.map(FloatFn::ToInt));
            for function in functions {
                for &a in &list {
                    check(format, function, format.int(), a);
                }
            }
            for int in ints {
                for &a in &list {
                    check(format, FloatFn::FromInt, int, a & int.mask());
                    check(format, FloatFn::FromInt, int, (a >> (a % 40)) & int.mask());
                }
            }
        }
    }

    fn check(format: Float, function: FloatFn, int: Int, a: u64) {
        let mut terms = Terms::new();
        let bits = terms.bv(a.into(), int.width.into());
        let result = terms.float_unary(format, function, int, bits).expect("there is a circuit");
        let expected = format.unary(function, int, a);
        assert_eq!(value(&terms, result), expected, "{format:?} {function:?} {int} {a:x}");
    }
}
