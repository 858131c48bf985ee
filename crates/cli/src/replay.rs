//! `selvedge replay`: a recorded trace again.

use std::time::Instant;

use selvedge_exec::replay::{ReplayResult, replay as run_again};
use selvedge_exec::trace::{Outcome, Trace};

use crate::answer::{self, Answer, Context, Verdict};
use crate::args::Replay;
use crate::input;
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};

pub fn replay(options: &Replay) -> Result<Status, Refusal> {
    let start = Instant::now();
    let shown = options.trace.display();
    let refuse = |error| Refusal::input(format!("{shown}: {error}"));
    let text = input::read_text(&options.trace)?;
    let trace = Trace::from_json(&text).map_err(refuse)?;
    let result = run_again(&trace).map_err(refuse)?;
    let properties = trace.options.properties.clone();
    let sources = SourceLines::of(&trace.sources);
    let answer = judge(trace, result);
    Ok(answer.tell(&Context {
        format: options.format,
        properties: &properties,
        engine: None,
        sources: &sources,
        notes: &[],
        start,
    }))
}

fn judge(trace: Trace, result: ReplayResult) -> Answer {
    let answer = match result {
        ReplayResult::Recurs(Outcome::Violation(_)) => {
            let reason = format!("the violation recurs: {}", answer::failure_reason(&trace));
            Answer::new(Verdict::Unsafe, reason)
        }
        ReplayResult::Recurs(outcome) => {
            Answer::new(Verdict::Unknown, format!("the run recurs, without a violation: {outcome}"))
        }
        ReplayResult::Differs { expected, found } => {
            let reason = format!("the trace ends otherwise: {found}, and not {expected}");
            Answer::new(Verdict::Unknown, reason)
        }
        ReplayResult::Diverged(divergence) => {
            let reason = format!(
                "the trace cannot be followed: at action {} of its schedule, {}",
                divergence.entry, divergence.what
            );
            Answer::new(Verdict::Unknown, reason)
        }
    };
    Answer { trace: Some(trace), ..answer }
}
