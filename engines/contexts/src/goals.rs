//! Goals: the assertions that can go wrong, in groups that are looked at one after another.
//!
//! An execution that goes wrong does so at one assertion first. So each may be looked at by itself, as
//! if the others were not there: without them a field that only they depend on does not matter, nor do
//! the scheduling points before accesses to it. Assertions that look at a field in common form one
//! group, because they need much the same fields.
//!
//! An assertion that is no goal is passed over, which only adds executions. Once all that it looks at is
//! tracked, it is an assumption instead: where it does not hold, the execution belongs to another
//! group. So a path that fails there is not found again and again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, EdgeId, Expr, LocalId, LocationId, ProcId, Procedure, Program, Property, RegionId,
};
use selvedge_passes::Prepared;

use super::fields::Fields;

/// Groups at most: each costs a translation of the whole program.
const MOST: usize = 32;

/// An assertion of the prepared program.
type Place = (ProcId, EdgeId);

#[derive(Clone, Debug)]
struct Goal {
    at: Place,
    /// The fields whose content it looks at.
    fields: Vec<RegionId>,
    /// What the branch before it looks at, which decides whether it is reached.
    before: Vec<RegionId>,
}

/// The assertions of a program, in groups.
#[derive(Clone, Debug)]
pub struct Goals {
    groups: Vec<Vec<Goal>>,
    /// By assertion, the fields that it looks at.
    fields: FxHashMap<Place, Vec<RegionId>>,
}

impl Goals {
    /// In one group, if there is more that can go wrong.
    pub fn of(program: &Program, together: bool) -> Goals {
        let procedures = program.procedures.iter();
        let all: Vec<Goal> =
            procedures.flat_map(|(id, procedure)| of_procedure(id, procedure)).collect();
        let fields = all.iter().map(|goal| (goal.at, goal.fields.clone())).collect();
        let groups = if together || all.is_empty() { vec![all] } else { few(connected(all)) };
        Goals { groups, fields }
    }

    /// How many groups there are.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// The fields that a group begins with.
    pub fn fields(&self, group: usize) -> Fields {
        Fields::starting_with(self.groups[group].iter().flat_map(|g| g.fields.clone()).collect())
    }

    /// The program in which the assertions of one group are checked.
    pub fn focus<'a>(
        &self,
        group: usize,
        prepared: &'a Prepared,
        fields: &Fields,
    ) -> Cow<'a, Prepared> {
        if self.groups.len() == 1 || fields.are_all() {
            return Cow::Borrowed(prepared);
        }
        let goals: FxHashSet<Place> = self.groups[group].iter().map(|goal| goal.at).collect();
        let tracked = |region: &RegionId| fields.tracked().is_none_or(|set| set.contains(*region));
        let mut focused = prepared.clone();
        for (&(procedure, at), looked_at) in
            self.fields.iter().filter(|(at, _)| !goals.contains(at))
        {
            let location = &mut focused.program.procedures[procedure].locations[at.from];
            let edge = &mut location.edges[at.index as usize];
            if let Action::Assert { cond, .. } = &edge.action {
                edge.action = match looked_at.iter().all(tracked) {
                    true => Action::Assume(cond.clone()),
                    false => Action::Skip,
                };
            }
        }
        Cow::Owned(focused)
    }
}

/// Goals that share a field, directly or over others, are together.
fn connected(all: Vec<Goal>) -> Vec<Vec<Goal>> {
    let mut groups: Vec<Vec<Goal>> = Vec::new();
    // By field and by goals without any: the group.
    let mut group_of: BTreeMap<Option<RegionId>, usize> = BTreeMap::new();
    for goal in all {
        let keys: Vec<Option<RegionId>> = match goal.fields.is_empty() && goal.before.is_empty() {
            true => vec![None],
            false => goal.fields.iter().chain(&goal.before).copied().map(Some).collect(),
        };
        let mut known: Vec<usize> =
            keys.iter().filter_map(|key| group_of.get(key).copied()).collect();
        known.sort_unstable();
        known.dedup();
        let to = known.first().copied().unwrap_or(groups.len());
        if to == groups.len() {
            groups.push(Vec::new());
        }
        for &other in known.iter().skip(1) {
            let moved = std::mem::take(&mut groups[other]);
            groups[to].extend(moved);
            group_of.values_mut().filter(|group| **group == other).for_each(|group| *group = to);
        }
        group_of.extend(keys.into_iter().map(|key| (key, to)));
        groups[to].push(goal);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Neighbours together, where there are too many groups.
fn few(groups: Vec<Vec<Goal>>) -> Vec<Vec<Goal>> {
    let each = groups.len().div_ceil(MOST).max(1);
    groups.chunks(each).map(<[Vec<Goal>]>::concat).collect()
}

fn of_procedure(id: ProcId, procedure: &Procedure) -> Vec<Goal> {
    let sources = Sources::of(procedure);
    let mut before: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
    for (at, edge) in procedure.edges() {
        before.entry(edge.target).or_default().push(at);
    }
    let goals = procedure.edges().filter_map(|(at, edge)| match &edge.action {
        Action::Assert { cond, check } if check.property != Property::Invariant => {
            let branch = branch_before(procedure, &before, at.from);
            let decides = branch.iter().flat_map(|at| match &procedure.edge(*at).action {
                Action::Assume(condition) => sources.regions([condition]),
                _ => Vec::new(),
            });
            Some(Goal { at: (id, at), fields: sources.regions([cond]), before: decides.collect() })
        }
        _ => None,
    });
    goals.collect()
}

/// The edges of the next branches on the way back from a location.
fn branch_before(
    procedure: &Procedure,
    before: &FxHashMap<LocationId, Vec<EdgeId>>,
    from: LocationId,
) -> Vec<EdgeId> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<LocationId> = FxHashSet::default();
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        for &edge in before.get(&at).into_iter().flatten() {
            if procedure.locations[edge.from].edges.len() > 1 {
                found.push(edge);
            } else {
                waiting.push(edge.from);
            }
        }
    }
    found
}

