//! Footprints: what a thread standing at a location may still do to memory in its future.
//!
//! The static part of partial-order reduction by persistent sets (Godefroid, "Partial-Order Methods
//! for the Verification of Concurrent Systems", §4): an action that touches a region in which no
//! other thread has a future conflicting access need not be interleaved with them. The footprint of
//! a location covers the rest of its procedure, the calls made from there and all threads spawned
//! from there; the footprint of a thread is the union over its frames (the location it stands at
//! and the call's target in each caller). Regions that only the thread that made the objects can
//! reach are left out: they conflict with nothing.
//!
//! Computed over the components of the graph of all locations, successors first, so each location
//! is looked at once; equal footprints are shared.

use std::fmt::Write;

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Callee, EdgeId, LocationId, ProcId, Program, RegionId};

use crate::bits::BitSet;
use crate::callgraph::address_taken;
use crate::graph;
use crate::limits::{Limits, Unprepared};
use crate::regions::Regions;

/// A distinct footprint; many locations share one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FootprintId(u32);
entity_impl!(FootprintId, "footprint");

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    pub reads: BitSet<RegionId>,
    /// Stores, locks and unlocks, and the regions of objects that may be freed.
    pub writes: BitSet<RegionId>,
    /// May touch memory that no region describes: conflicts with everything.
    pub anything: bool,
    pub may_spawn: bool,
    /// May halt the program, or return from the thread that ends it.
    pub may_end_program: bool,
}

#[derive(Clone, Debug)]
pub struct Footprints {
    table: PrimaryMap<FootprintId, Footprint>,
    at: PrimaryMap<ProcId, SecondaryMap<LocationId, FootprintId>>,
    /// What single actions do; those that do nothing are left out.
    edges: FxHashMap<(ProcId, EdgeId), Footprint>,
    nothing: Footprint,
}

impl Footprints {
    pub fn of(
        program: &Program,
        regions: &Regions,
        limits: &Limits,
    ) -> Result<Footprints, Unprepared> {
        let edges = edge_effects(program, regions, limits)?;
        let nodes = Nodes::of(program);
        let successors = successors(program, &nodes);
        let mut interned: FxHashMap<Footprint, FootprintId> = FxHashMap::default();
        let mut table: PrimaryMap<FootprintId, Footprint> = PrimaryMap::new();
        let mut by_node: Vec<Option<FootprintId>> = vec![None; successors.len()];
        // A set of regions is copied or joined in words of 64.
        let weight = 1 + program.regions.len() / 64;
        for component in graph::components(&successors) {
            limits.spend(weight * component.len())?;
            let mut footprint = Footprint::default();
            for &node in &component {
                let (procedure, location) = nodes.place(node);
                footprint.add_location(program, &edges, procedure, location);
                for &next in &successors[node as usize] {
                    // Inside the component there is none yet.
                    if let Some(id) = by_node[next as usize] {
                        footprint.add(&table[id]);
                    }
                }
            }
            let id = *interned.entry(footprint).or_insert_with_key(|f| table.push(f.clone()));
            for &node in &component {
                by_node[node as usize] = Some(id);
            }
        }
        let mut at = PrimaryMap::new();
        for (procedure, data) in &program.procedures {
            let mut ids = SecondaryMap::new();
            for location in data.locations.keys() {
                let node = nodes.number(procedure, location);
                ids[location] = by_node[node as usize].expect("invariant: each is in a component");
            }
            at.push(ids);
        }
        Ok(Footprints { table, at, edges, nothing: Footprint::default() })
    }

    pub fn id(&self, procedure: ProcId, location: LocationId) -> FootprintId {
        self.at[procedure][location]
    }

    pub fn at(&self, procedure: ProcId, location: LocationId) -> &Footprint {
        &self.table[self.id(procedure, location)]
    }

    pub fn get(&self, id: FootprintId) -> &Footprint {
        &self.table[id]
    }

    /// What the action on one edge does itself, without what comes behind it or inside a call.
    pub fn edge(&self, procedure: ProcId, edge: EdgeId) -> &Footprint {
        self.edges.get(&(procedure, edge)).unwrap_or(&self.nothing)
    }

    /// How many distinct footprints there are.
    pub fn count(&self) -> usize {
        self.table.len()
    }
}

impl Footprint {
    /// Whether an access to the region may conflict with this future.
    pub fn conflicts(&self, region: RegionId, write: bool) -> bool {
        self.anything || self.writes.contains(region) || (write && self.reads.contains(region))
    }

    /// Whether two futures may touch the same memory, one of them writing.
    pub fn conflicts_with(&self, other: &Footprint) -> bool {
        self.anything
            || other.anything
            || self.writes.intersects(&other.writes)
            || self.writes.intersects(&other.reads)
            || self.reads.intersects(&other.writes)
    }

