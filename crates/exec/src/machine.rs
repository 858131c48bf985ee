//! The machine: what each action does to a state.

mod access;
mod block;
mod deadlock;
pub(crate) mod eval;
mod future;
mod ordered;
mod step;
mod symbolic;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};

use selvedge_ir::{
    Const, Grain, Int, Multiplicity, Object, ObjectId, ProcId, Program, Property, Span, Type,
};

use crate::code::{Act, Code, Home, constant, int_of, zero};
use crate::memory::{Cell, Fill, HeapObject, Origin};
use crate::state::{Frame, State, Thread};
use crate::stop::Stop;
use crate::value::{ThreadId, Value};
use crate::violation::Violation;
use future::Futures;

/// What to check, and the limits of one step.
#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    /// An open input is tried value by value if it has at most this many.
    pub enumerate: u64,
    /// How many threads stand for "any number" at the start; without it, that is a [`Stop`].
    pub any_threads: Option<u32>,
    /// Actions that a thread may do before another can run.
    pub action_limit: u64,
    pub call_depth: u32,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            enumerate: 256,
            any_threads: None,
            action_limit: 10_000_000,
            call_depth: 2_000,
        }
    }

    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// The result of letting a thread act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepResult {
    Moved,
    /// The thread has ended.
    Ended,
    /// The program has ended.
    Halted,
    /// The state is as before, but for intervals of symbols: the thread is blocked for the inputs
    /// that are left. Where deadlocks are checked, and an interval has become smaller, this is a
    /// state of its own.
    Blocked(BlockKind),
    /// The state must not be used any more; likewise with `Stop`.
    Error(Box<Violation>),
    Stop(Box<Stop>),
}

/// Why a thread cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// An assumption does not hold: the execution is excluded.
    Assume,
    /// An atomic block loops for ever.
    Loop,
    Lock,
    Wait,
    Join,
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockKind::Assume => "an assumption does not hold",
            BlockKind::Loop => "its atomic block never ends",
            BlockKind::Lock => "it waits for a lock",
            BlockKind::Wait => "it waits for a condition",
            BlockKind::Join => "it waits for a thread to end",
        })
    }
}

impl BlockKind {
    /// Counts as waiting, for deadlocks.
    pub fn waits(self) -> bool {
        matches!(self, BlockKind::Lock | BlockKind::Wait | BlockKind::Join)
    }
}

/// Buffers that steps reuse. Each worker needs its own.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) block_start: State,
    pub(crate) speculation: State,
    /// Actions done and threads copied since somebody set this to zero: the work of steps.
    pub work: u64,
}

