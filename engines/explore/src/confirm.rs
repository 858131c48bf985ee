//! An execution becomes a trace, and is believed only if it replays.

use selvedge_exec::switches::fewer_switches;
use selvedge_exec::trace::{ScheduleEntry, VisibleStep};
use selvedge_exec::{State, Trace, Value, Visible};
use selvedge_ir::{Int, Program};
use selvedge_verdict::{Clock, Counterexample, Options, Run, Stop, Verdict};

use super::Own;

/// An execution that was run on real states.
pub struct Execution {
    pub visible: Vec<Visible>,
    /// The last state; what is left of its open inputs' intervals are values that they can have.
    pub last: State,
}

/// UNSAFE, if the execution goes wrong on the program as it was given.
pub fn confirm(
    program: &Program,
    options: &Options<Own>,
    machine: &selvedge_exec::Options,
    execution: &Execution,
    run: &Run<'_>,
) -> Result<Verdict, Stop> {
    let entry = |visible: &Visible| ScheduleEntry {
        thread: visible.thread.0,
        visible: VisibleStep {
            choice: visible.choice,
            input: visible.input.map(|value| bits(value, &execution.last)),
            older: visible.older,
        },
    };
    let schedule: Vec<ScheduleEntry> = execution.visible.iter().map(entry).collect();
    let found = Counterexample::scheduled(program, options, &schedule)?;
    // What is left of the budget decides only how well the trace reads.
    let cost = cost_of_joining(found.trace(), execution.last.threads.len());
    run.clock().spend(cost / REPLAYS);
    let affordable = run.remaining().is_none_or(|left| cost <= Clock::work_for(left));
    if !affordable {
        return Ok(Verdict::Unsafe(found));
    }
    run.clock().spend(cost);
    let joined = fewer_switches(program, machine, found.trace().clone()).schedule();
    Counterexample::scheduled(program, options, &joined).map(Verdict::Unsafe)
}

/// Replays that [`fewer_switches`] tries at most, and the steps of all of them together.
const REPLAYS: u64 = 300;
const STEPS: u64 = 200_000;

/// The work that [`fewer_switches`] takes at most: a step of a replay is about a unit, and more
/// where there are many threads.
fn cost_of_joining(trace: &Trace, threads: usize) -> u64 {
    let steps = (REPLAYS * trace.steps.len() as u64).min(STEPS);
    steps * (1 + threads as u64 / 16)
}

/// A value that an input can have in the last state: the least that is left.
fn bits(value: Value, last: &State) -> u64 {
    match value {
        Value::Int(bits) => bits,
        Value::Symbol { id, width, plus } => {
            let least = last.symbols[id.index()].lo as u64;
            least.wrapping_add(plus as u64) & Int { width, signed: false }.mask()
        }
        _ => 0,
    }
}
