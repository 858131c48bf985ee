//! What is wrong with the input, and how it is shown.

mod render;

pub use render::render;

use crate::ast::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A message to the user about the input. The id is stable, so that tools may rely on it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub id: &'static str,
    pub severity: Severity,
    pub message: String,
    /// None where no text was read, as for a missing file.
    pub span: Option<Span>,
    /// Stands under the excerpt, at the span.
    pub label: Option<String>,
    /// Other places that explain the message.
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(id: &'static str, severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            id,
            severity,
            message: message.into(),
            span: None,
            label: None,
            related: Vec::new(),
            help: None,
        }
    }

    pub fn error(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(id, Severity::Error, message)
    }

    pub fn warning(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(id, Severity::Warning, message)
    }

    pub fn note(id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(id, Severity::Note, message)
    }

    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    pub fn related(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.related.push((span, message.into()));
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
