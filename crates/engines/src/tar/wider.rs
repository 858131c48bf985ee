//! Races and violations beside the abstract paths.
//!
//! An abstract path names the steps of the threads that go wrong and of those that disturb them. That
//! no interleaving of just these steps happens does not say that there is none of others. So between
//! rounds executions with few switches are tried as well ([`crate::concretize::switches`]), for all
//! that is not decided yet and for a share of the time.

use std::time::{Duration, Instant};

use selvedge_exec::Stop;

use super::pairs::Settled;
use super::record::{End, Round};
use super::search::{Outcome, Tar};
use super::transitions::{Kind, TransitionId};
use crate::concretize::switches::{Goal, Switches};
use crate::system::{self, Bad};

/// One part in so many of the time.
const SHARE: u32 = 8;
/// The share when nothing else is left to do, and what may be spent in any case.
const LAST_SHARE: u32 = 2;
const LAST_TIME: Duration = Duration::from_secs(1);
/// States between two looks at the clock.
const STATES: usize = 50;

/// The search for other executions, and the time it took.
#[derive(Debug, Default)]
pub struct Wider {
    search: Option<Switches>,
    spent: Duration,
}

impl Tar<'_> {
    /// Looks at some more executions after a round.
    pub fn after_round(
        &mut self,
        outcome: Result<Option<Outcome>, Stop>,
        round: &mut Round,
    ) -> Result<Option<Outcome>, Stop> {
        let elapsed = self.started.elapsed();
        match outcome {
            Ok(None) => Ok(self.look_wider(elapsed / SHARE, round)),
            Err(stop @ (Stop::Bound { .. } | Stop::Unconfirmed { .. })) => {
                let found = self.look_wider(elapsed / LAST_SHARE + LAST_TIME, round);
                found.map_or(Err(stop), |found| Ok(Some(found)))
            }
            other => other,
        }
    }

    /// Looks at executions until so much time has been spent on it. Gives a violation, where that
    /// decides all.
    fn look_wider(&mut self, until: Duration, round: &mut Round) -> Option<Outcome> {
        if self.wider.spent >= until {
            return None;
        }
        let began = Instant::now();
        let goals = self.goals();
        let search = self.wider.search.take();
        let system = &mut self.concrete.system;
        let mut search =
            search.unwrap_or_else(|| Switches::new(system, goals.iter().map(|(goal, _)| *goal)));
        let end = began + (until - self.wider.spent);
        let mut outcome = None;
        while outcome.is_none() && Instant::now() < end {
            search
                .keep_goals(&self.concrete.system, |goal| self.transition(&goals, *goal).is_some());
            if search.is_over() || self.limits.exceeded().is_some() {
                break;
            }
            let system = &mut self.concrete.system;
            let Some(hit) = search.go(system, STATES, &self.limits) else { continue };
            let trace = self.concrete.replay(&hit.run, &hit.model);
            match (trace, self.transition(&goals, hit.goal)) {
                (Ok(trace), Some(goal)) => {
                    round.end = End::Violation;
                    let shown = Settled::Shown(trace.clone());
                    outcome = (!self.settle(goal, shown)).then_some(Outcome::Unsafe(trace));
                }
                _ => search.keep_goals(&self.concrete.system, |goal| *goal != hit.goal),
            }
        }
        self.wider.search = Some(search);
        self.wider.spent += began.elapsed();
        outcome
    }

    /// What stands for a goal, if it has not been shown.
    fn transition(&self, goals: &[(Goal, TransitionId)], goal: Goal) -> Option<TransitionId> {
        let id = goals.iter().find(|(known, _)| *known == goal)?.1;
        (!self.is_shown(id)).then_some(id)
    }

    /// What is not decided yet.
    fn goals(&self) -> Vec<(Goal, TransitionId)> {
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
