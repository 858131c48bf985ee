//! Lifetimes of objects, where memory errors are checked.
//!
//! Whether an object has been freed is shared state like any other, with a copy for each context.
//! Objects that only the thread that made them can reach need one copy; objects that nobody frees,
//! none at all.

use selvedge_ir::{EdgeId, Property, RegionId};
use selvedge_passes::Prepared;

use super::plan::Plan;
use super::slots::Slot;

/// Who can free an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Shared,
    /// Only the thread that made it.
    Private,
}

#[derive(Clone, Copy, Debug)]
pub struct Lives<'a> {
    prepared: &'a Prepared,
    pub checked: bool,
}

impl<'a> Lives<'a> {
    pub fn of(prepared: &'a Prepared, plan: &Plan<'_>) -> Lives<'a> {
        let freed = !prepared.regions.freed.is_empty();
        Lives { prepared, checked: freed && plan.checks(Property::Memory) }
    }

    /// Who can free the objects of a region, if that matters.
    pub fn of_region(&self, region: RegionId) -> Option<Reach> {
        let regions = &self.prepared.regions;
        match self.checked && !regions.lasting.contains(region) {
            true if regions.private.contains(region) => Some(Reach::Private),
            true => Some(Reach::Shared),
            false => None,
        }
    }

    /// Whether another thread can free what an access leads to.
    pub fn shared(&self, region: RegionId) -> bool {
        self.of_region(region) == Some(Reach::Shared)
    }

    /// What a `Free` of a slot's code ends, if that matters.
    pub fn frees(&self, slot: &Slot, at: EdgeId) -> Option<Reach> {
        if !self.checked {
            return None;
        }
        let origin = slot.code.origins.get(&at)?;
        let private = self.prepared.regions.freed.get(origin).is_some_and(|freed| freed.private);
        Some(if private { Reach::Private } else { Reach::Shared })
    }
}
