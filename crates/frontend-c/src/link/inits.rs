//! Whether an object of a library type may be initialised twice, by the syntax alone.
//!
//! It is certain that this does not happen where each call that initialises one names a variable of
//! its own, or an element of an array by the counter of the one loop around it, and runs once in the
//! program; or where the object is new, since a local pointer leads to it that gets its value from
//! one allocation, in the same turn of the loop around both. All else counts as possible.

use std::collections::HashSet;
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    BlockItem, Expr, ExprKind, FunctionDef, Initializer, Statement, StatementKind, UnaryOp,
};

use super::calls::{calls, params};
use super::joins::{Program, counts, is_local, loops_around, mentions_of, named};
use crate::visit;

/// Whether a call to this function may initialise what is initialised already.
pub(super) fn may_repeat(
    functions: &[&FunctionDef],
    init: &str,
    allocates: &dyn Fn(&str) -> bool,
) -> bool {
    let program = Program::of(functions);
    let mut places: HashSet<(Option<*const FunctionDef>, Rc<str>, String)> = HashSet::new();
    let mut called = 0;
    for function in functions {
        for call in calls(&function.body).iter().filter(|call| &**call.name == init) {
            called += 1;
            let Some(place) = call.args.first().and_then(address_of) else { return true };
            if let Some((pointer, path)) = pointer_of(place) {
                let owner = Some(std::ptr::from_ref(*function));
                if !is_fresh(function, call.expr, pointer, allocates)
                    || !places.insert((owner, pointer.clone(), path))
                {
                    return true;
                }
                continue;
            }
            let Some(place) = named(place) else { return true };
            let loops = loops_around(function, call.expr);
            let elements = match (&loops[..], &place.indices[..]) {
                ([], []) => true,
                ([one], [index]) => counts(one, index),
                _ => false,
            };
            let local = is_local(function, place.root);
            let given = params(function).iter().any(|param| param.name == *place.root);
            if given || !elements || !(local || program.once(function)) {
                return true;
            }
            let owner = local.then_some(std::ptr::from_ref(*function));
            if !places.insert((owner, place.root.clone(), place.path)) {
                return true;
            }
        }
    }
    // An element by a constant and one by a counter may be the same.
    let mixed = places.iter().any(|(owner, root, path)| {
        path.contains("[]") && places.iter().any(|(o, r, p)| (o, r) == (owner, root) && p != path)
    });
    mixed || called < mentions_of(functions, &|name| name == init)
}

fn address_of(argument: &Expr) -> Option<&Expr> {
    match &argument.kind {
        ExprKind::Unary { op: UnaryOp::AddressOf, operand } => Some(operand),
        ExprKind::Cast { operand, .. } => address_of(operand),
        _ => None,
    }
}

/// Whether a local pointer gets its only value from an allocation, in the same turn of the loop
/// around the call.
fn is_fresh(
    function: &FunctionDef,
    call: &Expr,
    pointer: &Rc<str>,
    allocates: &dyn Fn(&str) -> bool,
) -> bool {
    if !is_local(function, pointer) {
        return false;
    }
    let is_new = |value: &Expr| called_by(value).is_some_and(|name| allocates(name));
    let (mut others, mut values) = (false, 0);
    visit::expressions(&function.body, &mut |e| match &e.kind {
        ExprKind::Assign { target, value, .. } if is_named(target, pointer) => {
            values += 1;
            others |= !is_new(value);
        }
        ExprKind::Unary { op, operand } if is_named(operand, pointer) => {
            others |= !matches!(op, UnaryOp::Deref | UnaryOp::Not);
        }
        _ => {}
    });
    let mut declared = 0;
    visit::declarations(&function.body, &mut |declaration| {
        for item in &declaration.declarators {
            if item.declarator.name.as_ref().is_some_and(|name| name.name == *pointer) {
                declared += 1;
                match &item.init {
                    Some(Initializer::Expr(value)) if is_new(value) => values += 1,
                    Some(_) => others = true,
                    None => {}
                }
            }
        }
    });
    let renewed = match loops_around(function, call).first() {
        Some(inner) => sets(inner, pointer),
        None => true,
    };
    !others && declared == 1 && values == 1 && renewed
}

/// Whether a loop's body gives the variable a value on its first level.
fn sets(statement: &Statement, pointer: &Rc<str>) -> bool {
    let body = match &statement.kind {
        StatementKind::While { body, .. }
        | StatementKind::DoWhile { body, .. }
        | StatementKind::For { body, .. } => body,
        _ => return false,
    };
    let StatementKind::Block(block) = &body.kind else { return false };
    block.items.iter().any(|item| match item {
        BlockItem::Declaration(declaration) => declaration.declarators.iter().any(|d| {
            d.init.is_some() && d.declarator.name.as_ref().is_some_and(|n| n.name == *pointer)
        }),
        BlockItem::Statement(Statement { kind: StatementKind::Expr(expr), .. }) => {
            matches!(&expr.kind, ExprKind::Assign { target, .. } if is_named(target, pointer))
        }
        _ => false,
    })
}

/// The function that a value comes from.
fn called_by(value: &Expr) -> Option<&Rc<str>> {
    match &value.kind {
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Ident(name) => Some(&name.name),
            _ => None,
        },
        ExprKind::Cast { operand, .. } => called_by(operand),
        _ => None,
    }
}

/// The pointer that a place without further dereferences is reached through, and the way there.
fn pointer_of(place: &Expr) -> Option<(&Rc<str>, String)> {
    match &place.kind {
        ExprKind::Member { object, arrow, name } => match &object.kind {
            ExprKind::Ident(pointer) if *arrow => Some((&pointer.name, name.name.to_string())),
            _ if !arrow => {
                let (pointer, path) = pointer_of(object)?;
                Some((pointer, format!("{path}.{}", name.name)))
            }
            _ => None,
        },
        ExprKind::Unary { op: UnaryOp::Deref, operand } => match &operand.kind {
            ExprKind::Ident(name) => Some((&name.name, String::new())),
            _ => None,
        },
        _ => None,
    }
}

fn is_named(expr: &Expr, name: &Rc<str>) -> bool {
    matches!(&expr.kind, ExprKind::Ident(ident) if ident.name == *name)
}
