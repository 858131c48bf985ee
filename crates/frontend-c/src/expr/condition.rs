//! Conditions, short circuits and `?:`.
//!
//! Where the second operand needs no action and cannot go wrong, the result is one expression;
//! otherwise control branches.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, ExprKind, Span, UnaryOp};
use selvedge_ir::{Check, Const, Expr, Property, Type};

use super::Value;
use crate::body::Loc;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{Kind, Ty};

/// A part of an expression, lowered to a location of its own.
struct Side {
    start: Loc,
    end: Loc,
    pure: bool,
    value: Value,
}

impl<'a> Lowering<'a> {
    /// Evaluates as a condition.
    pub fn condition(&mut self, expr: &'a ast::Expr) -> Expr {
        let value = self.rvalue(expr);
        self.truth_of(value, expr.span)
    }

    pub(super) fn logical(
        &mut self,
        and: bool,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let first = self.condition(left);
        match (&first, and) {
            (Expr::Const(Const::Bool(false)), true) | (Expr::Const(Const::Bool(true)), false) => {
                return self.truth_value(first);
            }
            (Expr::Const(Const::Bool(_)), _) => {
                let second = self.condition(right);
                return self.truth_value(second);
            }
            _ => {}
        }
        if self.eager {
            let second = self.condition(right);
            let op = if and { selvedge_ir::BinaryOp::And } else { selvedge_ir::BinaryOp::Or };
            let both = self.body.binary(op, first, second);
            return self.truth_value(both);
        }
        let side = self.aside(|this| {
            let expr = this.condition(right);
            Value { ty: this.types.boolean(), expr }
        });
        if side.pure {
            let second = side.value.expr;
            let op = if and { selvedge_ir::BinaryOp::And } else { selvedge_ir::BinaryOp::Or };
            let both = self.body.binary(op, first, second);
            let value = self.truth_value(both);
            return self.flat(value, span);
        }
        let result = self.body.temporary(Type::Bool);
        let (skipped, join) = (self.body.location(), self.body.location());
        let place = self.place(span);
        match and {
            true => self.body.branch(first, side.start, skipped, place),
            false => self.body.branch(first, skipped, side.start, place),
        }
        self.body.current = skipped;
        self.assign(result, Expr::Const(Const::Bool(!and)), span);
        self.body.jump(join, place);
        self.body.current = side.end;
        self.assign(result, side.value.expr, span);
        self.body.fall_into(join, place);
        self.truth_value(Expr::Local(result))
    }

    /// Lowers something at a fresh location and comes back here.
    fn aside(&mut self, lower: impl FnOnce(&mut Self) -> Value) -> Side {
        let here = self.body.current;
        let start = self.body.location();
        self.body.current = start;
        let value = lower(self);
        let end = self.body.current;
        let silent = end == start && self.body.nodes[start.0 as usize].edges.is_empty();
        let pure = silent && !self.body.may_fault(&value.expr);
        self.body.current = here;
        Side { start, end, pure: pure || self.frame.constant, value }
    }

