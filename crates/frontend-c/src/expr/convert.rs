//! Conversions, implicit and by casts.

use selvedge_c_syntax::ast::{self, Span, TypeName};
use selvedge_ir::{Const, Expr, Int, Type};

use super::Value;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{IntKind, Kind, Ty};

impl<'a> Lowering<'a> {
    /// Converts a value as an assignment does.
    pub fn convert(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        let ty = ty.unqualified();
        if value.ty.id == ty.id {
            return Value { ty, ..value };
        }
        if self.types.is_error(ty) || self.types.is_error(value.ty) {
            return self.placeholder(ty);
        }
        if self.types.is_void(ty) {
            return self.void_value();
        }
        if self.types.is_void(value.ty) {
            self.error("void-value", span, "a `void` expression has no value that could be used");
            return self.placeholder(ty);
        }
        if self.types.is_float(ty) || self.types.is_float(value.ty) {
            return self.convert_float(value, ty, span);
        }
        match (self.types.scalar(value.ty), self.types.scalar(ty)) {
            (Some(from), Some(to)) => self.convert_scalar(value, from, to, ty, span),
            _ => self.convert_aggregate(value, ty, span),
        }
    }

    fn convert_scalar(&mut self, value: Value, from: Type, to: Type, ty: Ty, span: Span) -> Value {
        let possible = match (from, to) {
            (Type::Thread, Type::Ptr) => false,
            // Only zero names a thread: none.
            (Type::Int(_) | Type::Bool | Type::Ptr, Type::Thread) => matches!(
                value.expr,
                Expr::Const(Const::Int(0, _) | Const::Null | Const::Bool(false))
            ),
            _ => true,
        };
        if !possible {
            let what = format!(
                "conversion from `{}` to `{}`",
                self.types.describe(value.ty),
                self.types.describe(ty)
            );
            return self.unsupported_value(what, ty, span);
        }
        let expr = match self.frame.constant {
            true => self.body.cast(to, value.expr),
            false => self.body.convert(to, value.expr),
        };
        Value { ty, expr }
    }

    fn convert_aggregate(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        if self.types.compatible(value.ty, ty) {
            return Value { ty, ..value };
        }
        if let Some(union) = self.as_union(&value, ty, span) {
            return union;
        }
        if let Some(member) = self.out_of_union(&value, ty, span) {
            return member;
        }
        let (from, to) = (self.types.describe(value.ty), self.types.describe(ty));
        let strange = |this: &Self, ty| {
            matches!(
                this.types.kind(ty),
                Kind::Int(IntKind::Int128 | IntKind::UInt128) | Kind::Vector(..)
            )
        };
        if strange(self, value.ty) || strange(self, ty) {
            return self.unsupported_value(format!("conversion from `{from}` to `{to}`"), ty, span);
        }
        self.error("conversion", span, format!("`{from}` cannot be converted to `{to}`"));
        self.placeholder(ty)
    }

    /// GNU: a cast to a union makes one with the member of that type; so does an argument for a
    /// transparent union, which also takes null and any pointer for a member that is a pointer.
    fn as_union(&mut self, value: &Value, ty: Ty, span: Span) -> Option<Value> {
        let (_, record) = self.types.as_record(ty)?;
        if !record.union {
            return None;
        }
        let (fields, transparent) = (record.fields.clone(), record.transparent);
        let null = matches!(value.expr, Expr::Const(Const::Int(0, _))) && transparent;
        let pointer = self.types.is_pointer(value.ty) || null;
        let fits = |f: &&crate::types::Field| self.types.compatible(f.ty, value.ty);
        let field = fields
            .iter()
            .find(fits)
            .or_else(|| fields.iter().find(|f| pointer && self.types.is_pointer(f.ty)))?;
        let at = self.temporary_object("union", ty, span);
        let member = self.lvalue_of_field(at.clone(), ty, field);
        let value = self.convert(value.clone(), field.ty, span);
        self.store(&member, value.expr, span);
        Some(Value { ty, expr: at })
    }

    /// An object without a name that ends with the whole expression, if a pointer to it may outlive
    /// that (C11 6.2.4, paragraph 8).
    pub fn passing_object(&mut self, name: &str, ty: Ty, span: Span) -> Expr {
        let passing = self.options.checks(selvedge_ir::Property::Memory)
            && self.frame.site.is_none()
            && !self.frame.constant
            && self.types.has_array(ty);
        if !passing {
            return self.temporary_object(name, ty, span);
        }
        let layout = self.layout(ty);
        let (size, place) = (self.size_expr(ty), self.place(span));
        let again = self.frame.repeats;
        let pointer = self.body.object_from_here(name, layout, size, again, place);
        self.frame.temporaries.push(pointer);
        Expr::Local(pointer)
    }

    /// A transparent union where a model of the library takes one of its members.
    fn out_of_union(&mut self, value: &Value, ty: Ty, span: Span) -> Option<Value> {
        let (_, record) = self.types.as_record(value.ty)?;
        if !record.transparent || !self.types.is_pointer(ty) {
            return None;
        }
        let field = record.fields.iter().find(|f| self.types.is_pointer(f.ty)).cloned()?;
        let member = self.lvalue_of_field(value.expr.clone(), value.ty, &field);
        let loaded = self.load(member, span);
        Some(self.convert(loaded, ty, span))
    }

    /// An object without a name, for this call of the function.
    pub fn temporary_object(&mut self, name: &str, ty: Ty, span: Span) -> Expr {
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return Expr::NULL;
        }
        let layout = self.layout(ty);
        let (size, place) = (self.types.size(ty), self.place(span));
        self.body.stack_object(name, layout, size, false, place)
    }

    pub(super) fn cast_expr(
        &mut self,
        name: &'a TypeName,
        operand: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let ty = self.type_name(name);
        if self.types.is_void(ty) {
            self.effect(operand);
            return self.void_value();
        }
        // `(struct node *)malloc(n)`: the memory will hold nodes.
        let outer = self.frame.element;
        if let Some(to) = self.types.pointee(ty)
            && !self.types.is_void(to)
            && self.frame.site.is_none()
        {
            self.frame.element = Some(to);
        }
        let value = match self.long_literal(operand, ty) {
            Some(value) => value,
            None => self.rvalue(operand),
        };
        self.frame.element = outer;
        self.convert(value, ty, span)
    }

    /// A condition as C's `int`.
    pub fn truth_value(&mut self, condition: Expr) -> Value {
        let ty = self.types.int_type();
        let expr = self.body.cast(Type::Int(Int::I32), condition);
        Value { ty, expr }
    }

    /// A value as a condition.
    pub fn truth_of(&mut self, value: Value, span: Span) -> Expr {
        if self.types.is_error(value.ty) {
            return Expr::FALSE;
        }
        let ty = self.types.boolean();
        self.convert(value, ty, span).expr
    }
}
