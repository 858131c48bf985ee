//! Regions of abstract states and relations between them, as decision diagrams.
//!
//! Each predicate has three variables: before, afterwards, and (for a predicate of the mover) before
//! in the other thread. Common predicates before are the same for observer and mover, which is how
//! the two are joined.

use rustc_hash::FxHashMap;
use selvedge_smt::{Limits, Term};

use super::bdd::{Bdd, Diagrams, FALSE, Renaming, TRUE, Variables};
use super::literal::{Literal, Slot};
use super::model::{Ghost, Model};
use super::predicates::{PredicateId, Predicates};
use super::transitions::{Kind, Transition, TransitionId, Transitions};
use selvedge_system::{At, TemplateId};

/// Values of predicates of one thread.
pub type Bits = Vec<(PredicateId, bool)>;

/// The diagrams for one set of predicates.
#[derive(Debug)]
pub struct Space<'a> {
    pub model: &'a Model,
    pub predicates: &'a Predicates,
    pub transitions: &'a Transitions,
    pub diagrams: Diagrams,
    /// The place of each predicate in the order of variables.
    rank: Vec<u32>,
    by_rank: Vec<PredicateId>,
    relations: FxHashMap<TransitionId, Relation>,
    /// The consistent states of a thread, by template.
    pub states: Vec<Bdd>,
    /// From a template's own variables to those of a mover.
    to_mover: Vec<Renaming>,
    mover_variables: Vec<Variables>,
    /// Of each predicate: whether it is true in the beginning, as far as that is known.
    usual: Vec<bool>,
}

/// Predicates about the same shared variable stand side by side, and with them those about who was
/// the last to change it: apart from each other, the diagrams would grow with the product of all.
fn order(model: &Model, predicates: &Predicates) -> Vec<PredicateId> {
    let mut positions: FxHashMap<Term, usize> = FxHashMap::default();
    for (position, shared) in model.shared.iter().enumerate() {
        let position = match shared.ghost {
            Some(Ghost::Changer(of)) => of as usize,
            _ => position,
        };
        positions.insert(shared.term, position);
    }
    let key = |id: PredicateId| {
        let variables = &predicates.get(id).variables;
        let shared = variables.iter().filter_map(|variable| positions.get(variable)).min();
        (shared.copied().unwrap_or(usize::MAX), variables.first().copied(), id)
    };
    let mut by_rank: Vec<PredicateId> = predicates.ids().collect();
    by_rank.sort_by_key(|&id| key(id));
    by_rank
}

/// A transition on regions.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    pub relation: Bdd,
    /// What the region before says and the one afterwards does not.
    pub gone: Variables,
    /// From afterwards to before.
    pub back: Renaming,
}

