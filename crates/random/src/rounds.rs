//! Violations within a number of rounds: the reference for engines that bound context switches.
//!
//! Threads are taken in order of creation, round after round; in its turn a thread may act as long
//! as it likes, or not at all. Every execution is of this kind if there are rounds enough. The
//! search is exhaustive, on the program as it is given, and keeps whole states.

use rustc_hash::FxHashSet;
use selvedge_ir::{Program, Property};

use selvedge_exec::{BlockKind, Machine, Options, Scratch, Script, State, StepResult, ThreadId};

/// What a search within a number of rounds saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A violation, first seen in this round.
    Violation {
        round: u32,
    },
    Nothing,
    /// No violation, but something that cannot be followed.
    Stop(String),
    TooLarge,
}

/// States with their rounds, at most.
const LIMIT: usize = 30_000;

/// Whether an execution of at most `rounds` rounds goes wrong. A thread that alone exists at the
/// start may act once more after the last round: it collects what the others did.
pub fn within_rounds(program: &Program, properties: &[Property], rounds: u32) -> Seen {
    let machine = Machine::new(program, Options::new(properties));
    let initial = match machine.initial() {
        Ok(state) => state,
        Err(stop) => return Seen::Stop(stop.to_string()),
    };
    let alone = initial.threads.len() == 1;
    let mut search = Search {
        machine: &machine,
        scratch: Scratch::default(),
        last_round: move |thread| rounds + u32::from(alone && thread == 0),
        seen: FxHashSet::default(),
        waiting: Vec::new(),
        stop: None,
    };
    search.run(initial)
}

/// A state, and whose turn it is.
type Turn = (State, u32, usize);

struct Search<'a, F> {
    machine: &'a Machine<'a>,
    scratch: Scratch,
    last_round: F,
    seen: FxHashSet<Turn>,
    waiting: Vec<Turn>,
    stop: Option<String>,
}

impl<F: Fn(usize) -> u32> Search<'_, F> {
    fn run(&mut self, initial: State) -> Seen {
        self.keep(initial, 1, 0);
        while let Some((state, round, turn)) = self.waiting.pop() {
            if self.seen.len() > LIMIT {
                return Seen::TooLarge;
            }
            if self.is_violation(&state, round, turn) {
                return Seen::Violation { round };
            }
            for thread in 0..state.threads.len() {
                let Some(round) = self.round_of(thread, (round, turn)) else { continue };
                if state.threads[thread].ended() {
                    continue;
                }
                if self.act(&state, round, thread) {
                    return Seen::Violation { round };
                }
            }
        }
        self.stop.take().map_or(Seen::Nothing, Seen::Stop)
    }

    fn keep(&mut self, mut state: State, round: u32, turn: usize) {
        state.collect_symbols();
        let key = (state, round, turn);
        if !key.0.halted && self.seen.insert(key.clone()) {
            self.waiting.push(key);
        }
    }

    /// The round in which a thread can act next; none if that is too late.
    fn round_of(&self, thread: usize, (round, turn): (u32, usize)) -> Option<u32> {
        let round = if thread >= turn { round } else { round + 1 };
        (round <= (self.last_round)(thread)).then_some(round)
    }

    /// A deadlock, or a race of which there is still time for both accesses.
    fn is_violation(&mut self, state: &State, round: u32, turn: usize) -> bool {
        let Search { machine, scratch, .. } = self;
        let checks = |property| machine.options.checks(property);
        if checks(Property::Deadlock)
            && matches!(machine.global_deadlock(state, scratch), Ok(Some(_)))
        {
            return true;
        }
        if !checks(Property::Race) {
            return false;
        }
        let Ok(Some(race)) = machine.race(state, scratch) else { return false };
        let index = |t: ThreadId| t.index().expect("a thread races");
        let first = index(race.violation.thread);
        let Some(second) = race.violation.others.first().map(|(t, _)| index(*t)) else {
            return false;
        };
        let both = |a, b| {
            let round = self.round_of(a, (round, turn))?;
            self.round_of(b, (round, a))
        };
        both(first, second).or(both(second, first)).is_some()
    }

    /// Everything that one thread can do next; whether it can go wrong.
    fn act(&mut self, state: &State, round: u32, thread: usize) -> bool {
        let mut script = Script::new();
        loop {
            let mut next = state.clone();
            let id = ThreadId::from_index(thread);
            match self.machine.block_step(&mut next, id, &mut script, &mut self.scratch) {
                StepResult::Moved | StepResult::Ended => self.keep(next, round, thread),
                StepResult::Error(_) => return true,
                StepResult::Stop(stop) => {
                    self.stop.get_or_insert_with(|| stop.to_string());
                }
                // Blocked for some inputs only: these are a state of their own.
                StepResult::Blocked(kind) => self.keep_blocked(state, next, (round, thread), kind),
                StepResult::Halted => {}
            }
            if !script.next() {
                return false;
            }
        }
    }

    fn keep_blocked(&mut self, from: &State, to: State, turn: (u32, usize), kind: BlockKind) {
        if kind.waits() && to.symbols != from.symbols {
            self.keep(to, turn.0, turn.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;

    use super::*;

    fn seen(source: &str, properties: &[Property], rounds: u32) -> Seen {
        within_rounds(
            &text::parse("test.plato", source).expect("a good program"),
            properties,
            rounds,
        )
    }

    #[test]
    fn a_lost_update_takes_two_rounds() {
        let source = "shared x: i32;
            procedure inc() { local t: i32; t := x; x := t + 1; }
            procedure main() { local a: thread; local b: thread;
                a := spawn inc(); b := spawn inc(); join a; join b; assert x == 2; }
            thread main main;";
        assert_eq!(seen(source, &[Property::Assert], 1), Seen::Nothing);
        assert_eq!(seen(source, &[Property::Assert], 2), Seen::Violation { round: 3 });
    }

    #[test]
    fn the_order_of_threads_matters() {
        let first = "shared x: i32; procedure set() { x := 1; }
            procedure look() { local t: i32; t := x; assert t == 0; }";
        let with = |threads: &str| format!("{first} {threads}");
        let good = with("thread set; thread look;");
        assert_eq!(seen(&good, &[Property::Assert], 1), Seen::Violation { round: 1 });
        let late = with("thread look; thread set;");
        assert_eq!(seen(&late, &[Property::Assert], 1), Seen::Nothing);
        assert_eq!(seen(&late, &[Property::Assert], 2), Seen::Violation { round: 2 });
    }

    #[test]
    fn states_can_be_violations() {
        let race = "shared x: i32; procedure set() { x := 1; } thread set; thread set;";
        assert_eq!(seen(race, &[Property::Race], 1), Seen::Violation { round: 1 });
        let stuck = "shared x: i32; procedure stay() { wait x == 1; } thread stay;";
        assert_eq!(seen(stuck, &[Property::Deadlock], 1), Seen::Violation { round: 1 });
        assert_eq!(seen(stuck, &[Property::Assert], 1), Seen::Nothing);
    }
}
