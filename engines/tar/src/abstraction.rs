//! Predicate abstraction of transitions: clauses over predicates before and after.
//!
//! The abstraction of a transition is a conjunction of clauses that every concrete execution of it
//! satisfies, so it is always an over-approximation, and more clauses make it more precise. First
//! come cheap ones (the Cartesian abstraction, with single literals as reasons): what is unchanged,
//! what becomes constant, what one literal before decides about one literal after. For the
//! environment this starts as the havoc map of §3 of the paper, since a predicate of which nothing
//! is known may become anything. Clauses with more literals are learned where an abstract
//! counterexample needs them ([`Abstraction::learn`]), so the abstraction is exact where it matters.
//! Clauses stay valid when predicates are added: nothing is computed twice.
//!
//! Few predicates depend on what is computed on bits or by division, and then the solver may be
//! long. So this is any number in cheap questions, and exact only where a counterexample depends on
//! it.
//!
//! Work: a question counts [`QUESTION`] units for its terms, besides the solver's own, and
//! [`AGAIN`] to look whether it was asked before.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Core, Limits, Logic, Model as Values, Reason, Replaced, Solver, Term};

use super::literal::{Abstract, Clause, Literal, Slot};
use super::model::Model;
use super::predicates::{PredicateId, Predicates};
use super::question::{Components, Question, Variables};
use super::transitions::{Kind, Transition, TransitionId, Transitions};

/// Units of work for a question: making its terms and reading the values of its answer.
const QUESTION: u64 = 50;

/// Units of work for finding a question among those that were asked.
const AGAIN: u64 = 1;

/// Units of work that the solver may spend on a cheap question, and on one that a counterexample
/// depends on.
const CHEAP: u64 = 50_000;
const DEAR: u64 = 5_000_000;

/// The solver that computes abstractions.
#[derive(Debug)]
pub struct Abstraction {
    solver: Solver,
    /// Those of the run, also while many questions are asked together.
    limits: Limits,
    pub queries: u64,
    /// Literals that a transition was found to be possible with.
    possible: FxHashSet<(TransitionId, Vec<Literal>)>,
    /// What stands for computations on bits and divisions in cheap questions.
    replaced: Replaced,
    /// What cheap questions were answered.
    answers: FxHashMap<Question, Option<Vec<usize>>>,
    variables: Variables,
}

impl Abstraction {
    pub fn new(limits: Limits) -> Abstraction {
        let solver = Solver::new(Logic::All, limits.clone());
        Abstraction {
            solver,
            limits,
            queries: 0,
            possible: FxHashSet::default(),
            replaced: Replaced::default(),
            answers: FxHashMap::default(),
            variables: Variables::default(),
        }
    }

    fn count(&mut self) {
        self.queries += 1;
        self.limits.clock.spend(QUESTION);
    }

    /// Brings every transition up to the predicates there are.
    pub fn update(&mut self, model: &mut Model, predicates: &Predicates, all: &mut Transitions) {
        self.together(|ask, limits| ask.update_all(model, predicates, all, limits));
    }

    /// Many small questions under one watch. The limits say when to stop asking.
    pub fn together<R>(&mut self, work: impl FnOnce(&mut Abstraction, &Limits) -> R) -> Option<R> {
        let limits = self.solver.limits.clone();
        let result = limits.together(|free| {
            self.solver.limits = free.clone();
            work(self, &limits)
        });
        self.solver.limits = limits;
        result.ok()
    }

    fn update_all(
        &mut self,
        model: &mut Model,
        predicates: &Predicates,
        all: &mut Transitions,
        limits: &Limits,
    ) {
        // The environment's part is built from the mover's own step, so that comes first.
        let own = |kind: Kind| {
            matches!(
                kind,
                Kind::Own { .. } | Kind::State | Kind::Common | Kind::Bad { .. } | Kind::Initial
            )
        };
        for first in [true, false] {
            for index in 0..all.list.len() {
                let transition = &all.list[index];
                if own(transition.kind) == first
                    && transition.abstraction.seen < predicates.len()
                    && limits.exceeded().is_none()
                {
                    self.sharpen(model, predicates, all, TransitionId(index as u32));
                }
            }
        }
    }

