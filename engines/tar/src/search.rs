//! The main loop (§2, Algorithm TAR), for one system.

use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_exec::{Stop, Trace};
use selvedge_ir::{EdgeId, ProcId, RegionId};
use selvedge_smt::{Limits, Reason, Term, Terms};

use super::abstraction::{Abstraction, Feasible};
use super::annotate::{Assumptions, Show};
use super::concrete::{Concrete, Concretized, FEW_TRIES, MANY_TRIES};
use super::count::{self, balances};
use super::derivation::{Derivation, derive};
use super::explicit::{Explicit, exclude};
use super::expose;
use super::model::{Ghost, Model};
use super::pairs::{Pairs, Settled};
use super::predicates::{Predicate, Predicates, seeds};
use super::prepare_model;
use super::proof::Invariants;
use super::reach::Reach;
use super::record::{End, Round};
use super::refine::{Exact, Modular, Path, interpolate};
use super::region::Space;
use super::transitions::{Kind, Literal, TransitionId, Transitions};
use super::wider::Wider;
use selvedge_system::{self, At, Bad, System, TemplateId};

/// Refinements spent on showing that one operation does not wrap around. Counting up to the end of
/// a machine word predicate by predicate leads nowhere.
const WRAP_ROUNDS: u32 = 6;

/// Refinement takes no longer than the abstraction did before, but may always take this.
const ENOUGH: Duration = Duration::from_secs(2);

/// What is known between rounds.
pub struct Tar<'a> {
    pub model: Model,
    predicates: Predicates,
    pub transitions: Transitions,
    abstraction: Abstraction,
    pub concrete: Concrete<'a>,
    /// Executions that are tried beside abstract paths.
    pub wider: Wider,
    pub started: Instant,
    pub limits: Limits,
    /// What became of pairs of accesses, where all are looked at.
    pub pairs: Option<Pairs>,
    /// Whether threads of pools have been counted where that tells something.
    counted: bool,
    /// How often it was tried to show that an operation does not wrap around, and the predicates
    /// found that way.
    attempts: FxHashMap<(ProcId, EdgeId), Attempts>,
    number: u32,
}

#[derive(Clone, Debug, Default)]
struct Attempts {
    count: u32,
    /// Positions among the predicates.
    predicates: Vec<usize>,
}

/// How a search ends.
#[derive(Debug)]
pub enum Outcome {
    Safe(Invariants, Assumptions),
    Unsafe(Box<Trace>),
    /// The search must be repeated with this operation wrapping around.
    Wraps((ProcId, EdgeId)),
}

/// Predicates and ghosts found for a system, to be used for another of the same program.
pub struct Known {
    terms: Terms,
    predicates: Vec<(Option<TemplateId>, Term)>,
    ghosts: Vec<Ghost>,
    counts: Vec<(TemplateId, Vec<At>)>,
}

/// What came of one set of predicates.
enum Reached {
    Proof(Invariants, Assumptions),
    Errors(Vec<AbstractError>),
}

/// An abstract path to an error, and its transitions with what is true before and after each.
struct AbstractError {
    path: Path,
    transitions: Vec<(TransitionId, Vec<Literal>)>,
}

