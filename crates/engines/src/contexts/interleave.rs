//! From an execution of the sequential program back to an interleaving (and to a trace).
//!
//! What happens in a context comes before what happens in a later one, and within a context the
//! threads act in the order of their slots. So the edges of the path, sorted by context and slot, are
//! an execution of the prepared program. It is run on the concrete semantics edge by edge, which
//! gives the schedule of visible actions; the schedule is then followed on the program as it was
//! lowered. Only what goes wrong there is believed.

use std::time::Instant;

use selvedge_exec::explore::fewer_switches;
use selvedge_exec::replay::record;
use selvedge_exec::trace::{ScheduleEntry, VisibleStep};
use selvedge_exec::{
    Choice, Input, Machine, Options, Oracle, State, StepResult, ThreadId, Trace, Value, Visible,
};
use selvedge_ir::{EdgeId, ProcId, Program, Span, Type};
use selvedge_passes::Prepared;

use crate::sequential::{Origin, Path, SequentialProgram};

/// One edge that a thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub context: u64,
    pub slot: u32,
    pub procedure: ProcId,
    pub edge: EdgeId,
    /// The slot of the thread that it starts.
    pub spawns: Option<u32>,
    /// What it assigns.
    pub value: Option<u64>,
}

/// The trace of an execution that the path stands for, or why it is none.
pub fn interleave(
    program: &Program,
    prepared: &Prepared,
    options: &Options,
    sequential: &SequentialProgram,
    path: &Path,
) -> Result<Trace, String> {
    let events = events(sequential, path);
    let schedule = schedule(&prepared.program, options, &events)?;
    let start = Instant::now();
    let trace = record(program, options, &schedule).map_err(|divergence| divergence.to_string())?;
    match trace.failure() {
        Some(_) => Ok(fewer_switches(program, options, trace, start.elapsed())),
        None => Err(format!("it ends with: {}", trace.outcome)),
    }
}

/// What the threads do, in the order of the interleaving.
pub fn events(sequential: &SequentialProgram, path: &Path) -> Vec<Event> {
    let mut context = 1;
    let mut events = Vec::new();
    for step in &path.steps {
        match sequential.origins.get(&step.edge) {
            Some(Origin::Context { .. }) => context = step.value.unwrap_or(context),
            Some(&Origin::Edge { slot, procedure, edge, spawns }) => {
                let value = step.value;
                events.push(Event { context, slot, procedure, edge, spawns, value });
            }
            None => {}
        }
    }
    // Stable: each thread's own order stays.
    events.sort_by_key(|event| (event.context, event.slot));
    events
}

/// Runs the events on the prepared program, up to the first error.
fn schedule(
    program: &Program,
    options: &Options,
    events: &[Event],
) -> Result<Vec<ScheduleEntry>, String> {
    let machine = Machine::new(program, options.clone());
    let mut state = machine.initial().map_err(|stop| stop.to_string())?;
    let mut names: Vec<Option<ThreadId>> = state.thread_ids().map(Some).collect();
    let mut schedule = Vec::new();
    for event in events {
        let name = names.get(event.slot as usize).copied().flatten();
        let thread = name.ok_or_else(|| format!("slot {} has not started", event.slot))?;
        let known = state.threads.len();
        let result = take(&machine, &mut state, thread, event, &mut schedule)?;
        if let Some(slot) = event.spawns {
            names.resize(names.len().max(slot as usize + 1), None);
            names[slot as usize] = Some(ThreadId::from_index(known));
        }
        match result {
            StepResult::Error(_) => break,
            StepResult::Moved | StepResult::Ended | StepResult::Halted => {}
            StepResult::Blocked(kind) => return Err(format!("{thread} cannot move ({kind:?})")),
            StepResult::Stop(stop) => return Err(stop.to_string()),
        }
    }
    Ok(schedule)
}

/// Lets a thread take the event's edge, whichever of the enabled ones it is.
fn take(
    machine: &Machine<'_>,
    state: &mut State,
    thread: ThreadId,
    event: &Event,
    schedule: &mut Vec<ScheduleEntry>,
) -> Result<StepResult, String> {
    let mut rank = 0;
    loop {
        let mut next = state.clone();
        let mut guide = Guide { rank, value: event.value, ..Guide::default() };
        let result = machine.step(&mut next, thread, &mut guide);
        if guide.edge == Some((event.procedure, event.edge)) {
            *state = next;
            schedule.extend(guide.visible.map(entry));
            return Ok(result);
        }
        rank += 1;
        if rank >= guide.alternatives {
            let (procedure, edge) = (event.procedure, event.edge);
            let at = format!("{procedure} {} edge {}", edge.from, edge.index);
            return match result {
                StepResult::Stop(stop) => Err(stop.to_string()),
                _ => Err(format!("{thread} does not take {at}")),
            };
        }
    }
}

fn entry(visible: Visible) -> ScheduleEntry {
    let bits = |value| if let Value::Int(bits) = value { bits } else { 0 };
    let input = visible.input.map(bits);
    ScheduleEntry {
        thread: visible.thread.0,
        visible: VisibleStep { choice: visible.choice, input },
    }
}

/// Answers with one rank and one value, and watches.
#[derive(Default)]
struct Guide {
    rank: usize,
    value: Option<u64>,
    alternatives: usize,
    edge: Option<(ProcId, EdgeId)>,
    visible: Option<Visible>,
}

impl Oracle for Guide {
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        self.alternatives = n;
        self.rank.min(n - 1)
    }

    fn input(&mut self, _ty: Type, _span: Span) -> Input {
        Input::Bits(self.value.unwrap_or(0))
    }

    fn visible(&mut self, action: Visible) {
        self.visible = Some(action);
    }

    fn edge(&mut self, _thread: ThreadId, procedure: ProcId, edge: EdgeId) {
        self.edge = Some((procedure, edge));
    }
}
