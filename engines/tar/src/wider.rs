//! Executions with few context switches, tried between rounds.
//!
//! An abstract path names the steps of the threads that go wrong and of their environment. That these
//! steps have no interleaving does not exclude other executions. So between rounds executions with few
//! switches are tried as well ([`selvedge_system::concretize::switches`]), for every error that is not
//! decided yet and for a share of the time.

use std::time::Duration;

use rustc_hash::FxHashMap;
use selvedge_verdict::{RaceResult, Stop};

use super::record::{End, Figures};
use super::transitions::{Kind, TransitionId};
use super::{Decision, Tar};
use selvedge_system::concretize::switches::{Goal, Switches};
use selvedge_system::{self as system, Bad};

/// States visited for each question to the solver: that depends on the work alone.
const STATES: u64 = 2;
/// The same when nothing else is left to do, and how many at least.
const LAST_STATES: u64 = 8;
const LEAST_STATES: u64 = 5_000;
/// At most one part in so many of the time, and when nothing else is left.
const SHARE: u32 = 4;
const LAST_SHARE: u32 = 1;
const LEAST_TIME: Duration = Duration::from_millis(200);
/// States between two looks at the clock.
const STRIDE: usize = 50;

/// Other executions, and the time that was spent on them.
#[derive(Debug, Default)]
pub struct Wider {
    executions: Option<Switches>,
    spent: Duration,
}

/// How many states may be looked at, and for how long, all rounds together.
struct Allowed {
    states: usize,
    time: Duration,
}

impl Tar<'_> {
    /// Looks at some more executions after a round.
    pub fn after_round(
        &mut self,
        decision: Result<Option<Decision>, Stop>,
        round: &mut Figures,
    ) -> Result<Option<Decision>, Stop> {
        let (asked, elapsed) = (self.abstraction.queries, self.now().since(self.started));
        match decision {
            Ok(None) => {
                let time = elapsed / SHARE + LEAST_TIME;
                let allowed = Allowed { states: (asked * STATES) as usize, time };
                Ok(self.look_wider(&allowed, round))
            }
            Err(
                stop @ (Stop::Refinement { .. } | Stop::Solver { .. } | Stop::Unconfirmed { .. }),
            ) => {
                let states = (asked * LAST_STATES + LEAST_STATES) as usize;
                let allowed = Allowed { states, time: elapsed / LAST_SHARE + LEAST_TIME };
                let decision = self.look_wider(&allowed, round);
                decision.map_or(Err(stop), |decision| Ok(Some(decision)))
            }
            other => other,
        }
    }

    /// Looks at executions. Gives a violation, where that decides all.
    fn look_wider(&mut self, allowed: &Allowed, round: &mut Figures) -> Option<Decision> {
        let began = self.now();
        let goals = self.goals();
        let system = &mut self.concrete.system;
        let mut executions = match self.wider.executions.take() {
            Some(executions) => executions,
            None => Switches::new(system, goals.keys().copied(), &self.limits),
        };
        executions.keep_goals(system, |goal| goals.contains_key(goal));
        let end = began + allowed.time.saturating_sub(self.wider.spent);
        let mut decision = None;
        while decision.is_none() && self.now() < end && !executions.is_over() {
            let left = allowed.states.saturating_sub(executions.states).min(STRIDE);
            if left == 0 || self.limits.exceeded().is_some() {
                break;
            }
            let system = &mut self.concrete.system;
            let Some(hit) = executions.go(system, left, &self.limits) else { continue };
            executions.keep_goals(system, |goal| *goal != hit.goal);
            let replayed = self.concrete.replay(&hit.run, &hit.model);
            if let (Ok(counterexample), Some(&goal)) = (replayed, goals.get(&hit.goal)) {
                round.end = End::Violation;
                let settled = self.settle(goal, RaceResult::Race(counterexample.clone()));
                decision = (!settled).then_some(Decision::Unsafe(counterexample));
                let open = |goal: &Goal| goals.get(goal).is_some_and(|&id| !self.is_shown(id));
                executions.keep_goals(&self.concrete.system, open);
            }
        }
        self.wider.executions = Some(executions);
        self.wider.spent += self.now().since(began);
        decision
    }

    /// The errors that are not decided yet.
    fn goals(&self) -> FxHashMap<Goal, TransitionId> {
        let transitions = &self.transitions;
        let races = transitions.races.iter().filter_map(|&id| {
            let transition = transitions.get(id);
            let (Kind::Race { own, other }, Some(mover)) = (transition.kind, transition.mover)
            else {
                return None;
            };
            Some((Goal::Race((transition.observer, own), (mover, other)), id))
        });
        let wrong = transitions.bad.iter().filter_map(|&id| {
            let transition = transitions.get(id);
            let Kind::Bad { step } = transition.kind else { return None };
            let end = &self.model.step(transition.observer, step).end;
            let wrong = matches!(end, system::End::Bad(Bad::Wrong { .. }));
            wrong.then_some((Goal::Wrong(transition.observer, step), id))
        });
        races.chain(wrong).filter(|(_, id)| !self.is_shown(*id)).collect()
    }

    fn is_shown(&self, id: TransitionId) -> bool {
        self.pairs.as_ref().is_some_and(|p| p.is_shown(&self.model, &self.transitions, id))
    }
}
