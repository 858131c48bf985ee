//! A report as text: the trace, what was found of races, what the engine did, the verdict.

use selvedge_exec::Stop;
use selvedge_verdict::{Measure, Round};

use crate::json::{Answer, Attempt, RacePair, RaceResult, Report};
use crate::layout::render;
use crate::numbers::{counted, grouped};
use crate::page::{Page, Tone};
use crate::retell::{Sources, retell};

impl Answer {
    pub fn tone(self) -> Tone {
        match self {
            Answer::Safe => Tone::Success,
            Answer::Unsafe => Tone::Failure,
            Answer::Unknown => Tone::Heading,
        }
    }
}

impl Report {
    /// All of it for people; the last line is the verdict. `decided` says that engines were tried
    /// until one decided.
    pub fn text(&self, sources: &dyn Sources, page: Page, decided: bool) -> String {
        let mut out = String::new();
        if let Some(trace) = &self.trace {
            out.push_str(&render(&retell(trace, sources), page));
            out.push('\n');
        }
        if let Some(proof) = &self.proof {
            out.push_str(proof);
        }
        out.push_str(&pairs(&self.races));
        if let Some(last) = self.rounds.last() {
            out.push_str(&summary(self.rounds.len(), last));
        }
        for Attempt { engine, reason, seconds, .. } in &self.attempts {
            out.push_str(&format!("{engine}, {seconds:.1} s: {reason}\n"));
        }
        if let Some(engine) = self.engine.as_ref().filter(|_| decided && self.attempts.is_empty()) {
            out.push_str(&format!("decided by {engine}, {:.2} s\n", self.seconds));
        }
        if let Some(hint) = self.hint() {
            out.push_str(&format!("hint: {hint}\n"));
        }
        out.push_str(&format!("{}\n", self.verdict_line(page)));
        out
    }

    pub fn verdict_line(&self, page: Page) -> String {
        let verdict = page.paint(self.verdict.tone(), self.verdict.name());
        format!("verdict: {verdict} ({})", self.reason)
    }

    /// What to try where there is no verdict.
    fn hint(&self) -> Option<&'static str> {
        let wants_time = |attempt: &Attempt| attempt.stop.wants_time();
        match self.stop.as_ref() {
            Some(stop) => hint(stop),
            None if self.attempts.iter().any(wants_time) => Some(MORE_TIME),
            None => None,
        }
    }
}

const MORE_TIME: &str = "`--time SECONDS` gives it longer, `--time 0` as long as it takes";

/// What to try where an engine stopped for this reason.
pub fn hint(stop: &Stop) -> Option<&'static str> {
    match stop {
        Stop::Time { .. } => Some(MORE_TIME),
        Stop::Work { .. } => Some("`--work N` gives it more work"),
        Stop::Memory { .. } => Some("`--memory SIZE` gives it more memory"),
        Stop::Undefined { .. } => {
            Some("`--property memory` reports this as an error, with a trace")
        }
        _ => None,
    }
}

/// Pairs of accesses: those that race or were left open each on a line, and how many do not race.
fn pairs(races: &[RacePair]) -> String {
    let mut out = String::new();
    let (mut proved, mut uncertified) = (0, 0);
    for pair in races {
        let RacePair { first, second, memory, .. } = pair;
        match pair.result {
            RaceResult::Proved => proved += 1,
            RaceResult::Uncertified => uncertified += 1,
            RaceResult::Race => {
                out.push_str(&format!("race: {memory}: {first} and {second}\n"));
            }
            RaceResult::Open => {
                let why = pair.reason.as_deref().unwrap_or("not decided");
                out.push_str(&format!("open: {memory}: {first} and {second}: {why}\n"));
            }
        }
    }
    if proved > 0 {
        let proved = counted(proved, "pair");
        out.push_str(&format!("{proved} of accesses proved not to race\n"));
    }
    if uncertified > 0 {
        let uncertified = counted(uncertified, "other pair");
        out.push_str(&format!("{uncertified} of accesses: no race (without a certificate)\n"));
    }
    out
}

/// What the rounds came to, on a line: `2 rounds, the last: contexts 2, points 9, 0.07 s`.
fn summary(rounds: usize, last: &Round) -> String {
    let shown = |(name, measure): &(_, Measure)| match measure {
        Measure::Count(number) => Some(format!("{name} {}", grouped(*number))),
        Measure::Text(text) => Some(format!("{name} {text}")),
        Measure::Names(_) => None,
    };
    let mut parts: Vec<String> = last.measures.iter().filter_map(shown).collect();
    parts.push(format!("{:.2} s", last.seconds));
    let before = match rounds {
        1 => String::new(),
        n => format!("{}, the last: ", counted(n as u64, "round")),
    };
    format!("{before}{}\n", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use selvedge_verdict::RoundResult;

    use super::*;

    #[test]
    fn rounds_are_summed_up_on_a_line() {
        let round = Round::new(RoundResult::Violation, 0.071)
            .count("states", 1234)
            .names("tracked", vec!["x".into()]);
        assert_eq!(summary(1, &round), "states 1,234, 0.07 s\n");
        assert_eq!(summary(2, &round), "2 rounds, the last: states 1,234, 0.07 s\n");
    }

    #[test]
    fn pairs_that_do_not_race_are_counted() {
        let pair = |result| RacePair {
            first: "a.c:1".into(),
            second: "a.c:2".into(),
            memory: "x".into(),
            result,
            reason: None,
            trace: None,
        };
        let all = [RaceResult::Race, RaceResult::Proved, RaceResult::Proved].map(pair);
        let text = "race: x: a.c:1 and a.c:2\n2 pairs of accesses proved not to race\n";
        assert_eq!(pairs(&all), text);
    }
}
