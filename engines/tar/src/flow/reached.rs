//! Values along the steps of each thread, with what other threads write, until nothing is new.
//!
//! What comes along a thread's own steps is kept by place, what others write by who sees it. Together
//! they are the values at a place; a value that another thread writes is so entered once and not at
//! every place. Only what has changed is passed on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Limits, Op, Reason, Term};

use super::need::Needs;
use super::seen::Seen;
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
    while let Some((place, changed)) = flow.open.pop_first() {
        flow.evaluated = 0;
        flow.visit(place, &changed);
        limits.clock.spend(EVALUATION * flow.evaluated);
        if let Some(reason) = limits.exceeded() {
            return Err(reason);
        }
    }
    Ok(flow.finish())
}

struct Flow<'a> {
    model: &'a Model,
    known: &'a mut KnownValues,
    /// What is looked at where.
    needs: &'a Needs,
    /// What has come along the thread's own steps to the places that are reached.
    flowed: FxHashMap<Place, State>,
    /// What others write.
    seen: Seen,
    /// Where steps begin that depend on a unit, by who takes them.
    readers: FxHashMap<(TemplateId, UnitId), BTreeSet<Place>>,
    /// The steps that leave a place.
    leaving: FxHashMap<Place, Vec<u32>>,
    /// Where something has changed, and what.
    open: BTreeMap<Place, BTreeSet<UnitId>>,
    done: FxHashMap<(TemplateId, u32), Done>,
    /// Values and conditions that were evaluated at the place looked at.
    evaluated: u64,
}

/// What the units that a step depends on may be.
type Given = Vec<Option<Values>>;

/// A step, and what it did when it was last looked at.
struct Done {
    guard: Rc<[Condition]>,
    /// What it depends on.
    units: Rc<[UnitId]>,
    last: Option<(Given, Option<Rc<Effect>>)>,
    /// Whether everything has been passed on once.
    passed: bool,
}

struct Effect {
    /// What is left of what the guard speaks of.
    kept: State,
    /// None if what is written leaves its range.
    written: Option<Written>,
}

struct Written {
    shared: Vec<(UnitId, Values)>,
    locals: Vec<(UnitId, Values)>,
    /// What threads that start are given.
    args: Vec<State>,
}

