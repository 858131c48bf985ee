//! An execution becomes a trace, and is believed only if it replays.

use selvedge_exec::replay::record;
use selvedge_exec::switches::fewer_switches;
use selvedge_exec::trace::{ScheduleEntry, VisibleStep};
use selvedge_exec::{State, Value, Visible};
use selvedge_ir::{Int, Program};
use selvedge_verdict::{Counterexample, Options, Stop, Verdict};

use super::Own;
use super::path::Execution;

/// UNSAFE, if the execution goes wrong on the program as it was given.
pub fn confirm(
    program: &Program,
    options: &Options<Own>,
    machine: &selvedge_exec::Options,
    execution: &Execution,
) -> Result<Verdict, Stop> {
    let entry = |visible: &Visible| ScheduleEntry {
        thread: visible.thread.0,
        visible: VisibleStep {
            choice: visible.choice,
            input: visible.input.map(|value| bits(value, &execution.last)),
        },
    };
    let schedule: Vec<ScheduleEntry> = execution.visible.iter().map(entry).collect();
    let trace = record(program, machine, &schedule)
        .map_err(|divergence| Stop::Unconfirmed { what: divergence.to_string() })?;
    if trace.failure().is_none() {
        return Err(Stop::Unconfirmed { what: format!("it ends with: {}", trace.outcome) });
    }
    let shorter = fewer_switches(program, machine, trace).schedule();
    Counterexample::scheduled(program, options, &shorter).map(Verdict::Unsafe)
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
