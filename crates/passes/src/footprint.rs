//! Footprints: what a thread standing at a location may still do to memory in its future.
//!
//! The static part of partial-order reduction by persistent sets (Godefroid, "Partial-Order Methods
//! for the Verification of Concurrent Systems", §4): an action that touches a region in which no
//! other thread has a future conflicting access need not be interleaved with them. The footprint of
//! a location covers the rest of its procedure, the calls made from there and all threads spawned
//! from there; the footprint of a thread is the union over its frames (the location it stands at
//! and the call's target in each caller).

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use selvedge_ir::{LocationId, ProcId, Program, RegionId};

use crate::bits::BitSet;

/// A distinct footprint; many locations share one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl Footprint {
    /// Whether an access to the region may conflict with this future.
    pub fn conflicts(&self, region: RegionId, write: bool) -> bool {
        self.anything || self.writes.contains(region) || (write && self.reads.contains(region))
    }
}

#[derive(Clone, Debug)]
pub struct Footprints {
    table: PrimaryMap<FootprintId, Footprint>,
    at: PrimaryMap<ProcId, SecondaryMap<LocationId, FootprintId>>,
}

impl Footprints {
    pub fn of(program: &Program) -> Footprints {
        let mut table = PrimaryMap::new();
        let any = table.push(Footprint {
            anything: true,
            may_spawn: true,
            may_end_program: true,
            ..Footprint::default()
        });
        let at = program.procedures.values().map(|_| SecondaryMap::with_default(any)).collect();
        Footprints { table, at }
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

    /// How many distinct footprints there are.
    pub fn count(&self) -> usize {
        self.table.len()
    }
}

impl Default for FootprintId {
    fn default() -> FootprintId {
        FootprintId(0)
    }
}
