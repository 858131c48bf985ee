//! Clearing and copying a constant number of bytes on objects whose type is known: part by part, with
//! typed accesses, instead of byte by byte as the library model does it.

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};
use selvedge_ir::{BinaryOp, Expr, Property};

use crate::expr::Value;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{Kind, Len, Ty};

/// Where overlap would have to be looked for at more offsets than this, memory moves byte by byte.
const MOST_COMPARED: u64 = 64;

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
            "copy" | "move" => self.typed_copy(operation, to, what, size, span),
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

    /// A copy of memory that overlaps is undefined, a move is right all the same.
    fn typed_copy(
        &mut self,
        operation: &str,
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
        let apart = match (self.variable(to), self.variable(from)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        };
        let steps = size / self.types.align(target).max(1);
        if !apart && steps > MOST_COMPARED {
            return None;
        }
        let target_pointer = self.rvalue(without_casts(to));
        let source_pointer = self.rvalue(without_casts(from));
        let bytes = Ty { atomic: false, ..target };
        let (at, source) = (target_pointer.expr.clone(), source_pointer.expr);
        match operation {
            _ if apart => self.copy(at, source, bytes, span),
            "copy" => {
                let cond = self.are_apart(&at, &source, target, steps);
                let what = "memcpy of memory that overlaps";
                self.undefined_unless(cond, Property::Memory, what, span);
                self.copy(at, source, bytes, span);
            }
            _ => {
                let between = self.temporary_object("moved", target, span);
                self.copy(between.clone(), source, bytes, span);
                self.copy(at, between, bytes, span);
            }
        }
        Some(self.as_void_pointer(target_pointer, span))
    }

    /// The name of the variable that is pointed into: `&x`, or an array. Two names in sight at one
    /// place are two objects.
    fn variable(&mut self, pointer: &'a ast::Expr) -> Option<&'a str> {
        let pointer = without_casts(pointer);
        match &pointer.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => match &operand.kind {
                ExprKind::Ident(name) => Some(&name.name),
                ExprKind::Index { array, .. } => self.variable(array),
                _ => None,
            },
            ExprKind::Ident(name) => {
                let ty = self.type_of_expr(pointer);
                matches!(self.types.kind(ty), Kind::Array(..)).then_some(&*name.name)
            }
            _ => None,
        }
    }

    /// Whether neither object begins inside the other. Equality, unlike an order, is defined on
    /// pointers into different objects.
    fn are_apart(&mut self, a: &Expr, b: &Expr, ty: Ty, steps: u64) -> Expr {
        let mut apart = self.body.binary(BinaryOp::Ne, a.clone(), b.clone());
        for step in 1..steps {
            let offset = step * self.types.align(ty);
            for (inner, outer) in [(a, b), (b, a)] {
                let inside = self.offset(outer.clone(), offset);
                let differs = self.body.binary(BinaryOp::Ne, inner.clone(), inside);
                apart = self.body.binary(BinaryOp::And, apart, differs);
            }
        }
        apart
    }

    /// Exchanges two objects of the type that memory has here, if that is known.
    pub(super) fn exchange_objects(
        &mut self,
        [a, b, size]: [&'a ast::Expr; 3],
        span: Span,
    ) -> Option<Value> {
        let ty = self.frame.element?;
        let size = self.rvalue(size);
        let bytes = i128::from(self.types.size(ty));
        if size.expr != self.int_value(bytes, size.ty).expr || self.frame.constant {
            return None;
        }
        let (a, b) = (self.rvalue(a).expr, self.rvalue(b).expr);
        let kept = self.temporary_object("kept", ty, span);
        self.copy(kept.clone(), a.clone(), ty, span);
        self.copy(a, b.clone(), ty, span);
        self.copy(b, kept, ty, span);
        Some(self.void_value())
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
    pub(super) fn is_movable(&self, ty: Ty) -> bool {
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
