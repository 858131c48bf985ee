//! Θ (§2): what abstract errors teach.
//!
//! Each error is looked at in turn: its transitions one by one, which gives clauses; the path as a
//! whole, which gives predicates; and where no thread-modular proof excludes it, as an interleaving,
//! which is a violation or says that more must be visible.

use std::time::Duration;

use rustc_hash::FxHashSet;
use selvedge_ir::RegionId;
use selvedge_smt::{Reason, Term};
use selvedge_verdict::{RaceResult, Stop};

use super::abstraction::Feasible;
use super::concrete::{Concretized, FEW_TRIES, MANY_TRIES};
use super::count::{self, Balance, balances};
use super::explicit::{Explicit, exclude};
use super::expose;
use super::interpolants::{Exact, Modular, interpolate};
use super::literal::Literal;
use super::model::Ghost;
use super::path::{Path, relevant};
use super::record::{End, Figures};
use super::transitions::{Kind, TransitionId, Transitions};
use super::{Decision, Tar, unproved};
use selvedge_system::{self as system, Bad, TemplateId};

/// Refinement takes no longer than the abstraction did before, but may always take this.
const ENOUGH: Duration = Duration::from_secs(2);

/// An abstract path to an error, and its transitions with what is true before and after each.
pub struct AbstractError {
    pub path: Path,
    pub transitions: Vec<(TransitionId, Vec<Literal>)>,
}

/// After so many errors one after the other that what was found excludes already, the others can wait.
const NOTHING_NEW: usize = 4;

/// Who would race on what.
type Memory = (TemplateId, Option<TemplateId>, RegionId);

/// What a round has learned so far.
#[derive(Default)]
struct Learned {
    clauses: usize,
    predicates: usize,
    /// Of accesses to the same memory, what excludes one race mostly excludes the others.
    excluded: FxHashSet<Memory>,
    /// How many errors in a row taught nothing that was not found in this round before.
    nothing_new: usize,
}

impl Learned {
    fn any(&self) -> bool {
        self.clauses + self.predicates > 0
    }

    fn end(&self) -> End {
        End::Refined { clauses: self.clauses, predicates: self.predicates }
    }
}

/// What became of one error.
enum Looked {
    Excluded,
    /// No thread-modular proof with the present ghost variables excludes it.
    Possible,
    /// The round is over.
    Over(Option<Decision>),
}

/// Numbers of threads that have become visible.
enum Visible {
    Counts,
    /// Only with fewer threads than there are machine integers do they say anything.
    Few,
}

impl Visible {
    fn decision(&self) -> Option<Decision> {
        match self {
            Visible::Counts => None,
            Visible::Few => Some(Decision::Few),
        }
    }
}

