//! Specifications in comments that begin with `@`: `/*@ requires x > 0; */`.
//!
//! Unlike other clauses, they are no part of the program: all tokens of such a comment are set
//! aside, with the place in the program where the comment stands, and the parser takes them up
//! there. Their notation is C's with a few words (`\tid`) and signs (`x'`, `==>`) more.

use super::aside::{Aside, Begun};
use super::name::is_name_char;
use super::scan::{Comment, Scanner};
use super::{Punct, Token, TokenKind};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;

/// The words that a comment with specifications begins with.
const WORDS: [&str; 9] = [
    "requires",
    "modifies",
    "action",
    "ensures",
    "env_assumption",
    "global_invariant",
    "unwritable_by_env_if",
    "ghost",
    "abstract_thread",
];

/// Whether a text may have specifications. It may say yes where there are none.
pub(super) fn may_have_specifications(text: &str) -> bool {
    WORDS.iter().any(|word| text.contains(word))
}

impl Scanner<'_> {
    /// Behind the `@` of a comment: begins to set its tokens aside, if it has specifications.
    pub(super) fn begin_aside(&mut self, comment: Comment, start: u32) -> bool {
        if !self.specifications {
            return false;
        }
        self.annotation = Some(comment);
        self.skip_annotation_blanks();
        let mut ahead = self.cursor;
        let from = ahead.at();
        ahead.eat_while(is_name_char);
        if !WORDS.contains(&ahead.since(from)) {
            self.annotation = None;
            return false;
        }
        let first = self.lexed.tokens.len();
        let beside = first > 0 && !self.first_of_line;
        self.aside = Some(Begun { first, start, beside });
        true
    }

    /// At the end of the comment, if its tokens are set aside.
    pub(super) fn end_aside(&mut self) {
        let Some(Begun { first, start, beside }) = self.aside.take() else { return };
        if self.cursor.peek().is_none() && self.annotation == Some(Comment::Block) {
            let opening = Span { end: start + 3, ..self.span(start) };
            let error = Diagnostic::error("c-lex", "this comment is never closed").at(opening);
            self.lexed.diagnostics.push(error.help("add `*/` where it should end"));
        }
        let span = self.span(start);
        let end = Token {
            kind: TokenKind::End,
            span: Span { start: span.end, ..span },
            first_of_line: false,
        };
        let tokens = self.lexed.tokens.split_off(first);
        let (mut tokens, mut spelled) = self.expanded(&tokens);
        tokens.push(end);
        spelled.push(end.span);
        self.lexed.asides.push(Aside { tokens, spelled, at: first, beside, span });
        self.first_of_line = !beside;
    }

    /// A sign or word that only specifications have.
    pub(super) fn special(&mut self, start: u32) -> Option<TokenKind> {
        if self.aside.is_none() && self.clause.is_none() && !self.defining {
            return None;
        }
        let mut ahead = self.cursor;
        let mut is = |text: &str| {
            ahead = self.cursor;
            text.chars().all(|c| ahead.eat(c))
        };
        let punct = match self.cursor.peek()? {
            '=' if is("==>") => Punct::Implies,
            '<' if is("<==>") => Punct::Equivalent,
            '\'' if self.follows_operand(start) && is("'") => Punct::Prime,
            '\\' => {
                self.cursor.next();
                self.cursor.eat_while(is_name_char);
                return Some(self.intern(self.cursor.since(start)));
            }
            _ => return None,
        };
        self.cursor = ahead;
        Some(TokenKind::Punct(punct))
    }

    /// Whether something that can be primed ends just here.
    fn follows_operand(&self, start: u32) -> bool {
        self.lexed.tokens.last().is_some_and(|token| {
            let operand = matches!(
                token.kind,
                TokenKind::Ident(_) | TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket)
            );
            operand && token.span.end == start
        })
    }
}
