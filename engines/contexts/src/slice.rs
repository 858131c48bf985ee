//! Field slicing (§3 of the paper): most fields do not matter for a property.
//!
//! A field is a region. What is not tracked has no content: writes do nothing, reads give any value,
//! and there are no scheduling points before them; branches that are only about them are left out
//! (`bypass`). That only adds executions, so a program without violation has none with all fields
//! either. An abstract violation is looked at with all fields that it takes notice of
//! (`concretize`); where it is none, the fields that the proof needs are tracked from then on.
//! Where it is one, it is run, and only if it cannot be, the others are taken into account as well.
//! The paper finds these by leaving out one field after another, with a query each; here the
//! solver's core names them, and only these few are then tried one by one, in the same solver; then
//! the next core is asked for, without the fields of the first.

use selvedge_exec::{Stop, Trace};
use selvedge_ir::RegionId;
use selvedge_passes::Prepared;
use selvedge_sequential::interleave::Steps;
use selvedge_sequential::{CheckResult, Path, Run, SequentialProgram, check};
use selvedge_smt::Limits;

use super::concretize::{Abstract, LeftOut, TakenPath};
use super::plan::Plan;
use super::sequentialize::Translated;

/// An abstract violation may be none for several reasons that have nothing to do with each other.
/// To look for all of them costs little beside the next round.
const CORES: usize = 9;

/// What an abstract violation turns out to be.
pub enum Concrete {
    /// A violation, which has been replayed.
    Real(Box<Trace>),
    /// Infeasible, because of what these fields hold.
    Spurious(Vec<RegionId>),
    /// The time was over before that was known.
    Undecided,
}

/// Runs the execution that a path stands for, or says why it is none.
pub type Replay<'r> = dyn Fn(&SequentialProgram, &Path, Steps) -> Result<Trace, String> + 'r;

/// Fig. 3, lines 9 to 24: whether an abstract violation is one with all fields, and if not, which
/// fields to track beside those tracked already.
pub fn refine(
    prepared: &Prepared,
    plan: &Plan<'_>,
    of: &Abstract<'_>,
    replay: &Replay<'_>,
    limits: &Limits,
) -> Result<Concrete, Stop> {
    let tracked = |region| plan.tracks(region);
    let taken = TakenPath::new(prepared, &plan.bounds, of);
    // What is only written, or read on detours, is seldom the reason.
    let followed = taken.follow(&tracked, LeftOut::Past);
    let mut near = followed.noticed.clone();
    near.extend(prepared.program.regions.keys().filter(|region| tracked(*region)));
    let few = Plan { tracked: Some(&near), ..plan.clone() };
    let optional = near.iter().filter(|region| !tracked(*region)).collect();
    let question = followed.program(prepared, &few, &optional);
    let path = match ask(&question, plan, limits)? {
        Feasibility::Feasible(path) => path,
        Feasibility::Infeasible(fields) => return Ok(Concrete::Spurious(fields)),
    };
    // What it leaves open is seldom an obstacle.
    if let Ok(trace) = replay(&question.sequential, &path, Steps::Some) {
        return Ok(Concrete::Real(Box::new(trace)));
    }
    let all = Plan { tracked: None, ..plan.clone() };
    let optional = prepared.program.regions.keys().filter(|region| !tracked(*region)).collect();
    let question = taken.follow(&tracked, LeftOut::Through).program(prepared, &all, &optional);
    match ask(&question, plan, limits)? {
        Feasibility::Feasible(path) => {
            let trace = replay(&question.sequential, &path, Steps::All);
            let trace = trace.map_err(|what| Stop::Unconfirmed { what })?;
            Ok(Concrete::Real(Box::new(trace)))
        }
        Feasibility::Infeasible(fields) => Ok(Concrete::Spurious(fields)),
    }
}

/// Whether a path can be taken.
enum Feasibility {
    Feasible(Path),
    /// It cannot, because of what these fields hold.
    Infeasible(Vec<RegionId>),
}

/// There are no loops but those that the path's program has left out.
fn ask(question: &Translated, plan: &Plan<'_>, limits: &Limits) -> Result<Feasibility, Stop> {
    let options =
        selvedge_sequential::Options { prove: false, cores: Some(CORES), ..plan.bounds.of_loops() };
    let result = check(&question.sequential, &options, &mut Run::new(limits.clone()))?;
    let needs = match result {
        CheckResult::Wrong(path) => return Ok(Feasibility::Feasible(path)),
        CheckResult::Correct(proof) => proof.needs,
        CheckResult::Bounded(bounded) => bounded.needs,
    };
    let assumptions = question.assumptions.iter();
    let needed = assumptions.filter(|(assumption, _)| needs.contains(assumption));
    Ok(Feasibility::Infeasible(needed.map(|&(_, region)| region).collect()))
}
