//! The values that variables have where a thread stands: what the analysis in `flow` found.
//!
//! Much of what could go wrong is excluded by very little: that a pointer is one of a few, that a
//! counter has been counted up once. For each thread and location there are the values of each
//! variable, those of a pointer's two halves together. They are part of the invariants, so they are
//! checked with the certificate.

pub mod domain;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Sort, Term, Terms};

use super::Place;
use domain::{ALL, Bounds, HIGH, LOW, Values};
use selvedge_system::TemplateId;

/// A variable, or the two halves of a pointer.
#[derive(Clone, Debug)]
pub struct Unit {
    pub variables: Vec<Term>,
    /// The values that the type allows.
    pub range: [Bounds; 2],
    pub owner: Option<TemplateId>,
}

pub type UnitId = usize;

/// Pointers that have so many values are told apart by them.
const MANY_POINTERS: usize = 8;

/// The values of the variables that a thread knows; of those left out nothing is known.
pub type State = FxHashMap<UnitId, Values>;

/// The values of each unit at each place that a thread reaches.
#[derive(Debug, Default)]
pub struct KnownValues {
    pub units: Vec<Unit>,
    pub of: FxHashMap<Term, UnitId>,
    pub at: FxHashMap<Place, State>,
    /// Of each unit: its values anywhere.
    pub anywhere: State,
    /// Of shared units that matter: all values that they ever have, whoever looks.
    pub overall: State,
    /// Steps that can happen.
    pub possible: FxHashSet<(TemplateId, u32)>,
}

impl KnownValues {
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

    /// How many values a number has anywhere, if these are known one by one.
    pub fn count(&self, variable: Term) -> Option<usize> {
        match self.anywhere.get(self.of.get(&variable)?)? {
            Values::Each(tuples) => Some(tuples.len()),
            Values::Within(_) => None,
        }
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

    /// What is true of the shared variables in every state.
    pub fn overall_facts(&self, terms: &mut Terms) -> Term {
        let mut units: Vec<UnitId> = self.overall.keys().copied().collect();
        units.sort_unstable();
        self.conjunction(terms, &self.overall, &units)
    }

    /// What is true where a thread stands, and not in every state.
    pub fn own_facts(&self, terms: &mut Terms, place: Place) -> Term {
        let Some(state) = self.at.get(&place) else { return terms.bool(false) };
        let known = |unit: &UnitId, here: &Values| {
            self.overall.get(unit).is_some_and(|overall| here.contains(overall))
        };
        let units = state.iter().filter(|(unit, here)| !known(unit, here));
        let mut units: Vec<UnitId> = units.map(|(unit, _)| *unit).collect();
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
    pub fn mentioned(&self, terms: &Terms, about: &[Term]) -> Vec<UnitId> {
        let variables = terms.variables(about);
        let mut units: Vec<UnitId> =
            variables.iter().filter_map(|variable| self.of.get(variable).copied()).collect();
        units.sort_unstable();
        units.dedup();
        units
    }
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
