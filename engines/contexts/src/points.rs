//! Scheduling points: where a thread may pass on to a later context, or stop for good.
//!
//! What others can see of a thread are its accesses to regions with copies, and its joins wait for
//! others. Reduction says where interleaving matters (`Yield`); from there the point is put off over
//! actions that nobody sees, up to right before the next one that counts. So a thread passes few
//! points, and starts and ends in the earliest context possible.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, Edge, EdgeId, Grain, Location, LocationId, Procedure};
use selvedge_passes::bits::BitSet;
use selvedge_passes::threads::Cycles;

use super::slots::Slot;
use super::trial::is_branch;

/// The scheduling points of a slot.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// Before what leaves these, the context may change and the thread may stop.
    pub switches: BitSet<LocationId>,
    /// Behind a scheduling point, so that the context is not known there. The points themselves
    /// count only if they can be reached from another.
    pub switched: BitSet<LocationId>,
    /// Where a thread may stop for good without a scheduling point, since it may be that it never
    /// comes to the next: before a condition that blocks, in a loop, before the program's end, or
    /// before what is undefined or cannot be followed.
    pub stops: BitSet<LocationId>,
    /// Where the context is given: on a path that was found before.
    pub given: FxHashMap<LocationId, u32>,
}

impl Points {
    /// `company` are the locations where other threads can exist, `visible` tells which edges others
    /// can see or have an influence on, `risky` before which a thread must be able to stop.
    pub fn of(
        slot: &Slot,
        company: &BitSet<LocationId>,
        visible: &dyn Fn(EdgeId, &Action) -> bool,
        risky: &dyn Fn(EdgeId, &Action) -> bool,
    ) -> Points {
        let body = &slot.code.body;
        let visible: FxHashSet<EdgeId> = (body.edges())
            .filter(|(at, edge)| visible(*at, &edge.action))
            .map(|(at, _)| at)
            .collect();
        let blocks = visible_blocks(body, &visible);
        let finder = Finder { body, visible, blocks };
        let switches = finder.switches(company);
        let cycles = Cycles::of(body);
        let loops = |at: LocationId| edges_of(body, at).any(|(id, _)| cycles.contains(body, id));
        let risks = |at: LocationId| edges_of(body, at).any(|(id, edge)| risky(id, &edge.action));
        let open = open_blocks(body, &|at| loops(at) || risks(at));
        let stops = |at: LocationId, location: &Location| {
            may_block(location)
                || location.edges.iter().any(|edge| open.contains(edge.target))
                || (location.grain == Grain::Yield && loops(at))
                || (slot.main && location.edges.iter().any(|edge| edge.target == body.exit))
                || location.edges.iter().any(|edge| edge.action == Action::Halt)
        };
        let can_stop = |at: LocationId| {
            let free = !switches.contains(at) && body.locations[at].grain != Grain::Atomic;
            free && company.contains(at)
        };
        let sites = body.locations.iter().filter(|(at, data)| can_stop(*at) && stops(*at, data));
        let mut stops: BitSet<LocationId> = sites.map(|(at, _)| at).collect();
        let unseen = finder.with_effects_behind(&switches, &stops);
        for at in unseen.iter().filter(|&at| can_stop(at) && risks(at)) {
            stops.insert(at);
        }
        let switched = behind(body, &switches);
        Points { switches, switched, stops, ..Points::default() }
    }

    /// Keeps this share of the switches, spread evenly (Table 3 of the paper). Executions are lost.
    pub fn thin(&mut self, body: &Procedure, percent: u32) {
        if percent >= 100 {
            return;
        }
        let kept = |n: usize| (n + 1) as u32 * percent / 100 > n as u32 * percent / 100;
        let switches = self.switches.iter().enumerate();
        self.switches = switches.filter(|(n, _)| kept(*n)).map(|(_, at)| at).collect();
        self.switched = behind(body, &self.switches);
    }
}

struct Finder<'a> {
    body: &'a Procedure,
    visible: FxHashSet<EdgeId>,
    /// Locations of atomic blocks from which something visible can follow in the block.
    blocks: BitSet<LocationId>,
}