    fn add(&mut self, other: &Footprint) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        self.anything |= other.anything;
        self.may_spawn |= other.may_spawn;
        self.may_end_program |= other.may_end_program;
    }

    /// What the actions that leave a location do themselves.
    fn add_location(
        &mut self,
        program: &Program,
        edges: &FxHashMap<(ProcId, EdgeId), Footprint>,
        id: ProcId,
        from: LocationId,
    ) {
        let procedure = &program.procedures[id];
        for index in 0..procedure.locations[from].edges.len() as u32 {
            if let Some(effect) = edges.get(&(id, EdgeId { from, index })) {
                self.add(effect);
            }
        }
        self.may_end_program |= from == procedure.exit && ends_program(program, id);
    }

    fn add_action(&mut self, regions: &Regions, at: (ProcId, EdgeId), action: &Action) {
        if let Some(place) = action.place() {
            let set = match action {
                Action::Load { .. } => &mut self.reads,
                _ => &mut self.writes,
            };
            match place.region {
                Some(region) if regions.private.contains(region) => {}
                Some(region) => {
                    set.insert(region);
                }
                None => self.anything = true,
            }
        }
        match action {
            Action::Free { .. } => match regions.freed.get(&at) {
                Some(freed) if freed.private => {}
                Some(freed) => self.writes.extend(freed.regions.iter().copied()),
                // Of null, or of what points to nothing.
                None => {}
            },
            Action::Spawn { .. } => self.may_spawn = true,
            Action::Halt => self.may_end_program = true,
            _ => {}
        }
    }
}

/// The effect of every action that has one.
fn edge_effects(
    program: &Program,
    regions: &Regions,
    limits: &Limits,
) -> Result<FxHashMap<(ProcId, EdgeId), Footprint>, Unprepared> {
    let mut effects = FxHashMap::default();
    for (id, procedure) in &program.procedures {
        limits.spend_on(procedure)?;
        let ends_program = ends_program(program, id);
        for (at, edge) in procedure.edges() {
            let mut effect = Footprint::default();
            effect.add_action(regions, (id, at), &edge.action);
            effect.may_end_program |= ends_program && edge.target == procedure.exit;
            if effect != Footprint::default() {
                effects.insert((id, at), effect);
            }
        }
    }
    Ok(effects)
}

/// Whether the program ends when a thread leaves this procedure.
fn ends_program(program: &Program, id: ProcId) -> bool {
    program.threads.iter().any(|thread| thread.main && thread.procedure == id)
}

/// The locations of all procedures, numbered one after another.
struct Nodes {
    first: PrimaryMap<ProcId, u32>,
    places: Vec<(ProcId, LocationId)>,
}

impl Nodes {
    fn of(program: &Program) -> Nodes {
        let mut nodes = Nodes { first: PrimaryMap::new(), places: Vec::new() };
        for (id, procedure) in &program.procedures {
            nodes.first.push(nodes.places.len() as u32);
            nodes.places.extend(procedure.locations.keys().map(|location| (id, location)));
        }
        nodes
    }

    fn number(&self, procedure: ProcId, location: LocationId) -> u32 {
        self.first[procedure] + location.as_u32()
    }

    fn place(&self, node: u32) -> (ProcId, LocationId) {
        self.places[node as usize]
    }
}

/// Where a thread, or one that it starts, may be next: targets, and entries of callees.
fn successors(program: &Program, nodes: &Nodes) -> Vec<Vec<u32>> {
    let taken = address_taken(program);
    let entry = |p: ProcId| nodes.number(p, program.procedures[p].entry);
    let mut successors = Vec::with_capacity(nodes.places.len());
    for &(id, location) in &nodes.places {
        let mut next = Vec::new();
        for edge in &program.procedures[id].locations[location].edges {
            if graph::arrives(edge) {
                next.push(nodes.number(id, edge.target));
            }
            if let Action::Call { callee, .. } | Action::Spawn { entry: callee, .. } = &edge.action
            {
                match callee {
                    Callee::Direct(p) => next.push(entry(*p)),
                    Callee::Indirect(_) => next.extend(taken.iter().map(entry)),
                }
            }
        }
        successors.push(next);
    }
    successors
}

/// A listing: for each location where the footprint changes, what is still to come.
pub fn listing(program: &Program, footprints: &Footprints) -> String {
    let names = |set: &BitSet<RegionId>| {
        let names: Vec<&str> = set.iter().map(|r| program.regions[r].name.as_str()).collect();
        names.join(", ")
    };
    let mut out = String::new();
    for (id, procedure) in &program.procedures {
        let _ = writeln!(out, "procedure {}", procedure.name);
        let mut last = None;
        for location in procedure.locations.keys() {
            let footprint = footprints.id(id, location);
            if last.replace(footprint) == Some(footprint) {
                continue;
            }
            let footprint = footprints.get(footprint);
            let _ = write!(
                out,
                "  {location}: reads {{{}}} writes {{{}}}",
                names(&footprint.reads),
                names(&footprint.writes)
            );
            for (holds, what) in [
                (footprint.anything, "anything"),
                (footprint.may_spawn, "spawns"),
                (footprint.may_end_program, "ends the program"),
            ] {
                if holds {
                    let _ = write!(out, ", {what}");
                }
            }
            out.push('\n');
        }
    }
    out
}
