//! The words that formulas have besides C: `\tid`, `\holder(m)`, `\forall T i; P`.

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, BlockItem, Expr as Syntax, ExprKind, Span};
use selvedge_c_syntax::specification::{AFTER, EXISTS, FORALL};
use selvedge_ir::spec::{Binding, When};
use selvedge_ir::{Expr, Type};

use super::check;
use crate::expr::{Lvalue, Place, Value};
use crate::lowering::{Entity, Lowering, Slot};
use crate::types::{Kind, Ty};

impl<'a> Lowering<'a> {
    /// A word without arguments.
    pub fn specification_name(&mut self, name: &ast::Ident) -> Option<Lvalue> {
        if !name.name.starts_with('\\') {
            return None;
        }
        let thread = self.types.make(Kind::Thread);
        if self.formulating.is_none() && &*name.name != "\\tid" {
            self.only_in_formulas(name);
            let ty = self.types.error();
            return Some(Lvalue { ty, place: Place::Value(Expr::FALSE) });
        }
        let value = match &*name.name {
            "\\tid" => Value { ty: thread, expr: Expr::Tid },
            "\\main" => {
                let expr = self.bound("main", Type::Thread, Binding::Main, name.span);
                Value { ty: thread, expr }
            }
            "\\result" => self.function_result(name.span),
            "\\empty" => self.empty_set(name.span),
            _ => {
                let text = format!("`{}` is not a word of specifications", name.name);
                let error = Diagnostic::error("annotation", text).at(name.span);
                self.report(error.help(check::ALL_WORDS));
                self.error_value()
            }
        };
        Some(Lvalue { ty: value.ty, place: Place::Value(value.expr) })
    }

    fn only_in_formulas(&mut self, name: &ast::Ident) {
        let text = format!("`{}` can stand in formulas only", name.name);
        let help = "an update of specification variables may use `\\tid` and `\\holder(m)`";
        self.report(Diagnostic::error("annotation", text).at(name.span).help(help));
    }

    fn function_result(&mut self, span: Span) -> Value {
        let result = self.formulating.as_ref().and_then(|formulating| formulating.result);
        let scalar = result.and_then(|ty| Some((ty, self.types.scalar(ty)?)));
        match scalar {
            Some((ty, scalar)) => {
                let expr = self.bound("result", scalar, Binding::Result, span);
                Value { ty, expr }
            }
            None => {
                let text = "there is no result that `\\result` could mean";
                let help = "it stands in the `ensures` of a function that returns a number, a \
                            pointer or a thread";
                self.report(Diagnostic::error("annotation", text).at(span).help(help));
                self.error_value()
            }
        }
    }

    /// A word with an argument.
    pub fn specification_call(&mut self, callee: &'a Syntax, args: &'a [Syntax]) -> Option<Value> {
        let ExprKind::Ident(name) = &callee.kind else { return None };
        if !name.name.starts_with('\\') {
            return None;
        }
        if self.formulating.is_none() && &*name.name != "\\holder" {
            self.only_in_formulas(name);
            return Some(self.error_value());
        }
        if let Some(value) = self.map_word(name, args) {
            return Some(value);
        }
        let [argument] = args else { return Some(self.error_value()) };
        let value = match &*name.name {
            AFTER | "\\old" => self.in_other_state(|this| this.rvalue(argument)),
            "\\holder" => self.holder(argument),
            "\\runs" => self.started_in(argument),
            "\\length" => self.length(argument),
            "\\alive" => self.alive(argument),
            FORALL | EXISTS => self.quantifier(name, args),
            _ => self.error_value(),
        };
        Some(value)
    }

    fn quantifier(&mut self, name: &ast::Ident, args: &'a [Syntax]) -> Value {
        let all = &*name.name == FORALL;
        let positive = self.formulating.as_ref().and_then(|it| it.polarities.get(&args.as_ptr()));
        let positive = positive.copied().unwrap_or(true);
        self.enter_scope();
        self.quantified_variable(args, all == positive, name.span);
        let value = match check::quantified(args) {
            Some(body) => {
                let condition = self.condition(body);
                self.truth_value(condition)
            }
            None => self.error_value(),
        };
        self.leave_scope(name.span);
        value
    }

