//! Bypasses: detours that a sliced program goes past.
//!
//! To leave the content of a field out is not enough where code looks at it: each branch is one
//! more way that the solver has to think of. So a detour is left out, too, if nothing that it
//! computes is needed behind it. What is needed is found from above: all detours are left out at
//! first; those that assign what others need come back, until none does.
//!
//! A thread that does not stay in a loop for good gets through a detour that is left out, so that no
//! executions are added but those that pass by something undefined or endless. No bound is needed on
//! the loops that are left out.

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Edge, Expr, Grain, LocalId, Location, LocationId, Place, Procedure};
use selvedge_ir::{Property, RegionId};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;
use selvedge_passes::liveness::LiveLocals;

use super::detour::{Detour, Detours, Loops, harmless};
use super::faults::may_divide;
use super::lives::Lives;
use super::plan::Plan;
use super::points::Points;
use super::slots::Slot;
use super::trial::is_branch;

/// The detours of a slot's code that are left out, by their branches.
#[derive(Clone, Debug, Default)]
pub struct Bypasses {
    past: FxHashMap<LocationId, Bypass>,
    /// What can only be reached through them.
    absent: BitSet<LocationId>,
}

#[derive(Clone, Debug)]
pub struct Bypass {
    pub detour: Detour,
    /// What it would have assigned, and is looked at behind it, if only by what is not needed.
    pub unknown: Vec<LocalId>,
}

impl Bypasses {
    /// Those of a slot, where fields are left out. Where a thread could stop inside, it can stop
    /// before.
    pub fn of(prepared: &Prepared, plan: &Plan<'_>, slot: &Slot, points: &mut Points) -> Bypasses {
        let Some(tracked) = plan.tracked else { return Bypasses::default() };
        if plan.checks_states() {
            return Bypasses::default();
        }
        let body = &slot.code.body;
        let memory = plan.checks(Property::Memory);
        let finder = Finder {
            prepared,
            body,
            tracked,
            memory,
            addresses: memory || plan.addresses,
            lives: Lives::of(prepared, plan),
        };
        let bypasses = finder.all(points);
        for (at, bypass) in &bypasses.past {
            let inside = &bypass.detour.locations[1..];
            if inside.iter().any(|at| points.stops.contains(*at)) && !points.switches.contains(*at)
            {
                points.stops.insert(*at);
            }
        }
        bypasses
    }

    pub fn from(&self, branch: LocationId) -> Option<&Bypass> {
        self.past.get(&branch)
    }

    /// Whether nobody comes there.
    pub fn leave_out(&self, location: LocationId) -> bool {
        self.absent.contains(location)
    }

    /// Where a thread goes from here.
    fn targets<'a>(
        &'a self,
        body: &'a Procedure,
        at: LocationId,
    ) -> impl Iterator<Item = LocationId> + 'a {
        let past = self.past.get(&at).map(|bypass| bypass.detour.end);
        let edges = past.is_none().then(|| body.locations[at].edges.iter());
        past.into_iter().chain(edges.into_iter().flatten().map(|edge| edge.target))
    }

    /// The locations that are still reached.
    fn present(&self, body: &Procedure) -> BitSet<LocationId> {
        let mut found = BitSet::new();
        let mut waiting = vec![body.entry];
        while let Some(at) = waiting.pop() {
            if found.insert(at) {
                waiting.extend(self.targets(body, at));
            }
        }
        found
    }
}

struct Finder<'a> {
    prepared: &'a Prepared,
    body: &'a Procedure,
    tracked: &'a BitSet<RegionId>,
    memory: bool,
    /// Whether the addresses of fields that are not tracked count.
    addresses: bool,
    lives: Lives<'a>,
}

