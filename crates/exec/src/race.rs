//! Data races: two threads that can both access overlapping memory next, at least one of them to
//! write and at least one of them plainly.
//!
//! What a thread can do next is one action or one atomic block. A block is executed on a copy of
//! the state to collect its accesses. A block that blocks has none, since it does not start. One
//! that cannot be followed counts as having none, so that races between other threads are found.

use selvedge_ir::{Span, Type};

use crate::code::{Act, Reach};
use crate::fault::{AccessKind, Fault, RacingAccess};
use crate::machine::eval::{Context, View, Wrong};
use crate::machine::{Machine, Scratch, StepResult};
use crate::oracle::{Access, Choice, Input, Oracle, Script};
use crate::state::State;
use crate::stop::Stop;
use crate::symbol::Symbol;
use crate::value::{Target, ThreadId};
use crate::violation::Violation;

/// A race, and the values of the open inputs with which it happens.
#[derive(Clone, Debug)]
pub struct Race {
    pub violation: Violation,
    /// For `State::symbols`.
    pub symbols: Vec<Symbol>,
}

/// One way in which a thread can go on.
struct Next {
    accesses: Vec<Access>,
    symbols: Vec<Symbol>,
}

impl Machine<'_> {
    /// Looks for a race in a state. Where none is found, but some thread cannot be followed, the
    /// result is the reason for that.
    pub fn race(&self, state: &State, scratch: &mut Scratch) -> Result<Option<Race>, Stop> {
        if state.halted {
            return Ok(None);
        }
        let threads: Vec<(ThreadId, Reach)> = state
            .thread_ids()
            .map(|t| (t, self.reach(state, t)))
            .filter(|(_, reach)| !reach.is_nothing())
            .collect();
        let possible = |i: usize, (_, a): &(ThreadId, Reach)| {
            threads.iter().enumerate().any(|(j, (_, b))| i != j && a.may_race(b))
        };
        let threads: Vec<ThreadId> = (threads.iter().enumerate())
            .filter(|(i, thread)| possible(*i, thread))
            .map(|(_, (id, _))| *id)
            .collect();
        let mut ways = Vec::with_capacity(threads.len());
        let mut cut = None;
        for thread in threads {
            ways.push((thread, self.ways(state, thread, scratch, &mut cut)));
        }
        for (i, (first, ways_first)) in ways.iter().enumerate() {
            for (second, ways_second) in &ways[i + 1..] {
                for (a, b) in pairs(ways_first, ways_second) {
                    if let Some(race) = self.between(state, (*first, a), (*second, b)) {
                        return Ok(Some(race));
                    }
                }
            }
        }
        match cut {
            Some(stop) => Err(stop),
            None => Ok(None),
        }
    }

    fn reach(&self, state: &State, thread: ThreadId) -> Reach {
        let thread = state.thread(thread);
        match thread.frames.last() {
            None => Reach::default(),
            Some(_) if thread.frames.len() > 1 && self.in_atomic(thread) => Reach::ALL,
            Some(frame) => self.code.location(frame.procedure, frame.at).reach,
        }
    }

    /// Every way in which a thread can go on that accesses memory. `cut` gets the first that cannot
    /// be followed.
    fn ways(
        &self,
        state: &State,
        thread: ThreadId,
        scratch: &mut Scratch,
        cut: &mut Option<Stop>,
    ) -> Vec<Next> {
        if let Some(ways) = self.simple_way(state, thread, cut) {
            return ways;
        }
        let mut ways = Vec::new();
        let mut collector = Collector::default();
        let mut trial = std::mem::take(&mut scratch.speculation);
        loop {
            trial.clone_from(state);
            match self.block_step(&mut trial, thread, &mut collector, scratch) {
                StepResult::Stop(stop) => {
                    cut.get_or_insert(*stop);
                    collector.accesses.clear();
                }
                StepResult::Blocked(_) | StepResult::Error(_) => collector.accesses.clear(),
                StepResult::Moved | StepResult::Ended | StepResult::Halted => {}
            }
            // What the block itself makes belongs to its thread; its number is taken by nobody yet.
            collector.accesses.retain(|access| match access.target {
                Target::Heap(index) => (index as usize) < state.heap.len(),
                _ => true,
            });
            if !collector.accesses.is_empty() {
                let symbols = trial.symbols[..state.symbols.len()].to_vec();
                ways.push(Next { accesses: std::mem::take(&mut collector.accesses), symbols });
            }
            if !collector.script.next() {
                break;
            }
        }
        scratch.speculation = trial;
        ways
    }

    /// The common case without a copy of the state: one plain or atomic access, outside blocks,
    /// and no open inputs. None in all other cases.
    fn simple_way(&self, state: &State, id: ThreadId, cut: &mut Option<Stop>) -> Option<Vec<Next>> {
        let thread = state.thread(id);
        let frame = thread.top();
        let location = self.code.location(frame.procedure, frame.at);
        let [edge] = &location.edges[..] else { return None };
        let (place, write, mode) = match &edge.act {
            Act::Load { from, mode, .. } => (from, false, *mode),
            Act::Store { to, mode, .. } => (to, true, *mode),
            _ => return None,
        };
        if location.enters_block || !state.symbols.is_empty() || self.in_atomic(thread) {
            return None;
        }
        let mut collector = Collector::default();
        let mut context = Context {
            machine: self,
            thread: id,
            locals: &thread.locals[frame.base as usize..],
            own: &thread.own,
            symbols: &mut [],
            oracle: &mut collector,
            span: edge.span,
        };
        match context.spot(View { statics: &state.statics, heap: &state.heap }, place) {
            Ok(spot) => {
                context.note(spot, place.ty, write, mode);
            }
            Err(Wrong::Error(_)) => return Some(Vec::new()),
            Err(Wrong::Stop(stop)) => {
                cut.get_or_insert(*stop);
                return Some(Vec::new());
            }
        }
        Some(vec![Next { accesses: collector.accesses, symbols: Vec::new() }])
    }

    fn between(
        &self,
        state: &State,
        (first, a): (ThreadId, &Next),
        (second, b): (ThreadId, &Next),
    ) -> Option<Race> {
        let (x, y) = pairs(&a.accesses, &b.accesses).find(|(x, y)| x.races_with(y))?;
        let symbols = intersection(&a.symbols, &b.symbols)?;
        let fault = Fault::Race {
            place: self.name_of(state, x.target, x.offset as i64),
            first: racing(first, x),
            second: racing(second, y),
        };
        let mut violation = Violation::new(fault, x.span, first);
        violation.others = vec![(second, y.span)];
        Some(Race { violation, symbols })
    }
}

