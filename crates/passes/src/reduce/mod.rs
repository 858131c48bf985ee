//! Reduction: locations at which interleaving shows nothing new become `Joined`.
//!
//! Lipton, "Reduction: a method of proving properties of parallel programs" (1975), in the form of
//! Flanagan and Qadeer's transactions ("Transactions for software model checking", 2003). An action
//! is a *right mover* if it can be exchanged with any action of another thread that follows it, a
//! *left mover* if with any that precedes it (`movers.rs`). A sequence of right movers, at most one
//! other action, and left movers has the same effect as the sequence without interruption.
//! Locations inside such sequences become `Joined`; the others stay `Yield`.
//!
//! A thread is in its *pre* phase as long as it has done only right movers since the last `Yield`,
//! then in its *post* phase. A location may be joined if it is reached in the pre phase, or if all
//! that leaves it are left movers. An atomic block counts as one action.
//!
//! Why no error is lost. Take an execution that ends in an error of thread t. For another thread u
//! in its pre phase, the actions since its last `Yield` are right movers: they move behind the error
//! and are dropped. If u is in its post phase, its remaining left movers can be done first and then
//! move to the left; they end, because each cycle keeps a `Yield`, unless u goes wrong on the way (an
//! error as well) or blocks on a condition over its locals, which nobody else can change; the
//! explorer interrupts a thread that blocks. The order of the transactions then is the order of
//! their actions that are no movers.
//! - *Races* are seen only in states where both threads stand right before their accesses. If races
//!   are checked, a location before an access that may race is never joined.
//! - *Deadlocks* are states too. Right movers cannot be dropped there, and two threads' right movers
//!   cannot both be last. So locks are no movers if deadlocks are checked. A join, once enabled,
//!   stays so and changes nothing shared; it and the both-movers can all be moved to the end.
//! - *The end of the program* takes away others' actions, so it is no mover: nothing is joined
//!   between an action that others see and the program's end.
//! - *Giving up*: `Unsupported` ends an exploration path; what others do before it must not be lost,
//!   so it is no mover either.

mod movers;

use cranelift_entity::SecondaryMap;
use selvedge_ir::{Action, Grain, LocationId, ProcId, Procedure, Program};

use crate::bits::BitSet;
use crate::graph;
use crate::limits::{Limits, Unprepared};
use crate::locks::Locks;
use crate::options::Options;
use crate::parallel::Parallel;
use crate::regions::Regions;
use crate::threads::Templates;
pub use movers::{Kind, Movers};

/// What the earlier analyses found.
pub struct Facts<'a> {
    pub regions: &'a Regions,
    pub templates: &'a Templates,
    pub locks: &'a Locks,
    pub parallel: &'a Parallel,
}