    fn sharpen(
        &mut self,
        model: &mut Model,
        predicates: &Predicates,
        all: &mut Transitions,
        id: TransitionId,
    ) {
        let mut found = std::mem::take(&mut all.list[id.0 as usize].abstraction);
        if !found.impossible {
            let formulas = Components::default();
            let mut work =
                Work { ask: self, model, predicates, all, id, found: &mut found, formulas };
            work.run();
        }
        found.seen = predicates.len();
        all.list[id.0 as usize].abstraction = found;
    }

    /// Whether the transition can happen with these literals; if not, a clause that says why. The
    /// clause is added to what is known of the transition.
    pub fn learn(
        &mut self,
        model: &mut Model,
        predicates: &Predicates,
        all: &mut Transitions,
        id: TransitionId,
        literals: &[Literal],
    ) -> Feasible {
        let key = (id, literals.to_vec());
        if self.possible.contains(&key) {
            return Feasible::Yes;
        }
        let terms: Vec<Term> =
            literals.iter().map(|&l| all.literal(model, predicates, id, l)).collect();
        let base = all.get(id).base;
        let facts = model.facts(&[terms.as_slice(), &[base]].concat());
        let easy = self.opaque(model, &[base, facts]);
        let easy_terms = self.opaque(model, &terms);
        let mut excluded = self.contradiction(model, &easy, &easy_terms, CHEAP);
        let is_exact = easy_terms == terms && easy == [base, facts];
        let is_settled = matches!(excluded, Ok(Some(_))) || is_exact && excluded.is_ok();
        if !is_settled {
            excluded = self.contradiction(model, &[base, facts], &terms, DEAR);
        }
        match excluded {
            Ok(None) => {
                self.possible.insert(key);
                Feasible::Yes
            }
            Err(_) => Feasible::Unknown,
            Ok(Some(places)) => {
                let clause: Clause = places.iter().map(|&i| literals[i].negated()).collect();
                let known = &mut all.list[id.0 as usize].abstraction;
                known.impossible |= clause.is_empty();
                known.clauses.push(clause);
                Feasible::No
            }
        }
    }

    /// Which of the assumptions contradict the formulas; none if all can hold together.
    fn contradiction(
        &mut self,
        model: &Model,
        formulas: &[Term],
        assumptions: &[Term],
        most: u64,
    ) -> Result<Option<Vec<usize>>, Reason> {
        self.solver.push();
        formulas.iter().for_each(|&formula| self.solver.assert(&model.terms, formula));
        self.count();
        let result = match self.solver.check_within(&model.terms, assumptions, Some(most)) {
            Answer::Sat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
            Answer::Unsat(core) => {
                let Core(core) = self.solver.minimize(&model.terms, core);
                let is_in = |&place: &usize| core.contains(&assumptions[place]);
                Ok(Some((0..assumptions.len()).filter(is_in).collect()))
            }
        };
        self.solver.pop();
        result
    }

    /// The formulas, without computations on bits and divisions.
    fn opaque(&mut self, model: &mut Model, formulas: &[Term]) -> Vec<Term> {
        formulas.iter().map(|&f| model.terms.opaque(f, &mut self.replaced)).collect()
    }

    /// Transitions have other numbers from now on, or another meaning.
    pub fn forget(&mut self) {
        self.possible.clear();
    }

    /// Which of the candidates cannot hold together with the assumptions; none if those cannot
    /// hold at all. Formulas with which they have nothing to do are taken to be possible. What the
    /// solver does not decide, or there is no time for, counts as possible.
    fn impossible(
        &mut self,
        model: &mut Model,
        formulas: &mut Components,
        assumptions: &[Term],
        candidates: &[Term],
    ) -> Option<Vec<usize>> {
        let assumptions = self.opaque(model, assumptions);
        let candidates = self.opaque(model, candidates);
        let own = formulas.touched(&model.terms, &mut self.variables, &assumptions);
        let mut groups: BTreeMap<BTreeSet<u32>, Vec<usize>> = BTreeMap::new();
        groups.insert(own.clone(), Vec::new());
        for (index, &candidate) in candidates.iter().enumerate() {
            let touched = formulas.touched(&model.terms, &mut self.variables, &[candidate]);
            if own.is_empty() || !touched.is_disjoint(&own) {
                groups.entry(&touched | &own).or_default().push(index);
            }
        }
        let mut found = Vec::new();
        for (components, group) in groups {
            let about: Vec<Term> = group.iter().map(|&index| candidates[index]).collect();
            let question = (formulas.conjuncts(&components), assumptions.clone(), about);
            found.extend(self.remembered(model, question)?.into_iter().map(|at| group[at]));
        }
        Some(found)
    }

