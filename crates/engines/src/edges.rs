//! Running given edges on the concrete semantics.
//!
//! An engine that has found an execution knows which edges its threads take, in which order and with
//! which inputs, under names of its own for the threads. Taken one by one on the prepared program,
//! they give the schedule of visible actions, which the program as it was lowered can follow.

use std::fmt::Display;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use selvedge_exec::trace::{ScheduleEntry, VisibleStep};
use selvedge_exec::{
    Choice, Input, Machine, Options, Oracle, State, StepResult, ThreadId, Value, Visible,
};
use selvedge_ir::{EdgeId, ProcId, Program, Span, Type};

/// One edge that a thread takes; `N` is what names threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<N> {
    pub thread: N,
    pub procedure: ProcId,
    pub edge: EdgeId,
    /// The thread that it starts.
    pub spawns: Option<N>,
    /// The input that it takes, as bits.
    pub value: Option<u64>,
}

/// Runs the events on the prepared program, up to the first error. `initial` names the threads of
/// the beginning, in their order; what is not needed has no name.
pub fn schedule<N: Copy + Eq + Hash + Display>(
    program: &Program,
    options: &Options,
    initial: impl IntoIterator<Item = Option<N>>,
    events: impl IntoIterator<Item = Event<N>>,
) -> Result<Vec<ScheduleEntry>, String> {
    let machine = Machine::new(program, options.clone());
    let mut state = machine.initial().map_err(|stop| stop.to_string())?;
    let named = initial.into_iter().zip(state.thread_ids());
    let mut names: FxHashMap<N, ThreadId> =
        named.filter_map(|(name, id)| name.map(|name| (name, id))).collect();
    let mut schedule = Vec::new();
    for event in events {
        let thread = names.get(&event.thread).copied();
        let thread = thread.ok_or_else(|| format!("{} has not started", event.thread))?;
        let known = state.threads.len();
        let result = take(&machine, &mut state, thread, &event, &mut schedule)?;
        names.extend(event.spawns.map(|name| (name, ThreadId::from_index(known))));
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
fn take<N>(
    machine: &Machine<'_>,
    state: &mut State,
    thread: ThreadId,
    event: &Event<N>,
    schedule: &mut Vec<ScheduleEntry>,
) -> Result<StepResult, String> {
    let mut rank = 0;
    loop {
        let mut next = state.clone();
        let mut guide = Guide { rank, value: event.value, ..Guide::default() };
        let result = machine.step(&mut next, thread, &mut guide);
        let failed = matches!(result, StepResult::Error(_)) && guide.edge.is_none();
        if failed || guide.edge == Some((event.procedure, event.edge)) {
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
