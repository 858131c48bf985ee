//! `selvedge dump`: a program as Selvedge understands it, at any stage.

use selvedge_engines::Engine;
use selvedge_ir::Program;
use selvedge_passes::{self as passes, Stage};
use selvedge_verdict::{Budget, Options, Run};

use crate::args::{Dump, View};
use crate::input::{self, Input};
use crate::status::{Refusal, Status};
use crate::{conform, diagnose, knobs, terminal};

/// The stage before anything has a meaning.
const SYNTAX: &str = "syntax";

pub fn dump(options: &Dump) -> Result<Status, Refusal> {
    if options.list {
        terminal::print(&format!("{}\n", stages(options.engine).join("\n")));
        return Ok(Status::Safe);
    }
    let text = match options.engine {
        Some(View::Conform) => conform::dump(&read(options)?.program, options.stage.as_deref())?,
        Some(View::Engine(engine)) => {
            engines_view(engine, &read(options)?, chosen(options)?, options)?
        }
        None => match chosen(options)? {
            SYNTAX => syntax(options)?,
            stage => pass(&read(options)?.program, stage, options),
        },
    };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    terminal::print(&format!("{text}{end}"));
    Ok(Status::Safe)
}

fn read(options: &Dump) -> Result<Input, Refusal> {
    let properties = &options.checks.properties.0;
    let specified = options.specifications || options.engine == Some(View::Conform);
    let load = if specified { input::load_specified } else { input::load };
    load(&options.files, &options.preprocessor, properties, options.library)
}

/// The syntax trees of the files.
fn syntax(options: &Dump) -> Result<String, Refusal> {
    if let Some(model) = options.files.iter().find(|file| input::is_plato(file)) {
        let message = format!(
            "{} is a Plato model, and only C has a syntax tree; `--stage ir` shows a model",
            model.display()
        );
        return Err(Refusal::usage(message));
    }
    let settings =
        input::settings(&options.preprocessor, &options.checks.properties.0, options.library);
    selvedge_frontend_c::syntax(&options.files, &settings)
        .map_err(|failure| input::refused(&failure))
}

/// The stages of an engine, or those that do not depend on one.
fn stages(view: Option<View>) -> Vec<&'static str> {
    match view {
        // Beside it, each abstract thread of the program.
        Some(View::Conform) => vec![selvedge_conform::COMPOSITION],
        Some(View::Engine(engine)) => selvedge_engines::stages(engine),
        None => [SYNTAX].into_iter().chain(Stage::ALL.iter().map(|stage| stage.name())).collect(),
    }
}

/// The stage that is asked for, if there is one of that name.
fn chosen(options: &Dump) -> Result<&'static str, Refusal> {
    let known = stages(options.engine);
    match (&options.stage, options.engine) {
        (None, None) => Ok(Stage::Ir.name()),
        (None, Some(_)) => Ok(known.last().copied().unwrap_or_default()),
        (Some(name), _) => known.iter().find(|stage| *stage == name).copied().ok_or_else(|| {
            let more = match options.engine {
                Some(_) => "",
                None => "; with `--engine NAME` there are those of an engine",
            };
            let known = known.join(", ");
            Refusal::usage(format!("no stage is called `{name}`; there are {known}{more}"))
        }),
    }
}

fn pass(program: &Program, stage: &str, options: &Dump) -> String {
    let properties = options.checks.properties.0.clone();
    let settings = passes::Options { properties, ..passes::Options::default() };
    Stage::from_name(stage)
        .map_or_else(String::new, |stage| passes::dump(program, stage, &settings))
}

/// What an engine works on, for the question that `verify` would ask it.
fn engines_view(
    engine: Engine,
    input: &Input,
    stage: &str,
    options: &Dump,
) -> Result<String, Refusal> {
    let properties = &options.checks.properties.0;
    let own = knobs::for_dump(input, properties, &options.contexts)?;
    let question = Options::with(properties, own);
    let mut run = Run::silent(Budget::unlimited());
    selvedge_engines::dump(engine, &input.program, &question, &mut run, stage)
        .map_err(|stop| diagnose::stopped(&input.program, &stop))
}
