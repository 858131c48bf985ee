//! Transitions as one thread observes them: the concrete side of the abstraction.
//!
//! A transition is about an *observer*, the thread whose abstract state changes, and for all but its
//! own steps about a *mover*, another thread that acts. [`Transition::base`] says when it happens and
//! `next` what the observer's variables are afterwards, both as terms; a predicate before, after, or
//! of the mover is then a term too ([`Transitions::literal`]).
//!
//! Work: a transition counts [`TRANSITION`] units, a pair of accesses that plainly cannot race
//! [`PAIR`].

use rustc_hash::FxHashMap;
use selvedge_smt::{Limits, Reason, Term};

use super::literal::{Abstract, Literal, Slot};
use super::model::Model;
use super::predicates::Predicates;
use selvedge_system::{Access, At, End, Step, TemplateId, overlap};

/// Units of work for a transition, and for a pair of accesses that is none.
const TRANSITION: u64 = 10;
const PAIR: u64 = 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The observer runs from the beginning.
    Initial,
    /// A step of the observer.
    Own { step: u32 },
    /// A step of another thread.
    Environment { step: u32 },
    /// A step of another thread that starts the observer.
    Birth { step: u32, spawn: u32 },
    /// A step of the observer that goes wrong.
    Bad { step: u32 },
    /// The observer and the mover can both do these accesses.
    Race { own: u32, other: u32 },
    /// Nothing happens: the states of one thread.
    State,
    /// Nothing happens: the states of two threads.
    Pair,
    /// Nothing happens: the states of the shared variables, whoever runs.
    Common,
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub kind: Kind,
    pub observer: TemplateId,
    pub mover: Option<TemplateId>,
    /// Where the observer stands before; none where it may stand anywhere.
    pub from: Option<At>,
    /// Where it stands afterwards, if that is another place.
    pub to: Option<At>,
    /// Where the mover stands before.
    pub mover_from: Option<At>,
    pub base: Term,
    /// The variables that change, seen by the observer, and their new values.
    pub next: FxHashMap<Term, Term>,
    pub abstraction: Abstract,
}

/// All transitions of a model.
#[derive(Debug, Default)]
pub struct Transitions {
    pub list: Vec<Transition>,
    /// By template and step.
    pub own: FxHashMap<(TemplateId, u32), TransitionId>,
    /// By observer.
    pub environment: Vec<Vec<TransitionId>>,
    pub births: Vec<TransitionId>,
    pub initial: Vec<TransitionId>,
    pub bad: Vec<TransitionId>,
    pub races: Vec<TransitionId>,
    /// By template.
    pub states: Vec<TransitionId>,
    pub common: TransitionId,
    pub pairs: FxHashMap<(TemplateId, TemplateId), TransitionId>,
    /// How many have been counted as work.
    counted: usize,
}

impl Transitions {
    pub fn of(model: &mut Model, limits: &Limits) -> Result<Transitions, Reason> {
        let mut all = Transitions::default();
        let ids: Vec<TemplateId> = model.ids().collect();
        let base = model.terms.bool(true);
        let common = plain(model, Kind::Common, TemplateId(0), None);
        all.common = all.push(Transition { base, ..common });
        for &id in &ids {
            let state = all.push(plain(model, Kind::State, id, None));
            all.states.push(state);
            all.enter_initial(model, id);
            all.enter_own(model, id);
        }
        for &observer in &ids {
            let mut environment = Vec::new();
            for &mover in &ids {
                if observer == mover && !model.template(observer).pool {
                    continue;
                }
                let pair = all.push(plain(model, Kind::Pair, observer, Some(mover)));
                all.pairs.insert((observer, mover), pair);
                all.enter_environment(model, observer, mover, &mut environment);
                all.count(limits)?;
            }
            all.environment.push(environment);
        }
        for &mover in &ids {
            all.enter_births(model, mover);
            all.count(limits)?;
        }
        all.enter_races(model, &ids, limits)?;
        Ok(all)
    }

    /// Counts the transitions entered since the last time.
    fn count(&mut self, limits: &Limits) -> Result<(), Reason> {
        let new = self.list.len() - self.counted;
        self.counted = self.list.len();
        limits.clock.spend(TRANSITION * new as u64);
        limits.exceeded().map_or(Ok(()), Err)
    }

    pub fn push(&mut self, transition: Transition) -> TransitionId {
        self.list.push(transition);
        TransitionId(self.list.len() as u32 - 1)
    }

    /// Keeps what is known of the same transitions of a model with fewer ghosts: there is less that
    /// can happen now, so it stays true.
    pub fn inherit(&mut self, old: Transitions) {
        let key = |t: &Transition| (t.kind, t.observer, t.mover);
        let mut known: FxHashMap<_, Abstract> =
            old.list.into_iter().map(|t| (key(&t), t.abstraction)).collect();
        for transition in &mut self.list {
            if let Some(abstraction) = known.remove(&key(transition)) {
                transition.abstraction = abstraction;
            }
        }
    }

