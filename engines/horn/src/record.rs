//! Attempts in words and figures: rounds for the log, and the reason for no proof.

use selvedge_clauses::frame::Level;
use selvedge_clauses::linear::Tier;
use selvedge_clauses::reach::{MAX_KEYS, MAX_RULES};
use selvedge_smt::Reason;
use selvedge_system::Bad;
use selvedge_verdict::{Round, RoundResult, Stop};

use crate::attempts::Attempt;
use crate::trial::{Trial, TrialResult};

/// What is being tried, in a few words.
pub fn brief(attempt: &Attempt, wrapping: Option<&str>) -> String {
    let wrapping = wrapping.map_or(String::new(), |lines| format!(", wrapping {lines}"));
    format!("{}{wrapping}, by {}", attempt.level, way(attempt))
}

fn way(attempt: &Attempt) -> &'static str {
    if attempt.guess { "guess" } else { "search" }
}

/// The round of an attempt.
pub fn record(attempt: &Attempt, wrapping: Option<String>, trial: &Trial, seconds: f64) -> Round {
    let mut round = Round::new(round_result(&trial.result), seconds);
    let Level { core, others, facts } = &attempt.level;
    round = round.count("level", *others as u64);
    if !core.is_empty() {
        round = round.count("instances", core.len() as u64);
    }
    round = match facts {
        Tier::Bounded => round,
        Tier::Present => round.text("with", "counts"),
        Tier::Ever => round.text("with", "all counts"),
    };
    if let Some(lines) = wrapping {
        round = round.text("wrapping", lines);
    }
    round = round
        .text("by", way(attempt))
        .count("relations", trial.relations as u64)
        .count("rules", trial.rules as u64);
    match &trial.result {
        TrialResult::Proof(_, time) => {
            round.text("certified", format!("in {:.2} s", time.as_secs_f64()))
        }
        _ => round,
    }
}

fn round_result(result: &TrialResult) -> RoundResult {
    let open = |why: String| RoundResult::Open { why };
    match result {
        TrialResult::Proof(..) => RoundResult::Proof,
        TrialResult::Rejected(why) => RoundResult::Rejected { why: why.clone() },
        TrialResult::Refuted(bad) => {
            open(format!("refuted by {}, without an execution", describe(bad)))
        }
        TrialResult::Happens(Bad::Wrap { span, .. }, _) => {
            open(format!("an operation does wrap around in line {}", span.line))
        }
        TrialResult::Happens(_, Ok(_)) => RoundResult::Violation,
        TrialResult::Happens(bad, Err(why)) => {
            open(format!("{} happens, but does not replay: {why}", describe(bad)))
        }
        TrialResult::Open(Reason::Time | Reason::Interrupted) => RoundResult::OutOfTime,
        TrialResult::Open(reason) => open(reason.to_string()),
        TrialResult::TooLarge => RoundResult::TooLarge,
        TrialResult::Weak(Some(bad)) => open(format!("does not exclude {}", describe(bad))),
        TrialResult::Weak(None) => open("the checker rejects what was guessed".into()),
    }
}

fn describe(bad: &Bad) -> String {
    match bad {
        Bad::Wrong { message, span, .. } => format!("\"{message}\" in line {}", span.line),
        Bad::Undefined { what, span } | Bad::Unsupported { what, span } => {
            format!("\"{what}\" in line {}", span.line)
        }
        Bad::Wrap { span, .. } => format!("a wrap-around in line {}", span.line),
    }
}

/// Why attempts have failed.
#[derive(Debug, Default)]
pub struct Failures {
    /// Some level says too little.
    coarse: bool,
    too_large: bool,
    rejected: Option<String>,
    unknown: Option<Reason>,
}

impl Failures {
    pub fn note(&mut self, result: &TrialResult) {
        match result {
            TrialResult::Refuted(_) | TrialResult::Weak(_) => self.coarse = true,
            TrialResult::TooLarge => self.too_large = true,
            TrialResult::Rejected(why) => self.rejected = Some(why.clone()),
            // With more time it would have been tried again.
            TrialResult::Open(Reason::Time | Reason::Interrupted) => {}
            TrialResult::Open(reason) => self.unknown = Some(reason.clone()),
            TrialResult::Proof(..) | TrialResult::Happens(..) => {}
        }
    }

    /// The reason for no proof when nothing is left to be tried.
    pub fn stop(self) -> Stop {
        match self {
            Failures { rejected: Some(why), .. } => Stop::NotCertified { why },
            Failures { coarse: false, too_large: true, .. } => Stop::TooLarge {
                what: format!("more than {MAX_KEYS} relations or {MAX_RULES} rules at each level"),
            },
            Failures { coarse: false, unknown: Some(reason), .. } => {
                Stop::Solver { reason: reason.to_string() }
            }
            _ => Stop::Refinement { what: "no proof at the levels tried".into() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_the_figures_of_its_attempt() {
        let level = Level { core: vec![0, 2], others: 1, facts: Tier::Present };
        let attempt =
            Attempt { level, modular: true, guess: true, time: None, global: false, seed: 0 };
        let trial = Trial { result: TrialResult::Weak(None), relations: 3, rules: 7 };
        let round = record(&attempt, Some("in line 9".into()), &trial, 0.5);
        assert_eq!(
            round.to_string(),
            "level 1, instances 2, with counts, wrapping in line 9, by guess, relations 3, \
             rules 7: open: the checker rejects what was guessed (0.50 s)"
        );
    }

    #[test]
    fn the_reason_for_no_proof() {
        let stop = |results: &[TrialResult]| {
            let mut failures = Failures::default();
            results.iter().for_each(|result| failures.note(result));
            failures.stop()
        };
        let weak = TrialResult::Weak(None);
        let unknown = || TrialResult::Open(Reason::Memory);
        assert!(matches!(stop(&[weak, unknown()]), Stop::Refinement { .. }));
        assert!(matches!(stop(&[unknown()]), Stop::Solver { .. }));
        assert!(matches!(stop(&[TrialResult::TooLarge, unknown()]), Stop::TooLarge { .. }));
        let rejected = TrialResult::Rejected("why".into());
        assert!(matches!(stop(&[rejected, unknown()]), Stop::NotCertified { .. }));
    }
}
