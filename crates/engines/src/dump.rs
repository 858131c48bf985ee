//! What each engine works on, as text.

use selvedge_ir::{Program, text};
use selvedge_verdict::{Options, Run, Stop};

use crate::{Engine, Knobs};

/// What `explore` and `locks` work on: the prepared program.
const PROGRAM: &str = "program";
/// What `contexts` works on: the sequential program for its first bounds.
const SEQUENTIAL: &str = "sequential";

/// The stages that an engine can show, the last one what it works on.
pub fn stages(engine: Engine) -> Vec<&'static str> {
    match engine {
        Engine::Explore => vec![PROGRAM],
        Engine::Contexts => vec![SEQUENTIAL],
        Engine::Tar => selvedge_tar::stages().to_vec(),
        Engine::Horn => selvedge_horn::STAGES.to_vec(),
        Engine::Cover => selvedge_cover::stages().to_vec(),
        Engine::Locks => vec![PROGRAM],
    }
}

/// Prints what an engine has at one of its stages.
pub fn dump(
    engine: Engine,
    program: &Program,
    options: &Options<Knobs>,
    run: &mut Run<'_>,
    stage: &str,
) -> Result<String, Stop> {
    let own = &options.own;
    match engine {
        Engine::Explore => {
            let options = options.ask(own.explore.clone());
            let prepared = run.prepare(program, &selvedge_explore::passes(&options))?;
            Ok(text::print(&prepared.program))
        }
        Engine::Contexts => {
            selvedge_contexts::dump(program, &options.ask(own.contexts.clone()), run)
        }
        Engine::Tar => selvedge_tar::dump(program, &options.ask(own.tar.clone()), run, stage),
        Engine::Horn => selvedge_horn::dump(program, &options.ask(own.horn.clone()), run, stage),
        Engine::Cover => selvedge_cover::dump(program, &options.ask(own.cover.clone()), run, stage),
        Engine::Locks => selvedge_locks::dump(program, &options.ask(own.locks), run),
    }
}
