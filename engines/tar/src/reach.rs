//! R(t_i || g): the abstract states that each thread reaches under assumptions about the others, and
//! ρ_i, what it does to the others from there (§2).
//!
//! Everything reached is kept in the order of its discovery with its cause, so that a path can be
//! traced back.

use rustc_hash::FxHashMap;
use selvedge_smt::Reason;

use super::Place;
use super::bdd::{Bdd, FALSE, Variables};
use super::literal::Slot;
use super::predicates::PredicateId;
use super::region::Space;
use super::transitions::TransitionId;
use selvedge_system::{At, TemplateId};

/// A set of states reached by one cause.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub place: Place,
    /// Disjoint from what was reached there before.
    pub set: Bdd,
    pub cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Initial,
    Own(TransitionId),
    /// Some step of the environment that changes these predicates.
    Environment(usize),
    Birth(TransitionId),
}

/// The environment assumption of a thread: a relation on predicates for each set of predicates that
/// may change at once. All others keep their values.
#[derive(Clone, Debug, Default)]
pub struct Assumption {
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub affected: Vec<PredicateId>,
    pub relation: Bdd,
    /// The transitions that it is made of.
    pub transitions: Vec<TransitionId>,
}

#[derive(Debug)]
pub struct Reach<'s, 'a> {
    pub space: &'s mut Space<'a>,
    pub regions: FxHashMap<Place, Bdd>,
    pub entries: Vec<Entry>,
    pub by_place: FxHashMap<Place, Vec<usize>>,
    /// g, by template.
    pub assumptions: Vec<Assumption>,
    /// The region of the mover for which a transition was last turned into an assumption.
    discharged: FxHashMap<TransitionId, Bdd>,
    /// What a part of the assumption was last applied to at a place.
    disturbed: FxHashMap<(Place, usize), Bdd>,
    own: FxHashMap<Place, Vec<TransitionId>>,
    dead: FxHashMap<Place, Variables>,
    next: usize,
}

impl<'s, 'a> Reach<'s, 'a> {
    /// With empty assumptions.
    pub fn new(space: &'s mut Space<'a>) -> Reach<'s, 'a> {
        let mut own: FxHashMap<Place, Vec<TransitionId>> = FxHashMap::default();
        for (&(template, _), &id) in &space.transitions.own {
            if let Some(from) = space.transitions.get(id).from {
                own.entry((template, from)).or_default().push(id);
            }
        }
        own.values_mut().for_each(|ids| ids.sort());
        let assumptions = space.transitions.environment.iter();
        let assumptions = assumptions.map(|ids| Self::parts(space, ids)).collect();
        let mut reach = Reach {
            space,
            regions: FxHashMap::default(),
            entries: Vec::new(),
            by_place: FxHashMap::default(),
            assumptions,
            discharged: FxHashMap::default(),
            disturbed: FxHashMap::default(),
            own,
            dead: FxHashMap::default(),
            next: 0,
        };
        for id in reach.space.transitions.initial.clone() {
            let transition = reach.space.transitions.get(id);
            let place =
                (transition.observer, reach.space.model.template(transition.observer).entry);
            let set = reach.space.relation(id).relation;
            reach.add(place, set, Cause::Initial);
        }
        reach
    }

    fn parts(space: &Space<'a>, transitions: &[TransitionId]) -> Assumption {
        let mut parts: Vec<Part> = Vec::new();
        for &id in transitions {
            let affected = space.affected(id);
            match parts.iter_mut().find(|part| part.affected == affected) {
                _ if affected.is_empty() => {}
                Some(part) => part.transitions.push(id),
                None => parts.push(Part { affected, relation: FALSE, transitions: vec![id] }),
            }
        }
        Assumption { parts }
    }

    pub fn region(&self, place: Place) -> Bdd {
        self.regions.get(&place).copied().unwrap_or(FALSE)
    }

    fn add(&mut self, place: Place, set: Bdd, cause: Cause) {
        if !matches!(place.1, At::Cut(_)) {
            return;
        }
        let known = self.region(place);
        let state = self.space.states[place.0.0 as usize];
        let dead = self.dead(place);
        let diagrams = &mut self.space.diagrams;
        let set = diagrams.and_exists(set, state, dead);
        let new = diagrams.minus(set, known);
        if new == FALSE {
            return;
        }
        let region = self.space.diagrams.or(known, new);
        self.regions.insert(place, region);
        self.by_place.entry(place).or_default().push(self.entries.len());
        self.entries.push(Entry { place, set: new, cause });
    }

    /// The predicates that mean nothing at a place.
    fn dead(&mut self, place: Place) -> Variables {
        if let Some(&known) = self.dead.get(&place) {
            return known;
        }
        let space = &mut *self.space;
        let dead: Vec<u32> = space
            .predicates
            .of(place.0)
            .into_iter()
            .filter(|&p| !space.predicates.lives(space.model, p, place.1))
            .map(|p| space.variable(p, Slot::Now))
            .collect();
        let dead = space.diagrams.variables(dead);
        self.dead.insert(place, dead);
        dead
    }

