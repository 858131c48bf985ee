//! Messages about wrong syntax, and how the parser finds its way again.

use super::scope::Meaning;
use super::specifier::Place;
use super::{MAX_CHAIN, MAX_NESTING, Parser, Result};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Punct, Symbol, Token, TokenKind};

/// A diagnostic was reported; the construct cannot be completed.
#[derive(Debug)]
pub(super) struct Failed;

/// After so many errors the rest of the text is not looked at.
const MAX_ERRORS: usize = 100;

impl Parser<'_> {
    /// Puts down an error, unless there was one at this very token already.
    pub(super) fn report(&mut self, error: Diagnostic) -> Failed {
        if self.last_error != Some(self.at) {
            self.last_error = Some(self.at);
            self.diagnostics.push(error);
            self.errors += 1;
        }
        if self.errors >= MAX_ERRORS {
            self.at = self.tokens.len() - 1;
        }
        Failed
    }

    /// "expected `what`, found ..." at the next token.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let found = self.describe(self.token());
        let error = Diagnostic::error("c-parse", format!("expected {what}, found {found}"));
        self.report(error.at(self.span()).label(format!("expected {what}")))
    }

    /// As [`Self::expected`], with a help line.
    pub(super) fn expected_with_help(&mut self, what: &str, help: &str) -> Failed {
        let found = self.describe(self.token());
        let error = Diagnostic::error("c-parse", format!("expected {what}, found {found}"));
        self.report(error.at(self.span()).label(format!("expected {what}")).help(help))
    }

    /// A bracket is still open where it should be closed.
    pub(super) fn unclosed(&mut self, close: Punct, opening: Span) -> Failed {
        let found = self.describe(self.token());
        let message = format!("expected `{}`, found {found}", close.text());
        let open = self.spelling(opening);
        let note = if self.at_end() {
            format!("this `{open}` is never closed")
        } else {
            format!("to close this `{open}`")
        };
        let error = Diagnostic::error("c-parse", message).at(self.span());
        self.report(error.related(opening, note))
    }

    /// Takes the `;` that ends a `what`. If the line ends there, a forgotten one is reported where
    /// it belongs, and parsing goes on as if it stood there.
    pub(super) fn semicolon(&mut self, what: &str) -> Result<()> {
        if self.eat(Punct::Semicolon) {
            return Ok(());
        }
        let next = self.token();
        let forgotten = next.first_of_line
            || matches!(next.kind, TokenKind::Punct(Punct::CloseBrace) | TokenKind::End);
        if !forgotten {
            return Err(self.expected(&format!("`;` after {what}")));
        }
        if self.is_literal_unclosed() {
            // It was reported, and has swallowed the `;`.
            return Ok(());
        }
        let found = self.describe(next);
        let before = self.previous_span();
        let message = format!("expected `;` after {what}, found {found}");
        let error = Diagnostic::error("c-parse", message)
            .at(Span { start: before.end, ..before })
            .label("expected `;`")
            .help("add `;` here");
        self.report(error);
        Ok(())
    }

    /// Whether the last token is a string or character constant that its line cut off.
    fn is_literal_unclosed(&self) -> bool {
        let last = self.tokens[self.at.saturating_sub(1)];
        let quote = match last.kind {
            TokenKind::String(_) => '"',
            TokenKind::Char(_) => '\'',
            _ => return false,
        };
        let text = self.spelling(last.span);
        text.len() < 2 || !text.ends_with(quote)
    }

    pub(super) fn too_deep(&mut self) -> Failed {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        let failed = self.report(Diagnostic::error("c-nesting", message).at(self.span()));
        // Every enclosing level would fail in turn, and recovery would start deep inside.
        self.at = self.tokens.len() - 1;
        self.last_error = Some(self.at);
        failed
    }

    /// Checks the length of a chain that becomes a nest in the tree.
    pub(super) fn check_chain(&mut self, length: usize) -> Result<()> {
        if length <= MAX_CHAIN {
            return Ok(());
        }
        let message = format!("more than {MAX_CHAIN} operators, labels or `else if` in a row");
        Err(self.report(Diagnostic::error("c-nesting", message).at(self.span())))
    }

    /// A name stands where only a type can. It counts as a type from now on.
    pub(super) fn unknown_type(&mut self, symbol: Symbol, place: Place) -> Failed {
        let name = self.name(symbol);
        let span = self.span();
        let alone = matches!(self.ahead(1), TokenKind::Punct(Punct::Comma | Punct::CloseParen));
        let help = if place == Place::Parameter && alone {
            "every parameter needs a type of its own".to_string()
        } else {
            help_for_type(&name)
        };
        let message = format!("unknown type name `{name}`");
        let error = Diagnostic::error("c-unknown-type", message).at(span);
        let failed = self.report(error.label("not declared as a type").help(help));
        self.scopes.declare_everywhere(symbol);
        failed
    }

    /// Whether a name was never declared, so that it may be a forgotten type.
    pub(super) fn is_undeclared(&self, symbol: Symbol) -> bool {
        self.scopes.meaning(symbol) == Meaning::Unknown
    }

    /// How a message names a token.
    pub(super) fn describe(&self, token: Token) -> String {
        let text = self.spelling(token.span);
        match token.kind {
            TokenKind::End if self.in_comment.is_some() => "the end of the comment".to_string(),
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Ident(symbol) => format!("`{}`", self.name(symbol)),
            TokenKind::Keyword(_) => format!("the keyword `{text}`"),
            TokenKind::Punct(punct) => format!("`{}`", punct.text()),
            TokenKind::String(_) => "a string".to_string(),
            TokenKind::Number | TokenKind::Char(_) if text.len() <= 40 => format!("`{text}`"),
            TokenKind::Number | TokenKind::Char(_) => "a constant".to_string(),
        }
    }

    /// Skips past the next `;`, or to the next `}` that closes an outer block. Always moves
    /// on from `start`, where the failed construct began, unless a `}` is there.
    pub(super) fn recover(&mut self, start: usize) {
        let mut depth = 0_usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) if depth == 0 => return,
                TokenKind::Punct(Punct::CloseBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        self.eat(Punct::Semicolon);
                        return;
                    }
                }
                _ if depth == 0 && self.at > start && self.at_new_construct() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// A keyword at the start of a line, most likely the start of something sound.
    fn at_new_construct(&self) -> bool {
        let TokenKind::Keyword(keyword) = self.kind() else { return false };
        self.token().first_of_line && (keyword.starts_specifiers() || keyword.starts_statement())
    }
}

fn help_for_type(name: &str) -> String {
    let header = match name {
        "bool" => "<stdbool.h>",
        "size_t" | "ptrdiff_t" | "wchar_t" | "max_align_t" => "<stddef.h>",
        "FILE" => "<stdio.h>",
        "va_list" => "<stdarg.h>",
        "ssize_t" | "pid_t" | "off_t" | "u_int32_t" => "<sys/types.h>",
        "time_t" | "clock_t" => "<time.h>",
        "sem_t" => "<semaphore.h>",
        "thrd_t" | "mtx_t" | "cnd_t" | "tss_t" | "once_flag" => "<threads.h>",
        "jmp_buf" => "<setjmp.h>",
        _ if name.starts_with("pthread_") => "<pthread.h>",
        _ if name.starts_with("atomic_") || name == "memory_order" => "<stdatomic.h>",
        _ if name.ends_with("_t") && (name.starts_with("int") || name.starts_with("uint")) => {
            "<stdint.h>"
        }
        _ => return "is an #include missing, or is the name misspelt?".to_string(),
    };
    format!("is `#include {header}` missing?")
}
