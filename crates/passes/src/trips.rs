//! Trip counts of simple counting loops: how often an edge inside a loop can be passed.
//!
//! A loop (a strongly connected component of the control flow) counts if one of its edges `inc`
//! carries `i := i + c` with a constant c > 0 (possibly by way of a temporary), nothing else in the
//! loop assigns i, one of its edges `test` carries `assume i < n` (or `<=`, `!=`) with a constant
//! n, and every cycle passes both: without `inc`, and likewise without `test`, no cycle is left.
//! If i has the constant value v whenever the loop is entered, `test` is passed at most
//! ceil((n - v) / c) times, because between two passes i has grown by c (without wrapping); between two passes every
//! other edge is passed at most once, and once more before the first.

use rustc_hash::FxHashSet;
use selvedge_ir::{
    Action, BinaryOp, Const, EdgeId, Expr, Int, LocalId, LocationId, Procedure, UnaryOp,
};

use crate::bits::BitSet;
use crate::limits::{Limits, Unprepared};

/// At most how often `at`, an edge of the loop, is passed in one run; none if not evident.
pub fn trip_count(
    procedure: &Procedure,
    members: &BitSet<LocationId>,
    at: EdgeId,
    limits: &Limits,
) -> Result<Option<u32>, Unprepared> {
    let inside: Vec<EdgeId> = members
        .iter()
        .flat_map(|from| {
            let count = procedure.locations[from].edges.len() as u32;
            (0..count).map(move |index| EdgeId { from, index })
        })
        .filter(|&e| members.contains(procedure.edge(e).target))
        .collect();
    for &test in &inside {
        let Action::Assume(cond) = &procedure.edge(test).action else { continue };
        let Some((local, op, (bound, int))) = comparison(cond) else { continue };
        limits.spend_on(procedure)?;
        let Some((inc, step)) = increment(procedure, &inside, local) else { continue };
        if has_cycle_without(procedure, &inside, inc) || has_cycle_without(procedure, &inside, test)
        {
            continue;
        }
        if bound + step > int.max() {
            continue;
        }
        let Some(start) = value_at_entry(procedure, members, local, limits)? else { continue };
        let Some(trips) = trips(start, step, op, bound) else { continue };
        let before = reaches_without(procedure, members, &inside, test, at.from);
        return Ok(trips.checked_add(u32::from(before && at != test)));
    }
    Ok(None)
}

