//! Few annotations: what no proof needs is dropped (after Zeller's delta debugging: large parts first).

use selvedge_verdict::{Run, Stop};

use crate::Keep;
use crate::candidate::{Candidate, Why, Word};
use crate::prune::{Held, Pruning};

/// Fewer candidates with which no less of the program is proved. Where the budget ends, what was
/// reached until then.
pub fn minimize(
    mut held: Held,
    keep: Keep,
    pruning: &mut Pruning<'_>,
    run: &mut Run<'_>,
) -> (Held, bool) {
    if keep == Keep::All {
        return (held, true);
    }
    let mut part = held.kept.len().max(1);
    loop {
        let mut from = 0;
        while let Some(chunk) = removable(&held, keep, from, part) {
            match without(&held, &chunk, keep, pruning, run) {
                Ok(Some(smaller)) => held = smaller,
                Ok(None) => from += part,
                Err(_) => return (held, false),
            }
        }
        if part == 1 {
            return (held, true);
        }
        part = part.div_ceil(2);
    }
}

/// The candidates that may go, from one of them on, long formulas first.
fn removable(held: &Held, keep: Keep, from: usize, part: usize) -> Option<Vec<Candidate>> {
    let mut all: Vec<&Candidate> =
        held.kept.iter().filter(|candidate| !stays(candidate, keep)).collect();
    all.sort_by_key(|candidate| (std::cmp::Reverse(candidate.text.len()), candidate.why));
    let chunk: Vec<Candidate> = all.into_iter().skip(from).take(part).cloned().collect();
    (!chunk.is_empty()).then_some(chunk)
}

/// What protects a variable is worth reading whether a proof needs it or not.
fn stays(candidate: &Candidate, keep: Keep) -> bool {
    let protects = match candidate.why {
        Why::Lock => true,
        Why::Race => candidate.word == Word::EnvAssumption,
        _ => false,
    };
    keep == Keep::Protection && protects
}

/// What is left without some of the candidates, and without those that are not proved then; none if
/// something of the program is lost.
fn without(
    held: &Held,
    gone: &[Candidate],
    keep: Keep,
    pruning: &mut Pruning<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Held>, Stop> {
    let rest = held.kept.iter().filter(|candidate| !gone.contains(candidate)).cloned();
    let smaller = pruning.prune(rest.collect(), run)?;
    let lost = held
        .kept
        .iter()
        .any(|candidate| stays(candidate, keep) && !smaller.kept.contains(candidate));
    let as_much = smaller.open.is_subset(&held.open);
    Ok((as_much && !lost).then_some(smaller))
}
