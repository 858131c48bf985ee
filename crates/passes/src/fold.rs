//! Constant folding of expressions, and the question whether an expression can go wrong.
//!
//! Folding gives exactly the value that evaluation gives; what can go wrong (division by zero,
//! order of pointers) is left as it stands.

use selvedge_ir::{BinaryOp, Const, Expr, Int, Procedure, Program, Type, UnaryOp};

/// The expression with all constant parts computed.
pub fn fold(expr: Expr) -> Expr {
    expr.map(&mut fold_node)
}

/// One node whose operands are folded already.
fn fold_node(expr: Expr) -> Expr {
    let folded = match &expr {
        Expr::Unary(op, a) => constant(a).and_then(|a| unary(*op, a)).map(Expr::Const),
        Expr::Cast(ty, a) => constant(a).and_then(|a| cast(*ty, a)).map(Expr::Const),
        Expr::Binary(op, a, b) => match (constant(a), constant(b)) {
            (Some(x), Some(y)) => binary(*op, x, y).map(Expr::Const),
            _ => identity(*op, a, b),
        },
        Expr::Ite(c, a, b) => match constant(c) {
            Some(Const::Bool(true)) => Some((**a).clone()),
            Some(Const::Bool(false)) => Some((**b).clone()),
            _ => None,
        },
        _ => None,
    };
    folded.unwrap_or(expr)
}

fn constant(expr: &Expr) -> Option<Const> {
    match expr {
        Expr::Const(c) => Some(*c),
        _ => None,
    }
}

fn unary(op: UnaryOp, a: Const) -> Option<Const> {
    match (op, a) {
        (UnaryOp::Not, Const::Bool(b)) => Some(Const::Bool(!b)),
        (UnaryOp::Neg, Const::Int(bits, int)) => Some(Const::int(-int.value(bits), int)),
        (UnaryOp::BitNot, Const::Int(bits, int)) => Some(Const::Int(!bits & int.mask(), int)),
        (UnaryOp::Float(format, function), Const::Int(bits, int)) => {
            Some(Const::Int(format.unary(function, int, bits), format.result(function)))
        }
        _ => None,
    }
}

fn cast(ty: Type, a: Const) -> Option<Const> {
    match (ty, a) {
        (ty, a) if a.ty() == ty => Some(a),
        (Type::Bool, Const::Int(bits, _)) => Some(Const::Bool(bits != 0)),
        (Type::Bool, Const::Null | Const::NoThread) => Some(Const::Bool(false)),
        (Type::Int(to), Const::Int(bits, from)) => Some(Const::int(from.value(bits), to)),
        (Type::Int(to), Const::Bool(b)) => Some(Const::Int(u64::from(b), to)),
        (Type::Int(to), Const::Null) => Some(Const::Int(0, to)),
        (Type::Ptr, Const::Int(0, _)) => Some(Const::Null),
        _ => None,
    }
}

fn binary(op: BinaryOp, a: Const, b: Const) -> Option<Const> {
    match (a, b) {
        (Const::Int(x, int), Const::Int(y, _)) if let BinaryOp::Float(format, op) = op => {
            let result = format.binary(op, x, y);
            Some(if op.is_test() { Const::Bool(result != 0) } else { Const::Int(result, int) })
        }
        (Const::Int(x, int), Const::Int(y, other)) if int == other => {
            int_binary(op, int.value(x), int.value(y), int)
        }
        (Const::Bool(x), Const::Bool(y)) => bool_binary(op, x, y).map(Const::Bool),
        (Const::Object(object, offset), Const::Int(bits, int)) if op == BinaryOp::PtrAdd => {
            let sum = i64::try_from(int.value(bits)).ok()?.checked_add(offset)?;
            Some(Const::Object(object, sum))
        }
        // Objects kept per thread give each thread another address; equal constants are still
        // equal, and different objects still differ.
        (Const::Object(..) | Const::Proc(_) | Const::Null, Const::Proc(_) | Const::Null)
        | (Const::Null | Const::Proc(_), Const::Object(..)) => match op {
            BinaryOp::Eq => Some(Const::Bool(a == b)),
            BinaryOp::Ne => Some(Const::Bool(a != b)),
            _ => None,
        },
        (Const::Object(x, i), Const::Object(y, j)) if x == y => match op {
            BinaryOp::Eq => Some(Const::Bool(i == j)),
            BinaryOp::Ne => Some(Const::Bool(i != j)),
            _ => None,
        },
        _ => None,
    }
}

fn bool_binary(op: BinaryOp, x: bool, y: bool) -> Option<bool> {
    match op {
        BinaryOp::And => Some(x & y),
        BinaryOp::Or => Some(x | y),
        BinaryOp::Xor | BinaryOp::Ne => Some(x ^ y),
        BinaryOp::Eq => Some(x == y),
        _ => None,
    }
}

