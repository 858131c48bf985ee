//! From C sources to a Plato program: typing, linking and lowering.
//!
//! The sources are parsed by `selvedge-c-syntax`; what they mean is decided here. Library
//! functions (pthreads, C11 threads, the C library) are C text of their own that is lowered like
//! the user's code, over a small set of intrinsics.
//!
//! The parts, in the order of the work: `models` parses the library models, `declare` enters the
//! declarations of all units (`types` are C's types), `link` lowers what `main` reaches:
//! `function`, `stmt`, `expr`, `call` and `initialize` emit actions into a `body`, which becomes a
//! procedure; `object` and `layout` make the static objects.

mod body;
mod call;
mod declare;
mod expr;
mod fold;
mod function;
mod initialize;
mod layout;
mod link;
mod lowering;
mod models;
mod object;
mod options;
mod stmt;
#[cfg(test)]
mod tests;
mod types;
mod visit;

pub use options::{Compiled, Failure, Options};

use std::path::PathBuf;

use link::Linked;
use selvedge_c_syntax::{DataModel, Diagnostic, PreprocessOptions, SourceMap, load, parse};

/// Reads, parses, links and lowers the files into one program.
///
/// It recurses over the nesting of the source: run it in a thread with a large stack.
pub fn compile(paths: &[PathBuf], options: &Options) -> Result<Compiled, Failure> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let preprocess = PreprocessOptions {
        model: match options.model {
            selvedge_ir::DataModel::Lp64 => DataModel::Lp64,
            selvedge_ir::DataModel::Ilp32 => DataModel::Ilp32,
        },
        ..options.preprocess.clone()
    };
    let mut loaded = Vec::new();
    for path in paths {
        match load(path, &preprocess, &mut sources) {
            Ok(source) => loaded.push(source),
            Err(problem) => diagnostics.push(problem),
        }
    }
    let name = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    lower_sources(&loaded, name, options, sources, diagnostics)
}

/// Likewise for one text that is in memory, without the preprocessor.
pub fn compile_text(name: &str, text: &str, options: &Options) -> Result<Compiled, Failure> {
    let mut sources = SourceMap::new();
    let source = sources.add(name, text);
    lower_sources(&[source], name.to_owned(), options, sources, Vec::new())
}

fn lower_sources(
    loaded: &[u32],
    name: String,
    options: &Options,
    mut sources: SourceMap,
    mut diagnostics: Vec<Diagnostic>,
) -> Result<Compiled, Failure> {
    let mut units = Vec::new();
    for source in loaded {
        let parsed = parse(*source, &sources);
        diagnostics.extend(parsed.diagnostics);
        units.push(parsed.unit);
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Failure { diagnostics, sources });
    }
    let (models, problems) = models::parsed(&mut sources);
    diagnostics.extend(problems);
    let Linked { program, annotated, diagnostics: found } =
        link::lower(&models, &units, name, options, &sources);
    diagnostics.extend(found);
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(Failure { diagnostics, sources }),
        false => Ok(Compiled { program, annotated, diagnostics, sources }),
    }
}
