//! From an execution of the sequential program back to an interleaving (and to a trace).
//!
//! What happens in a context comes before what happens in a later one, and within a context the
//! threads act in the order of their slots. So the edges of the path, sorted by context and slot, are
//! an execution of the prepared program. It is run on the concrete semantics edge by edge, which
//! gives the schedule of visible actions; the schedule is then followed on the program as it was
//! lowered. Only what goes wrong there is believed.

use selvedge_exec::edges::{self, Event};
use selvedge_exec::replay::record;
use selvedge_exec::switches::fewer_switches;
use selvedge_exec::{Options, Trace};
use selvedge_ir::Program;
use selvedge_passes::Prepared;

use super::program::{Origin, Path, SequentialProgram};

/// Whether a path has all that the threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    All,
    /// What makes no difference to the path is left out.
    Some,
}

/// The trace of an execution that the path stands for, or why it is none.
pub fn interleave(
    program: &Program,
    prepared: &Prepared,
    options: &Options,
    sequential: &SequentialProgram,
    path: &Path,
    steps: Steps,
) -> Result<Trace, String> {
    // Slots begin with the threads of the beginning.
    let initial = (0..).map(Some);
    let events = events(sequential, path);
    let schedule = match steps {
        Steps::All => edges::schedule(&prepared.program, options, initial, events)?,
        Steps::Some => edges::schedule_with_gaps(&prepared.program, options, initial, &events)?,
    };
    let trace = record(program, options, &schedule).map_err(|divergence| divergence.to_string())?;
    match trace.failure() {
        Some(_) => Ok(fewer_switches(program, options, trace)),
        None => Err(format!("it ends with: {}", trace.outcome)),
    }
}

/// What the threads do, in the order of the interleaving; a thread is named by its slot.
fn events(sequential: &SequentialProgram, path: &Path) -> Vec<Event<u32>> {
    let mut context = 1;
    let mut events = Vec::new();
    for step in &path.steps {
        match sequential.origins.get(&step.edge) {
            Some(Origin::Context { .. }) => context = step.value.unwrap_or(context),
            Some(&Origin::Edge { slot, procedure, edge, spawns }) => {
                let value = step.value;
                events.push((context, Event { thread: slot, procedure, edge, spawns, value }));
            }
            Some(Origin::Like { .. }) | None => {}
        }
    }
    // Stable: each thread's own order stays.
    events.sort_by_key(|(context, event)| (*context, event.thread));
    events.into_iter().map(|(_, event)| event).collect()
}
