//! Running given edges on the concrete semantics.
//!
//! An engine that has found an execution knows which edges its threads take, in which order and with
//! which inputs, under names of its own for the threads. Taken one by one on the prepared program,
//! they give the schedule of visible actions, which the program as it was lowered can follow.

use std::collections::VecDeque;
use std::fmt::Display;
use std::hash::Hash;

use crate::trace::{ScheduleEntry, VisibleStep};
use crate::{Choice, Input, Machine, Options, Oracle, State, StepResult, ThreadId, Value, Visible};
use rustc_hash::FxHashMap;
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
    let mut run = Run::new(program, options, initial)?;
    for event in events {
        if run.event(&event)? == Then::End {
            break;
        }
    }
    Ok(run.schedule)
}

/// Likewise, of events with gaps: how threads come from one to their next is left to the semantics.
/// They go on as far as that as soon as they can.
pub fn schedule_with_gaps<N: Copy + Eq + Hash + Display>(
    program: &Program,
    options: &Options,
    initial: impl IntoIterator<Item = Option<N>>,
    events: &[Event<N>],
) -> Result<Vec<ScheduleEntry>, String> {
    let mut run = Run::new(program, options, initial)?;
    let mut later: FxHashMap<N, VecDeque<&Event<N>>> = FxHashMap::default();
    for event in events {
        later.entry(event.thread).or_default().push_back(event);
    }
    for event in events {
        let mut ended = run.go_on(event)? == Then::End || run.event(event)? == Then::End;
        let own = later.entry(event.thread).or_default();
        own.pop_front();
        if let Some(next) = own.front() {
            ended = ended || run.go_on(next)? == Then::End;
        }
        if ended {
            break;
        }
    }
    Ok(run.schedule)
}

/// Steps between two events; more are taken for an endless loop.
const LONGEST_GAP: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    /// Something went wrong.
    End,
}

struct Run<'p, N> {
    machine: Machine<'p>,
    state: State,
    names: FxHashMap<N, ThreadId>,
    schedule: Vec<ScheduleEntry>,
}

impl<'p, N: Copy + Eq + Hash + Display> Run<'p, N> {
    fn new(
        program: &'p Program,
        options: &Options,
        initial: impl IntoIterator<Item = Option<N>>,
    ) -> Result<Run<'p, N>, String> {
        let machine = Machine::new(program, options.clone());
        let state = machine.initial().map_err(|stop| stop.to_string())?;
        let named = initial.into_iter().zip(state.thread_ids());
        let names = named.filter_map(|(name, id)| name.map(|name| (name, id))).collect();
        Ok(Run { machine, state, names, schedule: Vec::new() })
    }

    fn thread(&self, name: N) -> Result<ThreadId, String> {
        self.names.get(&name).copied().ok_or_else(|| format!("{name} has not started"))
    }

    fn event(&mut self, event: &Event<N>) -> Result<Then, String> {
        let thread = self.thread(event.thread)?;
        let known = self.state.threads.len();
        let result = take(&self.machine, &mut self.state, thread, event, &mut self.schedule)?;
        self.names.extend(event.spawns.map(|name| (name, ThreadId::from_index(known))));
        then(thread, result)
    }

    /// Lets the event's thread go on to where it takes the event's edge.
    fn go_on(&mut self, event: &Event<N>) -> Result<Then, String> {
        let thread = self.thread(event.thread)?;
        for _ in 0..LONGEST_GAP {
            let at = self.state.thread(thread);
            if at.ended() || (at.top().procedure, at.top().at) == (event.procedure, event.edge.from)
            {
                return Ok(Then::GoOn);
            }
            let mut guide = Guide::default();
            let result = self.machine.step(&mut self.state, thread, &mut guide);
            self.schedule.extend(guide.visible.map(entry));
            if then(thread, result)? == Then::End {
                return Ok(Then::End);
            }
        }
        Err(format!("{thread} does not come to {} {}", event.procedure, event.edge.from))
    }
}

fn then(thread: ThreadId, result: StepResult) -> Result<Then, String> {
    match result {
        StepResult::Error(_) => Ok(Then::End),
        StepResult::Moved | StepResult::Ended | StepResult::Halted => Ok(Then::GoOn),
        StepResult::Blocked(kind) => Err(format!("{thread} cannot move ({kind:?})")),
        StepResult::Stop(stop) => Err(stop.to_string()),
    }
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
        visible: VisibleStep { choice: visible.choice, input, older: visible.older },
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
    fn choose(&mut self, n: usize, what: Choice) -> usize {
        // Edges were found under sequential consistency.
        if what == Choice::Older {
            return 0;
        }
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
