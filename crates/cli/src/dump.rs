//! `selvedge dump`: a program as Selvedge understands it.

use selvedge_engines::system::{self, System};
use selvedge_ir::Program;
use selvedge_passes as passes;

use crate::args::{self, Dump, Shown};
use crate::contexts;
use crate::cover;
use crate::input::{self, Input};
use crate::status::{Refusal, Status};
use crate::terminal;

pub fn dump(options: &Dump) -> Result<Status, Refusal> {
    if options.list {
        terminal::print(&format!("{}\n", args::stage_names().join("\n")));
        return Ok(Status::Safe);
    }
    let properties = &options.checks.properties.0;
    let Input { program, .. } =
        input::load(&options.files, &options.preprocessor, properties, options.library)?;
    let settings = passes::Options { properties: properties.clone(), ..passes::Options::default() };
    let text = match options.stage {
        Shown::Pass(stage) => passes::dump(&program, stage, &settings),
        Shown::Contexts => contexts::dump(&program, properties, &options.contexts)?,
        Shown::System => system(&program, &settings),
        Shown::Cover(stage) => cover::verify::dump(&program, properties, stage)?,
    };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    terminal::print(&format!("{text}{end}"));
    Ok(Status::Safe)
}

fn system(program: &Program, settings: &passes::Options) -> String {
    let prepared = passes::prepare(program, settings);
    match System::build(&prepared, &system::Options::new(&settings.properties)) {
        Ok(system) => system.listing(&prepared.program),
        Err(stop) => format!("no system: {stop}\n"),
    }
}