impl<'a> Tar<'a> {
    pub fn new(
        system: System,
        concrete: Concrete<'a>,
        known: Option<Known>,
        pairs: Option<Pairs>,
        limits: Limits,
    ) -> Tar<'a> {
        let mut model = prepare_model(system);
        for &ghost in known.iter().flat_map(|known| &known.ghosts) {
            model.expose(ghost);
        }
        for (id, places) in known.iter().flat_map(|known| &known.counts) {
            model.count(*id, places.clone());
        }
        let counted = !model.counts.is_empty();
        let mut predicates = seeds(&mut model);
        if let Some(known) = known {
            for (owner, term) in known.predicates {
                let term = model.terms.import(&known.terms, term);
                predicates.add(&mut model, owner.unwrap_or(TemplateId(0)), term);
            }
        }
        let transitions = Transitions::of(&mut model);
        let mut pairs = pairs;
        if let Some(pairs) = &mut pairs {
            pairs.enter(&concrete.prepared.program, &model, &transitions);
        }
        Tar {
            model,
            predicates,
            transitions,
            abstraction: Abstraction::new(limits.clone()),
            concrete,
            wider: Wider::default(),
            started: Instant::now(),
            limits,
            pairs,
            counted,
            attempts: FxHashMap::default(),
            number: 0,
        }
    }

    /// What a search with this operation wrapping around begins with. What was found while it was
    /// thought not to do so would be in the way.
    pub fn into_known(self, operation: (ProcId, EdgeId)) -> Known {
        let useless = self.attempts.get(&operation).map(|a| a.predicates.clone());
        let useless: FxHashSet<usize> = useless.into_iter().flatten().collect();
        let list = self.predicates.list.iter().enumerate();
        let list = list.filter(|(position, _)| !useless.contains(position));
        let list = list.map(|(_, p)| (p.owner, p.term)).collect();
        let counts = self.model.counts.into_iter().map(|c| (c.template, c.places)).collect();
        Known { terms: self.model.terms, predicates: list, ghosts: self.model.ghosts, counts }
    }

    /// Questions asked so far.
    pub fn queries(&self) -> u64 {
        self.abstraction.queries
    }

    pub fn predicate_texts(&self) -> Vec<String> {
        let list = self.predicates.list.iter();
        let show = |p: &Predicate| {
            let template = p.owner.unwrap_or(TemplateId(0));
            let text = Show { model: &self.model, template }.term(p.term);
            match p.owner {
                Some(owner) => format!("{}: {text}", self.model.template(owner).name),
                None => text,
            }
        };
        list.map(show).collect()
    }

    /// §2, Algorithm TAR: refine t and empty g while there are errors, otherwise let g grow.
    pub fn run(&mut self, progress: &mut dyn FnMut(&Round)) -> Result<Outcome, Stop> {
        loop {
            let started = Instant::now();
            self.number += 1;
            self.abstraction.update(&mut self.model, &self.predicates, &mut self.transitions);
            let mut round = Round {
                number: self.number,
                inner: 0,
                predicates: self.predicates.len(),
                nodes: 0,
                queries: 0,
                end: End::Nothing,
                found: Vec::new(),
                time: started.elapsed(),
            };
            self.predicates.begin_round();
            let reached = self.reach(&mut round).map_err(stop);
            round.time = started.elapsed();
            let outcome = match reached {
                Ok(Reached::Proof(invariants, assumed)) => {
                    round.end = End::Proof;
                    self.proved(invariants, assumed)
                }
                Ok(Reached::Errors(errors)) => self.refine(&errors, &mut round),
                Err(stop) => Err(stop),
            };
            let outcome = self.after_round(outcome, &mut round);
            round.queries = self.abstraction.queries;
            round.time = started.elapsed();
            round.found = self.predicate_texts().split_off(round.predicates);
            progress(&round);
            if let Some(outcome) = outcome? {
                return Ok(outcome);
            }
        }
    }

    /// Nothing goes wrong but what is known already.
    fn proved(
        &mut self,
        invariants: Invariants,
        assumed: Assumptions,
    ) -> Result<Option<Outcome>, Stop> {
        let Some(pairs) = &mut self.pairs else {
            return Ok(Some(Outcome::Safe(invariants, assumed)));
        };
        pairs.complete = true;
        match pairs.first_trace() {
            // With a trace this is an answer all the same.
            _ if pairs.any_open() => Err(unproved("not every pair of accesses was decided")),
            Some(trace) => Ok(Some(Outcome::Unsafe(trace))),
            None => Ok(Some(Outcome::Safe(invariants, assumed))),
        }
    }

    /// R(t_i || g) with growing g: until there is an error, or g covers all that threads do.
    fn reach(&self, round: &mut Round) -> Result<Reached, Reason> {
        let mut space = Space::new(&self.model, &self.predicates, &self.transitions);
        let mut reach = Reach::new(&mut space);
        loop {
            reach.saturate(&|| self.limits.exceeded())?;
            round.nodes = reach.space.diagrams.len();
            let errors = self.errors(&mut reach);
            if !errors.is_empty() {
                return Ok(Reached::Errors(errors));
            }
            if !reach.weaken_assumptions() {
                let invariants = Invariants::of(&mut reach);
                return Ok(Reached::Proof(invariants, Assumptions::of(&mut reach)));
            }
            round.inner += 1;
        }
    }

    /// Θ: makes the abstraction more precise, or finds that an error is real.
    fn refine(
        &mut self,
        errors: &[AbstractError],
        round: &mut Round,
    ) -> Result<Option<Outcome>, Stop> {
        let (mut clauses, mut predicates) = (0, 0);
        let enough = round.time.max(ENOUGH);
        let mut possible = None;
        // Of accesses to the same memory, what excludes one race mostly excludes the others.
        let mut excluded: FxHashSet<(TemplateId, Option<TemplateId>, RegionId)> =
            FxHashSet::default();
        let begun = Instant::now();
        for error in errors {
            // Most others would be excluded by what is found already.
            if clauses + predicates > 0 && begun.elapsed() > enough {
                break;
            }
            let memory = self.memory(error.path.goal.transition);
            if memory.is_some_and(|memory| excluded.contains(&memory)) {
                continue;
            }
            let learned = self.check_each(&error.transitions);
            clauses += learned;
            if learned > 0 {
                continue;
            }
            let known = self.predicates.len();
            let limits = self.limits.clone();
            let explicit = self.exclude(&error.path, &limits);
            let wrap = self.wrap(error.path.goal.transition);
            if let Some(operation) = wrap
                && !matches!(explicit, Explicit::Excluded(_))
                && self.given_up(operation)
            {
                round.end = End::Wraps;
                return Ok(Some(Outcome::Wraps(operation)));
            }
            if !matches!(explicit, Explicit::Excluded(_))
                && let Some(ghost) =
                    expose::contradiction(&self.model, &self.transitions, &error.path)
            {
                self.make_visible(ghost, round);
                return Ok(None);
            }
            let mut answer = match explicit {
                Explicit::Excluded(added) => Modular::Excluded(added),
                Explicit::Possible => Modular::Possible,
                Explicit::Unknown => self.interpolate(&error.path, Exact::No, &limits),
            };
            if matches!(answer, Modular::Possible) {
                if wrap.is_none()
                    && let found @ Concretized::Real(_) = self.interleave(&error.path, FEW_TRIES)
                {
                    round.end = End::Refined { clauses, predicates };
                    return self.judge(&error.path, found, round);
                }
                answer = self.interpolate(&error.path, Exact::Yes, &limits);
            }
            if let Some(operation) = wrap {
                let attempts = self.attempts.entry(operation).or_default();
                attempts.predicates.extend(known..self.predicates.len());
            }
            match answer {
                Modular::Excluded(added) => {
                    predicates += added;
                    excluded.extend(memory.filter(|_| added > 0));
                }
                Modular::Possible => {
                    possible = Some(error);
                    break;
                }
                Modular::Unknown(reason) => {
                    let goal = error.path.goal.transition;
                    return self.leave_open(goal, stop(reason), round);
                }
            }
        }
        round.end = End::Refined { clauses, predicates };
        match possible {
            Some(error) => self.look_closer(&error.path, round),
            None if clauses + predicates == 0 => {
                let why = unproved("the predicates found so far exclude no more");
                self.leave_open(errors[0].path.goal.transition, why, round)
            }
            None => Ok(None),
        }
    }

    fn exclude(&mut self, path: &Path, limits: &Limits) -> Explicit {
        self.abstraction.queries += 1;
        let Tar { model, predicates, transitions, .. } = self;
        exclude(model, predicates, transitions, path, limits)
    }

    fn interpolate(&mut self, path: &Path, exact: Exact, limits: &Limits) -> Modular {
        self.abstraction.queries += 1;
        let Tar { model, predicates, transitions, .. } = self;
        interpolate(model, predicates, transitions, path, exact, limits)
    }

    fn interleave(&mut self, path: &Path, tries: usize) -> Concretized {
        let Tar { model, transitions, concrete, limits, .. } = self;
        concrete.interleave(model, transitions, path, tries, limits)
    }

    /// Who would race on what, if that is what a path says.
    fn memory(&self, goal: TransitionId) -> Option<(TemplateId, Option<TemplateId>, RegionId)> {
        let goal = self.transitions.get(goal);
        let Kind::Race { own, .. } = goal.kind else { return None };
        let access = &self.model.template(goal.observer).accesses[own as usize];
        Some((goal.observer, goal.mover, access.region))
    }

    /// Each transition alone. Gives the number of clauses learned.
    fn check_each(&mut self, transitions: &[(TransitionId, Vec<Literal>)]) -> usize {
        let Tar { model, predicates, transitions: all, abstraction, .. } = self;
        let learned = abstraction.together(|ask, limits| {
            let is_wrong = |(id, literals): &&(TransitionId, Vec<Literal>)| {
                limits.exceeded().is_none()
                    && ask.learn(model, predicates, all, *id, literals) == Feasible::No
            };
            transitions.iter().filter(is_wrong).count()
        });
        learned.unwrap_or(0)
    }

    /// The operation that a path says to wrap around, if that is what it says.
    fn wrap(&self, goal: TransitionId) -> Option<(ProcId, EdgeId)> {
        match self.bad(goal) {
            Some(Bad::Wrap { edge, .. }) => Some((self.procedure(goal), *edge)),
            _ => None,
        }
    }

    /// Whether too often a path was found on which an operation wraps around.
    fn given_up(&mut self, operation: (ProcId, EdgeId)) -> bool {
        let attempts = self.attempts.entry(operation).or_default();
        attempts.count += 1;
        attempts.count > WRAP_ROUNDS
    }

    fn procedure(&self, goal: TransitionId) -> ProcId {
        self.model.template(self.transitions.get(goal).observer).procedure
    }

    fn bad(&self, goal: TransitionId) -> Option<&Bad> {
        let goal = self.transitions.get(goal);
        let Kind::Bad { step } = goal.kind else { return None };
        match &self.model.step(goal.observer, step).end {
            system::End::Bad(bad) => Some(bad),
            system::End::To(_) => None,
        }
    }

    /// A path that no thread-modular proof excludes: it is real, or more must be visible.
    fn look_closer(&mut self, path: &Path, round: &mut Round) -> Result<Option<Outcome>, Stop> {
        if let Some(operation) = self.wrap(path.goal.transition) {
            round.end = End::Wraps;
            return Ok(Some(Outcome::Wraps(operation)));
        }
        let found = self.interleave(path, FEW_TRIES);
        self.judge(path, found, round)
    }

    /// What to do when a path was looked at as an interleaving.
    fn judge(
        &mut self,
        path: &Path,
        found: Concretized,
        round: &mut Round,
    ) -> Result<Option<Outcome>, Stop> {
        let bad = self.bad(path.goal.transition).cloned();
        match (found, bad) {
            (Concretized::Real(_), Some(Bad::Undefined { what, span })) => {
                Err(Stop::Undefined { what, span })
            }
            (Concretized::Real(_), Some(Bad::Unsupported { what, span })) => {
                Err(Stop::Unsupported { what, span })
            }
            (Concretized::Real(Ok(trace)), _) => {
                round.end = End::Violation;
                let shown = Settled::Shown(trace.clone());
                let goal = path.goal.transition;
                Ok((!self.settle(goal, shown)).then_some(Outcome::Unsafe(trace)))
            }
            (Concretized::Real(Err(what)), _) => {
                let stop = self.concrete.system.unconfirmed(what);
                self.leave_open(path.goal.transition, stop, round)
            }
            (Concretized::None, _) => self.expose(path, round),
            (Concretized::Unknown(Reason::Incomplete(_)), _) => self.expose(path, round),
            (Concretized::Unknown(reason), _) => {
                self.leave_open(path.goal.transition, stop(reason), round)
            }
        }
    }

    /// Gives up on one pair of accesses, where there are others to look at; else on all.
    fn leave_open(
        &mut self,
        goal: TransitionId,
        why: Stop,
        round: &mut Round,
    ) -> Result<Option<Outcome>, Stop> {
        if matches!(why, Stop::Time { .. }) || !self.settle(goal, Settled::Open(why.to_string())) {
            return Err(why);
        }
        round.end = End::LeftOpen;
        Ok(None)
    }

    /// Says what became of a pair of accesses; false where pairs are not told apart, or it is none.
    pub fn settle(&mut self, goal: TransitionId, settled: Settled) -> bool {
        match &mut self.pairs {
            Some(pairs) => pairs.settle(&self.model, &self.transitions, goal, settled),
            None => false,
        }
    }

    /// R intersected with the error states: a path to each error reached.
    fn errors(&self, reach: &mut Reach) -> Vec<AbstractError> {
        let transitions = &self.transitions;
        let settled = |id: TransitionId| {
            self.pairs.as_ref().is_some_and(|p| p.is_settled(&self.model, transitions, id))
        };
        let goals = transitions.bad.iter().chain(&transitions.races).copied();
        let goals = goals.filter(|&goal| !settled(goal));
        let derivations: Vec<Derivation> = goals.filter_map(|goal| derive(reach, goal)).collect();
        derivations
            .iter()
            .map(|error| AbstractError {
                path: Path::of(error),
                transitions: error.transitions(reach),
            })
            .collect()
    }

    fn expose(&mut self, path: &Path, round: &mut Round) -> Result<Option<Outcome>, Stop> {
        if self.count_threads(round) {
            return Ok(None);
        }
        let Some(ghost) = expose::next(&self.model, &self.transitions, path) else {
            let found = self.interleave(path, MANY_TRIES);
            if matches!(found, Concretized::Real(_)) {
                return self.judge(path, found, round);
            }
            let why = unproved(
                "no proof one thread at a time, and no violation: threads of a pool would have to \
                 know of each other's locals",
            );
            return self.leave_open(path.goal.transition, why, round);
        };
        self.make_visible(ghost, round);
        Ok(None)
    }

    fn make_visible(&mut self, ghost: Ghost, round: &mut Round) {
        self.model.expose(ghost);
        let shown = self.model.shared.last().map(|s| s.name.clone());
        round.end = End::Exposed(shown.unwrap_or_default());
        self.enter_again();
    }

    /// Counts threads of pools, if there are balances that speak of them. Says whether that is new.
    fn count_threads(&mut self, round: &mut Round) -> bool {
        if std::mem::replace(&mut self.counted, true) {
            return false;
        }
        let balances = balances(&mut self.model, &self.limits);
        for (template, predicate) in count::make_visible(&mut self.model, &balances) {
            self.predicates.add_atoms(&mut self.model, template, predicate);
        }
        if !self.model.counts.is_empty() {
            let names: Vec<String> =
                self.model.counts.iter().map(|count| format!("%{}", count.name)).collect();
            round.end = End::Exposed(names.join(", "));
            self.enter_again();
        }
        !self.model.counts.is_empty()
    }

    /// The transitions of the model with a new ghost.
    fn enter_again(&mut self) {
        let old = std::mem::replace(&mut self.transitions, Transitions::of(&mut self.model));
        self.transitions.inherit(old);
        self.abstraction.forget();
    }
}

fn stop(reason: Reason) -> Stop {
    match reason {
        Reason::Time | Reason::Interrupted => Stop::Time { limit: Default::default() },
        Reason::Memory => Stop::Bound { what: "the solver ran out of memory".into() },
        other => Stop::Bound { what: other.to_string() },
    }
}

fn unproved(what: &str) -> Stop {
    Stop::Bound { what: what.to_owned() }
}
