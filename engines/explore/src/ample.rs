//! Which thread may move alone: partial-order reduction by persistent sets.
//!
//! The transitions of the search are macro-steps: a thread runs from an interleaving point to its
//! next one. What the macro-step from a location may touch is known in advance: the regions of all
//! accesses up to the next point. What a thread may ever do from where it stands, threads that it
//! spawns included, is its footprint. If no other thread's footprint conflicts with thread t's next
//! macro-step, then the macro-steps of t that are enabled now form a *persistent set* (Godefroid,
//! "Partial-Order Methods for the Verification of Concurrent Systems", LNCS 1032, 1996, §4; the
//! stubborn sets of Valmari, 1989; the ample sets of Peled, 1993): whatever the others do without
//! t, each of their transitions is independent of each of t's, so every execution can be reordered
//! to let t move first. Searching only t's moves then preserves all deadlocks, and, with a cycle
//! proviso, every transition that goes wrong. The details that make this true here:
//!
//! - *Enabledness.* A choice of t that is blocked now (a lock held, a condition unmet inside an
//!   atomic block) must not be enabled by others alone. It depends on cells that the macro-step
//!   reads, and these are in its footprint, which no one else writes. What it cannot depend on that
//!   way is the end of a thread: a macro-step with a blocked join among its choices is not
//!   persistent. A join that is enabled commutes with everything.
//! - *What others wait for.* An unlock, or the end of t, may enable others. A transition that cannot
//!   occur before t moves needs no independence.
//! - *The end of the program* (`halt`, the return of main) disables everybody. As t's move it is
//!   never persistent, or errors of others would be lost. As a move of others it does no harm: an
//!   execution that ends the program contains no error afterwards, and an error before it is found
//!   in the execution in which t has moved first.
//! - *Cuts.* A macro-step that goes wrong, or that ends in something unsupported or undefined, is
//!   left out of the search from there on. What others do instead must not be lost, so such a step
//!   is not persistent either.
//! - *Open inputs.* A state with open inputs stands for many. If t can move for some values and is
//!   blocked for others, the states of the latter have other persistent sets: not persistent.
//! - *Spawning* gives a new thread, which nobody else knows. Identifiers depend on the order of
//!   creation, but states that differ only in the names of threads have the same future. Starting
//!   threads without bound is never done alone: the proviso below works by the space being finite.
//! - *Symmetry.* The condition does not depend on names of threads, so reduction on representatives
//!   of orbits is sound (Emerson, Jha, Peled, "Combining partial order and symmetry reductions",
//!   1997).
//! - *Races.* Two accesses that race conflict, so neither macro-step is persistent while the other
//!   is still to come; the state before both is found.
//!
//! The cycle proviso for breadth-first search (Bošnački, Holzmann, "Improving Spin's partial-order
//! reduction for breadth-first search", 2005): a reduced expansion must reach at least one state
//! that is still to be expanded; else all threads are expanded.

use cranelift_entity::{EntityRef, SecondaryMap};
use selvedge_ir::{
    Action, EdgeId, Grain, LocationId, Multiplicity, ProcId, Program, RegionId, Sharing,
};
use selvedge_passes::bits::BitSet;
use selvedge_passes::{Footprint, FootprintId, Prepared};

use selvedge_exec::{State, Thread};

/// Persistent sets of one thread each.
pub struct Ample<'p> {
    prepared: &'p Prepared,
    /// What the macro-step from a location may do.
    steps: Vec<SecondaryMap<LocationId, u32>>,
    kinds: Vec<Step>,
    /// For each kind of step and each footprint: whether they conflict. Filled on demand.
    conflicts: Vec<Option<bool>>,
    futures: Vec<FootprintId>,
}

/// What a macro-step may touch before its next interleaving point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Step {
    reads: BitSet<RegionId>,
    writes: BitSet<RegionId>,
    /// Touches what no region describes, or ends the program.
    never: bool,
}

