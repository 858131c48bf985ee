//! `selvedge replay`: a recorded trace again.

use std::time::Instant;

use selvedge_exec::replay::{ReplayResult, replay as run_again};
use selvedge_exec::trace::{Outcome, Trace};

use selvedge_report::{Answer, Report};

use crate::answer;
use crate::args::Replay;
use crate::input;
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::verify::tell;

pub fn replay(options: &Replay) -> Result<Status, Refusal> {
    let start = Instant::now();
    let shown = options.trace.display();
    let refuse = |error| Refusal::input(format!("{shown}: {error}"));
    let text = input::read_text(&options.trace)?;
    let trace = Trace::from_json(&text).map_err(refuse)?;
    let result = run_again(&trace).map_err(refuse)?;
    let properties = trace.options.properties.clone();
    let sources = SourceLines::of(&trace.sources);
    let report = Report {
        properties: properties.iter().map(ToString::to_string).collect(),
        seconds: start.elapsed().as_secs_f64(),
        ..judge(trace, result)
    };
    Ok(tell(&report, options.format, &sources, false))
}

fn judge(trace: Trace, result: ReplayResult) -> Report {
    let report = match result {
        ReplayResult::Recurs(Outcome::Violation(_)) => {
            let reason = format!("the violation recurs: {}", answer::failure_reason(&trace));
            Report::new(Answer::Unsafe, reason)
        }
        ReplayResult::Recurs(outcome) => {
            Report::new(Answer::Unknown, format!("the run recurs, without a violation: {outcome}"))
        }
        ReplayResult::Differs { expected, found } => {
            let reason = format!("the trace ends differently: {found}, not {expected}");
            Report::new(Answer::Unknown, reason)
        }
        ReplayResult::Diverged(divergence) => {
            let reason = format!(
                "the trace cannot be followed: at action {} of its schedule, {}",
                divergence.entry, divergence.what
            );
            Report::new(Answer::Unknown, reason)
        }
    };
    Report { trace: Some(trace), ..report }
}
