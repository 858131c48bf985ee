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

use cranelift_entity::EntityRef;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use selvedge_ir::{
    Action, EdgeId, Grain, LocationId, Multiplicity, ProcId, Program, RegionId, Sharing,
};
use selvedge_passes::bits::BitSet;
use selvedge_passes::{Footprint, FootprintId, Prepared};

use selvedge_exec::{State, Thread};

/// Persistent sets of one thread each.
pub struct Ample<'p> {
    prepared: &'p Prepared,
    /// The kind of the macro-step from a location. Filled on demand: threads stand at few of the
    /// locations of a large program.
    steps: FxHashMap<(ProcId, LocationId), u32>,
    kinds: IndexMap<Step, Conflicts, FxBuildHasher>,
    /// Where the threads of a state stand, by what they may still do: each footprint once, and how
    /// many threads have it.
    futures: Vec<(FootprintId, usize)>,
    /// Edges looked at since somebody set this to zero.
    pub work: u64,
}

/// For each footprint, whether a step conflicts with it, as far as that is known.
type Conflicts = Vec<Option<bool>>;

/// What a macro-step may touch before its next interleaving point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Step {
    reads: BitSet<RegionId>,
    writes: BitSet<RegionId>,
    /// Touches what no region describes, or ends the program.
    never: bool,
}

impl<'p> Ample<'p> {
    pub fn new(prepared: &'p Prepared) -> Ample<'p> {
        Ample {
            prepared,
            steps: FxHashMap::default(),
            kinds: IndexMap::default(),
            futures: Vec::new(),
            work: 0,
        }
    }

    /// The threads, by place, whose next macro-steps conflict with nobody's future.
    pub fn candidates(&mut self, state: &State, found: &mut Vec<usize>) {
        found.clear();
        // A thread inside calls may run on behind a return; its future is not at one location.
        let simple = |t: &Thread| t.frames.len() <= 1;
        if !state.threads.iter().all(simple) {
            return;
        }
        self.count_futures(state);
        for (index, thread) in state.threads.iter().enumerate() {
            let Some(frame) = thread.frames.first() else { continue };
            let kind = self.kind(frame.procedure, frame.at);
            let own = self.prepared.footprints.id(frame.procedure, frame.at);
            if !self.step(kind).never && !self.conflicts_with_others(kind, own) {
                found.push(index);
            }
        }
    }

    fn count_futures(&mut self, state: &State) {
        self.futures.clear();
        for frame in state.threads.iter().filter_map(|thread| thread.frames.first()) {
            self.work += self.futures.len() as u64 / 16 + 1;
            let future = self.prepared.footprints.id(frame.procedure, frame.at);
            match self.futures.iter_mut().find(|(known, _)| *known == future) {
                Some((_, count)) => *count += 1,
                None => self.futures.push((future, 1)),
            }
        }
    }

    /// Whether a step conflicts with what threads may still do, one with its own footprint left out.
    fn conflicts_with_others(&mut self, kind: u32, own: FootprintId) -> bool {
        self.work += self.futures.len() as u64 / 16 + 1;
        (0..self.futures.len()).any(|index| {
            let (future, count) = self.futures[index];
            (future != own || count > 1) && self.conflict(kind, future)
        })
    }

    fn conflict(&mut self, kind: u32, future: FootprintId) -> bool {
        let footprints = &self.prepared.footprints;
        let (step, conflicts) = self.kinds.get_index_mut(kind as usize).expect("a kind of step");
        conflicts.resize(footprints.count(), None);
        *conflicts[future.index()].get_or_insert_with(|| conflict(step, footprints.get(future)))
    }

    fn step(&self, kind: u32) -> &Step {
        self.kinds.get_index(kind as usize).expect("a kind of step").0
    }

    fn kind(&mut self, procedure: ProcId, at: LocationId) -> u32 {
        if let Some(&known) = self.steps.get(&(procedure, at)) {
            return known;
        }
        let step = macro_step(self.prepared, procedure, at, &mut self.work);
        let entry = self.kinds.entry(step);
        let kind = entry.index() as u32;
        entry.or_default();
        self.steps.insert((procedure, at), kind);
        kind
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
fn macro_step(prepared: &Prepared, id: ProcId, start: LocationId, work: &mut u64) -> Step {
    let procedure = &prepared.program.procedures[id];
    let mut step = Step::default();
    let mut seen = BitSet::new();
    let mut open = vec![start];
    while let Some(from) = open.pop() {
        *work += 1;
        if from == procedure.exit {
            step.never |= ends_program(&prepared.program, id) || has_own_memory(&prepared.program);
        }
        for (index, edge) in procedure.locations[from].edges.iter().enumerate() {
            add_edge(prepared, id, EdgeId { from, index: index as u32 }, &mut step);
            let goes_on = procedure.locations[edge.target].grain != Grain::Yield
                || edge.target == procedure.exit;
            if goes_on && seen.insert(edge.target) {
                open.push(edge.target);
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
        Action::Call { .. } | Action::Halt | Action::Ghost(_) | Action::Unsupported { .. } => {
            step.never = true
        }
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
