//! The search of programs with orders weaker than sequential consistency.
//!
//! States are kept whole, with what threads know of each other (`selvedge_exec`'s module `weak`), in
//! a form of its own for each that the future cannot tell apart. There is no reduction but one: a
//! thread goes on through actions that no other thread can notice. A race is an access that goes
//! wrong, since an earlier one does not happen before it.
//!
//! SAFE is not said where a load may read from a store that is executed later
//! (`passes::orders::load_buffering`), which the semantics leaves out.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::{FxHashMap, FxHasher};
use selvedge_exec::{
    BlockKind, Machine, Oracle, Scratch, Script, State, StepResult, Stop, ThreadId,
};
use selvedge_ir::{Program, Property};
use selvedge_passes::{Prepared, orders};
use selvedge_verdict::{Ledger, Options, Proof, Round, RoundResult, Run, Verdict};

use super::Own;
use super::confirm::{Execution, confirm};
use super::path::Recorder;
use super::search::{any_number, machine_options};
use super::transition;

/// Actions that a thread does ahead before others get their turn again.
const AHEAD: usize = 10_000;

/// About what a state takes beside its threads, in bytes.
const STATE_BYTES: usize = 1_000;

/// The limits are looked at after so many transitions.
const LOOK: u64 = 200;

/// A state that was found, and how.
struct Node {
    state: State,
    parent: u32,
    step: Step,
}

#[derive(Clone, Default)]
struct Step {
    thread: usize,
    choices: Vec<u32>,
}

struct Search<'a> {
    machine: Machine<'a>,
    options: &'a Options<Own>,
    nodes: Vec<Node>,
    /// By hash.
    known: FxHashMap<u64, Vec<u32>>,
    queue: VecDeque<u32>,
    scratch: Scratch,
    ledger: Ledger,
    transitions: u64,
}

/// A violation: the state, and the step that goes wrong from there, if it is not the state itself.
type Finding = (u32, Option<Step>);

pub(super) fn search(
    program: &Program,
    prepared: &Prepared,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let mut search = Search::new(prepared, options)?;
    let found = search.exhaust(run);
    let result = match &found {
        Ok(Some(_)) => RoundResult::Violation,
        Ok(None) => RoundResult::Nothing { any_passes: true },
        Err(stop) => RoundResult::Open { why: stop.to_string() },
    };
    run.round(search.round(result, run));
    match found? {
        Some(finding) => {
            let execution = search.execution(&finding)?;
            confirm(program, options, &search.machine.options, &execution, run)
        }
        None => search.ledger.close().map(|states| Verdict::Safe(Proof::exhausted(states))),
    }
}

