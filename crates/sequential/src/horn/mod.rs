//! Proofs that a sequential program is correct, however often its loops are passed.
//!
//! Every loop head becomes a relation over the variables that matter there ;
//! what lies between two of them becomes a clause. A solution of the clauses gives each
//! loop an invariant. It counts only after every clause has been checked with it by ordinary
//! questions to a solver.
//!
//! The clauses admit at least what the program can do: content that is not held is anything. So a
//! solution is a proof, but a refutation means nothing; the unrolling finds bugs.
//!
//! Machine integers come as unbounded ones first, with "nothing wraps around" as part of what is
//! proved; where that fails, with explicit wrapping, and in the end as bit-vectors.

mod block;
mod certificate;
mod clauses;
mod given;
mod graph;
mod guess;
mod maps;
mod memory;
mod objects;
mod problem;
mod slots;

use std::collections::BTreeMap;
use std::time::Duration;

use selvedge_ir::LocationId;
use selvedge_smt::Limits;
use selvedge_smt::translate::{Arithmetic, Wrap};

use super::program::SequentialProgram;
pub use certificate::{Certificate, Invariant};
pub(super) use given::prove_with;
pub use given::{Flaw, Rejected};
use graph::Graph;
use problem::Problem;

/// The heads of the loops of a program, where invariants stand.
pub fn loop_heads(program: &SequentialProgram) -> Vec<LocationId> {
    Graph::of(program, &BTreeMap::new()).cuts
}

/// Arithmetics in which the solver of Horn clauses is asked, each with its part of the time.
const ATTEMPTS: [(Arithmetic, f64); 3] = [
    (Arithmetic::Integers(Wrap::Obliged), 0.5),
    (Arithmetic::Integers(Wrap::Modular), 0.25),
    (Arithmetic::Bits, 0.25),
];

/// Proves the program correct within the time, if it can: by guesses first, then by the solver.
pub(super) fn prove(
    program: &SequentialProgram,
    limits: &Limits,
    time: Duration,
) -> Option<Certificate> {
    let started = limits.clock.now();
    let until = |part: f64| {
        let end = started + time.mul_f64(part);
        let deadline = limits.deadline.map_or(end, |deadline| deadline.min(end));
        Limits { deadline: Some(deadline), ..limits.clone() }
    };
    let nothing = BTreeMap::new();
    let mut problems = Vec::new();
    for (arithmetic, share) in ATTEMPTS {
        let Some(mut problem) = Problem::new(program, arithmetic, &nothing, &until(0.5)) else {
            continue;
        };
        if problem.guess(&until(0.5)) {
            return problem.certificate();
        }
        problems.push((problem, share));
    }
    let spent = limits.clock.now().since(started).as_secs_f64() / time.as_secs_f64().max(0.001);
    let mut part = spent.min(1.0);
    for (mut problem, share) in problems {
        part += share * (1.0 - spent).max(0.0);
        if problem.solve(&until(part)) {
            return problem.certificate();
        }
    }
    None
}
