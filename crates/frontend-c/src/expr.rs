//! Expressions: from C to Plato values, with the actions that compute them emitted on the way.
//!
//! Operands are evaluated from left to right, after those whose order matters (`order`). What is
//! computed from locals alone stays an expression; each access to memory is an action into a
//! temporary.

mod assign;
mod condition;
mod constant;
mod convert;
mod copy;
mod float;
mod literal;
mod lvalue;
mod number;
mod operator;
mod size;

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};
use selvedge_ir::{Action, Const, Expr};

use crate::lowering::{Entity, Lowering};
use crate::types::{Kind, Ty};

pub(crate) use crate::value::Value;
pub(crate) use copy::Part;
pub(crate) use literal::COMPARED;
pub(crate) use lvalue::{Lvalue, Place, mode};

impl<'a> Lowering<'a> {
    pub fn void_value(&mut self) -> Value {
        Value { ty: self.types.void(), expr: Expr::FALSE }
    }

    pub fn error_value(&mut self) -> Value {
        Value { ty: self.types.error(), expr: Expr::FALSE }
    }

    pub fn int_value(&mut self, value: i128, ty: Ty) -> Value {
        let expr = match self.types.scalar(ty) {
            Some(selvedge_ir::Type::Int(int)) => Expr::int(value, int),
            Some(scalar) => Expr::Const(Const::zero(scalar)),
            None => Expr::int(value, selvedge_ir::Int::I32),
        };
        Value { ty, expr }
    }

    /// A value of the type that is as good as any: it comes after an `Unsupported`.
    pub fn placeholder(&mut self, ty: Ty) -> Value {
        let expr = match self.types.scalar(ty) {
            Some(scalar) => Expr::Const(Const::zero(scalar)),
            None => Expr::NULL,
        };
        Value { ty: ty.unqualified(), expr }
    }

    /// Emits `Unsupported` and goes on with any value.
    pub fn unsupported_value(&mut self, what: impl Into<String>, ty: Ty, span: Span) -> Value {
        self.unsupported(what, span);
        self.placeholder(ty)
    }

    /// Evaluates for the value.
    pub fn rvalue(&mut self, expr: &'a ast::Expr) -> Value {
        match self.ready(expr) {
            Some(value) => value,
            None => self.in_any_order(&[expr], |this| this.evaluated(expr)),
        }
    }

