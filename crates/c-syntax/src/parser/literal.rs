//! Constants and strings where the grammar takes them up.

use std::rc::Rc;

use super::{Parser, Result};
use crate::ast::{
    CharLiteral, Encoding, Expr, ExprKind, IntegerLiteral, LongSuffix, Span, StringLiteral,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::lexer::literal::{self, Number};

impl Parser<'_> {
    /// A malformed constant is reported and taken for zero: the rest may well be sound.
    pub(super) fn number(&mut self) -> Expr {
        let span = self.span();
        let kind = match literal::number(self.written()) {
            Ok(Number::Integer(literal)) => ExprKind::Integer(literal),
            Ok(Number::Float(literal)) => ExprKind::Float(literal),
            Err(message) => {
                self.malformed(span, message);
                let (value, decimal, unsigned, long) = (0, true, false, LongSuffix::None);
                ExprKind::Integer(IntegerLiteral { value, decimal, unsigned, long })
            }
        };
        self.bump();
        Expr { kind, span }
    }

    pub(super) fn character(&mut self, encoding: Encoding) -> Expr {
        let span = self.span();
        let literal = literal::character(self.written(), encoding).unwrap_or_else(|message| {
            self.malformed(span, message);
            CharLiteral { value: 0, encoding }
        });
        self.bump();
        Expr { kind: ExprKind::Char(literal), span }
    }

    /// One or more adjacent strings.
    pub(super) fn string(&mut self) -> Result<(StringLiteral, Span)> {
        let start = self.span();
        let mut pieces = Vec::new();
        while let TokenKind::String(encoding) = self.kind() {
            pieces.push((self.written(), encoding));
            self.bump();
        }
        if pieces.is_empty() {
            return Err(self.expected("a string"));
        }
        let span = self.since(start);
        let literal = literal::string(&pieces).unwrap_or_else(|message| {
            self.malformed(span, message);
            StringLiteral { units: Rc::from([]), encoding: Encoding::Plain }
        });
        Ok((literal, span))
    }

    /// A string that is only read as text.
    pub(super) fn string_text(&mut self) -> Result<Rc<str>> {
        Ok(literal::text_of(&self.string()?.0))
    }

    fn malformed(&mut self, span: Span, message: String) {
        self.report(Diagnostic::error("c-literal", message).at(span));
    }
}
