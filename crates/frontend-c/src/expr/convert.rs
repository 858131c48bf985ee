//! Conversions, implicit and by casts.

use selvedge_c_syntax::ast::{self, Span, TypeName};
use selvedge_ir::{Const, Expr, Int, Type};

use super::Value;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{FloatTag, IntKind, Kind, Ty};

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

    /// Constants convert; what is known only at run time does not.
    fn convert_float(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        let number = self.float_constant(&value);
        let converted = match (number, self.types.kind(ty), self.types.scalar(ty)) {
            (Some(n), Kind::Float(_), _) => self.float_expr(n, ty),
            (Some(n), Kind::Bool, _) => Some(Expr::Const(Const::Bool(n != 0.0))),
            (Some(n), Kind::Int(_) | Kind::Enum(_), Some(Type::Int(int)))
                if n.trunc() >= int.min() as f64 && n.trunc() <= int.max() as f64 =>
            {
                Some(Expr::int(n as i128, int))
            }
            _ => None,
        };
        match converted {
            Some(expr) => Value { ty, expr },
            None => self.unsupported_value("floating-point conversion", ty, span),
        }
    }

    /// A number as the bits of a floating-point type.
    pub(super) fn float_expr(&self, number: f64, ty: Ty) -> Option<Expr> {
        let (bits, int) = match self.types.kind(ty) {
            Kind::Float(FloatTag::Double) => (number.to_bits(), Int::U64),
            Kind::Float(FloatTag::Float) => (u64::from((number as f32).to_bits()), Int::U32),
            _ => return None,
        };
        Some(Expr::Const(Const::Int(bits, int)))
    }

    pub(super) fn float_constant(&self, value: &Value) -> Option<f64> {
        let Expr::Const(Const::Int(bits, int)) = value.expr else { return None };
        match self.types.kind(value.ty) {
            Kind::Float(FloatTag::Double) => Some(f64::from_bits(bits)),
            Kind::Float(FloatTag::Float) => Some(f64::from(f32::from_bits(bits as u32))),
            Kind::Int(_) | Kind::Enum(_) => Some(int.value(bits) as f64),
            _ => None,
        }
    }

    fn convert_aggregate(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        if self.types.compatible(value.ty, ty) {
            return Value { ty, ..value };
        }
        if let Some(union) = self.as_union(&value, ty, span) {
            return union;
        }
        let (from, to) = (self.types.describe(value.ty), self.types.describe(ty));
        let strange = |this: &Self, ty| {
            matches!(
                this.types.kind(ty),
                Kind::Int(IntKind::Int128 | IntKind::UInt128) | Kind::Vector(..) | Kind::VaList
            )
        };
        if strange(self, value.ty) || strange(self, ty) {
            return self.unsupported_value(format!("conversion from `{from}` to `{to}`"), ty, span);
        }
        self.error("conversion", span, format!("`{from}` cannot be converted to `{to}`"));
        self.placeholder(ty)
    }

    /// GNU: a cast to a union makes one with the member of that type; so does an argument for a
    /// transparent union.
    fn as_union(&mut self, value: &Value, ty: Ty, span: Span) -> Option<Value> {
        let (_, record) = self.types.as_record(ty)?;
        if !record.union {
            return None;
        }
        let fields = record.fields.clone();
        let fits = |f: &&crate::types::Field| self.types.compatible(f.ty, value.ty);
        let pointer = self.types.is_pointer(value.ty);
        let field = fields
            .iter()
            .find(fits)
            .or_else(|| fields.iter().find(|f| pointer && self.types.is_pointer(f.ty)))?;
        let at = self.temporary_object("union", ty, span);
        let member = self.lvalue_of_field(at.clone(), ty, field);
        self.store(&member, value.expr.clone(), span);
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
        let value = self.rvalue(operand);
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
