//! Predicates that may help: what the program itself compares, and comparisons of variables that it
//! relates.
//!
//! Of what the program says itself there are its guards, what is so initially, who holds a lock, and
//! what must hold before a step for a predicate to hold behind it ([`before`]).
//!
//! Two variables are related if they occur in one comparison or one assignment, directly or through
//! others. Of related integers, order and equality are tried: between shared variables, between a
//! shared variable and a local, and between a local and the same local of another thread.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use selvedge_smt::{Sort, Term, Terms};
use selvedge_system::{Bad, End, System, What};

use super::before::before;
use super::literals::atoms;
use crate::abstraction::Abstraction;
use crate::predicate::Predicate;
use crate::watch::LOOKUP;

/// More than these are not tried.
const MOST: usize = 80;
const MOST_PARTICULAR: usize = 40;

/// What the assertions say.
pub fn asserted(abstraction: &mut Abstraction) -> Vec<Predicate> {
    let steps = abstraction.system.templates.iter().flat_map(|template| &template.steps);
    let bad = steps.filter(|step| matches!(step.end, End::Bad(Bad::Wrong { .. })));
    let guards: Vec<Term> = bad.map(|step| step.guard).collect();
    predicates(abstraction, guards)
}

/// What the program compares, who holds a lock, and comparisons of related variables; the simple ones
/// first: they are kept where others would do as well. Where there are too many, those come first
/// that speak of the mentioned variables alone.
pub fn candidates(abstraction: &mut Abstraction, mentioned: &FxHashSet<Term>) -> Vec<Predicate> {
    let steps = abstraction.system.templates.iter().flat_map(|template| &template.steps);
    let guards: Vec<Term> = steps.map(|step| step.guard).collect();
    let mut found = predicates(abstraction, guards);
    let related = related(&abstraction.system);
    let mut formulas = owners(&mut abstraction.system);
    formulas.extend(comparisons(abstraction, &related));
    for formula in formulas {
        add(abstraction, formula, &mut found);
    }
    sorted(abstraction, found, MOST, mentioned)
}

/// What is so initially, and what must hold before steps. These are about certain numbers; a proof
/// about a counter without bound would need ever more of them, so they are a second choice.
pub fn particular(abstraction: &mut Abstraction, mentioned: &FxHashSet<Term>) -> Vec<Predicate> {
    let initial = abstraction.system.initial;
    let mut found = predicates(abstraction, vec![initial]);
    for formula in before(abstraction) {
        add(abstraction, formula, &mut found);
    }
    sorted(abstraction, found, MOST_PARTICULAR, mentioned)
}

fn sorted(
    abstraction: &Abstraction,
    mut found: Vec<Predicate>,
    most: usize,
    mentioned: &FxHashSet<Term>,
) -> Vec<Predicate> {
    let system = &abstraction.system;
    let many = found.len() > most;
    let strange = |predicate: &Predicate| many && !predicate.speaks_of(system, mentioned);
    found.sort_by_cached_key(|predicate| (strange(predicate), complexity(system, predicate)));
    found.truncate(most);
    found
}

/// What is said of the shared state or of who holds a lock is simplest, then what is said of one
/// thread, then of two.
pub fn complexity(system: &System, predicate: &Predicate) -> usize {
    let Some(active) = predicate.active else {
        return 2 * usize::from(predicate.passive.is_some());
    };
    let locals = &system.templates[active.index()].locals;
    let is_tid = |local: &u32| locals[*local as usize].what == What::Tid;
    let number = predicate.atoms.iter().all(|atom| atom.mine.iter().all(is_tid));
    match predicate.passive {
        Some(_) => 2,
        None => usize::from(!number),
    }
}

/// That a thread holds a lock: its number is in a cell into which some step writes it.
fn owners(system: &mut System) -> Vec<Term> {
    let mut found = Vec::new();
    for template in &system.templates {
        for &(at, value) in template.steps.iter().flat_map(|step| &step.shared) {
            if value == template.tid {
                found.push(system.terms.eq(system.shared[at as usize].term, value));
            }
        }
    }
    found
}

