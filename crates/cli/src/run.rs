//! `selvedge run`: one random execution.

use std::time::Instant;

use selvedge_exec::run::{self, Limits};
use selvedge_exec::trace::Outcome;

use selvedge_ir::Property;
use selvedge_report::{Answer, Report};

use crate::answer;
use crate::args::{Format, Run};
use crate::files::{can_be_written, write_trace};
use crate::input;
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::verify::tell;

pub fn run(options: &Run) -> Result<Status, Refusal> {
    let start = Instant::now();
    if let Some(path) = &options.output.trace {
        can_be_written(path)?;
    }
    let properties = &options.checks.properties.0;
    let files = &options.input.files;
    let program = input::load(files, &options.input.preprocessor, properties, false)?.program;
    let notes = answer::notes(&program);
    if options.output.format == Format::Text {
        answer::tell_notes(&notes);
    }
    let limits = Limits { steps: options.steps };
    let report = match run::run(&program, options.seed, &limits, properties) {
        Ok((trace, outcome)) => {
            let (verdict, reason) = match outcome {
                Outcome::Violation(_) => (Answer::Unsafe, answer::failure_reason(&trace)),
                other => (Answer::Unknown, format!("one run, seed {}: {other}", options.seed)),
            };
            Report { trace: Some(trace), ..Report::new(verdict, reason) }
        }
        Err(stop) => answer::unknown(&stop, &program),
    };
    if let (Some(path), Some(trace)) = (&options.output.trace, &report.trace) {
        write_trace(path, trace);
    }
    let report = Report { notes, seconds: start.elapsed().as_secs_f64(), ..report };
    let report = one_execution(report, properties, options.output.format);
    Ok(tell(&report, options.output.format, &SourceLines::of(files), false))
}

/// What one execution says of the properties. For people its end says that already.
pub fn one_execution(report: Report, properties: &[Property], format: Format) -> Report {
    match format {
        Format::Text => report,
        Format::Json => report.of_each(properties),
    }
}
