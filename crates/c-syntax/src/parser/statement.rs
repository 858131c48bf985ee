//! Blocks and statements.

use super::{Parser, Result};
use crate::ast::{
    Attribute, Block, BlockItem, Expr, ForInit, Ident, Span, Statement, StatementKind,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Keyword, Punct, TokenKind};

use super::declaration::Declared;
use super::pragma::after;

/// What stands before the `:` of a labelled statement.
enum Label {
    Name(Ident),
    Case { low: Expr, high: Option<Expr> },
    Default,
}

/// Whether an attribute of a statement leaves its meaning alone.
fn says_nothing(attribute: &Attribute) -> bool {
    let known = ["fallthrough", "unused", "maybe_unused", "likely", "unlikely", "hot", "cold"];
    known.contains(&&*attribute.name)
}

impl Parser<'_> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self) -> Result<Block> {
        self.scopes.open();
        let block = self.nested(Self::block_in_scope);
        self.scopes.close();
        block
    }

    /// A block whose scope is open already.
    pub(super) fn block_in_scope(&mut self) -> Result<Block> {
        let opening = self.expect(Punct::OpenBrace)?;
        let mut items = Vec::new();
        loop {
            while let Some(pragma) = self.pragma_statement() {
                items.push(BlockItem::Statement(pragma));
            }
            if self.at_punct(Punct::CloseBrace) || self.at_end() {
                break;
            }
            let start = self.at;
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(_) => self.recover(start),
            }
        }
        self.close(Punct::CloseBrace, opening)?;
        Ok(Block { items, span: self.since(opening) })
    }

    fn block_item(&mut self) -> Result<BlockItem> {
        match self.kind() {
            TokenKind::Keyword(Keyword::StaticAssert) => {
                Ok(BlockItem::StaticAssert(self.static_assert()?))
            }
            TokenKind::Keyword(Keyword::Label) => self.local_labels(),
            TokenKind::Keyword(Keyword::AssertClause) => {
                Ok(BlockItem::Statement(self.assert_clause()?))
            }
            TokenKind::Ident(_) if self.at_label() => {
                Ok(BlockItem::Statement(self.labelled(true)?))
            }
            TokenKind::Keyword(Keyword::Case | Keyword::Default) => {
                Ok(BlockItem::Statement(self.labelled(true)?))
            }
            _ if self.at_declaration() || self.at_unknown_type() => Ok(self.declaration()?.into()),
            _ => Ok(BlockItem::Statement(self.statement()?)),
        }
    }

    fn at_label(&self) -> bool {
        self.ahead(1) == TokenKind::Punct(Punct::Colon)
    }

    fn local_labels(&mut self) -> Result<BlockItem> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            labels.push(self.ident("a label")?.1);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.semicolon("the labels")?;
        Ok(BlockItem::LocalLabels(labels))
    }

    pub(super) fn statement(&mut self) -> Result<Statement> {
        self.nested(Self::statement_here)
    }

    fn statement_here(&mut self) -> Result<Statement> {
        let start = self.span();
        let updates = self.ghost_updates();
        if !updates.is_empty() {
            let joined = Box::new(self.statement()?);
            let kind = StatementKind::Ghost { updates, joined };
            return Ok(Statement { kind, span: self.since(start) });
        }
        if let Some(pragma) = self.pragma_statement() {
            return Ok(after(pragma, self.statement()?));
        }
        if self.at_keyword(Keyword::AssertClause) {
            // The program without its annotations has the statement after it here.
            let assertion = self.assert_clause()?;
            return Ok(after(assertion, self.statement()?));
        }
        let start = self.span();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if let Some(strange) = attributes.iter().find(|attribute| !says_nothing(attribute)) {
            let what = format!("the attribute `{}` of a statement", strange.name);
            let kind = StatementKind::Unsupported(what.into());
            let strange = Statement { kind, span: strange.span };
            return Ok(after(strange, self.statement()?));
        }
        let kind = match self.kind() {
            TokenKind::Punct(Punct::Semicolon) => {
                self.bump();
                StatementKind::Empty
            }
            TokenKind::Punct(Punct::OpenBrace) => StatementKind::Block(self.block()?),
            TokenKind::Ident(_) if self.at_label() => return self.labelled(false),
            TokenKind::Keyword(keyword) => return self.keyword_statement(keyword),
            _ if self.at_declaration() => return Err(self.declaration_as_statement()),
            _ => self.expression_statement()?,
        };
        Ok(Statement { kind, span: self.since(start) })
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Result<Statement> {
        let start = self.span();
        let kind = match keyword {
            Keyword::Case | Keyword::Default => return self.labelled(false),
            Keyword::If => return self.if_statement(),
            Keyword::LoopInvariant => return self.annotated_loop(),
            Keyword::While | Keyword::Do | Keyword::For => self.loop_statement(Vec::new())?,
            Keyword::Switch => {
                let value = self.condition()?;
                StatementKind::Switch { value, body: Box::new(self.statement()?) }
            }
            Keyword::Goto => self.goto_statement()?,
            Keyword::Continue => self.jump("`continue`", StatementKind::Continue)?,
            Keyword::Break => self.jump("`break`", StatementKind::Break)?,
            Keyword::Return => self.return_statement()?,
            Keyword::Asm => StatementKind::Asm(self.asm()?),
            Keyword::Else => {
                let error = Diagnostic::error("c-parse", "this `else` belongs to no `if`");
                let help = "without braces only one statement stands between `if` and `else`";
                return Err(self.report(error.at(self.span()).help(help)));
            }
            _ if self.at_declaration() => return Err(self.declaration_as_statement()),
            _ => self.expression_statement()?,
        };
        Ok(Statement { kind, span: self.since(start) })
    }

    fn declaration_as_statement(&mut self) -> super::Failed {
        self.expected_with_help("a statement", "put braces around a declaration here")
    }

    fn expression_statement(&mut self) -> Result<StatementKind> {
        let value = self.expression()?;
        self.semicolon("the expression")?;
        Ok(StatementKind::Expr(value))
    }

    /// `keyword ( expression )`
    fn condition(&mut self) -> Result<Expr> {
        self.bump();
        let opening = self.expect(Punct::OpenParen)?;
        let value = self.expression()?;
        self.close(Punct::CloseParen, opening)?;
        Ok(value)
    }

    /// `else if` chains may be long, so they are read in a loop and nested afterwards.
    fn if_statement(&mut self) -> Result<Statement> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.span();
            let condition = self.condition()?;
            let then = Box::new(self.statement()?);
            arms.push((start, condition, then));
            self.check_chain(arms.len())?;
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.at_keyword(Keyword::If) {
                otherwise = Some(Box::new(self.statement()?));
                break;
            }
        }
        let end = self.previous_span();
        let nested = arms.into_iter().rfold(otherwise, |otherwise, (start, condition, then)| {
            let kind = StatementKind::If { condition, then, otherwise };
            Some(Box::new(Statement { kind, span: start.to(end) }))
        });
        nested.map(|statement| *statement).ok_or(super::Failed)
    }

    /// `while`, `do` or `for`, after its invariants.
    pub(super) fn loop_statement(&mut self, invariants: Vec<Expr>) -> Result<StatementKind> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Do) => self.do_statement(invariants),
            TokenKind::Keyword(Keyword::For) => self.for_statement(invariants),
            _ => {
                let condition = self.condition()?;
                let body = Box::new(self.statement()?);
                Ok(StatementKind::While { invariants, condition, body })
            }
        }
    }

    fn do_statement(&mut self, invariants: Vec<Expr>) -> Result<StatementKind> {
        self.bump();
        let body = Box::new(self.statement()?);
        if !self.at_keyword(Keyword::While) {
            return Err(self.expected("`while` after the body of `do`"));
        }
        let condition = self.condition()?;
        self.semicolon("`do ... while (...)`")?;
        Ok(StatementKind::DoWhile { invariants, body, condition })
    }

    fn for_statement(&mut self, invariants: Vec<Expr>) -> Result<StatementKind> {
        self.scopes.open();
        let statement = self.for_in_scope(invariants);
        self.scopes.close();
        statement
    }

    fn for_in_scope(&mut self, invariants: Vec<Expr>) -> Result<StatementKind> {
        self.bump();
        let opening = self.expect(Punct::OpenParen)?;
        let init = self.for_init()?;
        let condition = self.optional_expression(Punct::Semicolon)?;
        if !self.eat(Punct::Semicolon) {
            let help = "`for` has three parts, with `;` between them";
            return Err(self.expected_with_help("`;`", help));
        }
        let step = self.optional_expression(Punct::CloseParen)?;
        self.close(Punct::CloseParen, opening)?;
        let body = Box::new(self.statement()?);
        Ok(StatementKind::For { invariants, init, condition, step, body })
    }

    fn for_init(&mut self) -> Result<ForInit> {
        if self.eat(Punct::Semicolon) {
            return Ok(ForInit::None);
        }
        if self.at_declaration() || self.at_unknown_type() {
            return match self.declaration()? {
                Declared::Declaration(declaration) => Ok(ForInit::Declaration(declaration)),
                Declared::Function(_) => Err(self.expected("a loop condition")),
            };
        }
        let value = self.expression()?;
        self.expect(Punct::Semicolon)?;
        Ok(ForInit::Expr(value))
    }

    fn optional_expression(&mut self, end: Punct) -> Result<Option<Expr>> {
        if self.at_punct(end) { Ok(None) } else { Ok(Some(self.expression()?)) }
    }

    fn goto_statement(&mut self) -> Result<StatementKind> {
        self.bump();
        let kind = if self.eat(Punct::Star) {
            StatementKind::GotoComputed(self.expression()?)
        } else {
            StatementKind::Goto(self.ident("a label")?.1)
        };
        self.semicolon("`goto`")?;
        Ok(kind)
    }

    fn jump(&mut self, what: &str, kind: StatementKind) -> Result<StatementKind> {
        self.bump();
        self.semicolon(what)?;
        Ok(kind)
    }

    fn return_statement(&mut self) -> Result<StatementKind> {
        self.bump();
        // A line that ends after `return` lacks a `;` rather than a value.
        let ends = self.at_punct(Punct::Semicolon) || self.at_punct(Punct::CloseBrace);
        let value = if ends { None } else { Some(self.expression()?) };
        self.semicolon("`return`")?;
        Ok(StatementKind::Return(value))
    }

    /// Labels and what they label. Long rows of labels are read in a loop and nested afterwards.
    /// In a block, a declaration or the end of the block may follow instead of a statement.
    fn labelled(&mut self, in_block: bool) -> Result<Statement> {
        let mut labels = Vec::new();
        while let Some(label) = self.label()? {
            labels.push(label);
            self.check_chain(labels.len())?;
            if self.at_attribute() && !self.at_declaration() {
                self.attributes(&mut Vec::new())?;
            }
        }
        let ends = self.at_punct(Punct::CloseBrace)
            || (in_block
                && (self.at_declaration()
                    || self.at_unknown_type()
                    || self.at_keyword(Keyword::AssertClause)
                    || self.at_keyword(Keyword::StaticAssert)));
        let body = if ends {
            let end = self.previous_span();
            let span = Span { start: end.end, ..end };
            Statement { kind: StatementKind::Empty, span }
        } else {
            self.statement()?
        };
        Ok(labels.into_iter().rfold(body, |body, (start, label)| {
            let span = start.to(body.span);
            let body = Box::new(body);
            let kind = match label {
                Label::Name(name) => StatementKind::Label { name, body },
                Label::Case { low, high } => StatementKind::Case { low, high, body },
                Label::Default => StatementKind::Default { body },
            };
            Statement { kind, span }
        }))
    }

    /// One label up to its `:`, if there is one.
    fn label(&mut self) -> Result<Option<(Span, Label)>> {
        let start = self.span();
        let label = match self.kind() {
            TokenKind::Ident(_) if self.at_label() => Label::Name(self.ident("a label")?.1),
            TokenKind::Keyword(Keyword::Default) => {
                self.bump();
                Label::Default
            }
            TokenKind::Keyword(Keyword::Case) => {
                self.bump();
                let low = self.conditional()?;
                let high = self.eat(Punct::Ellipsis).then(|| self.conditional()).transpose()?;
                Label::Case { low, high }
            }
            _ => return Ok(None),
        };
        self.expect(Punct::Colon)?;
        Ok(Some((start, label)))
    }
}
