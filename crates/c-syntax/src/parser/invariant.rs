//! Loop invariants.
//!
//! `/*@ loop invariant e; */` before a loop becomes a call of `__selvedge_invariant(e)` at the head
//! of the loop, one for each part of a conjunction: before the condition, or at the start of the
//! body where that is the head.

use super::{Parser, Result};
use crate::ast::{BinaryOp, Block, BlockItem, Expr, ExprKind, Ident, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Keyword, Punct, TokenKind};

/// What invariants become calls of.
pub const INVARIANT: &str = "__selvedge_invariant";

impl Parser<'_> {
    /// A loop behind its invariants.
    pub(super) fn annotated_loop(&mut self) -> Result<Statement> {
        let mut calls = Vec::new();
        while self.at_keyword(Keyword::LoopInvariant) {
            self.bump();
            self.without_effects()?;
            let condition = self.expression()?;
            self.semicolon("the loop invariant")?;
            split(condition, &mut calls);
        }
        let loops = [Keyword::While, Keyword::For, Keyword::Do];
        if !loops.into_iter().any(|keyword| self.at_keyword(keyword)) {
            let help = "a loop invariant stands directly before `while`, `for` or `do`";
            return Err(self.expected_with_help("a loop after the loop invariant", help));
        }
        let mut statement = self.statement()?;
        place(&mut statement.kind, calls);
        Ok(statement)
    }

    /// An error if the expression up to the next `;` changes something or calls a function.
    fn without_effects(&mut self) -> Result<()> {
        let mut distance = 0;
        loop {
            let wrong = match (self.ahead(distance), self.ahead(distance + 1)) {
                (TokenKind::Punct(Punct::Semicolon) | TokenKind::End, _) => return Ok(()),
                // The `;` is missing.
                (TokenKind::Keyword(Keyword::While | Keyword::For | Keyword::Do), _) => {
                    return Ok(());
                }
                (TokenKind::Punct(punct), _) if changes(punct) => "changes a variable",
                (TokenKind::Ident(_), TokenKind::Punct(Punct::OpenParen)) => "calls a function",
                (TokenKind::Punct(Punct::OpenParen), TokenKind::Punct(Punct::OpenBrace)) => {
                    "contains statements"
                }
                _ => {
                    distance += 1;
                    continue;
                }
            };
            let span = self.tokens[self.at + distance].span;
            let error = Diagnostic::error("annotation", format!("a loop invariant {wrong}"));
            let help = "an invariant only says what holds: it has no effects";
            return Err(self.report(error.at(span).help(help)));
        }
    }
}

fn changes(punct: Punct) -> bool {
    use Punct::{
        AmpEqual, CaretEqual, Equal, MinusEqual, MinusMinus, PercentEqual, PipeEqual, PlusEqual,
        PlusPlus, ShiftLeftEqual, ShiftRightEqual, SlashEqual, StarEqual,
    };
    matches!(
        punct,
        AmpEqual
            | CaretEqual
            | Equal
            | MinusEqual
            | MinusMinus
            | PercentEqual
            | PipeEqual
            | PlusEqual
            | PlusPlus
            | ShiftLeftEqual
            | ShiftRightEqual
            | SlashEqual
            | StarEqual
    )
}

/// A call for each part of a conjunction.
fn split(condition: Expr, calls: &mut Vec<Expr>) {
    match condition.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            split(*left, calls);
            split(*right, calls);
        }
        _ => {
            let span = condition.span;
            let name = Ident { name: INVARIANT.into(), span };
            let callee = Box::new(Expr { kind: ExprKind::Ident(name), span });
            calls.push(Expr { kind: ExprKind::Call { callee, args: vec![condition] }, span });
        }
    }
}

/// Puts the calls at the head of the loop.
fn place(kind: &mut StatementKind, calls: Vec<Expr>) {
    match kind {
        StatementKind::While { condition, .. }
        | StatementKind::For { condition: Some(condition), .. } => {
            for call in calls.into_iter().rev() {
                let span = condition.span;
                let placeholder = Expr { kind: call.kind.clone(), span };
                let right = Box::new(std::mem::replace(condition, placeholder));
                condition.kind = ExprKind::Comma { left: Box::new(call), right };
            }
        }
        StatementKind::For { body, .. } | StatementKind::DoWhile { body, .. } => {
            let span = body.span;
            let inner =
                std::mem::replace(&mut **body, Statement { kind: StatementKind::Empty, span });
            let mut items: Vec<BlockItem> = Vec::new();
            for call in calls {
                let span = call.span;
                let kind = StatementKind::Expr(call);
                items.push(BlockItem::Statement(Statement { kind, span }));
            }
            items.push(BlockItem::Statement(inner));
            body.kind = StatementKind::Block(Block { items, span });
        }
        _ => {}
    }
}
