//! Asking the solver whether an unrolled program has a bad execution, and which.

use std::time::Duration;

use selvedge_exec::Stop;
use selvedge_ir::LocalId;
use selvedge_smt::{Answer, Core, Limits, Logic, Model, Op, Solver, Sort, Term, Terms, Value};

use super::options::Options;
use super::program::{Path, Step};
use super::run::Run;
use super::unroll::{Unrolled, Why};

/// What the solver says about the executions of an unrolled program.
pub(super) enum Executions {
    /// One of them is bad.
    Bad(Path),
    /// None is bad, under the assumptions that this needs.
    Good { needs: Vec<LocalId> },
}

/// Whether there is a bad execution within what is unrolled.
pub(super) fn bad_execution(
    unrolled: &Unrolled,
    options: &Options,
    run: &Run,
) -> Result<Executions, Stop> {
    let terms = &unrolled.terms;
    if terms.constant(unrolled.bad) == Some(&Value::Bool(false)) {
        return Ok(Executions::Good { needs: Vec::new() });
    }
    let mut formulas = unrolled.definitions.clone();
    formulas.extend(&unrolled.matches);
    formulas.push(unrolled.bad);
    let assumed: Vec<Term> = unrolled.assumptions.iter().map(|&(_, literal)| literal).collect();
    let mut solver = solver(terms, &formulas, !assumed.is_empty(), &run.limits);
    match solver.check(terms, &assumed) {
        Answer::Sat(model) => Ok(Executions::Bad(path(unrolled, &model))),
        Answer::Unsat(core) => {
            let core = match options.cores {
                None => core.0,
                Some(most) => disjoint(&mut solver, terms, &assumed, core, most),
            };
            let needed = unrolled.assumptions.iter().filter(|(_, l)| core.contains(l));
            Ok(Executions::Good { needs: needed.map(|&(local, _)| local).collect() })
        }
        Answer::Unknown(reason) => Err(run.stop(reason)),
    }
}

/// The assumptions of several proofs, at most so many, none of which needs what another does.
fn disjoint(
    solver: &mut Solver,
    terms: &Terms,
    assumed: &[Term],
    first: Core,
    most: usize,
) -> Vec<Term> {
    let mut needed = solver.minimize(terms, first).0;
    for _ in 1..most {
        let others: Vec<Term> = assumed.iter().copied().filter(|l| !needed.contains(l)).collect();
        let Answer::Unsat(core) = solver.check(terms, &others) else { break };
        let core = solver.minimize(terms, core).0;
        if core.is_empty() {
            break;
        }
        needed.extend(core);
    }
    needed
}

/// What executions leave the part that is unrolled by: one gap of each kind, none if there is no such
/// execution. Where the solver does not know, an execution may.
pub(super) fn gaps(unrolled: &mut Unrolled, run: &Run) -> Vec<Why> {
    let started = run.limits.clock.now();
    let mut open = unrolled.gaps.clone();
    let mut found: Vec<Why> = Vec::new();
    let mut limits = run.limits.clone();
    while !open.is_empty() {
        let conditions: Vec<Term> = open.iter().map(|gap| gap.condition).collect();
        let any = unrolled.terms.or(&conditions);
        let terms = &unrolled.terms;
        let mut formulas = unrolled.definitions.clone();
        formulas.extend(unrolled.assumptions.iter().map(|&(_, literal)| literal));
        formulas.push(any);
        let mut solver = solver(terms, &formulas, false, &limits);
        let hits: Vec<bool> = match solver.check(terms, &[]) {
            Answer::Unsat(_) => break,
            Answer::Sat(model) => {
                let values = model.eval_all(terms, &conditions);
                values.iter().map(|value| *value == Value::Bool(true)).collect()
            }
            Answer::Unknown(_) => {
                open.iter_mut().for_each(|gap| gap.why = gap.why.perhaps());
                vec![true; open.len()]
            }
        };
        let before = found.len();
        for (gap, _) in open.iter().zip(hits).filter(|(_, hit)| *hit) {
            if !found.iter().any(|why| why.kind() == gap.why.kind()) {
                found.push(gap.why);
            }
        }
        if found.len() == before {
            break;
        }
        open.retain(|gap| !found.iter().any(|why| why.kind() == gap.why.kind()));
        // To know more of the ways is worth as much again.
        limits.time = Some(run.limits.clock.now().since(started).max(LEAST));
    }
    found.sort_by_key(|why| why.kind());
    found
}

/// Time for a question that is not the main one.
const LEAST: Duration = Duration::from_millis(500);

/// Parts of conjunctions that are dissolved into one another. Of questions that have more, most of
/// the time would go into that.
const MOST_FLATTENED: usize = 4_000_000;

/// A solver with the formulas, in the narrowest logic that they fit in.
fn solver(terms: &Terms, formulas: &[Term], assumptions: bool, limits: &Limits) -> Solver {
    let mut arrays = false;
    terms.walk(formulas, |term| {
        arrays |= matches!(terms.op(term), Op::Select | Op::Store | Op::ConstArray(_))
            || matches!(terms.sort(term), Sort::Array(_));
    });
    let logic = match arrays {
        true => Logic::QfAbv,
        false if assumptions => Logic::Bits,
        false if terms.flattened(formulas) <= MOST_FLATTENED => Logic::BitsFlat,
        false => Logic::BitsOnce,
    };
    let mut solver = Solver::new(logic, limits.clone());
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    if arrays {
        // After a push, Z3 takes its incremental solver. What it does to prepare single questions
        // takes longer than the rest on formulas as large as these, and no limit stops it.
        solver.push();
    }
    solver
}

/// The execution that a model describes.
fn path(unrolled: &Unrolled, model: &Model) -> Path {
    let terms = &unrolled.terms;
    let ways = || unrolled.copies.iter().flat_map(|copy| &copy.ways);
    let mut wanted: Vec<Term> = ways().map(|way| way.condition).collect();
    wanted.extend(ways().filter_map(|way| way.value));
    wanted.sort_unstable();
    wanted.dedup();
    let values = model.eval_all(terms, &wanted);
    let value = |term: Term| {
        let index = wanted.binary_search(&term).expect("every term of a way is wanted");
        &values[index]
    };
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(way) =
        unrolled.copies[at].ways.iter().find(|way| *value(way.condition) == Value::Bool(true))
    {
        let value = way.value.and_then(|term| bits(value(term)));
        steps.push(Step { edge: way.edge, value, fault: way.fault });
        at = way.to;
    }
    Path { steps }
}

fn bits(value: &Value) -> Option<u64> {
    match value {
        Value::Bool(b) => Some(u64::from(*b)),
        Value::Bv(bits) => Some(bits.bits as u64),
        _ => None,
    }
}
