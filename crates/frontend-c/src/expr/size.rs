//! `sizeof`, `_Alignof` and `offsetof`.

use selvedge_c_syntax::ast::{Designator, Span, TypeName};
use selvedge_ir::{BinaryOp, Expr, Type};

use super::Value;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{Kind, Len, Ty};

impl<'a> Lowering<'a> {
    pub(super) fn sizeof(&mut self, ty: Ty, span: Span) -> Value {
        let complete = self.types.is_complete(ty)
            || self.types.is_void(ty)
            || self.types.is_function(ty)
            || self.types.is_error(ty);
        if !complete {
            let message = format!("the size of `{}` is not known", self.types.describe(ty));
            self.error("incomplete-type", span, message);
        }
        let expr = self.size_expr(ty);
        Value { ty: self.types.size_type(), expr }
    }

    /// The size in bytes, as a value of `size_t`.
    pub fn size_expr(&mut self, ty: Ty) -> Expr {
        let int = self.types.model.size_type();
        match *self.types.kind(ty) {
            Kind::Array(element, len) if self.types.is_runtime_sized(ty) => {
                let count = match len {
                    Len::Runtime(local) => self.body.cast(Type::Int(int), Expr::Local(local)),
                    Len::Fixed(count) => Expr::int(i128::from(count), int),
                    Len::Unknown => Expr::int(0, int),
                };
                let stride = self.size_expr(element);
                self.body.binary(BinaryOp::Mul, count, stride)
            }
            _ => Expr::int(i128::from(self.types.size(ty)), int),
        }
    }

    pub(super) fn alignof(&mut self, ty: Ty) -> Value {
        let size = self.types.size_type();
        let align = self.types.align(ty);
        self.int_value(i128::from(align), size)
    }

    pub(super) fn offsetof(
        &mut self,
        ty: &'a TypeName,
        path: &'a [Designator],
        span: Span,
    ) -> Value {
        let mut ty = self.type_name(ty);
        let int = self.types.model.size_type();
        let mut at = Expr::int(0, int);
        for step in path {
            match step {
                Designator::Field(name) => {
                    let Some(field) = self.find_field(ty, &name.name) else {
                        if !self.types.is_error(ty) {
                            let message = format!(
                                "`{}` has no member `{}`",
                                self.types.describe(ty),
                                name.name
                            );
                            self.error("no-member", name.span, message);
                        }
                        return self.error_value();
                    };
                    let offset = Expr::int(i128::from(field.offset), int);
                    at = self.body.binary(BinaryOp::Add, at, offset);
                    ty = field.ty;
                }
                Designator::Index(index) => {
                    let Kind::Array(element, _) = *self.types.kind(ty) else {
                        self.error(
                            "offsetof",
                            span,
                            "an index into something that is not an array",
                        );
                        return self.error_value();
                    };
                    let size = self.types.size_type();
                    let index_value = self.rvalue(index);
                    let index_value = self.convert(index_value, size, index.span).expr;
                    let stride = self.size_expr(element);
                    let offset = self.body.binary(BinaryOp::Mul, index_value, stride);
                    at = self.body.binary(BinaryOp::Add, at, offset);
                    ty = element;
                }
                Designator::Range(..) => {
                    self.error("offsetof", span, "a range does not name a member");
                    return self.error_value();
                }
            }
        }
        Value { ty: self.types.size_type(), expr: at }
    }
}
