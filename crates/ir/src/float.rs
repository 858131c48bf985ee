//! Floating-point numbers of IEEE 754. A value is its bits, an unsigned integer of the format's
//! width, so that memory, copies and unions need to know nothing of numbers; only operators read the
//! bits as one.
//!
//! Every operation rounds once, to the nearest number and on a tie to the even one. A result that is
//! not a number has the bits of [`Float::nan`]: which not-a-number a machine gives is left open.

use serde::{Deserialize, Serialize};

use crate::{Int, Type};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Float {
    F32,
    F64,
}

/// Operators on two numbers of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    /// With the sign of the dividend and exact, as C's `fmod`.
    Rem,
    /// A comparison with what is not a number does not hold; zeros of both signs are equal.
    Eq,
    Lt,
    Le,
}

/// Operators on one operand, which to or from a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FloatFn {
    Sqrt,
    /// The number in another format.
    Convert(Float),
    /// Of an integer of any type: the nearest number of the format.
    FromInt,
    /// Towards zero; zero where the result is not in the type, or there is no number.
    ToInt(Int),
}

impl FloatOp {
    pub const ALL: [FloatOp; 8] = [
        FloatOp::Add,
        FloatOp::Sub,
        FloatOp::Mul,
        FloatOp::Div,
        FloatOp::Rem,
        FloatOp::Eq,
        FloatOp::Lt,
        FloatOp::Le,
    ];

    /// Comparison: the result is bool.
    pub fn is_test(self) -> bool {
        matches!(self, FloatOp::Eq | FloatOp::Lt | FloatOp::Le)
    }

    /// As the text form writes it.
    pub fn name(self) -> &'static str {
        match self {
            FloatOp::Add => "fadd",
            FloatOp::Sub => "fsub",
            FloatOp::Mul => "fmul",
            FloatOp::Div => "fdiv",
            FloatOp::Rem => "frem",
            FloatOp::Eq => "feq",
            FloatOp::Lt => "flt",
            FloatOp::Le => "fle",
        }
    }
}

impl Float {
    pub const ALL: [Float; 2] = [Float::F32, Float::F64];

    /// The type of the bits.
    pub fn int(self) -> Int {
        match self {
            Float::F32 => Int::U32,
            Float::F64 => Int::U64,
        }
    }

    pub fn ty(self) -> Type {
        Type::Int(self.int())
    }