fn int_binary(op: BinaryOp, x: i128, y: i128, int: Int) -> Option<Const> {
    use BinaryOp::*;
    let test = |holds: bool| Some(Const::Bool(holds));
    let leaves = |exact: i128| test(exact < int.min() || exact > int.max());
    let value = match op {
        Eq => return test(x == y),
        Ne => return test(x != y),
        Lt => return test(x < y),
        Le => return test(x <= y),
        Gt => return test(x > y),
        Ge => return test(x >= y),
        AddOverflows => return leaves(x + y),
        SubOverflows => return leaves(x - y),
        MulOverflows => return x.checked_mul(y).map_or(test(true), leaves),
        Add => x + y,
        Sub => x - y,
        Mul => x.wrapping_mul(y),
        Div | Rem if y == 0 => return None,
        Div => x / y,
        Rem => x % y,
        And => x & y,
        Or => x | y,
        Xor => x ^ y,
        Shl | Shr => return shift(op, x, y, int),
        PtrAdd | PtrSub | Float(..) => return None,
    };
    Some(Const::int(value, int))
}

fn shift(op: BinaryOp, x: i128, count: i128, int: Int) -> Option<Const> {
    let count = int.wrap(count);
    let value = match (op, count >= u64::from(int.width)) {
        (BinaryOp::Shl, true) => 0,
        (BinaryOp::Shl, false) => x << count,
        (_, true) => {
            if x < 0 {
                -1
            } else {
                0
            }
        }
        (_, false) => x >> count,
    };
    Some(Const::int(value, int))
}

/// Neutral elements, for bools and for additions of zero.
fn identity(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    match (op, constant(a), constant(b)) {
        (BinaryOp::And, Some(Const::Bool(true)), _) => Some(b.clone()),
        (BinaryOp::And, _, Some(Const::Bool(true))) => Some(a.clone()),
        (BinaryOp::Or, Some(Const::Bool(false)), _) => Some(b.clone()),
        (BinaryOp::Or, _, Some(Const::Bool(false))) => Some(a.clone()),
        (BinaryOp::Add | BinaryOp::Sub | BinaryOp::PtrAdd, _, Some(Const::Int(0, _))) => {
            Some(a.clone())
        }
        _ => None,
    }
}

/// Whether evaluation always gives a value that depends on the operands alone: no division by
/// something that may be zero, no order or difference of pointers, no pointer made an integer.
pub fn is_total(expr: &Expr, program: &Program, procedure: &Procedure) -> bool {
    let mut total = true;
    expr.walk(&mut |e| total &= is_total_node(e, program, procedure));
    total
}

fn is_total_node(expr: &Expr, program: &Program, procedure: &Procedure) -> bool {
    use BinaryOp::*;
    match expr {
        Expr::Binary(Div | Rem, _, divisor) => {
            matches!(constant(divisor), Some(Const::Int(bits, _)) if bits != 0)
        }
        Expr::Binary(PtrSub, ..) => false,
        Expr::Binary(Lt | Le | Gt | Ge, a, _) => a.ty(program, procedure) != Type::Ptr,
        Expr::Cast(Type::Int(_) | Type::Thread, a) => {
            !matches!(a.ty(program, procedure), Type::Ptr | Type::Thread)
                || matches!(constant(a), Some(Const::Null | Const::NoThread))
        }
        Expr::Cast(Type::Ptr, a) => a.ty(program, procedure) == Type::Ptr,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(op: BinaryOp, a: i128, b: i128, int: Int, expected: Expr) {
        assert_eq!(fold(Expr::binary(op, Expr::int(a, int), Expr::int(b, int))), expected);
    }

    #[test]
    fn arithmetic_wraps() {
        check(BinaryOp::Add, 127, 1, Int::I8, Expr::int(-128, Int::I8));
        check(BinaryOp::Sub, 0, 1, Int::U8, Expr::int(255, Int::U8));
        check(BinaryOp::Div, -7, 2, Int::I32, Expr::int(-3, Int::I32));
        check(BinaryOp::Div, -128, -1, Int::I8, Expr::int(-128, Int::I8));
        check(BinaryOp::Rem, -7, 2, Int::I32, Expr::int(-1, Int::I32));
        check(BinaryOp::AddOverflows, 127, 1, Int::I8, Expr::TRUE);
        check(BinaryOp::Mul, u64::MAX as i128, u64::MAX as i128, Int::U64, Expr::int(1, Int::U64));
    }

    #[test]
    fn shifts_of_large_counts() {
        check(BinaryOp::Shl, 1, 40, Int::I32, Expr::int(0, Int::I32));
        check(BinaryOp::Shr, -8, 1, Int::I32, Expr::int(-4, Int::I32));
        check(BinaryOp::Shr, -8, -1, Int::I32, Expr::int(-1, Int::I32));
        check(BinaryOp::Shr, 255, 4, Int::U8, Expr::int(15, Int::U8));
    }

    #[test]
    fn division_by_zero_stays() {
        let division = Expr::binary(BinaryOp::Div, Expr::int(1, Int::I32), Expr::int(0, Int::I32));
        assert_eq!(fold(division.clone()), division);
        assert!(!is_total(&division, &Program::default(), &crate::tests::empty_procedure("p")));
    }

    #[test]
    fn casts_extend_by_the_source() {
        let cast = |to, value, from| fold(Expr::cast(Type::Int(to), Expr::int(value, from)));
        assert_eq!(cast(Int::I64, -1, Int::I32), Expr::int(-1, Int::I64));
        assert_eq!(cast(Int::I64, 0xffff_ffff, Int::U32), Expr::int(0xffff_ffff, Int::I64));
        assert_eq!(cast(Int::I8, 255, Int::I32), Expr::int(-1, Int::I8));
    }
}