impl Tar<'_> {
    /// Makes the abstraction more precise, or finds that an error is real.
    pub fn refine(
        &mut self,
        errors: &[AbstractError],
        round: &mut Figures,
    ) -> Result<Option<Decision>, Stop> {
        let mut learned = Learned::default();
        let enough = round.time.max(ENOUGH);
        let began = self.now();
        for error in errors {
            // Most others would be excluded by what is found already.
            let is_enough = self.now().since(began) > enough || learned.nothing_new == NOTHING_NEW;
            if learned.any() && is_enough {
                break;
            }
            let memory = self.memory(error.path.goal.transition);
            if memory.is_some_and(|memory| learned.excluded.contains(&memory)) {
                continue;
            }
            let known = (learned.clauses, learned.predicates);
            let looked = self.look_at(error, &mut learned, round)?;
            let is_new = known != (learned.clauses, learned.predicates);
            learned.nothing_new = if is_new { 0 } else { learned.nothing_new + 1 };
            match looked {
                Looked::Excluded => {}
                Looked::Possible => {
                    round.end = learned.end();
                    return self.look_closer(&error.path, round);
                }
                Looked::Over(decision) => return Ok(decision),
            }
        }
        round.end = learned.end();
        let endless = self.predicates.endless(&mut self.model);
        if !endless.is_empty()
            && let Some(visible) = self.count_threads(&endless, round)?
        {
            return Ok(visible.decision());
        }
        if learned.any() {
            return Ok(None);
        }
        let why = unproved("no new predicate excludes an abstract error path");
        self.leave_open(errors[0].path.goal.transition, why, round)
    }

    fn look_at(
        &mut self,
        error: &AbstractError,
        learned: &mut Learned,
        round: &mut Figures,
    ) -> Result<Looked, Stop> {
        let clauses = self.check_each(&error.transitions);
        learned.clauses += clauses;
        if clauses > 0 {
            return Ok(Looked::Excluded);
        }
        let (path, goal) = (&error.path, error.path.goal.transition);
        let explicit = self.exclude(path);
        if !matches!(explicit, Explicit::Excluded(_))
            && let Some(ghost) = expose::contradiction(&self.model, &self.transitions, path)
        {
            self.make_visible(ghost, round)?;
            return Ok(Looked::Over(None));
        }
        let mut modular = match explicit {
            Explicit::Excluded(added) => Modular::Excluded(added),
            Explicit::Possible => Modular::Possible,
            Explicit::Unknown => self.interpolate(path, Exact::No),
        };
        if matches!(modular, Modular::Possible) {
            if let real @ Concretized::Real(_) = self.interleave(path, FEW_TRIES) {
                round.end = learned.end();
                return self.judge(path, real, round).map(Looked::Over);
            }
            modular = self.interpolate(path, Exact::Yes);
        }
        self.learn(goal, modular, learned, round)
    }

    /// Takes note of what a path as a whole has given.
    fn learn(
        &mut self,
        goal: TransitionId,
        modular: Modular,
        learned: &mut Learned,
        round: &mut Figures,
    ) -> Result<Looked, Stop> {
        match modular {
            Modular::Excluded(added) => {
                learned.predicates += added;
                learned.excluded.extend(self.memory(goal).filter(|_| added > 0));
                Ok(Looked::Excluded)
            }
            Modular::Possible => Ok(Looked::Possible),
            Modular::Unknown(reason) => {
                let why = self.stop(reason);
                self.leave_open(goal, why, round).map(Looked::Over)
            }
        }
    }

    fn exclude(&mut self, path: &Path) -> Explicit {
        self.abstraction.queries += 1;
        let Tar { model, predicates, transitions, limits, .. } = self;
        exclude(model, predicates, transitions, path, limits)
    }

    fn interpolate(&mut self, path: &Path, exact: Exact) -> Modular {
        self.abstraction.queries += 1;
        let Tar { model, predicates, transitions, limits, .. } = self;
        interpolate(model, predicates, transitions, path, exact, limits)
    }

    fn interleave(&mut self, path: &Path, tries: usize) -> Concretized {
        let Tar { model, transitions, concrete, limits, .. } = self;
        concrete.interleave(model, transitions, path, tries, limits)
    }

    /// Who would race on what, if that is what a path says.
    fn memory(&self, goal: TransitionId) -> Option<Memory> {
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

    fn bad(&self, goal: TransitionId) -> Option<&Bad> {
        let goal = self.transitions.get(goal);
        let Kind::Bad { step } = goal.kind else { return None };
        match &self.model.step(goal.observer, step).end {
            system::End::Bad(bad) => Some(bad),
            system::End::To(_) => None,
        }
    }

    /// A path that no thread-modular proof excludes: it is real, or more must be visible.
    fn look_closer(&mut self, path: &Path, round: &mut Figures) -> Result<Option<Decision>, Stop> {
        let found = self.interleave(path, FEW_TRIES);
        self.judge(path, found, round)
    }

    /// What to do when a path was looked at as an interleaving.
    fn judge(
        &mut self,
        path: &Path,
        found: Concretized,
        round: &mut Figures,
    ) -> Result<Option<Decision>, Stop> {
        let bad = self.bad(path.goal.transition).cloned();
        match (found, bad) {
            (Concretized::Real(_), Some(Bad::Undefined { what, span })) => {
                Err(Stop::Undefined { what, span })
            }
            (Concretized::Real(_), Some(Bad::Unsupported { what, span })) => {
                Err(Stop::Unsupported { what, span })
            }
            (Concretized::Real(Ok(counterexample)), _) => {
                round.end = End::Violation;
                let race = RaceResult::Race(counterexample.clone());
                let settled = self.settle(path.goal.transition, race);
                Ok((!settled).then_some(Decision::Unsafe(counterexample)))
            }
            (Concretized::Real(Err(what)), _) => {
                let stop = self.concrete.system.unconfirmed(what);
                self.leave_open(path.goal.transition, stop, round)
            }
            (Concretized::None, _) => self.expose(path, round),
            (Concretized::Unknown(Reason::Incomplete(_)), _) => self.expose(path, round),
            (Concretized::Unknown(reason), _) => {
                let why = self.stop(reason);
                self.leave_open(path.goal.transition, why, round)
            }
        }
    }

    /// Gives up on one pair of accesses, where there are others to look at; else on all.
    fn leave_open(
        &mut self,
        goal: TransitionId,
        why: Stop,
        round: &mut Figures,
    ) -> Result<Option<Decision>, Stop> {
        let over = why == self.out_of_budget;
        if over || !self.settle(goal, RaceResult::Open(why.clone())) {
            return Err(why);
        }
        round.end = End::LeftOpen;
        Ok(None)
    }

    /// Says what became of a pair of accesses; false where pairs are not told apart, or it is none.
    pub fn settle(&mut self, goal: TransitionId, result: RaceResult) -> bool {
        match &mut self.pairs {
            Some(pairs) => pairs.settle(&self.model, &self.transitions, goal, result),
            None => false,
        }
    }

    fn expose(&mut self, path: &Path, round: &mut Figures) -> Result<Option<Decision>, Stop> {
        if self.show_changers(path, round)? {
            return Ok(None);
        }
        let about = relevant(&self.model, &self.transitions, path);
        if let Some(visible) = self.count_threads(&about, round)? {
            return Ok(visible.decision());
        }
        let Some(ghost) = expose::next(&self.model, &self.transitions, path) else {
            let found = self.interleave(path, MANY_TRIES);
            if matches!(found, Concretized::Real(_)) {
                return self.judge(path, found, round);
            }
            let why = unproved(
                "no thread-modular proof exists and no violation was found: a proof would relate the \
                 locals of several threads of a pool",
            );
            return self.leave_open(path.goal.transition, why, round);
        };
        self.make_visible(ghost, round)?;
        Ok(None)
    }

    fn make_visible(&mut self, ghost: Ghost, round: &mut Figures) -> Result<(), Stop> {
        self.model.expose(ghost);
        let shown = self.model.shared.last().map(|s| s.name.clone());
        round.end = End::Exposed(shown.unwrap_or_default());
        self.enter_again()
    }

    /// Shows who was the last to change the flags that matter on a path. Says whether that is new.
    fn show_changers(&mut self, path: &Path, round: &mut Figures) -> Result<bool, Stop> {
        let ghosts = expose::changers(&self.model, &self.transitions, path);
        let known = self.model.shared.len();
        for &ghost in &ghosts {
            self.model.expose(ghost);
        }
        for (template, predicate) in expose::changed_last(&mut self.model, &ghosts) {
            self.predicates.add_atoms(&mut self.model, template, predicate);
        }
        if ghosts.is_empty() {
            return Ok(false);
        }
        let names: Vec<&str> =
            self.model.shared[known..].iter().map(|ghost| ghost.name.as_str()).collect();
        round.end = End::Exposed(names.join(", "));
        self.enter_again()?;
        Ok(true)
    }

    /// Counts threads of pools, if there are balances that relate them to these variables. Says what
    /// comes of it, if that is new.
    fn count_threads(
        &mut self,
        about: &FxHashSet<Term>,
        round: &mut Figures,
    ) -> Result<Option<Visible>, Stop> {
        let known = match self.balances.take() {
            Some(known) => known,
            None => balances(&mut self.model, &self.limits),
        };
        let related = |balance: &Balance| balance.is_about(&self.model, about);
        let (found, rest): (Vec<Balance>, Vec<Balance>) = known.into_iter().partition(related);
        self.balances = Some(rest);
        let wraps = found.iter().any(|balance| balance.wraps);
        let variables = found.iter().flat_map(|balance| &balance.variables);
        let variables: Vec<Term> =
            variables.map(|(variable, _)| self.model.shared[*variable].term).collect();
        self.counted.extend(variables);
        let known = self.model.counts.len();
        for (template, predicate) in count::make_visible(&mut self.model, &found) {
            self.predicates.add_atoms(&mut self.model, template, predicate);
        }
        if self.model.counts.len() == known {
            return Ok(None);
        }
        if wraps && !self.model.few {
            round.end = End::Few;
            return Ok(Some(Visible::Few));
        }
        let new = self.model.counts[known..].iter();
        let names: Vec<String> = new.map(|count| format!("%{}", count.name)).collect();
        round.end = End::Exposed(names.join(", "));
        self.enter_again()?;
        Ok(Some(Visible::Counts))
    }

    /// The transitions of the model with a new ghost.
    fn enter_again(&mut self) -> Result<(), Stop> {
        let new = Transitions::of(&mut self.model, &self.limits);
        let new = new.map_err(|reason| self.stop(reason))?;
        let old = std::mem::replace(&mut self.transitions, new);
        self.transitions.inherit(old);
        self.abstraction.forget();
        Ok(())
    }
}