/// Sets `Grain::Joined` where it is sound for the checked properties.
pub fn reduce(
    program: &mut Program,
    facts: &Facts<'_>,
    options: &Options,
    limits: &Limits,
) -> Result<(), Unprepared> {
    let movers = Movers::of(program, facts, options, limits)?;
    let ids: Vec<ProcId> = program.procedures.keys().collect();
    for id in ids {
        let yields = Phases::new(&program.procedures[id], id, &movers).run(limits)?;
        let procedure = &mut program.procedures[id];
        let exit = procedure.exit;
        for (location, data) in procedure.locations.iter_mut() {
            if data.grain == Grain::Yield && location != exit && !yields.contains(location) {
                data.grain = Grain::Joined;
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Pre,
    Post,
}

/// Finds the locations of one procedure that must stay interleaving points.
struct Phases<'a> {
    procedure: &'a Procedure,
    id: ProcId,
    movers: &'a Movers,
    /// For each atomic location: what may still happen in its block.
    rest: SecondaryMap<LocationId, Kind>,
    reached: SecondaryMap<LocationId, Option<Phase>>,
    yields: BitSet<LocationId>,
}

impl<'a> Phases<'a> {
    fn new(procedure: &'a Procedure, id: ProcId, movers: &'a Movers) -> Phases<'a> {
        Phases {
            procedure,
            id,
            movers,
            rest: SecondaryMap::with_default(Kind::BOTH),
            reached: SecondaryMap::new(),
            yields: BitSet::new(),
        }
    }

    fn run(mut self, limits: &Limits) -> Result<BitSet<LocationId>, Unprepared> {
        self.rest_of_blocks(limits)?;
        // A thread, or a call that was not inlined, starts here in an unknown phase.
        self.yields.insert(self.procedure.entry);
        for (location, data) in &self.procedure.locations {
            if data.grain != Grain::Atomic && self.leaving(location).must_be_seen() {
                self.yields.insert(location);
            }
        }
        self.phases(limits)?;
        self.break_cycles(limits)?;
        Ok(self.yields)
    }

    fn is_atomic(&self, location: LocationId) -> bool {
        self.procedure.locations[location].grain == Grain::Atomic
    }

    /// The kind of the edge and, if it leads into an atomic block, of the block's rest.
    fn edge_kind(&self, from: LocationId, index: usize) -> Kind {
        let edge = &self.procedure.locations[from].edges[index];
        let own = self.movers.kind(self.id, from, index as u32);
        let inside = self.is_atomic(edge.target);
        // A call inside a block: the callee's actions are part of the block.
        let call = inside && matches!(edge.action, Action::Call { .. });
        let rest = if inside { self.rest[edge.target] } else { Kind::BOTH };
        own.then(rest).then(if call { Kind::UNKNOWN } else { Kind::BOTH })
    }

    /// All that may leave the location as one action.
    fn leaving(&self, location: LocationId) -> Kind {
        (0..self.procedure.locations[location].edges.len())
            .fold(Kind::BOTH, |kind, index| kind.then(self.edge_kind(location, index)))
    }

    fn rest_of_blocks(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        let atomic: Vec<LocationId> =
            self.procedure.locations.keys().filter(|&l| self.is_atomic(l)).collect();
        loop {
            limits.spend(1 + atomic.len())?;
            let mut changed = false;
            for &location in atomic.iter().rev() {
                let kind = self.leaving(location);
                changed |= kind != self.rest[location];
                self.rest[location] = kind;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// Propagates phases forward; a location in the post phase that something else than left movers
    /// leaves becomes an interleaving point. Such decisions are final, which keeps this finite.
    fn phases(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        let order = graph::reverse_postorder(self.procedure);
        // A block that starts at the entry is not weighed: anything may have happened in it.
        let start = if self.is_atomic(self.procedure.entry) { Phase::Post } else { Phase::Pre };
        self.reached[self.procedure.entry] = Some(start);
        loop {
            limits.spend(1 + order.len())?;
            let mut changed = false;
            for &location in &order {
                changed |= self.visit(location);
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn visit(&mut self, location: LocationId) -> bool {
        let Some(reached) = self.reached[location] else { return false };
        let mut changed = false;
        if self.is_atomic(location) {
            // Decided where the block starts; the phase behind it is handed through.
            for edge in &self.procedure.locations[location].edges {
                changed |= raise(&mut self.reached[edge.target], reached);
            }
            return changed;
        }
        if reached == Phase::Post
            && !self.leaving(location).is_left()
            && self.yields.insert(location)
        {
            changed = true;
        }
        let phase = if self.yields.contains(location) { Phase::Pre } else { reached };
        for index in 0..self.procedure.locations[location].edges.len() {
            let edge = &self.procedure.locations[location].edges[index];
            // A call that was not inlined returns in an unknown phase.
            let call = matches!(edge.action, Action::Call { .. });
            let right = self.edge_kind(location, index).is_right() && !call;
            let after = if right { phase } else { Phase::Post };
            changed |= raise(&mut self.reached[edge.target], after);
        }
        changed
    }

    /// Makes every cycle pass an interleaving point, unless it lies inside one atomic block.
    fn break_cycles(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        let order = graph::reverse_postorder(self.procedure);
        loop {
            limits.spend(1 + order.len())?;
            let mut successors = graph::control_flow(self.procedure);
            for location in self.yields.iter() {
                successors[location.as_u32() as usize].clear();
            }
            let mut broken = true;
            for component in graph::components(&successors) {
                if !graph::is_cyclic(&component, &successors) {
                    continue;
                }
                limits.spend(order.len())?;
                let members: BitSet<LocationId> =
                    component.iter().map(|&l| LocationId::from_u32(l)).collect();
                let head = order.iter().find(|&&l| members.contains(l) && !self.is_atomic(l));
                if let Some(&head) = head {
                    self.yields.insert(head);
                    broken = false;
                }
            }
            if broken {
                return Ok(());
            }
        }
    }
}

fn raise(known: &mut Option<Phase>, to: Phase) -> bool {
    let raised = *known < Some(to);
    if raised {
        *known = Some(to);
    }
    raised
}
