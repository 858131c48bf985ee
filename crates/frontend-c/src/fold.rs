//! Building Plato expressions, simplified on the way.
//!
//! One place both evaluates C's constant expressions (an expression that folds to a constant is
//! one) and keeps the lowered program free of conversions back and forth. Folding never removes
//! an operand that could go wrong: a division folds only by a constant other than zero.

use selvedge_ir::{BinaryOp, Const, DataModel, Expr, Int, Type, UnaryOp};

/// The types of locals and of the data model, which decide what an expression means.
pub(crate) trait Typed {
    fn local_type(&self, local: selvedge_ir::LocalId) -> Type;
    fn model(&self) -> DataModel;

    /// Whether the expression is the address of something that is certainly there.
    fn never_null(&self, _expr: &Expr) -> bool {
        false
    }

    fn type_of(&self, expr: &Expr) -> Type {
        match expr {
            Expr::Const(c) => c.ty(),
            Expr::Local(local) => self.local_type(*local),
            Expr::Tid => Type::Thread,
            Expr::Unary(op, operand) => op.result(self.type_of(operand)),
            Expr::Binary(op, ..) if op.is_test() => Type::Bool,
            Expr::Binary(BinaryOp::PtrSub, ..) => Type::Int(self.model().diff_type()),
            Expr::Binary(_, left, _) => self.type_of(left),
            Expr::Cast(ty, _) => *ty,
            Expr::Ite(_, then, _) => self.type_of(then),
        }
    }

