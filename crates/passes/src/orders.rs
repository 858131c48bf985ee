//! Where orders weaker than sequential consistency can make a difference.
//!
//! Two questions. May a proof that takes every access for sequentially consistent stand for the
//! program ([`beyond_sequential`])? And can a load read from a store that comes later in every
//! interleaving, which no search of interleavings shows ([`load_buffering`])?

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use selvedge_ir::{
    Action, Const, EdgeId, Expr, Grain, LocalId, LocationId, Mode, Multiplicity, ObjectId, Place,
    Procedure, Program, RegionId, Span,
};

/// The weak accesses for which sequential consistency is not known to give all executions (or, where
/// `races` counts, all races); empty where it does.
///
/// With one thread, or one atomic scalar, it does give all executions. All that orders its accesses otherwise is
/// happens-before (other memory is not atomic, and races are another property). The accesses of one
/// scalar are in a total order, up to reads of one value among themselves, and happens-before agrees
/// with it (coherence), so both together have no cycle. Races then show, if every load from another
/// thread's store also synchronises with it.
pub fn beyond_sequential(program: &Program, races: bool) -> Vec<Span> {
    let mut scalars = BTreeSet::new();
    let mut synchronising = true;
    for procedure in program.procedures.values() {
        for (_, edge) in procedure.edges() {
            let (Some(place), Some(mode)) = (edge.action.place(), edge.action.mode()) else {
                continue;
            };
            if mode != Mode::Plain {
                scalars.insert(constant(procedure, place));
                synchronising &= mode != Mode::Relaxed;
            }
        }
    }
    let one = scalars.len() <= 1 && scalars.iter().all(Option::is_some);
    let enough = has_one_thread(program) || one && (!races || synchronising);
    if enough { Vec::new() } else { program.weak_accesses() }
}

fn has_one_thread(program: &Program) -> bool {
    let starts = |p: &Procedure| p.edges().any(|(_, e)| matches!(e.action, Action::Spawn { .. }));
    matches!(&program.threads[..], [t] if t.count == Multiplicity::Exactly(1))
        && !program.procedures.values().any(starts)
}

/// The object and offset of a place that is always the same, also through a local that never holds
/// another address.
fn constant(procedure: &Procedure, place: &Place) -> Option<(ObjectId, i64)> {
    let Expr::Local(pointer) = &place.addr else { return place.direct() };
    if procedure.params.contains(pointer) {
        return None;
    }
    let mut values = procedure.edges().filter(|(_, e)| e.action.assigned() == Some(*pointer));
    let (Some((_, edge)), None) = (values.next(), values.next()) else { return None };
    match &edge.action {
        Action::Assign { value: Expr::Const(Const::Object(object, offset)), .. } => {
            Some((*object, *offset))
        }
        _ => None,
    }
}

/// Relaxed loads that may be done after a relaxed store behind them, where that can go round in a
/// circle: each of several stores is read by a load that comes before the next. The places of these
/// loads; empty where there is no such circle.
pub fn load_buffering(program: &Program) -> Vec<Span> {
    if has_one_thread(program) {
        return Vec::new();
    }
    let mut after: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
    let mut spans: BTreeMap<Node, Vec<Span>> = BTreeMap::new();
    for procedure in program.procedures.values() {
        for (id, edge) in procedure.edges() {
            let Action::Load { to, from, mode: Mode::Relaxed } = &edge.action else { continue };
            if !is_used(procedure, *to, from) {
                continue;
            }
            spans.entry(from.region).or_default().push(edge.span);
            let stores = stores_behind(procedure, id, from);
            after.entry(from.region).or_default().extend(stores);
        }
    }
    let on_circle = |node: &Node| reaches(&after, *node, *node);
    let mut found: Vec<Span> =
        spans.iter().filter(|(node, _)| on_circle(node)).flat_map(|(_, s)| s.clone()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A part of memory; none where it is not known.
type Node = Option<RegionId>;

/// Whether what is loaded is used for more than what is stored back in the same atomic step.
fn is_used(procedure: &Procedure, local: LocalId, from: &Place) -> bool {
    let mut used = procedure.result == Some(local);
    for (id, edge) in procedure.edges() {
        let modifies = matches!(&edge.action, Action::Store { to, .. } if to.addr == from.addr)
            && procedure.locations[id.from].grain == Grain::Atomic;
        edge.action.for_each_expr(&mut |expr| {
            expr.walk(&mut |part| used |= !modifies && *part == Expr::Local(local));
        });
    }
    used
}

/// The memory of the relaxed stores that may follow a load without a fence between.
fn stores_behind(procedure: &Procedure, load: EdgeId, from: &Place) -> Vec<Node> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<LocationId> = FxHashSet::default();
    let mut work = vec![procedure.edge(load).target];
    while let Some(at) = work.pop() {
        if !seen.insert(at) {
            continue;
        }
        for edge in &procedure.locations[at].edges {
            match &edge.action {
                Action::Fence(_) => continue,
                Action::Store { to, mode: Mode::Relaxed, .. }
                    if to.direct().is_none() || to.direct() != from.direct() =>
                {
                    found.push(to.region);
                }
                _ => {}
            }
            work.push(edge.target);
        }
    }
    found
}

/// Whether there is a way of at least one step. Memory that is not known may be any.
fn reaches(after: &BTreeMap<Node, BTreeSet<Node>>, from: Node, to: Node) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        for (node, next) in after {
            if node != &at && at.is_some() && node.is_some() {
                continue;
            }
            for &next in next {
                if next == to || next.is_none() || to.is_none() {
                    return true;
                }
                if seen.insert(next) {
                    work.push(next);
                }
            }
        }
    }
    false
}
