//! Executes a schedule exactly, and says how that ends.
//!
//! A schedule lists visible actions only. After each of them the thread runs ahead: it does its
//! invisible actions at once, except two that other threads can notice: entering an atomic block,
//! which may block, and returning from `main`, which ends the program. Passes keep visible actions,
//! so a schedule found on a program that passes have changed runs on the program as lowered.

use std::fmt;

use selvedge_ir::{EdgeId, ProcId, Program, Span, Type, check, text};

use crate::alter::alteration;
use crate::code::Act;
use crate::event::Event;
use crate::fault::{Fault, Waiting};
use crate::machine::{BlockKind, Machine, Options, Scratch, StepResult};
use crate::oracle::{Access, Choice, Input, Oracle, Visible};
use crate::record::Seen;
use crate::state::State;
use crate::stop::Stop;
use crate::trace::{self, Failure, Outcome, ScheduleEntry, Step, Trace, TraceError, VisibleStep};
use crate::value::{ThreadId, Value};
use crate::violation::Violation;

/// How many actions a thread may do between two visible ones.
const INVISIBLE_LIMIT: u64 = 10_000_000;

/// How many of them it does when it runs ahead; an endless loop must not cost much.
const AHEAD_LIMIT: u64 = 1_000;

/// How many of them it does at the end of the schedule.
const FINISH_LIMIT: u64 = 100_000;

/// How a replay ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayResult {
    /// As the trace says, in every step.
    Recurs(Outcome),
    /// The schedule could be followed, but ends otherwise.
    Differs {
        expected: Outcome,
        found: Outcome,
    },
    /// It ends as the trace says, but something else in the trace is not as the program does it.
    Altered {
        what: String,
    },
    Diverged(Divergence),
}

/// Where a schedule could not be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The entry of the schedule, counted from 1.
    pub entry: usize,
    pub what: String,
}

/// Runs a trace again.
///
/// ```
/// use selvedge_exec::replay::{ReplayResult, replay};
/// use selvedge_exec::run::{Limits, run};
/// use selvedge_exec::trace::Trace;
/// use selvedge_ir::{Property, text};
///
/// let source = "procedure main() { local n: i32; havoc n; assert n != n; } thread main main;";
/// let program = text::parse("example.plato", source).expect("a good program");
/// let (trace, outcome) = run(&program, 1, &Limits::default(), &[Property::Assert]).unwrap();
/// let read_back = Trace::from_json(&trace.to_json())?;
/// assert_eq!(replay(&read_back)?, ReplayResult::Recurs(outcome));
/// # Ok::<(), selvedge_exec::trace::TraceError>(())
/// ```
pub fn replay(trace: &Trace) -> Result<ReplayResult, TraceError> {
    let program = program_of(trace)?;
    let options = Options {
        any_threads: Some(trace.options.any_threads),
        ..Options::new(&trace.options.properties)
    };
    Ok(match record(&program, &options, &trace.schedule()) {
        Err(divergence) => ReplayResult::Diverged(divergence),
        Ok(again) => compare(trace, again),
    })
}

fn compare(told: &Trace, again: Trace) -> ReplayResult {
    let same = match (&told.outcome, &again.outcome) {
        (Outcome::Violation(a), Outcome::Violation(b)) => a.recurs_as(b),
        (a, b) => a == b,
    };
    match alteration(told, &again) {
        _ if !same => {
            ReplayResult::Differs { expected: told.outcome.clone(), found: again.outcome }
        }
        Some(what) => ReplayResult::Altered { what },
        None => ReplayResult::Recurs(again.outcome),
    }
}

/// The program inside a trace.
pub fn program_of(trace: &Trace) -> Result<Program, TraceError> {
    let program = text::parse("trace", &trace.program).map_err(|errors| {
        TraceError::Program(errors.first().map_or(String::new(), ToString::to_string))
    })?;
    match check::check(&program).first() {
        Some(violation) => Err(TraceError::Program(violation.message.clone())),
        None => Ok(program),
    }
}

