//! Larger steps: an atomic block as a whole, and all actions up to the next scheduling point.

use selvedge_ir::{EdgeId, Grain, ProcId};

use super::{BlockKind, Machine, Scratch, StepResult};
use crate::oracle::{Access, Choice, Input, Obstacle, Oracle, Script, Visible};
use crate::state::State;
use crate::stop::Stop;
use crate::value::ThreadId;

/// Actions that a thread does alone before the search for a cycle starts.
const CYCLE_CHECK: u64 = 512;

impl Machine<'_> {
    /// Lets the thread act until it stands where others may run and that matters: at a `Yield`
    /// location, or before an action or atomic block that blocks.
    pub fn macro_step<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        oracle: &mut O,
        scratch: &mut Scratch,
    ) -> StepResult {
        let first = self.block_step(state, thread, oracle, scratch);
        if first != StepResult::Moved || self.grain(state.thread(thread)) == Grain::Yield {
            return first;
        }
        let mut cycle = Cycle::default();
        loop {
            match self.block_step(state, thread, oracle, scratch) {
                StepResult::Moved if self.grain(state.thread(thread)) == Grain::Yield => {
                    return StepResult::Moved;
                }
                StepResult::Moved => {}
                StepResult::Blocked(_) => return StepResult::Moved,
                other => return other,
            }
            // A cycle does no harm where others may run, and this place is as good as any to let
            // them.
            if cycle.closes(state, thread) {
                return StepResult::Moved;
            }
            if cycle.actions > self.options.action_limit {
                return self.too_long(state, thread);
            }
        }
    }

    /// One action, or one whole atomic block.
    pub fn block_step<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        oracle: &mut O,
        scratch: &mut Scratch,
    ) -> StepResult {
        scratch.work += 1;
        if !self.enters_block(state, thread) {
            return self.step(state, thread, oracle);
        }
        scratch.work += state.threads.len() as u64;
        scratch.block_start.clone_from(state);
        let mut counting = Counting { inner: oracle, visible: 0 };
        let result = self.run_block(state, thread, &mut counting, &mut scratch.work);
        if let StepResult::Blocked(_) = result {
            let visible = counting.visible;
            oracle.taken_back(visible);
            take_back(state, &scratch.block_start);
        }
        result
    }

    /// Whether some edge from where the thread stands leads into an atomic block, or it stands in
    /// one already.
    pub(crate) fn enters_block(&self, state: &State, thread: ThreadId) -> bool {
        let thread = state.thread(thread);
        let Some(frame) = thread.frames.last() else { return false };
        self.code.location(frame.procedure, frame.at).enters_block || self.in_atomic(thread)
    }

    fn run_block<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        oracle: &mut O,
        work: &mut u64,
    ) -> StepResult {
        let mut cycle = Cycle::default();
        loop {
            *work += 1;
            match self.step(state, thread, oracle) {
                StepResult::Moved if !self.in_atomic(state.thread(thread)) => {
                    return StepResult::Moved;
                }
                StepResult::Moved => {}
                other => return other,
            }
            if cycle.closes(state, thread) {
                return StepResult::Blocked(BlockKind::Loop);
            }
            if cycle.actions > self.options.action_limit {
                return self.too_long(state, thread);
            }
        }
    }

    fn too_long(&self, state: &State, thread: ThreadId) -> StepResult {
        let span = self.next_span(state.thread(thread));
        StepResult::Stop(Box::new(Stop::ActionLimit { limit: self.options.action_limit, span }))
    }

    /// Why the thread cannot move, whatever is chosen; none if it can, or can go wrong.
    pub fn why_blocked(
        &self,
        state: &State,
        thread: ThreadId,
        scratch: &mut Scratch,
    ) -> Result<Option<BlockKind>, Stop> {
        let mut script = Script::new();
        let mut why = BlockKind::Assume;
        let mut trial = std::mem::take(&mut scratch.speculation);
        let result = loop {
            trial.clone_from(state);
            match self.block_step(&mut trial, thread, &mut script, scratch) {
                StepResult::Blocked(kind) => why = why.max(kind),
                StepResult::Stop(stop) => break Err(*stop),
                _ => break Ok(None),
            }
            if !script.next() {
                break Ok(Some(why));
            }
        };
        scratch.speculation = trial;
        result
    }
}

/// Restores a state, but keeps the intervals of its symbols, which may have become smaller.
fn take_back(state: &mut State, start: &State) {
    let mut learnt = std::mem::take(&mut state.symbols);
    learnt.truncate(start.symbols.len());
    state.clone_from(start);
    state.symbols = learnt;
}

/// Finds out whether a thread has come back to a state that it was in, by Brent's method: the state
/// is compared with one seen before, which is replaced after twice as many actions each time.
#[derive(Default)]
struct Cycle {
    actions: u64,
    next_mark: u64,
    mark: Option<State>,
}

impl Cycle {
    /// Called after each action.
    fn closes(&mut self, state: &State, thread: ThreadId) -> bool {
        self.actions += 1;
        if self.actions < CYCLE_CHECK {
            return false;
        }
        if self.actions >= self.next_mark {
            self.next_mark = 2 * self.actions;
            self.mark = Some(canonical(state));
            return false;
        }
        let mark = self.mark.as_ref().expect("set at the first check");
        mark.thread(thread).frames == state.thread(thread).frames && *mark == canonical(state)
    }
}

fn canonical(state: &State) -> State {
    let mut state = state.clone();
    state.collect_symbols();
    state
}

/// Counts visible actions on their way to the oracle.
struct Counting<'a, O> {
    inner: &'a mut O,
    visible: usize,
}

impl<O: Oracle> Oracle for Counting<'_, O> {
    fn choose(&mut self, n: usize, what: Choice) -> usize {
        self.inner.choose(n, what)
    }

    fn input(&mut self, ty: selvedge_ir::Type, span: selvedge_ir::Span) -> Input {
        self.inner.input(ty, span)
    }

    fn visible(&mut self, action: Visible) {
        self.visible += 1;
        self.inner.visible(action);
    }

    fn edge(&mut self, thread: ThreadId, procedure: ProcId, edge: EdgeId) {
        self.inner.edge(thread, procedure, edge);
    }

    fn access(&mut self, access: Access) {
        self.inner.access(access);
    }

    fn blocked_by(&mut self, obstacle: Obstacle) {
        self.inner.blocked_by(obstacle);
    }
}
