//! Attributes: `__attribute__((...))` and `[[...]]`.

use std::rc::Rc;

use super::{Parser, Result};
use crate::ast::{Attribute, Expr};
use crate::lexer::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn at_attribute(&self) -> bool {
        self.at_keyword(Keyword::Attribute) || self.at_bracket_attribute()
    }

    pub(super) fn at_bracket_attribute(&self) -> bool {
        self.at_punct(Punct::OpenBracket) && self.ahead(1) == TokenKind::Punct(Punct::OpenBracket)
    }

    /// Takes all attributes that come next.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Result<()> {
        loop {
            let close = if self.eat_keyword(Keyword::Attribute) {
                self.expect(Punct::OpenParen)?;
                self.expect(Punct::OpenParen)?;
                Punct::CloseParen
            } else if self.at_bracket_attribute() {
                self.bump();
                self.bump();
                Punct::CloseBracket
            } else {
                return Ok(());
            };
            while !self.at_punct(close) {
                if !self.at_punct(Punct::Comma) {
                    attributes.push(self.attribute()?);
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(close)?;
            self.expect(close)?;
        }
    }

    fn attribute(&mut self) -> Result<Attribute> {
        let start = self.span();
        let mut name = self.attribute_word()?;
        if self.at_punct(Punct::Colon) && self.ahead(1) == TokenKind::Punct(Punct::Colon) {
            self.bump();
            self.bump();
            name = self.attribute_word()?;
        }
        let mut args = Vec::new();
        if self.at_punct(Punct::OpenParen) {
            let opening = self.bump().span;
            while !self.at_punct(Punct::CloseParen) && !self.at_end() {
                args.extend(self.attribute_argument());
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.close(Punct::CloseParen, opening)?;
        }
        Ok(Attribute { name, args, span: self.since(start) })
    }

    /// The name of an attribute, which may be a keyword (`const`), without outer underscores.
    fn attribute_word(&mut self) -> Result<Rc<str>> {
        let (TokenKind::Ident(_) | TokenKind::Keyword(_)) = self.kind() else {
            return Err(self.expected("the name of an attribute"));
        };
        let span = self.bump().span;
        let text = self.spelling(span);
        let bare = text.strip_prefix("__").and_then(|text| text.strip_suffix("__"));
        Ok(bare.filter(|bare| !bare.is_empty()).unwrap_or(text).into())
    }

    /// An argument if it is an expression; anything else up to the next comma is skipped.
    fn attribute_argument(&mut self) -> Option<Expr> {
        let (at, messages, errors) = (self.at, self.diagnostics.len(), self.errors);
        let (last_error, nesting) = (self.last_error, self.nesting);
        if !self.at_type() {
            let value = self.nested(Self::assignment);
            if let Ok(value) = value
                && matches!(self.kind(), TokenKind::Punct(Punct::Comma | Punct::CloseParen))
                && self.diagnostics.len() == messages
            {
                return Some(value);
            }
            self.diagnostics.truncate(messages);
            (self.at, self.errors, self.last_error, self.nesting) =
                (at, errors, last_error, nesting);
        }
        self.skip_argument();
        None
    }

    fn skip_argument(&mut self) {
        while !self.at_end()
            && !self.at_punct(Punct::Comma)
            && !self.at_punct(Punct::CloseParen)
            && !self.at_punct(Punct::Semicolon)
        {
            let length = self.after_brackets(0);
            for _ in 0..length {
                self.bump();
            }
        }
    }
}