/// Executes a schedule and records it. After its last entry the threads do what needs none.
///
/// ```
/// use selvedge_exec::Options;
/// use selvedge_exec::replay::record;
/// use selvedge_ir::{Property, text};
///
/// let source = "shared x: i32; procedure set() { x := 1; } thread 2 set;";
/// let program = text::parse("example.plato", source).expect("a good program");
/// let trace = record(&program, &Options::new(&[Property::Race]), &[]).unwrap();
/// assert_eq!(trace.outcome.to_string(), "data race on x: write by T1 and write by T2");
/// ```
pub fn record(
    program: &Program,
    options: &Options,
    schedule: &[ScheduleEntry],
) -> Result<Trace, Divergence> {
    let machine = Machine::new(program, options.clone());
    let diverged = |entry, what: String| Divergence { entry, what };
    let state = machine.initial().map_err(|stop| diverged(0, stop.to_string()))?;
    let mut run = Follow { machine: &machine, state, steps: Vec::new(), inside: None };
    let mut ended = run.run_all_ahead(0);
    for (i, entry) in schedule.iter().enumerate() {
        if ended.is_some() {
            break;
        }
        ended = run.entry(entry).map_err(|what| diverged(i + 1, what))?;
    }
    let last = schedule.last().map(|e| ThreadId(e.thread));
    let outcome = match ended {
        Some(outcome) => outcome,
        None => run.conclude(last),
    };
    Ok(run.into_trace(outcome))
}

/// A schedule while it is followed.
struct Follow<'a> {
    machine: &'a Machine<'a>,
    state: State,
    steps: Vec<Step>,
    /// The thread that is inside an atomic block.
    inside: Option<ThreadId>,
}

/// What a thread did.
enum Did {
    /// A visible action.
    Visible,
    /// Only invisible actions, and it cannot do more of these.
    Nothing(StepResult),
    End(Outcome),
}

impl<'a> Follow<'a> {
    /// Lets a thread act up to and including its next visible action. Gives an outcome if that
    /// ends the execution.
    fn entry(&mut self, entry: &ScheduleEntry) -> Result<Option<Outcome>, String> {
        let thread = ThreadId(entry.thread);
        let exists = thread.index().is_some_and(|i| i < self.state.threads.len());
        if !exists {
            return Err(format!("there is no thread {}", entry.thread));
        }
        self.leave_block(thread)?;
        let known = self.state.threads.len();
        let mut did = self.act(thread, entry.visible)?;
        if let Did::Nothing(StepResult::Blocked(BlockKind::Join)) = did {
            if let Some(outcome) = self.finish_others(thread) {
                return Ok(Some(outcome));
            }
            did = self.act(thread, entry.visible)?;
        }
        match did {
            Did::Visible => Ok(self.run_ahead(thread).or_else(|| self.run_all_ahead(known))),
            Did::End(outcome) => Ok(Some(outcome)),
            Did::Nothing(StepResult::Blocked(kind)) => Err(format!("{thread} cannot move: {kind}")),
            Did::Nothing(_) => Err(format!("{thread} has ended")),
        }
    }

    /// Lets a thread do its invisible actions, as far as no other thread can notice.
    fn run_ahead(&mut self, thread: ThreadId) -> Option<Outcome> {
        for _ in 0..AHEAD_LIMIT {
            if !self.may_run_ahead(thread) {
                break;
            }
            let (guide, result) = self.step(thread, VisibleStep::default());
            self.inside = match result {
                StepResult::Moved if self.in_atomic(thread) => Some(thread),
                _ => None,
            };
            match result {
                StepResult::Moved | StepResult::Ended | StepResult::Error(_) => {
                    if let Some(outcome) = self.note(&guide.seen, &result) {
                        return Some(outcome);
                    }
                }
                _ => break,
            }
        }
        None
    }

    /// Likewise the threads from the one at `first` on.
    fn run_all_ahead(&mut self, first: usize) -> Option<Outcome> {
        (first..self.state.threads.len()).find_map(|i| self.run_ahead(ThreadId::from_index(i)))
    }