/// A program, compiled for execution.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    pub program: &'p Program,
    pub options: Options,
    pub code: Code,
    /// Made when somebody asks.
    futures: OnceLock<Option<Futures>>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, options: Options) -> Machine<'p> {
        Machine { program, options, code: Code::new(program), futures: OnceLock::new() }
    }

    /// What threads may still do; none where that is too much work to find out.
    fn futures(&self) -> Option<&Futures> {
        self.futures.get_or_init(|| Futures::of(self.program)).as_ref()
    }

    /// The integer type of a scalar's bits.
    pub(crate) fn int(&self, ty: Type) -> Int {
        int_of(ty, self.program)
    }

    /// The state in which the program starts.
    pub fn initial(&self) -> Result<State, Stop> {
        let mut state = State {
            statics: self.code.static_cells.iter().map(|c| zero(c.ty)).collect(),
            weak: self.code.weak.is_some().then(Box::default),
            ..State::default()
        };
        for &object in &self.code.heap_statics {
            state.heap.push(Arc::new(self.instance(object, &[])));
        }
        for (id, object) in self.program.objects.iter() {
            for &(offset, value) in &object.init {
                if let Some(cell) = self.code.cell_at(id, offset) {
                    state.statics[cell as usize] = constant(value);
                }
            }
        }
        for thread in &self.program.threads {
            for _ in 0..self.count(thread.count)? {
                let id = self.start(&mut state, thread.procedure, None);
                state.thread_mut(id).main = thread.main;
                if self.arrive(&mut state, id) == StepResult::Halted {
                    return Ok(state);
                }
            }
        }
        Ok(state)
    }

    fn count(&self, multiplicity: Multiplicity) -> Result<u32, Stop> {
        match multiplicity {
            Multiplicity::Exactly(n) => Ok(n),
            Multiplicity::Any => self.options.any_threads.ok_or_else(|| Stop::Unsupported {
                what: "any number of threads at the start".into(),
                span: Span::NONE,
            }),
        }
    }

    /// A global variable as a sparse object, with its initial content. `own` are the executing
    /// thread's instances, where it is one of these.
    fn instance(&self, object: ObjectId, own: &[u32]) -> HeapObject {
        let Object { layout, init, .. } = &self.program.objects[object];
        let size = self.code.object(object).size;
        let mut instance = HeapObject::new(size, *layout, Origin::Global(object), Fill::Zero);
        for &(offset, value) in init {
            let ty = value.ty();
            let value = match value {
                Const::Object(o, at) => match self.code.object(o).home {
                    Home::Own(i) => {
                        own.get(i as usize).map_or(Value::Null, |h| Value::Heap(*h, at))
                    }
                    _ => Value::Static(o, at),
                },
                other => constant(other),
            };
            let fit = instance.fit(offset, ty.size(self.program.model), self.program.model);
            instance.put(fit, Cell { offset, ty, value });
        }
        instance
    }

    /// Adds a thread at the entry of a procedure; its parameters are zero.
    pub(crate) fn start(
        &self,
        state: &mut State,
        procedure: ProcId,
        by: Option<ThreadId>,
    ) -> ThreadId {
        if let Some(weak) = &mut state.weak {
            weak.start(by);
        }
        let first = state.heap.len() as u32;
        let own: Vec<u32> = (first..first + self.code.per_thread.len() as u32).collect();
        for &object in &self.code.per_thread {
            state.heap.push(Arc::new(self.instance(object, &own)));
        }
        let code = self.code.procedure(procedure);
        let frame = Frame { procedure, at: code.entry, base: 0, to: None };
        state.threads.push(Thread {
            frames: vec![frame],
            locals: code.locals.iter().map(|ty| zero(*ty)).collect(),
            own,
            result: Value::Null,
            main: false,
        });
        ThreadId::from_index(state.threads.len() - 1)
    }

    /// Whether the thread may not be interrupted where it stands.
    pub fn in_atomic(&self, thread: &Thread) -> bool {
        self.any_atomic(&thread.frames)
    }

    pub(crate) fn any_atomic(&self, frames: &[Frame]) -> bool {
        frames.iter().any(|f| self.code.location(f.procedure, f.at).grain == Grain::Atomic)
    }

    /// The grain of where a running thread stands: `Atomic` if any of its frames is.
    pub fn grain(&self, thread: &Thread) -> Grain {
        match &thread.frames[..] {
            [frame] => self.code.location(frame.procedure, frame.at).grain,
            _ if self.in_atomic(thread) => Grain::Atomic,
            _ => self.code.location(thread.top().procedure, thread.top().at).grain,
        }
    }

    /// Ends calls while the thread stands at the exit of a procedure.
    pub(crate) fn arrive(&self, state: &mut State, id: ThreadId) -> StepResult {
        loop {
            let thread = state.thread_mut(id);
            let frame = *thread.top();
            let code = self.code.procedure(frame.procedure);
            if frame.at != code.exit {
                return StepResult::Moved;
            }
            let result = code.result.map(|local| thread.local(local));
            if thread.frames.len() == 1 {
                return self.returned(state, id, result);
            }
            thread.frames.pop();
            thread.locals.truncate(frame.base as usize);
            if let (Some(to), Some(value)) = (frame.to, result) {
                thread.set_local(to, value);
            }
        }
    }

    /// A thread's procedure has returned. That of `main` ends the program.
    fn returned(&self, state: &mut State, id: ThreadId, result: Option<Value>) -> StepResult {
        self.end(state, id, result.unwrap_or(Value::Null));
        if state.thread(id).main {
            state.halted = true;
            return StepResult::Halted;
        }
        StepResult::Ended
    }

    /// Ends a thread.
    pub(crate) fn end(&self, state: &mut State, id: ThreadId, result: Value) -> StepResult {
        let thread = state.thread_mut(id);
        thread.frames.clear();
        thread.locals.clear();
        thread.result = result;
        for index in std::mem::take(&mut thread.own) {
            Arc::make_mut(&mut state.heap[index as usize]).free();
        }
        StepResult::Ended
    }

    /// Whether all that the thread can do next is local to it, outside of atomic blocks, and does
    /// not end the program.
    pub fn next_is_local(&self, state: &State, id: ThreadId) -> bool {
        let thread = state.thread(id);
        let Some(frame) = thread.frames.last() else { return false };
        let location = self.code.location(frame.procedure, frame.at);
        let outermost = thread.main && thread.frames.len() == 1;
        let exit = self.code.procedure(frame.procedure).exit;
        !location.enters_block
            && !self.in_atomic(thread)
            && location.edges.iter().all(|edge| {
                let ends = outermost && edge.target == exit;
                !edge.act.is_visible() && !matches!(edge.act, Act::Unsupported) && !ends
            })
    }

    /// The span of the thread's next action, by its first edge.
    pub fn next_span(&self, thread: &Thread) -> Span {
        let Some(frame) = thread.frames.last() else { return Span::NONE };
        let edges = &self.code.location(frame.procedure, frame.at).edges;
        edges.first().map_or(Span::NONE, |e| e.span)
    }
}
