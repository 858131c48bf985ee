//! Clearing and copying a constant number of bytes on objects whose type is known: part by part, with
//! typed accesses, instead of byte by byte as the library model does it.

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};

use crate::expr::Value;
use crate::lowering::Lowering;
use crate::types::{Kind, Len, Ty};

impl<'a> Lowering<'a> {
    /// `clear`, `copy` or `move` (a copy whose arguments may overlap), if the types of the
    /// arguments say what is moved.
    pub(super) fn typed_memory(
        &mut self,
        operation: &str,
        [to, what, size]: [&'a ast::Expr; 3],
        span: Span,
    ) -> Option<Value> {
        if self.frame.constant {
            return None;
        }
        let size = u64::try_from(self.try_constant_int(size)?).ok()?;
        match operation {
            "clear" => self.typed_clear(to, what, size, span),
            "copy" => self.typed_copy(to, what, size, span),
            // Arrays may overlap in part; single objects overlap wholly or not at all.
            "move" if self.object_type(to, size).is_some_and(|ty| !self.is_array(ty)) => {
                self.typed_copy(to, what, size, span)
            }
            _ => None,
        }
    }

    fn typed_clear(
        &mut self,
        to: &'a ast::Expr,
        what: &'a ast::Expr,
        size: u64,
        span: Span,
    ) -> Option<Value> {
        if self.try_constant_int(what)? != 0 {
            return None;
        }
        let object = self.object_type(to, size)?;
        let pointer = self.rvalue(without_casts(to));
        self.clear(pointer.expr.clone(), object, span);
        Some(self.as_void_pointer(pointer, span))
    }

    fn typed_copy(
        &mut self,
        to: &'a ast::Expr,
        from: &'a ast::Expr,
        size: u64,
        span: Span,
    ) -> Option<Value> {
        let target = self.object_type(to, size)?;
        let source = self.object_type(from, size)?;
        if !self.types.compatible(target, source) || self.types.size(source) == 0 {
            return None;
        }
        let target_pointer = self.rvalue(without_casts(to));
        let source_pointer = self.rvalue(without_casts(from));
        let bytes = Ty { atomic: false, ..target };
        self.copy(target_pointer.expr.clone(), source_pointer.expr, bytes, span);
        Some(self.as_void_pointer(target_pointer, span))
    }

    fn is_array(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), Kind::Array(..))
    }

    fn as_void_pointer(&mut self, pointer: Value, span: Span) -> Value {
        let ty = self.types.void_pointer();
        self.convert(pointer, ty, span)
    }

    /// The type of `size` bytes where a pointer points to, if it is made of whole elements.
    fn object_type(&mut self, pointer: &'a ast::Expr, size: u64) -> Option<Ty> {
        let ty = self.type_of_expr(without_casts(pointer));
        let element = match *self.types.kind(ty) {
            Kind::Pointer(element) | Kind::Array(element, _) => element,
            _ => return None,
        };
        let plain = Ty { constant: false, volatile: false, ..element };
        let bytes = self.types.size(plain);
        let whole = self.types.is_complete(plain)
            && !self.types.is_runtime_sized(plain)
            && !self.types.is_function(plain)
            && bytes > 0
            && size.is_multiple_of(bytes)
            && self.is_movable(plain);
        match (whole, size / bytes.max(1)) {
            (false, _) => None,
            (true, 1) => Some(plain),
            (true, count) => Some(self.types.array(plain, Len::Fixed(count))),
        }
    }

    /// Whether all parts of a type have a form that loads and stores can move.
    fn is_movable(&self, ty: Ty) -> bool {
        match self.types.kind(ty) {
            Kind::Record(id) => {
                let record = self.types.record(*id);
                !record.union && record.fields.iter().all(|f| self.is_movable(f.ty))
            }
            Kind::Array(element, Len::Fixed(_)) => self.is_movable(*element),
            Kind::Array(..) => false,
            _ => self.types.scalar(ty).is_some(),
        }
    }
}

/// The pointer before it was converted to `void *`.
fn without_casts(expr: &ast::Expr) -> &ast::Expr {
    match &expr.kind {
        ExprKind::Cast { ty, operand } => {
            let to_bytes = matches!(
                ty.specifiers.ty,
                ast::TypeSpecifier::Void
                    | ast::TypeSpecifier::Integer { rank: ast::IntegerRank::Char, .. }
            );
            let pointer = matches!(ty.derived.as_slice(), [ast::Derived::Pointer { .. }]);
            if to_bytes && pointer { without_casts(operand) } else { expr }
        }
        ExprKind::Unary { op: UnaryOp::Extension, operand } => without_casts(operand),
        _ => expr,
    }
}
