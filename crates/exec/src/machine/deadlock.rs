//! Deadlocks: threads that wait for ever.
//!
//! Either no thread can move, and at least one waits. Or some threads wait for each other while
//! others go on: each waits for a lock that one of them holds, or for the end of one of them. Such
//! threads stay where they are whatever the others do, since only its holder releases a lock: an
//! unlock by another thread is a violation itself. What waits for a condition may go on without any
//! one thread, so it is never counted among them.

use selvedge_ir::{Span, Type};

use super::{BlockKind, Machine, Scratch, StepResult};
use crate::fault::{Awaited, Fault, Waiting};
use crate::oracle::{Choice, Input, Obstacle, Oracle, Script, Visible};
use crate::state::State;
use crate::stop::Stop;
use crate::value::ThreadId;
use crate::violation::Violation;

/// A thread that cannot move, and why.
struct Stuck {
    thread: ThreadId,
    kind: BlockKind,
    /// What it waits for, in each of its choices.
    obstacles: Vec<Obstacle>,
    /// Only locks and ends of threads keep it in each of its choices.
    held: bool,
}

impl Machine<'_> {
    pub fn deadlock(
        &self,
        state: &State,
        scratch: &mut Scratch,
    ) -> Result<Option<Violation>, Stop> {
        self.deadlock_of(state, scratch, true)
    }

    /// A deadlock of all threads.
    pub fn global_deadlock(
        &self,
        state: &State,
        scratch: &mut Scratch,
    ) -> Result<Option<Violation>, Stop> {
        self.deadlock_of(state, scratch, false)
    }

    fn deadlock_of(
        &self,
        state: &State,
        scratch: &mut Scratch,
        partial: bool,
    ) -> Result<Option<Violation>, Stop> {
        if state.halted {
            return Ok(None);
        }
        let mut stuck = Vec::new();
        let mut moves = false;
        let mut unclear = None;
        for thread in state.thread_ids().filter(|t| !state.thread(*t).ended()) {
            match self.stuck(state, thread, scratch) {
                Ok(Some(thread)) => stuck.push(thread),
                Ok(None) if !partial => return Ok(None),
                Ok(None) => moves = true,
                Err(stop) => unclear = unclear.or(Some(stop)),
            }
        }
        if unclear.is_none()
            && !moves
            && !stuck.is_empty()
            && stuck.iter().all(|thread| thread.kind.waits())
        {
            return Ok(self.violation_of(state, &stuck, false));
        }
        if partial {
            keep_knot(&mut stuck);
            if let Some(violation) = self.violation_of(state, &stuck, true) {
                return Ok(Some(violation));
            }
        }
        unclear.map_or(Ok(None), Err)
    }

    /// Why the thread cannot move, whatever is chosen; none if it can, or can go wrong.
    fn stuck(
        &self,
        state: &State,
        thread: ThreadId,
        scratch: &mut Scratch,
    ) -> Result<Option<Stuck>, Stop> {
        let mut watch = Watch { script: Script::new(), obstacles: Vec::new() };
        let mut stuck =
            Stuck { thread, kind: BlockKind::Assume, obstacles: Vec::new(), held: true };
        let mut trial = std::mem::take(&mut scratch.speculation);
        let result = loop {
            trial.clone_from(state);
            watch.obstacles.clear();
            match self.block_step(&mut trial, thread, &mut watch, scratch) {
                StepResult::Blocked(kind) => {
                    stuck.kind = stuck.kind.max(kind);
                    stuck.held &= matches!(kind, BlockKind::Lock | BlockKind::Join);
                    stuck.obstacles.append(&mut watch.obstacles);
                }
                StepResult::Stop(stop) => break Err(*stop),
                _ => break Ok(None),
            }
            if !watch.script.next() {
                break Ok(Some(stuck));
            }
        };
        scratch.speculation = trial;
        result
    }

    fn violation_of(&self, state: &State, stuck: &[Stuck], partial: bool) -> Option<Violation> {
        let (first, others) = stuck.split_first()?;
        let span = |thread: &Stuck| self.next_span(state.thread(thread.thread));
        let waiting = stuck.iter().map(|thread| self.waiting(state, thread)).collect();
        let fault = Fault::Deadlock { waiting, partial };
        let mut violation = Violation::new(fault, span(first), first.thread);
        violation.others = others.iter().map(|other| (other.thread, span(other))).collect();
        Some(violation)
    }

    fn waiting(&self, state: &State, stuck: &Stuck) -> Waiting {
        let obstacle = stuck.obstacles.last().filter(|o| o.thread != ThreadId::NONE);
        let awaited = match stuck.kind {
            BlockKind::Lock => Awaited::Lock,
            BlockKind::Join => Awaited::Thread,
            _ => Awaited::Condition,
        };
        let known = obstacle.filter(|_| awaited != Awaited::Condition);
        let lock = known.and_then(|obstacle| obstacle.lock);
        Waiting {
            thread: stuck.thread.0,
            awaited,
            lock: lock.map(|(target, offset)| self.name_of(state, target, offset as i64)),
            of: known.map(|obstacle| obstacle.thread.0),
            since: None,
        }
    }
}

/// The threads that wait for each other: those are left out of which one waits for somebody else.
fn keep_knot(stuck: &mut Vec<Stuck>) {
    stuck.retain(|thread| thread.held && !thread.obstacles.is_empty());
    loop {
        let known: Vec<ThreadId> = stuck.iter().map(|thread| thread.thread).collect();
        stuck.retain(|thread| thread.obstacles.iter().all(|o| known.contains(&o.thread)));
        if stuck.len() == known.len() {
            return;
        }
    }
}

/// A script that remembers what blocks.
struct Watch {
    script: Script,
    obstacles: Vec<Obstacle>,
}

impl Oracle for Watch {
    fn choose(&mut self, n: usize, what: Choice) -> usize {
        self.script.choose(n, what)
    }

    fn input(&mut self, ty: Type, span: Span) -> Input {
        self.script.input(ty, span)
    }

    fn visible(&mut self, action: Visible) {
        self.script.visible(action);
    }

    fn blocked_by(&mut self, obstacle: Obstacle) {
        self.obstacles.push(obstacle);
    }
}
