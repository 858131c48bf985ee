//! A proof in parts: bad steps that have nothing to do with each other are excluded one after the other.
//!
//! Predicates multiply: each one doubles the number of abstract states in the worst case, whether or
//! not it has to do with the others. Two locks one behind the other need twice the predicates of one,
//! and the square of its states. But what excludes that one lock lets two threads in says nothing
//! about the other. So bad steps whose conditions share no variable are goals of their own. Each is
//! proved in a system without the other bad steps, with predicates of its own; the invariants of all
//! together are one. A conjunction of inductive invariants is inductive, so the certificate is about
//! the whole program, and its checker knows nothing of goals.

use std::collections::BTreeSet;

use selvedge_certify::{Certificate, Entry, Relation};
use selvedge_ir::RegionId;
use selvedge_smt::Term;
use selvedge_system::{Bad, End, Step, System};

/// More goals than these are taken together.
const MOST: usize = 16;

/// What a bad step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Variable(Term),
    /// Of a race.
    Region(RegionId),
}

/// Bad steps that are excluded together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    about: BTreeSet<Subject>,
    /// By template and position.
    steps: BTreeSet<(usize, usize)>,
    /// Where accesses may race.
    regions: BTreeSet<RegionId>,
    /// Whether it violates a property; an operation that might wrap around does not.
    fails: bool,
}

impl Goal {
    /// The goals of a system, violations of properties first.
    pub fn all(system: &System) -> Vec<Goal> {
        let mut goals: Vec<Goal> = Vec::new();
        for goal in single(system) {
            add(&mut goals, goal);
        }
        // One violation is the whole question.
        if goals.iter().filter(|goal| goal.fails).count() < 2 {
            return vec![together(goals)];
        }
        goals.sort_by_key(|goal| !goal.fails);
        goals
    }

    /// All of them together.
    pub fn whole(system: &System) -> Goal {
        together(single(system))
    }

    /// The system without all other bad steps.
    pub fn alone(&self, mut system: System) -> System {
        for (number, template) in system.templates.iter_mut().enumerate() {
            let steps = std::mem::take(&mut template.steps).into_iter().enumerate();
            let kept = |(at, step): &(usize, Step)| {
                matches!(step.end, End::To(_)) || self.steps.contains(&(number, *at))
            };
            template.steps = steps.filter(kept).map(|(_, step)| step).collect();
            template.accesses.retain(|access| self.regions.contains(&access.region));
        }
        system
    }
}

/// Each bad step, and the races in each region, as a goal.
fn single(system: &System) -> Vec<Goal> {
    let mut found = Vec::new();
    for (number, template) in system.templates.iter().enumerate() {
        for (at, step) in template.steps.iter().enumerate() {
            let End::Bad(bad) = &step.end else { continue };
            found.push(Goal {
                about: about(system, step),
                steps: BTreeSet::from([(number, at)]),
                regions: BTreeSet::new(),
                fails: matches!(bad, Bad::Wrong { .. }),
            });
        }
    }
    let accesses = system.templates.iter().flat_map(|template| &template.accesses);
    for region in accesses.map(|access| access.region).collect::<BTreeSet<_>>() {
        let (about, regions) = ([Subject::Region(region)].into(), [region].into());
        found.push(Goal { about, steps: BTreeSet::new(), regions, fails: true });
    }
    found
}

/// The shared variables that its condition mentions, or else all.
fn about(system: &System, step: &Step) -> BTreeSet<Subject> {
    let all = system.terms.variables(&[step.guard]);
    let is_shared = |term: &Term| system.shared.iter().any(|variable| variable.term == *term);
    let shared: BTreeSet<Subject> =
        all.iter().copied().filter(is_shared).map(Subject::Variable).collect();
    match shared.is_empty() {
        true => all.into_iter().map(Subject::Variable).collect(),
        false => shared,
    }
}

/// Adds a goal to those that it has something in common with, which become one; or to the last one,
/// where there are many.
fn add(goals: &mut Vec<Goal>, goal: Goal) {
    let alike = |other: &Goal| {
        !other.about.is_disjoint(&goal.about) || (other.about.is_empty() && goal.about.is_empty())
    };
    let (mut same, mut apart): (Vec<Goal>, Vec<Goal>) =
        std::mem::take(goals).into_iter().partition(alike);
    if same.is_empty() && apart.len() >= MOST {
        same.extend(apart.pop());
    }
    same.push(goal);
    apart.push(together(same));
    *goals = apart;
}

fn together(goals: Vec<Goal>) -> Goal {
    goals.into_iter().fold(Goal::default(), |mut all, goal| {
        all.about.extend(goal.about);
        all.steps.extend(goal.steps);
        all.regions.extend(goal.regions);
        all.fails |= goal.fails;
        all
    })
}

/// Adds what a relation says to what is already said of threads of its shape.
pub fn conjoin(certificate: &mut Certificate, relation: Relation) {
    let same = |known: &&mut Relation| known.shape == relation.shape;
    let Some(known) = certificate.relations.iter_mut().find(same) else {
        certificate.relations.push(relation);
        return;
    };
    // Where one of them has no entry, no threads ever stand so.
    let before = std::mem::take(&mut known.entries);
    known.entries = before
        .into_iter()
        .filter_map(|Entry { at, formula }| {
            let more = relation.entries.iter().find(|entry| entry.at == at)?;
            Some(Entry { at, formula: format!("(and {formula} {})", more.formula) })
        })
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(about: &[u32], step: usize, fails: bool) -> Goal {
        let about = about.iter().map(|n| Subject::Region(RegionId::from_u32(*n))).collect();
        Goal { about, steps: [(0, step)].into(), regions: BTreeSet::new(), fails }
    }

    #[test]
    fn what_has_something_in_common_is_one_goal() {
        let mut goals = Vec::new();
        for (step, about) in [&[1][..], &[2], &[3, 4], &[], &[2, 3], &[]].into_iter().enumerate() {
            add(&mut goals, goal(about, step, true));
        }
        let steps: Vec<Vec<usize>> =
            goals.iter().map(|goal| goal.steps.iter().map(|(_, step)| *step).collect()).collect();
        assert_eq!(steps, [vec![0], vec![1, 2, 4], vec![3, 5]]);
    }

    #[test]
    fn relations_of_one_shape_become_one() {
        let entry =
            |at: &str, formula: &str| Entry { at: vec![at.into()], formula: formula.into() };
        let relation = |entries: Vec<Entry>| Relation { shape: vec!["worker".into()], entries };
        let program = selvedge_ir::text::parse("t", "procedure p() { skip; } thread 1 p;").unwrap();
        let arithmetic = selvedge_certify::Arithmetic::Integers;
        let mut all =
            Certificate::new("t", &program, &selvedge_passes::Options::default(), arithmetic);
        conjoin(&mut all, relation(vec![entry("L0", "a"), entry("L1", "b")]));
        conjoin(&mut all, relation(vec![entry("L1", "c"), entry("L2", "d")]));
        assert_eq!(all.relations, [relation(vec![entry("L1", "(and b c)")])]);
    }
}
