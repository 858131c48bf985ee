//! Which values matter: those that guards and addresses depend on, now or later. The rest is neither
//! computed nor proved, which is what keeps states small: of all the locks of a program, those matter
//! to a thread that it is yet to take.
//!
//! What matters is passed from places to those before, each unit once: the steps that lead to a place
//! are looked at for what is new there.

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

/// Units passed on between two looks at the clock.
const LOOK: usize = 64;

struct Need<'a> {
    known: &'a KnownValues,
    needs: Needs,
    /// Shared ones that matter to anybody.
    anywhere: BTreeSet<UnitId>,
    effects: Vec<Effect>,
    /// The steps that lead to a place, and those that start a thread there.
    leading: FxHashMap<Place, Vec<usize>>,
    starting: FxHashMap<Place, Vec<usize>>,
    /// The steps that assign a shared unit.
    assigning: FxHashMap<UnitId, Vec<usize>>,
    /// What is new, and was not yet passed on.
    open: Vec<(Place, UnitId)>,
}

/// What a step depends on.
struct Effect {
    from: Place,
    /// What is assigned, and what that depends on.
    assigned: FxHashMap<UnitId, Vec<UnitId>>,
    given: Vec<(UnitId, Vec<UnitId>)>,
}

impl<'a> Need<'a> {
    fn new(model: &'a Model, known: &'a KnownValues) -> Need<'a> {
        let mut need = Need {
            known,
            needs: Needs::default(),
            anywhere: BTreeSet::new(),
            effects: Vec::new(),
            leading: FxHashMap::default(),
            starting: FxHashMap::default(),
            assigning: FxHashMap::default(),
            open: Vec::new(),
        };
        for id in model.ids() {
            for step in &model.template(id).steps {
                need.enter(model, id, step);
            }
            for access in &model.template(id).accesses {
                let mut about = access.address.terms().to_vec();
                about.push(access.guard);
                let units = known.mentioned(&model.terms, &about);
                need.add((id, access.at), &units);
            }
        }
        need
    }

    fn enter(&mut self, model: &Model, template: TemplateId, step: &Step) {
        let from = (template, step.from);
        let guard = self.known.mentioned(&model.terms, &[step.guard]);
        self.add(from, &guard);
        // Nothing comes after what goes wrong.
        let End::To(to) = step.end else { return };
        let of = |pairs: Vec<(Term, Term)>| {
            let unit = |(to, value): (Term, Term)| {
                let unit = *self.known.of.get(&to)?;
                Some((unit, self.known.mentioned(&model.terms, &[value])))
            };
            pairs.into_iter().filter_map(unit).collect::<Vec<_>>()
        };
        let shared = step.shared.iter().map(|&(at, v)| (model.shared[at as usize].term, v));
        let locals = &model.template(template).locals;
        let locals = step.locals.iter().map(|&(at, v)| (locals[at as usize].term, v));
        let given = step.spawns.iter().flat_map(|spawn| {
            let child = &model.template(spawn.template).locals;
            spawn.args.iter().map(|&(at, v)| (child[at as usize].term, v))
        });
        let given = of(given.collect());
        let mut assigned: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
        for (unit, sources) in of(shared.chain(locals).collect()) {
            let all = assigned.entry(unit).or_default();
            all.extend(sources);
            if self.known.units[unit].variables.len() == 2 {
                // The other half of a pointer stays what it was.
                all.push(unit);
            }
        }
        let index = self.effects.len();
        self.leading.entry((template, to)).or_default().push(index);
        for spawn in &step.spawns {
            let entry = (spawn.template, model.template(spawn.template).entry);
            self.starting.entry(entry).or_default().push(index);
        }
        for &unit in assigned.keys().filter(|unit| self.known.units[**unit].owner.is_none()) {
            self.assigning.entry(unit).or_default().push(index);
        }
        self.effects.push(Effect { from, assigned, given });
    }

    fn add(&mut self, place: Place, units: &[UnitId]) {
        let there = self.needs.entry(place).or_default();
        for &unit in units {
            if there.insert(unit) {
                self.open.push((place, unit));
            }
        }
    }

    fn run(mut self, limits: &Limits) -> Result<Needs, Reason> {
        for passed in 1.. {
            let Some((place, unit)) = self.open.pop() else { break };
            self.pass_on(place, unit);
            if passed % LOOK == 0 {
                limits.clock.spend(EVALUATION);
                if let Some(reason) = limits.exceeded() {
                    return Err(reason);
                }
            }
        }
        Ok(self.needs)
    }

    /// A unit matters at a place, so what it comes from matters before.
    fn pass_on(&mut self, place: Place, unit: UnitId) {
        let is_shared = self.known.units[unit].owner.is_none();
        for step in self.leading.get(&place).cloned().unwrap_or_default() {
            self.before(step, unit);
        }
        for step in self.starting.get(&place).cloned().unwrap_or_default() {
            if is_shared {
                self.before(step, unit);
            }
            let Effect { from, given, .. } = &self.effects[step];
            let given = given.iter().filter(|(to, _)| *to == unit);
            let (from, sources) = (*from, given.flat_map(|(_, s)| s.clone()).collect::<Vec<_>>());
            self.add(from, &sources);
        }
        if is_shared && self.anywhere.insert(unit) {
            for step in self.assigning.get(&unit).cloned().unwrap_or_default() {
                self.before(step, unit);
            }
        }
    }

    /// A unit matters after a step.
    fn before(&mut self, step: usize, unit: UnitId) {
        let Effect { from, assigned, .. } = &self.effects[step];
        let (from, sources) = (*from, assigned.get(&unit).cloned().unwrap_or_else(|| vec![unit]));
        self.add(from, &sources);
    }
}
