//! The search: expand states in order of discovery until there are none left.

use std::time::{Duration, Instant};

use selvedge_ir::{Multiplicity, Program, Property};
use selvedge_passes::Prepared;

use crate::{
    BlockKind, Machine, SafeEvidence, Scratch, Script, State, StepResult, Stop, ThreadId, Verdict,
};

use super::ample::Ample;
use super::confirm::confirm;
use super::encode::{Codec, Encoder};
use super::path::{self, Execution};
use super::queue::{Pending, Queue};
use super::store::{Origin, Store};
use super::stride::{Stride, restore, stride};
use super::walk::Walks;
use super::{Options, Progress};

/// A search that takes no longer than this needs no walks.
const WALKS_START: Duration = Duration::from_secs(1);
const WALKS_SLICE: Duration = Duration::from_millis(100);

/// Where a violation was found.
pub(super) enum Finding {
    /// A state itself violates a property: a race or a deadlock.
    State(u32),
    /// A macro-step from a state goes wrong, with these choices.
    Step { from: u32, thread: ThreadId, choices: Vec<u32> },
}

pub(super) struct Search<'a> {
    pub machine: Machine<'a>,
    pub codec: Codec<'a>,
    pub store: Store,
    pub encoder: Encoder,
    pub scratch: Scratch,
    ample: Option<Ample<'a>>,
    options: &'a Options,
    started: Instant,
    deadlocks: bool,
    races: bool,
    /// The state that is being expanded, and one of its successors.
    state: State,
    next: State,
    script: Script,
    candidates: Vec<usize>,
    /// What was found out about each thread of the state that is being expanded.
    done: Vec<Option<Moves>>,
    /// Which of them can do what the one before can, and no more.
    twins: Vec<bool>,
    queue: Queue,
    walks: Walks,
    transitions: u64,
    depth: u64,
    /// Why SAFE cannot be said any more, first reason first.
    cut: Option<Stop>,
}

/// Why the search did not come to its end.
enum Interrupted {
    Stopped(Stop),
    /// A random walk met a violation.
    Walked(Box<Execution>),
}

impl From<Stop> for Interrupted {
    fn from(stop: Stop) -> Interrupted {
        Interrupted::Stopped(stop)
    }
}

/// What the macro-steps of one thread from a state came to.
#[derive(Clone, Copy, Default)]
struct Moves {
    /// Some choice led to another state.
    moved: bool,
    /// Some choice led to a state that is still to be expanded.
    fresh: bool,
    /// Some choice ended the program or cannot be followed.
    cut: bool,
    /// What it waits for, where some choice is blocked.
    blocked: Option<BlockKind>,
    /// Which values an open input has decided something.
    split: bool,
}

