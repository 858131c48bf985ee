//! Assumptions that say less than others: that a variable stays as it is under more conditions than
//! another annotation asks for.

use crate::candidate::{Candidate, Site, Word};
use crate::guess::stays_as_it_is;

/// Takes out what the rest says already.
pub fn drop_implied(kept: &mut Vec<Candidate>) {
    let mut at = 0;
    while at < kept.len() {
        let others = kept.iter().enumerate().filter(|(other, _)| *other != at);
        match others.map(|(_, other)| other).any(|other| implies(other, &kept[at])) {
            true => drop(kept.remove(at)),
            false => at += 1,
        }
    }
}

/// Whether the second follows from the first, as far as their words tell.
fn implies(first: &Candidate, second: &Candidate) -> bool {
    let (Some((one, weaker)), Some((other, stronger))) = (stable(first), stable(second)) else {
        return false;
    };
    second.word == Word::EnvAssumption
        && one == other
        && weaker.iter().all(|condition| stronger.contains(condition))
}

/// The variable that others do not change, and the conditions under which that holds.
fn stable(candidate: &Candidate) -> Option<(&str, Vec<&str>)> {
    let (name, conditions) = match (&candidate.site, candidate.word) {
        (Site::Variable(name), Word::UnwritableByEnvIf) => (name.as_str(), candidate.text.as_str()),
        (_, Word::EnvAssumption) => {
            let conditions = candidate.text.rsplit_once(" ==> ").map_or("", |(before, _)| before);
            (stays_as_it_is(candidate)?, conditions)
        }
        _ => return None,
    };
    let plain = !conditions.contains("||") && !conditions.contains("==>");
    let all = conditions.split(" && ").filter(|condition| !condition.is_empty());
    plain.then(|| (name, all.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Why;

    fn assumption(text: &str) -> Candidate {
        let (site, text) = (Site::File { near: Vec::new() }, text.to_owned());
        Candidate { site, word: Word::EnvAssumption, text, why: Why::Race }
    }

    #[test]
    fn an_assumption_with_more_conditions_goes() {
        let site = Site::Variable("m".to_owned());
        let (word, why) = (Word::UnwritableByEnvIf, Why::Owner);
        let owner = Candidate { site, word, text: "m == \\tid".to_owned(), why };
        let first = assumption("\\runs(f) && m == \\tid ==> m' == m");
        let other = assumption("\\runs(f) && m == \\tid ==> x' == x");
        let either = assumption("\\runs(f) || m == \\tid ==> m' == m");
        let mut kept = vec![first, owner.clone(), other.clone(), either.clone()];
        drop_implied(&mut kept);
        assert_eq!(kept, [owner, other, either]);
    }

    #[test]
    fn of_two_that_say_the_same_one_stays() {
        let both = ["a && b ==> x' == x", "b && a ==> x' == x"].map(assumption);
        let mut kept = both.to_vec();
        drop_implied(&mut kept);
        assert_eq!(kept, both[1..]);
    }
}
