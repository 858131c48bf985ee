//! `selvedge replay`: a recorded trace again.

use std::time::Instant;

use selvedge_exec::replay::{ReplayResult, program_of, replay as run_again};
use selvedge_exec::trace::{Outcome, Trace};
use selvedge_report::{Answer, Report};

use crate::args::{Format, Preprocessor, Replay};
use crate::run::one_execution;
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::verify::tell;
use crate::{answer, input, terminal};

pub fn replay(options: &Replay) -> Result<Status, Refusal> {
    let start = Instant::now();
    let shown = options.trace.display();
    let refuse = |error| Refusal::input(format!("{shown}: {error}"));
    let text = input::read_text(&options.trace)?;
    let trace = Trace::from_json(&text).map_err(refuse)?;
    let result = run_again(&trace).map_err(refuse)?;
    let same = program_of(&trace).map_err(refuse).and_then(|own| is_from(&own, &trace, options))?;
    let properties = trace.options.properties.clone();
    let sources = SourceLines::of(&trace.sources);
    let report = match same {
        true => judge(trace, result),
        false => Report::new(Answer::Unknown, "the trace is of another program than the one named"),
    };
    if options.format == Format::Text && options.files.is_empty() && report.trace.is_some() {
        terminal::complain(
            "note: source lines are shown as the files are now; name the files after the trace to have them compared\n",
        );
    }
    let report = Report { seconds: start.elapsed().as_secs_f64(), ..report };
    let report = one_execution(report, &properties, options.format);
    Ok(tell(&report, options.format, &sources, false))
}

/// Whether the program of a trace is what the named files say; without files nothing is said.
fn is_from(own: &selvedge_ir::Program, trace: &Trace, options: &Replay) -> Result<bool, Refusal> {
    if options.files.is_empty() {
        return Ok(true);
    }
    let preprocessor = Preprocessor { model: trace.options.model, ..options.preprocessor.clone() };
    // A program without a list of checks is a model, which is the same for all of them.
    let checks = own.checks.clone().unwrap_or_default();
    let named = input::load(&options.files, &preprocessor, &checks, false)?.program;
    Ok(own.does_the_same_as(&named))
}

/// A trace that is not what it says it is is not shown.
fn judge(trace: Trace, result: ReplayResult) -> Report {
    match result {
        ReplayResult::Recurs(Outcome::Violation(_)) => {
            let reason = format!("the violation recurs: {}", answer::failure_reason(&trace));
            Report { trace: Some(trace), ..Report::new(Answer::Unsafe, reason) }
        }
        ReplayResult::Recurs(outcome) => {
            let reason = format!("the run recurs, without a violation: {outcome}");
            Report { trace: Some(trace), ..Report::new(Answer::Unknown, reason) }
        }
        ReplayResult::Differs { expected, found } => {
            let reason = format!("the trace ends differently: {found}, not {expected}");
            Report::new(Answer::Unknown, reason)
        }
        ReplayResult::Altered { what } => {
            Report::new(Answer::Unknown, format!("the trace was altered: {what}"))
        }
        ReplayResult::Diverged(divergence) => {
            let reason = format!(
                "the trace cannot be followed: at action {} of its schedule, {}",
                divergence.entry, divergence.what
            );
            Report::new(Answer::Unknown, reason)
        }
    }
}
