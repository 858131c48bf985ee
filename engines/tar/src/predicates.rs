//! The predicates of the abstraction.
//!
//! A predicate is a formula over the shared variables and the locals of one thread. Those without
//! locals are *common*: every thread tracks them, and they are what threads know of each other. One
//! with locals (or a pool thread's own number, as in "I hold the lock") belongs to its template.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Op, Sort, Term, Terms, Value};

use super::model::{Ghost, Model};
use selvedge_system::{At, Template, TemplateId, What};

/// A number with more values than this is not tracked value by value.
const FEW: usize = 3;

/// A variable that is compared with so many numbers may be compared with ever more.
const ENDLESS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(pub u32);

#[derive(Clone, Debug)]
pub struct Predicate {
    pub term: Term,
    /// None for a common one.
    pub owner: Option<TemplateId>,
    /// What it mentions, sorted.
    pub variables: Vec<Term>,
    /// Positions of the owner's locals that it mentions.
    locals: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Predicates {
    pub list: Vec<Predicate>,
    known: FxHashSet<(Option<TemplateId>, Term)>,
    /// How many there were when the round began.
    begun: usize,
}

impl Predicates {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn begin_round(&mut self) {
        self.begun = self.list.len();
    }

    pub fn ids(&self) -> impl Iterator<Item = PredicateId> + use<> {
        (0..self.list.len() as u32).map(PredicateId)
    }

    pub fn get(&self, id: PredicateId) -> &Predicate {
        &self.list[id.0 as usize]
    }

    /// Those that a thread of the template tracks.
    pub fn of(&self, template: TemplateId) -> Vec<PredicateId> {
        let visible = |id: &PredicateId| self.get(*id).owner.is_none_or(|o| o == template);
        self.ids().filter(visible).collect()
    }

    /// Whether all that it mentions is alive where the thread stands.
    pub fn lives(&self, model: &Model, id: PredicateId, at: At) -> bool {
        let predicate = self.get(id);
        let Some(owner) = predicate.owner else { return true };
        predicate.locals.iter().all(|&local| model.is_live(owner, at, local))
    }

    /// Takes an atom that a thread of the template wants to track. Says whether it is new.
    pub fn add(&mut self, model: &mut Model, template: TemplateId, atom: Term) -> bool {
        let term = normal(&mut model.terms, atom);
        if model.terms.constant(term).is_some() {
            return false;
        }
        let variables = model.terms.variables(&[term]);
        let mut locals = Vec::new();
        for &variable in &variables {
            match model.owner(variable) {
                Some(None) => {}
                Some(Some((owner, position))) if owner == template => locals.push(position),
                // An input, or another thread's local.
                _ => return false,
            }
        }
        let owner = (!locals.is_empty()).then_some(template);
        let new = self.known.insert((owner, term));
        if new {
            self.list.push(Predicate { term, owner, variables, locals });
        }
        new
    }

    /// Takes the atoms of formulas that a solver made, in a simple form where that brings something new
    /// in this round.
    pub fn add_found(&mut self, model: &mut Model, found: &[(TemplateId, Term)]) -> usize {
        let mut added = 0;
        for &(template, formula) in found {
            for atom in atoms(&model.terms, formula) {
                for simple in simple(model, atom) {
                    added += self.add_atoms(model, template, simple);
                }
            }
        }
        if !self.any_new() {
            for &(template, formula) in found {
                added += self.add_atoms(model, template, formula);
            }
        }
        added
    }

    /// Whether there are some that the round did not begin with.
    pub fn any_new(&self) -> bool {
        self.list.len() > self.begun
    }

    /// Shared variables that are compared with one number after the other: what is found of them may
    /// never end, unless they have few values anyway.
    pub fn endless(&self, model: &mut Model) -> FxHashSet<Term> {
        let mut alone: FxHashMap<Term, usize> = FxHashMap::default();
        for predicate in &self.list {
            if let (&[variable], None) = (&predicate.variables[..], predicate.owner) {
                *alone.entry(variable).or_default() += 1;
            }
        }
        alone.retain(|variable, count| *count >= ENDLESS && !model.numbers.contains(variable));
        let Model { values, terms, .. } = model;
        let any = |variable: &Term| values.choices(terms, *variable, 2 * ENDLESS).is_none();
        alone.into_keys().filter(any).collect()
    }

    /// All that is mentioned.
    pub fn variables(&self) -> FxHashSet<Term> {
        self.list.iter().flat_map(|predicate| predicate.variables.iter().copied()).collect()
    }