fn racing(thread: ThreadId, access: &Access) -> RacingAccess {
    let access = if access.write { AccessKind::Write } else { AccessKind::Read };
    RacingAccess { thread: thread.0, access, earlier: false }
}

fn pairs<'a, T>(a: &'a [T], b: &'a [T]) -> impl Iterator<Item = (&'a T, &'a T)> {
    a.iter().flat_map(move |x| b.iter().map(move |y| (x, y)))
}

/// What two refinements of the same intervals have in common; none if there is a symbol without a
/// value left.
fn intersection(a: &[Symbol], b: &[Symbol]) -> Option<Vec<Symbol>> {
    let both = |(x, y): (&Symbol, &Symbol)| {
        let (lo, hi) = (x.lo.max(y.lo), x.hi.min(y.hi));
        (lo <= hi).then_some(Symbol { lo, hi, ..*x })
    };
    a.iter().zip(b).map(both).collect()
}

/// Goes through all choices and notes the accesses.
#[derive(Default)]
struct Collector {
    script: Script,
    accesses: Vec<Access>,
}

impl Oracle for Collector {
    fn choose(&mut self, n: usize, what: Choice) -> usize {
        self.script.choose(n, what)
    }

    fn input(&mut self, ty: Type, span: Span) -> Input {
        self.script.input(ty, span)
    }

    fn access(&mut self, access: Access) {
        self.accesses.push(access);
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Property, text};

    use super::*;
    use crate::Options;

    fn search(text: &str) -> Result<Option<String>, Stop> {
        let program = text::parse("test.plato", text).expect("a good program");
        let machine = Machine::new(&program, Options::new(&[Property::Race]));
        let race = machine.race(&machine.initial()?, &mut Scratch::default())?;
        Ok(race.map(|race| race.violation.fault.to_string()))
    }

    const FAULT: &str = "shared g: i32;
        procedure fault() { L0: store *(null): i32 := 1 -> L1; exit L1: }
        procedure choice() {
            L0: store *(null): i32 := 1 -> L1; store g := 2 -> L1;
            exit L1: }
        procedure write() { L0: store g := 1 -> L1; exit L1: }
        thread fault;";

    #[test]
    fn what_two_blocks_make_is_not_the_same() {
        let text = "procedure work() { local p: ptr;
            L0: p := alloc heap i32 size 4 -> L1; atomic L1: free heap p -> L2; exit L2: }
            layout i32 = scalar i32 size 4; thread 2 work;";
        assert_eq!(search(text), Ok(None));
    }

    #[test]
    fn a_fault_to_come_hides_no_race_of_others() {
        let race = search(&format!("{FAULT} thread 2 write;"));
        assert_eq!(race, Ok(Some("data race on g: write by T2 and write by T3".into())));
    }

    #[test]
    fn a_fault_to_come_hides_no_other_way_of_its_thread() {
        let race = search(&format!("{FAULT} thread choice; thread write;"));
        assert_eq!(race, Ok(Some("data race on g: write by T2 and write by T3".into())));
    }

    #[test]
    fn without_a_race_a_fault_is_no_answer() {
        let race = search(&format!("{FAULT} thread write;"));
        assert!(matches!(race, Err(Stop::Undefined { .. })), "{race:?}");
    }
}