impl Finder<'_> {
    fn all(&self, points: &Points) -> Bypasses {
        let live = LiveLocals::of(self.body);
        let matters = |region| self.tracked.contains(region);
        let detours = Detours::of(self.body, Loops::With, &matters);
        let possible = detours.all().filter(|detour| self.is_possible(detour, points));
        let past = possible.map(|detour| {
            let unknown = self.assigned(detour).filter(|to| live.contains(detour.end, *to));
            let unknown = unknown.collect();
            (detour.locations[0], Bypass { detour: detour.clone(), unknown })
        });
        let mut bypasses = Bypasses { past: past.collect(), absent: BitSet::new() };
        loop {
            let present = bypasses.present(self.body);
            let needed = self.needed(&bypasses, &present);
            let before = bypasses.past.len();
            bypasses.past.retain(|_, bypass| !bypass.unknown.iter().any(|to| needed.contains(*to)));
            if bypasses.past.len() == before {
                let inside = bypasses.past.values().flat_map(|bypass| &bypass.detour.locations);
                bypasses.absent = inside.copied().filter(|at| !present.contains(*at)).collect();
                return bypasses;
            }
        }
    }

    fn edges_of<'d>(&'d self, detour: &'d Detour) -> impl Iterator<Item = &'d Edge> {
        detour.locations.iter().flat_map(|at| &self.body.locations[*at].edges)
    }

    fn assigned<'d>(&'d self, detour: &'d Detour) -> impl Iterator<Item = LocalId> + 'd {
        self.edges_of(detour).filter_map(|edge| edge.action.assigned())
    }

    /// Whether a thread gets through, and nobody can tell how.
    fn is_possible(&self, detour: &Detour, points: &Points) -> bool {
        let (first, inside) = detour.locations.split_first().expect("a detour has a branch");
        let free = self.body.locations[*first].grain != Grain::Atomic;
        let nobody_waits = |at: &LocationId| {
            !points.switches.contains(*at) && (free || !points.stops.contains(*at))
        };
        inside.iter().all(nobody_waits)
            && detour.locations.iter().all(|at| leads_on(&self.body.locations[*at]))
            && self.edges_of(detour).all(|edge| self.goes_well(&edge.action))
    }

    /// Whether an action has nothing in it that is checked.
    fn goes_well(&self, action: &Action) -> bool {
        let leads_to_memory = |place: &Place| {
            let regions = &self.prepared.regions;
            let extents = place.region.and_then(|region| regions.extents.get(&region));
            let mortal = place.region.and_then(|region| self.lives.of_region(region)).is_some();
            let checked = self.addresses && place.direct().is_none() || self.memory && mortal;
            !checked && extents.is_none_or(|extents| !extents.is_empty())
        };
        harmless(action, &|region| self.tracked.contains(region))
            && !may_divide(&self.prepared.program, self.body, action)
            && action.place().is_none_or(leads_to_memory)
    }

    /// The locals that make a difference to what is tracked or checked.
    fn needed(&self, bypasses: &Bypasses, present: &BitSet<LocationId>) -> BitSet<LocalId> {
        let there = self
            .body
            .locations
            .iter()
            .filter(|(at, _)| present.contains(*at) && bypasses.from(*at).is_none());
        let edges: Vec<&Edge> = there.flat_map(|(_, location)| &location.edges).collect();
        let mut needed: BitSet<LocalId> = self.body.result.into_iter().collect();
        loop {
            let mut changed = false;
            for edge in &edges {
                let mut read = Vec::new();
                self.reads(&edge.action, &needed, &mut |expr| read.extend(expr.locals()));
                changed = read.into_iter().fold(changed, |new, local| needed.insert(local) | new);
            }
            if !changed {
                return needed;
            }
        }
    }

    /// The expressions of an action that make a difference, if these locals do.
    fn reads(&self, action: &Action, needed: &BitSet<LocalId>, read: &mut impl FnMut(&Expr)) {
        let tracked = |place: &Place| place.region.is_none_or(|r| self.tracked.contains(r));
        match action {
            Action::Assign { to, .. }
                if !needed.contains(*to)
                    && !may_divide(&self.prepared.program, self.body, action) => {}
            Action::Load { from: place, .. }
            | Action::Store { to: place, .. }
            | Action::Lock { lock: place }
            | Action::Unlock { lock: place }
                if !tracked(place) =>
            {
                if self.addresses {
                    read(&place.addr);
                }
            }
            other => other.for_each_expr(read),
        }
    }
}

