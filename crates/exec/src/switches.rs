//! Fewer changes of thread in a trace: people follow one thread at a time.
//!
//! A search finds some interleaving, and often a thread is interrupted in it for no reason. Two
//! stretches of one thread are put together, by doing the later one sooner or the earlier one
//! later, wherever the same violation still comes of it. Each change is judged by a replay.

use selvedge_ir::Program;

use crate::replay::record;
use crate::trace::ScheduleEntry;
use crate::{Options, Trace};

/// Attempts, and the length of all of them together: a long trace is tried less often.
const REPLAYS: u32 = 300;
const LENGTH: usize = 200_000;

/// The same violation with at most as many changes of thread.
pub fn fewer_switches(program: &Program, options: &Options, trace: Trace) -> Trace {
    let mut attempts = Attempts { program, options, replays: REPLAYS, length: LENGTH, best: None };
    let mut stretches = stretches(&trace.schedule());
    let mut at = 0;
    while at < stretches.len() {
        match attempts.join(&trace, &stretches, at) {
            Some(better) => stretches = better,
            None => at += 1,
        }
    }
    attempts.best.unwrap_or(trace)
}

/// Stretches of a schedule in which one thread acts.
type Stretches = Vec<Vec<ScheduleEntry>>;

fn stretches(schedule: &[ScheduleEntry]) -> Stretches {
    schedule.chunk_by(|a, b| a.thread == b.thread).map(<[_]>::to_vec).collect()
}

struct Attempts<'a> {
    program: &'a Program,
    options: &'a Options,
    /// What is left of each.
    replays: u32,
    length: usize,
    best: Option<Trace>,
}

impl Attempts<'_> {
    /// Tries to join a stretch and the next of its thread.
    fn join(&mut self, trace: &Trace, known: &Stretches, at: usize) -> Option<Stretches> {
        let thread = known[at][0].thread;
        let next = (at + 1..known.len()).find(|&other| known[other][0].thread == thread)?;
        let sooner = moved(known, next, at + 1);
        let later = moved(known, at, next - 1);
        [sooner, later].into_iter().find_map(|changed| {
            let found = self.replay(trace, &changed.concat())?;
            let better = stretches(&found.schedule());
            if better.len() >= known.len() {
                return None;
            }
            self.best = Some(found);
            Some(better)
        })
    }

    /// The trace of a schedule, if it ends with the same violation and may still be tried.
    fn replay(&mut self, trace: &Trace, schedule: &[ScheduleEntry]) -> Option<Trace> {
        self.replays = self.replays.checked_sub(1)?;
        self.length = self.length.checked_sub(trace.steps.len())?;
        let found = record(self.program, self.options, schedule).ok();
        let same = |found: &Trace| match (trace.failure(), found.failure()) {
            (Some(expected), Some(failure)) => expected.recurs_as(failure),
            _ => false,
        };
        // What comes behind the violation is not part of it.
        found.filter(|found| same(found) && found.schedule() == schedule)
    }
}

fn moved(known: &Stretches, from: usize, to: usize) -> Stretches {
    let mut changed = known.clone();
    let stretch = changed.remove(from);
    changed.insert(to, stretch);
    changed
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Property, text};

    use super::*;
    use crate::trace::VisibleStep;

    /// The threads of the schedule before and after.
    #[track_caller]
    fn check(body: &str, before: &[u32], after: &[u32]) {
        let source = format!("shared x: i32; shared y: i32; shared z: i32; {body}");
        let program = text::parse("test.plato", &source).expect("a good program");
        let options = Options::new(&[Property::Assert]);
        let entry = |&thread: &u32| ScheduleEntry { thread, visible: VisibleStep::default() };
        let schedule: Vec<ScheduleEntry> = before.iter().map(entry).collect();
        let trace = record(&program, &options, &schedule).expect("it can be followed");
        assert!(trace.failure().is_some(), "{}", trace.outcome);
        let trace = fewer_switches(&program, &options, trace);
        assert!(trace.failure().is_some());
        let threads: Vec<u32> = trace.schedule().iter().map(|e| e.thread).collect();
        assert_eq!(threads, after);
    }

    #[test]
    fn needless_changes_of_thread_go() {
        let body = "procedure a() { x := 1; y := 1; z := 1; }
            procedure b() { local t: i32; y := 2; x := 2; t := z; assert t == 0 \"none\"; }
            thread a; thread b;";
        check(body, &[1, 2, 1, 2, 1, 2], &[1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn changes_of_thread_that_matter_stay() {
        let body = "procedure a() { local t: i32; x := 1; t := y; assert t == 0 \"none\"; }
            procedure b() { local t: i32; t := x; assume t == 1; y := 1; }
            thread a; thread b;";
        check(body, &[1, 2, 2, 1], &[1, 2, 2, 1]);
    }
}
