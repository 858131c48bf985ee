//! Variable arguments: `f(int n, ...)`, `va_start`, `va_arg`, `va_copy`, `va_end`.
//!
//! The caller puts the arguments behind the last parameter into an object, each at a multiple of a
//! word, and passes its address as one more argument. A `va_list` holds the address of the next
//! one: in the first of the three words that it has on 64-bit machines (where it is an array, so
//! that a function that gets one advances its caller's), or by itself. Fetching more arguments than
//! there are is an access out of bounds.

use std::rc::Rc;

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{DataModel, Expr, LocalId, Mode, Type};

use crate::expr::{Lvalue, Place, Value};
use crate::lowering::Lowering;
use crate::types::{FieldSpec, FnType, Layouter, Len, Rules, Ty};

impl<'a> Lowering<'a> {
    pub fn va_list_type(&mut self) -> Ty {
        let pointer = self.types.void_pointer();
        match self.types.model {
            DataModel::Lp64 => self.types.array(pointer, Len::Fixed(3)),
            DataModel::Ilp32 => pointer,
        }
    }

    /// The parameter for the address of the variable arguments, which follows all others.
    pub fn variadic_parameter(&mut self, function: &FnType) -> Option<LocalId> {
        let local = function.variadic.then(|| self.body.local("arguments", Type::Ptr, false));
        self.frame.variadic = local.map(Expr::Local);
        local
    }

    /// The arguments of a call, with the object of the variable ones behind them.
    pub(super) fn all_arguments(
        &mut self,
        function: &FnType,
        args: &'a [ast::Expr],
        exact: bool,
        span: Span,
    ) -> Vec<Value> {
        let (mut values, rest) = self.split_arguments(function, args, exact, span);
        if function.variadic {
            values.push(self.variable_arguments(rest, span));
        }
        values
    }

    /// The object of the variable arguments; null where there are none.
    pub(super) fn variable_arguments(&mut self, rest: Vec<Value>, span: Span) -> Value {
        let ty = self.types.void_pointer();
        if rest.is_empty() || self.frame.constant {
            return Value { ty, expr: Expr::NULL };
        }
        let mut promoted = Vec::new();
        for value in rest {
            let ty = self.types.argument_promoted(value.ty);
            promoted.push(match self.types.is_float(value.ty) {
                true => self.convert(value, ty, span),
                false => value,
            });
        }
        let record = self.record_of(&promoted);
        let at = self.temporary_object("arguments", record, span);
        let fields = self.types.as_record(record).map(|(_, r)| r.fields.clone());
        for (field, value) in fields.into_iter().flatten().zip(promoted) {
            let to = self.offset(at.clone(), field.offset);
            match self.types.scalar(value.ty) {
                Some(scalar) => self.store_scalar(to, scalar, value.expr, Mode::Plain, span),
                None => self.copy(to, value.expr, value.ty, span),
            }
        }
        Value { ty, expr: at }
    }

    fn record_of(&mut self, values: &[Value]) -> Ty {
        let word = self.types.model.pointer_bytes();
        let (id, ty) = self.types.new_record(Some("arguments".into()), false);
        let mut layouter = Layouter::new(&self.types, Rules::default());
        for (index, value) in values.iter().enumerate() {
            layouter.add(FieldSpec {
                name: Some(Rc::from(format!("_{index}"))),
                ty: value.ty.unqualified(),
                bits: None,
                packed: false,
                align: Some(word),
                chosen_by: None,
            });
        }
        let record = layouter.finish(Some(word), self.types.record(id));
        self.types.records[id.0 as usize] = record;
        ty
    }

    pub(super) fn va_start(&mut self, list: &'a ast::Expr, span: Span) -> Value {
        match self.frame.variadic.clone() {
            Some(first) => {
                let next = self.next_argument(list);
                self.store(&next, first, span);
            }
            None => self.unsupported("va_start in a function without variable arguments", span),
        }
        self.void_value()
    }

    pub(super) fn va_copy(&mut self, to: &'a ast::Expr, from: &'a ast::Expr, span: Span) -> Value {
        let to = self.next_argument(to);
        let from = self.next_argument(from);
        let next = self.load(from, span);
        self.store(&to, next.expr, span);
        self.void_value()
    }

    pub fn va_arg(&mut self, list: &'a ast::Expr, ty: Ty, span: Span) -> Value {
        let promoted = self.types.argument_promoted(ty);
        if !self.types.is_complete(ty) || self.types.size(promoted) != self.types.size(ty) {
            return self.unsupported_value("va_arg of a type that no argument has", ty, span);
        }
        let word = self.types.model.pointer_bytes();
        let list = self.next_argument(list);
        let current = self.load(list.clone(), span);
        let at = self.saved(&current, span);
        let next = self.offset(at.clone(), self.types.size(ty).next_multiple_of(word));
        self.store(&list, next, span);
        let found = Lvalue { ty: ty.unqualified(), place: Place::Memory(at) };
        let value = self.load(found, span);
        if !self.types.is_aggregate(ty) {
            return value;
        }
        let copy = self.temporary_object("argument", ty, span);
        self.copy(copy.clone(), value.expr, ty, span);
        Value { ty, expr: copy }
    }

    /// Where a list has the address of the argument that comes next.
    fn next_argument(&mut self, list: &'a ast::Expr) -> Lvalue {
        let pointer = self.types.void_pointer();
        match self.types.model {
            DataModel::Ilp32 => self.lvalue(list),
            DataModel::Lp64 => {
                let list = self.rvalue(list);
                Lvalue { ty: pointer, place: Place::Memory(list.expr) }
            }
        }
    }
}
