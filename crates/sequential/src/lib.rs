//! Is a sequential program correct?
//!
//! Bounded ([`check`]): loops are unrolled up to a bound, and the rest becomes one formula that is
//! satisfiable exactly if there is a bad execution within the bound. If there is none, and no
//! execution goes beyond the bound, the program is correct. The bound grows until the program is
//! decided or the limit is reached.
//!
//! By invariants ([`prove`]): a solver of Horn clauses looks for an invariant of each loop. That
//! proves programs correct whose loops have no bound, and finds no bugs ([`horn`]).
//!
//! How memory is represented as terms: `layout` says what both have in common, and what differs.
//!
//! Work, beside the solver's: a copy of a location that is unrolled, and a location inside a Horn
//! clause, each count 10 units.

mod address;
mod alternatives;
mod expr;
mod float;
mod given;
mod guard;
pub mod horn;
pub mod interleave;
mod invariants;
mod layout;
mod memory;
mod options;
mod order;
pub mod program;
mod reads;
mod result;
mod run;
mod single;
mod solve;
mod state;
#[cfg(test)]
mod tests;
mod unroll;

use std::time::Duration;

use selvedge_exec::Stop;
use selvedge_smt::Limits;

pub use given::{Given, Part};
pub use horn::{Certificate, Flaw, Invariant, Rejected, loop_heads};
pub use invariants::{NotUsed, prove_as_given};
pub use options::Options;
pub use program::{Guess, Origin, Path, SequentialProgram, Step};
pub use result::{Argument, Beyond, Bounded, CheckResult, Proof};
pub use run::{Round, Run};
use solve::Executions;
pub use unroll::Bounds;
use unroll::{Failure, Unrolled};

/// The time to check given invariants where nothing else is said.
const GIVEN: Duration = Duration::from_secs(20);

/// Decides the program, with growing bounds.
pub fn check(
    program: &SequentialProgram,
    options: &Options,
    run: &mut Run,
) -> Result<CheckResult, Stop> {
    if let Some(proof) = by_invariants(program, options, run) {
        return Ok(CheckResult::Correct(proof));
    }
    let mut unwind = options.from;
    let mut covered = None;
    loop {
        match within(program, options, unwind, run) {
            Ok(CheckResult::Bounded(bounded)) => {
                let last = options.to.is_some_and(|to| unwind >= to);
                if last || bounded.beyond != Beyond::Unwind {
                    return Ok(CheckResult::Bounded(bounded));
                }
                covered = Some(bounded);
            }
            Ok(decided) => return Ok(decided),
            // What was covered before the time was over is a result.
            Err(stop) => return covered.map(CheckResult::Bounded).ok_or(stop),
        }
        unwind = unwind.saturating_mul(2).max(1);
        unwind = options.to.map_or(unwind, |to| unwind.min(to));
    }
}

/// Proves the program correct by invariants of its loops, if it can within the time.
pub fn prove(program: &SequentialProgram, limits: &Limits, time: Duration) -> Option<Proof> {
    horn::prove(program, limits, time).map(|found| Proof::by_invariants(program, found))
}

/// Tries invariants before any bound, as far as the options want that.
fn by_invariants(program: &SequentialProgram, options: &Options, run: &mut Run) -> Option<Proof> {
    let found = options.invariants.and_then(|time| prove(program, &run.limits, time));
    if found.is_some() || options.given.is_empty() {
        return found;
    }
    let time = options.invariants.unwrap_or(GIVEN);
    let (certificate, rejected) = horn::prove_with(program, &options.given, &run.limits, time);
    run.rejected = rejected;
    certificate.map(|certificate| Proof::by_invariants(program, certificate))
}

/// Decides the program for one bound.
fn within(
    program: &SequentialProgram,
    options: &Options,
    unwind: u32,
    run: &mut Run,
) -> Result<CheckResult, Stop> {
    let started = run.limits.clock.now();
    let usual = Bounds::unwind(unwind);
    let counted = options.counted.unwrap_or(usual.counted);
    let bounds = Bounds { copies: options.copies, counted, ..usual };
    let mut unrolled = unroll::unroll(program, bounds, &run.limits).map_err(|f| stop(f, run))?;
    let unrolling = run.limits.clock.now().since(started);
    let result = decide(&mut unrolled, options, unwind, run);
    run.rounds.push(Round {
        unwind,
        copies: unrolled.copies.len(),
        terms: unrolled.terms.len(),
        unrolling,
        solving: run.limits.clock.now().since(started) - unrolling,
    });
    result
}

fn decide(
    unrolled: &mut Unrolled,
    options: &Options,
    unwind: u32,
    run: &Run,
) -> Result<CheckResult, Stop> {
    let needs = match solve::bad_execution(unrolled, options, run)? {
        Executions::Bad(path) => return Ok(CheckResult::Wrong(path)),
        Executions::Good { needs } => needs,
    };
    let gaps = match options.prove {
        true => solve::gaps(unrolled, run),
        false => unrolled.gaps.first().map(|gap| gap.why).into_iter().collect(),
    };
    let mut ways = gaps.into_iter().map(Beyond::from);
    Ok(match ways.next() {
        None => CheckResult::Correct(Proof { by: Argument::Unwind(unwind), needs }),
        Some(beyond) => {
            CheckResult::Bounded(Bounded { unwind, beyond, also: ways.collect(), needs })
        }
    })
}

fn stop(failure: Failure, run: &Run) -> Stop {
    match failure {
        Failure::Addresses => Stop::TooLarge { what: "more memory objects than addresses".into() },
        Failure::Time => run.out_of_time(),
    }
}
