//! Which values variables have where a thread stands, before any predicate is looked for.
//!
//! For each thread and location the values of each variable are collected: along the thread's own
//! steps, and whatever other threads may have written (the interferences of Miné, "Static analysis of
//! run-time errors in embedded real-time parallel C programs"). A step that no such values allow does
//! not happen.
//!
//! Work: each value or condition of a step that is evaluated counts [`EVALUATION`] units.

mod eval;
mod need;
mod reached;
mod seen;
mod step;

use rustc_hash::FxHashMap;
use selvedge_smt::{Limits, Op, Reason, Sort, Term};

use super::Place;
use super::model::Model;
use super::values::domain::{ALL, Bounds, Values};
use super::values::{KnownValues, State, Unit, UnitId};
use need::Needs;
use selvedge_system::{At, TemplateId};

/// Units of work for a value or a condition, with all values of what it depends on.
const EVALUATION: u64 = 10;

/// Finds the values of a model's variables.
pub fn find_values(model: &Model, limits: &Limits) -> Result<KnownValues, Reason> {
    let mut known = KnownValues::default();
    known.enter_units(model);
    let needs = need::needs(model, &known, limits)?;
    let written = reached::run(model, &mut known, &needs, limits)?;
    known.collect(model, &needs, &written);
    Ok(known)
}

impl KnownValues {
    /// The values that units have anywhere that they matter, where they are known at all these
    /// places, and those that are written to them. What the first thread does before there are
    /// others does not count, unless a unit matters to nobody else.
    fn collect(&mut self, model: &Model, needs: &Needs, written: &State) {
        let several = model.ids().count() > 1;
        let first = |place: &Place| {
            several && model.template(place.0).initial && !model.template(place.0).pool
        };
        let (firsts, others): (Vec<Place>, Vec<Place>) = self.at.keys().partition(|p| first(p));
        let mut all = self.values_at(&others, needs);
        for (unit, values) in self.values_at(&firsts, needs) {
            all.entry(unit).or_insert(values);
        }
        for (unit, values) in all {
            let Some(mut values) = values else { continue };
            if let Some(more) = written.get(&unit) {
                values.join(more, &self.units[unit].range);
            }
            self.anywhere.insert(unit, values);
        }
    }

    /// The values of units at those of the places where they matter; none of a shared one that is not
    /// known at one of them.
    fn values_at(&self, places: &[Place], needs: &Needs) -> FxHashMap<UnitId, Option<Values>> {
        let mut found: FxHashMap<UnitId, Option<Values>> = FxHashMap::default();
        for place in places {
            for &unit in needs.get(place).into_iter().flatten() {
                let known = found.entry(unit).or_insert_with(|| Some(Values::none()));
                match (self.at[place].get(&unit), known.as_mut()) {
                    (Some(values), Some(known)) => {
                        known.join(values, &self.units[unit].range);
                    }
                    (None, _) if self.units[unit].owner.is_none() => *known = None,
                    _ => {}
                }
            }
        }
        found.retain(|_, known| !known.as_ref().is_some_and(Values::is_empty));
        found
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

/// Whether something of a thread means anything where it stands.
fn lives(model: &Model, known: &KnownValues, unit: UnitId, (template, at): Place) -> bool {
    known.units[unit].variables.iter().all(|&variable| match model.owner(variable) {
        Some(Some((owner, local))) => owner == template && model.is_live(template, at, local),
        Some(None) => true,
        None => false,
    })
}

fn is_place(at: At) -> bool {
    matches!(at, At::Cut(_))
}