    pub fn name(self) -> &'static str {
        match self {
            Float::F32 => "f32",
            Float::F64 => "f64",
        }
    }

    /// The bit of the sign.
    pub fn sign(self) -> u64 {
        1 << (self.int().width - 1)
    }

    pub fn infinity(self) -> u64 {
        match self {
            Float::F32 => f32::INFINITY.to_bits().into(),
            Float::F64 => f64::INFINITY.to_bits(),
        }
    }

    /// The one that is not a number and that operations give.
    pub fn nan(self) -> u64 {
        match self {
            Float::F32 => 0x7fc0_0000,
            Float::F64 => 0x7ff8_0000_0000_0000,
        }
    }

    pub fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign() > self.infinity()
    }

    /// The number, which every format has in common with the widest; the bits of one that is none
    /// do not matter.
    fn number(self, bits: u64) -> f64 {
        match self {
            Float::F32 => f32::from_bits(bits as u32).into(),
            Float::F64 => f64::from_bits(bits),
        }
    }

    fn of_f32(number: f32) -> u64 {
        if number.is_nan() { Float::F32.nan() } else { number.to_bits().into() }
    }

    fn of_f64(number: f64) -> u64 {
        if number.is_nan() { Float::F64.nan() } else { number.to_bits() }
    }

    /// The bits of the nearest number.
    pub fn nearest(self, number: f64) -> u64 {
        match self {
            Float::F32 => Float::of_f32(number as f32),
            Float::F64 => Float::of_f64(number),
        }
    }

    /// Bits, or 0 and 1 for a comparison.
    pub fn binary(self, op: FloatOp, a: u64, b: u64) -> u64 {
        let (x, y) = (self.number(a), self.number(b));
        match op {
            FloatOp::Eq => return u64::from(x == y),
            FloatOp::Lt => return u64::from(x < y),
            FloatOp::Le => return u64::from(x <= y),
            _ => {}
        }
        match self {
            Float::F32 => {
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                Float::of_f32(match op {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    FloatOp::Div => x / y,
                    _ => x % y,
                })
            }
            Float::F64 => Float::of_f64(match op {
                FloatOp::Add => x + y,
                FloatOp::Sub => x - y,
                FloatOp::Mul => x * y,
                FloatOp::Div => x / y,
                _ => x % y,
            }),
        }
    }

    /// `int` is the type of the operand.
    pub fn unary(self, function: FloatFn, int: Int, bits: u64) -> u64 {
        match (self, function) {
            (Float::F32, FloatFn::Sqrt) => Float::of_f32(f32::from_bits(bits as u32).sqrt()),
            (Float::F64, FloatFn::Sqrt) => Float::of_f64(f64::from_bits(bits).sqrt()),
            (_, FloatFn::Convert(to)) => to.nearest(self.number(bits)),
            (Float::F32, FloatFn::FromInt) => Float::of_f32(int.value(bits) as f32),
            (Float::F64, FloatFn::FromInt) => Float::of_f64(int.value(bits) as f64),
            (_, FloatFn::ToInt(to)) => {
                // Saturates where even 128 bits are too few, which is outside of every type.
                let whole = self.number(bits) as i128;
                let inside = (to.min()..=to.max()).contains(&whole);
                if inside { to.wrap(whole) } else { 0 }
            }
        }
    }

    /// The type of the operand of a function; none where every integer type will do.
    pub fn operand(self, function: FloatFn) -> Option<Type> {
        (function != FloatFn::FromInt).then(|| self.ty())
    }

    pub fn result(self, function: FloatFn) -> Int {
        match function {
            FloatFn::Sqrt | FloatFn::FromInt => self.int(),
            FloatFn::Convert(to) => to.int(),
            FloatFn::ToInt(int) => int,
        }
    }

    /// The bits at which the answer of a comparison with a number can change, in their order, if
    /// bits are counted up from zero: numbers from zero on, what is not a number, then the same
    /// with the sign.
    pub fn turns(self, bits: u64) -> [u64; 9] {
        let (sign, size, top) = (self.sign(), bits & !self.sign(), self.infinity() + 1);
        let next = (size + 1).min(top);
        let size = size.min(top);
        [1, size, next, top, sign, sign + 1, sign + size, sign + next, sign + top]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(number: f64) -> u64 {
        number.to_bits()
    }

    #[test]
    fn one_rounding() {
        // By way of a double the sum of 2^24 + 1 and a half of the last bit would be lost first.
        let number = (1i64 << 60) + (1 << 36) + 1;
        let bits = Float::F32.unary(FloatFn::FromInt, Int::I64, number as u64);
        assert_eq!(bits, u64::from((number as f32).to_bits()));
        assert_ne!(bits, Float::F32.nearest(number as f64));
        let tenth = u64::from(0.1f32.to_bits());
        let sum = Float::F32.binary(FloatOp::Add, tenth, tenth);
        assert_eq!(sum, u64::from((0.1f32 + 0.1f32).to_bits()));
    }

    #[test]
    fn no_number() {
        let nan = Float::F64.binary(FloatOp::Div, 0, Float::F64.sign());
        assert_eq!(nan, Float::F64.nan());
        for op in [FloatOp::Eq, FloatOp::Lt, FloatOp::Le] {
            assert_eq!(Float::F64.binary(op, nan, nan), 0);
        }
        assert_eq!(Float::F64.unary(FloatFn::ToInt(Int::I32), Int::U64, nan), 0);
        assert_eq!(Float::F64.binary(FloatOp::Eq, 0, Float::F64.sign()), 1);
    }

    #[test]
    fn integers_outside_of_the_type() {
        let to = |int, number| Float::F64.unary(FloatFn::ToInt(int), Int::U64, double(number));
        assert_eq!(to(Int::I8, -128.9), 0x80);
        assert_eq!(to(Int::I8, -129.0), 0);
        assert_eq!(to(Int::U8, -0.9), 0);
        assert_eq!(to(Int::U64, 1.8446744073709550e19), 0xffff_ffff_ffff_f800);
        assert_eq!(to(Int::U64, 1.8446744073709552e19), 0);
        assert_eq!(to(Int::I64, f64::INFINITY), 0);
    }

    #[test]
    fn comparisons_change_only_at_turns() {
        let numbers = [0.0, -0.0, 1.5, -1.5, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for number in numbers.map(double) {
            let turns = Float::F64.turns(number);
            assert!(turns.is_sorted(), "{turns:x?}");
            for op in [FloatOp::Eq, FloatOp::Lt, FloatOp::Le] {
                let mut ends = turns.iter().skip(1).map(|turn| turn.wrapping_sub(1));
                for (start, end) in turns.iter().zip(ends.by_ref()).filter(|(s, e)| *s <= e) {
                    let at = |bits| Float::F64.binary(op, bits, number);
                    assert_eq!(at(*start), at(end), "{op:?} {start:x}..={end:x} {number:x}");
                    let at = |bits| Float::F64.binary(op, number, bits);
                    assert_eq!(at(*start), at(end), "{op:?} {number:x} {start:x}..={end:x}");
                }
            }
        }
    }
}
