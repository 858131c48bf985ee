//! Assignment, compound assignment, `++` and `--`.
//!
//! A compound assignment loads, computes and stores in separate actions, with an interleaving
//! point between; on an `_Atomic` object it is one atomic block.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, Span};
use selvedge_ir::Expr;

use super::{Lvalue, Place, Value};
use crate::body::Mark;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::Kind;
use crate::visit;

impl<'a> Lowering<'a> {
    pub(super) fn assignment(
        &mut self,
        op: Option<Op>,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let lvalue = self.assignable(target);
        match op {
            None => {
                let value = self.value_for(&lvalue, value);
                self.finish_assignment(lvalue, value, span)
            }
            Some(op) if lvalue.ty.atomic && matches!(lvalue.place, Place::Memory(_)) => {
                // The operand is evaluated before the atomic step.
                let operand = self.rvalue(value);
                self.mark(Mark::Begin, span);
                let old = self.load(lvalue.clone(), span);
                let (_, new) = self.combine(op, old, operand, &lvalue, span);
                self.mark(Mark::End, span);
                new
            }
            Some(op) if calls(value) => {
                // A call does not come between the read and the write (C11 6.5.16.2).
                let operand = self.rvalue(value);
                let old = self.load(lvalue.clone(), span);
                self.combine(op, old, operand, &lvalue, span).1
            }
            Some(op) => {
                let old = self.load(lvalue.clone(), span);
                let operand = self.rvalue(value);
                self.combine(op, old, operand, &lvalue, span).1
            }
        }
    }

    fn assignable(&mut self, target: &'a ast::Expr) -> Lvalue {
        let lvalue = self.lvalue(target);
        let fixed = matches!(lvalue.place, Place::Value(_) | Place::Function(_));
        let no_value = self.types.is_void(lvalue.ty)
            || self.types.is_function(lvalue.ty)
            || matches!(self.types.kind(lvalue.ty), Kind::Array(..));
        if (fixed || no_value) && !self.types.is_error(lvalue.ty) {
            self.error("not-assignable", target.span, "this expression cannot be assigned to");
            return Lvalue { ty: self.types.error(), place: lvalue.place };
        }
        lvalue
    }

    /// Evaluates what is to be stored in a place.
    pub fn value_for(&mut self, lvalue: &Lvalue, value: &'a ast::Expr) -> Value {
        let outer = self.frame.element;
        let element = self.types.pointee(lvalue.ty).filter(|to| !self.types.is_void(*to));
        // Inside a library model, the user's call says what memory is for.
        self.frame.element = if self.frame.site.is_some() { outer } else { element };
        let evaluated = self.rvalue(value);
        self.frame.element = outer;
        self.convert(evaluated, lvalue.ty, value.span)
    }

    /// Stores; the value of the assignment is what the place holds then.
    fn finish_assignment(&mut self, lvalue: Lvalue, value: Value, span: Span) -> Value {
        self.store(&lvalue, value.expr.clone(), span);
        let ty = lvalue.ty.unqualified();
        let expr = match &lvalue.place {
            Place::Local(local) => Expr::Local(*local),
            Place::Bits(_, bits) => {
                let held = self.truncated(bits, value.expr);
                let ty = self.types.of_bits(bits, ty);
                let scalar = self.scalar_or_int(ty);
                return Value { ty, expr: self.body.cast(scalar, held) };
            }
            Place::Memory(addr) if self.types.is_aggregate(ty) => addr.clone(),
            _ => value.expr,
        };
        Value { ty, expr }
    }

    /// `lvalue = old op operand`; the result as computed, and as stored.
    fn combine(
        &mut self,
        op: Op,
        old: Value,
        operand: Value,
        lvalue: &Lvalue,
        span: Span,
    ) -> (Value, Value) {
        let result = self.operate(op, old, operand, span);
        let stored = self.convert(result.clone(), lvalue.ty, span);
        (result, self.finish_assignment(lvalue.clone(), stored, span))
    }

    /// `++` and `--`; with `post`, the value is the one before.
    pub(super) fn step(
        &mut self,
        operand: &'a ast::Expr,
        up: bool,
        post: bool,
        span: Span,
    ) -> Value {
        let lvalue = self.assignable(operand);
        let atomic = lvalue.ty.atomic && matches!(lvalue.place, Place::Memory(_));
        if atomic {
            self.mark(Mark::Begin, span);
        }
        let mut old = self.load(lvalue.clone(), span);
        if let (true, Place::Local(_)) = (post, &lvalue.place) {
            // The variable changes before its old value is used.
            old.expr = self.saved(&old, span);
        }
        let int = self.types.int_type();
        let one = self.int_value(1, int);
        let op = if up { Op::Add } else { Op::Sub };
        let (_, new) = self.combine(op, old.clone(), one, &lvalue, span);
        if atomic {
            self.mark(Mark::End, span);
        }
        if post { old } else { new }
    }

    /// The value in a temporary of its own, so that later changes of variables do not touch it.
    pub fn saved(&mut self, value: &Value, span: Span) -> Expr {
        let Some(scalar) = self.types.scalar(value.ty) else { return value.expr.clone() };
        if matches!(value.expr, Expr::Const(_)) {
            return value.expr.clone();
        }
        let to = self.body.temporary(scalar);
        self.emit(selvedge_ir::Action::Assign { to, value: value.expr.clone() }, span);
        Expr::Local(to)
    }
}

fn calls(expr: &ast::Expr) -> bool {
    let mut found = false;
    visit::expression(expr, &mut |e| found |= matches!(e.kind, ast::ExprKind::Call { .. }));
    found
}