    /// Whether the thread's next action is one that [`Follow::run_ahead`] does.
    fn may_run_ahead(&mut self, id: ThreadId) -> bool {
        let thread = self.state.thread(id);
        if self.state.halted || thread.ended() {
            return false;
        }
        let frame = *thread.top();
        let returns_from_main = thread.main && thread.frames.len() == 1;
        let location = self.machine.code.location(frame.procedure, frame.at);
        if location.enters_block && !self.in_atomic(id) {
            return false;
        }
        let mut guide = Guide::new(VisibleStep::default());
        let Ok(Ok((index, None))) = self.machine.choose_edge(&mut self.state, id, &mut guide)
        else {
            return false;
        };
        let edge = &location.edges[index];
        let ends_main =
            returns_from_main && edge.target == self.machine.code.procedure(frame.procedure).exit;
        !edge.act.is_visible() && !matches!(edge.act, Act::Unsupported) && !ends_main
    }

    /// A thread waits for another, which may come to its end by invisible actions alone.
    fn finish_others(&mut self, waiting: ThreadId) -> Option<Outcome> {
        let others: Vec<ThreadId> = self.state.thread_ids().filter(|t| *t != waiting).collect();
        others.into_iter().find_map(|thread| {
            let (outcome, _) = self.finish(thread, false)?;
            matches!(outcome, Outcome::Violation(_)).then_some(outcome)
        })
    }

    fn in_atomic(&self, thread: ThreadId) -> bool {
        self.machine.in_atomic(self.state.thread(thread))
    }

    /// Lets a thread do one action, with the answers of an entry.
    fn step(&mut self, thread: ThreadId, entry: VisibleStep) -> (Guide, StepResult) {
        let mut guide = Guide::new(entry);
        guide.seen.depth = self.state.thread(thread).frames.len();
        let result = self.machine.step(&mut self.state, thread, &mut guide);
        (guide, result)
    }

    fn act(&mut self, thread: ThreadId, entry: VisibleStep) -> Result<Did, String> {
        for _ in 0..INVISIBLE_LIMIT {
            let (guide, result) = self.step(thread, entry);
            if let Some(problem) = guide.problem {
                return Err(problem);
            }
            let ended = self.note(&guide.seen, &result);
            if let Some(outcome) = ended {
                return Ok(Did::End(outcome));
            }
            self.inside = match result {
                StepResult::Moved if self.in_atomic(thread) => Some(thread),
                _ => None,
            };
            if let Some(visible) = guide.seen.visible {
                check_same(entry, visible)?;
                return Ok(Did::Visible);
            }
            if result != StepResult::Moved {
                return Ok(Did::Nothing(result));
            }
        }
        Err(format!("{thread} does not come to a visible action within {INVISIBLE_LIMIT} actions"))
    }

    /// Another thread is to act: whoever is inside an atomic block must come out of it first,
    /// without a visible action.
    fn leave_block(&mut self, next: ThreadId) -> Result<(), String> {
        let Some(thread) = self.inside.filter(|t| *t != next) else { return Ok(()) };
        for _ in 0..INVISIBLE_LIMIT {
            if !self.in_atomic(thread) {
                self.inside = None;
                return Ok(());
            }
            let (guide, result) = self.step(thread, VisibleStep::default());
            if result != StepResult::Moved || guide.seen.visible.is_some() {
                break;
            }
            self.note(&guide.seen, &result);
        }
        Err(format!("{next} acts while {thread} is inside an atomic block"))
    }

    /// Records a step; gives an outcome if it ends the execution.
    fn note(&mut self, seen: &Seen, result: &StepResult) -> Option<Outcome> {
        let failed = matches!(result, StepResult::Error(_) | StepResult::Stop(_));
        if !matches!(result, StepResult::Blocked(_)) {
            self.steps.extend(seen.step(self.machine, &self.state, failed));
        }
        match result {
            StepResult::Error(violation) => Some(self.violation(violation)),
            StepResult::Stop(stop) => Some(stopped(stop)),
            _ => None,
        }
    }