/// Whether a thread that comes here goes on.
fn leads_on(location: &Location) -> bool {
    let waits = |edge: &Edge| matches!(edge.action, Action::Assume(_));
    is_branch(location) || location.edges.iter().any(|edge| !waits(edge))
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;
    use selvedge_passes::prepare;

    use super::super::bounds::Bounds;
    use super::super::sequentialize::sequentialize;
    use super::*;

    /// How many branches of `worker` are left out if only `x` is tracked.
    #[track_caller]
    fn left_out(worker: &str, properties: &[Property]) -> usize {
        let source = format!(
            "shared x: i32; shared y: i32; shared z: i32; shared m: thread;
             procedure worker() {{ local a: i32; local b: i32; {worker} }}
             procedure main() {{ spawn worker(); y := 1; z := 2; x := 3; }}
             thread main main;"
        );
        let program = text::parse("test.plato", &source).expect("a good program");
        let options = selvedge_passes::Options {
            properties: properties.to_vec(),
            fields: true,
            ..selvedge_passes::Options::default()
        };
        let prepared = prepare(&program, &options);
        let bounds = Bounds { contexts: 2, unwind: 1, threads: 2 };
        let regions = prepared.program.regions.iter();
        let tracked = regions.filter(|(_, region)| region.name == "x").map(|(id, _)| id).collect();
        let plan = |tracked| Plan { bounds, properties, tracked, addresses: false, points: 100 };
        let bypasses = |plan| sequentialize(&prepared, &plan).expect("it is small").bypasses;
        assert!(bypasses(plan(None))[1].past.is_empty(), "with all fields everything counts");
        let sliced = &bypasses(plan(Some(&tracked)))[1];
        assert_eq!(sliced.past.is_empty(), sliced.absent.is_empty());
        sliced.past.len()
    }

    #[test]
    fn branches_on_untracked_fields_are_left_out() {
        let assert = &[Property::Assert];
        assert_eq!(left_out("a := y; if (a == 0) { z := a; } x := 1;", assert), 1);
        // One inside the other: nobody comes to the second.
        let nested = "a := y; if (a == 0) { z := a; if (a == 1) { z := 4; } } x := 1;";
        assert_eq!(left_out(nested, assert), 2);
        assert_eq!(left_out("a := y; if (a == 0) { x := 2; }", assert), 0);
        assert_eq!(
            left_out("a := y; if (a == 0) { lock m; z := a; unlock m; } x := 1;", assert),
            1
        );
    }

    #[test]
    fn branches_that_compute_needed_locals_stay() {
        let assert = &[Property::Assert];
        let computed = "a := y; if (a == 0) { b := 1; } else { b := 2; }";
        assert_eq!(left_out(&format!("{computed} x := b;"), assert), 0);
        assert_eq!(left_out(&format!("{computed} z := b;"), assert), 1);
        // Only another branch looks at it.
        let looked_at = format!("{computed} if (b == 1) {{ z := 5; }}");
        assert_eq!(left_out(&looked_at, assert), 2);
        assert_eq!(left_out(&format!("{looked_at} x := b;"), assert), 1);
    }

    #[test]
    fn branches_that_may_block_or_fail_stay() {
        let assert = &[Property::Assert];
        assert_eq!(left_out("a := y; if (a == 0) { assume a == 0; } x := 1;", assert), 0);
        assert_eq!(left_out("a := y; if (a == 0) { z := 7 / a; } x := 1;", assert), 0);
        assert_eq!(left_out("a := y; if (a == 0) { z := a / 7; } x := 1;", assert), 1);
        assert_eq!(left_out("a := y; if (a == 0) { assert a == 0; } x := 1;", assert), 0);
    }

    #[test]
    fn loops_on_untracked_fields_are_left_out() {
        let assert = &[Property::Assert];
        assert_eq!(left_out("a := y; while (a != 0) { a := y; z := a; } x := 1;", assert), 1);
        assert_eq!(left_out("a := y; while (a != 0) { a := y; z := a; } x := a;", assert), 0);
        assert_eq!(left_out("a := y; while (a != 0) { a := y; x := 2; } z := a;", assert), 0);
    }

    #[test]
    fn nothing_is_left_out_where_states_are_checked() {
        let branch = "a := y; if (a == 0) { z := a; } x := 1;";
        assert_eq!(left_out(branch, &[Property::Race]), 0);
        assert_eq!(left_out(branch, &[Property::Deadlock]), 0);
        assert_eq!(left_out(branch, &[Property::Memory]), 1);
    }
}
