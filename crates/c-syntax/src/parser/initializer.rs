//! Initialisers, with designators of all ages.

use super::{Parser, Result};
use crate::ast::{Designator, InitItem, Initializer, Span};
use crate::lexer::{Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Result<Initializer> {
        if !self.at_punct(Punct::OpenBrace) {
            return Ok(Initializer::Expr(self.assignment()?));
        }
        let (items, span) = self.nested(Self::init_list)?;
        Ok(Initializer::List(items, span))
    }

    /// `{ item, ... }`
    pub(super) fn init_list(&mut self) -> Result<(Vec<InitItem>, Span)> {
        let opening = self.expect(Punct::OpenBrace)?;
        let mut items = Vec::new();
        while !self.at_punct(Punct::CloseBrace) {
            items.push(self.init_item()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBrace, opening)?;
        Ok((items, self.since(opening)))
    }

    fn init_item(&mut self) -> Result<InitItem> {
        let old_style = matches!(self.kind(), TokenKind::Ident(_))
            && self.ahead(1) == TokenKind::Punct(Punct::Colon);
        let designators = if old_style {
            let field = self.ident("a member")?.1;
            self.bump();
            vec![Designator::Field(field)]
        } else {
            let designators = self.designators()?;
            // Old GNU C leaves out the `=` after `[index]`.
            let optional = matches!(designators.last(), None | Some(Designator::Index(_)));
            if !self.eat(Punct::Equal) && !optional {
                return Err(self.expected("`=`"));
            }
            designators
        };
        Ok(InitItem { designators, init: self.initializer()? })
    }

    /// `.name`, `[index]`, `[low ... high]`, any number of them.
    pub(super) fn designators(&mut self) -> Result<Vec<Designator>> {
        let mut designators = Vec::new();
        loop {
            if self.eat(Punct::Dot) {
                designators.push(Designator::Field(self.ident("the name of a member")?.1));
            } else if self.at_punct(Punct::OpenBracket) {
                designators.push(self.index_designator()?);
            } else {
                return Ok(designators);
            }
        }
    }

    fn index_designator(&mut self) -> Result<Designator> {
        let opening = self.bump().span;
        let low = self.nested(Self::conditional)?;
        let designator = if self.eat(Punct::Ellipsis) {
            Designator::Range(low, self.nested(Self::conditional)?)
        } else {
            Designator::Index(low)
        };
        self.close(Punct::CloseBracket, opening)?;
        Ok(designator)
    }
}