    fn violation(&self, violation: &Violation) -> Outcome {
        let mut failure = Failure::of(self.machine.program, violation);
        if let Fault::Deadlock { waiting, .. } = &mut failure.fault {
            waiting.iter_mut().for_each(|waiting| waiting.since = self.taken_at(waiting));
        }
        failure.calls = self.machine.calls(&self.state, ThreadId(failure.thread));
        // Where the other thread was at an access before is not where it is now.
        let earlier = matches!(&failure.fault, Fault::Race { second, .. } if second.earlier);
        for other in failure.others.iter_mut().filter(|_| !earlier) {
            other.calls = self.machine.calls(&self.state, ThreadId(other.thread));
        }
        Outcome::Violation(failure)
    }

    /// The line where the lock that a thread waits for was taken.
    fn taken_at(&self, waiting: &Waiting) -> Option<u32> {
        let lock = waiting.lock.as_ref()?;
        let taken = self.steps.iter().rev().find(|step| {
            Some(step.thread) == waiting.of
                && matches!(&step.event, Event::Lock { place } if place == lock)
        })?;
        Some(taken.place.as_ref()?.line)
    }

    /// The outcome at the end of the schedule. The threads do their invisible actions, first the
    /// one that acted last; an error there ends the execution. Otherwise the state may be a race or
    /// a deadlock.
    fn conclude(&mut self, last: Option<ThreadId>) -> Outcome {
        let others = self.state.thread_ids().filter(|t| Some(*t) != last);
        let mut stop = None;
        for thread in last.into_iter().chain(others) {
            match self.finish(thread, false) {
                Some((outcome @ Outcome::Violation(_), _)) => return outcome,
                Some(cut) => stop = stop.or(Some(cut)),
                None => {}
            }
        }
        let mut scratch = Scratch::default();
        let found = self.found(&mut scratch);
        match (found, stop) {
            (Ok(Some(violation)), _) => self.violation(&violation),
            (_, Some((outcome, last))) => {
                self.steps.extend(last);
                outcome
            }
            (Err(stop), None) => stopped(&stop),
            (Ok(None), None) => {
                for thread in self.state.thread_ids() {
                    self.finish(thread, true);
                }
                self.rest(&mut scratch)
            }
        }
    }

    fn found(&self, scratch: &mut Scratch) -> Result<Option<Violation>, Stop> {
        let options = &self.machine.options;
        if options.checks(selvedge_ir::Property::Race)
            && let Some(race) = self.machine.race(&self.state, scratch)?
        {
            return Ok(Some(race.violation));
        }
        if options.checks(selvedge_ir::Property::Deadlock) {
            return self.machine.deadlock(&self.state, scratch);
        }
        Ok(None)
    }

    /// The outcome of an execution without error.
    fn rest(&self, scratch: &mut Scratch) -> Outcome {
        if self.state.halted || self.state.threads.iter().all(|t| t.ended()) {
            return Outcome::Finished;
        }
        let mut blocked = true;
        let mut excluded = false;
        for thread in self.state.thread_ids().filter(|t| !self.state.thread(*t).ended()) {
            match self.machine.why_blocked(&self.state, thread, scratch) {
                Ok(Some(kind)) => excluded |= !kind.waits(),
                _ => blocked = false,
            }
        }
        match (blocked, excluded) {
            (false, _) => Outcome::StepLimit,
            (true, true) => Outcome::AssumptionFailed,
            (true, false) => Outcome::Blocked,
        }
    }

