//! The types of expressions, which depend on the locals of a procedure and the data model.

use crate::{BinaryOp, Expr, Procedure, Program, Type};

impl Expr {
    /// The type in a well-formed program; operands are taken to fit.
    pub fn ty(&self, program: &Program, procedure: &Procedure) -> Type {
        match self {
            Expr::Const(c) => c.ty(),
            Expr::Local(local) => procedure.locals[*local].ty,
            Expr::Tid => Type::Thread,
            Expr::Unary(op, operand) => op.result(operand.ty(program, procedure)),
            Expr::Binary(op, ..) if op.is_test() => Type::Bool,
            Expr::Binary(BinaryOp::PtrSub, ..) => Type::Int(program.model.diff_type()),
            Expr::Binary(_, left, _) => left.ty(program, procedure),
            Expr::Cast(ty, _) => *ty,
            Expr::Ite(_, then, _) => then.ty(program, procedure),
        }
    }
}
