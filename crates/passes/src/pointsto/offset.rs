//! What is known about the distance of pointer arithmetic: a constant plus multiples of a stride.

use selvedge_ir::{BinaryOp, Const, Expr, Procedure, Program, Type, UnaryOp};

use super::memory::gcd;

/// A constant c and a stride s such that the integer is c modulo s, whatever its locals are; s = 0
/// means that it is exactly c.
///
/// Machine arithmetic wraps at a power of two. Congruences modulo a power of two survive that; any
/// other stride is kept only where the product cannot wrap: a factor that was extended from at
/// most 32 bits, times a constant of less than 24 bits.
pub fn offset_of(expr: &Expr, program: &Program, procedure: &Procedure) -> (i64, i64) {
    const UNKNOWN: (i64, i64) = (0, 1);
    match expr {
        Expr::Const(Const::Int(bits, int)) => {
            i64::try_from(int.value(*bits)).map_or(UNKNOWN, |value| (value, 0))
        }
        Expr::Binary(BinaryOp::Add, a, b) => {
            sum(offset_of(a, program, procedure), offset_of(b, program, procedure))
        }
        Expr::Binary(BinaryOp::Sub, a, b) => {
            let (c, s) = offset_of(b, program, procedure);
            sum(offset_of(a, program, procedure), (c.wrapping_neg(), s))
        }
        Expr::Unary(UnaryOp::Neg, a) => {
            let (c, s) = offset_of(a, program, procedure);
            (c.wrapping_neg(), s)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => match (&**a, &**b) {
            (Expr::Const(Const::Int(bits, int)), factor)
            | (factor, Expr::Const(Const::Int(bits, int))) => {
                multiple(int.value(*bits), factor, program, procedure)
            }
            _ => UNKNOWN,
        },
        Expr::Binary(BinaryOp::Shl, _, b) => match &**b {
            Expr::Const(Const::Int(bits, int)) if *bits < u64::from(int.width.min(32)) => {
                (0, 1 << bits)
            }
            _ => UNKNOWN,
        },
        // Truncation and extension keep congruences modulo powers of two (up to the width).
        Expr::Cast(Type::Int(_), a) => match offset_of(a, program, procedure) {
            (c, 0) => match crate::fold::fold(expr.clone()) {
                Expr::Const(Const::Int(bits, int)) => {
                    i64::try_from(int.value(bits)).map_or(UNKNOWN, |value| (value, 0))
                }
                _ => (c, power_of_two(c)),
            },
            (c, s) => {
                let width = expr.ty(program, procedure).as_int().map_or(0, |int| int.width);
                let power = power_of_two(s).min(1 << width.min(8));
                (c.rem_euclid(power), power)
            }
        },
        _ => UNKNOWN,
    }
}

fn multiple(constant: i128, factor: &Expr, program: &Program, procedure: &Procedure) -> (i64, i64) {
    let Ok(constant) = i64::try_from(constant) else { return (0, 1) };
    let narrow = match factor {
        Expr::Cast(Type::Int(to), inner) if to.width == 64 => {
            inner.ty(program, procedure).as_int().is_some_and(|from| from.width <= 32)
        }
        _ => false,
    };
    if constant == 0 {
        (0, 0)
    } else if narrow && constant.abs() < 1 << 24 {
        (0, constant.abs())
    } else {
        (0, power_of_two(constant))
    }
}

/// Sums stay exact modulo the stride only as long as they do not wrap; wrapping at 2^64 keeps
/// powers of two, and a sum of a few narrow products with constants cannot reach 2^64.
fn sum((c1, s1): (i64, i64), (c2, s2): (i64, i64)) -> (i64, i64) {
    let stride = gcd(s1, s2);
    match c1.checked_add(c2) {
        Some(c) => (c, stride),
        None => (0, 1),
    }
}

/// The largest power of two that divides the number.
fn power_of_two(number: i64) -> i64 {
    if number == 0 { 1 << 8 } else { 1 << number.trailing_zeros().min(30) }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::Int;

    use super::*;

    fn check(expr: Expr, expected: (i64, i64)) {
        let mut procedure = crate::tests::empty_procedure("p");
        procedure.add_local("i", Type::Int(Int::I32), true);
        procedure.add_local("n", Type::Int(Int::I64), true);
        assert_eq!(offset_of(&expr, &Program::default(), &procedure), expected);
    }

    fn times(factor: Expr, constant: i128) -> Expr {
        Expr::binary(BinaryOp::Mul, factor, Expr::int(constant, Int::I64))
    }

    #[test]
    fn products_that_cannot_wrap_keep_their_stride() {
        let narrow =
            Expr::cast(Type::Int(Int::I64), Expr::Local(selvedge_ir::LocalId::from_u32(0)));
        check(times(narrow.clone(), 12), (0, 12));
        let field = Expr::binary(BinaryOp::Add, times(narrow, 12), Expr::int(8, Int::I64));
        check(field, (8, 12));
    }

    #[test]
    fn products_that_may_wrap_keep_powers_of_two() {
        let wide = Expr::Local(selvedge_ir::LocalId::from_u32(1));
        check(times(wide.clone(), 12), (0, 4));
        check(wide, (0, 1));
    }
}
