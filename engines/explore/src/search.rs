//! The search: expand states in order of discovery until there are none left.

use std::time::Duration;

use selvedge_ir::{Multiplicity, Program, Property};
use selvedge_passes::Prepared;

use selvedge_exec::{BlockKind, Machine, Scratch, Script, State, StepResult, ThreadId};
use selvedge_verdict::{Ledger, Options, Proof, Round, RoundResult, Run, Stop, Verdict};

use super::Own;
use super::ample::Ample;
use super::confirm::{Execution, confirm};
use super::encode::{Codec, Encoder};
use super::path::{self, Finding, Kept};
use super::queue::{Pending, Queue};
use super::store::{Origin, Store};
use super::stride::{Stride, restore, stride};
use super::walk::Walks;
use super::{races, transition};

/// The limits are looked at after so much work.
const LOOK: u64 = 1_500;

/// A search that takes no longer than this needs no walks.
const WALKS_START: Duration = Duration::from_secs(1);
const WALKS_SLICE: Duration = Duration::from_millis(100);

struct Search<'a> {
    machine: Machine<'a>,
    codec: Codec<'a>,
    store: Store,
    encoder: Encoder,
    scratch: Scratch,
    ample: Option<Ample<'a>>,
    options: &'a Options<Own>,
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
    /// Whether the search is complete.
    ledger: Ledger,
    /// Work done since the limits were last looked at.
    pending: u64,
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

/// Why a state is not expanded to the end.
enum Wrong {
    Found(Finding),
    Stopped(Stop),
}

impl Wrong {
    fn finding(self) -> Result<Option<Finding>, Interrupted> {
        match self {
            Wrong::Found(finding) => Ok(Some(finding)),
            Wrong::Stopped(stop) => Err(stop.into()),
        }
    }
}

impl From<Finding> for Wrong {
    fn from(finding: Finding) -> Wrong {
        Wrong::Found(finding)
    }
}