    /// All states of R(t_i || g) for the assumptions g as they are.
    pub fn saturate(&mut self) -> Result<(), Reason> {
        while self.next < self.entries.len() {
            self.space.diagrams.complete()?;
            let Entry { place, set, .. } = self.entries[self.next];
            self.next += 1;
            for id in self.own.get(&place).cloned().unwrap_or_default() {
                let relation = self.space.relation(id);
                let after = self.space.image(set, relation);
                let to = self.space.transitions.get(id).to.expect("a step leads somewhere");
                self.add((place.0, to), after, Cause::Own(id));
            }
            self.disturb(place);
        }
        Ok(())
    }

    /// What the environment makes of the states at a place. Each part goes on from what the parts
    /// before it have made, so that of independent variables not every order of their changes is
    /// looked at.
    fn disturb(&mut self, place: Place) {
        for part in 0..self.assumptions[place.0.0 as usize].parts.len() {
            let region = self.region(place);
            let done = self.disturbed.insert((place, part), region).unwrap_or(FALSE);
            let set = self.space.diagrams.minus(region, done);
            if set != FALSE {
                self.disturb_by(place, set, part);
            }
        }
    }

    fn disturb_by(&mut self, place: Place, set: Bdd, part: usize) {
        let Part { affected, relation, .. } = &self.assumptions[place.0.0 as usize].parts[part];
        if *relation == FALSE {
            return;
        }
        let relation = *relation;
        let now: Vec<u32> = affected.iter().map(|&p| self.space.variable(p, Slot::Now)).collect();
        let pairs: Vec<(u32, u32)> = affected
            .iter()
            .map(|&p| (self.space.variable(p, Slot::Next), self.space.variable(p, Slot::Now)))
            .collect();
        let diagrams = &mut self.space.diagrams;
        let (gone, back) = (diagrams.variables(now), diagrams.renaming(pairs));
        let after = diagrams.and_exists(set, relation, gone);
        let after = diagrams.rename(after, back);
        self.add(place, after, Cause::Environment(part));
    }

    /// g_i := ρ_i for all i. Says whether an assumption has grown.
    pub fn weaken_assumptions(&mut self) -> bool {
        let mut grown = false;
        for observer in 0..self.assumptions.len() {
            for part in 0..self.assumptions[observer].parts.len() {
                let mut relation = self.assumptions[observer].parts[part].relation;
                let before = relation;
                for id in self.assumptions[observer].parts[part].transitions.clone() {
                    if let Some(done) = self.done_by_mover(id) {
                        relation = self.space.diagrams.or(relation, done);
                    }
                }
                if relation != before {
                    grown = true;
                    self.assumptions[observer].parts[part].relation = relation;
                    self.disturb_again(TemplateId(observer as u32), part);
                }
            }
        }
        grown |= self.births();
        grown
    }

    fn disturb_again(&mut self, observer: TemplateId, part: usize) {
        let places: Vec<(Place, Bdd)> = self
            .regions
            .iter()
            .filter(|((template, _), _)| *template == observer)
            .map(|(&place, &region)| (place, region))
            .collect();
        for (place, region) in places {
            self.disturbed.insert((place, part), region);
            self.disturb_by(place, region, part);
        }
    }

    /// The transition from all states that the mover reaches; none if that is nothing new.
    fn done_by_mover(&mut self, id: TransitionId) -> Option<Bdd> {
        let transition = self.space.transitions.get(id);
        let mover = transition.mover.expect("another thread moves");
        let from = transition.mover_from.expect("it stands somewhere");
        let region = self.region((mover, from));
        if self.discharged.get(&id).copied().unwrap_or(FALSE) == region {
            return None;
        }
        self.discharged.insert(id, region);
        let relation = self.space.relation(id).relation;
        let region = self.space.as_mover(mover, region);
        let gone = self.space.mover_variables(mover);
        Some(self.space.diagrams.and_exists(region, relation, gone))
    }

    fn births(&mut self) -> bool {
        let known = self.entries.len();
        for id in self.space.transitions.births.clone() {
            if let Some(done) = self.done_by_mover(id) {
                let after = self.born(id, done);
                let transition = self.space.transitions.get(id);
                let entry = transition.to.expect("it begins somewhere");
                self.add((transition.observer, entry), after, Cause::Birth(id));
            }
        }
        self.entries.len() > known
    }

    fn born(&mut self, id: TransitionId, done: Bdd) -> Bdd {
        let relation = self.space.relation(id);
        let after = self.space.diagrams.exists(done, relation.gone);
        self.space.diagrams.rename(after, relation.back)
    }
}
