//! `alloca`: memory that goes with the function.

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{Action, Expr, Property, Storage, Type};

use crate::expr::Value;
use crate::lowering::Lowering;

impl<'a> Lowering<'a> {
    /// Where the call may run more than once, the objects cannot be told apart at the function's
    /// end; they live on, which only a check of memory could notice.
    pub(super) fn alloca(&mut self, size: &'a ast::Expr, span: Span) -> Value {
        let value = self.rvalue(size);
        let size_type = self.types.size_type();
        let size = self.convert(value, size_type, span).expr;
        let ty = self.types.void_pointer();
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(ty);
        }
        let layout = self.element_layout(&size);
        if !self.frame.repeats {
            let place = self.place(span);
            let pointer = self.body.object_from_here("alloca", layout, size, false, place);
            return Value { ty, expr: Expr::Local(pointer) };
        }
        if self.options.checks(Property::Memory) {
            self.unsupported("alloca in a function with loops", span);
        }
        let to = self.body.temporary(Type::Ptr);
        let (storage, zeroed) = (Storage::Heap, false);
        self.emit(Action::Alloc { to, storage, layout, size, zeroed }, span);
        Value { ty, expr: Expr::Local(to) }
    }
}
