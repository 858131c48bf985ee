//! Reading what the user names: C sources, Java sources or classes, or a Plato model.

use std::path::{Path, PathBuf};

use selvedge_c_syntax::ast::Span;
use selvedge_c_syntax::{Diagnostic, PreprocessOptions, SourceMap, render};
use selvedge_frontend_c as frontend;
use selvedge_frontend_java as java;
use selvedge_ir::text::{self, ParseError};
use selvedge_ir::{Program, Property, check};

use crate::args::Preprocessor;
use crate::status::Refusal;
use crate::terminal;

/// A program that was read.
pub struct Input {
    pub program: Program,
    /// The program with its loop invariants, where the sources give any.
    pub annotated: Option<Program>,
}

/// Reads the files as one program. Warnings go to standard error at once.
pub fn load(
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    properties: &[Property],
    library: bool,
) -> Result<Input, Refusal> {
    if is_java(files, preprocessor) {
        return load_java(files, preprocessor, properties);
    }
    let settings = settings(preprocessor, properties, library);
    let mut input = read(files, &settings)?;
    input.program.erase_ghosts(true);
    input.annotated.iter_mut().for_each(|program| program.erase_ghosts(true));
    Ok(input)
}

/// As [`load`], with what comments specify, also in bodies.
pub fn load_specified(
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    properties: &[Property],
    library: bool,
) -> Result<Input, Refusal> {
    if is_java(files, preprocessor) {
        return Err(Refusal::usage("specifications in Java programs are not read yet"));
    }
    let settings = settings(preprocessor, properties, library);
    read(files, &frontend::Options { specifications: true, ..settings })
}

fn read(files: &[PathBuf], settings: &frontend::Options) -> Result<Input, Refusal> {
    let models = files.iter().filter(|file| is_plato(file)).count();
    match files {
        [file] if models == 1 => Ok(Input { program: load_plato(file)?, annotated: None }),
        _ if models > 0 => Err(Refusal::usage(
            "a .plato model is a whole program and cannot be linked with other files; name it alone",
        )),
        _ => load_c(files, settings),
    }
}

pub fn is_plato(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "plato")
}

/// Whether the files are those of a Java program.
pub fn is_java(files: &[PathBuf], preprocessor: &Preprocessor) -> bool {
    !preprocessor.class_path.is_empty() || files.iter().any(|file| java::is_java(file))
}

fn load_java(
    files: &[PathBuf],
    preprocessor: &Preprocessor,
    properties: &[Property],
) -> Result<Input, Refusal> {
    let class_path = preprocessor.class_path.clone();
    let options = java::Options { properties: properties.to_vec(), class_path };
    match java::compile(files, &options) {
        Ok(program) => Ok(Input { program, annotated: None }),
        Err(failure) => Err(Refusal::input(failure.to_string())),
    }
}

fn load_c(files: &[PathBuf], options: &frontend::Options) -> Result<Input, Refusal> {
    let colour = terminal::colour_on_stderr();
    match frontend::compile(files, options) {
        Ok(compiled) => {
            terminal::complain(&render(&compiled.diagnostics, &compiled.sources, colour));
            Ok(Input { program: compiled.program, annotated: compiled.annotated })
        }
        Err(failure) => Err(refused(&failure)),
    }
}

/// What the front end is told.
pub fn settings(
    preprocessor: &Preprocessor,
    properties: &[Property],
    library: bool,
) -> frontend::Options {
    frontend::Options {
        model: preprocessor.model,
        properties: properties.to_vec(),
        preprocess: PreprocessOptions {
            include_dirs: preprocessor.include_dirs.clone(),
            defines: preprocessor.defines.clone(),
            forced_includes: preprocessor.forced_includes.clone(),
            ..PreprocessOptions::default()
        },
        library,
        external: preprocessor.external,
        may_fail: frontend::MayFail::new(preprocessor.may_fail.iter().cloned()),
        module: preprocessor.module.then(|| preprocessor.entry.clone()),
        specifications: preprocessor.module,
    }
}

/// All that is wrong with the sources.
pub fn refused(failure: &frontend::Failure) -> Refusal {
    let colour = terminal::colour_on_stderr();
    Refusal::diagnostics(render(&failure.diagnostics, &failure.sources, colour))
}

fn load_plato(file: &Path) -> Result<Program, Refusal> {
    let mut sources = SourceMap::new();
    let text = read_text(file)?;
    let name = file.display().to_string();
    let source = sources.add(name.clone(), text);
    let program = text::parse(&name, sources.text(source)).map_err(|errors| {
        let found: Vec<Diagnostic> =
            errors.iter().map(|error| plato_diagnostic(error, &sources, source)).collect();
        Refusal::diagnostics(render(&found, &sources, terminal::colour_on_stderr()))
    })?;
    if program.threads.is_empty() {
        return Err(Refusal::input(format!(
            "{name} starts no thread, so there is nothing to verify; add for example `thread main;`"
        )));
    }
    let violations = check::check(&program);
    if !violations.is_empty() {
        let listing = check::listing(&program, &violations);
        return Err(Refusal::input(format!("{name} is not a well-formed program\n{listing}")));
    }
    Ok(program)
}

pub fn read_text(file: &Path) -> Result<String, Refusal> {
    let shown = file.display();
    let bytes = std::fs::read(file)
        .map_err(|error| Refusal::input(format!("cannot read {shown}: {error}")))?;
    String::from_utf8(bytes)
        .map_err(|_| Refusal::input(format!("{shown} is not a text file (it is not UTF-8)")))
}

/// A parse error of Plato in the look of a C diagnostic.
fn plato_diagnostic(error: &ParseError, sources: &SourceMap, source: u32) -> Diagnostic {
    let start = offset_of(sources.text(source), error.line, error.column);
    let diagnostic = Diagnostic::error("plato", error.message.as_str()).at(Span {
        source,
        start: start as u32,
        end: start as u32 + 1,
    });
    match &error.help {
        Some(help) => diagnostic.help(help.as_str()),
        None => diagnostic,
    }
}

/// The byte at which a line and column (in characters, from 1) stand.
pub fn offset_of(text: &str, line: u32, column: u32) -> usize {
    let before: usize =
        text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let rest = &text[before..];
    let within = rest.char_indices().nth(column.saturating_sub(1) as usize);
    before + within.map_or(rest.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_characters() {
        let text = "ab\né = x\n";
        assert_eq!(offset_of(text, 1, 1), 0);
        assert_eq!(offset_of(text, 2, 2), text.find(" = ").unwrap_or(0));
        assert_eq!(offset_of(text, 9, 9), text.len());
    }
}
