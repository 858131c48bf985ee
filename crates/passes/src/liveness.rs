//! Live locals: which of a procedure's locals may still be read from a location on.
//!
//! The classical backward may-analysis (Kildall, "A unified approach to global program
//! optimization", 1973). A local that is not live holds a value that nothing can observe, so an
//! explorer may replace it by any fixed value and so identify states that differ only there.
//! Soundness: a local is live at a location if some path from there reads it before assigning it;
//! every read of an action counts, whether the action can be taken or not.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use selvedge_ir::{EdgeId, Expr, LocalId, LocationId, ProcId, Procedure, Program};

use crate::graph::arrives;
use crate::limits::{Limits, Unprepared, without_limits};

/// The live locals of every location.
#[derive(Clone, Debug)]
pub struct Liveness {
    live: PrimaryMap<ProcId, LiveLocals>,
}

impl Liveness {
    pub fn of(program: &Program, limits: &Limits) -> Result<Liveness, Unprepared> {
        let mut live = PrimaryMap::new();
        for procedure in program.procedures.values() {
            live.push(LiveLocals::within(procedure, limits)?);
        }
        Ok(Liveness { live })
    }

    /// The locals that a thread standing here may still read, in increasing order.
    pub fn live(&self, procedure: ProcId, location: LocationId) -> &[LocalId] {
        self.live[procedure].at(location)
    }

    pub fn is_live(&self, procedure: ProcId, location: LocationId, local: LocalId) -> bool {
        self.live[procedure].contains(location, local)
    }
}

/// The live locals of one procedure. Few are live at any location, though inlining may bring very
/// many locals; so these are sorted lists, found one local at a time by walking back from its reads
/// to its assignments. The work is the size of the result.
#[derive(Clone, Debug)]
pub struct LiveLocals {
    live: SecondaryMap<LocationId, Vec<LocalId>>,
}

impl LiveLocals {
    pub fn of(procedure: &Procedure) -> LiveLocals {
        without_limits(|limits| LiveLocals::within(procedure, limits))
    }

    /// Likewise, within a budget: a unit for each mark.
    pub fn within(procedure: &Procedure, limits: &Limits) -> Result<LiveLocals, Unprepared> {
        LiveLocals::with_result(procedure, procedure.result, limits)
    }

    /// Likewise, of a procedure whose result nobody looks at.
    pub fn without_result(procedure: &Procedure) -> LiveLocals {
        without_limits(|limits| LiveLocals::with_result(procedure, None, limits))
    }

    pub(crate) fn with_result(
        procedure: &Procedure,
        result: Option<LocalId>,
        limits: &Limits,
    ) -> Result<LiveLocals, Unprepared> {
        limits.spend_on(procedure)?;
        let mut sources: SecondaryMap<LocationId, Vec<EdgeId>> = SecondaryMap::new();
        let mut reads: SecondaryMap<LocalId, Vec<LocationId>> = SecondaryMap::new();
        for (at, edge) in procedure.edges() {
            if arrives(edge) {
                sources[edge.target].push(at);
            }
            edge.action.for_each_expr(&mut |expr| {
                expr.walk(&mut |e| {
                    if let Expr::Local(local) = e {
                        reads[*local].push(at.from);
                    }
                });
            });
        }
        if let Some(result) = result {
            reads[result].push(procedure.exit);
        }
        let mut found = LiveLocals { live: SecondaryMap::new() };
        for local in procedure.locals.keys() {
            let reads = std::mem::take(&mut reads[local]);
            limits.spend(found.walk_back(procedure, local, reads, &sources))?;
        }
        Ok(found)
    }

    pub fn at(&self, location: LocationId) -> &[LocalId] {
        &self.live[location]
    }

    pub fn contains(&self, location: LocationId, local: LocalId) -> bool {
        self.live[location].binary_search(&local).is_ok()
    }

    /// Marks the local live wherever one of the reads is reached without assigning it. Locals come
    /// in increasing order, so a mark of this one is the last in its list. Gives the number of marks.
    fn walk_back(
        &mut self,
        procedure: &Procedure,
        local: LocalId,
        reads: Vec<LocationId>,
        sources: &SecondaryMap<LocationId, Vec<EdgeId>>,
    ) -> usize {
        let mut work = reads;
        let mut marks = 0;
        while let Some(location) = work.pop() {
            let live = &mut self.live[location];
            if live.last() == Some(&local) {
                continue;
            }
            live.push(local);
            marks += 1;
            let kept = sources[location]
                .iter()
                .filter(|&&at| procedure.edge(at).action.assigned() != Some(local));
            work.extend(kept.map(|at| at.from));
        }
        marks
    }
}
