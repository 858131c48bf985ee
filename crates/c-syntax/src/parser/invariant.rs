//! Clauses of annotations in a body: `/*@ loop invariant e; */` before a loop, `/*@ assert e; */`.

use super::{Parser, Result};
use crate::ast::{BinaryOp, Expr, ExprKind, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// A loop and the invariants before it.
    pub(super) fn annotated_loop(&mut self) -> Result<Statement> {
        let mut invariants = Vec::new();
        while self.at_keyword(Keyword::LoopInvariant) {
            self.bump();
            split(self.body_clause("a loop invariant")?, &mut invariants);
        }
        let loops = [Keyword::While, Keyword::For, Keyword::Do];
        if !loops.into_iter().any(|keyword| self.at_keyword(keyword)) {
            let help = "a loop invariant stands directly before `while`, `for` or `do`";
            return Err(self.expected_with_help("a loop after the loop invariant", help));
        }
        let start = self.span();
        let kind = self.loop_statement(invariants)?;
        Ok(Statement { kind, span: self.since(start) })
    }

    /// `assert e;`, at its keyword.
    pub(super) fn assert_clause(&mut self) -> Result<Statement> {
        let start = self.bump().span;
        let condition = self.body_clause("an assertion")?;
        let span = condition.span;
        Ok(Statement { kind: StatementKind::Assert(condition), span: start.to(span) })
    }

    /// The formula of the clause whose keyword was taken.
    fn body_clause(&mut self, what: &str) -> Result<Expr> {
        let Some(aside) = self.clauses.pop_front() else { return Err(self.expected("a clause")) };
        self.in_comment(aside, |parser| {
            parser.without_effects(what)?;
            let condition = parser.implication()?;
            parser.semicolon("the clause")?;
            Ok(condition)
        })
    }

    /// An error if the clause changes something or calls a function.
    fn without_effects(&mut self, clause: &str) -> Result<()> {
        let mut distance = 0;
        loop {
            let wrong = match (self.ahead(distance), self.ahead(distance + 1)) {
                (TokenKind::End, _) => return Ok(()),
                (TokenKind::Punct(punct), _) if changes(punct) => "changes a variable",
                (TokenKind::Ident(name), TokenKind::Punct(Punct::OpenParen))
                    if !self.name(name).starts_with('\\') =>
                {
                    "calls a function"
                }
                (TokenKind::Punct(Punct::OpenParen), TokenKind::Punct(Punct::OpenBrace)) => {
                    "contains statements"
                }
                _ => {
                    distance += 1;
                    continue;
                }
            };
            let span = self.tokens[self.at + distance].span;
            let error = Diagnostic::error("annotation", format!("{clause} {wrong}"));
            let help = "it must not change variables, call functions or contain statements";
            return Err(self.report(error.at(span).help(help)));
        }
    }
}

/// Whether a punctuator assigns.
pub(super) fn changes(punct: Punct) -> bool {
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

/// The parts of a conjunction.
fn split(condition: Expr, parts: &mut Vec<Expr>) {
    match condition.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            split(*left, parts);
            split(*right, parts);
        }
        _ => parts.push(condition),
    }
}
