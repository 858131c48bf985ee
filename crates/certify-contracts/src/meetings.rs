//! Where ways part and meet again in a body, and whether it pays to go on from there as one.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::{Action, Grain, LocationId, Procedure};
use selvedge_passes::graph::{arrives, reverse_postorder};

/// How much it costs at least to follow all ways on from a meeting once more for a merge to pay.
const WORTH: usize = 40;

/// About how much it costs to follow all paths through a body.
pub(crate) fn cost(body: &Procedure) -> usize {
    let sorted = reverse_postorder(body);
    let order = sorted.iter().enumerate().map(|(index, &at)| (at, index)).collect();
    ahead(body, &order, &sorted).get(&body.entry).copied().unwrap_or(0)
}

/// Likewise an edge: a call has many steps.
fn cost_of(action: &Action) -> usize {
    match action {
        Action::Call { .. } => 20,
        action if action.place().is_some() => 4,
        _ => 1,
    }
}

/// Of each location from which all ways to another come, where they meet.
pub(crate) struct Meetings {
    /// The meetings behind each location, the last in the order first.
    behind: BTreeMap<LocationId, Vec<LocationId>>,
    /// From where control comes to each location, on edges that do not go back.
    into: BTreeMap<LocationId, Vec<LocationId>>,
    atomic: BTreeSet<LocationId>,
    /// What it costs to follow all ways from a location to the end, loops once.
    ahead: BTreeMap<LocationId, usize>,
}

impl Meetings {
    /// `order` has the place of each location in an order in which only edges of loops go back.
    pub fn of(body: &Procedure, order: &BTreeMap<LocationId, usize>) -> Meetings {
        let mut sorted: Vec<LocationId> = order.keys().copied().collect();
        sorted.sort_by_key(|at| order[at]);
        let mut into: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
        for (id, edge) in body.edges().filter(|(_, edge)| arrives(edge)) {
            if order.contains_key(&id.from) && order[&id.from] < order[&edge.target] {
                into.entry(edge.target).or_default().push(id.from);
            }
        }
        let nearest = dominators(&into, order, &sorted);
        let atomic = sorted.iter().copied();
        let atomic = atomic.filter(|&at| body.locations[at].grain == Grain::Atomic).collect();
        let mut behind: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
        for &at in sorted.iter().rev().filter(|&&at| at != body.exit) {
            let several = into.get(&at).is_some_and(|ways| ways.len() > 1);
            if let Some(&from) = nearest.get(&at).filter(|_| several) {
                behind.entry(from).or_default().push(at);
            }
        }
        let ahead = ahead(body, order, &sorted);
        Meetings { behind, into, atomic, ahead }
    }

    /// Whether steps end at a location.
    pub fn rest(&self, at: LocationId) -> bool {
        !self.atomic.contains(&at)
    }

    pub fn behind(&self, from: LocationId) -> &[LocationId] {
        self.behind.get(&from).map_or(&[], Vec::as_slice)
    }

    /// The locations on ways from one location, from which all ways to another come, up to that.
    pub fn between(&self, from: LocationId, at: LocationId) -> BTreeSet<LocationId> {
        let mut members = BTreeSet::from([from]);
        let mut open = self.into.get(&at).cloned().unwrap_or_default();
        while let Some(next) = open.pop() {
            if members.insert(next) {
                open.extend(self.into.get(&next).into_iter().flatten());
            }
        }
        members
    }

    /// Whether so many paths are better followed as one from here on.
    pub fn are_worth_it(&self, at: LocationId, paths: usize) -> bool {
        let saved =
            paths.saturating_sub(1).saturating_mul(self.ahead.get(&at).copied().unwrap_or(0));
        saved >= WORTH
    }
}

/// The nearest location that all ways to each one come by (Cooper, Harvey, Kennedy, "A simple, fast
/// dominance algorithm"). Without the edges that go back one pass is enough.
fn dominators(
    into: &BTreeMap<LocationId, Vec<LocationId>>,
    order: &BTreeMap<LocationId, usize>,
    sorted: &[LocationId],
) -> BTreeMap<LocationId, LocationId> {
    let mut nearest: BTreeMap<LocationId, LocationId> = BTreeMap::new();
    for &at in sorted {
        let ways = into.get(&at).into_iter().flatten().copied();
        let common = ways.reduce(|mut a, mut b| {
            while a != b {
                let later = if order[&a] > order[&b] { &mut a } else { &mut b };
                *later = nearest[later];
            }
            a
        });
        if let Some(common) = common {
            nearest.insert(at, common);
        }
    }
    nearest
}

fn ahead(
    body: &Procedure,
    order: &BTreeMap<LocationId, usize>,
    sorted: &[LocationId],
) -> BTreeMap<LocationId, usize> {
    let mut ahead: BTreeMap<LocationId, usize> = BTreeMap::new();
    for &at in sorted.iter().rev() {
        let edges = body.locations[at].edges.iter();
        let sum = edges.fold(0usize, |sum, edge| {
            let goes_on = order[&edge.target] > order[&at];
            let rest = if goes_on { ahead.get(&edge.target).copied().unwrap_or(0) } else { 0 };
            sum.saturating_add(rest).saturating_add(cost_of(&edge.action))
        });
        ahead.insert(at, sum);
    }
    ahead
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;

    use super::*;

    fn meetings(procedure: &str) -> (Procedure, Meetings) {
        let source = format!("shared x: i32;\n{procedure}\nthread main main;");
        let program = text::parse("meetings", &source).expect("a program");
        let body = program.procedures.values().next().expect("main").clone();
        let order =
            reverse_postorder(&body).into_iter().enumerate().map(|(i, at)| (at, i)).collect();
        let meetings = Meetings::of(&body, &order);
        (body, meetings)
    }

    fn all(procedure: &str) -> Vec<(u32, Vec<u32>)> {
        let (body, meetings) = meetings(procedure);
        let numbers = |ats: &[LocationId]| ats.iter().map(|at| at.as_u32()).collect::<Vec<_>>();
        let behind = body.locations.keys().map(|at| (at.as_u32(), numbers(meetings.behind(at))));
        behind.filter(|(_, ats)| !ats.is_empty()).collect()
    }

    /// From L0 to L3 on two ways, one of them around a loop at L1; from there to L6 on two.
    const WAYS: &str = "procedure main() {
        L0: assume true -> L1; assume true -> L2;
        L1: skip -> L7; assume true -> L3;
        L2: skip -> L3;
        L3: assume true -> L4; assume true -> L5;
        L4: skip -> L6;
        L5: skip -> L6;
        L6: skip -> L8;
        L7: skip -> L1;
        exit L8:
    }";

    #[test]
    fn ways_meet_behind_where_they_part() {
        assert_eq!(all(WAYS), [(0, vec![3]), (3, vec![6])]);
        assert_eq!(all("procedure main() { L0: x := 1 -> L1; exit L1: }"), []);
    }

    #[test]
    fn between_lie_the_ways_without_those_that_go_back() {
        let (_, meetings) = meetings(WAYS);
        let [from, at] = [0, 3].map(LocationId::from_u32);
        let between: Vec<u32> = meetings.between(from, at).iter().map(|at| at.as_u32()).collect();
        assert_eq!(between, [0, 1, 2]);
    }

    #[test]
    fn it_pays_where_much_follows() {
        let call = WAYS.replace("L6: skip", "L6: store x := 1");
        let (_, few) = meetings(&call);
        let at = LocationId::from_u32(3);
        assert!(!few.are_worth_it(at, 1));
        assert!(!few.are_worth_it(at, 2));
        assert!(few.are_worth_it(at, 20));
    }
}
