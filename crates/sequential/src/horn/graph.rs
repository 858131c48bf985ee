//! The control flow of a sequential program as Horn clauses need it: where it is cut, and what
//! matters there.
//!
//! Cut points are the heads of loops in a weak topological order, so every cycle passes one, also in
//! irreducible graphs. Where an action goes wrong is a way like any other.

use std::collections::BTreeMap;

use cranelift_entity::SecondaryMap;
use selvedge_ir::{Action, EdgeId, Grain, LocalId, LocationId, Place, Procedure, RegionId, Span};
use selvedge_passes::graph::arrives;
use selvedge_passes::liveness::LiveLocals;

use super::super::given::Given;
use super::super::order::{Key, Order};
use super::super::program::SequentialProgram;

#[derive(Debug)]
pub(super) struct Graph {
    order: Order,
    live: LiveLocals,
    /// The maps that may still be read.
    read: SecondaryMap<LocationId, Vec<RegionId>>,
    pub cuts: Vec<LocationId>,
}

impl Graph {
    /// What invariants speak of matters where they stand.
    pub fn of(program: &SequentialProgram, invariants: &BTreeMap<LocationId, Given>) -> Graph {
        let mut body = program.with_faults();
        for (&at, given) in invariants {
            for part in &given.parts {
                let mut here = at;
                for action in &part.before {
                    let next = body.add_location(Grain::Yield);
                    body.add_edge(here, action.clone(), next, Span::NONE);
                    here = next;
                }
                let exit = body.exit;
                body.add_edge(here, Action::Assume(part.holds.clone()), exit, Span::NONE);
            }
        }
        let order = Order::of(&body);
        let cuts = body.locations.keys().filter(|&at| order.is_head(at)).collect();
        Graph { live: LiveLocals::of(&body), read: read_later(program, &body), order, cuts }
    }

    /// Its place in the order of everything between two cut points.
    pub fn key(&self, at: LocationId) -> Key {
        self.order.first(at)
    }

    pub fn is_cut(&self, at: LocationId) -> bool {
        self.order.is_head(at)
    }

    /// Whether what stands here can happen more than once.
    pub fn repeats(&self, at: LocationId) -> bool {
        self.order.depth(at) > 0
    }

    pub fn is_live(&self, at: LocationId, local: LocalId) -> bool {
        self.live.contains(at, local)
    }

    pub fn is_read(&self, at: LocationId, region: RegionId) -> bool {
        self.read[at].contains(&region)
    }
}

/// For each location the maps that are read from there on.
fn read_later(
    program: &SequentialProgram,
    body: &Procedure,
) -> SecondaryMap<LocationId, Vec<RegionId>> {
    let mut sources: SecondaryMap<LocationId, Vec<EdgeId>> = SecondaryMap::new();
    let mut reads: SecondaryMap<RegionId, Vec<LocationId>> = SecondaryMap::new();
    for (at, edge) in body.edges() {
        if arrives(edge) {
            sources[edge.target].push(at);
        }
        if let Action::Load { from: Place { region: Some(region), .. }, .. } = &edge.action {
            reads[*region].push(at.from);
        }
    }
    let mut found: SecondaryMap<LocationId, Vec<RegionId>> = SecondaryMap::new();
    for region in program.program.regions.keys() {
        let overwrites = |at: &EdgeId| match &body.edge(*at).action {
            Action::Store { to, .. } => {
                to.region == Some(region) && program.exact.contains_key(&region)
            }
            _ => false,
        };
        let mut work = std::mem::take(&mut reads[region]);
        while let Some(at) = work.pop() {
            if found[at].last() == Some(&region) {
                continue;
            }
            found[at].push(region);
            work.extend(sources[at].iter().filter(|e| !overwrites(e)).map(|e| e.from));
        }
    }
    found
}
