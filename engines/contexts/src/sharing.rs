//! Which regions need a copy for each context, and where other threads can exist.
//!
//! A region has one copy only, whatever the context, if no context can see anything else in it than
//! the one before: nobody writes it, or only one thread accesses it, or only the thread that made
//! an object reaches it, or it is written only as long as there is one thread.

use cranelift_entity::SecondaryMap;
use selvedge_ir::{Action, LocationId, Procedure, RegionId};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;

use super::slots::Slots;

/// What is known of the accesses to a region.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// The slot that accesses it, as long as it is one.
    by: Option<u32>,
    several: bool,
    /// Written when there can be several threads.
    written: bool,
    initial: bool,
}

/// How the regions of a program are divided among the threads.
#[derive(Clone, Debug)]
pub struct Sharing {
    uses: SecondaryMap<RegionId, Use>,
    /// By slot: the locations where another thread can exist.
    pub company: Vec<BitSet<LocationId>>,
}

impl Sharing {
    pub fn of(prepared: &Prepared, slots: &Slots) -> Sharing {
        let alone = slots.list.iter().filter(|slot| slot.initial).count() <= 1;
        let mut uses: SecondaryMap<RegionId, Use> = SecondaryMap::new();
        let mut company = Vec::new();
        for (index, slot) in slots.list.iter().enumerate() {
            let body = &slot.code.body;
            let others = company_in(body, !(slot.initial && alone));
            for (at, edge) in body.edges() {
                let Some(region) = edge.action.place().and_then(|place| place.region) else {
                    continue;
                };
                let seen = &mut uses[region];
                let write = !matches!(edge.action, Action::Load { .. });
                seen.several |= seen.by.is_some_and(|by| by != index as u32);
                seen.by = Some(index as u32);
                seen.initial |= slot.initial;
                seen.written |= write && others.contains(at.from);
            }
            company.push(others);
        }
        for region in prepared.regions.private.iter() {
            uses[region].several = false;
        }
        Sharing { uses, company }
    }

    /// Whether anybody accesses it.
    pub fn is_used(&self, region: RegionId) -> bool {
        self.uses[region].by.is_some()
    }

    /// Whether contexts can differ in what the region holds.
    pub fn is_shared(&self, region: RegionId) -> bool {
        self.uses[region].several && self.uses[region].written
    }

    /// Whether a thread accesses it that exists from the start.
    pub fn by_initial(&self, region: RegionId) -> bool {
        self.uses[region].initial
    }
}

/// The locations where there can be another thread.
fn company_in(body: &Procedure, from_start: bool) -> BitSet<LocationId> {
    let mut found = BitSet::new();
    let mut waiting = Vec::new();
    if from_start {
        waiting.push(body.entry);
    }
    let spawns = body.edges().filter(|(_, edge)| matches!(edge.action, Action::Spawn { .. }));
    waiting.extend(spawns.map(|(_, edge)| edge.target));
    while let Some(location) = waiting.pop() {
        if found.insert(location) {
            waiting.extend(body.locations[location].edges.iter().map(|edge| edge.target));
        }
    }
    found
}
