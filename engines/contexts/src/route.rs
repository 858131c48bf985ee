//! How a thread goes through its code: where it may switch contexts or stop, and what it goes past.

use selvedge_ir::{Action, EdgeId, LocationId, Property};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;

use super::bypass::Bypasses;
use super::faults::may_fault;
use super::lives::{Lives, Reach};
use super::plan::Plan;
use super::points::Points;
use super::sharing::Sharing;
use super::slots::Slot;

#[derive(Clone, Debug, Default)]
pub struct Route {
    pub points: Points,
    pub bypasses: Bypasses,
}

impl Route {
    /// `company` are the locations where other threads can exist.
    pub fn of(
        prepared: &Prepared,
        plan: &Plan<'_>,
        slot: &Slot,
        sharing: &Sharing,
        company: &BitSet<LocationId>,
    ) -> Route {
        let lives = Lives::of(prepared, plan);
        let shared =
            |region| (sharing.is_shared(region) && plan.tracks(region)) || lives.shared(region);
        let visible = |at: EdgeId, action: &Action| match action {
            Action::Join { .. } => true,
            Action::Free { .. } => lives.frees(slot, at) == Some(Reach::Shared),
            other => other.place().and_then(|place| place.region).is_some_and(shared),
        };
        let memory = plan.checks(Property::Memory);
        let risky = |at: EdgeId, action: &Action| match action {
            Action::Unsupported { .. } | Action::Ghost(_) | Action::Call { .. } => true,
            Action::Spawn { .. } => slot.spawns.get(&at).is_none_or(|slots| slots.len() != 1),
            other => !memory && may_fault(&prepared.program, &slot.code.body, other),
        };
        let mut points = Points::of(slot, company, &visible, &risky);
        points.thin(&slot.code.body, plan.points);
        let bypasses = Bypasses::of(prepared, plan, slot, &mut points);
        Route { points, bypasses }
    }
}
