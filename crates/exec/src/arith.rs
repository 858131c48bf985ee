//! Arithmetic of machine integers.

use selvedge_ir::{BinaryOp, Int};

use crate::value::Value;

/// The result on bits of one type; none for a division by zero.
pub(crate) fn binary(op: BinaryOp, int: Int, a: u64, b: u64) -> Option<Value> {
    use BinaryOp::*;
    let wrapped = |v: u64| Some(Value::Int(v & int.mask()));
    match op {
        Add | PtrAdd => wrapped(a.wrapping_add(b)),
        Sub | PtrSub => wrapped(a.wrapping_sub(b)),
        Mul => wrapped(a.wrapping_mul(b)),
        Div | Rem if b == 0 => None,
        Div => Some(Value::Int(int.wrap(int.value(a) / int.value(b)))),
        Rem => Some(Value::Int(int.wrap(int.value(a) % int.value(b)))),
        And => Some(Value::Int(a & b)),
        Or => Some(Value::Int(a | b)),
        Xor => Some(Value::Int(a ^ b)),
        Shl => wrapped(if b >= u64::from(int.width) { 0 } else { a << b }),
        Shr => {
            let by = b.min(u64::from(int.width)) as u32;
            Some(Value::Int(int.wrap(int.value(a) >> by)))
        }
        Float(format, op) => Some(Value::Int(format.binary(op, a, b))),
        Eq => Some(Value::bool(a == b)),
        Ne => Some(Value::bool(a != b)),
        Lt | Le | Gt | Ge => Some(Value::bool(compare(op, int.value(a), int.value(b)))),
        AddOverflows | SubOverflows | MulOverflows => {
            let exact = exact(op, int.value(a), int.value(b));
            Some(Value::bool(exact < int.min() || exact > int.max()))
        }
    }
}

/// An order or equality, on mathematical values.
pub(crate) fn compare(op: BinaryOp, a: i128, b: i128) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => unreachable!("{op:?} is no comparison"),
    }
}

