//! What is known on a path through a thread: values over the vocabulary before it, and conditions.

use rustc_hash::FxHashMap;
use selvedge_ir::{Const, Expr, LocalId, LocationId};
use selvedge_passes::fold::fold;

use crate::pieces::{both, either};

/// What a local holds, over the vocabulary before the step; none where that is not known.
pub type Values = FxHashMap<LocalId, Expr>;

/// A path that has come to a location.
#[derive(Clone)]
pub struct Path {
    pub at: LocationId,
    pub values: Values,
    pub cells: Vec<Option<Expr>>,
    pub conditions: Vec<Expr>,
    /// Whether the one step that may touch the vocabulary is still to come, going on, or over.
    pub touched: Touched,
    /// Where it has been, with what was known there.
    pub been: Vec<(LocationId, Values)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    NotYet,
    Inside,
    Over,
}

/// An expression over locals as one over the vocabulary before the step.
pub fn value(expr: &Expr, values: &Values) -> Option<Expr> {
    let known = expr.locals().iter().all(|local| values.contains_key(local));
    let number = |expr: &Expr| !matches!(expr, Expr::Const(Const::Object(..) | Const::Proc(_)));
    let mut plain = true;
    expr.walk(&mut |part| plain &= number(part));
    (known && plain).then(|| {
        let value = fold(expr.clone().map(&mut |part| match part {
            Expr::Local(local) => values[&local].clone(),
            other => other,
        }));
        fold(value.map(&mut |part| decided(&part).unwrap_or(part)))
    })
}

/// A comparison of one of two constants with a third is the test between them, or its negation.
fn decided(expr: &Expr) -> Option<Expr> {
    let Expr::Binary(op, left, right) = expr else { return None };
    let (Expr::Ite(test, then, or), Expr::Const(_)) = (&**left, &**right) else { return None };
    let compare = |value: &Expr| fold(Expr::binary(*op, value.clone(), (**right).clone()));
    match (compare(then), compare(or)) {
        (Expr::TRUE, Expr::FALSE) => Some((**test).clone()),
        (Expr::FALSE, Expr::TRUE) => Some((**test).clone().not()),
        (Expr::TRUE, Expr::TRUE) => Some(Expr::TRUE),
        (Expr::FALSE, Expr::FALSE) => Some(Expr::FALSE),
        _ => None,
    }
}

/// Behind a round of a loop only what did not change is still known; false if nothing changed.
pub fn widened(path: &mut Path) -> bool {
    let earlier = path.been.iter().rev().find(|(at, _)| *at == path.at).map(|(_, values)| values);
    if let Some(earlier) = earlier {
        path.values.retain(|local, value| earlier.get(local) == Some(value));
        if path.values == *earlier {
            return false;
        }
    }
    path.been.push((path.at, path.values.clone()));
    true
}

pub fn assign(path: &mut Path, to: LocalId, value: Option<Expr>) {
    match value {
        Some(value) => path.values.insert(to, value),
        None => path.values.remove(&to),
    };
}

/// The path goes on where the condition holds; what is not known may hold.
pub fn restrict(path: &mut Path, condition: Option<Expr>) -> bool {
    match condition {
        None | Some(Expr::TRUE) => true,
        Some(Expr::FALSE) => false,
        Some(condition) => {
            if path.conditions.contains(&condition.clone().not()) {
                return false;
            }
            if !path.conditions.contains(&condition) {
                path.conditions.push(condition);
            }
            true
        }
    }
}

/// What is asserted on a path is asserted before it, where the path is taken.
pub fn asserted(path: &mut Path, condition: Option<Expr>, asserts: &mut Vec<Expr>) -> bool {
    let Some(condition) = condition.filter(|condition| *condition != Expr::TRUE) else {
        return true;
    };
    let taken = path.conditions.iter().cloned().fold(Expr::TRUE, both);
    let needed = either(fold(taken.not()), condition.clone());
    if needed != Expr::TRUE && !asserts.contains(&needed) {
        asserts.push(needed);
    }
    restrict(path, Some(condition))
}