    pub(super) fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: Option<&'a ast::Expr>,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Value {
        if let Some(asserted) = self.assertion_shape(condition, then, otherwise) {
            return asserted;
        }
        let tested = self.rvalue(condition);
        // `a ?: b`: the value of `a` is used twice but computed once.
        let tested = match then {
            None => Value { expr: self.settled(&tested, condition.span), ..tested },
            Some(_) => tested,
        };
        let test = self.truth_of(tested.clone(), condition.span);
        let left = |this: &mut Self| match then {
            Some(then) => this.rvalue(then),
            None => tested.clone(),
        };
        if let Expr::Const(Const::Bool(truth)) = test {
            return self.constant_choice(truth, left, then, otherwise, span);
        }
        if self.eager {
            let (left, right) = (left(self), self.rvalue(otherwise));
            let ty = self.common_type(&left, &right, span);
            let (left, right) = (self.convert(left, ty, span), self.convert(right, ty, span));
            return Value { ty, expr: self.body.ite(test, left.expr, right.expr) };
        }
        let left = self.aside(left);
        let right = self.aside(|this| this.rvalue(otherwise));
        let ty = self.common_type(&left.value, &right.value, span);
        self.select(test, left, right, ty, span)
    }

    /// A condition that is constant: only one side runs, but both give the type.
    fn constant_choice(
        &mut self,
        truth: bool,
        left: impl Fn(&mut Self) -> Value,
        then: Option<&'a ast::Expr>,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let constant = std::mem::replace(&mut self.frame.constant, false);
        let ignored = match (truth, then) {
            (true, _) => self.aside(|this| this.rvalue(otherwise)).value,
            (false, _) => self.aside(&left).value,
        };
        self.frame.constant = constant;
        let taken = if truth { left(self) } else { self.rvalue(otherwise) };
        let ty = match truth {
            true => self.common_type(&taken, &ignored, span),
            false => self.common_type(&ignored, &taken, span),
        };
        self.convert(taken, ty, span)
    }

    fn select(&mut self, test: Expr, left: Side, right: Side, ty: Ty, span: Span) -> Value {
        let scalar = match self.types.is_aggregate(ty) {
            true => Some(Type::Ptr),
            false => self.types.scalar(ty),
        };
        let (then_start, else_start) = (left.start, right.start);
        let here = self.body.current;
        let pure = left.pure && right.pure;
        let before = self.body.nodes.len();
        self.body.current = left.end;
        let then = self.convert(left.value, ty, span).expr;
        let then_end = self.body.current;
        self.body.current = right.end;
        let otherwise = self.convert(right.value, ty, span).expr;
        let else_end = self.body.current;
        // A conversion that emits something (`Unsupported`) makes a side impure.
        let pure = pure && self.body.nodes.len() == before;
        self.body.current = here;
        if pure {
            let expr = match scalar {
                Some(_) => self.body.ite(test, then, otherwise),
                None => Expr::FALSE,
            };
            return Value { ty, expr };
        }
        let place = self.place(span);
        let join = self.body.location();
        self.body.branch(test, then_start, else_start, place);
        let result = scalar.map(|scalar| self.body.temporary(scalar));
        for (end, value) in [(then_end, then), (else_end, otherwise)] {
            self.body.current = end;
            if let Some(result) = result {
                self.assign(result, value, span);
            }
            self.body.jump(join, place);
        }
        self.body.current = join;
        Value { ty, expr: result.map_or(Expr::FALSE, Expr::Local) }
    }

    /// The value in a form that may be used twice.
    fn settled(&mut self, value: &Value, span: Span) -> Expr {
        self.body.settle();
        match value.expr {
            Expr::Const(_) | Expr::Local(_) => value.expr.clone(),
            _ => self.saved(value, span),
        }
    }

    fn common_type(&mut self, left: &Value, right: &Value, span: Span) -> Ty {
        let (a, b) = (left.ty, right.ty);
        if a.id == b.id || self.types.is_error(b) {
            return a.unqualified();
        }
        if self.types.is_error(a) {
            return b.unqualified();
        }
        if self.types.is_arithmetic(a) && self.types.is_arithmetic(b) {
            return self.types.usual(a, b);
        }
        if self.types.is_void(a) || self.types.is_void(b) {
            return self.types.void();
        }
        match (self.types.pointee(a), self.types.pointee(b)) {
            (Some(x), Some(y)) => {
                // A null pointer constant takes the other's type, `void *` wins otherwise.
                let null = |v: &Value, to: Ty| self.types.is_void(to) && v.expr == Expr::NULL;
                if null(left, x) {
                    b
                } else if null(right, y) || self.types.is_void(x) || !self.types.is_void(y) {
                    a
                } else {
                    b
                }
            }
            (Some(_), None) if self.types.is_integer(b) => a,
            (None, Some(_)) if self.types.is_integer(a) => b,
            _ if self.types.compatible(a, b) => a,
            _ if matches!(self.types.kind(a), Kind::Thread) => a,
            _ if matches!(self.types.kind(b), Kind::Thread) => b,
            _ => {
                let message = format!(
                    "the alternatives have the types `{}` and `{}`, which do not match",
                    self.types.describe(a),
                    self.types.describe(b)
                );
                self.error("operands", span, message);
                self.types.error()
            }
        }
    }

    /// What `assert(e)` expands to, `e ? (void)0 : __assert_fail("e", ...)`: one assertion.
    fn assertion_shape(
        &mut self,
        condition: &'a ast::Expr,
        then: Option<&'a ast::Expr>,
        otherwise: &'a ast::Expr,
    ) -> Option<Value> {
        let then = then?;
        if self.frame.constant || !self.options.checks(Property::Assert) || !is_nothing(then) {
            return None;
        }
        let kind = self.failing_call(otherwise)?;
        let cond = self.condition(condition);
        self.assert(cond, Check::new(Property::Assert, kind), condition.span);
        Some(self.void_value())
    }

    /// Branches on a condition, without a temporary for its value.
    pub fn branch_on(&mut self, expr: &'a ast::Expr, then: Loc, otherwise: Loc) {
        let place = self.place(expr.span);
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                self.branch_on(operand, otherwise, then);
            }
            ExprKind::Unary { op: UnaryOp::Extension, operand } => {
                self.branch_on(operand, then, otherwise);
            }
            ExprKind::Binary { op: op @ (Op::And | Op::Or), left, right }
                if !self.is_silent(expr) =>
            {
                let second = self.body.location();
                match op {
                    Op::And => self.branch_on(left, second, otherwise),
                    _ => self.branch_on(left, then, second),
                }
                self.body.current = second;
                self.branch_on(right, then, otherwise);
            }
            _ => {
                let condition = self.condition(expr);
                self.body.branch(condition, then, otherwise, place);
            }
        }
    }

    /// Whether evaluating the expression plainly emits nothing and cannot go wrong. It may say no
    /// for want of looking closer.
    fn is_silent(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Integer(_) | ExprKind::Char(_) => true,
            ExprKind::Ident(name) => self.is_register(&name.name),
            ExprKind::Unary { op, operand } => match op {
                UnaryOp::Not | UnaryOp::BitNot | UnaryOp::Plus | UnaryOp::Extension => {
                    self.is_silent(operand)
                }
                UnaryOp::Minus => {
                    !self.options.checks(Property::Overflow) && self.is_silent(operand)
                }
                _ => false,
            },
            ExprKind::Binary { op, left, right } => {
                let operator = match op {
                    Op::Div | Op::Rem => false,
                    Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Shr => {
                        !self.options.checks(Property::Overflow)
                    }
                    _ => true,
                };
                operator && self.is_silent(left) && self.is_silent(right)
            }
            _ => false,
        }
    }
}

/// `(void)0`, and other casts to `void` of constants.
fn is_nothing(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast { operand, .. } => matches!(operand.kind, ExprKind::Integer(_)),
        ExprKind::Unary { op: UnaryOp::Extension, operand } => is_nothing(operand),
        _ => false,
    }
}