    fn remembered(&mut self, model: &Model, question: Question) -> Option<Vec<usize>> {
        if question.0.is_empty() && question.1.is_empty() && question.2.is_empty() {
            return Some(Vec::new());
        }
        self.limits.clock.spend(AGAIN);
        if let Some(known) = self.answers.get(&question) {
            return known.clone();
        }
        self.solver.push();
        question.0.iter().for_each(|&formula| self.solver.assert(&model.terms, formula));
        let answer = self.decide(model, &question.1, &question.2);
        self.solver.pop();
        if self.limits.exceeded().is_none() {
            self.answers.insert(question, answer.clone());
        }
        answer
    }

    fn decide(
        &mut self,
        model: &Model,
        assumptions: &[Term],
        candidates: &[Term],
    ) -> Option<Vec<usize>> {
        let mut open: Vec<usize> = (0..candidates.len()).collect();
        let mut found = Vec::new();
        let strike = |open: &mut Vec<usize>, values: &Values| {
            let rest: Vec<Term> = open.iter().map(|&i| candidates[i]).collect();
            let truth = values.eval_all(&model.terms, &rest);
            let mut at = 0;
            open.retain(|_| {
                at += 1;
                truth[at - 1].as_bool() != Some(true)
            });
        };
        match self.check(model, assumptions) {
            Answer::Unsat(_) => return None,
            Answer::Sat(values) => strike(&mut open, &values),
            Answer::Unknown(_) => return Some(Vec::new()),
        }
        while let Some(next) = open.pop()
            && self.limits.exceeded().is_none()
        {
            let with = [assumptions, &[candidates[next]]].concat();
            match self.check(model, &with) {
                Answer::Unsat(_) => found.push(next),
                Answer::Sat(values) => strike(&mut open, &values),
                Answer::Unknown(_) => {}
            }
        }
        Some(found)
    }

    /// A cheap question.
    fn check(&mut self, model: &Model, assumptions: &[Term]) -> Answer {
        self.count();
        self.solver.check_within(&model.terms, assumptions, Some(CHEAP))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasible {
    Yes,
    No,
    Unknown,
}

/// One transition being looked at.
struct Work<'a> {
    ask: &'a mut Abstraction,
    model: &'a mut Model,
    predicates: &'a Predicates,
    all: &'a Transitions,
    id: TransitionId,
    found: &'a mut Abstract,
    /// When it can happen.
    formulas: Components,
}

impl Work<'_> {
    fn transition(&self) -> &Transition {
        self.all.get(self.id)
    }

    fn run(&mut self) {
        let base = self.transition().base;
        let now = self.now();
        let next = self.next();
        if next.is_empty() && self.is_known(&now) {
            return;
        }
        let mut mentioned = vec![base];
        mentioned.extend(self.transition().next.values().copied());
        for slot in [&now, &next] {
            mentioned.extend(slot.iter().map(|&id| self.predicates.get(id).term));
        }
        let facts = self.model.facts(&mentioned);
        let formulas = self.ask.opaque(self.model, &[base, facts]);
        self.formulas = Components::of(&self.model.terms, &mut self.ask.variables, &formulas);
        match self.transition().kind {
            Kind::State | Kind::Pair | Kind::Common => self.pairs(),
            _ => {
                self.before(&now);
                if !self.found.impossible {
                    self.after(&now, &next);
                }
            }
        }
    }

    /// Whether this is a step of another thread of which its own transition says all.
    fn is_known(&self, now: &[PredicateId]) -> bool {
        matches!(self.transition().kind, Kind::Environment { .. })
            && !now.iter().any(|&id| self.is_new(id) && self.predicates.get(id).owner.is_some())
    }

    fn is_new(&self, id: PredicateId) -> bool {
        id.0 as usize >= self.found.seen
    }

    /// The observer's predicates before, that may matter.
    fn now(&self) -> Vec<PredicateId> {
        let transition = self.transition();
        let all = self.predicates.of(transition.observer);
        let lives = |id: &PredicateId| match transition.from {
            Some(at) => self.predicates.lives(self.model, *id, at),
            None => true,
        };
        all.into_iter().filter(lives).collect()
    }