impl<'p> Ample<'p> {
    pub fn new(prepared: &'p Prepared) -> Ample<'p> {
        let mut kinds: Vec<Step> = Vec::new();
        let mut steps = Vec::new();
        for procedure in prepared.program.procedures.keys() {
            let mut of = SecondaryMap::new();
            for location in prepared.program.procedures[procedure].locations.keys() {
                let step = macro_step(prepared, procedure, location);
                let kind = kinds.iter().position(|k| *k == step).unwrap_or_else(|| {
                    kinds.push(step);
                    kinds.len() - 1
                });
                of[location] = kind as u32;
            }
            steps.push(of);
        }
        let conflicts = vec![None; kinds.len() * prepared.footprints.count()];
        Ample { prepared, steps, kinds, conflicts, futures: Vec::new() }
    }

    /// The threads, by place, whose next macro-steps conflict with nobody's future.
    pub fn candidates(&mut self, state: &State, found: &mut Vec<usize>) {
        found.clear();
        // A thread inside calls may run on behind a return; its future is not at one location.
        let simple = |t: &Thread| t.frames.len() <= 1;
        if !state.threads.iter().all(simple) {
            return;
        }
        self.futures.clear();
        self.futures.extend(state.threads.iter().map(|thread| match thread.frames.first() {
            Some(frame) => self.prepared.footprints.id(frame.procedure, frame.at),
            None => FootprintId::default(),
        }));
        for (index, thread) in state.threads.iter().enumerate() {
            let Some(frame) = thread.frames.first() else { continue };
            let kind = self.steps[frame.procedure.index()][frame.at];
            if !self.kinds[kind as usize].never && !self.conflicts_with_others(state, index, kind) {
                found.push(index);
            }
        }
    }

    fn conflicts_with_others(&mut self, state: &State, index: usize, kind: u32) -> bool {
        (0..state.threads.len()).any(|other| {
            other != index
                && !state.threads[other].ended()
                && self.conflict(kind, self.futures[other])
        })
    }

    fn conflict(&mut self, kind: u32, future: FootprintId) -> bool {
        let count = self.prepared.footprints.count();
        let (kinds, footprints) = (&self.kinds, &self.prepared.footprints);
        *self.conflicts[kind as usize * count + future.index()]
            .get_or_insert_with(|| conflict(&kinds[kind as usize], footprints.get(future)))
    }
}

fn conflict(step: &Step, future: &Footprint) -> bool {
    let touches = !step.reads.is_empty() || !step.writes.is_empty();
    (future.anything && touches)
        || step.writes.intersects(&future.reads)
        || step.writes.intersects(&future.writes)
        || step.reads.intersects(&future.writes)
}

/// Everything on the ways from the location to the next interleaving points.
fn macro_step(prepared: &Prepared, id: ProcId, start: LocationId) -> Step {
    let procedure = &prepared.program.procedures[id];
    let mut step = Step::default();
    let mut seen = BitSet::new();
    let mut work = vec![start];
    while let Some(from) = work.pop() {
        if from == procedure.exit {
            step.never |= ends_program(&prepared.program, id) || has_own_memory(&prepared.program);
        }
        for (index, edge) in procedure.locations[from].edges.iter().enumerate() {
            add_edge(prepared, id, EdgeId { from, index: index as u32 }, &mut step);
            let goes_on = procedure.locations[edge.target].grain != Grain::Yield
                || edge.target == procedure.exit;
            if goes_on && seen.insert(edge.target) {
                work.push(edge.target);
            }
        }
    }
    step
}

/// A thread that starts in the procedure may be one whose return ends the program.
fn ends_program(program: &Program, procedure: ProcId) -> bool {
    program.threads.iter().any(|thread| thread.main && thread.procedure == procedure)
}

fn add_edge(prepared: &Prepared, id: ProcId, edge: EdgeId, step: &mut Step) {
    let Prepared { program, regions, .. } = prepared;
    let action = &program.procedures[id].edge(edge).action;
    if let Some(place) = action.place() {
        let set = match action {
            Action::Load { .. } => &mut step.reads,
            _ => &mut step.writes,
        };
        match place.region {
            Some(region) if regions.private.contains(region) => {}
            Some(region) => {
                set.insert(region);
            }
            None => step.never = true,
        }
    }
    match action {
        Action::Free { .. } => match regions.freed.get(&(id, edge)) {
            Some(freed) if freed.private => {}
            Some(freed) => step.writes.extend(freed.regions.iter().copied()),
            None => {}
        },
        Action::EndThread { .. } => step.never |= has_own_memory(program),
        Action::Spawn { .. } => step.never |= without_bound(prepared, id, edge),
        Action::Call { .. } | Action::Halt | Action::Unsupported { .. } => step.never = true,
        _ => {}
    }
}

/// Whether the action may start threads without end. Doing so first, again and again, would leave
/// nothing for the others.
fn without_bound(prepared: &Prepared, id: ProcId, edge: EdgeId) -> bool {
    let mut here = prepared.templates.list.iter().filter(|t| t.sites.contains(&(id, edge)));
    here.any(|template| template.count == Multiplicity::Any)
}

/// The end of a thread frees its instances of variables, which others may point to.
fn has_own_memory(program: &Program) -> bool {
    program.objects.values().any(|object| object.sharing == Sharing::PerThread)
}
