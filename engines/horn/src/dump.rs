//! What the engine works on, as text.

use selvedge_clauses::frame::Frame;
use selvedge_clauses::reach::{MAX_KEYS, MAX_RULES, NoClauses};
use selvedge_clauses::rules::Clauses;
use selvedge_ir::{Program, text};
use selvedge_verdict::{Options, Run, Stop};

use crate::problem::{Problem, Task, levels_of};
use crate::{NAME, Own};

/// The stages that [`dump`] knows.
pub const STAGES: [&str; 3] = ["promote", "system", "clauses"];

/// The result of a stage as text:
/// - `promote`: the prepared program as Plato, with private memory as locals;
/// - `system`: the threads and their steps as terms;
/// - `clauses`: the Horn clauses in SMT-LIB, at the level of the options, or else at level 1.
pub fn dump(
    program: &Program,
    options: &Options<Own>,
    run: &Run<'_>,
    stage: &str,
) -> Result<String, Stop> {
    if !STAGES.contains(&stage) {
        return Err(Stop::Option { engine: NAME.into(), what: format!("the stage `{stage}`") });
    }
    let task = Task::new(program, options, run)?;
    match stage {
        "promote" => Ok(text::print(&task.promoted.prepared.program)),
        "system" => Ok(task.system(None)?.listing(&task.promoted.prepared.program)),
        _ => clauses(&task, run),
    }
}

fn clauses(task: &Task<'_>, run: &Run<'_>) -> Result<String, Stop> {
    let mut problem = Problem::new(task, None)?;
    let only = task.options.own.level.unwrap_or(1);
    let Some(planned) = levels_of(&problem, Some(only)).into_iter().next() else {
        return Err(Stop::Option { engine: NAME.into(), what: format!("level {only} here") });
    };
    let facts = problem.facts.up_to(&problem.view, planned.level.facts);
    let frame = Frame::new(&problem.view, &planned.level, &facts);
    let clauses = Clauses::of(&mut problem.terms, &frame, &task.limits(None));
    let clauses = clauses.map_err(|why| match why {
        NoClauses::TooMany => {
            Stop::TooLarge { what: format!("more than {MAX_KEYS} relations or {MAX_RULES} rules") }
        }
        NoClauses::Cut(_) => run.out_of_budget(),
    })?;
    Ok(format!("; {}\n{}", planned.level, clauses.horn.script(&problem.terms)))
}
