//! An execution becomes a trace, and is believed only if it replays.

use std::time::Instant;

use selvedge_ir::{Int, Program};

use crate::replay::record;
use crate::trace::{ScheduleEntry, VisibleStep};
use crate::{State, Stop, Value, Verdict, Visible};

use super::path::Execution;
use super::switches::fewer_switches;

/// UNSAFE, if the execution goes wrong on the program as it was given.
pub fn confirm(
    program: &Program,
    options: &crate::Options,
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
    let start = Instant::now();
    let trace = record(program, options, &schedule)
        .map_err(|divergence| Stop::Unconfirmed { what: divergence.to_string() })?;
    if trace.failure().is_none() {
        return Err(Stop::Unconfirmed { what: format!("it ends with: {}", trace.outcome) });
    }
    let trace = fewer_switches(program, options, trace, start.elapsed());
    Ok(Verdict::Unsafe(Box::new(trace)))
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