    /// The mover's own predicates before.
    fn mover(&self) -> Vec<PredicateId> {
        let Some(mover) = self.transition().mover else { return Vec::new() };
        let at = self.transition().mover_from;
        let owned = |id: &PredicateId| {
            self.predicates.get(*id).owner == Some(mover)
                && at.is_none_or(|at| self.predicates.lives(self.model, *id, at))
        };
        self.predicates.ids().filter(owned).collect()
    }

    /// The observer's predicates afterwards that may differ. What happens to common ones in a step
    /// of another thread is known from that thread's own transition.
    fn next(&mut self) -> Vec<PredicateId> {
        let transition = self.transition();
        let (observer, to) = (transition.observer, transition.to);
        let own = match transition.kind {
            Kind::Own { .. } => true,
            Kind::Environment { .. } | Kind::Birth { .. } => false,
            _ => return Vec::new(),
        };
        let changes = |id: &PredicateId| {
            let predicate = self.predicates.get(*id);
            (own || predicate.owner.is_some())
                && predicate.variables.iter().any(|v| transition.next.contains_key(v))
                && to.is_none_or(|at| self.predicates.lives(self.model, *id, at))
        };
        self.predicates.of(observer).into_iter().filter(changes).collect()
    }

    /// Literals before that contradict the base.
    fn before(&mut self, now: &[PredicateId]) {
        let own = !matches!(self.transition().kind, Kind::Environment { .. } | Kind::Birth { .. });
        let fresh: Vec<PredicateId> = now
            .iter()
            .copied()
            .filter(|&id| self.is_new(id) && (own || self.predicates.get(id).owner.is_some()))
            .collect();
        let base = self.transition().base;
        let mut candidates = self.candidates(&fresh, Slot::Now, &[base]);
        if matches!(self.transition().kind, Kind::Race { .. }) {
            let fresh: Vec<PredicateId> =
                self.mover().into_iter().filter(|&id| self.is_new(id)).collect();
            candidates.extend(self.candidates(&fresh, Slot::Mover, &[base]));
        }
        if own && self.found.seen == 0 && !self.can_happen() {
            self.found.impossible = true;
        }
        if candidates.is_empty() || self.found.impossible {
            return;
        }
        let terms: Vec<Term> = candidates.iter().map(|(_, term)| *term).collect();
        match self.impossible(&[], &terms) {
            None => self.found.impossible = true,
            Some(found) => {
                let clauses = found.into_iter().map(|i| vec![candidates[i].0.negated()]);
                self.found.clauses.extend(clauses);
            }
        }
    }

    /// Whether each component of the base alone is possible.
    fn can_happen(&mut self) -> bool {
        let each = self.formulas.all().into_iter().map(|component| BTreeSet::from([component]));
        let mut parts = each.chain([BTreeSet::new()]);
        parts.all(|component| {
            let formulas = self.formulas.conjuncts(&component);
            self.ask.remembered(self.model, (formulas, Vec::new(), Vec::new())).is_some()
        })
    }

    fn impossible(&mut self, assumptions: &[Term], candidates: &[Term]) -> Option<Vec<usize>> {
        self.ask.impossible(self.model, &mut self.formulas, assumptions, candidates)
    }

    /// Both literals of each predicate that shares a variable with one of the formulas.
    fn candidates(
        &mut self,
        ids: &[PredicateId],
        slot: Slot,
        about: &[Term],
    ) -> Vec<(Literal, Term)> {
        let mentioned: FxHashSet<Term> = self.model.terms.variables(about).into_iter().collect();
        let mut found = Vec::new();
        for &predicate in ids {
            let positive = Literal { predicate, slot, positive: true };
            let term = self.all.literal(self.model, self.predicates, self.id, positive);
            let touched = self.model.terms.variables(&[term]);
            if touched.iter().any(|v| mentioned.contains(v)) {
                found.push((positive, term));
                found.push((positive.negated(), self.model.terms.not(term)));
            }
        }
        found
    }

    /// What becomes of each predicate.
    fn after(&mut self, now: &[PredicateId], next: &[PredicateId]) {
        for &id in next {
            let after = Literal { predicate: id, slot: Slot::Next, positive: true };
            let value = self.all.literal(self.model, self.predicates, self.id, after);
            if self.is_new(id) && !self.changes(id, value) {
                continue;
            }
            if self.is_new(id) {
                self.found.affected.push(id);
            } else if !self.found.affected.contains(&id) {
                continue;
            }
            if let Some(constant) = self.model.terms.constant(value).and_then(|v| v.as_bool()) {
                if self.is_new(id) {
                    self.found.clauses.push(vec![Literal { positive: constant, ..after }]);
                }
                continue;
            }
            self.reasons(now, id, after, value);
        }
    }