pub(super) fn run(
    program: &Program,
    prepared: &Prepared,
    options: &Options,
    started: Instant,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Verdict, Stop> {
    let mut search = Search::new(prepared, options, started)?;
    let ended = search.exhaust(progress);
    progress(&search.progress());
    let found = match ended {
        Ok(Some(finding)) => Some(path::execution(&mut search, &finding)?),
        Ok(None) => None,
        Err(Interrupted::Walked(execution)) => Some(*execution),
        Err(Interrupted::Stopped(stop)) => Some(search.walk_on(&stop).ok_or(stop)?),
    };
    match found {
        Some(execution) => confirm(program, &search.machine.options, &execution),
        None => search.conclude(),
    }
}

impl<'a> Search<'a> {
    fn new(
        prepared: &'a Prepared,
        options: &'a Options,
        started: Instant,
    ) -> Result<Search<'a>, Stop> {
        let machine = Machine::new(&prepared.program, machine_options(options));
        let initial = machine.initial()?;
        let codec = Codec::new(prepared, &machine.code, &initial, options.symmetry);
        let any = options.any_threads.filter(|_| any_number(&prepared.program));
        Ok(Search {
            codec,
            store: Store::default(),
            encoder: Encoder::default(),
            scratch: Scratch::default(),
            ample: options.por.then(|| Ample::new(prepared)),
            options,
            started,
            deadlocks: options.properties.contains(&Property::Deadlock),
            races: options.properties.contains(&Property::Race),
            queue: Queue::new(first_limit(prepared, &initial)),
            state: initial.clone(),
            next: initial,
            script: Script::new(),
            candidates: Vec::new(),
            done: Vec::new(),
            twins: Vec::new(),
            walks: Walks::new(),
            transitions: 0,
            depth: 0,
            cut: any.map(|n| Stop::Bound { what: format!("{n} threads for any number") }),
            machine,
        })
    }

    /// Expands all states; the first violation if there is one.
    fn exhaust(
        &mut self,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Option<Finding>, Interrupted> {
        if self.next.halted {
            return Ok(None);
        }
        if let Err(finding) = self.keep(Origin { parent: 0, thread: 0 }, 0) {
            return Ok(Some(finding));
        }
        for round in 0u64.. {
            let Some(pending) = self.queue.pop() else { break };
            self.depth = self.depth.max(pending.depth.into());
            if round % 256 == 0 {
                self.check_limits()?;
                self.walk_a_while()?;
                progress(&self.progress());
            }
            self.check_depth(pending)?;
            if let Some(finding) = self.expand(pending) {
                return Ok(Some(finding));
            }
        }
        Ok(None)
    }

    fn check_depth(&self, pending: Pending) -> Result<(), Stop> {
        match self.options.max_depth {
            Some(limit) if u64::from(pending.depth) > limit => {
                Err(Stop::Bound { what: format!("{limit} steps from the start") })
            }
            _ => Ok(()),
        }
    }

    fn check_limits(&self) -> Result<(), Stop> {
        if let Some(limit) = self.options.time.filter(|&limit| self.started.elapsed() >= limit) {
            return Err(Stop::Time { limit });
        }
        if let Some(limit) = self.options.max_states.filter(|&n| self.store.len() as u64 > n) {
            return Err(Stop::Bound { what: format!("{limit} states") });
        }
        // The last index is never given out, and a table of 2^32 states would not fit anyway.
        let full = self.store.len() >= u32::MAX as usize - 1_000_000;
        let needed = (self.memory() + self.store.growth()) as u64;
        match self.options.memory {
            Some(limit_bytes) if needed > limit_bytes || full => Err(Stop::Memory { limit_bytes }),
            None if full => Err(Stop::Bound { what: "2^32 states".into() }),
            _ => Ok(()),
        }
    }

    /// Gives random walks their share of the time.
    fn walk_a_while(&mut self) -> Result<(), Interrupted> {
        let elapsed = self.started.elapsed();
        if !self.options.walks || elapsed < WALKS_START || self.walks.spent * 4 > elapsed {
            return Ok(());
        }
        match self.walks.search(&self.machine, WALKS_SLICE) {
            Some(execution) => Err(Interrupted::Walked(Box::new(execution))),
            None => Ok(()),
        }
    }

    /// Spends as much time again on random walks, as far as it is left, when the search had to end
    /// before.
    fn walk_on(&mut self, stop: &Stop) -> Option<Execution> {
        let taken = self.started.elapsed();
        let left = self.options.time?.checked_sub(taken)?.min(taken);
        let room = matches!(stop, Stop::Memory { .. } | Stop::Bound { .. });
        if room && self.options.walks { self.walks.search(&self.machine, left) } else { None }
    }

    fn memory(&self) -> usize {
        self.store.memory() + self.queue.memory()
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.store.len() as u64,
            transitions: self.transitions,
            depth: self.depth,
            queue: self.queue.len() as u64,
            memory: self.memory() as u64,
            elapsed: self.started.elapsed(),
        }
    }

    fn conclude(self) -> Result<Verdict, Stop> {
        match self.cut {
            Some(stop) => Err(stop),
            None => Ok(Verdict::Safe(SafeEvidence::Exhausted {
                states: self.store.len() as u64,
                transitions: self.transitions,
                depth: self.depth,
            })),
        }
    }

    /// One thread alone if that is enough, else all.
    fn expand(&mut self, from: Pending) -> Option<Finding> {
        self.codec.decode(self.store.get(from.index), &mut self.state);
        self.codec.remember(&self.state, &mut self.encoder);
        self.codec.twins(&self.state, &mut self.encoder, &mut self.twins);
        self.next.clone_from(&self.state);
        self.done.clear();
        self.done.resize(self.state.threads.len(), None);
        if let Some(ample) = &mut self.ample {
            ample.candidates(&self.state, &mut self.candidates);
            for next in 0..self.candidates.len() {
                let thread = self.candidates[next];
                match self.moves(from, thread) {
                    Ok(moves) if moves.persistent() && moves.fresh => return None,
                    Ok(_) => {}
                    Err(finding) => return Some(finding),
                }
            }
        }
        self.expand_fully(from)
    }

    fn expand_fully(&mut self, from: Pending) -> Option<Finding> {
        let mut stuck = true;
        let mut waiting = false;
        let mut excluded = false;
        for thread in 0..self.state.threads.len() {
            if self.state.threads[thread].ended() {
                continue;
            }
            let moves = match self.moves(from, thread) {
                Ok(moves) => moves,
                Err(finding) => return Some(finding),
            };
            stuck &= !moves.moved && !moves.cut && !moves.split;
            waiting |= moves.blocked.is_some_and(BlockKind::waits);
            excluded |= moves.blocked.is_some_and(|kind| !kind.waits());
        }
        (self.deadlocks && stuck && waiting && !excluded).then_some(Finding::State(from.index))
    }

    /// Every macro-step of one thread, once for each expansion.
    fn moves(&mut self, from: Pending, thread: usize) -> Result<Moves, Finding> {
        if let Some(moves) = self.done[thread] {
            return Ok(moves);
        }
        if self.twins[thread] {
            // The other one's moves lead to the same states.
            return self.moves(from, thread - 1);
        }
        let mut moves = Moves::default();
        loop {
            self.transitions += 1;
            let Stride { result, stop, .. } = stride(
                &self.machine,
                &self.state,
                &mut self.next,
                ThreadId::from_index(thread),
                &mut self.script,
                &mut self.scratch,
            );
            if let Some(stop) = stop {
                moves.cut = true;
                self.cut.get_or_insert(*stop);
            }
            self.account(from, thread, result, &mut moves)?;
            restore(&mut self.next, &self.state, thread);
            if !self.script.next() {
                break;
            }
        }
        self.done[thread] = Some(moves);
        Ok(moves)
    }

    fn account(
        &mut self,
        from: Pending,
        thread: usize,
        result: StepResult,
        moves: &mut Moves,
    ) -> Result<(), Finding> {
        match result {
            StepResult::Moved | StepResult::Ended => {
                moves.moved = true;
                let successor = self.insert(from, thread)?;
                moves.fresh |= !self.queue.is_expanded(successor);
            }
            StepResult::Halted => moves.cut = true,
            StepResult::Blocked(kind) => {
                moves.block(kind);
                if self.next.symbols != self.state.symbols {
                    moves.split = true;
                    if self.deadlocks {
                        self.insert(from, thread)?;
                    }
                }
            }
            StepResult::Error(_) => {
                let thread = ThreadId::from_index(thread);
                let choices = self.script.taken().collect();
                return Err(Finding::Step { from: from.index, thread, choices });
            }
            StepResult::Stop(_) => {}
        }
        Ok(())
    }

    /// Keeps the successor and gives its index.
    fn insert(&mut self, from: Pending, thread: usize) -> Result<u32, Finding> {
        self.keep(Origin { parent: from.index, thread: thread as u16 }, from.depth + 1)
    }

    /// Keeps `next` and gives its index, unless the state itself is a violation.
    fn keep(&mut self, origin: Origin, depth: u32) -> Result<u32, Finding> {
        self.codec.encode_successor(&self.next, origin.thread.into(), &mut self.encoder);
        let (index, new) = self.store.insert(&self.encoder.bytes, origin);
        if !new {
            return Ok(index);
        }
        let counted = self.queue.counts_threads();
        let threads = if counted { running(&self.next) } else { 0 };
        self.queue.push(Pending { index, depth }, threads);
        if self.races {
            match self.machine.race(&self.next, &mut self.scratch) {
                Ok(None) => {}
                Ok(Some(_)) => return Err(Finding::State(index)),
                Err(stop) => {
                    self.cut.get_or_insert(stop);
                }
            }
        }
        Ok(index)
    }
}

impl Moves {
    fn block(&mut self, kind: BlockKind) {
        // Where one alternative waits, the thread waits, whatever excludes the others.
        self.blocked = self.blocked.max(Some(kind));
    }

    /// Whether the thread's moves stand for everything that can happen.
    fn persistent(&self) -> bool {
        self.moved && !self.cut && self.blocked.is_none()
    }
}

fn machine_options(options: &Options) -> crate::Options {
    crate::Options {
        enumerate: options.enumerate,
        any_threads: options.any_threads,
        ..crate::Options::new(&options.properties)
    }
}

fn running(state: &State) -> usize {
    state.threads.iter().filter(|thread| !thread.ended()).count()
}

/// Where to limit the number of threads at first.
fn first_limit(prepared: &Prepared, initial: &State) -> usize {
    let any = prepared.templates.list.iter().any(|t| t.count == Multiplicity::Any);
    if any { running(initial) } else { usize::MAX }
}

fn any_number(program: &Program) -> bool {
    program.threads.iter().any(|t| t.count == Multiplicity::Any)
}