/// `i < n`, `i <= n` or `i != n`, also the other way round or negated; n and its type.
fn comparison(cond: &Expr) -> Option<(LocalId, BinaryOp, (i128, Int))> {
    match cond {
        Expr::Unary(UnaryOp::Not, inner) => match (**inner).clone().not() {
            turned @ Expr::Binary(..) => comparison(&turned),
            _ => None,
        },
        Expr::Binary(op, a, b) => match (&**a, &**b) {
            (Expr::Local(local), Expr::Const(Const::Int(bits, int))) => {
                matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne)
                    .then(|| (*local, *op, (int.value(*bits), *int)))
            }
            (Expr::Const(Const::Int(bits, int)), Expr::Local(local)) => {
                let turned = match op {
                    BinaryOp::Gt => BinaryOp::Lt,
                    BinaryOp::Ge => BinaryOp::Le,
                    BinaryOp::Ne => BinaryOp::Ne,
                    _ => return None,
                };
                Some((*local, turned, (int.value(*bits), *int)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The only assignment to the local inside the loop, if it adds a positive constant.
fn increment(procedure: &Procedure, inside: &[EdgeId], local: LocalId) -> Option<(EdgeId, i128)> {
    let mut assigning =
        inside.iter().filter(|&&e| procedure.edge(e).action.assigned() == Some(local));
    let (&only, None) = (assigning.next()?, assigning.next()) else { return None };
    let Action::Assign { value, .. } = &procedure.edge(only).action else { return None };
    let Expr::Binary(BinaryOp::Add, a, b) = value else { return None };
    let (Expr::Local(from), Expr::Const(Const::Int(bits, int))) = (&**a, &**b) else { return None };
    let step = int.value(*bits);
    if step <= 0 || !(*from == local || copies(procedure, *from, local, only)) {
        return None;
    }
    Some((only, step))
}

/// Whether the only assignment to `temporary` copies `local` right before the edge.
fn copies(procedure: &Procedure, temporary: LocalId, local: LocalId, before: EdgeId) -> bool {
    let assigning: Vec<_> =
        procedure.edges().filter(|(_, edge)| edge.action.assigned() == Some(temporary)).collect();
    let [(_, edge)] = assigning.as_slice() else { return false };
    // The copy and the increment must follow each other directly, by the only way.
    let entering = procedure.edges().filter(|(_, e)| e.target == before.from).count();
    edge.action == Action::Assign { to: temporary, value: Expr::Local(local) }
        && edge.target == before.from
        && entering == 1
        && procedure.entry != before.from
        && !procedure.params.contains(&temporary)
}

fn has_cycle_without(procedure: &Procedure, inside: &[EdgeId], removed: EdgeId) -> bool {
    let locations: Vec<LocationId> = procedure.locations.keys().collect();
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); locations.len()];
    for &edge in inside.iter().filter(|&&e| e != removed) {
        successors[edge.from.as_u32() as usize].push(procedure.edge(edge).target.as_u32());
    }
    crate::graph::components(&successors).iter().any(|c| crate::graph::is_cyclic(c, &successors))
}

/// Whether the loop, entered anywhere, leads to the location without passing the edge.
fn reaches_without(
    procedure: &Procedure,
    members: &BitSet<LocationId>,
    inside: &[EdgeId],
    removed: EdgeId,
    goal: LocationId,
) -> bool {
    let mut work: Vec<LocationId> = entrances(procedure, members);
    let mut seen: FxHashSet<LocationId> = FxHashSet::default();
    while let Some(at) = work.pop() {
        if at == goal {
            return true;
        }
        if seen.insert(at) {
            let next = inside.iter().filter(|&&e| e.from == at && e != removed);
            work.extend(next.map(|&e| procedure.edge(e).target));
        }
    }
    false
}

fn entrances(procedure: &Procedure, members: &BitSet<LocationId>) -> Vec<LocationId> {
    let mut found: Vec<LocationId> = procedure
        .edges()
        .filter(|(at, edge)| !members.contains(at.from) && members.contains(edge.target))
        .map(|(_, edge)| edge.target)
        .collect();
    found.extend(members.contains(procedure.entry).then_some(procedure.entry));
    found
}

/// The value that the local has whenever the loop is entered, if it is one constant.
fn value_at_entry(
    procedure: &Procedure,
    members: &BitSet<LocationId>,
    local: LocalId,
    limits: &Limits,
) -> Result<Option<i128>, Unprepared> {
    if members.contains(procedure.entry) {
        return Ok(None);
    }
    let mut value: Option<i128> = None;
    let mut seen: FxHashSet<LocationId> = FxHashSet::default();
    // Backwards from the loop until an assignment of the local stands on the edge.
    let mut targets: Vec<LocationId> = entrances(procedure, members);
    while let Some(target) = targets.pop() {
        if target == procedure.entry {
            return Ok(None);
        }
        if !seen.insert(target) {
            continue;
        }
        limits.spend_on(procedure)?;
        let outside = procedure.edges().filter(|(at, _)| !members.contains(at.from));
        for (at, edge) in outside.filter(|(_, edge)| edge.target == target) {
            match &edge.action {
                action if action.assigned() != Some(local) => targets.push(at.from),
                Action::Assign { value: Expr::Const(Const::Int(bits, int)), .. } => {
                    let found = int.value(*bits);
                    if *value.get_or_insert(found) != found {
                        return Ok(None);
                    }
                }
                _ => return Ok(None),
            }
        }
    }
    Ok(value)
}

fn trips(start: i128, step: i128, op: BinaryOp, bound: i128) -> Option<u32> {
    let distance = match op {
        BinaryOp::Le => bound - start + 1,
        BinaryOp::Ne if step != 1 || bound < start => return None,
        _ => bound - start,
    };
    let trips = if distance <= 0 { 0 } else { (distance + step - 1) / step };
    u32::try_from(trips).ok().filter(|&t| t < 1 << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting() {
        assert_eq!(trips(0, 1, BinaryOp::Lt, 3), Some(3));
        assert_eq!(trips(0, 2, BinaryOp::Lt, 3), Some(2));
        assert_eq!(trips(0, 1, BinaryOp::Le, 3), Some(4));
        assert_eq!(trips(5, 1, BinaryOp::Lt, 3), Some(0));
        assert_eq!(trips(0, 2, BinaryOp::Ne, 3), None);
        assert_eq!(trips(0, 1, BinaryOp::Lt, 1 << 40), None);
    }
}
