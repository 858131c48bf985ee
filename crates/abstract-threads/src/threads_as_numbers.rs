//! Threads as numbers: in a conformance check there is one thread, which may be any, and what shared
//! memory holds may be any other. An input of type `thread` is no other thread in the semantics of
//! Plato, so these programs have numbers for threads: 0 is none.

use selvedge_ir::{BinaryOp, Const, Expr, Int, LocalId, Type};

/// The type that stands for threads.
pub const NUMBER: Int = Int::U64;

/// The type that stands for another.
pub fn numbered(ty: Type) -> Type {
    if ty == Type::Thread { Type::Int(NUMBER) } else { ty }
}

/// Whether a thread is converted to something that has no counterpart here.
pub fn converts(expr: &Expr, is_thread: &impl Fn(LocalId) -> bool) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        if let Expr::Cast(ty, operand) = part {
            found |= thread(operand, is_thread) && !matches!(ty, Type::Bool | Type::Thread);
        }
    });
    found
}

/// The expression over numbers, where `own` is the executing thread's.
pub fn number(expr: &Expr, is_thread: &impl Fn(LocalId) -> bool, own: LocalId) -> Expr {
    let below = |e: &Expr| number(e, is_thread, own);
    match expr {
        Expr::Const(Const::NoThread) => Expr::int(0, NUMBER),
        Expr::Tid => Expr::Local(own),
        Expr::Const(_) | Expr::Local(_) => expr.clone(),
        Expr::Cast(Type::Bool, operand) if thread(operand, is_thread) => {
            Expr::binary(BinaryOp::Ne, below(operand), Expr::int(0, NUMBER))
        }
        Expr::Cast(Type::Thread, operand) => below(operand),
        Expr::Cast(ty, operand) => Expr::cast(*ty, below(operand)),
        Expr::Unary(op, operand) => Expr::unary(*op, below(operand)),
        Expr::Binary(op, left, right) => Expr::binary(*op, below(left), below(right)),
        Expr::Ite(test, then, or) => Expr::ite(below(test), below(then), below(or)),
    }
}

/// Whether the expression is a thread.
fn thread(expr: &Expr, is_thread: &impl Fn(LocalId) -> bool) -> bool {
    match expr {
        Expr::Const(c) => *c == Const::NoThread,
        Expr::Local(local) => is_thread(*local),
        Expr::Tid | Expr::Cast(Type::Thread, _) => true,
        Expr::Ite(_, then, _) => thread(then, is_thread),
        Expr::Cast(..) | Expr::Unary(..) | Expr::Binary(..) => false,
    }
}