    fn cast(&self, ty: Type, expr: Expr) -> Expr {
        let from = self.type_of(&expr);
        if from == ty {
            return expr;
        }
        if ty == Type::Bool && self.never_null(&expr) {
            return Expr::TRUE;
        }
        match expr {
            Expr::Const(c) => {
                cast_const(ty, c, self.model()).map_or(Expr::cast(ty, Expr::Const(c)), Expr::Const)
            }
            Expr::Cast(middle, inner) => self.cast_of_cast(ty, middle, *inner),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) if ty == Type::Ptr => {
                self.address_from_integers(op, *a, *b)
            }
            other => Expr::cast(ty, other),
        }
    }

    /// Conversions that undo or swallow each other.
    fn cast_of_cast(&self, ty: Type, middle: Type, inner: Expr) -> Expr {
        let source = self.type_of(&inner);
        let pointer = self.model().pointer_bytes() as u8 * 8;
        match (ty, middle, source) {
            (_, Type::Int(_), Type::Bool) => self.cast(ty, inner),
            (Type::Int(to), Type::Int(through), Type::Int(_)) if to.width <= through.width => {
                self.cast(ty, inner)
            }
            (Type::Int(_), Type::Int(through), Type::Int(from)) if keeps_value(from, through) => {
                self.cast(ty, inner)
            }
            (Type::Bool, Type::Int(through), Type::Int(from)) if from.width <= through.width => {
                self.cast(ty, inner)
            }
            (Type::Ptr, Type::Int(through), Type::Ptr) if through.width >= pointer => inner,
            (Type::Int(_), Type::Ptr, Type::Int(from)) if from.width <= pointer => {
                let address = Int { width: pointer, signed: from.signed };
                let widened = self.cast(Type::Int(address), inner);
                self.cast(ty, widened)
            }
            _ => Expr::cast(ty, Expr::cast(middle, inner)),
        }
    }

    /// `(T *)((unsigned long)p + c)` is pointer arithmetic.
    fn address_from_integers(&self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let pointer = self.model().pointer_bytes() as u8 * 8;
        let diff = Type::Int(self.model().diff_type());
        let is_address = |e: &Expr| match e {
            Expr::Cast(Type::Int(int), inner) => {
                int.width == pointer && self.type_of(inner) == Type::Ptr
            }
            _ => false,
        };
        match (op, is_address(&a), is_address(&b)) {
            (BinaryOp::Add, true, false) => {
                self.ptr_add(self.cast(Type::Ptr, a), self.cast(diff, b))
            }
            (BinaryOp::Add, false, true) => {
                self.ptr_add(self.cast(Type::Ptr, b), self.cast(diff, a))
            }
            (BinaryOp::Sub, true, false) => {
                let offset = self.unary(UnaryOp::Neg, self.cast(diff, b));
                self.ptr_add(self.cast(Type::Ptr, a), offset)
            }
            _ => Expr::cast(Type::Ptr, Expr::binary(op, a, b)),
        }
    }

    fn unary(&self, op: UnaryOp, operand: Expr) -> Expr {
        match (op, operand) {
            (UnaryOp::Not, e) => e.not(),
            (UnaryOp::Neg, Expr::Const(Const::Int(bits, int))) => Expr::int(-int.value(bits), int),
            (UnaryOp::BitNot, Expr::Const(Const::Int(bits, int))) => {
                Expr::int(!int.value(bits), int)
            }
            (UnaryOp::Float(format, function), Expr::Const(Const::Int(bits, int))) => {
                let result = format.unary(function, int, bits);
                Expr::Const(Const::Int(result, format.result(function)))
            }
            (op, e) => Expr::unary(op, e),
        }
    }

    fn binary(&self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        if op == BinaryOp::PtrAdd {
            return self.ptr_add(left, right);
        }
        if let (Expr::Const(a), Expr::Const(b)) = (&left, &right)
            && let Some(folded) = self.fold(op, *a, *b)
        {
            return Expr::Const(folded);
        }
        if let (Expr::Binary(BinaryOp::PtrSub, ..), _) | (_, Expr::Binary(BinaryOp::PtrSub, ..)) =
            (&left, &right)
        {
            return Expr::binary(op, left, right);
        }
        match (op, left, right) {
            (BinaryOp::Eq | BinaryOp::Ne, a, b) if a == b && !self.may_fault(&a) => {
                Expr::Const(Const::Bool(op == BinaryOp::Eq))
            }
            (BinaryOp::Eq | BinaryOp::Ne, Expr::Cast(Type::Int(_), inner), Expr::Const(c))
            | (BinaryOp::Eq | BinaryOp::Ne, Expr::Const(c), Expr::Cast(Type::Int(_), inner))
                if self.type_of(&inner) == Type::Bool && is_bit(c).is_some() =>
            {
                let one = is_bit(c) == Some(true);
                if one == (op == BinaryOp::Eq) { *inner } else { inner.not() }
            }
            (BinaryOp::And, a, b) if self.type_of(&a) == Type::Bool => bool_and(a, b),
            (BinaryOp::Or, a, b) if self.type_of(&a) == Type::Bool => bool_or(a, b),
            (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, a, b) if is_zero(&b) => a,
            (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, a, b) if is_zero(&a) => b,
            (BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Shr, a, b) if is_zero(&b) => a,
            (BinaryOp::Mul, a, b) if is_one(&b) => a,
            (BinaryOp::Mul, a, b) if is_one(&a) => b,
            (BinaryOp::Div, a, b) if is_one(&b) => a,
            (op, a, b) => Expr::binary(op, a, b),
        }
    }

    fn fold(&self, op: BinaryOp, a: Const, b: Const) -> Option<Const> {
        match (a, b) {
            (Const::Int(x, int), Const::Int(y, _)) if let BinaryOp::Float(format, op) = op => {
                let result = format.binary(op, x, y);
                Some(if op.is_test() { Const::Bool(result != 0) } else { Const::Int(result, int) })
            }
            (Const::Int(x, int), Const::Int(y, _)) => fold_ints(op, int, x, y),
            (Const::Bool(x), Const::Bool(y)) => Some(Const::Bool(match op {
                BinaryOp::And => x && y,
                BinaryOp::Or => x || y,
                BinaryOp::Xor | BinaryOp::Ne => x != y,
                BinaryOp::Eq => x == y,
                _ => return None,
            })),
            (Const::Object(x, m), Const::Object(y, n)) if x == y => {
                fold_offsets(op, m, n, self.model())
            }
            (Const::Null, Const::Null) => fold_offsets(op, 0, 0, self.model()),
            (Const::Object(..) | Const::Proc(_), Const::Null)
            | (Const::Null, Const::Object(..) | Const::Proc(_)) => match op {
                BinaryOp::Eq => Some(Const::Bool(false)),
                BinaryOp::Ne => Some(Const::Bool(true)),
                _ => None,
            },
            (Const::Proc(x), Const::Proc(y)) => match op {
                BinaryOp::Eq => Some(Const::Bool(x == y)),
                BinaryOp::Ne => Some(Const::Bool(x != y)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Pointer plus bytes (of `diff_type`).
    fn ptr_add(&self, pointer: Expr, offset: Expr) -> Expr {
        if is_zero(&offset) {
            return pointer;
        }
        let Expr::Const(Const::Int(bits, int)) = offset else {
            return Expr::binary(BinaryOp::PtrAdd, pointer, offset);
        };
        let bytes = int.value(bits);
        match pointer {
            Expr::Const(Const::Object(object, at)) => {
                Expr::Const(Const::Object(object, at.wrapping_add(bytes as i64)))
            }
            Expr::Const(Const::Null) => address(bytes, self.model()),
            Expr::Cast(Type::Ptr, inner) => match *inner {
                Expr::Const(Const::Int(base, from)) => {
                    address(from.value(base) + bytes, self.model())
                }
                inner => add_bytes(Expr::cast(Type::Ptr, inner), bytes, int),
            },
            Expr::Binary(BinaryOp::PtrAdd, base, first) => match *first {
                Expr::Const(Const::Int(first, _)) => {
                    self.ptr_add(*base, Expr::int(int.value(first) + bytes, int))
                }
                first => add_bytes(Expr::binary(BinaryOp::PtrAdd, *base, first), bytes, int),
            },
            other => add_bytes(other, bytes, int),
        }
    }

    /// Pointer minus pointer, in bytes.
    fn ptr_sub(&self, left: Expr, right: Expr) -> Expr {
        let int = self.model().diff_type();
        match (absolute(&left), absolute(&right)) {
            (Some(a), Some(b)) => Expr::int(a - b, int),
            _ => self.binary(BinaryOp::PtrSub, left, right),
        }
    }

    /// The value as a condition.
    fn truth(&self, expr: Expr) -> Expr {
        self.cast(Type::Bool, expr)
    }

    /// Whether evaluating the expression can go wrong: divisions, and what needs both pointers in
    /// one object.
    fn may_fault(&self, expr: &Expr) -> bool {
        use BinaryOp::*;
        let mut found = false;
        expr.walk(&mut |e| {
            found |= match e {
                Expr::Binary(Div | Rem, _, divisor) => match &**divisor {
                    Expr::Const(Const::Int(bits, _)) => *bits == 0,
                    _ => true,
                },
                Expr::Binary(PtrSub, ..) => true,
                Expr::Binary(Lt | Le | Gt | Ge, left, _) => self.type_of(left) == Type::Ptr,
                _ => false,
            }
        });
        found
    }

    fn ite(&self, condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        match condition {
            Expr::Const(Const::Bool(true)) => then,
            Expr::Const(Const::Bool(false)) => otherwise,
            _ if then == otherwise => then,
            condition => match (&then, &otherwise) {
                (Expr::Const(Const::Bool(true)), Expr::Const(Const::Bool(false))) => condition,
                (Expr::Const(Const::Bool(false)), Expr::Const(Const::Bool(true))) => {
                    condition.not()
                }
                _ => Expr::ite(condition, then, otherwise),
            },
        }
    }
}

/// Whether every value of `from` is one of `to`.
fn keeps_value(from: Int, to: Int) -> bool {
    match from.signed == to.signed {
        true => from.width <= to.width,
        false => !from.signed && from.width < to.width,
    }
}

fn add_bytes(pointer: Expr, bytes: i128, int: Int) -> Expr {
    Expr::binary(BinaryOp::PtrAdd, pointer, Expr::int(bytes, int))
}

/// A pointer into no object.
fn address(value: i128, model: DataModel) -> Expr {
    match model.size_type().wrap(value) {
        0 => Expr::NULL,
        bits => Expr::cast(Type::Ptr, Expr::Const(Const::Int(bits, model.size_type()))),
    }
}

/// The number that a pointer into no object stands for.
fn absolute(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Const(Const::Null) => Some(0),
        Expr::Cast(Type::Ptr, inner) => match **inner {
            Expr::Const(Const::Int(bits, int)) => Some(int.value(bits)),
            _ => None,
        },
        _ => None,
    }
}

fn cast_const(ty: Type, c: Const, model: DataModel) -> Option<Const> {
    Some(match (ty, c) {
        (Type::Int(to), Const::Int(bits, from)) => Const::int(from.value(bits), to),
        (Type::Int(to), Const::Bool(b)) => Const::int(i128::from(b), to),
        (Type::Int(to), Const::Null) => Const::int(0, to),
        (Type::Bool, Const::Int(bits, _)) => Const::Bool(bits != 0),
        (Type::Bool, Const::Null | Const::NoThread) => Const::Bool(false),
        (Type::Bool, Const::Object(..) | Const::Proc(_)) => Const::Bool(true),
        (Type::Ptr, Const::Int(bits, from)) if model.size_type().wrap(from.value(bits)) == 0 => {
            Const::Null
        }
        (Type::Ptr | Type::Thread, Const::Bool(false)) => Const::zero(ty),
        (Type::Thread, Const::Int(0, _) | Const::Null) => Const::NoThread,
        (Type::Int(to), Const::NoThread) => Const::int(0, to),
        _ => return None,
    })
}

fn is_bit(c: Const) -> Option<bool> {
    match c {
        Const::Int(0, _) => Some(false),
        Const::Int(1, _) => Some(true),
        _ => None,
    }
}

pub(crate) fn is_zero(e: &Expr) -> bool {
    matches!(e, Expr::Const(Const::Int(0, _)))
}

fn is_one(e: &Expr) -> bool {
    matches!(e, Expr::Const(Const::Int(1, _)))
}

fn bool_and(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Const(Const::Bool(true)), e) | (e, Expr::Const(Const::Bool(true))) => e,
        (Expr::Const(Const::Bool(false)), _) => Expr::FALSE,
        (a, b) => Expr::binary(BinaryOp::And, a, b),
    }
}

