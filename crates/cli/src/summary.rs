//! One report of the answers to each property.

use selvedge_report::{Answer, PropertyAnswer, Report};

use crate::auto::AUTO;

/// UNSAFE if anything is, SAFE if all is, else UNKNOWN. What the engines reported comes with it.
pub fn summary(answers: Vec<PropertyAnswer>, told: Vec<Report>) -> Report {
    let verdict = whole(&answers);
    let first = answers.iter().find(|answer| answer.verdict == verdict).cloned();
    let reason = match verdict {
        Answer::Safe => safe_reason(&answers),
        Answer::Unsafe => first.as_ref().map(|answer| answer.reason.clone()).unwrap_or_default(),
        Answer::Unknown => unknown_reason(&answers),
    };
    let mut report = Report { engine: engine(&answers), ..Report::new(verdict, reason) };
    if let Some(first) = first {
        report = Report { stop: first.stop, place: first.place, trace: first.trace, ..report };
        if answers.len() == 1 {
            report.attempts = first.attempts;
        }
    }
    for mut from in told {
        if !from.rounds.is_empty() {
            report.rounds = std::mem::take(&mut from.rounds);
        }
        if !from.races.is_empty() {
            report.races = std::mem::take(&mut from.races);
        }
        report.proof = report.proof.or(from.proof.take());
    }
    Report { properties: answers, ..report }
}

fn whole(answers: &[PropertyAnswer]) -> Answer {
    let is = |verdict| move |answer: &PropertyAnswer| answer.verdict == verdict;
    match () {
        () if answers.iter().any(is(Answer::Unsafe)) => Answer::Unsafe,
        () if !answers.is_empty() && answers.iter().all(is(Answer::Safe)) => Answer::Safe,
        () => Answer::Unknown,
    }
}

/// `assert, race: search complete, 12 states; deadlock: ...`
fn safe_reason(answers: &[PropertyAnswer]) -> String {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for PropertyAnswer { property, reason, .. } in answers {
        match groups.iter_mut().find(|(_, known)| known == reason) {
            Some((names, _)) => names.push(property),
            None => groups.push((vec![property], reason)),
        }
    }
    let group = |(names, reason): &(Vec<&str>, &str)| format!("{}: {reason}", names.join(", "));
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// The first reason, with its property where others have other answers.
fn unknown_reason(answers: &[PropertyAnswer]) -> String {
    let mut unknown = answers.iter().filter(|answer| answer.verdict == Answer::Unknown);
    let Some(first) = unknown.next() else { return String::new() };
    let same = |answer: &PropertyAnswer| answer.reason == first.reason;
    match answers.iter().all(same) {
        true => first.reason.clone(),
        false => format!("{}: {}", first.property, first.reason),
    }
}

/// The engine, where one has answered for all.
fn engine(answers: &[PropertyAnswer]) -> Option<String> {
    let first = answers.first()?.engine.as_ref()?;
    match answers.iter().all(|answer| answer.engine.as_ref() == Some(first)) {
        true => Some(first.clone()),
        false => Some(AUTO.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::Property;

    use super::*;

    fn of(answers: &[(Property, Answer, &str)]) -> (Answer, String) {
        let about = |(property, verdict, reason): &(Property, Answer, &str)| {
            Report::new(*verdict, *reason).about(*property)
        };
        let report = summary(answers.iter().map(about).collect(), Vec::new());
        (report.verdict, report.reason)
    }

    #[test]
    fn the_worst_answer_is_the_whole() {
        use Answer::{Safe, Unknown, Unsafe};
        use Property::{Assert, Memory, Race};
        let all = [(Assert, Safe, "a"), (Race, Safe, "b"), (Memory, Safe, "a")];
        assert_eq!(of(&all), (Safe, "assert, memory: a; race: b".to_owned()));
        let all = [(Assert, Safe, "a"), (Race, Unknown, "b"), (Memory, Unknown, "c")];
        assert_eq!(of(&all), (Unknown, "race: b".to_owned()));
        assert_eq!(of(&all[1..2]), (Unknown, "b".to_owned()));
        let all = [(Assert, Unknown, "a"), (Race, Unsafe, "b"), (Memory, Unsafe, "c")];
        assert_eq!(of(&all), (Unsafe, "b".to_owned()));
        assert_eq!(of(&[]).0, Unknown);
    }
}
