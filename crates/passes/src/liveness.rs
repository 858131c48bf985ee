//! Live locals: which of a procedure's locals may still be read from a location on.
//!
//! The classical backward may-analysis (Kildall, "A unified approach to global program
//! optimization", 1973). A local that is not live holds a value that nothing can observe, so an
//! explorer may replace it by any fixed value and so identify states that differ only there.
//! Soundness: a local is live at a location if some path from there reads it before assigning it;
//! every read of an action counts, whether the action can be taken or not.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use selvedge_ir::{Action, Edge, Expr, LocalId, LocationId, ProcId, Procedure, Program};

use crate::bits::BitSet;

/// The live locals of every location.
#[derive(Clone, Debug)]
pub struct Liveness {
    live: PrimaryMap<ProcId, SecondaryMap<LocationId, BitSet<LocalId>>>,
}

impl Liveness {
    pub fn of(program: &Program) -> Liveness {
        Liveness { live: program.procedures.values().map(live_locals).collect() }
    }

    /// The locals that a thread standing here may still read.
    pub fn live(&self, procedure: ProcId, location: LocationId) -> &BitSet<LocalId> {
        &self.live[procedure][location]
    }

    pub fn is_live(&self, procedure: ProcId, location: LocationId, local: LocalId) -> bool {
        self.live[procedure][location].contains(local)
    }
}

/// The live locals of each location of one procedure.
pub fn live_locals(procedure: &Procedure) -> SecondaryMap<LocationId, BitSet<LocalId>> {
    let mut live: SecondaryMap<LocationId, BitSet<LocalId>> = SecondaryMap::new();
    let mut sources: SecondaryMap<LocationId, Vec<LocationId>> = SecondaryMap::new();
    for (from, location) in &procedure.locations {
        for edge in &location.edges {
            sources[edge.target].push(from);
        }
    }
    live[procedure.exit].extend(procedure.result);
    let mut work: Vec<LocationId> = procedure.locations.keys().collect();
    let mut queued: BitSet<LocationId> = procedure.locations.keys().collect();
    while let Some(at) = work.pop() {
        queued.remove(at);
        let mut before = live[at].clone();
        let mut changed = false;
        for edge in &procedure.locations[at].edges {
            changed |= before.union_with(&live_before(edge, &live[edge.target]));
        }
        if changed {
            live[at] = before;
            work.extend(sources[at].iter().filter(|&&source| queued.insert(source)));
        }
    }
    live
}

/// What is live before the edge, given what is live behind it.
fn live_before(edge: &Edge, after: &BitSet<LocalId>) -> BitSet<LocalId> {
    let mut before = match edge.action {
        Action::EndThread { .. } | Action::Halt => BitSet::new(),
        _ => after.clone(),
    };
    if let Some(assigned) = edge.action.assigned() {
        before.remove(assigned);
    }
    edge.action.for_each_expr(&mut |expr| {
        expr.walk(&mut |e| {
            if let Expr::Local(local) = e {
                before.insert(*local);
            }
        });
    });
    before
}
