//! Values along the steps of each thread, with what other threads write, until nothing is new.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Limits, Op, Reason, Term};

use super::need::Needs;
use super::step::{Condition, conditions, constant_of, filter, result};
use super::{EVALUATION, is_place, lives};
use crate::Place;
use crate::model::Model;
use crate::values::domain::Values;
use crate::values::{KnownValues, State, UnitId};
use selvedge_system::{At, End, Step, TemplateId};

/// Finds all places that are reached, the values there, and the steps that can happen. Gives back what
/// threads write while there are others.
pub fn run(
    model: &Model,
    known: &mut KnownValues,
    needs: &Needs,
    limits: &Limits,
) -> Result<State, Reason> {
    let mut flow = Flow::new(model, known, needs);
    flow.begin();
    while let Some(place) = flow.open.pop_first() {
        flow.evaluated = 0;
        flow.visit(place);
        limits.clock.spend(EVALUATION * flow.evaluated);
        if let Some(reason) = limits.exceeded() {
            return Err(reason);
        }
    }
    Ok(flow.written_by_anyone())
}

struct Flow<'a> {
    model: &'a Model,
    known: &'a mut KnownValues,
    /// What is looked at where.
    needs: &'a Needs,
    /// Where a unit is looked at.
    places: FxHashMap<UnitId, Vec<Place>>,
    /// The steps that leave a place.
    leaving: FxHashMap<Place, Vec<u32>>,
    open: BTreeSet<Place>,
    /// What a thread of the second template may have written, as one of the first sees it.
    written: FxHashMap<(TemplateId, TemplateId), State>,
    done: FxHashMap<(TemplateId, u32), Done>,
    /// Of a template that one other template starts: where that one stands when it may have done so.
    behind: Vec<Option<(TemplateId, FxHashSet<At>)>>,
    /// Values and conditions that were evaluated at the place looked at.
    evaluated: u64,
}

/// A step, and what it did when it was last looked at.
struct Done {
    guard: Vec<Condition>,
    /// What it depends on.
    units: Vec<UnitId>,
    last: Option<(Vec<Option<Values>>, Option<Effect>)>,
}

#[derive(Clone)]
struct Effect {
    /// What is left of what the guard speaks of.
    kept: State,
    /// None if what is written leaves its range.
    written: Option<Written>,
}

#[derive(Clone)]
struct Written {
    shared: Vec<(UnitId, Values)>,
    locals: Vec<(UnitId, Values)>,
    /// What threads that start are given.
    args: Vec<State>,
}

