//! Expressions.
//!
//! What repeats on one level (binary operators, `?:`, commas, postfix operators) is read in
//! loops; only what truly nests recurses.

use super::{Parser, Result};
use crate::ast::{BinaryOp, Expr, ExprKind, Span, TypeName, UnaryOp};
use crate::lexer::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// A full expression, commas included.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        let mut left = self.assignment()?;
        let mut length = 0;
        while self.eat(Punct::Comma) {
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Comma { left: Box::new(left), right: Box::new(right) };
            left = Expr { kind, span };
            length += 1;
            self.check_chain(length)?;
        }
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Result<Expr> {
        let target = self.conditional()?;
        let TokenKind::Punct(punct) = self.kind() else { return Ok(target) };
        let Some(op) = assignment_op(punct) else { return Ok(target) };
        self.bump();
        let value = self.nested(Self::assignment)?;
        let span = target.span.to(value.span);
        let kind = ExprKind::Assign { op, target: Box::new(target), value: Box::new(value) };
        Ok(Expr { kind, span })
    }

    /// A conditional expression. In `a ? b : c ? d : e` the second hangs in the first's last part,
    /// and such rows may be long.
    pub(super) fn conditional(&mut self) -> Result<Expr> {
        let mut arms = Vec::new();
        let mut last = self.binary(0)?;
        while self.eat(Punct::Question) {
            let then = if self.at_punct(Punct::Colon) {
                None
            } else {
                Some(Box::new(self.nested(Self::expression)?))
            };
            self.expect(Punct::Colon)?;
            let otherwise = self.binary(0)?;
            arms.push((std::mem::replace(&mut last, otherwise), then));
            self.check_chain(arms.len())?;
        }
        Ok(arms.into_iter().rfold(last, |otherwise, (condition, then)| {
            let span = condition.span.to(otherwise.span);
            let (condition, otherwise) = (Box::new(condition), Box::new(otherwise));
            Expr { kind: ExprKind::Conditional { condition, then, otherwise }, span }
        }))
    }

    /// Binary operators of at least the given precedence.
    fn binary(&mut self, lowest: u8) -> Result<Expr> {
        let mut left = self.cast()?;
        let mut length = 0;
        while let TokenKind::Punct(punct) = self.kind()
            && let Some((op, precedence)) = binary_op(punct)
            && precedence >= lowest
        {
            self.bump();
            let right = self.binary(precedence + 1)?;
            let span = left.span.to(right.span);
            let (a, b) = (Box::new(left), Box::new(right));
            left = Expr { kind: ExprKind::Binary { op, left: a, right: b }, span };
            length += 1;
            self.check_chain(length)?;
        }
        Ok(left)
    }

    fn cast(&mut self) -> Result<Expr> {
        if !self.at_parenthesised_type() {
            return self.unary();
        }
        let start = self.span();
        let ty = self.parenthesised_type()?;
        if self.at_punct(Punct::OpenBrace) {
            return self.compound_literal(start, ty);
        }
        let operand = Box::new(self.nested(Self::cast)?);
        Ok(Expr { kind: ExprKind::Cast { ty, operand }, span: self.since(start) })
    }

    fn at_parenthesised_type(&self) -> bool {
        self.at_punct(Punct::OpenParen) && self.is_type_start(1)
    }

    fn parenthesised_type(&mut self) -> Result<Box<TypeName>> {
        let opening = self.expect(Punct::OpenParen)?;
        let ty = self.nested(Self::type_name)?;
        self.close(Punct::CloseParen, opening)?;
        Ok(Box::new(ty))
    }

    fn compound_literal(&mut self, start: Span, ty: Box<TypeName>) -> Result<Expr> {
        let (init, _) = self.nested(Self::init_list)?;
        let kind = ExprKind::CompoundLiteral { ty, init };
        self.postfix(Expr { kind, span: self.since(start) })
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Punct(Punct::PlusPlus) => UnaryOp::PreIncrement,
            TokenKind::Punct(Punct::MinusMinus) => UnaryOp::PreDecrement,
            TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::Star) => UnaryOp::Deref,
            TokenKind::Punct(Punct::Amp) => UnaryOp::AddressOf,
            TokenKind::Keyword(Keyword::Real) => UnaryOp::Real,
            TokenKind::Keyword(Keyword::Imag) => UnaryOp::Imag,
            TokenKind::Keyword(Keyword::Extension) => UnaryOp::Extension,
            TokenKind::Punct(Punct::AmpAmp) => {
                self.bump();
                let kind = ExprKind::LabelAddress(self.ident("a label")?.1);
                return Ok(Expr { kind, span: self.since(start) });
            }
            TokenKind::Keyword(Keyword::Sizeof) => {
                return self.type_or_operand(ExprKind::SizeofType, ExprKind::SizeofExpr);
            }
            TokenKind::Keyword(Keyword::Alignof) => {
                return self.type_or_operand(ExprKind::AlignofType, ExprKind::AlignofExpr);
            }
            TokenKind::Keyword(Keyword::GnuAlignof) => {
                return self.type_or_operand(ExprKind::GnuAlignofType, ExprKind::AlignofExpr);
            }
            _ => {
                let primary = self.primary()?;
                return self.postfix(primary);
            }
        };
        self.bump();
        let operand = Box::new(self.nested(Self::cast)?);
        Ok(Expr { kind: ExprKind::Unary { op, operand }, span: self.since(start) })
    }

    /// `sizeof (type)` or `sizeof operand`, and the same of alignment.
    fn type_or_operand(
        &mut self,
        of_type: impl FnOnce(Box<TypeName>) -> ExprKind,
        of_operand: impl FnOnce(Box<Expr>) -> ExprKind,
    ) -> Result<Expr> {
        let start = self.bump().span;
        let kind = if self.at_parenthesised_type() {
            let opening = self.span();
            let ty = self.parenthesised_type()?;
            if self.at_punct(Punct::OpenBrace) {
                of_operand(Box::new(self.compound_literal(opening, ty)?))
            } else {
                of_type(ty)
            }
        } else {
            of_operand(Box::new(self.nested(Self::unary)?))
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// Everything that may follow an operand.
    fn postfix(&mut self, mut operand: Expr) -> Result<Expr> {
        let start = operand.span;
        let mut length = 0;
        loop {
            let TokenKind::Punct(punct) = self.kind() else { return Ok(operand) };
            if punct == Punct::Prime {
                operand = self.primed(operand);
                continue;
            }
            let object = match punct {
                Punct::OpenBracket
                | Punct::OpenParen
                | Punct::Dot
                | Punct::Arrow
                | Punct::PlusPlus
                | Punct::MinusMinus => Box::new(operand),
                _ => return Ok(operand),
            };
            let opening = self.bump().span;
            let kind = self.postfix_operator(punct, opening, object)?;
            operand = Expr { kind, span: self.since(start) };
            length += 1;
            self.check_chain(length)?;
        }
    }

    fn postfix_operator(
        &mut self,
        punct: Punct,
        opening: Span,
        object: Box<Expr>,
    ) -> Result<ExprKind> {
        Ok(match punct {
            Punct::OpenBracket => {
                let index = Box::new(self.nested(Self::expression)?);
                self.close(Punct::CloseBracket, opening)?;
                ExprKind::Index { array: object, index }
            }
            Punct::OpenParen => {
                let args = self.nested(Self::arguments)?;
                self.close(Punct::CloseParen, opening)?;
                ExprKind::Call { callee: object, args }
            }
            Punct::Dot | Punct::Arrow => {
                let name = self.ident("the name of a member")?.1;
                ExprKind::Member { object, arrow: punct == Punct::Arrow, name }
            }
            Punct::PlusPlus => ExprKind::Unary { op: UnaryOp::PostIncrement, operand: object },
            _ => ExprKind::Unary { op: UnaryOp::PostDecrement, operand: object },
        })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        let mut args = Vec::new();
        if self.at_punct(Punct::CloseParen) {
            return Ok(args);
        }
        loop {
            args.push(self.assignment()?);
            if !self.eat(Punct::Comma) {
                return Ok(args);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.span();
        match self.kind() {
            TokenKind::Ident(symbol) if !self.scopes.is_typedef(symbol) => {
                let name = self.ident("a name")?.1;
                if Self::is_quantifier(&name) {
                    return self.quantifier(name);
                }
                Ok(Expr { kind: ExprKind::Ident(name), span: start })
            }
            TokenKind::Ident(symbol) => {
                let name = self.name(symbol);
                Err(self.expected_with_help(
                    "an expression",
                    &format!("`{name}` is the name of a type"),
                ))
            }
            TokenKind::Number => Ok(self.number()),
            TokenKind::Char(encoding) => Ok(self.character(encoding)),
            TokenKind::String(_) => {
                let (literal, span) = self.string()?;
                Ok(Expr { kind: ExprKind::String(literal), span })
            }
            TokenKind::Punct(Punct::OpenParen) => self.parenthesised(),
            TokenKind::Keyword(keyword) => self.builtin(keyword),
            _ => Err(self.expected("an expression")),
        }
    }

    /// `(expression)` or `({ statements })`
    fn parenthesised(&mut self) -> Result<Expr> {
        let opening = self.expect(Punct::OpenParen)?;
        let kind = if self.at_punct(Punct::OpenBrace) {
            ExprKind::StatementExpr(self.block()?)
        } else {
            let inner = self.nested(Self::expression)?;
            self.implied(inner)?.kind
        };
        self.close(Punct::CloseParen, opening)?;
        Ok(Expr { kind, span: self.since(opening) })
    }
}

fn assignment_op(punct: Punct) -> Option<Option<BinaryOp>> {
    Some(match punct {
        Punct::Equal => None,
        Punct::PlusEqual => Some(BinaryOp::Add),
        Punct::MinusEqual => Some(BinaryOp::Sub),
        Punct::StarEqual => Some(BinaryOp::Mul),
        Punct::SlashEqual => Some(BinaryOp::Div),
        Punct::PercentEqual => Some(BinaryOp::Rem),
        Punct::AmpEqual => Some(BinaryOp::BitAnd),
        Punct::PipeEqual => Some(BinaryOp::BitOr),
        Punct::CaretEqual => Some(BinaryOp::BitXor),
        Punct::ShiftLeftEqual => Some(BinaryOp::Shl),
        Punct::ShiftRightEqual => Some(BinaryOp::Shr),
        _ => return None,
    })
}

/// A binary operator and its precedence.
fn binary_op(punct: Punct) -> Option<(BinaryOp, u8)> {
    Some(match punct {
        Punct::PipePipe => (BinaryOp::Or, 0),
        Punct::AmpAmp => (BinaryOp::And, 1),
        Punct::Pipe => (BinaryOp::BitOr, 2),
        Punct::Caret => (BinaryOp::BitXor, 3),
        Punct::Amp => (BinaryOp::BitAnd, 4),
        Punct::EqualEqual => (BinaryOp::Eq, 5),
        Punct::BangEqual => (BinaryOp::Ne, 5),
        Punct::Less => (BinaryOp::Lt, 6),
        Punct::Greater => (BinaryOp::Gt, 6),
        Punct::LessEqual => (BinaryOp::Le, 6),
        Punct::GreaterEqual => (BinaryOp::Ge, 6),
        Punct::ShiftLeft => (BinaryOp::Shl, 7),
        Punct::ShiftRight => (BinaryOp::Shr, 7),
        Punct::Plus => (BinaryOp::Add, 8),
        Punct::Minus => (BinaryOp::Sub, 8),
        Punct::Star => (BinaryOp::Mul, 9),
        Punct::Slash => (BinaryOp::Div, 9),
        Punct::Percent => (BinaryOp::Rem, 9),
        _ => return None,
    })
}
