//! Races, pair by pair: one run looks at all accesses that may race.
//!
//! A pair is two places in the source at which threads access the same memory, one of them to write.
//! Each is proved, shown with a trace, or left open with the reason.

use std::collections::BTreeMap;

use selvedge_exec::Trace;
use selvedge_ir::{Program, Span};

use super::model::Model;
use super::transitions::{Kind, TransitionId, Transitions};

/// The places of two accesses, the lesser one first.
pub type Key = (Span, Span);

/// What is known of a pair.
#[derive(Clone, Debug)]
pub enum Settled {
    Proved,
    Shown(Box<Trace>),
    Open(String),
}

#[derive(Clone, Debug)]
pub struct Pair {
    pub first: Span,
    pub second: Span,
    /// The memory that both access, for people.
    pub memory: String,
    pub settled: Settled,
}

/// All pairs, and those of which something is known.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// With the name of the memory.
    all: BTreeMap<Key, String>,
    settled: BTreeMap<Key, Settled>,
    order: Vec<Key>,
    /// All others are proved.
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

    /// A trace shows that the pair races.
    pub fn is_shown(&self, model: &Model, transitions: &Transitions, id: TransitionId) -> bool {
        let key = key(model, transitions, id);
        let settled = key.and_then(|key| self.settled.get(&key));
        matches!(settled, Some(Settled::Shown(_)))
    }

    /// Says what became of the pair that a transition stands for; false if it stands for none.
    pub fn settle(
        &mut self,
        model: &Model,
        transitions: &Transitions,
        id: TransitionId,
        settled: Settled,
    ) -> bool {
        let Some(key) = key(model, transitions, id) else { return false };
        self.settled.insert(key, settled);
        self.order.push(key);
        true
    }

    /// The trace that was found first.
    pub fn first_trace(&self) -> Option<Box<Trace>> {
        self.order.iter().find_map(|key| match &self.settled[key] {
            Settled::Shown(trace) => Some(trace.clone()),
            _ => None,
        })
    }

    /// Some pair was left open.
    pub fn any_open(&self) -> bool {
        self.settled.values().any(|settled| matches!(settled, Settled::Open(_)))
    }

    /// The pairs in the order of the source. Why those are open of which nothing is known.
    pub fn list(self, why: String) -> Vec<Pair> {
        let Pairs { all, mut settled, complete, .. } = self;
        let rest = if complete { Settled::Proved } else { Settled::Open(why) };
        let pair = |(key, memory): (Key, String)| {
            let settled = settled.remove(&key).unwrap_or_else(|| rest.clone());
            Pair { first: key.0, second: key.1, memory, settled }
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
