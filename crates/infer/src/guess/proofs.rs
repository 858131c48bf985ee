//! What the engine `tar` has found: its invariants and assumptions, as candidates.

use selvedge_ir::{Program, Property};
use selvedge_verdict::{Options, Run, Verdict};

use crate::candidate::{Candidate, Site, Why, Word};

/// Asks `tar` for a proof, of assertions and of the absence of races, and takes what it says. No
/// proof is no reason to stop.
pub fn from_tar(program: &Program, run: &mut Run<'_>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for (property, why) in [(Property::Assert, Why::Proof), (Property::Race, Why::Race)] {
        let mut part = run.part(0.5);
        let options = Options::<selvedge_tar::Own>::new(&[property]);
        let Ok(Verdict::Safe(proof)) = selvedge_tar::verify(program, &options, &mut part) else {
            continue;
        };
        let clauses = proof.explanation().map(|explanation| explanation.clauses.as_slice());
        for clause in clauses.unwrap_or_default() {
            let Some((word, text)) = Word::split(clause) else { continue };
            let site = Site::File { near: mentioned(program, text) };
            found.push(Candidate { site, word, text: text.to_owned(), why });
        }
    }
    found
}

/// The variable of which an assumption says that it stays as it is.
pub fn stays_as_it_is(candidate: &Candidate) -> Option<&str> {
    let last = candidate.text.rsplit("==> ").next()?;
    let name = last.split('\'').next()?;
    (candidate.word == Word::EnvAssumption && last == format!("{name}' == {name}")).then_some(name)
}

/// The variables whose names occur in a formula.
pub(super) fn mentioned(program: &Program, text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = text.split(|c: char| !is_word(c)).collect();
    let objects = program.objects.values().map(|object| &object.name);
    objects.filter(|name| words.contains(&name.as_str())).cloned().collect()
}
