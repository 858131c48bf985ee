//! Which values variables have where a thread stands, before any predicate is looked for.
//!
//! Much of what could go wrong is excluded by very little: that a pointer is one of a few, that a
//! counter has been counted up once. For each thread and location the values of each variable are
//! collected, those of a pointer's two halves together: along the thread's own steps, and whatever
//! other threads may have written (the interferences of Miné, "Static analysis of run-time errors in
//! embedded real-time parallel C programs"). Steps that no such values allow do not happen. What is
//! found is part of the invariants, so it is checked with the certificate.

mod domain;
mod eval;
mod flow;
mod need;
mod step;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Op, Sort, Term, Terms};

use super::model::Model;
use super::reach::Place;
use domain::{ALL, Bounds, HIGH, LOW, Values};
use selvedge_system::{At, TemplateId};

/// A variable, or the two halves of a pointer.
#[derive(Clone, Debug)]
struct Unit {
    variables: Vec<Term>,
    /// The values that the type allows.
    range: [Bounds; 2],
    owner: Option<TemplateId>,
}

type UnitId = usize;

/// Pointers that have so many values are told apart by them.
const MANY_POINTERS: usize = 8;

/// The values of the variables that a thread knows; of those left out nothing is known.
type State = FxHashMap<UnitId, Values>;

/// What was found.
#[derive(Debug, Default)]
pub struct Known {
    units: Vec<Unit>,
    of: FxHashMap<Term, UnitId>,
    at: FxHashMap<Place, State>,
    /// Of each unit: its values anywhere.
    anywhere: State,
    /// Steps that can happen.
    possible: FxHashSet<(TemplateId, u32)>,
}

impl Known {
    pub fn of(model: &Model) -> Known {
        let mut known = Known::default();
        known.enter_units(model);
        flow::run(model, &mut known);
        known.collect(model);
        need::prune(model, &mut known);
        known
    }

    /// The values that units have anywhere, where they are known everywhere.
    /// What the first thread does before there are others does not count.
    fn collect(&mut self, model: &Model) {
        let mut missing: FxHashSet<UnitId> = FxHashSet::default();
        let several = model.ids().count() > 1;
        for (place, state) in &self.at {
            if several && model.template(place.0).initial && !model.template(place.0).pool {
                continue;
            }
            for (unit, data) in self.units.iter().enumerate() {
                match state.get(&unit) {
                    Some(values) => {
                        let known = self.anywhere.entry(unit).or_insert_with(Values::none);
                        known.join(values, &data.range);
                    }
                    None if data.owner.is_none() => {
                        missing.insert(unit);
                    }
                    None => {}
                }
            }
        }
        self.anywhere.retain(|unit, _| !missing.contains(unit));
    }

    /// An atom about a pointer that has one of a few values, or a number that has at most so many, as
    /// which of them it has.
    pub fn choices(&self, terms: &mut Terms, atom: Term, numbers: usize) -> Option<Vec<Term>> {
        let variables = terms.variables(&[atom]);
        let unit = *self.of.get(variables.first()?)?;
        let data = &self.units[unit];
        if !variables.iter().all(|variable| data.variables.contains(variable)) {
            return None;
        }
        let Some(Values::Each(tuples)) = self.anywhere.get(&unit) else { return None };
        let most = if data.variables.len() == 2 { MANY_POINTERS } else { numbers };
        if terms.sort(data.variables[0]) != Sort::Int || !(2..=most).contains(&tuples.len()) {
            return None;
        }
        // The last one is what is left.
        let mut found = Vec::new();
        for tuple in tuples.iter().take(tuples.len() - 1) {
            let alike = tuples.iter().filter(|other| other[0] == tuple[0]).count();
            let first = is(terms, data.variables[0], tuple[0]);
            found.push(match data.variables.get(1) {
                Some(&second) if alike > 1 => {
                    let second = is(terms, second, tuple[1]);
                    terms.and(&[first, second])
                }
                _ => first,
            });
        }
        Some(found)
    }

    pub fn is_possible(&self, template: TemplateId, step: u32) -> bool {
        self.possible.contains(&(template, step))
    }

    /// What is true where a thread stands.
    pub fn all_facts(&self, terms: &mut Terms, place: Place) -> Term {
        let Some(state) = self.at.get(&place) else { return terms.bool(false) };
        let mut units: Vec<UnitId> = state.keys().copied().collect();
        units.sort_unstable();
        self.conjunction(terms, state, &units)
    }

    /// What is true there of variables that are mentioned.
    pub fn facts(&self, terms: &mut Terms, place: Place, about: &[Term]) -> Term {
        let Some(state) = self.at.get(&place) else { return terms.bool(false) };
        let units = self.mentioned(terms, about);
        self.conjunction(terms, state, &units)
    }

    fn conjunction(&self, terms: &mut Terms, state: &State, units: &[UnitId]) -> Term {
        let mut facts = Vec::new();
        for &unit in units {
            if let Some(values) = state.get(&unit) {
                facts.extend(fact(terms, &self.units[unit], values));
            }
        }
        terms.and(&facts)
    }

