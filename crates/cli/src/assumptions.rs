//! What a SAFE rests on, where that matters for the program at hand.

use selvedge_certify::Assumption as Taken;
use selvedge_ir::{Assumption as Known, Program, Property};
use selvedge_report::{Answer, Assumption, PropertyAnswer, Report};

use crate::sources::place;

/// What the front end and the proof have taken for granted.
pub fn of(program: &Program, proof: &[Taken]) -> Vec<Assumption> {
    let mut all: Vec<Assumption> = Vec::new();
    for assumed in &program.assumed {
        let lines = place(program, assumed.span).into_iter().collect();
        let kind = assumed.what.kind().to_owned();
        add(&mut all, Assumption { kind, text: words(&assumed.what), lines });
    }
    for taken in proof {
        let (kind, text) = (taken.kind().to_owned(), taken.to_string());
        add(&mut all, Assumption { kind, text, lines: Vec::new() });
    }
    all
}

/// What the proofs among some reports rest on.
pub fn of_all(told: &[Report]) -> Vec<Assumption> {
    let mut all = Vec::new();
    let proofs = told.iter().filter(|report| report.verdict == Answer::Safe);
    for assumption in proofs.flat_map(|report| &report.assumptions) {
        add(&mut all, assumption.clone());
    }
    all
}

/// Where a race is not excluded, the proofs of other properties know only its interleavings.
pub fn of_races(answers: &[PropertyAnswer]) -> Option<Assumption> {
    let race = |answer: &&PropertyAnswer| answer.property == Property::Race.name();
    let races = answers.iter().find(race).is_some_and(|answer| answer.verdict != Answer::Safe);
    let proved = answers.iter().any(|answer| answer.verdict == Answer::Safe);
    let text = "accesses that race happen one after the other".to_owned();
    let kind = "races".to_owned();
    (races && proved).then_some(Assumption { kind, text, lines: Vec::new() })
}

/// One entry for each assumption, one mention of each place.
fn add(all: &mut Vec<Assumption>, more: Assumption) {
    match all.iter_mut().find(|known| known.text == more.text) {
        Some(known) => {
            let new = |line: &String| !known.lines.contains(line);
            let new: Vec<String> = more.lines.into_iter().filter(new).collect();
            known.lines.extend(new);
        }
        None => all.push(more),
    }
}

fn words(what: &Known) -> String {
    match what {
        Known::SequentialConsistency => {
            "a memory order that is not a constant is sequentially consistent".to_owned()
        }
        Known::FewArguments => "`main` gets at most eight arguments".to_owned(),
        Known::FewObjects => {
            "callers pass null or one of two objects of each type, zero at the start".to_owned()
        }
        Known::Succeeds(function) => format!("`{function}` does not fail"),
        Known::Havoc(function) => format!(
            "`{function}`, which is not defined, returns any value and changes only what its arguments lead to"
        ),
        Known::Pure(function) => {
            format!("`{function}`, which is not defined, returns any value and changes nothing")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_gathered() {
        let source = "file f0 \"a.c\"; procedure main() { skip; } thread main main;
            assumed succeeds \"malloc\" @f0:3:1; assumed succeeds \"malloc\" @f0:5:2;
            assumed succeeds \"malloc\" @f0:5:9; assumed sequential_consistency @f0:4:1;";
        let program = selvedge_ir::text::parse("test.plato", source).expect("a good program");
        let all = of(&program, &[Taken::UnboundedIntegers]);
        let kinds: Vec<&str> = all.iter().map(|assumption| assumption.kind.as_str()).collect();
        assert_eq!(kinds, ["succeeds", "sequential_consistency", "unbounded_integers"]);
        assert_eq!(all[0].lines, ["a.c:3", "a.c:5"]);
    }
}
