//! `selvedge run`: one random execution.

use std::time::Instant;

use selvedge_exec::run::{self, Limits};
use selvedge_exec::trace::Outcome;

use crate::answer::{self, Answer, Context, Verdict};
use crate::args::{Format, Run};
use crate::input::{self, Input};
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::verify::{can_be_written, unknown, write_trace};

pub fn run(options: &Run) -> Result<Status, Refusal> {
    let start = Instant::now();
    if let Some(path) = &options.output.trace {
        can_be_written(path)?;
    }
    let properties = &options.checks.properties.0;
    let Input { program, .. } =
        input::load(&options.input.files, &options.input.preprocessor, properties, false)?;
    let notes = answer::notes(&program);
    if options.output.format == Format::Text {
        answer::tell_notes(&notes);
    }
    let limits = Limits { steps: options.steps };
    let answer = match run::run(&program, options.seed, &limits, properties) {
        Ok((trace, outcome)) => {
            let (verdict, reason) = match outcome {
                Outcome::Violation(_) => (Verdict::Unsafe, answer::failure_reason(&trace)),
                other => (Verdict::Unknown, format!("one run, seed {}: {other}", options.seed)),
            };
            Answer { trace: Some(trace), ..Answer::new(verdict, reason) }
        }
        Err(stop) => unknown(&stop, &program),
    };
    if let (Some(path), Some(trace)) = (&options.output.trace, &answer.trace) {
        write_trace(path, trace);
    }
    Ok(answer.tell(&Context {
        format: options.output.format,
        properties,
        engine: None,
        sources: &SourceLines::of(&options.input.files),
        notes: &notes,
        start,
    }))
}