impl Finder<'_> {
    /// Whether others can see or influence what leaves a location, or the block that it leads into.
    fn counts(&self, at: LocationId) -> bool {
        let edges = edges_of(self.body, at);
        let mut counting = edges
            .filter(|(id, edge)| self.visible.contains(id) || self.blocks.contains(edge.target));
        counting.next().is_some()
    }

    fn switches(&self, company: &BitSet<LocationId>) -> BitSet<LocationId> {
        let mut pending: BitSet<LocationId> = BitSet::new();
        let mut switches = BitSet::new();
        let mut waiting: Vec<LocationId> = self
            .body
            .locations
            .iter()
            .filter(|(_, location)| location.grain == Grain::Yield)
            .map(|(at, _)| at)
            .collect();
        while let Some(at) = waiting.pop() {
            if !pending.insert(at) {
                continue;
            }
            // Through blocks that nobody sees it is put off as over other actions.
            let location = &self.body.locations[at];
            let free = location.grain != Grain::Atomic;
            if free && company.contains(at) && self.counts(at) {
                switches.insert(at);
            } else {
                waiting.extend(location.edges.iter().map(|edge| edge.target));
            }
        }
        switches
    }
}

impl Finder<'_> {
    /// Where a thread may have started, or done what others can see, since it could last have stopped.
    fn with_effects_behind(
        &self,
        switches: &BitSet<LocationId>,
        stops: &BitSet<LocationId>,
    ) -> BitSet<LocationId> {
        let effects = self.body.edges().filter(|(at, edge)| match edge.action {
            Action::Spawn { .. } => true,
            Action::Load { .. } | Action::Join { .. } => false,
            _ => self.visible.contains(at),
        });
        let mut found: BitSet<LocationId> = BitSet::new();
        let mut waiting: Vec<LocationId> = effects.map(|(_, edge)| edge.target).collect();
        waiting.push(self.body.entry);
        while let Some(at) = waiting.pop() {
            if found.insert(at) && !switches.contains(at) && !stops.contains(at) {
                waiting.extend(self.body.locations[at].edges.iter().map(|edge| edge.target));
            }
        }
        found
    }
}

fn edges_of(body: &Procedure, from: LocationId) -> impl Iterator<Item = (EdgeId, &Edge)> {
    let edges = body.locations[from].edges.iter().enumerate();
    edges.map(move |(index, edge)| (EdgeId { from, index: index as u32 }, edge))
}

fn visible_blocks(body: &Procedure, visible: &FxHashSet<EdgeId>) -> BitSet<LocationId> {
    let mut found: BitSet<LocationId> = BitSet::new();
    loop {
        let mut changed = false;
        for (at, location) in body.locations.iter() {
            let mut edges = edges_of(body, at);
            let seen = edges.any(|(id, e)| visible.contains(&id) || found.contains(e.target));
            if location.grain == Grain::Atomic && seen {
                changed |= found.insert(at);
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Whether a thread may find no edge to take, or only edges that wait.
fn may_block(location: &Location) -> bool {
    match &location.edges[..] {
        _ if is_branch(location) => false,
        [] => false,
        edges => edges.iter().all(|edge| {
            matches!(
                edge.action,
                Action::Assume(_) | Action::Wait(_) | Action::Lock { .. } | Action::Join { .. }
            )
        }),
    }
}

/// Where a thread is inside a block that it may not finish. Such a block does not start.
fn open_blocks(body: &Procedure, doubtful: &dyn Fn(LocationId) -> bool) -> BitSet<LocationId> {
    let inside = |at: LocationId| body.locations[at].grain == Grain::Atomic;
    let stays = |at: LocationId| {
        let location = &body.locations[at];
        let halts = location.edges.iter().any(|edge| edge.action == Action::Halt);
        halts || location.edges.is_empty() || may_block(location) || doubtful(at)
    };
    let mut before: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for (at, edge) in body.edges().filter(|(at, edge)| inside(at.from) && inside(edge.target)) {
        before.entry(edge.target).or_default().push(at.from);
    }
    let mut waiting: Vec<LocationId> =
        body.locations.keys().filter(|at| inside(*at) && stays(*at)).collect();
    let mut found = BitSet::new();
    while let Some(at) = waiting.pop() {
        if found.insert(at) {
            waiting.extend(before.get(&at).into_iter().flatten());
        }
    }
    found
}

/// The locations that can be reached from what leaves one of these.
fn behind(body: &Procedure, points: &BitSet<LocationId>) -> BitSet<LocationId> {
    let mut found = BitSet::new();
    let mut waiting: Vec<LocationId> = points.iter().collect();
    while let Some(at) = waiting.pop() {
        for edge in &body.locations[at].edges {
            if found.insert(edge.target) {
                waiting.push(edge.target);
            }
        }
    }
    found
}