    /// Declares the variable of a quantifier.
    pub(super) fn quantified_variable(&mut self, args: &'a [Syntax], all: bool, span: Span) {
        let [Syntax { kind: ExprKind::StatementExpr(block), .. }] = args else { return };
        let Some(BlockItem::Declaration(declaration)) = block.items.first() else { return };
        let base = self.specified(&declaration.specifiers);
        for item in &declaration.declarators {
            let Some(name) = &item.declarator.name else { continue };
            let ty = self.declared(base, &item.declarator);
            let Some(scalar) = self.types.scalar(ty) else {
                let text = "a quantifier ranges over numbers, pointers and threads only";
                self.error("annotation", name.span, text);
                continue;
            };
            if item.init.is_some() {
                self.error("annotation", name.span, "a quantified variable has no initial value");
            }
            let layout = self.pointed_layout(ty);
            let binding = if all { Binding::Forall(layout) } else { Binding::Exists(layout) };
            let local = self.body.local(&name.name, scalar, true);
            self.bind(local, binding, span);
            self.declare(name.name.clone(), Entity::Variable(ty, Slot::Local(local)));
        }
    }

    /// The layout of what a pointer to a structure points to.
    fn pointed_layout(&mut self, ty: Ty) -> Option<selvedge_ir::LayoutId> {
        let to = self.types.pointee(ty)?;
        let record = self.types.as_record(to).is_some() && self.types.is_complete(to);
        record.then(|| self.layout(to))
    }

    /// The thread that holds a mutex.
    fn holder(&mut self, argument: &'a Syntax) -> Value {
        let lvalue = match self.is_lvalue(argument) {
            true => self.lvalue(argument),
            false => {
                let value = self.rvalue(argument);
                Lvalue { ty: value.ty, place: Place::Value(value.expr) }
            }
        };
        let lvalue = match self.types.pointee(lvalue.ty) {
            Some(to) => {
                let pointer = self.load(lvalue, argument.span);
                Lvalue { ty: to, place: Place::Memory(pointer.expr) }
            }
            None => lvalue,
        };
        let fields = self.types.as_record(lvalue.ty).map(|(_, record)| record.fields.clone());
        let holder = fields.unwrap_or_default().into_iter().find(|field| {
            field.name.as_deref() == Some("holder")
                && matches!(self.types.kind(field.ty), Kind::Thread)
        });
        let thread = self.types.make(Kind::Thread);
        match (holder, lvalue.place) {
            (Some(holder), Place::Memory(address)) => {
                let address = self.plus(address, i128::from(holder.offset));
                self.load(Lvalue { ty: thread, place: Place::Memory(address) }, argument.span)
            }
            _ if self.types.is_error(lvalue.ty) => self.error_value(),
            _ => {
                let text =
                    format!("`\\holder` takes a mutex, not `{}`", self.types.describe(lvalue.ty));
                self.error("annotation", argument.span, text);
                self.error_value()
            }
        }
    }

    /// Whether the thread was started in a function.
    fn started_in(&mut self, argument: &'a Syntax) -> Value {
        let named = match &argument.kind {
            ExprKind::Ident(name) => self.lookup(&name.name).cloned(),
            _ => None,
        };
        match named {
            Some(Entity::Global(id)) if self.types.is_function(self.global(id).ty) => {
                let id = self.canonical(id);
                let procedure = self.procedure_for(id);
                let runs = self.bound("runs", Type::Bool, Binding::Runs(procedure), argument.span);
                self.truth_value(runs)
            }
            _ => {
                self.error("annotation", argument.span, "`\\runs` takes the name of a function");
                self.error_value()
            }
        }
    }

    /// How many elements the object has that a pointer leads into.
    fn length(&mut self, argument: &'a Syntax) -> Value {
        let value = self.rvalue(argument);
        let ty = self.types.size_type();
        let int = self.types.model.size_type();
        let Some(to) = self.types.pointee(value.ty) else { return self.not_a_pointer(argument) };
        let size = self.types.size(to).max(1);
        let bytes = self.bound("bytes", Type::Int(int), Binding::Size(value.expr), argument.span);
        let expr = match size {
            1 => bytes,
            size => Expr::binary(selvedge_ir::BinaryOp::Div, bytes, Expr::int(size.into(), int)),
        };
        Value { ty, expr }
    }

    fn alive(&mut self, argument: &'a Syntax) -> Value {
        let value = self.rvalue(argument);
        if self.types.pointee(value.ty).is_none() {
            return self.not_a_pointer(argument);
        }
        let binding = Binding::Alive { pointer: value.expr, when: When::Before };
        let alive = self.bound("alive", Type::Bool, binding, argument.span);
        self.truth_value(alive)
    }

    fn not_a_pointer(&mut self, argument: &Syntax) -> Value {
        self.error("annotation", argument.span, "a pointer is expected here");
        self.error_value()
    }
}
