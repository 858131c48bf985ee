//! Constant expressions: those whose value folds to a constant without an action.

use selvedge_c_syntax::ast;
use selvedge_ir::{Const, Expr};

use super::Value;
use crate::lowering::Lowering;
use crate::types::Ty;

impl<'a> Lowering<'a> {
    /// Evaluates without emitting; none if that does not give a constant.
    pub fn try_constant(&mut self, expr: &'a ast::Expr, ty: Option<Ty>) -> Option<Value> {
        let constant = std::mem::replace(&mut self.frame.constant, true);
        let outer = self.frame.not_constant.take();
        let value = self.rvalue(expr);
        let value = match ty {
            Some(ty) => self.convert(value, ty, expr.span),
            None => value,
        };
        let failed = std::mem::replace(&mut self.frame.not_constant, outer);
        self.frame.constant = constant;
        match (failed, is_constant(&value.expr)) {
            (None, true) => Some(value),
            _ => None,
        }
    }

    pub fn try_constant_int(&mut self, expr: &'a ast::Expr) -> Option<i128> {
        let value = self.try_constant(expr, None)?;
        if self.types.is_float(value.ty) {
            return None;
        }
        match value.expr {
            Expr::Const(Const::Int(bits, int)) => Some(int.value(bits)),
            Expr::Const(Const::Bool(b)) => Some(i128::from(b)),
            Expr::Const(Const::Null) => Some(0),
            _ => None,
        }
    }

    /// Likewise, with a diagnostic (and zero) where it is none.
    pub fn constant_int(&mut self, expr: &'a ast::Expr, what: &str) -> i128 {
        let before = self.diagnostics.len();
        self.try_constant_int(expr).unwrap_or_else(|| {
            if self.diagnostics.len() == before {
                self.error("not-constant", expr.span, format!("{what} is not a constant"));
            }
            0
        })
    }
}

/// A constant, or an address into no object (`(void *)-1`).
pub(crate) fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::Cast(selvedge_ir::Type::Ptr, inner) => matches!(**inner, Expr::Const(Const::Int(..))),
        _ => false,
    }
}
