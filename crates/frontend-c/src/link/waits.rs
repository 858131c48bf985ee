//! Whether threads may wait for one condition with different mutexes, by the syntax alone.
//!
//! It is certain that they do not where all calls name one global mutex, or where each condition has
//! one mutex by its name: both are global, or members of the same structure.

use std::collections::HashMap;
use std::rc::Rc;

use selvedge_c_syntax::ast::{Expr, ExprKind, FunctionDef, UnaryOp};

use super::calls::{calls, params};
use super::joins::is_local;

/// A mutex as the calls name it.
#[derive(Clone, PartialEq, Eq)]
enum Mutex {
    Global(Rc<str>),
    /// A member of the structure that the condition is a member of.
    Sibling(Rc<str>),
}

/// Whether the functions, which wait for their first argument with the second, may be called so.
pub(super) fn may_mix(functions: &[&FunctionDef], waits: &dyn Fn(&str) -> bool) -> bool {
    let mut pairs: HashMap<Rc<str>, Mutex> = HashMap::new();
    let mut clear = true;
    let mut mutexes: Vec<Option<Mutex>> = Vec::new();
    for function in functions {
        for call in calls(&function.body).iter().filter(|call| waits(call.name)) {
            let [cond, mutex, ..] = call.args else { return true };
            let mutex = mutex_of(function, cond, mutex);
            match (condition_of(function, cond), &mutex) {
                (Some(name), Some(mutex)) => {
                    clear &= pairs.entry(name).or_insert_with(|| mutex.clone()) == mutex;
                }
                _ => clear = false,
            }
            mutexes.push(mutex);
        }
    }
    let one = mutexes.first().is_none_or(|first| {
        matches!(first, Some(Mutex::Global(_))) && mutexes.iter().all(|mutex| mutex == first)
    });
    !one && !clear
}

/// `&c`, where c is global, or `&s->c`, `&s.c`, by the name.
fn condition_of(function: &FunctionDef, cond: &Expr) -> Option<Rc<str>> {
    match &operand(cond)?.kind {
        ExprKind::Ident(name) if is_global(function, &name.name) => Some(name.name.clone()),
        ExprKind::Member { name, .. } => Some(format!(".{}", name.name).into()),
        _ => None,
    }
}

fn mutex_of(function: &FunctionDef, cond: &Expr, mutex: &Expr) -> Option<Mutex> {
    match &operand(mutex)?.kind {
        ExprKind::Ident(name) if is_global(function, &name.name) => {
            Some(Mutex::Global(name.name.clone()))
        }
        ExprKind::Member { object, name, .. } => match &operand(cond)?.kind {
            ExprKind::Member { object: other, .. } if same(object, other) => {
                Some(Mutex::Sibling(name.name.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

fn operand(address: &Expr) -> Option<&Expr> {
    match &address.kind {
        ExprKind::Unary { op: UnaryOp::AddressOf, operand } => Some(operand),
        _ => None,
    }
}

fn is_global(function: &FunctionDef, name: &Rc<str>) -> bool {
    !is_local(function, name) && params(function).iter().all(|param| param.name != *name)
}

/// Whether two expressions without effects name the same object.
fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Ident(a), ExprKind::Ident(b)) => a.name == b.name,
        (
            ExprKind::Member { object: a, name: member, arrow },
            ExprKind::Member { object: b, name: other, arrow: as_well },
        ) => member.name == other.name && arrow == as_well && same(a, b),
        (ExprKind::Index { array: a, index: i }, ExprKind::Index { array: b, index: j }) => {
            same(a, b) && same(i, j)
        }
        (ExprKind::Integer(a), ExprKind::Integer(b)) => a.value == b.value,
        _ => false,
    }
}
