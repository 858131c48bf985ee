//! What the engine works on, as text.

use std::fmt::Write;

use selvedge_ir::{Program, text};
use selvedge_system::{At, Infix};
use selvedge_verdict::{Options, Run, Stop};

use super::options::{Own, supported};
use super::source::{Source, Threads};
use super::{NAME, Place};

const PROGRAM: &str = "program";
const SYSTEM: &str = "system";
const VALUES: &str = "values";

/// The names of what [`dump`] prints, in the order in which it comes about: the prepared program, the
/// system of threads, and the values of variables for each thread and location.
pub fn stages() -> &'static [&'static str] {
    &[PROGRAM, SYSTEM, VALUES]
}

/// Prints what the engine has at a stage.
pub fn dump(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
    stage: &str,
) -> Result<String, Stop> {
    supported(program, options)?;
    let mut source = Source::of(program, options, run)?;
    match stage {
        PROGRAM => Ok(text::print(&source.prepared.program)),
        SYSTEM => {
            let threads = source.first()?;
            Ok(system(&source, &threads))
        }
        VALUES => source.first().map(values),
        other => Err(Stop::Option { engine: NAME.into(), what: format!("the stage `{other}`") }),
    }
}

/// The system, and the operations that wrap around in it.
fn system(source: &Source<'_>, threads: &Threads) -> String {
    let program = &source.prepared.program;
    let mut out = threads.system.listing(program);
    for (procedure, edge) in &source.wrapping {
        let data = &program.procedures[*procedure];
        let span = data.locations[edge.from].edges[edge.index as usize].span;
        let line = if span.is_none() { String::new() } else { format!(" [line {}]", span.line) };
        let edge = format!("edge {} of {}", edge.index, edge.from);
        let _ = write!(out, "\nwraps around: {edge} in {}{line}", data.name);
    }
    out
}

/// The values of each thread at each location that it reaches.
fn values(threads: Threads) -> String {
    let mut model = threads.model;
    let mut out = String::new();
    for id in model.ids() {
        let _ = writeln!(out, "thread {}", model.template(id).name);
        for cut in 0..model.template(id).locations.len() as u32 {
            let place: Place = (id, At::Cut(cut));
            let values = model.values.all_facts(&mut model.terms, place);
            let location = model.template(id).locations[cut as usize].location;
            let _ = writeln!(out, "  {location}: {}", Infix { terms: &model.terms, term: values });
        }
    }
    out
}