impl<'a> Space<'a> {
    pub fn new(
        model: &'a Model,
        predicates: &'a Predicates,
        transitions: &'a Transitions,
        limits: Limits,
    ) -> Space<'a> {
        let by_rank = order(model, predicates);
        let mut rank = vec![0; by_rank.len()];
        for (position, id) in by_rank.iter().enumerate() {
            rank[id.0 as usize] = position as u32;
        }
        let mut space = Space {
            model,
            predicates,
            transitions,
            diagrams: Diagrams::new(limits),
            rank,
            by_rank,
            relations: FxHashMap::default(),
            states: Vec::new(),
            to_mover: Vec::new(),
            mover_variables: Vec::new(),
            usual: vec![false; predicates.len()],
        };
        for id in model.ids() {
            space.enter_template(id);
        }
        space.enter_usual();
        space
    }

    fn enter_usual(&mut self) {
        for &id in &self.transitions.initial {
            let begins = self.relation(id).relation;
            for predicate in self.predicates.ids() {
                let not = self.cube(&vec![(predicate, false)], Slot::Now);
                let can_be_false = self.diagrams.and(begins, not) != FALSE;
                self.usual[predicate.0 as usize] |= begins != FALSE && !can_be_false;
            }
        }
    }

    /// The value that a predicate gets where both are possible: that of the beginning, which takes the
    /// fewest steps to reach.
    pub fn usual(&self, predicate: PredicateId) -> bool {
        self.usual[predicate.0 as usize]
    }

    fn enter_template(&mut self, id: TemplateId) {
        let owned: Vec<PredicateId> =
            self.predicates.ids().filter(|&p| self.predicates.get(p).owner == Some(id)).collect();
        let pairs: Vec<(u32, u32)> = owned
            .iter()
            .map(|&p| (self.variable(p, Slot::Now), self.variable(p, Slot::Mover)))
            .collect();
        let gone = self.diagrams.variables(pairs.iter().map(|&(_, mover)| mover));
        let renaming = self.diagrams.renaming(pairs);
        self.to_mover.push(renaming);
        self.mover_variables.push(gone);
        let state = self.transitions.states[id.0 as usize];
        let mut clauses = self.transitions.get(state).abstraction.clauses.clone();
        let common = self.transitions.get(self.transitions.common);
        clauses.extend(common.abstraction.clauses.iter().cloned());
        let state = self.conjunction(&clauses);
        self.states.push(state);
    }

    pub fn variable(&self, predicate: PredicateId, slot: Slot) -> u32 {
        let slot = match slot {
            Slot::Now => 0,
            Slot::Next => 1,
            Slot::Mover => 2,
        };
        self.rank[predicate.0 as usize] * 3 + slot
    }

    pub fn predicate_of(&self, variable: u32) -> PredicateId {
        self.by_rank[variable as usize / 3]
    }

    fn literal_of(&self, variable: u32, positive: bool) -> Literal {
        let slot = [Slot::Now, Slot::Next, Slot::Mover][variable as usize % 3];
        Literal { predicate: self.predicate_of(variable), slot, positive }
    }

    fn conjunction(&mut self, clauses: &[Vec<Literal>]) -> Bdd {
        let mut all = TRUE;
        for clause in clauses {
            let literals: Vec<(u32, bool)> =
                clause.iter().map(|l| (self.variable(l.predicate, l.slot), l.positive)).collect();
            let clause = self.diagrams.clause(&literals);
            all = self.diagrams.and(all, clause);
        }
        all
    }

    /// A region as that of the mover.
    pub fn as_mover(&mut self, template: TemplateId, region: Bdd) -> Bdd {
        self.diagrams.rename(region, self.to_mover[template.0 as usize])
    }

    pub fn mover_variables(&self, template: TemplateId) -> Variables {
        self.mover_variables[template.0 as usize]
    }

    /// The predicates that may change, as the observer sees it.
    pub fn affected(&self, id: TransitionId) -> Vec<PredicateId> {
        let transition = self.transitions.get(id);
        let mut affected = transition.abstraction.affected.clone();
        if let Some(own) = self.own_of_mover(transition) {
            let changed = &self.transitions.get(own).abstraction.affected;
            let common = |p: &&PredicateId| self.predicates.get(**p).owner.is_none();
            affected.extend(changed.iter().filter(common));
        }
        if let Kind::Birth { .. } = transition.kind {
            // Without a state before, nothing is kept but what is common.
            let entry = self.model.template(transition.observer).entry;
            let own = |p: &PredicateId| {
                self.predicates.get(*p).owner == Some(transition.observer)
                    && self.predicates.lives(self.model, *p, entry)
            };
            affected.extend(self.predicates.ids().filter(own));
        }
        affected.sort();
        affected.dedup();
        affected
    }

    /// The mover's own transition for the same step.
    fn own_of_mover(&self, transition: &Transition) -> Option<TransitionId> {
        match (transition.kind, transition.mover) {
            (Kind::Environment { step } | Kind::Birth { step, .. }, Some(mover)) => {
                self.transitions.own.get(&(mover, step)).copied()
            }
            _ => None,
        }
    }

    pub fn relation(&mut self, id: TransitionId) -> Relation {
        if let Some(&known) = self.relations.get(&id) {
            return known;
        }
        let transition = self.transitions.get(id);
        let known = &transition.abstraction;
        let own = self.own_of_mover(transition).map(|own| self.transitions.get(own));
        let impossible = known.impossible || own.is_some_and(|own| own.abstraction.impossible);
        let mut clauses = known.clauses.clone();
        if let (Some(own), Some(mover)) = (own, transition.mover) {
            let seen = |clause: &Vec<Literal>| self.as_seen(clause, mover);
            clauses.extend(own.abstraction.clauses.iter().filter_map(seen));
        }
        if let Some(mover) = transition.mover
            && let Some(&pair) = self.transitions.pairs.get(&(transition.observer, mover))
            && !matches!(transition.kind, Kind::Birth { .. })
        {
            clauses.extend(self.transitions.get(pair).abstraction.clauses.iter().cloned());
        }
        let relation = if impossible { FALSE } else { self.conjunction(&clauses) };
        let affected = self.affected(id);
        let dead = self.dead(transition);
        let gone: Vec<u32> =
            affected.iter().chain(&dead).map(|&p| self.variable(p, Slot::Now)).collect();
        let pairs: Vec<(u32, u32)> = affected
            .iter()
            .map(|&p| (self.variable(p, Slot::Next), self.variable(p, Slot::Now)))
            .collect();
        let relation = Relation {
            relation,
            gone: self.diagrams.variables(gone),
            back: self.diagrams.renaming(pairs),
        };
        self.relations.insert(id, relation);
        relation
    }

    /// The observer's predicates that mean nothing where it stands afterwards.
    fn dead(&self, transition: &Transition) -> Vec<PredicateId> {
        let Some(to) = transition.to else { return Vec::new() };
        let dead = |p: &PredicateId| !self.predicates.lives(self.model, *p, to);
        self.predicates.of(transition.observer).into_iter().filter(dead).collect()
    }

    /// A clause of the mover's own transition, as an observer has it; none where it speaks of the
    /// mover's locals afterwards.
    fn as_seen(&self, clause: &[Literal], mover: TemplateId) -> Option<Vec<Literal>> {
        let seen = |literal: &Literal| {
            let owned = self.predicates.get(literal.predicate).owner == Some(mover);
            match (owned, literal.slot) {
                (true, Slot::Now) => Some(Literal { slot: Slot::Mover, ..*literal }),
                (true, _) => None,
                (false, _) => Some(*literal),
            }
        };
        clause.iter().map(seen).collect()
    }

    /// The image of a region under the observer's own step.
    pub fn image(&mut self, region: Bdd, relation: Relation) -> Bdd {
        let after = self.diagrams.and_exists(region, relation.relation, relation.gone);
        self.diagrams.rename(after, relation.back)
    }

    /// The literals of an element of a region or relation, with a value for each wanted predicate.
    pub fn pick(&self, set: Bdd) -> Option<Vec<Literal>> {
        let wanted = |variable| self.usual(self.predicate_of(variable));
        let picked = self.diagrams.pick(set, wanted)?;
        Some(picked.into_iter().map(|(v, positive)| self.literal_of(v, positive)).collect())
    }

    /// The cube of a thread's bits.
    pub fn cube(&mut self, bits: &Bits, slot: Slot) -> Bdd {
        let literals: Vec<(u32, bool)> =
            bits.iter().map(|&(p, positive)| (self.variable(p, slot), positive)).collect();
        self.diagrams.cube(&literals)
    }

    /// The predicates that mean something for a thread that stands there.
    pub fn tracked(&self, template: TemplateId, at: At) -> Vec<PredicateId> {
        let lives = |p: &PredicateId| self.predicates.lives(self.model, *p, at);
        self.predicates.of(template).into_iter().filter(lives).collect()
    }
}
