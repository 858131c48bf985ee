//! The engine `cover` on the command line.

use std::path::Path;

use selvedge_c_syntax::ast::Span;
use selvedge_c_syntax::{Diagnostic, SourceMap, render};
use selvedge_engines::cover::{self, Failure, Options, Outcome, Round, Stage};
use selvedge_ir::{Program, Property};

use crate::answer::{self, Answer, Verdict};
use crate::args::{Arithmetic, Verify};
use crate::input::{offset_of, read_text};
use crate::status::Refusal;
use crate::{certify, memory, terminal, verify};

pub fn verify(program: &Program, options: &Verify) -> Result<Answer, Refusal> {
    if let Err(message) = selvedge_smt::version_check() {
        return Ok(Answer::new(Verdict::Unknown, message));
    }
    let settings = Options {
        time: options.time.0,
        memory: Some(options.memory.unwrap_or_else(memory::default_limit)),
        reduce: !options.search.no_reduce,
        math: options.int == Arithmetic::Math,
        predicates: given(program),
        ..Options::new(&options.checks.properties.0)
    };
    let log = options.contexts.log;
    let mut tell = |round: &Round| {
        if log {
            let predicates = round.predicates.join("\n  ");
            terminal::complain(&format!("{round}\n  {predicates}\n"));
        }
    };
    match cover::verify(program, &settings, &mut tell) {
        Ok(Outcome::Proved(certificate)) => Ok(certify::confirm(program, *certificate, options)),
        Ok(Outcome::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Ok(Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) })
        }
        Err(Failure::Stop(stop)) => Ok(verify::unknown(&stop, program)),
        Err(Failure::Predicate { index, message }) => Err(refuse(program, index, &message)),
    }
}

/// A stage of the abstraction, for `dump`.
pub fn dump(program: &Program, properties: &[Property], stage: Stage) -> Result<String, Refusal> {
    let settings = Options { predicates: given(program), ..Options::new(properties) };
    match cover::stage(program, &settings, stage) {
        Ok(text) => Ok(text),
        Err(Failure::Stop(stop)) => Ok(format!("no abstraction: {stop}\n")),
        Err(Failure::Predicate { index, message }) => Err(refuse(program, index, &message)),
    }
}

/// The predicates that the program gives.
fn given(program: &Program) -> Vec<String> {
    program.predicates().map(|(text, _)| text.to_owned()).collect()
}

/// What is wrong with a predicate, shown at its place.
fn refuse(program: &Program, index: usize, message: &str) -> Refusal {
    let mut diagnostic = Diagnostic::error("predicate", message);
    let mut sources = SourceMap::new();
    if let Some((text, span)) = program.predicates().nth(index)
        && let Some(file) = program.files.get(span.file)
        && let Ok(content) = read_text(Path::new(&file.name))
    {
        let start = offset_of(&content, span.line, span.column);
        let found = content[start..].starts_with(text);
        let length = if found { text.len() } else { 1 };
        let source = sources.add(file.name.clone(), content);
        let (start, end) = (start as u32, (start + length) as u32);
        diagnostic = diagnostic.at(Span { source, start, end });
    }
    Refusal::diagnostics(render(&[diagnostic], &sources, terminal::colour_on_stderr()))
}
