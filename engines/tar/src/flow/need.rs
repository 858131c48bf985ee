//! Which values matter: those that guards and addresses depend on, now or later. The rest is neither
//! computed nor proved, which is what keeps states small: of all the locks of a program, those matter
//! to a thread that it is yet to take.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_smt::{Limits, Reason, Term};

use super::EVALUATION;
use crate::Place;
use crate::model::Model;
use crate::values::{KnownValues, UnitId};
use selvedge_system::{End, Step, TemplateId};

/// By place.
pub type Needs = FxHashMap<Place, BTreeSet<UnitId>>;

/// What matters at each place.
pub fn needs(model: &Model, known: &KnownValues, limits: &Limits) -> Result<Needs, Reason> {
    Need::new(model, known).run(limits)
}

struct Need<'a> {
    model: &'a Model,
    known: &'a KnownValues,
    needs: Needs,
    /// Shared ones that matter to anybody.
    anywhere: BTreeSet<UnitId>,
    effects: FxHashMap<(TemplateId, usize), Effect>,
}

/// What a step depends on.
struct Effect {
    guard: Vec<UnitId>,
    /// What is assigned, and what that depends on.
    assigned: Vec<(UnitId, Vec<UnitId>)>,
    given: Vec<(UnitId, Vec<UnitId>)>,
}

impl<'a> Need<'a> {
    fn new(model: &'a Model, known: &'a KnownValues) -> Need<'a> {
        let mut need = Need {
            model,
            known,
            needs: Needs::default(),
            anywhere: BTreeSet::new(),
            effects: FxHashMap::default(),
        };
        for id in model.ids() {
            for (index, step) in model.template(id).steps.iter().enumerate() {
                let effect = need.effect(id, step);
                need.effects.insert((id, index), effect);
            }
            for access in &model.template(id).accesses {
                let mut about = access.address.terms().to_vec();
                about.push(access.guard);
                let units = known.mentioned(&model.terms, &about);
                need.add((id, access.at), units);
            }
        }
        need
    }

    fn effect(&self, template: TemplateId, step: &Step) -> Effect {
        let terms = &self.model.terms;
        let of = |pairs: Vec<(Term, Term)>| {
            let unit = |(to, value): (Term, Term)| {
                let unit = *self.known.of.get(&to)?;
                // The other half of a pointer stays what it was.
                Some((unit, self.known.mentioned(terms, &[value])))
            };
            pairs.into_iter().filter_map(unit).collect::<Vec<_>>()
        };
        let shared = step.shared.iter().map(|&(at, v)| (self.model.shared[at as usize].term, v));
        let locals = &self.model.template(template).locals;
        let locals = step.locals.iter().map(|&(at, v)| (locals[at as usize].term, v));
        let given = step.spawns.iter().flat_map(|spawn| {
            let child = &self.model.template(spawn.template).locals;
            spawn.args.iter().map(|&(at, v)| (child[at as usize].term, v))
        });
        Effect {
            guard: self.known.mentioned(terms, &[step.guard]),
            assigned: of(shared.chain(locals).collect()),
            given: of(given.collect()),
        }
    }

    fn add(&mut self, place: Place, units: impl IntoIterator<Item = UnitId>) -> bool {
        let there = self.needs.entry(place).or_default();
        let before = there.len();
        for unit in units {
            there.insert(unit);
            if self.known.units[unit].owner.is_none() {
                self.anywhere.insert(unit);
            }
        }
        there.len() > before
    }

    fn run(mut self, limits: &Limits) -> Result<Needs, Reason> {
        let mut keys: Vec<(TemplateId, usize)> = self.effects.keys().copied().collect();
        keys.sort_unstable_by(|a, b| b.cmp(a));
        loop {
            limits.clock.spend(EVALUATION * keys.len() as u64);
            if let Some(reason) = limits.exceeded() {
                return Err(reason);
            }
            let before = self.anywhere.len();
            let mut grown = false;
            for &(template, index) in &keys {
                let step = &self.model.template(template).steps[index];
                let units = self.before(template, index, step);
                grown |= self.add((template, step.from), units);
            }
            if !grown && self.anywhere.len() == before {
                return Ok(self.needs);
            }
        }
    }

    /// What matters before a step.
    fn before(&self, template: TemplateId, index: usize, step: &Step) -> BTreeSet<UnitId> {
        let Effect { guard, assigned, given } = &self.effects[&(template, index)];
        let mut units: BTreeSet<UnitId> = guard.iter().copied().collect();
        let End::To(to) = step.end else { return units };
        let after = self.needs.get(&(template, to));
        let later = |unit: &UnitId| after.is_some_and(|after| after.contains(unit));
        let mut rest: BTreeSet<UnitId> = after.cloned().unwrap_or_default();
        for spawn in &step.spawns {
            let entry = (spawn.template, self.model.template(spawn.template).entry);
            let child = self.needs.get(&entry);
            rest.extend(child.into_iter().flatten().filter(|unit| self.is_shared(**unit)));
            for (unit, sources) in given {
                if child.is_some_and(|child| child.contains(unit)) {
                    units.extend(sources);
                }
            }
        }
        for (unit, sources) in assigned {
            if later(unit) || self.anywhere.contains(unit) || rest.contains(unit) {
                units.extend(sources);
                if self.known.units[*unit].variables.len() == 2 {
                    units.insert(*unit);
                }
            }
        }
        let replaced = |unit: &UnitId| assigned.iter().any(|(assigned, _)| assigned == unit);
        units.extend(rest.into_iter().filter(|unit| !replaced(unit)));
        units
    }

    fn is_shared(&self, unit: UnitId) -> bool {
        self.known.units[unit].owner.is_none()
    }
}
