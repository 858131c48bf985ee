//! Small pieces that the parts of a program are made from.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::Formula;
use selvedge_ir::{BinaryOp, Expr, LocalId, Procedure, Type};
use selvedge_passes::fold::fold;

/// A local under this name, or one like it.
pub fn add_local(procedure: &mut Procedure, name: String, ty: Type) -> LocalId {
    let mut free = name;
    while procedure.locals.values().any(|local| local.name == free) {
        free.push('\'');
    }
    procedure.add_local(free, ty, true)
}

pub fn both(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (Expr::TRUE, other) | (other, Expr::TRUE) => other,
        (Expr::FALSE, _) | (_, Expr::FALSE) => Expr::FALSE,
        (left, right) => Expr::binary(BinaryOp::And, left, right),
    }
}

pub fn either(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (Expr::FALSE, other) | (other, Expr::FALSE) => other,
        (Expr::TRUE, _) | (_, Expr::TRUE) => Expr::TRUE,
        (left, right) => Expr::binary(BinaryOp::Or, left, right),
    }
}

/// The conjuncts of a condition.
pub fn split(condition: Expr, conjuncts: &mut Vec<Expr>) {
    match fold(condition) {
        Expr::TRUE => {}
        Expr::Binary(BinaryOp::And, left, right) => {
            split(*left, conjuncts);
            split(*right, conjuncts);
        }
        Expr::Ite(left, right, otherwise) if *otherwise == Expr::FALSE => {
            split(*left, conjuncts);
            split(*right, conjuncts);
        }
        other => conjuncts.push(other),
    }
}

/// The formula with the variables that its body has.
pub fn used(formula: &Formula) -> Formula {
    let mut variables = PrimaryMap::new();
    let mut renamed: Vec<(LocalId, LocalId)> = Vec::new();
    let body = formula.body.locals();
    for (id, variable) in formula.variables.iter() {
        if body.contains(&id) {
            renamed.push((id, variables.push(variable.clone())));
        }
    }
    let new = |id: LocalId| renamed.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new);
    let body = formula.body.clone().map(&mut |part| match part {
        Expr::Local(id) => Expr::Local(new(id)),
        other => other,
    });
    Formula { variables, body }
}
