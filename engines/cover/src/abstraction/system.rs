//! The abstract system: a thread transition system, and what its states and transitions stand for.

use selvedge_certify::tts::{self, Initial, Local, State};
use selvedge_system::{At, Bad, End, TemplateId};

use super::base::Abstraction;

/// An abstract local state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocalState {
    /// Before the beginning.
    Waiting(TemplateId),
    At {
        template: TemplateId,
        at: At,
        /// Which of the predicates that concern it hold.
        holds: Vec<bool>,
    },
    /// Where a passive thread goes that would have blocked a move (Definition 10).
    Sink,
}

/// An abstract shared state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SharedState {
    Beginning,
    Holds(Vec<bool>),
    /// A bad step was taken.
    Wrong,
}

/// What a transition of the abstract system comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    Beginning,
    Step {
        template: TemplateId,
        step: usize,
        /// The local states of the threads that act, before and after: the one that moves, and
        /// those that it starts.
        actors: [Vec<Local>; 2],
    },
}

/// The abstract system as a thread transition system.
#[derive(Clone, Debug)]
pub struct AbstractSystem {
    pub system: tts::System,
    pub initial: Initial,
    pub target: State,
    pub shared: Vec<SharedState>,
    pub locals: Vec<LocalState>,
    /// For each transition of the system.
    pub causes: Vec<Cause>,
}

impl AbstractSystem {
    /// The same without bad steps that violate no property; none if there are no such steps.
    pub fn failures_only(&self, of: &Abstraction) -> Option<AbstractSystem> {
        let kept = |index: usize| matches!(self.bad(index, of), None | Some(Bad::Wrong { .. }));
        let kept: Vec<usize> = (0..self.causes.len()).filter(|&index| kept(index)).collect();
        if kept.len() == self.causes.len() {
            return None;
        }
        let transitions = kept.iter().map(|&index| self.system.transitions[index].clone());
        let system = tts::System { transitions: transitions.collect(), ..self.system };
        let causes = kept.iter().map(|&index| self.causes[index].clone()).collect();
        Some(AbstractSystem { system, causes, ..self.clone() })
    }

    /// The bad step that a transition stands for.
    pub fn bad<'a>(&self, transition: usize, of: &'a Abstraction) -> Option<&'a Bad> {
        let Cause::Step { template, step, .. } = &self.causes[transition] else { return None };
        match of.end(*template, *step) {
            End::Bad(bad) => Some(bad),
            End::To(_) => None,
        }
    }
}
