//! Random walks: deep executions that a breadth-first search would not reach in time.
//!
//! A walk is one execution. Threads have random priorities, and the one with the highest that can
//! move does; at a few random moments the priority of the running thread drops below all others
//! (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
//! guarantees of finding bugs", 2010: a bug that needs d ordering constraints shows with probability
//! at least 1/(n k^(d-1))). Every other walk lets a random thread move at each step instead. Where
//! the program ends with its main thread, that thread often starts all others first and ends last:
//! most violations need the others to act. A walk never contributes to SAFE.

use std::time::Duration;

use selvedge_ir::{Property, Span, Type};

use selvedge_exec::rng::Rng;
use selvedge_exec::{
    BlockKind, Choice, Input, Machine, Oracle, Scratch, State, StepResult, ThreadId, Visible,
};

use selvedge_verdict::{Clock, Moment};

use super::confirm::Execution;
use super::{races, transition};

/// Macro-steps of one walk, at most.
const LENGTH: usize = 20_000;

pub struct Walks {
    rng: Rng,
    /// The length of the longest walk so far: where priorities may change.
    longest: usize,
    pub spent: Duration,
}

struct Walk<'a> {
    rng: &'a mut Rng,
    visible: Vec<Visible>,
}

impl Oracle for Walk<'_> {
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn input(&mut self, _ty: Type, _span: Span) -> Input {
        Input::Open
    }

    fn visible(&mut self, action: Visible) {
        self.visible.push(action);
    }

    fn taken_back(&mut self, count: usize) {
        self.visible.truncate(self.visible.len() - count);
    }
}

/// How a walk decides who moves.
struct Schedule {
    /// By thread; higher goes first. Empty where each step draws anew.
    priorities: Vec<u64>,
    /// Steps before which the running thread's priority drops.
    drops: Vec<usize>,
    uniform: bool,
    /// The program does not end while others can still do something.
    late_end: bool,
}

impl Walks {
    pub fn new() -> Walks {
        Walks { rng: Rng::new(1), longest: 10, spent: Duration::ZERO }
    }

    /// Walks until the time is over or a violation is met.
    pub fn search(
        &mut self,
        machine: &Machine,
        time: Duration,
        clock: &Clock,
    ) -> Option<Execution> {
        let start = clock.now();
        let mut scratch = Scratch::default();
        let mut found = None;
        while found.is_none() && clock.now() < start + time {
            found = self.walk(machine, &mut scratch, clock, start + time);
        }
        self.spent += clock.now().since(start);
        found
    }

    fn walk(
        &mut self,
        machine: &Machine,
        scratch: &mut Scratch,
        clock: &Clock,
        end: Moment,
    ) -> Option<Execution> {
        let mut state = machine.initial().ok()?;
        let mut schedule = Schedule::draw(&mut self.rng, self.longest);
        let mut walk = Walk { rng: &mut self.rng, visible: Vec::new() };
        let checks_races = machine.options.checks(Property::Race);
        for step in 0..LENGTH {
            // A state is not encoded here, but threads are put in order and sometimes copied.
            let threads = state.threads.len();
            let actions = std::mem::take(&mut scratch.work);
            clock.spend(
                transition(actions, threads) + if checks_races { races(threads) } else { 0 },
            );
            if (step % 64 == 63 || threads > 64) && clock.now() > end {
                return None;
            }
            let violated =
                match move_one(machine, &mut state, &mut schedule, &mut walk, scratch, step) {
                    Moved::On => checks_races && race(machine, &mut state, scratch),
                    Moved::Wrong => true,
                    Moved::Over => {
                        self.longest = self.longest.max(step);
                        return None;
                    }
                };
            if violated {
                return Some(Execution { visible: walk.visible, last: state });
            }
        }
        self.longest = LENGTH;
        None
    }
}

/// Whether there is a race. Open inputs then have the values that it takes.
pub(super) fn race(machine: &Machine, state: &mut State, scratch: &mut Scratch) -> bool {
    match machine.race(state, scratch) {
        Ok(Some(race)) => {
            state.symbols = race.symbols;
            true
        }
        _ => false,
    }
}

enum Moved {
    On,
    /// A violation.
    Wrong,
    /// The execution has ended, or cannot be followed.
    Over,
}

/// Lets the first thread that can move do so, in the order of the schedule.
fn move_one(
    machine: &Machine,
    state: &mut State,
    schedule: &mut Schedule,
    walk: &mut Walk,
    scratch: &mut Scratch,
    step: usize,
) -> Moved {
    let mut blocked: Vec<BlockKind> = Vec::new();
    let mut can_end = false;
    for thread in schedule.order(walk.rng, state, step) {
        let before = schedule.may_wait(state, thread).then(|| (state.clone(), walk.visible.len()));
        let id = ThreadId::from_index(thread);
        match machine.macro_step(state, id, walk, scratch) {
            StepResult::Moved | StepResult::Ended => return Moved::On,
            StepResult::Error(_) => return Moved::Wrong,
            StepResult::Stop(_) => return Moved::Over,
            StepResult::Blocked(kind) => blocked.push(kind),
            StepResult::Halted => {
                let Some((earlier, visible)) = before else { return Moved::Over };
                *state = earlier;
                walk.visible.truncate(visible);
                schedule.put_last(thread);
                can_end = true;
            }
        }
    }
    let stuck = machine.options.checks(Property::Deadlock)
        && !can_end
        && !blocked.is_empty()
        && blocked.iter().all(|kind| kind.waits());
    if stuck { Moved::Wrong } else { Moved::Over }
}

impl Schedule {
    fn draw(rng: &mut Rng, length: usize) -> Schedule {
        let uniform = rng.one_in(2);
        let drops = (0..rng.below(5)).map(|_| rng.below(length as u64 + 1) as usize).collect();
        Schedule { priorities: Vec::new(), drops, uniform, late_end: rng.one_in(2) }
    }

    /// Whether this thread's next step is put off if it ends the program.
    fn may_wait(&self, state: &State, thread: usize) -> bool {
        self.late_end && state.threads[thread].main && self.priorities.get(thread) != Some(&0)
    }

    fn put_last(&mut self, thread: usize) {
        if !self.uniform {
            self.priorities[thread] = 0;
        }
    }

    /// The running threads, in the order in which they are asked to move.
    fn order(&mut self, rng: &mut Rng, state: &State, step: usize) -> Vec<usize> {
        let mut running: Vec<usize> =
            (0..state.threads.len()).filter(|&t| !state.threads[t].ended()).collect();
        if self.uniform {
            for last in (1..running.len()).rev() {
                running.swap(last, rng.below(last as u64 + 1) as usize);
            }
            return running;
        }
        while self.priorities.len() < state.threads.len() {
            let first = self.may_wait(state, self.priorities.len());
            self.priorities.push(if first { u64::MAX } else { 1_000 + rng.below(1 << 32) });
        }
        running.sort_by_key(|&thread| std::cmp::Reverse(self.priorities[thread]));
        if self.drops.contains(&step) && running.len() > 1 {
            self.priorities[running[0]] = 1 + rng.below(999);
            running.rotate_left(1);
        }
        running
    }
}
