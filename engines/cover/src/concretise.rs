//! Whether a run of the abstract system is one of the program.

use selvedge_certify::evidence;
use selvedge_ir::{ProcId, Span};
use selvedge_smt::Model;
use selvedge_system::Bad;
use selvedge_system::concretize::{self, Feasibility, Name};
use selvedge_verdict::{Run, Stop, Trace};

use crate::abstraction::{AbstractSystem, Abstraction, Meeting};
use crate::refine::Spurious;
use crate::story::{Story, story};
use crate::subject::{Operation, Subject};

/// What a run of the abstract system is.
pub enum Concrete {
    /// An execution that goes wrong.
    Violation(Box<Trace>),
    /// An execution in which an operation wraps around; the system's terms are wrong behind it.
    Wraps { operation: Option<Operation>, span: Span },
    /// None. Where it ends at an operation that would wrap around, that operation.
    Spurious { run: Box<Spurious>, wrap: Option<Operation> },
}

/// Tells the run as moves of named threads, and asks whether these can happen.
pub fn concretise(
    subject: &Subject<'_>,
    abstraction: &mut Abstraction,
    found: &AbstractSystem,
    path: &evidence::Run,
    run: &Run<'_>,
) -> Result<Concrete, Stop> {
    let defect = || Stop::Unconfirmed { what: "the abstract run has no threads".into() };
    let story = story(found, path).ok_or_else(defect)?;
    let last = path.steps.last().ok_or_else(defect)?.transition as usize;
    let bad = found.bad(last, abstraction).cloned().ok_or_else(defect)?;
    let wrap = wrapping(&bad, last_procedure(abstraction, &story));
    let mut moves = performed(abstraction, &story);
    let system = &mut abstraction.system;
    match concretize::check(system, &moves, abstraction.watch.limits()) {
        Feasibility::Unknown(reason) => Err(abstraction.watch.stop(&reason)),
        Feasibility::Impossible(core) => {
            let run = Box::new(Spurious { story, run: moves, core });
            Ok(Concrete::Spurious { run, wrap })
        }
        Feasibility::Possible(model) => match bad {
            Bad::Wrong { .. } => {
                if meets(abstraction, &story).is_some() {
                    moves.remove();
                }
                trace(subject, abstraction, &moves, &model, run).map(Concrete::Violation)
            }
            Bad::Wrap { span, .. } => Ok(Concrete::Wraps { operation: wrap, span }),
            Bad::Undefined { what, span } => Err(Stop::Undefined { what, span }),
            Bad::Unsupported { what, span } => Err(Stop::Unsupported { what, span }),
        },
    }
}

/// The race that the last move is, with the threads that meet.
fn meets(abstraction: &Abstraction, story: &Story) -> Option<(Meeting, [Name; 2])> {
    let last = story.moves.last()?;
    let meeting = abstraction.meeting(last.thread.template, last.step)?;
    Some((meeting.clone(), [last.thread, *last.starts.first()?]))
}

/// The moves, one after the other. Of threads that meet one may not have moved before.
fn performed(abstraction: &mut Abstraction, story: &Story) -> concretize::Run {
    let race = meets(abstraction, story);
    let system = &mut abstraction.system;
    let mut moves = concretize::Run::new(system, &story.threads);
    let own = story.moves.len() - usize::from(race.is_some());
    let moved = |name: &Name| {
        let moves = &story.moves[..own];
        moves.iter().any(|step| step.thread == *name || step.starts.contains(name))
    };
    for name in race.iter().flat_map(|(_, names)| names) {
        let of = &system.templates[name.template.index()];
        if of.pool && of.initial && !moved(name) {
            moves.stand(system, *name);
        }
    }
    for step in &story.moves[..own] {
        moves.add(system, step.clone());
    }
    if let (Some((meeting, names)), Some(last)) = (race, story.moves.last()) {
        let happens = meeting.happens(system, moves.last(), names);
        moves.meet(last.clone(), happens);
    }
    moves
}

/// The execution that the moves are.
fn trace(
    subject: &Subject<'_>,
    abstraction: &Abstraction,
    moves: &concretize::Run,
    model: &Model,
    run: &Run<'_>,
) -> Result<Box<Trace>, Stop> {
    let machine = selvedge_exec::Options::new(&subject.options.properties);
    let (visible, system) = (subject.promoted.visible(run)?, &abstraction.system);
    let trace =
        concretize::trace(subject.promoted.program, &visible, &machine, system, moves, model);
    trace.map(Box::new).map_err(|what| system.unconfirmed(what))
}

/// The procedure of the thread that moves last.
fn last_procedure(abstraction: &Abstraction, story: &Story) -> Option<ProcId> {
    let last = story.moves.last()?;
    Some(abstraction.system.templates[last.thread.template.index()].procedure)
}

fn wrapping(bad: &Bad, procedure: Option<ProcId>) -> Option<Operation> {
    match bad {
        Bad::Wrap { edge, .. } => procedure.map(|procedure| (procedure, *edge)),
        _ => None,
    }
}
