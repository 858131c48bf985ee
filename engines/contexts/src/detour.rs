//! Detours: branches that make no difference to the fields that matter.
//!
//! A detour leads from a branch to where all its ways meet again (the immediate postdominator), by
//! actions that only compute, or access fields that do not matter.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, LocationId, Procedure, RegionId};

/// Whether there may be loops in a detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    Without,
    With,
}

/// Locations of a detour; larger ones are not looked for.
const LARGEST: usize = 300;

#[derive(Clone, Debug)]
pub struct Detour {
    /// The branch first, then what lies between.
    pub locations: Vec<LocationId>,
    /// Where the ways meet.
    pub end: LocationId,
}

/// The detours of a procedure, by their branches.
pub struct Detours(FxHashMap<LocationId, Detour>);

impl Detours {
    pub fn of(body: &Procedure, loops: Loops, matters: &dyn Fn(RegionId) -> bool) -> Detours {
        let meets = postdominators(body);
        let branches = body.locations.iter().filter(|(_, data)| data.edges.len() > 1);
        let detours = branches.filter_map(|(at, _)| {
            let detour = between(body, at, *meets.get(&at)?, loops, matters)?;
            Some((at, detour))
        });
        Detours(detours.collect())
    }

    pub fn from(&self, branch: LocationId) -> Option<&Detour> {
        self.0.get(&branch)
    }

    pub fn all(&self) -> impl Iterator<Item = &Detour> {
        self.0.values()
    }
}

/// What lies between a branch and where its ways meet; none if something there matters, or is a
/// loop that must not be there.
fn between(
    body: &Procedure,
    start: LocationId,
    end: LocationId,
    loops: Loops,
    matters: &dyn Fn(RegionId) -> bool,
) -> Option<Detour> {
    let mut order = Vec::new();
    let mut done: FxHashSet<LocationId> = FxHashSet::default();
    let mut open: FxHashSet<LocationId> = FxHashSet::from_iter([start]);
    let mut stack = vec![(start, 0)];
    while let Some(top) = stack.last_mut() {
        let (at, index) = *top;
        top.1 += 1;
        let Some(edge) = body.locations[at].edges.get(index) else {
            open.remove(&at);
            done.insert(at);
            order.push(at);
            stack.pop();
            continue;
        };
        let target = edge.target;
        let back = open.contains(&target);
        let loops = back && loops == Loops::Without;
        if !harmless(&edge.action, matters) || loops || done.len() > LARGEST {
            return None;
        }
        if target != end && !back && !done.contains(&target) {
            open.insert(target);
            stack.push((target, 0));
        }
    }
    order.reverse();
    Some(Detour { locations: order, end })
}

/// Whether an action makes no difference to the fields that matter.
pub fn harmless(action: &Action, matters: &dyn Fn(RegionId) -> bool) -> bool {
    match action {
        Action::Skip | Action::Assume(_) | Action::Assign { .. } | Action::Havoc { .. } => true,
        Action::Fence(_) => true,
        Action::Load { .. }
        | Action::Store { .. }
        | Action::Lock { .. }
        | Action::Unlock { .. } => {
            let region = action.place().and_then(|place| place.region);
            region.is_some_and(|region| !matters(region))
        }
        _ => false,
    }
}

/// For each location that leads to the exit, the first one that all its ways to the exit pass
/// (Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001).
fn postdominators(body: &Procedure) -> FxHashMap<LocationId, LocationId> {
    let mut before: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for (at, edge) in body.edges() {
        before.entry(edge.target).or_default().push(at.from);
    }
    let order = backwards(body.exit, &before);
    let position: FxHashMap<LocationId, usize> =
        order.iter().enumerate().map(|(i, &at)| (at, i)).collect();
    let mut meets: FxHashMap<LocationId, LocationId> =
        FxHashMap::from_iter([(body.exit, body.exit)]);
    loop {
        let mut changed = false;
        for &at in order.iter().filter(|at| **at != body.exit) {
            let targets = body.locations[at].edges.iter().map(|edge| edge.target);
            let mut known = targets.filter(|target| meets.contains_key(target));
            let Some(first) = known.next() else { continue };
            let found = known.fold(first, |mut a, mut b| {
                while a != b {
                    if position[&a] > position[&b] { a = meets[&a] } else { b = meets[&b] }
                }
                a
            });
            changed |= meets.insert(at, found) != Some(found);
        }
        if !changed {
            meets.remove(&body.exit);
            return meets;
        }
    }
}

/// The locations that lead to the exit, each before those that only lead to it.
fn backwards(exit: LocationId, before: &FxHashMap<LocationId, Vec<LocationId>>) -> Vec<LocationId> {
    let mut order = Vec::new();
    let mut seen: FxHashSet<LocationId> = FxHashSet::from_iter([exit]);
    let mut stack = vec![(exit, 0)];
    while let Some(top) = stack.last_mut() {
        let (at, index) = *top;
        top.1 += 1;
        match before.get(&at).and_then(|list| list.get(index)) {
            Some(&next) if seen.insert(next) => stack.push((next, 0)),
            Some(_) => {}
            None => {
                order.push(at);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Expr, Grain, Span};

    use super::*;

    fn graph(edges: &[(u32, u32, Action)], size: u32) -> Procedure {
        let at = LocationId::from_u32;
        let mut procedure = Procedure {
            name: "f".into(),
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            entry: at(0),
            exit: at(size - 1),
            span: Span::NONE,
        };
        for _ in 0..size {
            procedure.add_location(Grain::Yield);
        }
        for (from, to, action) in edges {
            procedure.add_edge(at(*from), action.clone(), at(*to), Span::NONE);
        }
        procedure
    }

    #[test]
    fn a_branch_that_only_computes() {
        let go = || Action::Assume(Expr::TRUE);
        let end = || Action::Halt;
        // 0 -> 1 -> {2 -> 3, 3} -> 4 -> {5, 6} -> 7, where 5 does not go on.
        let body = graph(
            &[
                (0, 1, go()),
                (1, 2, go()),
                (1, 3, go()),
                (2, 3, go()),
                (3, 4, go()),
                (4, 5, go()),
                (4, 6, go()),
                (5, 7, end()),
                (6, 7, go()),
            ],
            8,
        );
        let detours = Detours::of(&body, Loops::Without, &|_| true);
        let at = LocationId::from_u32;
        let first = detours.from(at(1)).expect("a detour");
        assert_eq!(first.locations, [at(1), at(2)]);
        assert_eq!(first.end, at(3));
        assert!(detours.from(at(4)).is_none());
    }

    #[test]
    fn loops_are_part_of_detours_only_where_allowed() {
        let go = || Action::Assume(Expr::TRUE);
        let body = graph(&[(0, 1, go()), (1, 2, go()), (2, 1, go()), (1, 3, go())], 4);
        let at = LocationId::from_u32;
        assert!(Detours::of(&body, Loops::Without, &|_| true).from(at(1)).is_none());
        let detours = Detours::of(&body, Loops::With, &|_| true);
        let found = detours.from(at(1)).expect("a detour");
        assert_eq!(found.locations, [at(1), at(2)]);
        assert_eq!(found.end, at(3));
    }
}