fn predicates(abstraction: &mut Abstraction, formulas: Vec<Term>) -> Vec<Predicate> {
    let mut found = Vec::new();
    for formula in formulas {
        for atom in atoms(&abstraction.system.terms, formula) {
            add(abstraction, atom, &mut found);
        }
    }
    found
}

fn add(abstraction: &Abstraction, formula: Term, found: &mut Vec<Predicate>) {
    abstraction.watch.spend(LOOKUP);
    let predicate = Predicate::new(&abstraction.system, &abstraction.vocabulary, formula);
    if let Some(predicate) = predicate.map(|predicate| predicate.scoped(&abstraction.vocabulary))
        && !found.contains(&predicate)
        && abstraction.system.terms.constant(formula).is_none()
    {
        found.push(predicate);
    }
}

/// Groups of integer variables that the program relates.
fn related(system: &System) -> Vec<Vec<Term>> {
    let mut groups = Groups::default();
    for template in &system.templates {
        for step in &template.steps {
            for atom in atoms(&system.terms, step.guard) {
                groups.join(&system.terms, &[atom], None);
            }
            for &(at, value) in &step.shared {
                groups.join(&system.terms, &[value], Some(system.shared[at as usize].term));
            }
            for &(at, value) in &step.locals {
                groups.join(&system.terms, &[value], Some(template.locals[at as usize].term));
            }
        }
    }
    groups.finish()
}

#[derive(Default)]
struct Groups(BTreeMap<Term, usize>);

impl Groups {
    fn join(&mut self, terms: &Terms, formulas: &[Term], more: Option<Term>) {
        let mut all = terms.variables(formulas);
        all.extend(more);
        all.retain(|&variable| terms.sort(variable) == Sort::Int);
        let fresh = self.0.values().max().map_or(0, |most| most + 1);
        let known: Vec<usize> = all.iter().filter_map(|v| self.0.get(v).copied()).collect();
        let group = known.first().copied().unwrap_or(fresh);
        for other in self.0.values_mut().filter(|other| known.contains(other)) {
            *other = group;
        }
        for variable in all {
            self.0.insert(variable, group);
        }
    }

    fn finish(self) -> Vec<Vec<Term>> {
        let mut groups: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for (variable, group) in self.0 {
            groups.entry(group).or_default().push(variable);
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }
}

/// Equality and order of related variables. What is said of a passive thread is said of all of them,
/// so there both directions and inequality are worth having; first that a shared variable is above
/// all locals, which more steps keep than other things, then that a local differs from all others.
fn comparisons(abstraction: &mut Abstraction, groups: &[Vec<Term>]) -> Vec<Term> {
    let (mut equal, mut ordered, mut above) = (Vec::new(), Vec::new(), Vec::new());
    let (mut different, mut rest) = (Vec::new(), Vec::new());
    for group in groups {
        let others = others(abstraction, group);
        let System { terms, shared, .. } = &mut abstraction.system;
        let is_shared = |x: Term| shared.iter().any(|variable| variable.term == x);
        for (index, &x) in group.iter().enumerate() {
            for &y in &group[index + 1..] {
                equal.push(terms.eq(x, y));
                ordered.extend([terms.lt(x, y), terms.lt(y, x)]);
            }
            for &(local, other) in &others {
                let three = [terms.lt(other, x), terms.ne(x, other), terms.lt(x, other)];
                above.extend(is_shared(x).then_some(three[0]));
                different.extend((x == local).then_some(three[1]));
                rest.extend(three);
            }
        }
    }
    [equal, ordered, above, different, rest].concat()
}

/// The group's locals, with the variables that stand for them in a passive thread.
fn others(abstraction: &Abstraction, group: &[Term]) -> Vec<(Term, Term)> {
    let mut found = Vec::new();
    for (index, template) in abstraction.system.templates.iter().enumerate() {
        if template.pool {
            for (at, local) in template.locals.iter().enumerate() {
                if group.contains(&local.term) {
                    found.push((local.term, abstraction.vocabulary.others[index][at]));
                }
            }
        }
    }
    found
}
