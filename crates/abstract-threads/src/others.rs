//! What an environment assumption says to all threads but the executing one.
//!
//! The assumption is written for a thread `\tid`. A step of another thread has to satisfy it for every
//! `\tid` but itself. That is said without a quantifier: where `\tid` is only compared with variables, it
//! can be one of the threads in them, or one that is in none of them.

use selvedge_ir::spec::{Clause, Formula};
use selvedge_ir::{BinaryOp, Const, Expr};
use selvedge_passes::fold::fold;

use crate::pieces::{both, either, used};
use crate::refused::Refused;

/// The clause for every thread but the executing one.
pub fn to_others(clause: &Clause) -> Result<Clause, Refused> {
    let body = &clause.formula.body;
    let mut compared: Vec<Expr> = Vec::new();
    if !only_compared(body, &mut compared) {
        let what = "an environment assumption in which `\\tid` is not only compared";
        return Err(Refused::unsupported(what, clause.span));
    }
    let mut all = fold(simplified(instantiated(body, None)));
    for other in compared {
        let nobody = Expr::binary(BinaryOp::Eq, other.clone(), Expr::Const(Const::NoThread));
        let own = Expr::binary(BinaryOp::Eq, other.clone(), Expr::Tid);
        let holds = fold(simplified(instantiated(body, Some(&other))));
        all = both(all, either(either(nobody, own), holds));
    }
    let formula = used(&Formula { variables: clause.formula.variables.clone(), body: all });
    Ok(Clause { formula, ..clause.clone() })
}

/// Whether the executing thread is compared with variables and used in no other way; these.
fn only_compared(expr: &Expr, compared: &mut Vec<Expr>) -> bool {
    if let Some((_, other)) = comparison(expr) {
        if *other != Expr::Const(Const::NoThread) && !compared.contains(other) {
            compared.push(other.clone());
        }
        return matches!(other, Expr::Local(_) | Expr::Const(Const::NoThread));
    }
    match expr {
        Expr::Tid => false,
        Expr::Const(_) | Expr::Local(_) => true,
        Expr::Cast(_, a) | Expr::Unary(_, a) => only_compared(a, compared),
        Expr::Binary(_, a, b) => only_compared(a, compared) && only_compared(b, compared),
        Expr::Ite(a, b, c) => {
            only_compared(a, compared) && only_compared(b, compared) && only_compared(c, compared)
        }
    }
}

/// What the executing thread is compared with, and whether for being equal.
fn comparison(expr: &Expr) -> Option<(bool, &Expr)> {
    let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) = expr else { return None };
    let equal = *op == BinaryOp::Eq;
    match (&**left, &**right) {
        (Expr::Tid, other) | (other, Expr::Tid) => Some((equal, other)),
        _ => None,
    }
}

/// The expression where the executing thread is another one: that in a variable, or one that is in
/// none of them.
fn instantiated(expr: &Expr, thread: Option<&Expr>) -> Expr {
    if let Some((equal, other)) = comparison(expr) {
        let same = match thread {
            _ if *other == Expr::Const(Const::NoThread) => Expr::FALSE,
            None => Expr::FALSE,
            Some(thread) if thread == other => Expr::TRUE,
            Some(thread) => Expr::binary(BinaryOp::Eq, thread.clone(), other.clone()),
        };
        return if equal { same } else { fold(same.not()) };
    }
    let below = |e: &Expr| instantiated(e, thread);
    match expr {
        Expr::Tid | Expr::Const(_) | Expr::Local(_) => expr.clone(),
        Expr::Cast(ty, a) => Expr::cast(*ty, below(a)),
        Expr::Unary(op, a) => Expr::unary(*op, below(a)),
        Expr::Binary(op, a, b) => Expr::binary(*op, below(a), below(b)),
        Expr::Ite(a, b, c) => Expr::ite(below(a), below(b), below(c)),
    }
}

/// Connectives with a constant on one side are decided.
fn simplified(expr: Expr) -> Expr {
    fold(expr).map(&mut |part| match part {
        Expr::Binary(BinaryOp::And, a, b) if is_truth(&a) || is_truth(&b) => both(*a, *b),
        Expr::Binary(BinaryOp::Or, a, b) if is_truth(&a) || is_truth(&b) => either(*a, *b),
        Expr::Ite(test, then, or) => match *test {
            Expr::TRUE => *then,
            Expr::FALSE => *or,
            test => Expr::ite(test, *then, *or),
        },
        other => fold(other),
    })
}

fn is_truth(expr: &Expr) -> bool {
    matches!(*expr, Expr::TRUE | Expr::FALSE)
}