    /// The units of the variables below some terms.
    fn mentioned(&self, terms: &Terms, about: &[Term]) -> Vec<UnitId> {
        let variables = terms.variables(about);
        let mut units: Vec<UnitId> =
            variables.iter().filter_map(|variable| self.of.get(variable).copied()).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    fn enter_units(&mut self, model: &Model) {
        let shared: Vec<(&str, Term)> =
            model.shared.iter().map(|s| (s.name.as_str(), s.term)).collect();
        self.enter_scope(model, &shared, None);
        for id in model.ids() {
            let locals = model.template(id).locals.iter();
            let locals: Vec<(&str, Term)> = locals.map(|l| (l.name.as_str(), l.term)).collect();
            self.enter_scope(model, &locals, Some(id));
        }
    }

    fn enter_scope(&mut self, model: &Model, scope: &[(&str, Term)], owner: Option<TemplateId>) {
        let by_name: FxHashMap<&str, Term> = scope.iter().copied().collect();
        for &(name, term) in scope {
            let sort = model.terms.sort(term);
            if self.of.contains_key(&term) || !matches!(sort, Sort::Int | Sort::Bool) {
                continue;
            }
            let half = |from: &str, to: &str| {
                let other = by_name.get(format!("{}{to}", name.strip_suffix(from)?).as_str());
                other.copied().filter(|&o| model.terms.sort(o) == sort)
            };
            let variables = match (half(".object", ".offset"), half(".offset", ".object")) {
                (Some(offset), _) => vec![term, offset],
                (None, Some(object)) => vec![object, term],
                (None, None) => vec![term],
            };
            let mut range = [(0, 0); 2];
            for (bounds, &variable) in range.iter_mut().zip(&variables) {
                *bounds = range_of(model, variable);
            }
            for &variable in &variables {
                self.of.insert(variable, self.units.len());
            }
            self.units.push(Unit { variables, range, owner });
        }
    }
}

/// The bounds of a variable's type.
fn range_of(model: &Model, variable: Term) -> Bounds {
    if model.terms.sort(variable) == Sort::Bool {
        return (0, 1);
    }
    let number = |term: Term| model.terms.constant(term).and_then(eval::constant);
    let mut range = ALL;
    let mut open = model.ranges_of(variable).to_vec();
    while let Some(fact) = open.pop() {
        let args = model.terms.args(fact);
        match model.terms.op(fact) {
            Op::And => open.extend(args),
            Op::Le if args[1] == variable => {
                range.0 = number(args[0]).map_or(range.0, |(low, _)| low.max(range.0));
            }
            Op::Le if args[0] == variable => {
                range.1 = number(args[1]).map_or(range.1, |(high, _)| high.min(range.1));
            }
            _ => {}
        }
    }
    range
}

/// What values say of a unit; none if that is nothing.
fn fact(terms: &mut Terms, unit: &Unit, values: &Values) -> Option<Term> {
    match values {
        Values::Each(tuples) => {
            let whole = |(low, high): Bounds| high.checked_sub(low).is_some_and(|w| w == 1);
            if unit.variables.len() == 1 && tuples.len() == 2 && whole(unit.range[0]) {
                return None;
            }
            if let (&[variable], Some(bounds)) = (&unit.variables[..], contiguous(values)) {
                return within(terms, variable, bounds, ALL);
            }
            let cases: Vec<Term> = tuples
                .iter()
                .map(|tuple| {
                    let halves = unit.variables.iter().zip(tuple);
                    let halves: Vec<Term> = halves.map(|(&v, &n)| is(terms, v, n)).collect();
                    terms.and(&halves)
                })
                .collect();
            Some(terms.or(&cases))
        }
        Values::Within(bounds) => {
            let all = unit.variables.iter().zip(bounds).zip(&unit.range);
            let facts: Vec<Term> =
                all.filter_map(|((&v, &b), &range)| within(terms, v, b, range)).collect();
            (!facts.is_empty()).then(|| terms.and(&facts))
        }
    }
}

/// The bounds of numbers without a gap.
fn contiguous(values: &Values) -> Option<Bounds> {
    let Values::Each(tuples) = values else { return None };
    let bounds = values.bounds()[0];
    let dense = tuples.len() > 2 && bounds.1 - bounds.0 + 1 == tuples.len() as i128;
    dense.then_some(bounds)
}

fn is(terms: &mut Terms, variable: Term, number: i128) -> Term {
    match terms.sort(variable) {
        Sort::Bool if number == 1 => variable,
        Sort::Bool => terms.not(variable),
        _ => {
            let number = terms.int(number);
            terms.eq(variable, number)
        }
    }
}

/// That a variable is within bounds, where these say more than others.
fn within(terms: &mut Terms, variable: Term, bounds: Bounds, known: Bounds) -> Option<Term> {
    if terms.sort(variable) != Sort::Int {
        return None;
    }
    let mut facts = Vec::new();
    if bounds.0 > known.0.max(LOW) {
        let low = terms.int(bounds.0);
        facts.push(terms.le(low, variable));
    }
    if bounds.1 < known.1.min(HIGH) {
        let high = terms.int(bounds.1);
        facts.push(terms.le(variable, high));
    }
    (!facts.is_empty()).then(|| terms.and(&facts))
}

/// Whether something of a thread means anything where it stands.
fn lives(model: &Model, known: &Known, unit: UnitId, (template, at): Place) -> bool {
    known.units[unit].variables.iter().all(|&variable| match model.owner(variable) {
        Some(Some((owner, local))) => owner == template && model.is_live(template, at, local),
        Some(None) => true,
        None => false,
    })
}

fn is_place(at: At) -> bool {
    matches!(at, At::Cut(_))
}