fn bool_or(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Const(Const::Bool(false)), e) | (e, Expr::Const(Const::Bool(false))) => e,
        (Expr::Const(Const::Bool(true)), _) => Expr::TRUE,
        (a, b) => Expr::binary(BinaryOp::Or, a, b),
    }
}

fn fold_ints(op: BinaryOp, int: Int, x: u64, y: u64) -> Option<Const> {
    use BinaryOp::*;
    let (a, b) = (int.value(x), int.value(y));
    let exact = match op {
        Add | AddOverflows => a + b,
        Sub | SubOverflows => a - b,
        Mul | MulOverflows => a.checked_mul(b)?,
        Div if b != 0 => a / b,
        Rem if b != 0 => a % b,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl if y < u64::from(int.width) => a << y,
        Shl => 0,
        Shr => a >> y.min(127),
        Eq => return Some(Const::Bool(a == b)),
        Ne => return Some(Const::Bool(a != b)),
        Lt => return Some(Const::Bool(a < b)),
        Le => return Some(Const::Bool(a <= b)),
        Gt => return Some(Const::Bool(a > b)),
        Ge => return Some(Const::Bool(a >= b)),
        _ => return None,
    };
    match op {
        AddOverflows | SubOverflows | MulOverflows => {
            Some(Const::Bool(exact < int.min() || exact > int.max()))
        }
        _ => Some(Const::int(exact, int)),
    }
}

