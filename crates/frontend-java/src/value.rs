//! Java's types and values as Plato's.

use selvedge_ir::{BinaryOp, Const, Expr, Int, Type};
use selvedge_java_classes::{Element, JavaType, Kind};

use crate::world::TID;

/// The type of a field or an element in memory.
pub fn stored(ty: &JavaType) -> Type {
    match ty {
        JavaType::Ref(name) if name == TID => Type::Thread,
        _ => element(ty.element()),
    }
}

pub fn element(element: Element) -> Type {
    match element {
        Element::Boolean => Type::Bool,
        Element::Byte => Type::Int(Int::I8),
        Element::Char => Type::Int(Int::U16),
        Element::Short => Type::Int(Int::I16),
        Element::Int => Type::Int(Int::I32),
        Element::Long => Type::Int(Int::I64),
        Element::Float => Type::Int(Int::U32),
        Element::Double => Type::Int(Int::U64),
        Element::Ref => Type::Ptr,
    }
}

/// The type of a local, a parameter or a result: small integers are ints there.
pub fn local(ty: &JavaType) -> Type {
    match stored(ty) {
        Type::Int(Int::I8 | Int::U16 | Int::I16) => Type::Int(Int::I32),
        other => other,
    }
}

/// The type on the operand stack.
pub fn stacked(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::Int(Int::I32),
        Kind::Long => Type::Int(Int::I64),
        Kind::Float => Type::Int(Int::U32),
        Kind::Double => Type::Int(Int::U64),
        Kind::Ref => Type::Ptr,
    }
}

/// What is on the operand stack.
#[derive(Clone, Debug)]
pub struct Value {
    pub expr: Expr,
    pub ty: Type,
    /// Takes two places.
    pub wide: bool,
    /// Of a reference: the class of the object, if that is known.
    pub exact: Option<String>,
    /// Not null.
    pub there: bool,
}

impl Value {
    pub fn of(expr: Expr, ty: Type) -> Value {
        Value { expr, ty, wide: false, exact: None, there: false }
    }

    pub fn kind(expr: Expr, kind: Kind) -> Value {
        Value { wide: kind.is_wide(), ..Value::of(expr, stacked(kind)) }
    }

    pub fn int(expr: Expr) -> Value {
        Value::of(expr, Type::Int(Int::I32))
    }

    /// The value of something of a Java type that is kept at another of Plato's.
    pub fn loaded(expr: Expr, from: Type, ty: &JavaType) -> Value {
        match from {
            Type::Thread => Value::of(expr, Type::Thread),
            _ => Value::kind(fit(expr, from, stacked(ty.kind())), ty.kind()),
        }
    }

    pub fn object(expr: Expr, class: &str) -> Value {
        Value { exact: Some(class.to_owned()), there: true, ..Value::of(expr, Type::Ptr) }
    }
}

pub fn i32(value: i32) -> Expr {
    Expr::int(i128::from(value), Int::I32)
}

/// A value of one scalar type as one of another.
pub fn fit(expr: Expr, from: Type, to: Type) -> Expr {
    match (&expr, to) {
        _ if from == to => expr,
        (Expr::Const(Const::Bool(b)), Type::Int(int)) => Expr::int(i128::from(*b), int),
        (Expr::Const(Const::Int(bits, _)), Type::Bool) => Expr::Const(Const::Bool(*bits != 0)),
        (Expr::Const(Const::Int(bits, from)), Type::Int(to)) => Expr::int(from.value(*bits), to),
        (Expr::Ite(condition, a, b), Type::Bool) if **a == i32(1) && **b == i32(0) => {
            (**condition).clone()
        }
        // A choice of two numbers, so that it can be seen to be a bool's.
        (_, Type::Int(int)) if from == Type::Bool => {
            Expr::ite(expr, Expr::int(1, int), Expr::int(0, int))
        }
        _ => Expr::cast(to, expr),
    }
}

/// An int that is a bool's number.
pub fn truth(expr: Expr) -> Value {
    Value::int(fit(expr, Type::Bool, Type::Int(Int::I32)))
}

/// The number of a constant.
pub fn number(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Const(Const::Int(bits, int)) => Some(int.value(*bits)),
        Expr::Const(Const::Bool(b)) => Some(i128::from(*b)),
        _ => None,
    }
}

/// A comparison, decided where both sides are constants.
pub fn test(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let decided = |a: i128, b: i128| match op {
        BinaryOp::Eq => Some(a == b),
        BinaryOp::Ne => Some(a != b),
        BinaryOp::Lt => Some(a < b),
        BinaryOp::Le => Some(a <= b),
        BinaryOp::Gt => Some(a > b),
        BinaryOp::Ge => Some(a >= b),
        _ => None,
    };
    if let (Some(a), Some(b)) = (number(&left), number(&right))
        && let Some(holds) = decided(a, b)
    {
        return Expr::Const(Const::Bool(holds));
    }
    if left == Expr::NULL && right == Expr::NULL {
        return Expr::Const(Const::Bool(op == BinaryOp::Eq));
    }
    Expr::binary(op, left, right)
}

/// Compares a number with zero; that of a bool is looked through.
pub fn against_zero(op: BinaryOp, value: Expr) -> Expr {
    if let Expr::Ite(condition, one, zero) = &value
        && **one == i32(1)
        && **zero == i32(0)
    {
        match op {
            BinaryOp::Ne | BinaryOp::Gt => return (**condition).clone(),
            BinaryOp::Eq | BinaryOp::Le => return (**condition).clone().not(),
            _ => {}
        }
    }
    test(op, value, i32(0))
}