    /// Whether a predicate can have another value afterwards. A local that is new has no old value.
    fn changes(&mut self, id: PredicateId, value: Term) -> bool {
        if matches!(self.transition().kind, Kind::Birth { .. }) {
            return true;
        }
        let now = self.predicates.get(id).term;
        let alive = match self.transition().from {
            Some(at) => self.predicates.lives(self.model, id, at),
            None => true,
        };
        if !alive {
            return true;
        }
        let differs = self.model.terms.xor(now, value);
        if let Some(known) = self.model.terms.constant(differs).and_then(|v| v.as_bool()) {
            return known;
        }
        self.impossible(&[differs], &[]).is_some()
    }

    /// Single literals before that decide a literal afterwards.
    fn reasons(&mut self, now: &[PredicateId], id: PredicateId, after: Literal, value: Term) {
        let new = self.is_new(id);
        let of = |work: &Self, ids: Vec<PredicateId>| -> Vec<PredicateId> {
            ids.into_iter().filter(|&q| new || work.is_new(q)).collect()
        };
        let base = self.transition().base;
        let is_birth = matches!(self.transition().kind, Kind::Birth { .. });
        let now: Vec<PredicateId> = now
            .iter()
            .copied()
            .filter(|&q| !is_birth || self.predicates.get(q).owner.is_none())
            .collect();
        let now = of(self, now);
        let mover = of(self, self.mover());
        let mut candidates = self.candidates(&now, Slot::Now, &[value, base]);
        candidates.extend(self.candidates(&mover, Slot::Mover, &[value, base]));
        if candidates.is_empty() && !new {
            return;
        }
        let terms: Vec<Term> = candidates.iter().map(|(_, term)| *term).collect();
        for positive in [true, false] {
            let literal = Literal { positive, ..after };
            let assumed = if positive { value } else { self.model.terms.not(value) };
            match self.impossible(&[assumed], &terms) {
                None => {
                    self.found.clauses.push(vec![literal.negated()]);
                }
                Some(found) => {
                    for index in found {
                        let clause = vec![candidates[index].0.negated(), literal.negated()];
                        self.found.clauses.push(clause);
                    }
                }
            }
        }
    }

    /// Pairs of literals that contradict each other.
    fn pairs(&mut self) {
        let transition = self.transition();
        let observer = transition.observer;
        let is_common = transition.kind == Kind::Common;
        let (left, right, slot) = match transition.mover {
            None => {
                let all = self.predicates.of(observer);
                (all.clone(), all, Slot::Now)
            }
            Some(_) => {
                let owned = |id: &PredicateId| self.predicates.get(*id).owner == Some(observer);
                (self.predicates.ids().filter(owned).collect(), self.mover(), Slot::Mover)
            }
        };
        for (index, &p) in left.iter().enumerate() {
            let partners: Vec<PredicateId> = match slot {
                Slot::Now => left[..index].to_vec(),
                _ => right.clone(),
            };
            let wanted = |q: &PredicateId| {
                let common = self.predicates.get(p).owner.is_none()
                    && self.predicates.get(*q).owner.is_none();
                (self.is_new(p) || self.is_new(*q)) && common == is_common
            };
            let partners: Vec<PredicateId> = partners.into_iter().filter(wanted).collect();
            self.exclude(p, &partners, slot);
        }
    }

    fn exclude(&mut self, p: PredicateId, partners: &[PredicateId], slot: Slot) {
        let term = self.predicates.get(p).term;
        let candidates = self.candidates(partners, slot, &[term]);
        if candidates.is_empty() {
            return;
        }
        let terms: Vec<Term> = candidates.iter().map(|(_, term)| *term).collect();
        for positive in [true, false] {
            let literal = Literal { predicate: p, slot: Slot::Now, positive };
            let assumed = if positive { term } else { self.model.terms.not(term) };
            match self.impossible(&[assumed], &terms) {
                None => self.found.clauses.push(vec![literal.negated()]),
                Some(found) => {
                    for index in found {
                        let clause = vec![literal.negated(), candidates[index].0.negated()];
                        self.found.clauses.push(clause);
                    }
                }
            }
        }
    }
}
