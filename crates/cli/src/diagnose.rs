//! Mistakes that show only when an engine works, told like those of the front end.

use selvedge_c_syntax::{Diagnostic, SourceMap, ast, render};
use selvedge_ir::{Program, Span};
use selvedge_verdict::Stop;

use crate::answer;
use crate::input::{offset_of, read_text};
use crate::sources::place;
use crate::status::{Refusal, Status};
use crate::terminal;

/// An annotation that is wrong, shown in its source where that can be read.
pub fn annotation(program: &Program, span: Span, message: &str) -> Refusal {
    let name = program.files.get(span.file).map(|file| file.name.clone()).unwrap_or_default();
    let Ok(text) = read_text(name.as_ref()) else {
        let place = place(program, span).map_or(String::new(), |place| place + ": ");
        return Refusal::input(format!("{place}{message}"));
    };
    let mut sources = SourceMap::new();
    let source = sources.add(name, text);
    let start = offset_of(sources.text(source), span.line, span.column) as u32;
    let diagnostic =
        Diagnostic::error("annotation", message).at(ast::Span { source, start, end: start + 1 });
    Refusal::diagnostics(render(&[diagnostic], &sources, terminal::colour_on_stderr()))
}

/// An engine that cannot show what is asked for.
pub fn stopped(program: &Program, stop: &Stop) -> Refusal {
    match stop {
        Stop::Annotation { message, span } => annotation(program, *span, message),
        other => {
            let message = format!("error: {}\n", answer::unknown(other, program).reason);
            Refusal { status: Status::Unknown, message }
        }
    }
}
