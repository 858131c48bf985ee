//! Cut locations: where steps begin and end.
//!
//! A thread's path is cut at
//! - the entry;
//! - every `Yield` location;
//! - every `Joined` location where the thread may block, there or inside the atomic block that
//!   begins there: it has no edges, or each is a `Lock`, a `Join`, a `Wait` or an `Assume` of
//!   anything but `true`, and no two of them assume a condition and its negation;
//! - the first location, in order of control flow, of every cycle that has none of these;
//! - the first location that more than [`WAYS`] paths from cut locations lead to.
//!
//! More cuts than necessary cost precision, never soundness: outside of atomic blocks other threads may
//! run at every location, and inside them the cut location is marked.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Expr, Grain, Location, LocationId, Procedure};
use selvedge_passes::bits::BitSet;
use selvedge_passes::graph;

/// Paths that may meet in a location without a cut.
const WAYS: u64 = 64;

/// Whether a thread at this location is inside an atomic block, so that no other may run. At the entry
/// the block has not begun.
pub(super) fn is_inside(procedure: &Procedure, location: LocationId) -> bool {
    procedure.locations[location].grain == Grain::Atomic && location != procedure.entry
}

/// The cut locations of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    cut: BitSet<LocationId>,
}

impl Cuts {
    pub fn of(procedure: &Procedure) -> Cuts {
        let order = graph::reverse_postorder(procedure);
        let mut cuts = Cuts { cut: BitSet::new() };
        cuts.cut.insert(procedure.entry);
        for &location in order.iter().filter(|&&l| l != procedure.exit) {
            let data = &procedure.locations[location];
            if data.grain == Grain::Yield
                || data.grain == Grain::Joined && may_stick(procedure, location)
            {
                cuts.cut.insert(location);
            }
        }
        cuts.break_cycles(procedure, &order);
        cuts.limit_paths(procedure, &order);
        cuts
    }

    pub fn contains(&self, location: LocationId) -> bool {
        self.cut.contains(location)
    }

    pub fn iter(&self) -> impl Iterator<Item = LocationId> {
        self.cut.iter()
    }

    /// The control flow that is left between cut locations.
    fn between(&self, procedure: &Procedure) -> Vec<Vec<u32>> {
        let mut successors = graph::control_flow(procedure);
        for location in self.cut.iter() {
            successors[location.index()].clear();
        }
        successors
    }

    fn break_cycles(&mut self, procedure: &Procedure, order: &[LocationId]) {
        loop {
            let successors = self.between(procedure);
            let mut broken = true;
            for component in graph::components(&successors) {
                if !graph::is_cyclic(&component, &successors) {
                    continue;
                }
                let members: BitSet<LocationId> =
                    component.iter().map(|&l| LocationId::from_u32(l)).collect();
                if let Some(&head) = order.iter().find(|&&l| members.contains(l)) {
                    self.cut.insert(head);
                    broken = false;
                }
            }
            if broken {
                return;
            }
        }
    }

    fn limit_paths(&mut self, procedure: &Procedure, order: &[LocationId]) {
        let reached: BitSet<LocationId> = order.iter().copied().collect();
        let mut sources: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
        for (at, edge) in procedure.edges() {
            if reached.contains(at.from) && graph::arrives(edge) {
                sources.entry(edge.target).or_default().push(at.from);
            }
        }
        let mut ways: FxHashMap<LocationId, u64> = FxHashMap::default();
        let components = graph::components(&self.between(procedure));
        // One location each, what leads to it before it.
        for component in components.iter().rev() {
            let location = LocationId::from_u32(component[0]);
            if self.cut.contains(location) || location == procedure.exit {
                continue;
            }
            let from = sources.get(&location).into_iter().flatten();
            let sum = from.map(|l| if self.cut.contains(*l) { 1 } else { ways[l] }).sum();
            ways.insert(location, sum);
            if sum > WAYS {
                self.cut.insert(location);
            }
        }
    }
}

/// Whether the thread may block at a location, or in the atomic block that begins there.
fn may_stick(procedure: &Procedure, location: LocationId) -> bool {
    let mut open = vec![location];
    let mut seen: BitSet<LocationId> = BitSet::new();
    while let Some(at) = open.pop() {
        let data = &procedure.locations[at];
        if may_block(data) {
            return true;
        }
        for edge in data.edges.iter().filter(|edge| graph::arrives(edge)) {
            let inside = procedure.locations[edge.target].grain == Grain::Atomic;
            if inside && edge.target != procedure.exit && seen.insert(edge.target) {
                open.push(edge.target);
            }
        }
    }
    false
}

fn may_block(location: &Location) -> bool {
    let blocking = |action: &Action| match action {
        Action::Lock { .. } | Action::Join { .. } | Action::Wait(_) => true,
        Action::Assume(cond) => *cond != Expr::TRUE,
        _ => false,
    };
    location.edges.iter().all(|edge| blocking(&edge.action)) && !exhaustive(location)
}

/// Whether two alternatives assume a condition and its negation.
fn exhaustive(location: &Location) -> bool {
    let conditions: Vec<&Expr> = location
        .edges
        .iter()
        .filter_map(|edge| match &edge.action {
            Action::Assume(cond) => Some(cond),
            _ => None,
        })
        .collect();
    conditions.iter().any(|&cond| {
        let negated = cond.clone().not();
        conditions.iter().any(|&other| *other == negated)
    })
}
