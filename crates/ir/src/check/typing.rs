//! Types of expressions, as `expr.rs` documents them.

use super::Violations;
use super::program::check_const;
use crate::types::convertible;
use crate::{BinaryOp, Expr, Procedure, Program, Type, UnaryOp};

pub struct Typing<'a> {
    pub program: &'a Program,
    pub procedure: &'a Procedure,
}

impl Typing<'_> {
    /// The type, or none where it is ill-typed, which is then reported.
    pub fn expr(&self, e: &Expr, found: &mut Violations) -> Option<Type> {
        stacker::maybe_grow(64 << 10, 1 << 20, || match e {
            Expr::Const(constant) => {
                let before = found.list.len();
                check_const(self.program, *constant, found);
                (found.list.len() == before).then(|| constant.ty())
            }
            Expr::Local(id) => {
                let local = self.procedure.locals.get(*id);
                found.require(local.is_some(), || format!("{id} does not exist"));
                local.map(|l| l.ty)
            }
            Expr::Tid => Some(Type::Thread),
            Expr::Unary(op, a) => self.unary(*op, a, found),
            Expr::Binary(op, a, b) => {
                let types = (self.expr(a, found), self.expr(b, found));
                let (Some(left), Some(right)) = types else { return None };
                let ty = self.binary(*op, left, right);
                found.require(ty.is_some(), || format!("{op:?} of {left} and {right}"));
                ty
            }
            Expr::Cast(ty, a) => {
                found.width(*ty);
                let from = self.expr(a, found)?;
                let fits = convertible(from, *ty);
                found.require(fits, || format!("there is no conversion from {from} to {ty}"));
                fits.then_some(*ty)
            }
            Expr::Ite(c, a, b) => {
                let types = (self.expr(c, found), self.expr(a, found), self.expr(b, found));
                let (Some(c), Some(then), Some(otherwise)) = types else { return None };
                let fits = c == Type::Bool && then == otherwise;
                found.require(fits, || format!("a choice by {c} between {then} and {otherwise}"));
                fits.then_some(then)
            }
        })
    }

    fn unary(&self, op: UnaryOp, a: &Expr, found: &mut Violations) -> Option<Type> {
        let ty = self.expr(a, found)?;
        let fits = match op {
            UnaryOp::Not => ty == Type::Bool,
            UnaryOp::Neg | UnaryOp::BitNot => matches!(ty, Type::Int(_)),
            UnaryOp::Float(format, function) => match format.operand(function) {
                Some(operand) => ty == operand,
                None => matches!(ty, Type::Int(_)),
            },
        };
        found.width(op.result(ty));
        found.require(fits, || format!("{op:?} of {ty}"));
        fits.then(|| op.result(ty))
    }

    fn binary(&self, op: BinaryOp, left: Type, right: Type) -> Option<Type> {
        use BinaryOp::*;
        let diff = Type::Int(self.program.model.diff_type());
        let same = left == right;
        match (op, left) {
            (PtrAdd, Type::Ptr) => (right == diff).then_some(Type::Ptr),
            (PtrSub, Type::Ptr) => same.then_some(diff),
            (PtrAdd | PtrSub, _) => None,
            (Float(format, op), _) => {
                let result = if op.is_test() { Type::Bool } else { left };
                (same && left == format.ty()).then_some(result)
            }
            (Eq | Ne, _) => same.then_some(Type::Bool),
            (Lt | Le | Gt | Ge, Type::Ptr) => same.then_some(Type::Bool),
            (And | Or | Xor, Type::Bool) => same.then_some(Type::Bool),
            (_, Type::Int(_)) if op.is_test() => same.then_some(Type::Bool),
            (_, Type::Int(_)) => same.then_some(left),
            _ => None,
        }
    }
}
