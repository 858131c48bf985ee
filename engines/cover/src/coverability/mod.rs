//! Can some number of threads cover a state? Backward search over upward-closed sets.
//!
//! The states from which the target can be covered form an upward-closed set, and such a set has
//! finitely many minimal elements: its *basis*. The search starts with the target and adds minimal
//! predecessors until there is nothing new, or until an initial state is met (Abdulla, Čerāns,
//! Jonsson, Tsay, "General decidability theorems for infinite-state systems", 1996; §4 of the paper).
//! Elements above others are dropped, found through an index (`order`); small elements come first,
//! because they drop most. What cannot be reached from the initial states is not followed, as far as
//! that is known from the local states that occur (`forward`) and from the state equation
//! (`equation`).
//!
//! Both answers carry evidence, which is checked before it is given: a run from an initial state, or
//! a basis that is closed under predecessors and misses the initial states.
//!
//! Work: a predecessor counts [`PREDECESSOR`] units.

mod equation;
mod forward;
mod order;
mod path;
mod pre;
mod search;
#[cfg(test)]
mod tests;

use selvedge_certify::evidence::{self, Basis, Unaccepted};
use selvedge_certify::tts::{Initial, State, System};
use selvedge_smt::Reason;
use selvedge_verdict::{Run, Stop};

use forward::Reach;
use search::BackwardSearch;

pub use search::{Effort, PREDECESSOR};

/// Whether a state can be covered, with the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// By this run.
    Covered(evidence::Run),
    /// The minimal elements of all states from which it could be covered.
    NotCovered(Basis),
}

/// Decides whether the target can be covered from the initial states. What that takes is noted also
/// where the budget of the run is used up before.
///
/// A lock that one thread holds at a time: shared state 1 is "taken", local state 1 is "inside".
///
/// ```
/// use selvedge_cover::coverability::{Coverage, Effort, cover};
/// use selvedge_cover::tts::{parse, parse_initial, parse_target};
/// use selvedge_verdict::{Budget, Run};
///
/// let lock = parse("2 2\n0 0 -> 1 1\n1 1 -> 0 0\n").unwrap();
/// let initial = parse_initial("0/0", &lock).unwrap();
/// let run = Run::silent(Budget::work(100_000));
/// let mut ask = |target: &str| {
///     let target = parse_target(target, &lock).unwrap();
///     cover(&lock, &initial, &target, &run, &mut Effort::default()).unwrap()
/// };
/// assert!(matches!(ask("1|1"), Coverage::Covered(run) if run.steps.len() == 1));
/// assert!(matches!(ask("1|1,1"), Coverage::NotCovered(basis) if basis.bounds.len() == 1));
/// ```
pub fn cover(
    system: &System,
    initial: &Initial,
    target: &State,
    run: &Run<'_>,
    effort: &mut Effort,
) -> Result<Coverage, Stop> {
    let reach = Reach::of(system, initial);
    let mut search = BackwardSearch::new(system, initial, reach, run);
    let element = search.covering(target);
    *effort = search.effort;
    let coverage = match element? {
        Some(element) => Coverage::Covered(path::run_from(&search, element)?),
        None => Coverage::NotCovered(search.into_basis()),
    };
    confirm(system, initial, target, &coverage, run)?;
    Ok(coverage)
}

/// Evidence that does not convince its checker is a defect of the search, and no answer.
fn confirm(
    system: &System,
    initial: &Initial,
    target: &State,
    coverage: &Coverage,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let checked = match coverage {
        Coverage::Covered(found) => found.check(system, initial, target).map_err(Unaccepted::Wrong),
        Coverage::NotCovered(basis) => basis.check(system, initial, target, &run.limits(None)),
    };
    checked.map_err(|why| match why {
        Unaccepted::Wrong(what) => Stop::Unconfirmed { what },
        Unaccepted::Unfinished(Reason::Interrupted) => Stop::Interrupted,
        Unaccepted::Unfinished(_) => run.out_of_budget(),
    })
}