    /// Lets a thread do its invisible actions. It stops before an atomic block with visible ones,
    /// and before the end of the program unless `may_halt`. An action that cannot be followed is
    /// undone; the result is its outcome and its step.
    fn finish(&mut self, thread: ThreadId, may_halt: bool) -> Option<(Outcome, Option<Step>)> {
        let (mut state, mut steps) = (self.state.clone(), self.steps.len());
        for _ in 0..FINISH_LIMIT {
            if self.state.halted || self.state.thread(thread).ended() {
                break;
            }
            if !self.in_atomic(thread) {
                (state, steps) = (self.state.clone(), self.steps.len());
            }
            let (guide, result) = self.step(thread, VisibleStep::default());
            // An action that needs an entry of the schedule shows only if it goes wrong at once.
            let visible = guide.seen.visible.is_some() || guide.problem.is_some();
            match result {
                StepResult::Error(_) if guide.problem.is_none() => {
                    return self.note(&guide.seen, &result).map(|outcome| (outcome, None));
                }
                StepResult::Stop(stop) => {
                    let step = guide.seen.step(self.machine, &self.state, true);
                    self.state = state;
                    self.steps.truncate(steps);
                    return Some((stopped(&stop), step.map(|step| Step { visible: None, ..step })));
                }
                StepResult::Moved | StepResult::Ended if !visible => {
                    self.note(&guide.seen, &result);
                }
                StepResult::Halted if !visible && may_halt => {
                    self.note(&guide.seen, &result);
                }
                _ => {
                    self.state = state;
                    self.steps.truncate(steps);
                    break;
                }
            }
        }
        None
    }

    fn into_trace(self, outcome: Outcome) -> Trace {
        let Machine { program, options, .. } = self.machine;
        Trace {
            format: trace::FORMAT,
            tool: trace::tool(),
            options: trace::Options {
                model: program.model,
                properties: options.properties.clone(),
                any_threads: options.any_threads.unwrap_or(0),
            },
            sources: program.files.values().map(|f| f.name.clone()).collect(),
            program: text::print(program),
            steps: self.steps,
            outcome,
        }
    }
}

fn stopped(stop: &Stop) -> Outcome {
    Outcome::Stopped { reason: stop.to_string() }
}

/// Checks that a visible action made the choice and took the input that the schedule has.
fn check_same(entry: VisibleStep, visible: Visible) -> Result<(), String> {
    let input = visible.input.map(|v| if let Value::Int(bits) = v { bits } else { 0 });
    match (entry.choice.is_some(), visible.choice.is_some()) {
        (true, false) => return Err("the schedule has a choice here, the program has none".into()),
        (false, true) => return Err("the program has a choice here, the schedule has none".into()),
        _ => {}
    }
    if entry.older.is_some_and(|older| visible.older != Some(older)) {
        return Err("the schedule has an older value here, the program has none".into());
    }
    match (entry.input, input) {
        (Some(a), Some(b)) if a != b => Err(format!("input {a} does not fit its type")),
        (Some(_), None) => Err("the schedule has an input here, the program has none".into()),
        (None, Some(_)) => Err("the program has an input here, the schedule has none".into()),
        _ => Ok(()),
    }
}

/// Answers as one entry of a schedule says, and watches the action.
struct Guide {
    entry: VisibleStep,
    seen: Seen,
    /// The entry has no answer to what was asked.
    problem: Option<String>,
}

impl Guide {
    fn new(entry: VisibleStep) -> Guide {
        Guide { entry, seen: Seen::default(), problem: None }
    }
}

impl Oracle for Guide {
    fn choose(&mut self, n: usize, what: Choice) -> usize {
        let answer = match what {
            Choice::Older => Some(self.entry.older.unwrap_or(0)),
            _ => self.entry.choice,
        };
        match answer {
            Some(choice) if (choice as usize) < n => choice as usize,
            Some(choice) => {
                self.problem = Some(format!("choice {choice}, counted from 0, of only {n}"));
                0
            }
            None => {
                self.problem = Some("the program has a choice here, the schedule has none".into());
                0
            }
        }
    }

    fn input(&mut self, _ty: Type, _span: Span) -> Input {
        if self.entry.input.is_none() {
            self.problem = Some("the program has an input here, the schedule has none".into());
        }
        Input::Bits(self.entry.input.unwrap_or(0))
    }

    fn visible(&mut self, action: Visible) {
        self.seen.visible = Some(action);
    }

    fn edge(&mut self, thread: ThreadId, procedure: ProcId, edge: EdgeId) {
        self.seen.edge = Some((thread, procedure, edge));
    }

