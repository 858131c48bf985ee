//! Running given edges on the concrete semantics.

use rustc_hash::FxHashMap;
use selvedge_exec::replay::record;
use selvedge_exec::trace::{ScheduleEntry, VisibleStep};
use selvedge_exec::{
    Choice, Input, Machine, Options, Oracle, State, StepResult, ThreadId, Trace, Value, Visible,
};
use selvedge_ir::{EdgeId, Multiplicity, ProcId, Program, Span, Type};

use super::{Name, Run};
use crate::system::{System, TemplateId};

/// One edge that a thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: Name,
    pub procedure: ProcId,
    pub edge: EdgeId,
    /// The thread that it starts.
    pub spawns: Option<Name>,
    /// The input that it takes, as bits.
    pub value: Option<u64>,
}

/// The threads of the beginning by name, in the order in which the program has them.
#[derive(Clone, Debug)]
pub struct Threads {
    names: Vec<Option<Name>>,
    /// How many threads stand for any number.
    pub any: u32,
}

impl Threads {
    /// Those that the run needs. An error if the program has not so many.
    pub fn of(program: &Program, system: &System, run: &Run) -> Result<Threads, String> {
        let mut waiting: FxHashMap<TemplateId, Vec<Name>> = FxHashMap::default();
        for name in run.initial(system).into_iter().rev() {
            waiting.entry(name.template).or_default().push(name);
        }
        let longest = waiting.values().map(Vec::len).max().unwrap_or(0);
        let mut threads = Threads { names: Vec::new(), any: longest.max(1) as u32 };
        let mut instances: FxHashMap<ProcId, usize> = FxHashMap::default();
        for thread in &program.threads {
            let count = match thread.count {
                Multiplicity::Exactly(n) => n,
                Multiplicity::Any => threads.any,
            };
            let templates = system.numbered();
            let templates: Vec<_> =
                templates.filter(|(_, t)| t.initial && t.procedure == thread.procedure).collect();
            for _ in 0..count {
                let next = instances.entry(thread.procedure).or_default();
                let mut singles = templates.iter().filter(|(_, t)| !t.pool);
                let pool = || templates.iter().find(|(_, t)| t.pool).map(|(id, _)| *id);
                let name = match singles.nth(*next) {
                    Some((id, _)) => Some(Name::instance(*id)),
                    None => pool().and_then(|id| waiting.get_mut(&id).and_then(Vec::pop)),
                };
                *next += 1;
                threads.names.push(name);
            }
        }
        let left = |id: &TemplateId| system.templates[id.index()].pool;
        match waiting.iter().any(|(id, names)| left(id) && !names.is_empty()) {
            true => Err("there are not so many threads at the beginning".into()),
            false => Ok(threads),
        }
    }
}

/// The trace of the events on the program as it was given, or why they are no execution of it that
/// goes wrong.
pub fn trace(
    program: &Program,
    prepared: &Program,
    options: &Options,
    threads: &Threads,
    events: &[Event],
) -> Result<Trace, String> {
    let schedule = schedule(prepared, options, threads, events)?;
    let trace = record(program, options, &schedule).map_err(|divergence| divergence.to_string())?;
    match trace.failure() {
        Some(_) => Ok(trace),
        None => Err(format!("it ends with: {}", trace.outcome)),
    }
}

/// Runs the events on the prepared program, up to the first error.
pub fn schedule(
    program: &Program,
    options: &Options,
    threads: &Threads,
    events: &[Event],
) -> Result<Vec<ScheduleEntry>, String> {
    let machine = Machine::new(program, options.clone());
    let mut state = machine.initial().map_err(|stop| stop.to_string())?;
    let mut names: FxHashMap<Name, ThreadId> = FxHashMap::default();
    for (name, id) in threads.names.iter().zip(state.thread_ids()) {
        names.extend(name.map(|name| (name, id)));
    }
    let mut schedule = Vec::new();
    for event in events {
        let thread = names.get(&event.thread).copied();
        let thread = thread.ok_or_else(|| format!("{} has not started", event.thread))?;
        let known = state.threads.len();
        let result = take(&machine, &mut state, thread, event, &mut schedule)?;
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
