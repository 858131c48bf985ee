//! Whether the place where a new thread's identifier is stored may be shared, by the syntax alone.
//!
//! It is not where each call names a local variable, or an element of a local array, whose address
//! goes nowhere else.

use std::rc::Rc;

use selvedge_c_syntax::ast::{BinaryOp, Expr, ExprKind, FunctionDef, UnaryOp};

use super::calls::calls;
use super::joins::is_local;
use crate::visit;

/// The functions store an identifier where their first argument points.
pub(super) fn may_be_shared(functions: &[&FunctionDef], stores: &dyn Fn(&str) -> bool) -> bool {
    functions.iter().any(|function| {
        let calls = calls(&function.body);
        let creations: Vec<_> = calls.iter().filter(|call| stores(call.name)).collect();
        creations.iter().any(|call| {
            let place = call.args.first().and_then(variable);
            place.is_none_or(|name| {
                let own =
                    creations.iter().filter(|c| c.args.first().and_then(variable) == Some(name));
                !is_local(function, name) || addresses(function, name) > own.count()
            })
        })
    })
}

/// The variable whose part is pointed to; `v + i` and `v` are about an array.
fn variable(argument: &Expr) -> Option<&Rc<str>> {
    match &argument.kind {
        ExprKind::Unary { op: UnaryOp::AddressOf, operand } => root(operand),
        ExprKind::Binary { op: BinaryOp::Add, left, .. } => root(left),
        _ => root(argument),
    }
}

fn root(place: &Expr) -> Option<&Rc<str>> {
    match &place.kind {
        ExprKind::Ident(name) => Some(&name.name),
        ExprKind::Index { array, .. } => root(array),
        ExprKind::Member { object, arrow: false, .. } => root(object),
        _ => None,
    }
}

/// How often the address of the variable or of a part of it is taken; an array's by its name.
fn addresses(function: &FunctionDef, name: &Rc<str>) -> usize {
    let (mut taken, mut mentions, mut indexed) = (0, 0, 0);
    let is_name = |e: &Expr| matches!(&e.kind, ExprKind::Ident(ident) if ident.name == *name);
    visit::expressions(&function.body, &mut |e| {
        mentions += usize::from(is_name(e));
        match &e.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => {
                taken += usize::from(root(operand).is_some_and(|root| root == name));
            }
            ExprKind::Index { array, .. } => indexed += usize::from(is_name(array)),
            _ => {}
        }
    });
    taken + if is_array(function, name) { mentions - indexed } else { 0 }
}

fn is_array(function: &FunctionDef, name: &Rc<str>) -> bool {
    let mut found = false;
    visit::declarations(&function.body, &mut |declaration| {
        found |= declaration.declarators.iter().any(|d| {
            d.declarator.name.as_ref().is_some_and(|n| n.name == *name)
                && !d.declarator.derived.is_empty()
        });
    });
    found
}
