//! A report as text: the trace, what was found of races, what the engine did, the verdict.

use selvedge_exec::{Stop, Trace};
use selvedge_verdict::{Measure, Round};

use crate::json::{
    Answer, Assumption, Attempt, PropertyAnswer, RacePair, RaceResult, Report, Supposing,
};
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
        let mut out = match self.properties.as_slice() {
            [_, _, ..] => self.traces(sources, page),
            _ => self.shown(self.trace.as_ref(), sources, page),
        };
        if let Some(proof) = &self.proof {
            out.push_str(proof);
        }
        out.push_str(&pairs(&self.races));
        out.push_str(&match self.properties.as_slice() {
            several @ [_, _, ..] => lines(several, page) + &self.deciders(decided),
            _ => self.work(decided),
        });
        for assumption in &self.assumptions {
            out.push_str(&assumed(assumption));
        }
        for answer in &self.properties {
            out.push_str(&supposed(answer));
        }
        if let Some(hint) = self.hint() {
            out.push_str(&format!("hint: {hint}\n"));
        }
        out.push_str(&format!("{}\n", self.verdict_line(page)));
        out
    }

    /// A trace for people.
    fn shown(&self, trace: Option<&Trace>, sources: &dyn Sources, page: Page) -> String {
        trace.map_or_else(String::new, |trace| render(&retell(trace, sources), page) + "\n")
    }

    /// Every trace, with the property that it violates where there are several.
    fn traces(&self, sources: &dyn Sources, page: Page) -> String {
        let with: Vec<&PropertyAnswer> =
            self.properties.iter().filter(|answer| answer.trace.is_some()).collect();
        let mut out = String::new();
        for answer in &with {
            if with.len() > 1 {
                let heading = format!("A violation of {}:", answer.property);
                out.push_str(&format!("{}\n\n", page.paint(Tone::Heading, &heading)));
            }
            out.push_str(&self.shown(answer.trace.as_ref(), sources, page));
        }
        out
    }

    /// What the engines did, of one question.
    fn work(&self, decided: bool) -> String {
        let mut out = String::new();
        if let Some(last) = self.rounds.last() {
            out.push_str(&summary(self.rounds.len(), last));
        }
        out.push_str(&attempts("", &self.attempts));
        if let Some(engine) = self.engine.as_ref().filter(|_| decided && self.attempts.is_empty()) {
            out.push_str(&format!("decided by {engine}, {:.2} s\n", self.seconds));
        }
        out
    }

    /// Who decided what there is to know of several properties.
    fn deciders(&self, decided: bool) -> String {
        let settled = self.properties.iter().filter(|answer| answer.verdict != Answer::Unknown);
        let mut names: Vec<&str> = Vec::new();
        for name in settled.filter_map(|answer| answer.engine.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match names.is_empty() || !decided {
            true => String::new(),
            false => format!("decided by {}, {:.2} s\n", names.join(" and "), self.seconds),
        }
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

/// A line for each property, and under it what each engine says where none has decided.
fn lines(properties: &[PropertyAnswer], page: Page) -> String {
    let mut out = String::new();
    for answer in properties {
        let PropertyAnswer { property, verdict, reason, .. } = answer;
        let verdict = page.paint(verdict.tone(), verdict.name());
        out.push_str(&format!("{property}: {verdict} ({reason})\n"));
        if answer.stop.is_none() {
            out.push_str(&attempts("    ", &answer.attempts));
        }
    }
    out
}

fn attempts(indent: &str, attempts: &[Attempt]) -> String {
    let line = |Attempt { engine, reason, seconds, .. }: &Attempt| {
        format!("{indent}{engine}, {seconds:.1} s: {reason}\n")
    };
    attempts.iter().map(line).collect()
}

/// What was proved under an assumption that is not true.
fn supposed(answer: &PropertyAnswer) -> String {
    let Some(Supposing { engine, reason, .. }) = &answer.supposing else { return String::new() };
    let property = &answer.property;
    format!("if integers had no bounds, {property} would hold ({engine}: {reason})\n")
}

/// More places than this say no more.
const SHOWN_PLACES: usize = 5;

/// An assumption on a line, with a few of its places.
fn assumed(Assumption { text, lines, .. }: &Assumption) -> String {
    let shown = lines.iter().take(SHOWN_PLACES).cloned().collect::<Vec<_>>().join(", ");
    let more = match lines.len().saturating_sub(SHOWN_PLACES) {
        0 => String::new(),
        n => format!(" and {}", counted(n as u64, "more place")),
    };
    match lines.is_empty() {
        true => format!("assuming: {text}\n"),
        false => format!("assuming: {text} ({shown}{more})\n"),
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