    fn access(&mut self, access: Access) {
        self.seen.access = Some(access);
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schedule cannot be followed at entry {}: {}", self.entry, self.what)
    }
}

impl std::error::Error for Divergence {}

#[cfg(test)]
mod tests {
    use selvedge_ir::Property;

    use super::*;
    use crate::event::{Attempt, Event};

    const SOURCE: &str = "shared x: i32;
        procedure inc() { local t: i32; t := x; x := t + 1; }
        procedure main() { local a: thread; local b: thread; local n: i32;
            havoc n; a := spawn inc(); b := spawn inc(); join a; join b;
            assert x == n \"sum\"; }
        thread main main;";

    /// Thread, choice and input of each entry.
    fn schedule(entries: &[(u32, Option<u64>)]) -> Vec<ScheduleEntry> {
        let entry = |&(thread, input): &(u32, Option<u64>)| ScheduleEntry {
            thread,
            visible: VisibleStep { choice: None, input, older: None },
        };
        entries.iter().map(entry).collect()
    }

    fn lost_update() -> Vec<ScheduleEntry> {
        let rest = [1, 1, 2, 3, 2, 3, 1, 1, 1].map(|t| (t, None));
        schedule(&[&[(1, Some(2))], &rest[..]].concat())
    }

    fn recorded(schedule: &[ScheduleEntry]) -> Result<Trace, Divergence> {
        let program = text::parse("test.plato", SOURCE).expect("a good program");
        record(&program, &Options::new(&[Property::Assert]), schedule)
    }

    #[test]
    fn a_schedule_becomes_a_trace() {
        let trace = recorded(&lost_update()).unwrap();
        assert_eq!(
            trace.failure().map(|f| f.fault.to_string()),
            Some("assertion fails: sum".into())
        );
        let shown: Vec<String> =
            trace.steps.iter().map(|s| format!("T{} {}", s.thread, s.event)).collect();
        let expected = [
            "T1 input n = 2",
            "T1 start thread T2",
            "T1 start thread T3",
            "T2 read x = 0",
            "T3 read x = 0",
            "T2 write x = 1",
            "T3 write x = 1",
            "T1 join T2",
            "T1 join T3",
            "T1 read x = 1",
            "T1 sum",
        ];
        assert_eq!(shown, expected);
        assert_eq!(trace.schedule(), lost_update());
        assert!(matches!(replay(&trace), Ok(ReplayResult::Recurs(_))));
    }

    #[test]
    fn another_input_gives_another_outcome() {
        let mut trace = recorded(&lost_update()).unwrap();
        let input = trace.steps.iter_mut().find_map(|s| s.visible.as_mut()).unwrap();
        input.input = Some(1);
        let Ok(ReplayResult::Differs { found, .. }) = replay(&trace) else { panic!("it differs") };
        assert_eq!(found, Outcome::Finished);
    }

    #[track_caller]
    fn diverges(schedule: &[ScheduleEntry], entry: usize, what: &str) {
        let divergence = recorded(schedule).expect_err("it cannot be followed");
        assert_eq!(divergence.entry, entry);
        assert!(divergence.what.starts_with(what), "{divergence}");
    }

    #[test]
    fn divergences_name_their_place() {
        diverges(
            &schedule(&[(1, None)]),
            1,
            "the program has an input here, the schedule has none",
        );
        diverges(&schedule(&[(2, None)]), 1, "there is no thread 2");
        diverges(
            &schedule(&[(1, Some(1)), (1, Some(1))]),
            2,
            "the schedule has an input here, the program has none",
        );
        let early = [(1, Some(1)), (1, None), (1, None), (1, None)];
        diverges(&schedule(&early), 4, "T1 cannot move");
        let mut late = lost_update();
        late.push(late[4]);
        diverges(
            &late[..10].iter().chain([&late[10]]).copied().collect::<Vec<_>>(),
            11,
            "T3 has ended",
        );
    }

    fn recorded_alone(source: &str, property: Property) -> Trace {
        let program = text::parse("test.plato", source).expect("a good program");
        record(&program, &Options::new(&[property]), &[]).expect("nothing to follow")
    }

    #[test]
    fn a_fault_to_come_hides_no_race() {
        let source = "shared g: i32;
            procedure fault() { local t: i32;
                L0: skip -> L1; atomic L1: skip -> L2;
                L2: t := load *(null): i32 -> L3; exit L3: }
            procedure write() { L0: skip -> L1; atomic L1: skip -> L2;
                L2: store g := 1 -> L3; exit L3: }
            thread fault; thread 2 write;";
        let read = Event::Fails { action: Attempt::Read };
        let trace = recorded_alone(source, Property::Race);
        assert_eq!(trace.failure().map(|f| (f.thread, f.others[0].thread)), Some((2, 3)));
        assert!(trace.steps.iter().all(|s| s.event != read), "{:?}", trace.steps);
        let alone = source.replace("thread 2 write;", "");
        let trace = recorded_alone(&alone, Property::Race);
        assert!(matches!(trace.outcome, Outcome::Stopped { .. }));
        assert_eq!(trace.steps.last().map(|s| (&s.event, s.visible)), Some((&read, None)));
    }

    #[test]
    fn a_failure_says_who_called() {
        let source = "procedure leaf(x: i32) { assert x == 1 \"wrong\"; }
            procedure middle() {
                call leaf(1);
                call leaf(2);
            }
            procedure main() {
                call middle(); }
            thread main main;";
        let trace = recorded_alone(source, Property::Assert);
        let failure = trace.failure().expect("it fails");
        let calls: Vec<(&str, u32)> = (failure.calls.iter())
            .map(|c| (c.procedure.as_str(), c.place.as_ref().map_or(0, |p| p.line)))
            .collect();
        assert_eq!(calls, [("middle", 4), ("main", 7)]);
        assert_eq!(Trace::from_json(&trace.to_json()).as_ref(), Ok(&trace));
    }

    #[test]
    fn a_recursive_call_changes_nothing_yet() {
        let source = "shared x: i32;
            procedure sum(n: i32) -> s { local s: i32;
                L0: assume n == 0 -> L1; assume n != 0 -> L2;
                L1: s := load x -> L3;
                L2: s := call sum(n - 1) -> L3; exit L3: }
            procedure main() { local r: i32; r := call sum(1); }
            thread main main;";
        let program = text::parse("test.plato", source).expect("a good program");
        let trace = record(&program, &Options::new(&[]), &schedule(&[(1, None)])).unwrap();
        let shown: Vec<String> = trace.steps.iter().map(|s| s.event.to_string()).collect();
        assert_eq!(shown, ["call sum", "call sum", "read x = 0"]);
        assert!(trace.steps.iter().all(|s| s.changes.is_empty()), "{:?}", trace.steps);
    }

    #[test]
    fn traces_without_calls_are_still_read() {
        let trace = recorded(&lost_update()).unwrap();
        let json = trace.to_json();
        assert!(!json.contains("\"calls\""));
        assert_eq!(Trace::from_json(&json), Ok(trace));
    }

    #[test]
    fn broken_traces_are_refused() {
        let good = recorded(&lost_update()).unwrap();
        let error = |json: &str| Trace::from_json(json).unwrap_err().to_string();
        assert!(error("").starts_with("not JSON"));
        assert!(error("[]").starts_with("not a trace: no field `format`"));
        assert!(error("{\"format\": 99}").starts_with("trace format 99"));
        assert_eq!(error("{\"format\": 1}"), "trace format 1, but this version reads format 2");
        assert!(error("{\"format\": 2}").starts_with("not a trace: missing field"));
        let bad = good.to_json().replace("\"assert\"", "\"speed\"");
        assert_eq!(error(&bad), "not a trace: no property is called `speed`");
        let mut bad = good;
        bad.program = "shared x".into();
        assert!(matches!(replay(&bad), Err(TraceError::Program(_))));
    }
}
