//! What the engine works on, as text.
//!
//! The templates of steps, their non-monotone fragments and closures ([`relation`]) are the paper's
//! intermediate constructions. The engine does not build them: it asks for what passive threads do
//! only where a move is reached (`abstraction::explore`). They are printed because they show why a
//! predicate makes a step non-monotone, which the reached moves alone do not; a test compares them
//! with the moves of the engine.

mod listing;
mod relation;
mod steps;
mod template;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use selvedge_ir::{Program, text};
use selvedge_verdict::{Options, Run, Stop};

use crate::abstraction::Abstraction;
use crate::goals::Goal;
use crate::options::{NAME, Own, supported};
use crate::subject::Subject;
use listing::listing;
use steps::{Rows, show_steps};

/// The names of what [`dump`] prints, in the order in which it comes about:
///
/// - `program`: the prepared program,
/// - `system`: the system of threads that it becomes,
/// - `predicates`: the given predicates and what the assertions say, with their kinds (Definition 1),
/// - `existential`: the existential abstraction of each step, of the threads that act and one more
///   (equation 7),
/// - `template`: the template of each step for any number of threads (equation 12, Theorem 3),
/// - `fragment`: which steps are monotone (equation 17), and what of the others is not (equation 18),
/// - `closure`: the monotone closure (Definition 10),
/// - `tts`: the thread transition system that the engine builds,
/// - `all`: the predicates, the templates with what of them is not monotone, and the thread
///   transition system.
pub fn stages() -> &'static [&'static str] {
    &[
        "program",
        "system",
        "predicates",
        "existential",
        "template",
        "fragment",
        "closure",
        "tts",
        "all",
    ]
}

/// Prints what the engine has at a stage, before any refinement.
pub fn dump(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
    stage: &str,
) -> Result<String, Stop> {
    supported(program, options)?;
    let subject = Subject::new(program, options, run)?;
    let rows = match stage {
        "program" => return Ok(text::print(&subject.promoted.prepared.program)),
        "system" => return Ok(subject.system()?.listing(&subject.promoted.prepared.program)),
        "predicates" | "tts" => None,
        "existential" => Some(Rows::Existential),
        "template" => Some(Rows::Template),
        "fragment" => Some(Rows::Fragment),
        "closure" => Some(Rows::Closure),
        "all" => Some(Rows::All),
        other => {
            let what = format!("a stage called `{other}`");
            return Err(Stop::Option { engine: NAME.into(), what });
        }
    };
    let mut abstraction = subject.abstraction(&Goal::whole(&subject.system()?), run)?;
    let mut out = predicates(&abstraction);
    if let Some(rows) = rows {
        show_steps(&mut abstraction, rows, &mut out)?;
    }
    if matches!(stage, "tts" | "all") {
        out.push('\n');
        out.push_str(&listing(&abstraction.explore()?, &abstraction.system));
    }
    Ok(out)
}

fn predicates(abstraction: &Abstraction) -> String {
    let mut out = String::from("predicates:\n");
    for (index, predicate) in abstraction.predicates.iter().enumerate() {
        let kind = match (predicate.active, predicate.passive) {
            (None, None) => "shared",
            (_, None) => "single-thread",
            _ => "inter-thread",
        };
        let _ = writeln!(out, "  b{index}: {} ({kind})", predicate.text);
    }
    out
}
