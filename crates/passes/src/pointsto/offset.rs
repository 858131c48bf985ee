//! What is known about the distance of pointer arithmetic: a constant plus multiples of a stride.

use selvedge_ir::{BinaryOp, Const, Expr, Procedure, Program, Type, UnaryOp};

use super::memory::gcd;

/// A constant c and a stride s such that the integer is c modulo s, whatever its locals are; s = 0
/// means that it is exactly c.
///
/// Machine arithmetic wraps at a power of two. Congruences modulo a power of two survive that; any
/// other stride is kept only where the product cannot wrap: a factor of at most 32 bits, times a
/// constant of less than 24 bits.
pub fn offset_of(expr: &Expr, program: &Program, procedure: &Procedure) -> (i64, i64) {
    Reading { program, procedure, wraps: true }.offset(expr)
}

/// The same, if no product of an index and the size of an element wraps.
pub fn offset_without_wrapping(
    expr: &Expr,
    program: &Program,
    procedure: &Procedure,
) -> (i64, i64) {
    Reading { program, procedure, wraps: false }.offset(expr)
}

struct Reading<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    /// Whether a product may wrap where nothing speaks against it.
    wraps: bool,
}

impl Reading<'_> {
    fn offset(&self, expr: &Expr) -> (i64, i64) {
        const UNKNOWN: (i64, i64) = (0, 1);
        match expr {
            Expr::Const(Const::Int(bits, int)) => {
                i64::try_from(int.value(*bits)).map_or(UNKNOWN, |value| (value, 0))
            }
            Expr::Binary(BinaryOp::Add, a, b) => sum(self.offset(a), self.offset(b)),
            Expr::Binary(BinaryOp::Sub, a, b) => {
                let (c, s) = self.offset(b);
                sum(self.offset(a), (c.wrapping_neg(), s))
            }
            Expr::Unary(UnaryOp::Neg, a) => {
                let (c, s) = self.offset(a);
                (c.wrapping_neg(), s)
            }
            Expr::Binary(BinaryOp::Mul, a, b) => match (&**a, &**b) {
                (Expr::Const(Const::Int(bits, int)), factor)
                | (factor, Expr::Const(Const::Int(bits, int))) => {
                    self.multiple(int.value(*bits), factor)
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
            Expr::Cast(Type::Int(_), a) => match self.offset(a) {
                (c, 0) => match crate::fold::fold(expr.clone()) {
                    Expr::Const(Const::Int(bits, int)) => {
                        i64::try_from(int.value(bits)).map_or(UNKNOWN, |value| (value, 0))
                    }
                    _ => (c, power_of_two(c)),
                },
                (c, s) => {
                    let width = self.width(expr).unwrap_or(0);
                    let power = power_of_two(s).min(1 << width.min(8));
                    (c.rem_euclid(power), power)
                }
            },
            _ => UNKNOWN,
        }
    }

    fn width(&self, expr: &Expr) -> Option<u8> {
        expr.ty(self.program, self.procedure).as_int().map(|int| int.width)
    }

    fn multiple(&self, constant: i128, factor: &Expr) -> (i64, i64) {
        let Ok(constant) = i64::try_from(constant) else { return (0, 1) };
        let wide = self.width(factor) == Some(64);
        if constant == 0 {
            (0, 0)
        } else if wide && constant.abs() < 1 << 24 && (!self.wraps || self.is_narrow(factor)) {
            (0, constant.abs())
        } else {
            (0, power_of_two(constant))
        }
    }

    /// Whether a number of 64 bits is one of at most 32, by how it is made.
    fn is_narrow(&self, expr: &Expr) -> bool {
        let small = |expr: &Expr| match expr {
            Expr::Const(Const::Int(bits, int)) => {
                (0..=i128::from(u32::MAX)).contains(&int.value(*bits))
            }
            _ => false,
        };
        match expr {
            Expr::Cast(Type::Int(to), inner) => {
                self.width(inner).is_some_and(|width| width <= 32 && width <= to.width)
            }
            Expr::Binary(BinaryOp::Rem, _, by) => small(by) && !is_zero(by),
            Expr::Binary(BinaryOp::And, a, b) => small(a) || small(b),
            _ => false,
        }
    }
}

/// A remainder of a division by zero is undefined, not small.
fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(Const::Int(0, _)))
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

    #[test]
    fn remainders_and_masks_are_narrow() {
        let wide = Expr::Local(selvedge_ir::LocalId::from_u32(1));
        let by = |op, constant| Expr::binary(op, wide.clone(), Expr::int(constant, Int::I64));
        check(times(by(BinaryOp::Rem, 4), 24), (0, 24));
        check(times(by(BinaryOp::And, 7), 24), (0, 24));
        check(times(by(BinaryOp::Rem, 0), 24), (0, 8));
        check(times(by(BinaryOp::Rem, 1 << 40), 24), (0, 8));
        check(times(by(BinaryOp::And, -8), 24), (0, 8));
    }

    #[test]
    fn strides_of_products_that_are_taken_not_to_wrap() {
        let mut procedure = crate::tests::empty_procedure("p");
        let n = procedure.add_local("n", Type::Int(Int::I64), true);
        let product = times(Expr::Local(n), 12);
        let offset = offset_without_wrapping(&product, &Program::default(), &procedure);
        assert_eq!(offset, (0, 12));
    }
}
