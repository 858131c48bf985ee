//! The meaning of every operator on values: one definition, used to simplify and to evaluate.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use crate::term::Op;
use crate::value::{ArrayValue, Bits, Value};

/// Operands have the operator's sorts, or this panics.
pub(crate) fn fold(op: &Op, args: &[&Value]) -> Value {
    match op {
        Op::Var(_) => panic!("a variable has no value of its own"),
        Op::Const(value) => value.clone(),
        Op::Not => Value::Bool(!boolean(args[0])),
        Op::And => Value::Bool(args.iter().all(|arg| boolean(arg))),
        Op::Or => Value::Bool(args.iter().any(|arg| boolean(arg))),
        Op::Eq => Value::Bool(args[0] == args[1]),
        Op::Ite => if boolean(args[0]) { args[1] } else { args[2] }.clone(),
        Op::Add => Value::Int(args.iter().map(|arg| int(arg)).sum()),
        Op::Mul => Value::Int(args.iter().map(|arg| int(arg)).product()),
        Op::Div => Value::Int(divide(int(args[0]), int(args[1])).0),
        Op::Mod => Value::Int(divide(int(args[0]), int(args[1])).1),
        Op::Le => Value::Bool(int(args[0]) <= int(args[1])),
        Op::Lt => Value::Bool(int(args[0]) < int(args[1])),
        Op::BvToInt => Value::int(bits(args[0]).bits),
        Op::IntToBv(width) => Value::bv(low_bits(int(args[0])), *width),
        Op::Select => array(args[0]).get(args[1]).clone(),
        Op::Store => {
            let stored = array(args[0]).with(args[1].clone(), args[2].clone());
            Value::Array(Arc::new(stored))
        }
        Op::ConstArray(_) => {
            let constant = ArrayValue { default: args[0].clone(), entries: BTreeMap::new() };
            Value::Array(Arc::new(constant))
        }
        Op::BvNot => Value::bv(!bits(args[0]).bits, bits(args[0]).width),
        Op::BvNeg => Value::bv(bits(args[0]).bits.wrapping_neg(), bits(args[0]).width),
        Op::Extract(high, low) => Value::bv(bits(args[0]).bits >> low, high - low + 1),
        Op::ZeroExtend(by) => Value::bv(bits(args[0]).bits, bits(args[0]).width + by),
        Op::SignExtend(by) => Value::bv(bits(args[0]).signed() as u128, bits(args[0]).width + by),
        Op::Concat => {
            let (high, low) = (bits(args[0]), bits(args[1]));
            Value::bv(high.bits << low.width | low.bits, high.width + low.width)
        }
        Op::BvUlt => Value::Bool(bits(args[0]).bits < bits(args[1]).bits),
        Op::BvUle => Value::Bool(bits(args[0]).bits <= bits(args[1]).bits),
        Op::BvSlt => Value::Bool(bits(args[0]).signed() < bits(args[1]).signed()),
        Op::BvSle => Value::Bool(bits(args[0]).signed() <= bits(args[1]).signed()),
        _ => words(op, bits(args[0]), bits(args[1])),
    }
}

/// Operators from two words to a word, as SMT-LIB defines them for a zero divisor and for shift
/// counts beyond the width.
fn words(op: &Op, a: Bits, b: Bits) -> Value {
    let width = a.width;
    let by = u32::try_from(b.bits).unwrap_or(u32::MAX).min(width);
    let result = match op {
        Op::BvAdd => a.bits.wrapping_add(b.bits),
        Op::BvSub => a.bits.wrapping_sub(b.bits),
        Op::BvMul => a.bits.wrapping_mul(b.bits),
        Op::BvUdiv => a.bits.checked_div(b.bits).unwrap_or(u128::MAX),
        Op::BvUrem => a.bits.checked_rem(b.bits).unwrap_or(a.bits),
        Op::BvSdiv if b.bits == 0 => {
            if a.is_negative() {
                1
            } else {
                u128::MAX
            }
        }
        Op::BvSdiv => a.signed().wrapping_div(b.signed()) as u128,
        Op::BvSrem if b.bits == 0 => a.bits,
        Op::BvSrem => a.signed().wrapping_rem(b.signed()) as u128,
        Op::BvAnd => a.bits & b.bits,
        Op::BvOr => a.bits | b.bits,
        Op::BvXor => a.bits ^ b.bits,
        Op::BvShl => a.bits.checked_shl(by).filter(|_| by < width).unwrap_or(0),
        Op::BvLshr => a.bits.checked_shr(by).unwrap_or(0),
        Op::BvAshr => (a.signed() >> by.min(127)) as u128,
        _ => panic!("{op:?} is no operator on two words"),
    };
    Value::bv(result, width)
}

/// Euclidean quotient and remainder; both zero where the divisor is.
fn divide(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    if b.sign() == Sign::NoSign {
        return (BigInt::ZERO, BigInt::ZERO);
    }
    let (quotient, remainder) = (a / b, a % b);
    if remainder.sign() != Sign::Minus {
        (quotient, remainder)
    } else if b.sign() == Sign::Plus {
        (quotient - 1, remainder + b)
    } else {
        (quotient + 1, remainder - b)
    }
}

/// Modulo 2^128.
fn low_bits(value: &BigInt) -> u128 {
    let two: BigInt = BigInt::from(1) << 128;
    let reduced = divide(value, &two).1;
    u128::try_from(reduced).expect("a remainder of 2^128 fits")
}

fn boolean(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| panic!("a bool is expected, not {value:?}"))
}

fn bits(value: &Value) -> Bits {
    value.as_bits().unwrap_or_else(|| panic!("a bit-vector is expected, not {value:?}"))
}

fn int(value: &Value) -> &BigInt {
    value.as_int().unwrap_or_else(|| panic!("an integer is expected, not {value:?}"))
}

fn array(value: &Value) -> &ArrayValue {
    value.as_array().unwrap_or_else(|| panic!("an array is expected, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient, remainder) in
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1), (5, 0, 0, 0)]
        {
            let (a, b) = (Value::int(a), Value::int(b));
            assert_eq!(fold(&Op::Div, &[&a, &b]), Value::int(quotient));
            assert_eq!(fold(&Op::Mod, &[&a, &b]), Value::int(remainder));
        }
    }

    #[test]
    fn integers_become_bits_modulo_the_width() {
        let minus_one = Value::int(-1);
        assert_eq!(fold(&Op::IntToBv(4), &[&minus_one]), Value::bv(15, 4));
        let large = Value::int(BigInt::from(1) << 200);
        assert_eq!(fold(&Op::IntToBv(4), &[&large]), Value::bv(0, 4));
    }

    #[test]
    fn odd_cases_of_words() {
        let bv = |n: u128| Value::bv(n, 8);
        assert_eq!(fold(&Op::BvSdiv, &[&bv(0x80), &bv(0xff)]), bv(0x80));
        assert_eq!(fold(&Op::BvSdiv, &[&bv(0x80), &bv(0)]), bv(1));
        assert_eq!(fold(&Op::BvUdiv, &[&bv(3), &bv(0)]), bv(255));
        assert_eq!(fold(&Op::BvShl, &[&bv(1), &bv(8)]), bv(0));
        assert_eq!(fold(&Op::BvAshr, &[&bv(0x80), &bv(200)]), bv(0xff));
        assert_eq!(fold(&Op::BvLshr, &[&bv(0x80), &bv(200)]), bv(0));
    }
}