    pub fn get(&self, id: TransitionId) -> &Transition {
        &self.list[id.0 as usize]
    }

    fn enter_initial(&mut self, model: &mut Model, id: TemplateId) {
        let template = model.template(id).clone();
        if !template.initial {
            return;
        }
        let mut base = vec![model.initial];
        for (position, value) in template.begin {
            let local = template.locals[position as usize].term;
            base.push(model.terms.eq(local, value));
        }
        let base = model.terms.and(&base);
        let plain = plain(model, Kind::Initial, id, None);
        let begin = self.push(Transition { from: Some(template.entry), base, ..plain });
        self.initial.push(begin);
    }

    fn enter_own(&mut self, model: &mut Model, id: TemplateId) {
        for index in 0..model.template(id).steps.len() as u32 {
            if !model.values.is_possible(id, index) {
                continue;
            }
            let step = model.step(id, index).clone();
            let (kind, to) = match &step.end {
                End::To(to) => (Kind::Own { step: index }, Some(*to)),
                End::Bad(_) => (Kind::Bad { step: index }, None),
            };
            let mut next: FxHashMap<Term, Term> = FxHashMap::default();
            if to.is_some() {
                let shared = step.shared.iter().map(|&(p, v)| (model.shared[p as usize].term, v));
                next.extend(shared);
                let locals = &model.template(id).locals;
                next.extend(step.locals.iter().map(|&(p, v)| (locals[p as usize].term, v)));
            }
            let state = plain(model, kind, id, None);
            let values = values_before(model, id, &step);
            let base = model.terms.and(&[state.base, step.guard, values]);
            let from = Some(step.from);
            let transition = self.push(Transition { from, to, base, next, ..state });
            match to {
                Some(_) => {
                    self.own.insert((id, index), transition);
                }
                None => self.bad.push(transition),
            }
        }
    }

    fn enter_environment(
        &mut self,
        model: &mut Model,
        observer: TemplateId,
        mover: TemplateId,
        environment: &mut Vec<TransitionId>,
    ) {
        for index in 0..model.template(mover).steps.len() as u32 {
            let step = model.step(mover, index).clone();
            let is_possible = model.values.is_possible(mover, index);
            if matches!(step.end, End::Bad(_)) || step.shared.is_empty() || !is_possible {
                continue;
            }
            let pair = plain(model, Kind::Environment { step: index }, observer, Some(mover));
            let guard = model.of_other(mover, step.guard);
            let mut next = FxHashMap::default();
            for &(position, value) in &step.shared {
                let value = model.of_other(mover, value);
                next.insert(model.shared[position as usize].term, value);
            }
            let values = values_before(model, mover, &step);
            let values = model.of_other(mover, values);
            let mut base = vec![pair.base, guard, values];
            for spawn in &step.spawns {
                // A thread that starts now is not the observer.
                let born = model.of_other(mover, spawn.tid);
                let observing = model.template(observer).tid;
                base.push(model.terms.ne(born, observing));
            }
            let base = model.terms.and(&base);
            environment.push(self.push(Transition {
                base,
                next,
                mover_from: Some(step.from),
                ..pair
            }));
        }
    }

    fn enter_births(&mut self, model: &mut Model, mover: TemplateId) {
        for index in 0..model.template(mover).steps.len() as u32 {
            if !model.values.is_possible(mover, index) {
                continue;
            }
            let step = model.step(mover, index).clone();
            for (number, spawn) in step.spawns.iter().enumerate() {
                let child = spawn.template;
                let kind = Kind::Birth { step: index, spawn: number as u32 };
                let pair = plain(model, kind, child, Some(mover));
                let guard = model.of_other(mover, step.guard);
                let mut next = FxHashMap::default();
                for &(position, value) in &step.shared {
                    let value = model.of_other(mover, value);
                    next.insert(model.shared[position as usize].term, value);
                }
                for (position, local) in model.template(child).locals.clone().iter().enumerate() {
                    let given = spawn.args.iter().find(|(to, _)| *to == position as u32);
                    let value = match given {
                        Some(&(_, value)) => value,
                        None if local.term == model.template(child).tid => spawn.tid,
                        None => {
                            let sort = model.terms.sort(local.term);
                            model.terms.var(&format!("{}@fresh", local.name), sort)
                        }
                    };
                    let value = model.of_other(mover, value);
                    next.insert(local.term, value);
                }
                let starter = model.template(mover).tid;
                let others = model.terms.ne(starter, spawn.tid);
                let others = model.of_other(mover, others);
                let alive = model.alive(mover);
                let alive = model.of_other(mover, alive);
                let values = values_before(model, mover, &step);
                let values = model.of_other(mover, values);
                let base = model.terms.and(&[guard, others, alive, values]);
                let id = self.push(Transition {
                    base,
                    next,
                    from: Some(At::Unstarted),
                    to: Some(model.template(child).entry),
                    mover_from: Some(step.from),
                    ..pair
                });
                self.births.push(id);
            }
        }
    }

