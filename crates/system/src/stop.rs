//! Work within limits.

use selvedge_budget::{Clock, Moment};
use selvedge_exec::Stop;
use selvedge_smt::{Limits, Reason};

/// Counts work; an error if it was more than the limits allow.
pub(super) fn within(limits: &Limits, units: u64) -> Result<(), Stop> {
    limits.clock.spend(units);
    let Some(reason) = limits.exceeded() else { return Ok(()) };
    let whole = limits.deadline.unwrap_or(Moment::START).since(Moment::START);
    Err(match reason {
        Reason::Interrupted => Stop::Interrupted,
        _ if limits.clock.counts_work() => Stop::Work { limit: Clock::work_for(whole) },
        _ => Stop::Time { limit: whole },
    })
}
