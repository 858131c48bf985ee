//! Values put in the place of variables, along ways on which nothing else arrives.
//!
//! A check compares what a step has made of the vocabulary with what abstract steps make of it. Mostly
//! both are the same expression of the values before the step, and then the comparison is decided here:
//! `before - 1 == before - 1` holds, `before - 1 == before` does not, whatever `before` is. What is left
//! for solvers is often about truth values only.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, Const, Expr, Int, LocalId, LocationId, Procedure, Type, UnaryOp,
};
use selvedge_passes::fold::fold;

use crate::pieces::{both, either};

/// Expressions that are larger stay where they are.
const SIZE: usize = 24;

/// What is known of locals, over locals that have not changed since.
type Known = FxHashMap<LocalId, Expr>;

/// Puts known values in the place of locals. Where a local of `first` is a copy of another, it stands
/// for both.
pub fn propagate(procedure: &mut Procedure, first: &[LocalId]) {
    let mut arriving = vec![0usize; procedure.locations.len()];
    for (_, edge) in procedure.edges() {
        arriving[edge.target.as_u32() as usize] += 1;
    }
    arriving[procedure.entry.as_u32() as usize] += 2;
    let alone = |at: LocationId| arriving[at.as_u32() as usize] == 1;
    let roots = procedure.locations.keys().filter(|&at| !alone(at));
    let mut open: Vec<(LocationId, Known)> = roots.map(|at| (at, Known::default())).collect();
    while let Some((at, known)) = open.pop() {
        for index in 0..procedure.locations[at].edges.len() {
            let mut known = known.clone();
            let types: Vec<Type> = procedure.locals.values().map(|local| local.ty).collect();
            let edge = &mut procedure.locations[at].edges[index];
            rewrite(&mut edge.action, &known, &types);
            learn(&edge.action, &mut known, first);
            if alone(edge.target) {
                open.push((edge.target, known));
            }
        }
    }
}

fn rewrite(action: &mut Action, known: &Known, types: &[Type]) {
    action.for_each_expr_mut(&mut |expr| {
        let old = std::mem::replace(expr, Expr::Tid);
        let new = old.map(&mut |part| match part {
            Expr::Local(local) => known.get(&local).cloned().unwrap_or(part),
            other => other,
        });
        *expr = decided(new, types);
    });
}

/// What an action leaves known.
fn learn(action: &Action, known: &mut Known, first: &[LocalId]) {
    let Some(to) = action.assigned() else { return };
    known.remove(&to);
    known.retain(|_, value| !value.locals().contains(&to));
    let Action::Assign { value, .. } = action else { return };
    match value {
        Expr::Local(copied) if first.contains(&to) && !first.contains(copied) => {
            for value in known.values_mut() {
                let old = std::mem::replace(value, Expr::Tid);
                *value = old.map(&mut |part| match part {
                    Expr::Local(local) if local == *copied => Expr::Local(to),
                    other => other,
                });
            }
            known.insert(*copied, Expr::Local(to));
        }
        value if !value.locals().contains(&to) && is_small_and_total(value) => {
            known.insert(to, value.clone());
        }
        _ => {}
    }
}

/// Whether it is worth copying, and has a value wherever it is evaluated.
fn is_small_and_total(expr: &Expr) -> bool {
    let mut size = 0;
    expr.walk(&mut |_| size += 1);
    size <= SIZE && is_total(expr)
}

/// Whether it has a value wherever it is evaluated, so that nothing is lost where it is not.
fn is_total(expr: &Expr) -> bool {
    let mut total = true;
    expr.walk(&mut |part| {
        total &= match part {
            Expr::Binary(op, ..) => matches!(
                op,
                BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Mul
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
            ),
            Expr::Unary(op, _) => !matches!(op, UnaryOp::Float(..)),
            Expr::Const(value) => {
                matches!(value, Const::Bool(_) | Const::Int(..) | Const::NoThread)
            }
            Expr::Cast(ty, _) => matches!(ty, Type::Bool | Type::Int(_)),
            Expr::Local(_) | Expr::Ite(..) | Expr::Tid => true,
        };
    });
    total
}