impl<'a> Flow<'a> {
    fn new(model: &'a Model, known: &'a mut KnownValues, needs: &'a Needs) -> Flow<'a> {
        let mut flow = Flow {
            model,
            known,
            needs,
            flowed: FxHashMap::default(),
            seen: Seen::new(model),
            readers: FxHashMap::default(),
            leaving: FxHashMap::default(),
            open: BTreeMap::new(),
            done: FxHashMap::default(),
            evaluated: 0,
        };
        for id in model.ids() {
            for (index, step) in model.template(id).steps.iter().enumerate() {
                flow.enter_step(id, index as u32, step);
            }
        }
        flow
    }

    fn enter_step(&mut self, id: TemplateId, index: u32, step: &Step) {
        let from = (id, step.from);
        self.leaving.entry(from).or_default().push(index);
        let done = self.look_at(id, step);
        let children = step.spawns.iter().flat_map(|spawn| {
            let entry = (spawn.template, self.model.template(spawn.template).entry);
            self.needs.get(&entry).into_iter().flatten().copied()
        });
        for unit in done.units.iter().copied().chain(children) {
            self.readers.entry((id, unit)).or_default().insert(from);
        }
        self.done.insert((id, index), done);
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
            let entry = (id, template.entry);
            let begun = self.needed(entry).into_iter();
            let begun = begun.map(|unit| (unit, state.get(&unit).cloned())).collect();
            self.add(entry, begun);
        }
        self.known.overall = shared;
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

    /// What is looked at at a place and means anything there.
    fn needed(&self, place: Place) -> Vec<UnitId> {
        let needed = self.needs.get(&place).into_iter().flatten().copied();
        needed.filter(|&unit| lives(self.model, self.known, unit, place)).collect()
    }

    /// Those of some units, or all that are looked at at a place.
    fn wanted(&self, place: Place, some: Option<&BTreeSet<UnitId>>) -> Vec<UnitId> {
        let (Some(some), Some(needs)) = (some, self.needs.get(&place)) else {
            return self.needed(place);
        };
        let wanted = some.iter().copied().filter(|unit| needs.contains(unit));
        wanted.filter(|&unit| lives(self.model, self.known, unit, place)).collect()
    }

    /// The values of a unit where a thread stands.
    fn value(&self, place: Place, unit: UnitId) -> Option<Values> {
        let mut values = self.flowed.get(&place)?.get(&unit)?.clone();
        self.seen.add_to(&mut values, place, unit);
        Some(values)
    }

    /// A thread gets somewhere with these values; the first time, with all that are looked at there.
    /// What is not known on one way is not known.
    fn add(&mut self, place: Place, arriving: Vec<(UnitId, Option<Values>)>) {
        if !is_place(place.1) {
            return;
        }
        let mut changed = BTreeSet::new();
        match self.flowed.get_mut(&place) {
            None => {
                let known = arriving.into_iter().filter_map(|(unit, values)| Some((unit, values?)));
                let state: State = known.collect();
                changed.extend(state.keys().copied());
                self.flowed.insert(place, state);
                self.open.entry(place).or_default().append(&mut changed);
            }
            Some(there) => {
                for (unit, values) in arriving {
                    match (there.get_mut(&unit), values) {
                        (Some(known), Some(values)) => {
                            if known.join(&values, &self.known.units[unit].range) {
                                changed.insert(unit);
                            }
                        }
                        (Some(_), None) => {
                            there.remove(&unit);
                            changed.insert(unit);
                        }
                        (None, _) => {}
                    }
                }
                if !changed.is_empty() {
                    self.open.entry(place).or_default().append(&mut changed);
                }
            }
        }
    }

    fn visit(&mut self, place: Place, changed: &BTreeSet<UnitId>) {
        for index in self.leaving.get(&place).cloned().unwrap_or_default() {
            self.step(place.0, index, changed);
        }
    }

    fn step(&mut self, template: TemplateId, index: u32, changed: &BTreeSet<UnitId>) {
        let (key, step) = ((template, index), self.model.step(template, index));
        let renewed = self.renew(key, step, changed);
        let done = &self.done[&key];
        let passed = done.passed;
        let Some((_, Some(effect))) = &done.last else { return };
        let effect = effect.clone();
        self.known.possible.insert(key);
        let (End::To(to), Some(written)) = (&step.end, &effect.written) else { return };
        let mut news = changed.clone();
        if renewed {
            news.extend(effect.kept.keys());
            news.extend(written.shared.iter().chain(&written.locals).map(|(unit, _)| unit));
            news.extend(written.args.iter().flat_map(State::keys));
            self.write(&written.shared);
            self.disturb(template, step.from, &written.shared);
        }
        self.arrive(template, step, *to, &effect, passed.then_some(&news));
        self.done.entry(key).and_modify(|done| done.passed = true);
    }

    /// Looks at a step again if what it depends on has changed. Says whether it may do something else.
    fn renew(&mut self, key: (TemplateId, u32), step: &Step, changed: &BTreeSet<UnitId>) -> bool {
        let place = (key.0, step.from);
        let done = &self.done[&key];
        let (units, guard) = (done.units.clone(), done.guard.clone());
        if done.last.is_some() && !units.iter().any(|unit| changed.contains(unit)) {
            return false;
        }
        let given: Vec<Option<Values>> =
            units.iter().map(|&unit| self.value(place, unit)).collect();
        if done.last.as_ref().is_some_and(|(known, _)| *known == given) {
            return false;
        }
        let known = units.iter().copied().zip(given.iter().cloned());
        let known: State = known.filter_map(|(unit, values)| Some((unit, values?))).collect();
        let effect = self.effect(key.0, step, known, &guard).map(Rc::new);
        self.evaluated += (1 + guard.len() + step.shared.len() + step.locals.len()) as u64;
        self.done.entry(key).and_modify(|done| done.last = Some((given, effect)));
        true
    }

    /// Threads go on with what a step has left and written; only some units may be news.
    fn arrive(
        &mut self,
        template: TemplateId,
        step: &Step,
        to: At,
        effect: &Effect,
        news: Option<&BTreeSet<UnitId>>,
    ) {
        let Some(Written { shared, locals, args }) = &effect.written else { return };
        let mut after: FxHashMap<UnitId, &Values> = FxHashMap::default();
        after.extend(effect.kept.iter().map(|(unit, values)| (*unit, values)));
        after.extend(shared.iter().chain(locals).map(|(unit, values)| (*unit, values)));
        let from = (template, step.from);
        for (spawn, args) in step.spawns.iter().zip(args) {
            let entry = (spawn.template, self.model.template(spawn.template).entry);
            let begun = |unit: UnitId| match (self.known.units[unit].owner, after.get(&unit)) {
                (Some(_), _) => args.get(&unit).cloned(),
                (None, Some(values)) => Some((*values).clone()),
                (None, None) => self.value(from, unit),
            };
            let begun = self.wanted(entry, news).into_iter().map(|unit| (unit, begun(unit)));
            let begun = begun.collect();
            self.add(entry, begun);
        }
        let before = &self.flowed[&from];
        let value = |unit| after.get(&unit).copied().or_else(|| before.get(&unit)).cloned();
        let arriving = self.wanted((template, to), news).into_iter();
        let arriving = arriving.map(|unit| (unit, value(unit))).collect();
        self.add((template, to), arriving);
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
        let guard = conditions(terms, self.known, step.guard).into();
        Done { guard, units: units.into(), last: None, passed: false }
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

    /// Values that a unit has, whoever looks.
    fn write(&mut self, written: &[(UnitId, Values)]) {
        for (unit, values) in written {
            if let Some(known) = self.known.overall.get_mut(unit) {
                known.join(values, &self.known.units[*unit].range);
            }
        }
    }

    /// What a thread writes is seen by the others, wherever they stand.
    fn disturb(&mut self, mover: TemplateId, from: At, written: &[(UnitId, Values)]) {
        for observer in self.model.ids() {
            let alone = observer == mover && !self.model.template(mover).pool;
            if !alone && self.seen.may_run(observer, (mover, from)) {
                for (unit, values) in written {
                    self.disturb_by(observer, mover, *unit, values);
                }
            }
        }
    }

    fn disturb_by(
        &mut self,
        observer: TemplateId,
        mover: TemplateId,
        unit: UnitId,
        values: &Values,
    ) {
        let range = self.known.units[unit].range;
        if !self.seen.add(observer, mover, unit, values, &range) {
            return;
        }
        for &place in self.readers.get(&(observer, unit)).into_iter().flatten() {
            let is_known = self.flowed.get(&place).is_some_and(|state| state.contains_key(&unit));
            if is_known && self.seen.may_run(mover, place) {
                self.open.entry(place).or_default().insert(unit);
            }
        }
    }

    /// Enters the values at all places. Gives back what anyone writes while there are others.
    fn finish(self) -> State {
        for (&place, state) in &self.flowed {
            let mut all = state.clone();
            for (&unit, values) in &mut all {
                self.seen.add_to(values, place, unit);
            }
            self.known.at.insert(place, all);
        }
        let needed: FxHashSet<UnitId> = self.needs.values().flatten().copied().collect();
        self.known.overall.retain(|unit, _| needed.contains(unit));
        self.seen.by_anyone()
    }
}
