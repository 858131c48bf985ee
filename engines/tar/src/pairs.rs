//! Races, pair by pair: one run looks at all accesses that may race.
//!
//! A pair is two places in the source at which threads access the same memory, one of them to write.
//! Each is excluded, shown by an execution, or left open with the reason.

use std::collections::BTreeMap;

use selvedge_ir::{Program, Span};
use selvedge_verdict::{Counterexample, RacePair, RaceResult, Stop};

use super::model::Model;
use super::transitions::{Kind, TransitionId, Transitions};

/// The places of two accesses, the lesser one first.
pub type Key = (Span, Span);

/// All pairs, and those of which something is known.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// With the name of the memory.
    all: BTreeMap<Key, String>,
    settled: BTreeMap<Key, RaceResult>,
    /// The settled ones in the order in which they were settled.
    order: Vec<Key>,
    /// All others are excluded.
    pub complete: bool,
}

impl Pairs {
    /// Enters the pairs of a model.
    pub fn enter(&mut self, program: &Program, model: &Model, transitions: &Transitions) {
        for &id in &transitions.races {
            if let (Some(key), Kind::Race { own, .. }) =
                (key(model, transitions, id), transitions.get(id).kind)
            {
                let observer = transitions.get(id).observer;
                let region = model.template(observer).accesses[own as usize].region;
                let name = || program.regions[region].name.clone();
                self.all.entry(key).or_insert_with(name);
            }
        }
    }

    pub fn is_settled(&self, model: &Model, transitions: &Transitions, id: TransitionId) -> bool {
        key(model, transitions, id).is_some_and(|key| self.settled.contains_key(&key))
    }

    /// An execution shows that the pair races.
    pub fn is_shown(&self, model: &Model, transitions: &Transitions, id: TransitionId) -> bool {
        let key = key(model, transitions, id);
        let settled = key.and_then(|key| self.settled.get(&key));
        matches!(settled, Some(RaceResult::Race(_)))
    }

    /// Says what became of the pair that a transition stands for; false if it stands for none.
    pub fn settle(
        &mut self,
        model: &Model,
        transitions: &Transitions,
        id: TransitionId,
        result: RaceResult,
    ) -> bool {
        let Some(key) = key(model, transitions, id) else { return false };
        self.settled.insert(key, result);
        self.order.push(key);
        true
    }

    /// The race that was found first.
    pub fn first_race(&self) -> Option<Counterexample> {
        self.order.iter().find_map(|key| match &self.settled[key] {
            RaceResult::Race(counterexample) => Some((**counterexample).clone()),
            RaceResult::Excluded | RaceResult::Open(_) | RaceResult::Unexamined => None,
        })
    }

    /// Some pair was left open.
    pub fn any_open(&self) -> bool {
        self.settled.values().any(|result| matches!(result, RaceResult::Open(_)))
    }

    /// The pairs in the order of the source. Those of which nothing is known are open for the reason
    /// that the engine stopped for, if there is one.
    pub fn list(self, stop: Option<Stop>) -> Vec<RacePair> {
        let Pairs { all, mut settled, complete, .. } = self;
        let rest = match stop {
            _ if complete => RaceResult::Excluded,
            Some(stop) => RaceResult::Open(stop),
            None => RaceResult::Unexamined,
        };
        let pair = |(key, memory): (Key, String)| {
            let result = settled.remove(&key).unwrap_or_else(|| rest.clone());
            RacePair { first: key.0, second: key.1, memory, result }
        };
        all.into_iter().map(pair).collect()
    }
}

/// The pair that a transition stands for.
fn key(model: &Model, transitions: &Transitions, id: TransitionId) -> Option<Key> {
    let transition = transitions.get(id);
    let (Kind::Race { own, other }, Some(mover)) = (transition.kind, transition.mover) else {
        return None;
    };
    let own = model.template(transition.observer).accesses[own as usize].span;
    let other = model.template(mover).accesses[other as usize].span;
    Some((own.min(other), own.max(other)))
}
