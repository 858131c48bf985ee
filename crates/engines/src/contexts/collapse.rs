//! Code without its detours.
//!
//! What is not tracked has no content, so a branch by it can go either way; and where nothing
//! between the branch and where its ways meet matters ([`detour`](super::detour)), which way it goes
//! makes no difference either. Such a branch becomes one edge. The locals that the ways assign may
//! hold anything behind it. That only adds executions, as slicing does; and the solver's question
//! shrinks to the control flow that the tracked fields take part in.
//!
//! A thread can wait inside of a detour, so it may stop where one was.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Grain, LocalId, LocationId, ProcId, Property, RegionId, Span};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;

use super::detour::{Detour, Detours};
use super::flatten::Flat;
use super::sequentialize::Plan;
use super::slots::Slots;
use super::thread::may_fault;

/// The slots with their detours collapsed.
pub struct Collapsed {
    pub slots: Slots,
    /// Where detours were, by slot.
    pub gone: Vec<BitSet<LocationId>>,
    /// Whether something undefined may happen on a detour.
    pub undefined: bool,
}

/// Whether detours are left out. Where accesses count that lead nowhere, even those to what is not
/// tracked do.
pub fn collapses(plan: &Plan<'_>) -> bool {
    plan.tracked.is_some() && !plan.addresses && !plan.properties.contains(&Property::Memory)
}

pub fn collapse(prepared: &Prepared, plan: &Plan<'_>, slots: Slots) -> Collapsed {
    let nothing = slots.list.iter().map(|_| BitSet::new()).collect();
    let mut all = Collapsed { slots, gone: nothing, undefined: false };
    let Some(tracked) = plan.tracked.filter(|_| collapses(plan)) else { return all };
    let matters = |region: RegionId| tracked.contains(region);
    let mut done: FxHashMap<ProcId, Short> = FxHashMap::default();
    for (slot, gone) in all.slots.list.iter_mut().zip(&mut all.gone) {
        let short = done.entry(slot.procedure).or_insert_with(|| {
            let detours = Detours::of(&slot.code.body, &matters);
            Short::of(prepared, &slot.code, &detours)
        });
        slot.code = short.code.clone();
        gone.clone_from(&short.gone);
        all.undefined |= short.undefined;
    }
    all
}

/// The code of a thread without its detours.
struct Short {
    code: Rc<Flat>,
    gone: BitSet<LocationId>,
    undefined: bool,
}

impl Short {
    fn of(prepared: &Prepared, code: &Flat, detours: &Detours) -> Short {
        let mut flat = code.clone();
        let mut gone = BitSet::new();
        let mut undefined = false;
        for (at, detour) in detours.iter() {
            let inside = detour.locations.iter().flat_map(|at| &code.body.locations[*at].edges);
            let mut assigned: Vec<LocalId> = Vec::new();
            for edge in inside {
                undefined |= may_fault(&prepared.program, &code.body, &edge.action);
                assigned.extend(edge.action.assigned());
            }
            assigned.sort();
            assigned.dedup();
            flat.origins.retain(|edge, _| edge.from != at);
            straighten(&mut flat, at, detour, assigned);
            gone.insert(at);
        }
        Short { code: Rc::new(flat), gone, undefined }
    }
}

/// Leads from a branch to where its ways meet.
fn straighten(flat: &mut Flat, at: LocationId, detour: &Detour, assigned: Vec<LocalId>) {
    let span = flat.body.locations[at].edges.first().map_or(Span::NONE, |edge| edge.span);
    let grain = match flat.body.locations[at].grain {
        Grain::Atomic => Grain::Atomic,
        _ => Grain::Joined,
    };
    flat.body.locations[at].edges.clear();
    let mut from = at;
    for to in assigned {
        let next = flat.body.add_location(grain);
        flat.body.add_edge(from, Action::Havoc { to }, next, span);
        from = next;
    }
    flat.body.add_edge(from, Action::Skip, detour.end, span);
}
