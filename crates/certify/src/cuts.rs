//! Cut locations: where steps begin and end.
//!
//! Steps must end wherever what other threads do matters, and where the thread may be stuck for
//! good with what it did so far visible to others:
//! - at the entry and at every `Yield` location,
//! - at every `Joined` location where the thread may block: there, or inside the atomic block that
//!   begins there. A location may block if all its edges are `Lock`, `Join`, `Wait` or `Assume` of
//!   something else than `true`, and no two of them assume a condition and its negation.
//!
//! Further cuts only make paths finite and few: the first location, in order of control flow, of
//! every cycle that has no cut, and the first that more than [`WAYS`] paths from cuts lead to.
//! Inside of an atomic block, a thread at such a location holds the token. The entry counts as
//! outside: a thread that starts inside of a block can be interrupted there.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Expr, Grain, Location, LocationId, Procedure};
use selvedge_passes::bits::BitSet;
use selvedge_passes::graph;

/// Paths that may meet in a location without a cut.
pub const WAYS: u64 = 64;

pub fn cuts(procedure: &Procedure) -> BitSet<LocationId> {
    let order = graph::reverse_postorder(procedure);
    let mut cuts: BitSet<LocationId> = BitSet::new();
    cuts.insert(procedure.entry);
    for &location in order.iter().filter(|&&location| location != procedure.exit) {
        if needed(procedure, location) {
            cuts.insert(location);
        }
    }
    while let Some(head) = uncut_cycle(procedure, &cuts, &order) {
        cuts.insert(head);
    }
    limit_paths(procedure, &mut cuts, &order);
    cuts
}

/// Whether a thread that stands here keeps all others from moving.
pub fn is_inside(procedure: &Procedure, location: LocationId) -> bool {
    location != procedure.entry && procedure.locations[location].grain == Grain::Atomic
}

fn needed(procedure: &Procedure, location: LocationId) -> bool {
    match procedure.locations[location].grain {
        Grain::Yield => true,
        Grain::Joined => may_stick(procedure, location),
        Grain::Atomic => false,
    }
}

/// Whether the thread may block at a location, or in the atomic block that begins there.
fn may_stick(procedure: &Procedure, location: LocationId) -> bool {
    let mut work = vec![location];
    let mut seen: BitSet<LocationId> = BitSet::new();
    while let Some(at) = work.pop() {
        let data = &procedure.locations[at];
        if may_block(data) {
            return true;
        }
        for edge in data.edges.iter().filter(|edge| graph::arrives(edge)) {
            let inside = procedure.locations[edge.target].grain == Grain::Atomic;
            if inside && edge.target != procedure.exit && seen.insert(edge.target) {
                work.push(edge.target);
            }
        }
    }
    false
}

fn may_block(location: &Location) -> bool {
    let blocking = |action: &Action| match action {
        Action::Lock { .. } | Action::Join { .. } | Action::Wait(_) => true,
        Action::Assume(condition) => *condition != Expr::TRUE,
        _ => false,
    };
    location.edges.iter().all(|edge| blocking(&edge.action)) && !has_opposites(location)
}

fn has_opposites(location: &Location) -> bool {
    let assumed = |edge: &selvedge_ir::Edge| match &edge.action {
        Action::Assume(condition) => Some(condition.clone()),
        _ => None,
    };
    let conditions: Vec<Expr> = location.edges.iter().filter_map(assumed).collect();
    conditions.iter().any(|condition| conditions.contains(&condition.clone().not()))
}

/// The control flow between cuts.
fn between(procedure: &Procedure, cuts: &BitSet<LocationId>) -> Vec<Vec<u32>> {
    let mut flow = graph::control_flow(procedure);
    for location in cuts.iter() {
        flow[location.index()].clear();
    }
    flow
}

/// The first location of a cycle that no cut breaks.
fn uncut_cycle(
    procedure: &Procedure,
    cuts: &BitSet<LocationId>,
    order: &[LocationId],
) -> Option<LocationId> {
    let flow = between(procedure, cuts);
    graph::components(&flow)
        .into_iter()
        .filter(|component| graph::is_cyclic(component, &flow))
        .find_map(|component| order.iter().find(|l| component.contains(&l.as_u32())).copied())
}

fn limit_paths(procedure: &Procedure, cuts: &mut BitSet<LocationId>, order: &[LocationId]) {
    let reached: BitSet<LocationId> = order.iter().copied().collect();
    let mut before: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for (at, edge) in procedure.edges() {
        if reached.contains(at.from) && graph::arrives(edge) {
            before.entry(edge.target).or_default().push(at.from);
        }
    }
    let mut ways: FxHashMap<LocationId, u64> = FxHashMap::default();
    // Without cycles each component is one location; those that lead to it come later.
    for component in graph::components(&between(procedure, cuts)).iter().rev() {
        let location = LocationId::from_u32(component[0]);
        if cuts.contains(location) || location == procedure.exit {
            continue;
        }
        let from = before.get(&location).into_iter().flatten();
        let of = |from: &LocationId| if cuts.contains(*from) { 1 } else { ways[from] };
        let sum = from.map(of).fold(0, u64::saturating_add);
        ways.insert(location, sum);
        if sum > WAYS {
            cuts.insert(location);
        }
    }
}
