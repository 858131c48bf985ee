//! Expressions that start with a keyword and take types or arms as arguments.

use super::{Parser, Result};
use crate::ast::{Designator, Expr, ExprKind, GenericArm, TypeName};
use crate::lexer::{Keyword, Punct};

impl Parser<'_> {
    pub(super) fn builtin(&mut self, keyword: Keyword) -> Result<Expr> {
        let arguments = match keyword {
            Keyword::Generic => Self::generic,
            Keyword::VaArg => Self::va_arg,
            Keyword::Offsetof => Self::offsetof,
            Keyword::TypesCompatible => Self::types_compatible,
            Keyword::ChooseExpr => Self::choose,
            Keyword::ConvertVector => Self::convert_vector,
            Keyword::BitCast => Self::bit_cast,
            _ if self.at_type() => {
                return Err(self.expected_with_help(
                    "an expression",
                    "a type in an expression needs parentheses around it",
                ));
            }
            _ => return Err(self.expected("an expression")),
        };
        let start = self.bump().span;
        let opening = self.expect(Punct::OpenParen)?;
        let kind = self.nested(arguments)?;
        self.close(Punct::CloseParen, opening)?;
        Ok(Expr { kind, span: self.since(start) })
    }

    fn boxed_argument(&mut self) -> Result<Box<Expr>> {
        Ok(Box::new(self.assignment()?))
    }

    fn boxed_type(&mut self) -> Result<Box<TypeName>> {
        Ok(Box::new(self.type_name()?))
    }

    fn generic(&mut self) -> Result<ExprKind> {
        let control = self.boxed_argument()?;
        let mut arms = Vec::new();
        while self.eat(Punct::Comma) {
            let ty =
                if self.eat_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon)?;
            arms.push(GenericArm { ty, value: self.assignment()? });
        }
        Ok(ExprKind::Generic { control, arms })
    }

    fn va_arg(&mut self) -> Result<ExprKind> {
        let list = self.boxed_argument()?;
        self.expect(Punct::Comma)?;
        Ok(ExprKind::VaArg { list, ty: self.boxed_type()? })
    }

    fn offsetof(&mut self) -> Result<ExprKind> {
        let ty = self.boxed_type()?;
        self.expect(Punct::Comma)?;
        let mut path = vec![Designator::Field(self.ident("the name of a member")?.1)];
        path.extend(self.designators()?);
        Ok(ExprKind::Offsetof { ty, path })
    }

    fn types_compatible(&mut self) -> Result<ExprKind> {
        let left = self.boxed_type()?;
        self.expect(Punct::Comma)?;
        Ok(ExprKind::TypesCompatible(left, self.boxed_type()?))
    }

    fn choose(&mut self) -> Result<ExprKind> {
        let condition = self.boxed_argument()?;
        self.expect(Punct::Comma)?;
        let then = self.boxed_argument()?;
        self.expect(Punct::Comma)?;
        Ok(ExprKind::Choose { condition, then, otherwise: self.boxed_argument()? })
    }

    fn convert_vector(&mut self) -> Result<ExprKind> {
        let operand = self.boxed_argument()?;
        self.expect(Punct::Comma)?;
        Ok(ExprKind::Convert { ty: self.boxed_type()?, operand })
    }

    fn bit_cast(&mut self) -> Result<ExprKind> {
        let ty = self.boxed_type()?;
        self.expect(Punct::Comma)?;
        Ok(ExprKind::Convert { ty, operand: self.boxed_argument()? })
    }
}