    /// Accesses of two threads that would race, if both could come next.
    fn enter_races(
        &mut self,
        model: &mut Model,
        ids: &[TemplateId],
        limits: &Limits,
    ) -> Result<(), Reason> {
        for &a in ids {
            let pool = model.template(a).pool;
            for &b in ids.iter().filter(|&&b| a < b || a == b && pool) {
                for own in 0..model.template(a).accesses.len() as u32 {
                    let first = if a == b { own } else { 0 };
                    for other in first..model.template(b).accesses.len() as u32 {
                        limits.clock.spend(PAIR);
                        if let Some(race) = race(model, (a, own), (b, other)) {
                            let race = self.push(race);
                            self.races.push(race);
                        }
                    }
                    self.count(limits)?;
                }
            }
        }
        Ok(())
    }

    /// What a literal means for the transition.
    pub fn literal(
        &self,
        model: &mut Model,
        predicates: &Predicates,
        id: TransitionId,
        literal: Literal,
    ) -> Term {
        let transition = self.get(id);
        let term = predicates.get(literal.predicate).term;
        let term = match (literal.slot, transition.mover) {
            (Slot::Next, _) => model.terms.substitute(term, &transition.next),
            (Slot::Mover, Some(mover)) => model.of_other(mover, term),
            (Slot::Now | Slot::Mover, _) => term,
        };
        if literal.positive { term } else { model.terms.not(term) }
    }
}

/// Two accesses, unless they plainly do not conflict.
fn race(model: &mut Model, a: (TemplateId, u32), b: (TemplateId, u32)) -> Option<Transition> {
    let own = model.template(a.0).accesses[a.1 as usize].clone();
    let other = model.template(b.0).accesses[b.1 as usize].clone();
    let conflict =
        own.region == other.region && (own.write || other.write) && !(own.atomic && other.atomic);
    if !conflict {
        return None;
    }
    let pair = plain(model, Kind::Race { own: a.1, other: b.1 }, a.0, Some(b.0));
    let guard = model.of_other(b.0, other.guard);
    let theirs = other.address.terms();
    let theirs: Vec<Term> = theirs.iter().map(|&term| model.of_other(b.0, term)).collect();
    let mine = own.address.terms();
    let same = overlap(&mut model.terms, (&mine, own.bytes), (&theirs, other.bytes));
    let known = values_of(model, a.0, &own);
    let known_other = values_of(model, b.0, &other);
    let known_other = model.of_other(b.0, known_other);
    let base = model.terms.and(&[pair.base, own.guard, guard, same, known, known_other]);
    if model.terms.constant(base).and_then(|v| v.as_bool()) == Some(false) {
        return None;
    }
    Some(Transition { from: Some(own.at), mover_from: Some(other.at), base, ..pair })
}

/// The known values of the variables that a step depends on.
fn values_before(model: &mut Model, template: TemplateId, step: &Step) -> Term {
    let new = step.shared.iter().chain(&step.locals).map(|(_, value)| *value);
    let about: Vec<Term> = new.chain([step.guard]).collect();
    model.values_at((template, step.from), &about)
}

/// The known values of the variables that an access depends on.
fn values_of(model: &mut Model, template: TemplateId, access: &Access) -> Term {
    let mut about = access.address.terms().to_vec();
    about.push(access.guard);
    model.values_at((template, access.at), &about)
}

/// A transition in which nothing happens yet; two threads have different numbers.
pub fn plain(
    model: &mut Model,
    kind: Kind,
    observer: TemplateId,
    mover: Option<TemplateId>,
) -> Transition {
    let mut base = vec![model.alive(observer)];
    if let Some(mover) = mover {
        let (own, other) = (model.template(observer).tid, model.template(mover).tid);
        let other = model.of_other(mover, other);
        base.push(model.terms.ne(own, other));
        let alive = model.alive(mover);
        base.push(model.of_other(mover, alive));
        if observer == mover {
            base.push(model.together(mover));
        }
    }
    let base = model.terms.and(&base);
    Transition {
        kind,
        observer,
        mover,
        from: None,
        to: None,
        mover_from: None,
        base,
        next: FxHashMap::default(),
        abstraction: Abstract::default(),
    }
}
