//! What may be true: candidates, read off what the threads do.
//!
//! None of them has to be true. They are of the forms that programs with locks keep (Calvin, §6.3;
//! the lock sets of Savage et al., "Eraser"), and few enough to be checked.

mod atoms;
mod locks;
mod proofs;
mod starts;
mod values;
mod writers;

pub use atoms::from_horn;
pub use proofs::{from_tar, stays_as_it_is};

use crate::candidate::Candidate;
use crate::survey::Survey;

/// Which locks protect memory, and what threads are given.
pub fn locks(survey: &Survey) -> Vec<Candidate> {
    once(locks::candidates(survey).into_iter().chain(starts::candidates(survey)))
}

/// Who else may rely on memory.
pub fn writers(survey: &Survey) -> Vec<Candidate> {
    once(writers::candidates(survey).into_iter())
}

/// What values memory always has.
pub fn values(survey: &Survey) -> Vec<Candidate> {
    once(values::always(survey).into_iter())
}

/// What values it has while nobody is changing it, beside what is known.
pub fn values_between(survey: &Survey, held: &[Candidate]) -> Vec<Candidate> {
    once(values::sometimes(survey, held).into_iter())
}

/// Each once, in their order.
fn once(candidates: impl Iterator<Item = Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let said = |other: &Candidate| {
            (&other.site, other.word, &other.text)
                == (&candidate.site, candidate.word, &candidate.text)
        };
        if !kept.iter().any(said) {
            kept.push(candidate);
        }
    }
    kept
}
