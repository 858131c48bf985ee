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

mod atomics;
mod body;
mod call;
mod declare;
mod expr;
mod fold;
mod function;
mod initialize;
mod initializer;
mod layout;
mod link;
mod lowering;
mod models;
mod object;
mod options;
mod order;
mod specify;
mod stmt;
#[cfg(test)]
mod tests;
mod types;
mod value;
mod visit;

pub use options::{Compiled, External, Failure, MayFail, Options};

use std::path::PathBuf;

use link::Linked;
use selvedge_c_syntax::{
    DataModel, Diagnostic, PreprocessOptions, SourceMap, load, parse, parse_with, show,
};

/// Reads, parses, links and lowers the files into one program.
///
/// It recurses over the nesting of the source: run it in a thread with a large stack.
///
/// ```
/// use selvedge_frontend_c::{Options, compile};
///
/// # let folder = std::env::temp_dir().join(format!("selvedge-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # std::fs::write(folder.join("main.c"), "int f(void); int main(void) { return f(); }")?;
/// # std::fs::write(folder.join("f.c"), "int f(void) { return 0; }")?;
/// let files = [folder.join("main.c"), folder.join("f.c")];
/// let compiled = compile(&files, &Options::default()).expect("good programs");
/// assert!(compiled.program.procedure_named("f").is_some());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn compile(paths: &[PathBuf], options: &Options) -> Result<Compiled, Failure> {
    let Loaded { loaded, sources, diagnostics } = load_all(paths, options);
    let name = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    lower_sources(&loaded, name, options, sources, diagnostics)
}

/// The syntax trees of the files as text ([`show`]), without what comes from system headers.
/// Nothing is checked beyond syntax.
///
/// It recurses over the nesting of the source, like [`compile`].
pub fn syntax(paths: &[PathBuf], options: &Options) -> Result<String, Failure> {
    let Loaded { loaded, sources, mut diagnostics } = load_all(paths, options);
    let mut text = String::new();
    for source in loaded {
        let parsed = parse(source, &sources);
        diagnostics.extend(parsed.diagnostics);
        text += &show(&parsed.unit, &sources);
    }
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(Failure { diagnostics, sources }),
        false => Ok(text),
    }
}

/// Files that were read, by their numbers in the source map.
struct Loaded {
    loaded: Vec<u32>,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
}

fn load_all(paths: &[PathBuf], options: &Options) -> Loaded {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let preprocess = PreprocessOptions {
        model: match options.model {
            selvedge_ir::DataModel::Lp64 => DataModel::Lp64,
            selvedge_ir::DataModel::Ilp32 => DataModel::Ilp32,
        },
        specifications: options.specifications,
        ..options.preprocess.clone()
    };
    let mut loaded = Vec::new();
    for path in paths {
        match load(path, &preprocess, &mut sources) {
            Ok(source) => loaded.push(source),
            Err(problem) => diagnostics.push(problem),
        }
    }
    Loaded { loaded, sources, diagnostics }
}

/// As [`compile`], for one text that is in memory and needs no preprocessor.
///
/// ```
/// use selvedge_frontend_c::{Options, compile_text};
///
/// let source = "int x; int main(void) { x = 1; return 0; }";
/// let compiled = compile_text("a.c", source, &Options::default()).expect("a good program");
/// assert!(compiled.program.object_named("x").is_some());
///
/// let failure = compile_text("b.c", "int main(void) { y = 1; }", &Options::default());
/// let message = &failure.expect_err("a mistake").diagnostics[0].message;
/// assert_eq!(message, "`y` is not declared");
/// ```
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
        let parsed = parse_with(*source, &sources, options.specifications);
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