/// The expression with comparisons decided that do not depend on the locals' values.
fn decided(expr: Expr, types: &[Type]) -> Expr {
    fold(expr).map(&mut |part| match part {
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
            match equal(&left, &right, types) {
                Some(same) => Expr::Const(Const::Bool(same == (op == BinaryOp::Eq))),
                None => fold(Expr::Binary(op, left, right)),
            }
        }
        Expr::Binary(BinaryOp::And, left, right) if one_decides(&left, &right) => {
            both(*left, *right)
        }
        Expr::Binary(BinaryOp::Or, left, right) if one_decides(&left, &right) => {
            either(*left, *right)
        }
        Expr::Ite(test, then, otherwise) if is_total(&then) && is_total(&otherwise) => {
            match *test {
                Expr::TRUE => *then,
                Expr::FALSE => *otherwise,
                test => Expr::ite(test, *then, *otherwise),
            }
        }
        other => fold(other),
    })
}

/// Whether a side of a connective is known, and the other can be left out.
fn one_decides(left: &Expr, right: &Expr) -> bool {
    let known = |expr: &Expr| matches!(*expr, Expr::TRUE | Expr::FALSE);
    known(left) && is_total(right) || known(right) && is_total(left)
}

/// Whether two expressions are equal whatever the locals are, or different; none if that depends.
fn equal(left: &Expr, right: &Expr, types: &[Type]) -> Option<bool> {
    if !is_small_and_total(left) || !is_small_and_total(right) {
        return None;
    }
    if left == right {
        return Some(true);
    }
    let (one, other) = (offset(left, types)?, offset(right, types)?);
    (one.0 == other.0 && one.2 == other.2).then_some(one.1 == other.1)
}

/// An integer expression as one without a constant summand, and that constant, modulo the type.
fn offset<'e>(expr: &'e Expr, types: &[Type]) -> Option<(&'e Expr, u64, Int)> {
    let summand = |expr: &Expr| match expr {
        Expr::Const(Const::Int(bits, int)) => Some(int.value(*bits)),
        _ => None,
    };
    match expr {
        Expr::Local(local) => match types.get(local.as_u32() as usize)? {
            Type::Int(int) => Some((expr, 0, *int)),
            _ => None,
        },
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), base, constant) => {
            let value = summand(constant)?;
            let (base, sum, int) = offset(base, types)?;
            let value = if *op == BinaryOp::Add { value } else { -value };
            let sum = int.value(sum) + value;
            Some((base, int.wrap(sum), int))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;

    use super::*;

    /// The conditions that are assumed in the only procedure, after values are put in place.
    fn assumed(body: &str, first: &str) -> Vec<Expr> {
        let source = format!(
            "procedure p() {{ local a: i32; local b: i32; local c: i32; {body} }} thread p;"
        );
        let mut program = text::parse("test.plato", &source).expect("Plato");
        let id = program.procedure_named("p").expect("p");
        let procedure = &mut program.procedures[id];
        let named =
            |(id, local): (LocalId, &selvedge_ir::Local)| (local.name == first).then_some(id);
        let first: Vec<LocalId> = procedure.locals.iter().filter_map(named).collect();
        propagate(procedure, &first);
        let conditions = procedure.edges().filter_map(|(_, edge)| match &edge.action {
            Action::Assume(condition) => Some(condition.clone()),
            _ => None,
        });
        conditions.collect()
    }

    #[test]
    fn comparisons_of_one_value_are_decided() {
        let step = "havoc a; b := a; c := a - 1; a := c; assume a == b - 1; assume a == b;";
        assert_eq!(assumed(step, "b"), [Expr::TRUE, Expr::FALSE]);
        let around = "havoc a; b := a; a := b - 1; assume a == b + 1;";
        assert_eq!(assumed(around, "b"), [Expr::FALSE]);
    }

    #[test]
    fn what_has_changed_is_not_known() {
        let other = "havoc a; b := a; havoc a; assume a == b;";
        assert!(!assumed(other, "b").contains(&Expr::TRUE));
        let divided = "havoc a; b := a; c := a / b; assume c == a / b;";
        assert!(!assumed(divided, "b").contains(&Expr::TRUE));
    }

    #[test]
    fn where_ways_meet_nothing_is_known() {
        let meet = "havoc a; havoc b; if (b > 0) { a := 1; } else { a := 2; } assume a == 1;";
        let last = assumed(meet, "c").pop().expect("a condition");
        assert!(last != Expr::TRUE && last != Expr::FALSE);
    }
}
