//! Whether a thread may unlock what it does not hold.
//!
//! The program is lowered without a check first, and the analysis of locks certainly held is asked.
//! Up to the first such unlock both programs do the same, so where it finds none, there is none.

use std::collections::HashSet;

use selvedge_ir::{Action, LocationId, Place, ProcId, Program, Property, Span};
use selvedge_passes::locks::Locks;
use selvedge_passes::parallel::Parallel;
use selvedge_passes::{Limits, Options, Unprepared, prepare_within};

/// What the question may cost, in units of the passes: about a third of a second.
const WORK: u64 = 300_000;
const EDGES: usize = 100_000;

/// The places of unlocks that may be of what the thread does not hold.
pub(super) fn may_be_unheld(program: &Program, properties: &[Property]) -> HashSet<Span> {
    let all = unlocks(program, |_, _, _| false);
    match all.is_empty() {
        true => all,
        false => unproved(program, properties).unwrap_or(all),
    }
}

/// The places of unlocks but for those that the condition holds for.
fn unlocks(program: &Program, held: impl Fn(ProcId, LocationId, &Place) -> bool) -> HashSet<Span> {
    let mut found = HashSet::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            if let Action::Unlock { lock } = &edge.action
                && !held(id, at.from, lock)
            {
                found.insert(edge.span);
            }
        }
    }
    found
}

fn unproved(program: &Program, properties: &[Property]) -> Result<HashSet<Span>, Unprepared> {
    let limits = Limits::work(WORK, EDGES);
    let options = Options { properties: properties.to_vec(), reduce: false, ..Options::default() };
    let prepared = prepare_within(program, &options, &limits)?;
    let program = &prepared.program;
    let parallel = Parallel::of(program, &prepared.templates, &limits)?;
    let locks = Locks::of(program, &prepared.regions, &parallel, &limits)?;
    Ok(unlocks(program, |procedure, at, lock| {
        let held = locks.held(procedure, at);
        held.is_none_or(|held| lock.region.is_some_and(|region| held.contains(region)))
    }))
}
