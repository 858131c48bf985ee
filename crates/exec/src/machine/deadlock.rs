//! Deadlocks: threads that wait for ever.
//!
//! Either no thread can move, and at least one waits. Or some threads wait for each other while
//! others go on: each waits for a lock that one of them holds, or for the end of one of them. Such
//! threads stay where they are whatever the others do, since only its holder releases a lock: an
//! unlock by another thread is a violation itself. Or some of them wait for a condition (a semaphore,
//! a signal, a barrier) on memory that nobody but them can change any more, by what the others may
//! still do ([`super::future`]). A program that somebody may end is no place to wait for ever in: a
//! thread may be meant to wait until then.

use selvedge_ir::{EdgeId, ProcId, Span, Type};

use super::{BlockKind, Machine, Scratch, StepResult};
use crate::fault::{Awaited, Fault, Waiting};
use crate::oracle::{Choice, Input, Obstacle, Oracle, Script, Visible};
use crate::state::{State, Thread};
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
    /// It waits in each of its choices.
    waits: bool,
    /// The actions up to where it is blocked, in all of its choices.
    actions: Vec<(ProcId, EdgeId)>,
}

impl Stuck {
    /// Whether all whom it waits for are among these.
    fn is_behind(&self, threads: &[ThreadId]) -> bool {
        let needs_some = self.held && self.obstacles.is_empty();
        !needs_some && self.obstacles.iter().all(|o| threads.contains(&o.thread))
    }
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
            return Ok(self.violation_of(state, stuck.iter(), false));
        }
        if partial && let Some(violation) = self.partial_deadlock(state, stuck) {
            return Ok(Some(violation));
        }
        unclear.map_or(Ok(None), Err)
    }

    /// Of threads that cannot move: those who never can.
    fn partial_deadlock(&self, state: &State, stuck: Vec<Stuck>) -> Option<Violation> {
        let (held, waiting): (Vec<Stuck>, Vec<Stuck>) =
            stuck.into_iter().partition(|thread| thread.held);
        let mut knot: Vec<&Stuck> = held.iter().collect();
        keep_knot(&mut knot);
        if knot.is_empty() && !waiting.is_empty() {
            knot = held.iter().chain(&waiting).collect();
            self.keep_waiting_for_ever(state, &mut knot);
        }
        self.violation_of(state, knot.iter().copied(), true)
    }

    /// The threads that nobody else can ever wake.
    fn keep_waiting_for_ever(&self, state: &State, stuck: &mut Vec<&Stuck>) {
        let Some(futures) = self.futures() else { return stuck.clear() };
        let endless =
            |id: &ThreadId| !state.thread(*id).ended() && !futures.may_end(state.thread(*id));
        let live: Vec<ThreadId> =
            state.thread_ids().filter(|id| !state.thread(*id).ended()).collect();
        // Those who wait for the end of an endless thread are as good as gone.
        let mut gone: Vec<ThreadId> = live.iter().copied().filter(endless).collect();
        let mut joining: Vec<ThreadId> = Vec::new();
        while let Some(at) = stuck.iter().position(|s| s.held && s.is_behind(&gone)) {
            let thread = stuck.remove(at).thread;
            gone.push(thread);
            joining.push(thread);
        }
        stuck.retain(|thread| thread.waits);
        loop {
            let known: Vec<ThreadId> = stuck.iter().map(|thread| thread.thread).collect();
            let others: Vec<&Thread> = live
                .iter()
                .filter(|id| !known.contains(id) && !joining.contains(id))
                .map(|id| state.thread(*id))
                .collect();
            if others.iter().any(|other| futures.may_end_program(other)) {
                return stuck.clear();
            }
            stuck.retain(|thread| {
                thread.is_behind(&known)
                    && (thread.held
                        || !others.iter().any(|other| futures.may_change(other, &thread.actions)))
            });
            if stuck.len() == known.len() {
                return;
            }
        }
    }

    /// Why the thread cannot move, whatever is chosen; none if it can, or can go wrong.
    fn stuck(
        &self,
        state: &State,
        thread: ThreadId,
        scratch: &mut Scratch,
    ) -> Result<Option<Stuck>, Stop> {
        let mut watch = Watch { script: Script::new(), obstacles: Vec::new(), actions: Vec::new() };
        let mut stuck = Stuck {
            thread,
            kind: BlockKind::Assume,
            obstacles: Vec::new(),
            held: true,
            waits: true,
            actions: Vec::new(),
        };
        let mut trial = std::mem::take(&mut scratch.speculation);
        let result = loop {
            trial.clone_from(state);
            watch.obstacles.clear();
            match self.block_step(&mut trial, thread, &mut watch, scratch) {
                StepResult::Blocked(kind) => {
                    stuck.kind = stuck.kind.max(kind);
                    stuck.held &= matches!(kind, BlockKind::Lock | BlockKind::Join);
                    stuck.waits &= kind.waits();
                    stuck.obstacles.append(&mut watch.obstacles);
                }
                StepResult::Stop(stop) => break Err(*stop),
                _ => break Ok(None),
            }
            if !watch.script.next() {
                stuck.actions = watch.actions;
                break Ok(Some(stuck));
            }
        };
        scratch.speculation = trial;
        result
    }

    fn violation_of<'s>(
        &self,
        state: &State,
        stuck: impl Iterator<Item = &'s Stuck>,
        partial: bool,
    ) -> Option<Violation> {
        let stuck: Vec<&Stuck> = stuck.collect();
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
fn keep_knot(stuck: &mut Vec<&Stuck>) {
    stuck.retain(|thread| !thread.obstacles.is_empty());
    loop {
        let known: Vec<ThreadId> = stuck.iter().map(|thread| thread.thread).collect();
        stuck.retain(|thread| thread.is_behind(&known));
        if stuck.len() == known.len() {
            return;
        }
    }
}

/// A script that remembers what blocks.
struct Watch {
    script: Script,
    obstacles: Vec<Obstacle>,
    actions: Vec<(ProcId, EdgeId)>,
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

    fn edge(&mut self, _thread: ThreadId, procedure: ProcId, edge: EdgeId) {
        if !self.actions.contains(&(procedure, edge)) {
            self.actions.push((procedure, edge));
        }
    }

    fn blocked_by(&mut self, obstacle: Obstacle) {
        self.obstacles.push(obstacle);
    }
}
