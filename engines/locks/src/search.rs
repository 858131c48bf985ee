//! The iteration: states at the entries of threads' procedures and where ways meet, grown until every
//! step from them leads into them.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_certify_locks::{Cell, Claims, Site, State, Stuck, Subject, Value, edges, owns, step};
use selvedge_ir::{LocationId, ProcId, Property, Span, Type};
use selvedge_passes::graph::{arrives, reverse_postorder};
use selvedge_passes::{Limits, Liveness, Unprepared};

use crate::claims::{Guess, Seen};
use crate::join::{Thresholds, widened};

/// What came of the search.
pub struct Found<'a> {
    pub claims: Guess<'a>,
    pub states: FxHashMap<(ProcId, LocationId), State>,
    pub runs: u64,
    /// What could not be shown.
    pub stuck: Option<Stuck>,
}

/// Guesses are weakened so often.
const MOST_RUNS: u64 = 12;

/// A state that has grown so often is widened.
const PATIENCE: u32 = 3;

pub fn search<'a>(
    subject: &'a Subject,
    thresholds: &'a Thresholds,
    liveness: &Liveness,
    properties: &[Property],
    limits: &Limits,
) -> Result<Found<'a>, Unprepared> {
    let meets = Meets::of(subject);
    let mut seen = Seen::default();
    let mut runs = 0;
    loop {
        runs += 1;
        let mut search = Search {
            subject,
            thresholds,
            liveness,
            properties,
            meets: &meets,
            claims: Guess::new(subject, thresholds, seen),
            states: FxHashMap::default(),
            grown: FxHashMap::default(),
            work: BTreeSet::new(),
            stuck: None,
        };
        search.run(limits)?;
        let Search { claims, states, stuck, .. } = search;
        if !claims.is_outdated() {
            return Ok(Found { claims, states, runs, stuck });
        }
        if runs == MOST_RUNS {
            let why = "what was guessed of the program's locks does not hold".to_owned();
            return Ok(Found { claims, states, runs, stuck: Some((why, Span::NONE)) });
        }
        seen = claims.seen;
    }
}

/// Locations that states are kept for, each with its place in the order of control flow.
struct Meets {
    places: FxHashMap<(ProcId, LocationId), u32>,
}

impl Meets {
    /// The entries, and where several edges lead to.
    fn of(subject: &Subject) -> Meets {
        let mut places = FxHashMap::default();
        for &id in &subject.entries {
            let procedure = &subject.program.procedures[id];
            let order = reverse_postorder(procedure);
            let reached: FxHashSet<LocationId> = order.iter().copied().collect();
            let mut ways: FxHashMap<LocationId, u32> = FxHashMap::default();
            for (at, edge) in procedure.edges() {
                if reached.contains(&at.from) && arrives(edge) {
                    *ways.entry(edge.target).or_default() += 1;
                }
            }
            for (place, &location) in order.iter().enumerate() {
                let several = ways.get(&location).is_some_and(|ways| *ways > 1);
                if location == procedure.entry || several && location != procedure.exit {
                    places.insert((id, location), place as u32);
                }
            }
        }
        Meets { places }
    }
}

struct Search<'s, 'a> {
    subject: &'a Subject,
    thresholds: &'a Thresholds,
    liveness: &'s Liveness,
    properties: &'s [Property],
    meets: &'s Meets,
    claims: Guess<'a>,
    states: FxHashMap<(ProcId, LocationId), State>,
    grown: FxHashMap<(ProcId, LocationId), u32>,
    /// States to go on from, in the order of control flow.
    work: BTreeSet<(ProcId, u32, LocationId)>,
    stuck: Option<Stuck>,
}