/// Where the values of a procedure's locals come from, in whatever order its edges are passed.
struct Sources {
    locals: FxHashMap<LocalId, Vec<LocalId>>,
    regions: FxHashMap<LocalId, Vec<RegionId>>,
}

impl Sources {
    fn of(procedure: &Procedure) -> Sources {
        let mut sources = Sources { locals: FxHashMap::default(), regions: FxHashMap::default() };
        for (_, edge) in procedure.edges() {
            match &edge.action {
                Action::Assign { to, value } => {
                    sources.locals.entry(*to).or_default().extend(value.locals());
                }
                Action::Load { to, from, .. } => {
                    sources.regions.entry(*to).or_default().extend(from.region);
                }
                _ => {}
            }
        }
        sources
    }

    /// The fields whose content expressions depend on.
    fn regions<'e>(&self, expressions: impl IntoIterator<Item = &'e Expr>) -> Vec<RegionId> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<LocalId> = FxHashSet::default();
        let mut waiting: Vec<LocalId> =
            expressions.into_iter().flat_map(|expression| expression.locals()).collect();
        while let Some(local) = waiting.pop() {
            if seen.insert(local) {
                waiting.extend(self.locals.get(&local).into_iter().flatten());
                found.extend(self.regions.get(&local).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;
    use selvedge_passes::prepare;

    use super::*;

    /// Two parts that have nothing in common, and an assertion about nothing shared.
    const PARTS: &str = "shared a: i32; shared b: i32; shared c: i32;
        procedure other() { a := 1; b := 2; c := 3; }
        procedure main() { local x: i32; local y: i32; local z: i32;
            spawn other();
            x := a; assert x >= 0; x := a; assert x < 9;
            y := b; z := c; if (y == 7) { assert z == 0; }
            z := c; assert z < 5;
            havoc z; assert z == z; }
        thread main main;";

    fn prepared(source: &str) -> Prepared {
        let program = text::parse("test.plato", source).expect("a good program");
        let options = selvedge_passes::Options { fields: true, ..Default::default() };
        prepare(&program, &options)
    }

    fn names(prepared: &Prepared, fields: &Fields) -> Vec<String> {
        let mut names = fields.names(&prepared.program).expect("not all fields");
        names.sort();
        names
    }

    #[test]
    fn assertions_that_look_at_a_field_in_common_are_together() {
        let prepared = prepared(PARTS);
        let goals = Goals::of(&prepared.program, false);
        let fields: Vec<Vec<String>> =
            (0..goals.count()).map(|group| names(&prepared, &goals.fields(group))).collect();
        assert!(fields.contains(&vec!["a".to_owned()]), "{fields:?}");
        assert!(fields.contains(&vec!["c".to_owned()]), "{fields:?}");
        assert_eq!(Goals::of(&prepared.program, true).count(), 1);
    }

    #[test]
    fn what_is_no_goal_is_passed_over_until_its_fields_are_tracked() {
        let prepared = prepared(PARTS);
        let goals = Goals::of(&prepared.program, false);
        let about_a = (0..goals.count())
            .find(|&group| names(&prepared, &goals.fields(group)) == ["a"])
            .expect("a group of `a`");
        let asserted = |fields: &Fields| {
            let focused = goals.focus(about_a, &prepared, fields);
            let procedures = focused.program.procedures.values();
            let edges = procedures.flat_map(|procedure| procedure.edges());
            let mut found = (0, 0);
            for (_, edge) in edges {
                match &edge.action {
                    Action::Assert { .. } => found.0 += 1,
                    Action::Assume(_) => found.1 += 1,
                    _ => {}
                }
            }
            found
        };
        let mut fields = goals.fields(about_a);
        let (checked, assumed) = asserted(&fields);
        assert_eq!(checked, 2);
        let all: Vec<RegionId> = prepared.program.regions.keys().collect();
        fields.add(&all, &[]);
        let more = asserted(&fields);
        assert_eq!(more.0, 2);
        assert_eq!(more.1, assumed + 3, "those that look at `z`");
    }

    #[test]
    fn many_groups_are_put_together() {
        let goal = |n: u32| Goal {
            at: (ProcId::from_u32(0), EdgeId { from: LocationId::from_u32(n), index: 0 }),
            fields: vec![RegionId::from_u32(n)],
            before: Vec::new(),
        };
        let groups = few(connected((0..100).map(goal).collect()));
        assert!(groups.len() <= MOST && groups.len() > MOST / 2);
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 100);
    }
}
