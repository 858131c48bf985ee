//! Calls to functions that are defined nowhere.
//!
//! One of the C library that has no model is `Unsupported`: guessing at what it does would be
//! wrong. Of any other function the user says what it does ([`External`]); what it may write is
//! found in [`super::reach`].

use std::collections::HashSet;
use std::sync::OnceLock;

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};
use selvedge_ir::{Assumption, Expr};

use crate::expr::{Part, Place, Value, mode};
use crate::fold::Typed;
use crate::lowering::{Entity, GlobalId, Lowering, Slot};
use crate::options::External;
use crate::types::{FnType, Kind, Ty};

impl<'a> Lowering<'a> {
    pub(super) fn call_undefined(
        &mut self,
        id: GlobalId,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let ty = self.global(id).ty;
        let Some(function) = self.types.as_function(ty) else { return self.error_value() };
        let (mut values, rest) = self.split_arguments(&function, args, false, span);
        values.extend(rest);
        self.undefined_result(id, &function, args, &values, span)
    }

    /// What a call to a function that is defined nowhere does, and its result. Through a pointer to
    /// the function, only the values of the arguments are known.
    pub fn undefined_result(
        &mut self,
        id: GlobalId,
        function: &FnType,
        args: &'a [ast::Expr],
        values: &[Value],
        span: Span,
    ) -> Value {
        let name = self.global(id).name.clone();
        if let Some(what) = self.strange_global(id) {
            return self.unsupported_value(format!("{what} of `{name}`"), function.ret, span);
        }
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(function.ret);
        }
        if is_library_name(&name) {
            let what = format!("the call to `{name}`, a library function without a model");
            return self.unsupported_value(what, function.ret, span);
        }
        let known = match self.options.external {
            External::Havoc => self.havoc_reached(&name, function, args, values, span),
            External::Pure => true,
            External::Unsupported => false,
        };
        self.note_undefined(&name, known, span);
        match self.options.external {
            External::Havoc => self.assume_that(Assumption::Havoc(name.to_string()), span),
            External::Pure => self.assume_that(Assumption::Pure(name.to_string()), span),
            External::Unsupported => {}
        }
        if !known {
            let what = match self.options.external {
                External::Unsupported => format!("the call to `{name}`, which is not defined"),
                _ => format!("the call to `{name}`, which is not defined and gets a pointer"),
            };
            return self.unsupported_value(what, function.ret, span);
        }
        self.input_of(function.ret, span)
    }

    fn note_undefined(&mut self, name: &std::rc::Rc<str>, known: bool, span: Span) {
        if !self.noted.insert(name.clone()) {
            return;
        }
        let text = match (self.options.external, known) {
            (External::Pure, _) => format!(
                "`{name}` is not defined: it is taken to return any value and to write nothing"
            ),
            (External::Havoc, true) => format!(
                "`{name}` is not defined: it is taken to return any value, to write nothing but what its arguments point to, to keep no pointer and to call nothing"
            ),
            (External::Havoc, false) => format!(
                "`{name}` is not defined and gets a pointer, so what it does to memory is not known: not supported"
            ),
            (External::Unsupported, _) => format!("`{name}` is not defined: not supported"),
        };
        self.note(text, span);
    }

    /// The variable or member whose address is passed, whole: an element stands for its array.
    pub(super) fn named_object(&mut self, pointer: &'a ast::Expr) -> Option<(Expr, Ty)> {
        match &pointer.kind {
            ExprKind::Cast { operand, .. }
            | ExprKind::Unary { op: UnaryOp::Extension, operand } => self.named_object(operand),
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.whole_object(operand),
            _ => {
                let ty = self.type_of_expr(pointer);
                let array = matches!(self.types.kind(ty), Kind::Array(..));
                if array { self.whole_object(pointer) } else { None }
            }
        }
    }

    fn whole_object(&mut self, object: &'a ast::Expr) -> Option<(Expr, Ty)> {
        match &object.kind {
            ExprKind::Index { array: base, .. } => {
                let ty = self.type_of_expr(base);
                let array = matches!(self.types.kind(ty), Kind::Array(..));
                if array { self.whole_object(base) } else { None }
            }
            ExprKind::Member { .. } if is_member_of_variable(object) => {
                let place = self.lvalue(object);
                Some((address(place.place)?, place.ty))
            }
            ExprKind::Ident(name) => match self.lookup(&name.name).cloned()? {
                Entity::Variable(ty, Slot::Memory(at)) => Some((at, ty)),
                Entity::Global(id) if !self.types.is_function(self.global(id).ty) => {
                    let place = self.global_lvalue(id, object.span);
                    Some((address(place.place)?, place.ty))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Any value in every part of an object.
    pub fn havoc(&mut self, at: Expr, ty: Ty, span: Span) {
        if let Some(scalar) = self.types.scalar(ty) {
            let value = self.input_of(ty, span);
            return self.store_scalar(at, scalar, value.expr, mode(ty), span);
        }
        match self.types.kind(ty).clone() {
            Kind::Record(_) => {
                for (offset, part) in self.parts(ty) {
                    let at = self.offset(at.clone(), offset);
                    match part {
                        Part::Type(ty) => self.havoc(at, ty, span),
                        Part::Piece(scalar) => {
                            let place = self.place(span);
                            let value = self.body.input(scalar, place);
                            self.store_scalar(at, scalar, value, selvedge_ir::Mode::Plain, span);
                        }
                    }
                }
            }
            Kind::Array(element, len) => self.each_element(element, len, span, |this, offset| {
                let at = this.body.ptr_add(at.clone(), offset);
                this.havoc(at, element, span);
            }),
            _ => self.unsupported("a value of this type written by a function not defined", span),
        }
    }
}

fn address(place: Place) -> Option<Expr> {
    match place {
        Place::Memory(at) => Some(at),
        _ => None,
    }
}

/// `x.a.b`: naming it has no effects.
fn is_member_of_variable(object: &ast::Expr) -> bool {
    match &object.kind {
        ExprKind::Member { object: base, arrow: false, .. } => {
            matches!(base.kind, ExprKind::Ident(_)) || is_member_of_variable(base)
        }
        _ => false,
    }
}

/// Whether the name is one of the C library, of POSIX or of glibc.
fn is_library_name(name: &str) -> bool {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| include_str!("../../models/names.txt").lines().collect()).contains(name)
}