impl<'a> Search<'_, 'a> {
    fn run(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        for thread in &self.subject.program.threads {
            let procedure = &self.subject.program.procedures[thread.procedure];
            let zero = |param: &_| Value::zero(procedure.locals[*param].ty);
            let arguments = procedure.params.iter().map(zero).collect();
            self.enter(thread.procedure, arguments);
        }
        loop {
            self.settle(limits)?;
            // Once more from everywhere: contents that have grown were read before, and what could
            // not be followed then may have been said of states that were only on the way.
            self.stuck = None;
            let states: Vec<(ProcId, LocationId)> = self.states.keys().copied().collect();
            states.into_iter().for_each(|place| self.again(place));
            self.claims.changed = false;
            let before = self.grown.clone();
            self.settle(limits)?;
            if !self.claims.changed && before == self.grown {
                return Ok(());
            }
        }
    }

    /// Goes on until no state grows.
    fn settle(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        while let Some((procedure, _, location)) = self.work.pop_first() {
            self.follow(procedure, location, limits)?;
            for (procedure, arguments) in std::mem::take(&mut self.claims.entered) {
                self.enter(procedure, arguments);
            }
        }
        Ok(())
    }

    fn again(&mut self, (procedure, location): (ProcId, LocationId)) {
        let place = self.meets.places[&(procedure, location)];
        self.work.insert((procedure, place, location));
    }

    /// A thread starts: its parameters are given, its other locals zero.
    fn enter(&mut self, id: ProcId, arguments: Vec<Value>) {
        let procedure = &self.subject.program.procedures[id];
        let mut state = State::default();
        for &local in self.liveness.live(id, procedure.entry) {
            state.set(local, Value::zero(procedure.locals[local].ty));
        }
        for (param, value) in procedure.params.iter().zip(arguments) {
            state.set(*param, value);
        }
        if self.subject.first == Some(id) {
            state.view = self.claims.to_set_up(id);
        }
        self.arrive(id, procedure.entry, state);
    }

    /// From a state to the next ones.
    fn follow(
        &mut self,
        id: ProcId,
        location: LocationId,
        limits: &Limits,
    ) -> Result<(), Unprepared> {
        let procedure = &self.subject.program.procedures[id];
        let mut work = vec![(location, self.states[&(id, location)].clone())];
        while let Some((from, state)) = work.pop() {
            for edge in edges(procedure, from) {
                limits.spend(1)?;
                let site = Site { procedure: id, edge };
                let state = state.clone();
                match step(self.subject, self.properties, &mut self.claims, site, state) {
                    Ok(Some(state)) => {
                        let target = procedure.edge(edge).target;
                        if self.meets.places.contains_key(&(id, target)) {
                            self.arrive(id, target, state);
                        } else if target != procedure.exit {
                            work.push((target, state));
                        }
                    }
                    Ok(None) => {}
                    Err(stuck) => {
                        self.stuck.get_or_insert(stuck);
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes the state of a location cover one more.
    fn arrive(&mut self, id: ProcId, location: LocationId, mut state: State) {
        state.locals.retain(|local, _| self.liveness.is_live(id, location, *local));
        let joined = match self.states.get(&(id, location)).cloned() {
            None => state,
            Some(known) => {
                let times = self.grown.get(&(id, location)).copied().unwrap_or(0);
                let joined = self.joined(id, &known, state, times > PATIENCE);
                if joined == known {
                    return;
                }
                joined
            }
        };
        *self.grown.entry((id, location)).or_default() += 1;
        self.states.insert((id, location), joined);
        self.again((id, location));
    }

    fn joined(&mut self, id: ProcId, old: &State, new: State, widen: bool) -> State {
        let procedure = &self.subject.program.procedures[id];
        let mut joined = State {
            held: Arc::new(old.held.intersection(&new.held).copied().collect()),
            beside: Arc::new(old.beside.union(&new.beside).copied().collect()),
            dead: old.dead.union(&new.dead).copied().collect(),
            ..State::default()
        };
        for (local, value) in &old.locals {
            if let Some(more) = new.locals.get(local) {
                let ty = procedure.locals[*local].ty;
                joined.set(*local, self.both(value, more, ty, widen));
            }
        }
        let cells: BTreeSet<Cell> = old.view.keys().chain(new.view.keys()).copied().collect();
        for cell in cells {
            let kept = owns(self.subject, &self.claims, id, &joined, cell);
            match (old.view.get(&cell), new.view.get(&cell)) {
                (a, b) if kept => {
                    let content = self.claims.content(cell);
                    let (a, b) = (a.unwrap_or(&content), b.unwrap_or(&content));
                    let ty = self.subject.ty(cell).unwrap_or(Type::Ptr);
                    joined.view.insert(cell, self.both(a, b, ty, widen));
                }
                (a, b) => {
                    for value in a.into_iter().chain(b) {
                        // Only looked at: claims of an engine refuse nothing.
                        let _ = self.claims.publish(cell, value);
                    }
                }
            }
        }
        joined
    }

    fn both(&self, old: &Value, new: &Value, ty: Type, widen: bool) -> Value {
        match widen {
            _ if old.covers(new) => old.clone(),
            true => widened(old, new, ty, self.thresholds),
            false => old.join(new),
        }
    }
}