fn fold_offsets(op: BinaryOp, m: i64, n: i64, model: DataModel) -> Option<Const> {
    use BinaryOp::*;
    Some(match op {
        Eq => Const::Bool(m == n),
        Ne => Const::Bool(m != n),
        Lt => Const::Bool(m < n),
        Le => Const::Bool(m <= n),
        Gt => Const::Bool(m > n),
        Ge => Const::Bool(m >= n),
        PtrSub => Const::int(i128::from(m) - i128::from(n), model.diff_type()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{LocalId, ObjectId};

    use super::*;

    /// Local 0 is a pointer, local 1 a bool, all others are `int`.
    struct Lp64;

    impl Typed for Lp64 {
        fn local_type(&self, local: LocalId) -> Type {
            match local.as_u32() {
                0 => Type::Ptr,
                1 => Type::Bool,
                _ => Type::Int(Int::I32),
            }
        }

        fn model(&self) -> DataModel {
            DataModel::Lp64
        }
    }

    fn local(n: u32) -> Expr {
        Expr::Local(LocalId::from_u32(n))
    }

    fn i32(value: i128) -> Expr {
        Expr::int(value, Int::I32)
    }

    #[test]
    fn arithmetic_wraps_at_the_width() {
        let sum = Lp64.binary(BinaryOp::Add, i32(i32::MAX.into()), i32(1));
        assert_eq!(sum, i32(i32::MIN.into()));
        let overflows = Lp64.binary(BinaryOp::AddOverflows, i32(i32::MAX.into()), i32(1));
        assert_eq!(overflows, Expr::TRUE);
    }

    #[test]
    fn division_by_zero_stays() {
        let div = Lp64.binary(BinaryOp::Div, i32(1), i32(0));
        assert!(matches!(div, Expr::Binary(BinaryOp::Div, ..)));
        assert!(Lp64.may_fault(&div));
    }

    #[test]
    fn conditions_lose_their_round_trip_over_int() {
        let as_int = Lp64.cast(Type::Int(Int::I32), local(1));
        assert_eq!(Lp64.truth(as_int.clone()), local(1));
        assert_eq!(Lp64.binary(BinaryOp::Ne, as_int.clone(), i32(0)), local(1));
        assert_eq!(Lp64.binary(BinaryOp::Eq, as_int, i32(0)), local(1).not());
    }

    #[test]
    fn offsetof_by_a_null_pointer_is_constant() {
        let member = Lp64.ptr_add(Expr::NULL, Expr::int(8, Int::I64));
        assert_eq!(Lp64.cast(Type::Int(Int::U64), member.clone()), Expr::int(8, Int::U64));
        assert_eq!(Lp64.ptr_sub(member, Expr::NULL), Expr::int(8, Int::I64));
    }

    #[test]
    fn pointer_through_an_integer_stays_a_pointer() {
        let number = Lp64.cast(Type::Int(Int::U64), local(0));
        let back =
            Lp64.cast(Type::Ptr, Expr::binary(BinaryOp::Sub, number, Expr::int(8, Int::U64)));
        assert_eq!(back, Lp64.ptr_add(local(0), Expr::int(-8, Int::I64)));
    }

    #[test]
    fn offsets_join() {
        let object = Expr::object(ObjectId::from_u32(0));
        let there =
            Lp64.ptr_add(Lp64.ptr_add(object, Expr::int(8, Int::I64)), Expr::int(-4, Int::I64));
        assert_eq!(there, Expr::Const(Const::Object(ObjectId::from_u32(0), 4)));
    }

    #[test]
    fn widening_keeps_the_sign_of_the_source() {
        let byte = Expr::int(-1, Int::I8);
        assert_eq!(Lp64.cast(Type::Int(Int::U32), byte), Expr::int(-1, Int::U32));
        // i32 -> u32 -> i64 is not i32 -> i64.
        let through = Lp64.cast(Type::Int(Int::I64), Lp64.cast(Type::Int(Int::U32), local(2)));
        assert!(matches!(through, Expr::Cast(_, inner) if matches!(*inner, Expr::Cast(..))));
    }
}