impl From<Stop> for Wrong {
    fn from(stop: Stop) -> Wrong {
        Wrong::Stopped(stop)
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

pub(super) fn search(
    program: &Program,
    prepared: &Prepared,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let mut search = Search::new(prepared, options, run)?;
    let ended = search.exhaust(run);
    let waits = matches!(ended, Ok(Some(Finding::Wait(_))));
    let found = match ended {
        Ok(Some(finding)) => Some(search.execution(&finding, run)?),
        Ok(None) => None,
        Err(Interrupted::Walked(execution)) => Some(*execution),
        Err(Interrupted::Stopped(stop)) => match search.walk_on(&stop, run) {
            Some(execution) => Some(execution),
            None => {
                run.round(search.round(RoundResult::Open { why: stop.to_string() }, run));
                return Err(stop);
            }
        },
    };
    let result = match &found {
        Some(_) => RoundResult::Violation,
        None => RoundResult::Nothing { any_passes: true },
    };
    run.round(search.round(result, run));
    match found {
        Some(execution) => {
            let shown = confirm(program, options, &search.machine.options, &execution, run);
            shown.map_err(|stop| if waits { not_for_ever(stop) } else { stop })
        }
        None => search.ledger.close().map(|states| Verdict::Safe(Proof::exhausted(states))),
    }
}

/// On the program as it was lowered less is known of what threads may still do.
fn not_for_ever(stop: Stop) -> Stop {
    match stop {
        Stop::Unconfirmed { .. } => {
            Stop::bound("threads that may wait for ever while others go on")
        }
        stop => stop,
    }
}

impl<'a> Search<'a> {
    fn new(
        prepared: &'a Prepared,
        options: &'a Options<Own>,
        run: &Run<'_>,
    ) -> Result<Search<'a>, Stop> {
        let procedures = prepared.program.procedures.values();
        let locations: usize = procedures.map(|procedure| procedure.locations.len()).sum();
        run.clock().spend(2 * locations as u64);
        run.check()?;
        let machine = Machine::new(&prepared.program, machine_options(options));
        let initial = machine.initial()?;
        // Which cells may be read is found out for each footprint.
        let cells = machine.code.static_cells.len();
        run.clock().spend((prepared.footprints.count() * cells / 64) as u64);
        run.check()?;
        let codec = Codec::new(prepared, &machine.code, &initial, options.own.symmetry);
        let mut ledger = Ledger::default();
        if let Some(n) = options.threads.filter(|_| any_number(&prepared.program)) {
            ledger.object(Stop::bound(format!("{n} threads for any number")));
        }
        Ok(Search {
            codec,
            store: Store::default(),
            encoder: Encoder::default(),
            scratch: Scratch::default(),
            ample: options.own.por.then(|| Ample::new(prepared)),
            options,
            deadlocks: options.checks(Property::Deadlock),
            races: options.checks(Property::Race),
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
            ledger,
            // So that the limits are looked at in the beginning.
            pending: LOOK,
            machine,
        })
    }

    /// Expands all states; the first violation if there is one.
    fn exhaust(&mut self, run: &mut Run<'_>) -> Result<Option<Finding>, Interrupted> {
        if self.next.halted {
            self.ledger.expanded();
            return Ok(None);
        }
        if let Err(wrong) = self.keep(Origin { parent: 0, thread: 0 }, 0) {
            return wrong.finding();
        }
        while let Some(pending) = self.queue.pop() {
            self.depth = self.depth.max(pending.depth.into());
            self.check_limits(run)?;
            self.walk_a_while(run)?;
            self.check_depth(pending)?;
            if let Err(wrong) = self.expand(pending, run) {
                return wrong.finding();
            }
            self.ledger.expanded();
        }
        Ok(None)
    }

    fn check_depth(&self, pending: Pending) -> Result<(), Stop> {
        match self.options.own.max_depth {
            Some(limit) if u64::from(pending.depth) > limit => {
                Err(Stop::bound(format!("{limit} steps from the start")))
            }
            _ => Ok(()),
        }
    }

    /// Looks at the limits, after some work.
    fn check_limits(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        if self.pending < LOOK {
            return Ok(());
        }
        run.clock().spend(std::mem::take(&mut self.pending));
        run.progress(self.brief(run));
        run.check()?;
        if let Some(limit) = self.options.own.max_states.filter(|&n| self.store.len() as u64 > n) {
            return Err(Stop::bound(format!("{limit} states")));
        }
        // The last index is never given out, and a table of 2^32 states would not fit anyway.
        let full = self.store.len() >= u32::MAX as usize - 1_000_000;
        let needed = (self.memory() + self.store.growth()) as u64;
        match run.budget().memory {
            Some(limit_bytes) if needed > limit_bytes || full => Err(Stop::Memory { limit_bytes }),
            None if full => Err(Stop::bound("2^32 states")),
            _ => Ok(()),
        }
    }

    /// Gives random walks their share of the time.
    fn walk_a_while(&mut self, run: &Run<'_>) -> Result<(), Interrupted> {
        let elapsed = run.elapsed();
        if !self.options.own.walks || elapsed < WALKS_START || self.walks.spent * 4 > elapsed {
            return Ok(());
        }
        match self.walks.search(&self.machine, WALKS_SLICE, run.clock()) {
            Some(execution) => Err(Interrupted::Walked(Box::new(execution))),
            None => Ok(()),
        }
    }

    /// Spends as much time again on random walks, as far as it is left, when the search had to end
    /// before.
    fn walk_on(&mut self, stop: &Stop, run: &Run<'_>) -> Option<Execution> {
        let left = run.remaining()?.min(run.elapsed());
        let room = matches!(stop, Stop::Memory { .. } | Stop::Bound { .. });
        let walks = room && self.options.own.walks && !left.is_zero();
        if walks { self.walks.search(&self.machine, left, run.clock()) } else { None }
    }

    fn memory(&self) -> usize {
        self.store.memory() + self.queue.memory()
    }

    fn brief(&self, run: &Run<'_>) -> String {
        let states = self.store.len() as u64;
        let rate = (states as f64 / run.elapsed().as_secs_f64().max(1e-9)) as u64;
        format!("{states} states, {rate}/s, depth {}", self.depth)
    }

    fn round(&self, result: RoundResult, run: &Run<'_>) -> Round {
        Round::new(result, run.elapsed().as_secs_f64())
            .count("states", self.store.len() as u64)
            .count("transitions", self.transitions)
            .count("depth", self.depth)
    }

    /// One thread alone if that is enough, else all.
    fn expand(&mut self, from: Pending, run: &mut Run<'_>) -> Result<(), Wrong> {
        self.codec.decode(self.store.get(from.index), &mut self.state);
        self.codec.remember(&self.state, &mut self.encoder);
        self.codec.twins(&self.state, &mut self.encoder, &mut self.twins);
        // Its threads are decoded, compared and copied.
        self.pending += self.store.get(from.index).len() as u64 / 16;
        self.next.clone_from(&self.state);
        self.done.clear();
        self.done.resize(self.state.threads.len(), None);
        if let Some(ample) = &mut self.ample {
            ample.candidates(&self.state, &mut self.candidates);
            self.pending += std::mem::take(&mut ample.work) / 8;
            for next in 0..self.candidates.len() {
                let thread = self.candidates[next];
                let moves = self.moves(from, thread, run)?;
                if moves.persistent() && moves.fresh {
                    return Ok(());
                }
            }
        }
        self.expand_fully(from, run)
    }

    fn expand_fully(&mut self, from: Pending, run: &mut Run<'_>) -> Result<(), Wrong> {
        let mut stuck = true;
        let mut held = false;
        let mut waiting = false;
        let mut excluded = false;
        for thread in 0..self.state.threads.len() {
            if self.state.threads[thread].ended() {
                continue;
            }
            let moves = self.moves(from, thread, run)?;
            stuck &= !moves.moved && !moves.cut && !moves.split;
            waiting |= moves.blocked.is_some_and(BlockKind::waits);
            excluded |= moves.blocked.is_some_and(|kind| !kind.waits());
            held |= moves.held();
        }
        if !self.deadlocks {
            return Ok(());
        }
        if stuck && waiting && !excluded {
            return Err(Finding::State(from.index).into());
        }
        match held && self.some_wait_for_ever() {
            true => Err(Finding::Wait(from.index).into()),
            false => Ok(()),
        }
    }

    /// Whether some threads wait for ever while others go on. Looking for it where all threads
    /// are expanded is enough: such threads stay as they are, and each chain of reduced expansions
    /// ends in a state where all are expanded.
    fn some_wait_for_ever(&mut self) -> bool {
        self.pending += self.state.threads.len() as u64;
        matches!(self.machine.deadlock(&self.state, &mut self.scratch), Ok(Some(_)))
    }

    /// Every macro-step of one thread, once for each expansion.
    fn moves(&mut self, from: Pending, thread: usize, run: &mut Run<'_>) -> Result<Moves, Wrong> {
        if let Some(moves) = self.done[thread] {
            return Ok(moves);
        }
        if self.twins[thread] {
            // The other one's moves lead to the same states.
            return self.moves(from, thread - 1, run);
        }
        let mut moves = Moves::default();
        loop {
            self.transitions += 1;
            // One step alone may have many inputs to try.
            self.check_limits(run)?;
            let Stride { result, stop, .. } = stride(
                &self.machine,
                &self.state,
                &mut self.next,
                ThreadId::from_index(thread),
                &mut self.script,
                &mut self.scratch,
            );
            let actions = std::mem::take(&mut self.scratch.work);
            self.pending += transition(actions, self.encoder.bytes.len());
            if let Some(stop) = stop {
                moves.cut = true;
                self.ledger.object(*stop);
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
    ) -> Result<(), Wrong> {
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
                return Err(Finding::Step { from: from.index, thread, choices }.into());
            }
            StepResult::Stop(_) => {}
        }
        Ok(())
    }

    /// The execution that a finding is about.
    fn execution(&mut self, finding: &Finding, run: &Run<'_>) -> Result<Execution, Stop> {
        let kept = Kept {
            machine: &self.machine,
            codec: &self.codec,
            store: &self.store,
            encoder: &mut self.encoder,
            scratch: &mut self.scratch,
            run,
        };
        path::execution(kept, finding)
    }

    /// Keeps the successor and gives its index.
    fn insert(&mut self, from: Pending, thread: usize) -> Result<u32, Wrong> {
        self.keep(Origin { parent: from.index, thread: thread as u16 }, from.depth + 1)
    }

    /// Keeps `next` and gives its index, unless the state itself is a violation.
    fn keep(&mut self, origin: Origin, depth: u32) -> Result<u32, Wrong> {
        self.codec.encode_successor(&self.next, origin.thread.into(), &mut self.encoder);
        let (index, new) = self.store.insert(&self.encoder.bytes, origin);
        if !new {
            return Ok(index);
        }
        // The ledger knows the initial state from the start.
        if index > 0 {
            self.ledger.found();
        }
        let counted = self.queue.counts_threads();
        let threads = if counted { running(&self.next) } else { 0 };
        self.queue.push(Pending { index, depth }, threads);
        if self.races {
            self.pending += races(self.next.threads.len());
            match self.machine.race(&self.next, &mut self.scratch) {
                Ok(None) => {}
                Ok(Some(_)) => return Err(Finding::State(index).into()),
                Err(stop) => {
                    self.ledger.object(stop);
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

    /// Whether the thread waits, in each of its choices.
    fn held(&self) -> bool {
        let waits = self.blocked.is_some_and(BlockKind::waits);
        waits && !self.moved && !self.cut && !self.split
    }

    /// Whether the thread's moves stand for everything that can happen.
    fn persistent(&self) -> bool {
        self.moved && !self.cut && self.blocked.is_none()
    }
}

pub(super) fn machine_options(options: &Options<Own>) -> selvedge_exec::Options {
    selvedge_exec::Options {
        enumerate: options.own.enumerate,
        any_threads: options.threads,
        ..selvedge_exec::Options::new(&options.properties)
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

pub(super) fn any_number(program: &Program) -> bool {
    program.threads.iter().any(|t| t.count == Multiplicity::Any)
}
