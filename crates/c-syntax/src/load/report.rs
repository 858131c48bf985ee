//! The preprocessor's complaints, told as diagnostics in the user's own lines.

use super::preprocess::Failure;
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// So many lines of an output that we cannot read are shown.
const SHOWN_LINES: usize = 10;

/// Tells a failure; `text` is that of the file `name`, as it stands before preprocessing.
pub(super) fn diagnostic(
    failure: Failure,
    name: &str,
    text: String,
    sources: &mut SourceMap,
) -> Diagnostic {
    let messages = match failure {
        Failure::NotStarted { compiler, error } => {
            let message = format!("cannot run the C preprocessor `{compiler}`: {error}");
            return Diagnostic::error("c-preprocess", message)
                .help("install a C compiler, set CC to one, or give preprocessed `.i` files");
        }
        Failure::TimedOut => {
            let message = format!("preprocessing `{name}` takes too long");
            return Diagnostic::error("c-preprocess", message);
        }
        Failure::Rejected { messages } => messages,
    };
    let mut complaints = messages.lines().filter_map(complaint);
    let Some(first) = complaints.next() else { return unread(name, &messages) };
    let mut origins = Origins { sources, main: Some((name, text)), known: Vec::new() };
    let mut diagnostic = Diagnostic::error("c-preprocess", wording(first.message));
    diagnostic.help = help(first.message).map(str::to_string);
    match origins.span(&first) {
        Some(span) => diagnostic.span = Some(span),
        None => diagnostic.message = format!("{}: {}", first.file, diagnostic.message),
    }
    for complaint in complaints.take(SHOWN_LINES) {
        if let Some(span) = origins.span(&complaint) {
            diagnostic.related.push((span, wording(complaint.message)));
        }
    }
    diagnostic
}

fn unread(name: &str, messages: &str) -> Diagnostic {
    let mut message = format!("the C preprocessor rejects `{name}`");
    for line in messages.lines().take(SHOWN_LINES) {
        message.push('\n');
        message.push_str(line);
    }
    Diagnostic::error("c-preprocess", message)
}

/// One line `file:line:column: error: message`.
struct Complaint<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
}

fn complaint(line: &str) -> Option<Complaint<'_>> {
    let (place, message) =
        line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))?;
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next().and_then(|part| part.parse().ok());
    let row = parts.next().and_then(|part| part.parse().ok());
    Some(match (parts.next(), row, column) {
        (Some(file), Some(line), Some(column)) => Complaint { file, line, column, message },
        _ => Complaint { file: place, line: 0, column: 0, message },
    })
}

fn missing_file(message: &str) -> Option<&str> {
    // gcc, then clang.
    message
        .strip_suffix(": No such file or directory")
        .or_else(|| message.strip_prefix('\'')?.strip_suffix("' file not found"))
}

fn wording(message: &str) -> String {
    match missing_file(message) {
        Some(file) => format!("cannot find the included file `{file}`"),
        None => message.to_string(),
    }
}

fn help(message: &str) -> Option<&'static str> {
    missing_file(message).map(|_| "give the folder it is in with -I")
}

/// Texts before preprocessing, taken into the source map as they are needed.
struct Origins<'a> {
    sources: &'a mut SourceMap,
    main: Option<(&'a str, String)>,
    known: Vec<(String, u32)>,
}

impl Origins<'_> {
    fn span(&mut self, complaint: &Complaint) -> Option<Span> {
        let source = self.source(complaint.file)?;
        let text = self.sources.text(source);
        let before = text.split_inclusive('\n').take(complaint.line.checked_sub(1)?);
        let line_start: usize = before.map(str::len).sum();
        let line = text[line_start..].lines().next()?;
        let column = complaint.column.saturating_sub(1).min(line.len());
        let column = (0..=column).rev().find(|&at| line.is_char_boundary(at))?;
        let length = line[column..].split_whitespace().next().map_or(0, str::len);
        let start = (line_start + column) as u32;
        Some(Span { source, start, end: start + length as u32 })
    }

    fn source(&mut self, file: &str) -> Option<u32> {
        if let Some((_, source)) = self.known.iter().find(|(name, _)| name == file) {
            return Some(*source);
        }
        let text = match self.main.take() {
            Some((name, text)) if name == file => text,
            other => {
                self.main = other;
                super::read(file.as_ref()).ok()?
            }
        };
        let source = self.sources.add(file, text);
        self.known.push((file.to_string(), source));
        Some(source)
    }
}
