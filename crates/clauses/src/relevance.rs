//! Which variables can influence whether a bad step is taken, and which steps differ only in others.
//!
//! Work: comparing two steps of a template counts one unit.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Limits, Logic, Solver, Term, Terms};
use selvedge_system::{End, Step, System, Template};

use super::conflicts::Conflict;

/// The time for one question.
const QUESTION: Duration = Duration::from_secs(1);

/// A system of which it is found out what matters.
pub struct Relevance<'a> {
    pub system: &'a System,
    limits: Limits,
}

/// Steps that do the same as far as the variables matter, and when one of them can be taken.
pub struct Group {
    pub steps: Vec<usize>,
    pub guard: Term,
}

impl<'a> Relevance<'a> {
    pub fn new(system: &'a System, limits: &Limits) -> Relevance<'a> {
        Relevance { system, limits: Limits { time: Some(QUESTION), ..limits.clone() } }
    }

    /// Variables that can influence whether a bad step is taken: those in its guard, what is assigned to
    /// such, and those in the guards of steps that lead to different places or do different things to such.
    /// Likewise for accesses that must not meet.
    pub fn variables(&self, terms: &mut Terms, conflicts: &[Conflict]) -> FxHashSet<Term> {
        let mut kept: FxHashSet<Term> = FxHashSet::default();
        for (thread, access) in conflicts.iter().flat_map(|both| [both.first, both.second]) {
            let access = &self.system.templates[thread].accesses[access];
            kept.extend(terms.variables(&access.address.terms()));
            kept.extend(terms.variables(&[access.guard]));
        }
        let mut known = FxHashMap::default();
        loop {
            let before = kept.len();
            for number in 0..self.system.templates.len() {
                for group in self.groups(terms, number, &kept, &mut known) {
                    kept.extend(terms.variables(&[group.guard]));
                }
            }
            while assigned(terms, self.system, &mut kept) {}
            if kept.len() == before {
                return kept;
            }
        }
    }

    /// The steps of a template. Steps are taken together if they cover all cases of what they have
    /// in common, such as the branches of a condition that decides nothing of interest.
    pub fn groups(
        &self,
        terms: &mut Terms,
        number: usize,
        kept: &FxHashSet<Term>,
        known: &mut FxHashMap<Vec<Term>, Option<Term>>,
    ) -> Vec<Group> {
        let template = &self.system.templates[number];
        let mut found = Vec::new();
        for steps in self.alike(template, kept) {
            let guards: Vec<Term> = steps.iter().map(|&step| template.steps[step].guard).collect();
            let common = match guards.len() {
                1 => None,
                _ => *known
                    .entry(guards.clone())
                    .or_insert_with(|| self.covered(terms, template, &guards)),
            };
            match common {
                Some(guard) => found.push(Group { steps, guard }),
                None => {
                    let pairs = steps.into_iter().zip(guards);
                    found.extend(pairs.map(|(step, guard)| Group { steps: vec![step], guard }));
                }
            }
        }
        found
    }

    /// The steps of a template, those that have the same effect together.
    fn alike(&self, template: &Template, kept: &FxHashSet<Term>) -> Vec<Vec<usize>> {
        let mut alike: Vec<Vec<usize>> = Vec::new();
        for (index, step) in template.steps.iter().enumerate() {
            let first = |group: &&mut Vec<usize>| {
                same_effect(self.system, template, &template.steps[group[0]], step, kept)
            };
            self.limits.clock.spend(alike.len() as u64);
            match alike.iter_mut().find(first) {
                Some(group) => group.push(index),
                None => alike.push(vec![index]),
            }
        }
        alike
    }

    /// What the guards have in common, if one of them holds whenever that does.
    fn covered(&self, terms: &mut Terms, template: &Template, guards: &[Term]) -> Option<Term> {
        let parts: Vec<Vec<Term>> = guards.iter().map(|&guard| terms.conjuncts(&[guard])).collect();
        let everywhere = |part: &&Term| parts.iter().all(|other| other.contains(part));
        let common: Vec<Term> = parts[0].iter().filter(everywhere).copied().collect();
        let any = terms.or(guards);
        let none = terms.not(any);
        let mut solver = Solver::new(Logic::All, self.limits.clone());
        for &part in common.iter().chain([&self.system.ranges, &template.ranges, &none]) {
            solver.assert(terms, part);
        }
        match solver.check(terms, &[]) {
            Answer::Unsat(_) => Some(terms.and(&common)),
            _ => None,
        }
    }

    /// Whether a guard can hold in any state at all. If that is not known, it can.
    pub fn can_hold(&self, terms: &Terms, template: &Template, guard: Term) -> bool {
        let mut solver = Solver::new(Logic::All, self.limits.clone());
        for part in [self.system.ranges, template.ranges, guard] {
            solver.assert(terms, part);
        }
        !matches!(solver.check(terms, &[]), Answer::Unsat(_))
    }
}

/// Adds what is assigned to variables that are kept; whether there was something to add.
fn assigned(terms: &Terms, system: &System, kept: &mut FxHashSet<Term>) -> bool {
    let before = kept.len();
    for (template, step) in
        system.templates.iter().flat_map(|t| t.steps.iter().map(move |s| (t, s)))
    {
        let shared = step.shared.iter().map(|&(v, to)| (system.shared[v as usize].term, to));
        let locals = step.locals.iter().map(|&(v, to)| (template.locals[v as usize].term, to));
        let mut sources: Vec<Term> =
            shared.chain(locals).filter(|(var, _)| kept.contains(var)).map(|p| p.1).collect();
        for spawn in &step.spawns {
            let child = &system.templates[spawn.template.0 as usize];
            let args = spawn.args.iter().map(|&(v, to)| (child.locals[v as usize].term, to));
            sources.extend(args.filter(|(var, _)| kept.contains(var)).map(|pair| pair.1));
        }
        kept.extend(terms.variables(&sources));
    }
    kept.len() != before
}

/// Whether two steps do the same to the variables that are kept, and lead to the same place.
fn same_effect(
    system: &System,
    template: &Template,
    a: &Step,
    b: &Step,
    kept: &FxHashSet<Term>,
) -> bool {
    let shared = |step: &Step| {
        let of = |v: u32| system.shared[v as usize].term;
        step.shared.iter().copied().filter(|&(v, _)| kept.contains(&of(v))).collect::<Vec<_>>()
    };
    let locals = |step: &Step| {
        let of = |v: u32| template.locals[v as usize].term;
        step.locals.iter().copied().filter(|&(v, _)| kept.contains(&of(v))).collect::<Vec<_>>()
    };
    matches!(a.end, End::To(_))
        && (a.from, &a.end) == (b.from, &b.end)
        && a.spawns.is_empty()
        && b.spawns.is_empty()
        && shared(a) == shared(b)
        && locals(a) == locals(b)
}
