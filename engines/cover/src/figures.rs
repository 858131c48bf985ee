//! What a round came to, for the log and for reports.

use std::time::Duration;

use selvedge_verdict::{Round, RoundResult, Run};

use crate::abstraction::{AbstractSystem, Abstraction};
use crate::coverability::{Coverage, Effort};

/// What is counted in a round.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    begun: Duration,
    predicates: Vec<String>,
    shared: usize,
    locals: usize,
    transitions: usize,
    /// Steps of the run that covers an error.
    steps: Option<usize>,
    /// Elements of the basis, if none is covered.
    basis: Option<usize>,
    pub effort: Effort,
}

impl Figures {
    pub fn begin(run: &Run<'_>) -> Figures {
        Figures { begun: run.elapsed(), ..Figures::default() }
    }

    pub fn explored(&mut self, abstraction: &Abstraction, system: &AbstractSystem) {
        self.predicates = abstraction.predicates.iter().map(|p| p.text.clone()).collect();
        self.shared = system.shared.len();
        self.locals = system.locals.len();
        self.transitions = system.system.transitions.len();
    }

    pub fn covered(&mut self, coverage: &Coverage) {
        match coverage {
            Coverage::Covered(run) => self.steps = Some(run.steps.len()),
            Coverage::NotCovered(basis) => self.basis = Some(basis.elements.len()),
        }
    }

    /// The record of the round.
    pub fn round(self, abstraction: &mut Abstraction, result: RoundResult, run: &Run<'_>) -> Round {
        let seconds = (run.elapsed().saturating_sub(self.begun)).as_secs_f64();
        let count = |number: usize| number as u64;
        let mut round = Round::new(result, seconds)
            .count("shared", count(self.shared))
            .count("locals", count(self.locals))
            .count("transitions", count(self.transitions))
            .count("questions", abstraction.questions)
            .count("elements", self.effort.elements)
            .count("predecessors", self.effort.predecessors)
            .count("depth", self.effort.depth);
        if let Some(steps) = self.steps {
            round = round.count("steps", count(steps));
        }
        if let Some(basis) = self.basis {
            round = round.count("basis", count(basis));
        }
        let notes = std::mem::take(&mut abstraction.notes);
        round.names("predicates", self.predicates).notes(notes)
    }
}