impl<'a> Search<'a> {
    fn new(prepared: &'a Prepared, options: &'a Options<Own>) -> Result<Search<'a>, Stop> {
        let machine = Machine::new(&prepared.program, machine_options(options));
        let mut ledger = Ledger::default();
        if let Some(n) = options.threads.filter(|_| any_number(&prepared.program)) {
            ledger.object(Stop::bound(format!("{n} threads for any number")));
        }
        if let Some(load) = orders::load_buffering(&prepared.program).first() {
            let what = "a relaxed load that may read from a later store (load buffering)".into();
            ledger.object(Stop::Unsupported { what, span: *load });
        }
        let mut search = Search {
            machine,
            options,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            queue: VecDeque::new(),
            scratch: Scratch::default(),
            ledger,
            transitions: 0,
        };
        let initial = search.machine.initial()?;
        search.keep(initial, 0, Step::default());
        Ok(search)
    }

    fn exhaust(&mut self, run: &mut Run<'_>) -> Result<Option<Finding>, Stop> {
        while let Some(index) = self.queue.pop_front() {
            if let Some(finding) = self.expand(index, run)? {
                return Ok(Some(finding));
            }
            self.ledger.expanded();
        }
        Ok(None)
    }

    fn expand(&mut self, index: u32, run: &mut Run<'_>) -> Result<Option<Finding>, Stop> {
        let state = self.nodes[index as usize].state.clone();
        if state.halted {
            return Ok(None);
        }
        let mut waiting = false;
        for thread in 0..state.threads.len() {
            if state.threads[thread].ended() {
                continue;
            }
            let mut script = Script::new();
            loop {
                let mut next = state.clone();
                let result =
                    stride(&self.machine, &mut next, thread, &mut script, &mut self.scratch);
                self.account(run)?;
                let step = Step { thread, choices: script.taken().collect() };
                match result {
                    StepResult::Error(_) => return Ok(Some((index, Some(step)))),
                    StepResult::Stop(stop) => {
                        self.ledger.object(*stop);
                    }
                    StepResult::Blocked(kind) => {
                        waiting |= kind.waits();
                        self.object_to_split(kind, &state, &next);
                    }
                    StepResult::Moved | StepResult::Ended | StepResult::Halted => {
                        self.keep(next, index, step);
                    }
                }
                if !script.next() {
                    break;
                }
            }
        }
        // Threads may wait for each other while others go on.
        let look = waiting && self.options.checks(Property::Deadlock);
        match look.then(|| self.machine.deadlock(&state, &mut self.scratch)) {
            Some(Ok(Some(_))) => return Ok(Some((index, None))),
            Some(Err(stop)) => self.ledger.object(stop),
            Some(Ok(None)) | None => {}
        }
        Ok(None)
    }

    /// A thread that is blocked for some inputs only has no deadlock of its own here.
    fn object_to_split(&mut self, kind: BlockKind, state: &State, next: &State) {
        let split = state.symbols != next.symbols;
        if split && kind.waits() && self.options.checks(Property::Deadlock) {
            self.ledger.object(Stop::bound("deadlocks that depend on inputs"));
        }
    }

    fn keep(&mut self, mut state: State, parent: u32, step: Step) {
        state.collect_symbols();
        state.normalise_weak();
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(&state);
        let same = self.known.entry(hash).or_default();
        if same.iter().any(|&index| self.nodes[index as usize].state == state) {
            return;
        }
        let index = self.nodes.len() as u32;
        same.push(index);
        if index > 0 {
            self.ledger.found();
        }
        self.nodes.push(Node { state, parent, step });
        self.queue.push_back(index);
    }

    /// Looks at the limits now and then.
    fn account(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        self.transitions += 1;
        let actions = std::mem::take(&mut self.scratch.work);
        run.clock().spend(transition(actions, STATE_BYTES));
        if !self.transitions.is_multiple_of(LOOK) {
            return Ok(());
        }
        run.progress(format!("{} states", self.nodes.len()));
        run.check()?;
        if let Some(limit) = self.options.own.max_states.filter(|&n| self.nodes.len() as u64 > n) {
            return Err(Stop::bound(format!("{limit} states")));
        }
        let threads = self.nodes.last().map_or(1, |node| node.state.threads.len());
        let memory = (self.nodes.len() * STATE_BYTES * (threads + 1)) as u64;
        match run.budget().memory {
            Some(limit_bytes) if memory > limit_bytes => Err(Stop::Memory { limit_bytes }),
            _ => Ok(()),
        }
    }

    fn round(&self, result: RoundResult, run: &Run<'_>) -> Round {
        Round::new(result, run.elapsed().as_secs_f64())
            .count("states", self.nodes.len() as u64)
            .count("transitions", self.transitions)
    }

    /// The steps to the finding once more, on a state whose names do not change.
    fn execution(&mut self, (last, step): &Finding) -> Result<Execution, Stop> {
        let mut steps: Vec<Step> = step.iter().cloned().collect();
        let mut at = *last;
        while at != 0 {
            let node = &self.nodes[at as usize];
            steps.push(node.step.clone());
            at = node.parent;
        }
        let mut state = self.machine.initial()?;
        let mut recorder = Recorder::default();
        for step in steps.iter().rev() {
            recorder.script = Script::following(&step.choices);
            stride(&self.machine, &mut state, step.thread, &mut recorder, &mut self.scratch);
        }
        Ok(Execution { visible: recorder.visible, last: state })
    }
}

/// One action or atomic block of the thread, and the actions behind it that no other can notice.
fn stride<O: Oracle>(
    machine: &Machine<'_>,
    state: &mut State,
    thread: usize,
    oracle: &mut O,
    scratch: &mut Scratch,
) -> StepResult {
    let thread = ThreadId::from_index(thread);
    let mut result = machine.block_step(state, thread, oracle, scratch);
    for _ in 0..AHEAD {
        if result != StepResult::Moved || !machine.next_is_local(state, thread) {
            return result;
        }
        match machine.block_step(state, thread, oracle, scratch) {
            StepResult::Blocked(_) => return StepResult::Moved,
            other => result = other,
        }
    }
    result
}
