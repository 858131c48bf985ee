//! Assembler, in all its places.

use std::rc::Rc;

use super::{Parser, Result};
use crate::ast::{Asm, Expr, Ident, Span};
use crate::lexer::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// `asm("name")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Result<Rc<str>> {
        self.bump();
        let opening = self.expect(Punct::OpenParen)?;
        let label = self.string_text()?;
        self.close(Punct::CloseParen, opening)?;
        Ok(label)
    }

    pub(super) fn top_level_asm(&mut self) -> Result<Span> {
        let start = self.span();
        self.asm()?;
        Ok(self.since(start))
    }

    /// `asm volatile goto ("..." : outputs : inputs : clobbers : labels);`
    pub(super) fn asm(&mut self) -> Result<Asm> {
        self.bump();
        while let TokenKind::Keyword(
            Keyword::Volatile | Keyword::Inline | Keyword::Goto | Keyword::Const,
        ) = self.kind()
        {
            self.bump();
        }
        let opening = self.expect(Punct::OpenParen)?;
        let template = self.string_text()?;
        let mut asm = Asm {
            template,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
        };
        if self.eat(Punct::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(Punct::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(Punct::Colon) {
            asm.clobbers = self.list(Self::string_text)?;
        }
        if self.eat(Punct::Colon) {
            asm.labels = self.list(Self::asm_goto_label)?;
        }
        self.close(Punct::CloseParen, opening)?;
        self.semicolon("`asm`")?;
        Ok(asm)
    }

    fn asm_operands(&mut self) -> Result<Vec<Expr>> {
        self.list(Self::asm_operand)
    }

    /// `[name] "constraint" (expression)`
    fn asm_operand(&mut self) -> Result<Expr> {
        if self.eat(Punct::OpenBracket) {
            self.ident("the name of an operand")?;
            self.expect(Punct::CloseBracket)?;
        }
        self.string()?;
        let opening = self.expect(Punct::OpenParen)?;
        let value = self.nested(Self::expression)?;
        self.close(Punct::CloseParen, opening)?;
        Ok(value)
    }

    fn asm_goto_label(&mut self) -> Result<Ident> {
        Ok(self.ident("a label")?.1)
    }

    /// A list, possibly empty, that ends before `:` or `)`.
    fn list<T>(&mut self, element: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::new();
        if self.at_punct(Punct::Colon) || self.at_punct(Punct::CloseParen) {
            return Ok(list);
        }
        loop {
            list.push(element(self)?);
            if !self.eat(Punct::Comma) {
                return Ok(list);
            }
        }
    }
}