    /// Takes all atoms of a formula, for the template and for those that run the same code.
    pub fn add_atoms(&mut self, model: &mut Model, template: TemplateId, formula: Term) -> usize {
        let mut added = 0;
        for atom in atoms(&model.terms, formula) {
            added += usize::from(self.add(model, template, atom));
            for (sibling, map) in model.siblings(template) {
                let same = model.terms.substitute(atom, &map);
                added += usize::from(self.add(model, sibling, same));
            }
        }
        added
    }
}

/// What to track instead of an atom that a solver made. Numbers of threads are only names, so they are
/// compared for equality; whatever else it computes of them, and remainders, is left out. Of a
/// variable that has one of a few values: which.
fn simple(model: &mut Model, atom: Term) -> Vec<Term> {
    let variables = model.terms.variables(&[atom]);
    let (numbers, others): (Vec<Term>, Vec<Term>) =
        variables.into_iter().partition(|variable| model.numbers.contains(variable));
    if numbers.is_empty()
        && let Some(values) = model.values.choices(&mut model.terms, atom, FEW)
    {
        return values;
    }
    let terms = &mut model.terms;
    if numbers.is_empty() {
        return if divides(terms, atom) { Vec::new() } else { vec![atom] };
    }
    if !others.is_empty() {
        return Vec::new();
    }
    if terms.op(atom) == &Op::Eq && terms.args(atom).iter().all(|&arg| terms.args(arg).is_empty()) {
        return vec![atom];
    }
    let mut found = Vec::new();
    for (position, &number) in numbers.iter().enumerate() {
        let sort = terms.sort(number);
        let zero = Value::zero(terms, sort);
        let zero = terms.value(&zero, sort);
        found.push(terms.eq(number, zero));
        for &other in &numbers[..position] {
            if terms.sort(other) == sort {
                found.push(terms.eq(other, number));
            }
        }
    }
    found
}

fn divides(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::Div | Op::Mod)
        || terms.args(term).iter().any(|&arg| divides(terms, arg))
}

/// The formulas below the connectives.
pub fn atoms(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let args = terms.args(term);
        match terms.op(term) {
            Op::And | Op::Or | Op::Not => open.extend(args),
            Op::Ite if terms.sort(term) == Sort::Bool => open.extend(args),
            Op::Eq if terms.sort(args[0]) == Sort::Bool => open.extend(args),
            Op::Const(_) => {}
            _ => found.push(term),
        }
    }
    found.sort();
    found
}

/// One form for an atom, its negation, and what differs only in how it is written.
fn normal(terms: &mut Terms, atom: Term) -> Term {
    let args = terms.args(atom).to_vec();
    match terms.op(atom) {
        Op::Not => args[0],
        Op::Lt | Op::BvUlt | Op::BvSlt => {
            let not = terms.not(atom);
            normal(terms, not)
        }
        // For integers, c <= x is not (x <= c - 1).
        Op::Le => match terms.constant(args[0]).and_then(|v| v.as_int()).cloned() {
            Some(low) => {
                let below = terms.int(low - 1);
                terms.le(args[1], below)
            }
            None => atom,
        },
        _ => atom,
    }
}

/// Predicates that nearly every proof needs: whether a thread has started or ended, whether a cell
/// to which a thread writes its number (a lock) is free or its own.
pub fn seeds(model: &mut Model) -> Predicates {
    let mut predicates = Predicates::default();
    for id in model.ids() {
        let template = model.template(id).clone();
        for variable in model.shared.clone() {
            if let Some(Ghost::Started(_)) = variable.ghost {
                let none = model.terms.int(0);
                let unstarted = model.terms.eq(variable.term, none);
                predicates.add(model, id, unstarted);
            } else if matches!(variable.what, Some(What::Done(_))) {
                predicates.add(model, id, variable.term);
            }
        }
        for (variable, tid) in started(model, &template) {
            let known = model.terms.constant(tid).is_some();
            let number = if known { tid } else { nobody(model, variable) };
            let is = model.terms.eq(variable, number);
            predicates.add(model, id, is);
        }
        let owns = template.steps.iter().flat_map(|step| &step.shared);
        let owned: FxHashSet<u32> =
            owns.filter(|(_, value)| *value == template.tid).map(|(at, _)| *at).collect();
        let mut owned: Vec<u32> = owned.into_iter().collect();
        owned.sort_unstable();
        for position in owned {
            let cell = model.shared[position as usize].term;
            let nobody = nobody(model, cell);
            let (free, own) = (model.terms.eq(cell, nobody), model.terms.eq(cell, template.tid));
            predicates.add(model, id, free);
            predicates.add(model, id, own);
        }
    }
    predicates
}

/// The number that no thread has, at the variable's sort.
fn nobody(model: &mut Model, variable: Term) -> Term {
    let sort = model.terms.sort(variable);
    model.nobody(sort)
}

/// Variables that keep the number of a thread that the template starts.
fn started(model: &Model, template: &Template) -> Vec<(Term, Term)> {
    let mut found = Vec::new();
    for step in &template.steps {
        let shared = step.shared.iter().map(|&(at, value)| (model.shared[at as usize].term, value));
        let locals =
            step.locals.iter().map(|&(at, value)| (template.locals[at as usize].term, value));
        let kept = |value: &Term| step.spawns.iter().any(|spawn| spawn.tid == *value);
        found.extend(shared.chain(locals).filter(|(_, value)| kept(value)));
    }
    found
}
