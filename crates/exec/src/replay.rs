//! Runs a schedule again, exactly, and says what comes of it.
//!
//! A schedule names visible actions only. Between two of them a thread does what it must: actions
//! that concern nobody else. Those are done as late as possible, when the thread is next to act
//! or the schedule is over. So a schedule found on a program changed by passes, which keep visible
//! actions, runs on the program as it was lowered.

use std::fmt;

use selvedge_ir::{EdgeId, ProcId, Program, Span, Type, check, text};

use crate::machine::{Machine, Options, Scratch, StepResult};
use crate::oracle::{Access, Choice, Input, Oracle, Visible};
use crate::record::Seen;
use crate::state::State;
use crate::stop::Stop;
use crate::trace::{self, Failure, Outcome, ScheduleEntry, Step, Trace, TraceError, VisibleStep};
use crate::value::{ThreadId, Value};
use crate::verdict::Violation;

/// How many actions a thread may do between two visible ones.
const INVISIBLE_LIMIT: u64 = 10_000_000;

/// What came of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayResult {
    /// As the trace says. Where that is a violation: the same property at the same place.
    Recurs(Outcome),
    Differs { expected: Outcome, found: Outcome },
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
pub fn replay(trace: &Trace) -> Result<ReplayResult, TraceError> {
    let program = program_of(trace)?;
    let options = Options {
        any_threads: Some(trace.options.any_threads),
        ..Options::new(&trace.properties()?)
    };
    Ok(match record(&program, &options, &trace.schedule()) {
        Err(divergence) => ReplayResult::Diverged(divergence),
        Ok(again) => compare(trace.outcome.clone(), again.outcome),
    })
}

