//! The engine `cover` on the command line.

use std::path::PathBuf;

use selvedge_c_syntax::ast::Span;
use selvedge_c_syntax::{Diagnostic, SourceMap, render};
use selvedge_engines::cover::{self, Failure, Options, Outcome, Round, Stage};
use selvedge_ir::{Program, Property};

use super::annotations::{Annotation, predicates};
use crate::answer::{self, Answer, Verdict};
use crate::args::{Arithmetic, Verify};
use crate::input::read_text;
use crate::status::Refusal;
use crate::{certify, memory, terminal, verify};

pub fn verify(program: &Program, options: &Verify) -> Result<Answer, Refusal> {
    if let Err(message) = selvedge_smt::version_check() {
        return Ok(Answer::new(Verdict::Unknown, message));
    }
    let given = Given::read(&options.input.files)?;
    let settings = Options {
        time: options.time.0,
        memory: Some(options.memory.unwrap_or_else(memory::default_limit)),
        reduce: !options.search.no_reduce,
        math: options.int == Arithmetic::Math,
        predicates: given.texts(),
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
        Err(Failure::Predicate { index, message }) => Err(given.refuse(index, &message)),
    }
}

/// A stage of the abstraction, for `dump`.
pub fn dump(
    program: &Program,
    files: &[PathBuf],
    properties: &[Property],
    stage: Stage,
) -> Result<String, Refusal> {
    let given = Given::read(files)?;
    let settings = Options { predicates: given.texts(), ..Options::new(properties) };
    match cover::stage(program, &settings, stage) {
        Ok(text) => Ok(text),
        Err(Failure::Stop(stop)) => Ok(format!("no abstraction: {stop}\n")),
        Err(Failure::Predicate { index, message }) => Err(given.refuse(index, &message)),
    }
}

/// The predicates that the sources give.
struct Given {
    sources: SourceMap,
    found: Vec<(u32, Annotation)>,
}

impl Given {
    fn read(files: &[PathBuf]) -> Result<Given, Refusal> {
        let mut given = Given { sources: SourceMap::new(), found: Vec::new() };
        for file in files {
            let source = given.sources.add(file.display().to_string(), read_text(file)?);
            let all = predicates(given.sources.text(source));
            given.found.extend(all.into_iter().map(|annotation| (source, annotation)));
        }
        Ok(given)
    }

    fn texts(&self) -> Vec<String> {
        self.found.iter().map(|(_, annotation)| annotation.text.clone()).collect()
    }

    fn refuse(&self, index: usize, message: &str) -> Refusal {
        let (source, annotation) = &self.found[index];
        let (start, end) = (annotation.start as u32, annotation.end as u32);
        let span = Span { source: *source, start, end };
        let diagnostic = Diagnostic::error("predicate", message).at(span);
        let colour = terminal::colour_on_stderr();
        Refusal::diagnostics(render(&[diagnostic], &self.sources, colour))
    }
}