impl<'a> Flow<'a> {
    fn new(model: &'a Model, known: &'a mut KnownValues, needs: &'a Needs) -> Flow<'a> {
        let mut places: FxHashMap<UnitId, Vec<Place>> = FxHashMap::default();
        for (place, units) in needs {
            for unit in units {
                places.entry(*unit).or_default().push(*place);
            }
        }
        let mut leaving: FxHashMap<Place, Vec<u32>> = FxHashMap::default();
        for id in model.ids() {
            for (index, step) in model.template(id).steps.iter().enumerate() {
                leaving.entry((id, step.from)).or_default().push(index as u32);
            }
        }
        Flow {
            model,
            known,
            needs,
            places,
            leaving,
            open: BTreeSet::new(),
            written: FxHashMap::default(),
            done: FxHashMap::default(),
            behind: model.ids().map(|id| behind(model, id)).collect(),
            evaluated: 0,
        }
    }

    fn begin(&mut self) {
        let shared = self.initially();
        for id in self.model.ids().filter(|&id| self.model.template(id).initial) {
            let template = self.model.template(id);
            let mut state = shared.clone();
            for &(position, value) in &template.begin {
                let local = template.locals[position as usize].term;
                self.enter(&mut state, local, value);
            }
            let state = self.looked_at((id, template.entry), |unit| state.get(unit));
            self.add((id, template.entry), state);
        }
    }

    /// The shared variables whose first value is a constant.
    fn initially(&self) -> State {
        let terms = &self.model.terms;
        let mut values: FxHashMap<Term, i128> = FxHashMap::default();
        let mut open = vec![self.model.initial];
        while let Some(fact) = open.pop() {
            let args = terms.args(fact);
            match terms.op(fact) {
                Op::And => open.extend(args),
                Op::Var(_) => {
                    values.insert(fact, 1);
                }
                Op::Not => {
                    values.insert(args[0], 0);
                }
                Op::Eq => {
                    for (variable, value) in [(args[0], args[1]), (args[1], args[0])] {
                        if let Some(number) = constant_of(terms, value) {
                            values.insert(variable, number);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut state = State::default();
        for (id, unit) in self.known.units.iter().enumerate() {
            let numbers: Option<Vec<i128>> =
                unit.variables.iter().map(|v| values.get(v).copied()).collect();
            if let (None, Some(numbers)) = (unit.owner, numbers) {
                let second = numbers.get(1).copied().unwrap_or(0);
                state.insert(id, Values::Each([[numbers[0], second]].into()));
            }
        }
        state
    }

    /// Gives a variable that is a unit of its own a constant.
    fn enter(&self, state: &mut State, variable: Term, value: Term) {
        let Some(&unit) = self.known.of.get(&variable) else { return };
        let number = constant_of(&self.model.terms, value);
        if let (1, Some(number)) = (self.known.units[unit].variables.len(), number) {
            state.insert(unit, Values::Each([[number, 0]].into()));
        }
    }

    /// The values that are looked at where a thread gets to.
    fn looked_at<'v>(&self, place: Place, value: impl Fn(&UnitId) -> Option<&'v Values>) -> State {
        let needed = self.needs.get(&place).into_iter().flatten();
        let living = needed.filter(|&&unit| lives(self.model, self.known, unit, place));
        living.filter_map(|unit| Some((*unit, value(unit)?.clone()))).collect()
    }

    /// A thread gets somewhere with these values.
    fn add(&mut self, place: Place, mut state: State) {
        if !is_place(place.1) {
            return;
        }
        for mover in self.model.ids().filter(|&mover| self.may_run(mover, place)) {
            let Some(written) = self.written.get(&(place.0, mover)) else { continue };
            for (unit, values) in &mut state {
                if let Some(more) = written.get(unit) {
                    values.join(more, &self.known.units[*unit].range);
                }
            }
        }
        let grown = match self.known.at.get_mut(&place) {
            None => {
                self.known.at.insert(place, state);
                true
            }
            Some(there) => {
                let before = there.len();
                // What is not known on one way is not known.
                there.retain(|unit, _| state.contains_key(unit));
                let mut grown = there.len() < before;
                for (unit, values) in there.iter_mut() {
                    grown |= values.join(&state[unit], &self.known.units[*unit].range);
                }
                grown
            }
        };
        if grown {
            self.open.insert(place);
        }
    }

    fn visit(&mut self, place: Place) {
        for index in self.leaving.get(&place).cloned().unwrap_or_default() {
            self.step(place.0, index, self.model.step(place.0, index));
        }
    }

    fn step(&mut self, template: TemplateId, index: u32, step: &'a Step) {
        let key = (template, index);
        if !self.done.contains_key(&key) {
            let done = self.look_at(template, step);
            self.done.insert(key, done);
        }
        let before = &self.known.at[&(template, step.from)];
        let done = &self.done[&key];
        let given: Vec<Option<Values>> =
            done.units.iter().map(|unit| before.get(unit).cloned()).collect();
        let effect = match &done.last {
            Some((known, effect)) if *known == given => effect.clone(),
            _ => {
                let known = done.units.iter().copied().zip(given.iter().cloned());
                let known: State =
                    known.filter_map(|(unit, values)| Some((unit, values?))).collect();
                let effect = self.effect(template, step, known, &done.guard);
                let values = 1 + done.guard.len() + step.shared.len() + step.locals.len();
                self.evaluated += values as u64;
                let last = Some((given, effect.clone()));
                self.done.entry(key).and_modify(|done| done.last = last);
                effect
            }
        };
        let Some(effect) = effect else { return };
        self.known.possible.insert(key);
        if let (End::To(to), Some(written)) = (&step.end, effect.written) {
            self.arrive(template, step, *to, effect.kept, written);
        }
    }

    /// Threads go on with what a step has left and written.
    fn arrive(
        &mut self,
        template: TemplateId,
        step: &Step,
        to: At,
        mut changed: State,
        Written { shared, locals, args }: Written,
    ) {
        changed.extend(shared.iter().cloned());
        for (spawn, args) in step.spawns.iter().zip(args) {
            let entry = (spawn.template, self.model.template(spawn.template).entry);
            let before = &self.known.at[&(template, step.from)];
            let begun = self.looked_at(entry, |unit| match self.known.units[*unit].owner {
                None => changed.get(unit).or_else(|| before.get(unit)),
                Some(_) => args.get(unit),
            });
            self.add(entry, begun);
        }
        changed.extend(locals);
        let before = &self.known.at[&(template, step.from)];
        let after = |unit: &UnitId| changed.get(unit).or_else(|| before.get(unit));
        let after = self.looked_at((template, to), after);
        self.disturb(template, step.from, &shared);
        self.add((template, to), after);
    }

    fn look_at(&self, template: TemplateId, step: &Step) -> Done {
        let terms = &self.model.terms;
        let new = step.shared.iter().chain(&step.locals).map(|(_, value)| *value);
        let mut about: Vec<Term> = new.chain([step.guard]).collect();
        about.extend(step.spawns.iter().flat_map(|spawn| spawn.args.iter().map(|(_, v)| *v)));
        let targets = step.shared.iter().map(|&(at, _)| self.model.shared[at as usize].term);
        about.extend(targets);
        let locals = &self.model.template(template).locals;
        about.extend(step.locals.iter().map(|&(at, _)| locals[at as usize].term));
        let units = self.known.mentioned(terms, &about);
        Done { guard: conditions(terms, self.known, step.guard), units, last: None }
    }

    /// What a step does in a state; none if it cannot happen.
    fn effect(
        &self,
        template: TemplateId,
        step: &Step,
        mut state: State,
        guard: &[Condition],
    ) -> Option<Effect> {
        let kept = filter(&self.model.terms, self.known, &state, guard)?;
        state.extend(kept.clone());
        let shared = step.shared.iter().map(|&(p, v)| (self.model.shared[p as usize].term, v));
        let shared = self.updates(&state, guard, shared.collect());
        let locals = &self.model.template(template).locals;
        let locals = step.locals.iter().map(|&(p, v)| (locals[p as usize].term, v));
        let locals = self.updates(&state, guard, locals.collect());
        let args = step.spawns.iter().map(|spawn| {
            let child = &self.model.template(spawn.template).locals;
            let args = spawn.args.iter().map(|&(p, v)| (child[p as usize].term, v));
            self.given(&state, guard, args.collect())
        });
        let args = args.collect();
        // What leaves its range goes wrong.
        let ends = shared.iter().chain(&locals).any(|(_, values)| values.is_empty());
        let written = (!ends).then_some(Written { shared, locals, args });
        Some(Effect { kept, written })
    }

    /// New values of units of which a variable is assigned.
    fn updates(
        &self,
        state: &State,
        guard: &[Condition],
        assigned: Vec<(Term, Term)>,
    ) -> Vec<(UnitId, Values)> {
        let assigned: FxHashMap<Term, Term> = assigned.into_iter().collect();
        let mut units: Vec<UnitId> =
            assigned.keys().filter_map(|variable| self.known.of.get(variable).copied()).collect();
        units.sort_unstable();
        units.dedup();
        let new = |unit: UnitId| {
            let data = &self.known.units[unit];
            let wanted = data.variables.iter().map(|v| assigned.get(v).copied().unwrap_or(*v));
            let wanted: Vec<Term> = wanted.collect();
            let mut values = result(&self.model.terms, self.known, state, guard, &wanted);
            values.restrict(&data.range);
            (unit, values)
        };
        units.into_iter().map(new).collect()
    }

    /// The first values of a thread that starts; units that get no value are unknown.
    fn given(&self, state: &State, guard: &[Condition], args: Vec<(Term, Term)>) -> State {
        let names: FxHashSet<Term> = args.iter().map(|(local, _)| *local).collect();
        let all = |unit: &UnitId| {
            self.known.units[*unit].variables.iter().all(|variable| names.contains(variable))
        };
        let given = self.updates(state, guard, args).into_iter();
        given.filter(|(unit, values)| all(unit) && !values.is_empty()).collect()
    }

    /// Whether threads of a template may have started where another thread stands.
    fn may_run(&self, template: TemplateId, (observer, at): Place) -> bool {
        match &self.behind[template.0 as usize] {
            Some((starter, places)) if *starter == observer => places.contains(&at),
            _ => true,
        }
    }

    /// What a thread writes is seen by the others, wherever they stand.
    fn disturb(&mut self, mover: TemplateId, from: At, written: &[(UnitId, Values)]) {
        for observer in self.model.ids() {
            let alone = observer == mover && !self.model.template(mover).pool;
            if !alone && self.may_run(observer, (mover, from)) {
                for (unit, values) in written {
                    self.disturb_by(observer, mover, *unit, values);
                }
            }
        }
    }

    fn written_by_anyone(self) -> State {
        let mut all = State::default();
        for (unit, values) in self.written.into_values().flatten() {
            let known = all.entry(unit).or_insert_with(Values::none);
            known.join(&values, &self.known.units[unit].range);
        }
        all
    }

    fn disturb_by(
        &mut self,
        observer: TemplateId,
        mover: TemplateId,
        unit: UnitId,
        values: &Values,
    ) {
        let range = self.known.units[unit].range;
        let known = self.written.entry((observer, mover)).or_default();
        let known = known.entry(unit).or_insert_with(Values::none);
        if !known.join(values, &range) {
            return;
        }
        let known = known.clone();
        for &place in self.places.get(&unit).into_iter().flatten() {
            if place.0 == observer
                && self.may_run(mover, place)
                && let Some(there) = self.known.at.get_mut(&place).and_then(|s| s.get_mut(&unit))
                && there.join(&known, &range)
            {
                self.open.insert(place);
            }
        }
    }
}

/// Who starts the threads of a template, if that is one single thread, and where it may stand once it
/// has done so.
fn behind(model: &Model, child: TemplateId) -> Option<(TemplateId, FxHashSet<At>)> {
    if model.template(child).initial {
        return None;
    }
    let starts = |step: &Step| step.spawns.iter().any(|spawn| spawn.template == child);
    let mut starters = model.ids().filter(|&id| model.template(id).steps.iter().any(starts));
    let (starter, None) = (starters.next()?, starters.next()) else { return None };
    if model.template(starter).pool {
        return None;
    }
    let steps = &model.template(starter).steps;
    let target = |step: &Step| match step.end {
        End::To(to) => Some(to),
        End::Bad(_) => None,
    };
    let mut open: Vec<At> = steps.iter().filter(|step| starts(step)).filter_map(target).collect();
    let mut places = FxHashSet::default();
    while let Some(at) = open.pop() {
        if places.insert(at) {
            open.extend(steps.iter().filter(|step| step.from == at).filter_map(target));
        }
    }
    Some((starter, places))
}