/// What the overflow test is about. Products of 64-bit values fit 128 bits but for the largest
/// unsigned ones, which saturate: out of range all the same.
fn exact(op: BinaryOp, a: i128, b: i128) -> i128 {
    match op {
        BinaryOp::AddOverflows => a + b,
        BinaryOp::SubOverflows => a - b,
        _ => a.saturating_mul(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Compares with Rust's own operators at one width.
    macro_rules! agrees {
        ($signed:ty, $unsigned:ty, $width:expr) => {{
            let mut rng = Rng::new($width);
            for _ in 0..2000 {
                let (x, y) = (interesting(&mut rng, $width), interesting(&mut rng, $width));
                let (a, b) = (x as $unsigned, y as $unsigned);
                check_unsigned!($unsigned, $width, a, b);
                check_signed!($signed, $unsigned, $width, a as $signed, b as $signed);
            }
        }};
    }

    macro_rules! check_unsigned {
        ($t:ty, $width:expr, $a:expr, $b:expr) => {{
            let int = Int { width: $width, signed: false };
            let (a, b) = ($a, $b);
            let run = |op| binary(op, int, a as u64, b as u64);
            let int_result = |v: $t| Some(Value::Int(v as u64));
            assert_eq!(run(BinaryOp::Add), int_result(a.wrapping_add(b)));
            assert_eq!(run(BinaryOp::Sub), int_result(a.wrapping_sub(b)));
            assert_eq!(run(BinaryOp::Mul), int_result(a.wrapping_mul(b)));
            assert_eq!(run(BinaryOp::Div), a.checked_div(b).and_then(int_result));
            assert_eq!(run(BinaryOp::Rem), a.checked_rem(b).and_then(int_result));
            assert_eq!(run(BinaryOp::And), int_result(a & b));
            assert_eq!(run(BinaryOp::Or), int_result(a | b));
            assert_eq!(run(BinaryOp::Xor), int_result(a ^ b));
            let by = u32::try_from(b as u64).unwrap_or(u32::MAX);
            assert_eq!(run(BinaryOp::Shl), int_result(a.checked_shl(by).unwrap_or(0)));
            assert_eq!(run(BinaryOp::Shr), int_result(a.checked_shr(by).unwrap_or(0)));
            assert_eq!(run(BinaryOp::Lt), Some(Value::bool(a < b)));
            assert_eq!(run(BinaryOp::Le), Some(Value::bool(a <= b)));
            assert_eq!(run(BinaryOp::Eq), Some(Value::bool(a == b)));
            assert_eq!(run(BinaryOp::AddOverflows), Some(Value::bool(a.overflowing_add(b).1)));
            assert_eq!(run(BinaryOp::SubOverflows), Some(Value::bool(a.overflowing_sub(b).1)));
            assert_eq!(run(BinaryOp::MulOverflows), Some(Value::bool(a.overflowing_mul(b).1)));
        }};
    }

    macro_rules! check_signed {
        ($t:ty, $u:ty, $width:expr, $a:expr, $b:expr) => {{
            let int = Int { width: $width, signed: true };
            let (a, b): ($t, $t) = ($a, $b);
            let run = |op| binary(op, int, a as $u as u64, b as $u as u64);
            let int_result = |v: $t| Some(Value::Int(v as $u as u64));
            assert_eq!(run(BinaryOp::Add), int_result(a.wrapping_add(b)));
            assert_eq!(run(BinaryOp::Sub), int_result(a.wrapping_sub(b)));
            assert_eq!(run(BinaryOp::Mul), int_result(a.wrapping_mul(b)));
            if b != 0 {
                assert_eq!(run(BinaryOp::Div), int_result(a.wrapping_div(b)));
                assert_eq!(run(BinaryOp::Rem), int_result(a.wrapping_rem(b)));
            }
            let by = u32::try_from(b as $u as u64).unwrap_or(u32::MAX);
            let sign = if a < 0 { -1 } else { 0 };
            assert_eq!(run(BinaryOp::Shl), int_result(a.checked_shl(by).unwrap_or(0)));
            assert_eq!(run(BinaryOp::Shr), int_result(a.checked_shr(by).unwrap_or(sign)));
            assert_eq!(run(BinaryOp::Gt), Some(Value::bool(a > b)));
            assert_eq!(run(BinaryOp::Ge), Some(Value::bool(a >= b)));
            assert_eq!(run(BinaryOp::Ne), Some(Value::bool(a != b)));
            assert_eq!(run(BinaryOp::AddOverflows), Some(Value::bool(a.overflowing_add(b).1)));
            assert_eq!(run(BinaryOp::SubOverflows), Some(Value::bool(a.overflowing_sub(b).1)));
            assert_eq!(run(BinaryOp::MulOverflows), Some(Value::bool(a.overflowing_mul(b).1)));
        }};
    }

    /// Small values, values near the ends, and any.
    fn interesting(rng: &mut Rng, width: u8) -> u64 {
        match rng.below(4) {
            0 => rng.below(5),
            1 => 0u64.wrapping_sub(rng.below(5)),
            2 => (1u64 << (width - 1)).wrapping_add(rng.below(5)).wrapping_sub(2),
            _ => rng.next(),
        }
    }

    #[test]
    fn all_widths_agree_with_rust() {
        agrees!(i8, u8, 8);
        agrees!(i16, u16, 16);
        agrees!(i32, u32, 32);
        agrees!(i64, u64, 64);
    }

    #[test]
    fn odd_widths_wrap() {
        let int = Int { width: 5, signed: true };
        assert_eq!(binary(BinaryOp::Add, int, 15, 1), Some(Value::Int(16)));
        assert_eq!(binary(BinaryOp::Lt, int, 16, 0), Some(Value::TRUE));
        assert_eq!(binary(BinaryOp::AddOverflows, int, 15, 1), Some(Value::TRUE));
        assert_eq!(binary(BinaryOp::Div, int, 16, 31), Some(Value::Int(16)));
    }
}