fn compare(expected: Outcome, found: Outcome) -> ReplayResult {
    let same = match (&expected, &found) {
        (Outcome::Violation(a), Outcome::Violation(b)) => a.recurs_as(b),
        (a, b) => a == b,
    };
    if same { ReplayResult::Recurs(found) } else { ReplayResult::Differs { expected, found } }
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

/// Runs a schedule and writes down all of it.
pub fn record(
    program: &Program,
    options: &Options,
    schedule: &[ScheduleEntry],
) -> Result<Trace, Divergence> {
    let machine = Machine::new(program, options.clone());
    let diverged = |entry, what: String| Divergence { entry, what };
    let state = machine.initial().map_err(|stop| diverged(0, stop.to_string()))?;
    let mut run = Follow { machine: &machine, state, steps: Vec::new(), inside: None };
    let mut ended = None;
    for (i, entry) in schedule.iter().enumerate() {
        if let Some(outcome) = run.entry(entry).map_err(|what| diverged(i + 1, what))? {
            ended = Some(outcome);
            break;
        }
    }
    let last = schedule.last().map(|e| ThreadId(e.thread));
    let outcome = match ended {
        Some(outcome) => outcome,
        None => run.conclude(last),
    };
    Ok(run.into_trace(outcome))
}

/// A schedule on its way.
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
    /// Only actions that are not visible, and cannot go on so.
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
        match self.act(thread, entry.visible)? {
            Did::Visible => Ok(None),
            Did::End(outcome) => Ok(Some(outcome)),
            Did::Nothing(StepResult::Blocked(kind)) => {
                Err(format!("{thread} cannot move ({kind:?})"))
            }
            Did::Nothing(_) => Err(format!("{thread} has ended")),
        }
    }

    fn act(&mut self, thread: ThreadId, entry: VisibleStep) -> Result<Did, String> {
        for _ in 0..INVISIBLE_LIMIT {
            let mut guide = Guide::new(entry);
            let result = self.machine.step(&mut self.state, thread, &mut guide);
            if let Some(problem) = guide.problem {
                return Err(problem);
            }
            let ended = self.note(&guide.seen, &result);
            if let Some(outcome) = ended {
                return Ok(Did::End(outcome));
            }
            self.inside = match result {
                StepResult::Moved if self.machine.in_atomic(self.state.thread(thread)) => {
                    Some(thread)
                }
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
        Err(format!("{thread} does not come to a visible action"))
    }

    /// Another thread is to act: whoever is inside an atomic block must come out of it first,
    /// without a visible action.
    fn leave_block(&mut self, next: ThreadId) -> Result<(), String> {
        let Some(thread) = self.inside.filter(|t| *t != next) else { return Ok(()) };
        for _ in 0..INVISIBLE_LIMIT {
            if !self.machine.in_atomic(self.state.thread(thread)) {
                self.inside = None;
                return Ok(());
            }
            let mut guide = Guide::new(VisibleStep::default());
            let result = self.machine.step(&mut self.state, thread, &mut guide);
            if result != StepResult::Moved || guide.seen.visible.is_some() {
                break;
            }
            self.note(&guide.seen, &result);
        }
        Err(format!("{next} acts while {thread} is inside an atomic block"))
    }

    /// Writes a step down; gives an outcome if it was the last.
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
        Outcome::Violation(Failure::of(self.machine.program, violation))
    }

    /// What holds at the end of the schedule: the threads do what needs no schedule, first the one
    /// that acted last; an error there ends the execution. Otherwise a race or a deadlock may show.
    fn conclude(&mut self, last: Option<ThreadId>) -> Outcome {
        let others = self.state.thread_ids().filter(|t| Some(*t) != last);
        let mut stop = None;
        for thread in last.into_iter().chain(others) {
            match self.finish(thread) {
                Some(outcome @ Outcome::Violation(_)) => return outcome,
                Some(outcome) => stop = stop.or(Some(outcome)),
                None => {}
            }
            if self.state.halted {
                break;
            }
        }
        let mut scratch = Scratch::default();
        let found = self.found(&mut scratch);
        match (found, stop) {
            (Ok(Some(violation)), _) => self.violation(&violation),
            (_, Some(outcome)) => outcome,
            (Err(stop), None) => stopped(&stop),
            (Ok(None), None) => self.rest(&mut scratch),
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

    /// Without error: whether the execution has ended.
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

    /// Lets a thread do what is not visible. It stays before an atomic block that needs more.
    fn finish(&mut self, thread: ThreadId) -> Option<Outcome> {
        let (mut state, mut steps) = (self.state.clone(), self.steps.len());
        let mut outcome = None;
        for _ in 0..INVISIBLE_LIMIT {
            if self.state.halted || self.state.thread(thread).ended() {
                break;
            }
            if !self.machine.in_atomic(self.state.thread(thread)) {
                (state, steps) = (self.state.clone(), self.steps.len());
            }
            let mut guide = Guide::new(VisibleStep::default());
            let result = self.machine.step(&mut self.state, thread, &mut guide);
            // An action that needs an entry of the schedule shows only if it goes wrong at once.
            let visible = guide.seen.visible.is_some() || guide.problem.is_some();
            match result {
                StepResult::Error(_) if guide.problem.is_none() => {
                    return self.note(&guide.seen, &result);
                }
                StepResult::Stop(_) => {
                    outcome = self.note(&guide.seen, &result);
                    break;
                }
                StepResult::Moved if !visible => {
                    self.note(&guide.seen, &result);
                }
                _ => {
                    self.state = state;
                    self.steps.truncate(steps);
                    break;
                }
            }
        }
        outcome
    }

    fn into_trace(self, outcome: Outcome) -> Trace {
        let Machine { program, options, .. } = self.machine;
        Trace {
            format: trace::FORMAT,
            tool: trace::tool(),
            options: trace::Options {
                model: program.model,
                properties: options.properties.iter().map(|p| p.name().into()).collect(),
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

/// A visible action must be of the kind that the schedule says.
fn check_same(entry: VisibleStep, visible: Visible) -> Result<(), String> {
    let input = visible.input.map(|v| if let Value::Int(bits) = v { bits } else { 0 });
    match (entry.choice.is_some(), visible.choice.is_some()) {
        (true, false) => return Err("a choice where there is none".into()),
        (false, true) => return Err("a choice that the schedule does not make".into()),
        _ => {}
    }
    match (entry.input, input) {
        (Some(a), Some(b)) if a != b => Err(format!("input {a} does not fit its type")),
        (Some(_), None) => Err("an input where there is none".into()),
        (None, Some(_)) => Err("an input that the schedule does not give".into()),
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
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        match self.entry.choice {
            Some(choice) if (choice as usize) < n => choice as usize,
            Some(choice) => {
                self.problem = Some(format!("choice {choice} where there are only {n}"));
                0
            }
            None => {
                self.problem = Some("a choice that the schedule does not make".into());
                0
            }
        }
    }

    fn input(&mut self, _ty: Type, _span: Span) -> Input {
        if self.entry.input.is_none() {
            self.problem = Some("an input that the schedule does not give".into());
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