    fn evaluated(&mut self, expr: &'a ast::Expr) -> Value {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Ident(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. }
            | ExprKind::String(_) => {
                let lvalue = self.lvalue(expr);
                self.load(lvalue, span)
            }
            ExprKind::Integer(literal) => self.integer(literal, span),
            ExprKind::Float(literal) => self.float(literal, span),
            ExprKind::Char(literal) => self.character(literal),
            ExprKind::Call { callee, args } => self.call(callee, args, span),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, span),
            ExprKind::Assign { op, target, value } => self.assignment(*op, target, value, span),
            ExprKind::Conditional { condition, then, otherwise } => self
                .in_sequence(|this| this.conditional(condition, then.as_deref(), otherwise, span)),
            ExprKind::Comma { left, right } => self.in_sequence(|this| {
                this.effect(left);
                this.rvalue(right)
            }),
            ExprKind::Cast { ty, operand } => self.cast_expr(ty, operand, span),
            ExprKind::SizeofExpr(operand) => {
                let ty = self.type_of_expr(operand);
                self.sizeof(ty, span)
            }
            ExprKind::SizeofType(name) => {
                let ty = self.type_name(name);
                self.sizeof(ty, span)
            }
            ExprKind::AlignofExpr(operand) => {
                let ty = self.type_of_expr(operand);
                self.alignof(ty)
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name);
                let (align, size) = (self.types.member_align(ty), self.types.size_type());
                self.int_value(i128::from(align), size)
            }
            ExprKind::GnuAlignofType(name) => {
                let ty = self.type_name(name);
                self.alignof(ty)
            }
            ExprKind::Offsetof { ty, path } => self.offsetof(ty, path, span),
            ExprKind::StatementExpr(block) => self.in_sequence(|this| this.statement_expr(block)),
            ExprKind::Generic { .. } | ExprKind::Choose { .. } => match self.chosen(expr) {
                Some(arm) => self.rvalue(arm),
                None => self.error_value(),
            },
            ExprKind::LabelAddress(label) => self.label_address(label),
            ExprKind::VaArg { list, ty } => {
                let ty = self.type_name(ty);
                self.va_arg(list, ty, span)
            }
            ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                let same = self.types.same(a, b);
                let int = self.types.int_type();
                self.int_value(i128::from(same), int)
            }
            ExprKind::Convert { ty, operand } => {
                let ty = self.type_name(ty);
                self.effect(operand);
                self.unsupported_value(
                    "`__builtin_convertvector` or `__builtin_bit_cast`",
                    ty,
                    span,
                )
            }
        }
    }

    /// Evaluates for the effects only.
    pub fn effect(&mut self, expr: &'a ast::Expr) {
        if self.ready(expr).is_none() {
            self.in_any_order(&[expr], |this| this.effected(expr));
        }
    }

    fn effected(&mut self, expr: &'a ast::Expr) {
        match &expr.kind {
            ExprKind::Unary {
                op:
                    op @ (UnaryOp::PreIncrement
                    | UnaryOp::PreDecrement
                    | UnaryOp::PostIncrement
                    | UnaryOp::PostDecrement),
                operand,
            } => {
                // The old value is not wanted, so the prefix form will do.
                let up = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
                self.step(operand, up, false, expr.span);
            }
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.effect(operand),
            ExprKind::Comma { left, right } => self.in_sequence(|this| {
                this.effect(left);
                this.effect(right);
            }),
            ExprKind::Cast { ty, operand } if self.is_void_name(ty) => self.effect(operand),
            // An aggregate that is only named is not read.
            _ => {
                self.frame.discarded = Some(expr.span);
                self.rvalue(expr);
            }
        }
    }

    fn is_void_name(&self, name: &ast::TypeName) -> bool {
        name.derived.is_empty() && matches!(name.specifiers.ty, ast::TypeSpecifier::Void)
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a ast::Expr, span: Span) -> Value {
        match op {
            UnaryOp::Extension => self.rvalue(operand),
            UnaryOp::AddressOf => self.address_of(operand, span),
            UnaryOp::Deref => {
                let lvalue = self.dereferenced(operand, span);
                self.load(lvalue, span)
            }
            UnaryOp::Not => {
                let condition = self.condition(operand);
                self.truth_value(condition.not())
            }
            UnaryOp::PreIncrement => self.step(operand, true, false, span),
            UnaryOp::PreDecrement => self.step(operand, false, false, span),
            UnaryOp::PostIncrement => self.step(operand, true, true, span),
            UnaryOp::PostDecrement => self.step(operand, false, true, span),
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.rvalue(operand);
                self.arithmetic_unary(op, value, span)
            }
            UnaryOp::Real | UnaryOp::Imag => {
                let value = self.rvalue(operand);
                self.complex_part(op, value, span)
            }
        }
    }

    fn complex_part(&mut self, op: UnaryOp, value: Value, span: Span) -> Value {
        match *self.types.kind(value.ty) {
            Kind::Complex(tag) => {
                let part = self.types.make(Kind::Float(tag));
                self.unsupported_value("complex numbers", part, span)
            }
            _ if op == UnaryOp::Real => value,
            _ => self.int_value(0, value.ty),
        }
    }

    /// The type of an expression that is not evaluated.
    pub fn type_of_expr(&mut self, expr: &'a ast::Expr) -> Ty {
        let here = self.body.current;
        self.body.dead();
        let constant = std::mem::replace(&mut self.frame.constant, false);
        let ordered = std::mem::replace(&mut self.frame.ordered, true);
        let ty = match self.is_lvalue(expr) {
            true => self.lvalue(expr).ty,
            false => self.rvalue(expr).ty,
        };
        self.frame.constant = constant;
        self.frame.ordered = ordered;
        self.body.current = here;
        ty
    }

    /// The arm of `_Generic` or `__builtin_choose_expr` that counts.
    pub fn chosen(&mut self, expr: &'a ast::Expr) -> Option<&'a ast::Expr> {
        match &expr.kind {
            ExprKind::Choose { condition, then, otherwise } => {
                let which = self.constant_int(condition, "the condition of __builtin_choose_expr");
                Some(if which != 0 { then } else { otherwise })
            }
            ExprKind::Generic { control, arms } => {
                let ty = self.type_of_expr(control);
                let ty = self.adjusted(ty).unqualified();
                let mut default = None;
                for arm in arms {
                    match &arm.ty {
                        None => default = Some(&arm.value),
                        Some(name) => {
                            let wanted = self.type_name(name);
                            if self.types.same(ty, wanted) {
                                return Some(&arm.value);
                            }
                        }
                    }
                }
                if default.is_none() {
                    let message =
                        format!("no arm of `_Generic` fits `{}`", self.types.describe(ty));
                    self.error("generic", expr.span, message);
                }
                default
            }
            _ => None,
        }
    }

    fn statement_expr(&mut self, block: &'a ast::Block) -> Value {
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(block.span);
            return self.statement_expr_type(block);
        }
        self.enter_scope();
        let value = self.block_value(block);
        let value = self.outliving(value, block.span);
        self.leave_scope(block.span);
        value
    }

    /// The value of a block, in a form that does not change when its objects end.
    fn outliving(&mut self, value: Value, span: Span) -> Value {
        if !self.types.is_aggregate(value.ty) {
            return value;
        }
        let copy = self.passing_object("value", value.ty, span);
        self.copy(copy.clone(), value.expr, value.ty, span);
        Value { ty: value.ty, expr: copy }
    }

    /// Where a constant is wanted nothing is emitted, but the type still counts.
    fn statement_expr_type(&mut self, block: &'a ast::Block) -> Value {
        let here = self.body.current;
        self.body.dead();
        self.frame.constant = false;
        self.enter_scope();
        let value = self.block_value(block);
        self.leave_scope(block.span);
        self.frame.constant = true;
        self.body.current = here;
        value
    }

    fn label_address(&mut self, label: &ast::Ident) -> Value {
        let ty = self.types.void_pointer();
        let known = self.frame.label_addresses.iter().position(|l| *l == label.name);
        let index = match known {
            Some(index) => index,
            None => {
                self.frame.label_addresses.push(label.name.clone());
                self.frame.label_addresses.len() - 1
            }
        };
        // A pointer into no object, one for each label.
        let number = self.types.model.size_type();
        let expr = Expr::cast(selvedge_ir::Type::Ptr, Expr::int(index as i128 + 1, number));
        Value { ty, expr }
    }

    /// Whether the name stands for a local that is no object, so that reading it is no access.
    pub fn is_register(&self, name: &str) -> bool {
        use crate::lowering::Slot;
        matches!(
            self.lookup(name),
            Some(Entity::Variable(_, Slot::Local(_) | Slot::Value(_)) | Entity::Enumerator(..))
        )
    }

    pub fn assume(&mut self, condition: Expr, span: Span) {
        if condition != Expr::TRUE {
            self.emit(Action::Assume(condition), span);
        }
    }
}
