//! Calls: to the user's functions, to library models, to intrinsics and builtins, through
//! pointers, and to functions that are defined nowhere.

mod assume;
mod atomic;
mod attribute;
mod builtin;
mod ends;
mod float;
mod format;
mod inline;
mod intrinsic;
mod memory;
mod print;
mod reach;
mod stack;
mod undefined;
mod unwind;
mod variadic;

pub(crate) use inline::mentioned;

use std::rc::Rc;

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};
use selvedge_ir::{Action, Callee, Const, Expr, ProcId, Procedure, Type};

use crate::expr::Value;
use crate::lowering::{Definition, Entity, Global, GlobalId, Lowering, Planned};
use crate::types::{FnType, Ty};

impl<'a> Lowering<'a> {
    pub fn call(&mut self, callee: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> Value {
        if let Some(value) = self.specification_call(callee, args) {
            return value;
        }
        match self.named_callee(callee) {
            Some(id) => self.call_global(id, args, span),
            None => self.call_through_pointer(callee, args, span),
        }
    }

    /// The function that the callee names, looking through `*`, `&` and parentheses. A name that
    /// is not declared is declared now (C89).
    fn named_callee(&mut self, callee: &'a ast::Expr) -> Option<GlobalId> {
        match &callee.kind {
            ExprKind::Ident(name) => match self.lookup(&name.name) {
                Some(Entity::Global(id)) => {
                    let id = *id;
                    self.types.is_function(self.global(id).ty).then_some(id)
                }
                Some(_) => None,
                None => Some(self.implicit_function(name)),
            },
            ExprKind::Unary {
                op: UnaryOp::Deref | UnaryOp::AddressOf | UnaryOp::Extension,
                operand,
            } => match &operand.kind {
                ExprKind::Ident(name) if self.lookup(&name.name).is_none() => None,
                _ => self.named_callee(operand),
            },
            _ => None,
        }
    }

    fn implicit_function(&mut self, name: &ast::Ident) -> GlobalId {
        if let Some(id) = self.builtin_function(&name.name, name.span) {
            return id;
        }
        if !self.in_model() {
            let message = format!("`{}` is called but not declared", name.name);
            self.warn("implicit-function", name.span, message);
        }
        let ty = self.implicit_type(&name.name);
        self.undeclared_function(&name.name, ty, name.span)
    }

    /// What is assumed of a function that is not declared: the type of the library function of
    /// that name, or `int name()`.
    fn implicit_type(&mut self, name: &str) -> Ty {
        if let Some(id) = self.library.get(name) {
            return self.global(*id).ty;
        }
        let ret = match name {
            _ if name.starts_with("__VERIFIER_nondet_") => self.input_type(name),
            _ => self.types.int_type(),
        };
        self.types.function(FnType { ret, params: Vec::new(), variadic: false, prototype: false })
    }

    /// Enters a function that no declaration mentions into the file's scope.
    fn undeclared_function(&mut self, name: &Rc<str>, ty: Ty, span: Span) -> GlobalId {
        let unit = self.frame.unit;
        let model = self.in_model();
        let table = if model { &self.library } else { &self.externs };
        let id = match table.get(name) {
            Some(id) => *id,
            None => {
                let id = self.add_global(Global {
                    name: name.clone(),
                    ty,
                    unit,
                    span,
                    external: true,
                    thread_local: false,
                    definition: Definition::None,
                    owner: None,
                    scopes: Vec::new(),
                });
                let table = if model { &mut self.library } else { &mut self.externs };
                table.insert(name.clone(), id);
                id
            }
        };
        self.units[unit].scope.names.insert(name.clone(), Entity::Global(id));
        id
    }

    /// A function that the compiler knows without a declaration, if the name is one's.
    pub fn builtin_function(&mut self, name: &Rc<str>, span: Span) -> Option<GlobalId> {
        is_builtin(name).then(|| {
            let ty = match name.strip_prefix("__builtin_").and_then(|n| self.library.get(n)) {
                Some(id) => self.global(*id).ty,
                None => self.implicit_type(name),
            };
            self.undeclared_function(name, ty, span)
        })
    }

    fn call_global(&mut self, id: GlobalId, args: &'a [ast::Expr], span: Span) -> Value {
        let (declared, id) = (id, self.canonical(id));
        let name = self.library_name(id);
        if let Some(value) = self.intrinsic(id, &name, args, span) {
            return value;
        }
        if self.is_defined(id) {
            return match self.is_inlined(id) {
                true => self.call_inline(id, id, args, span),
                false => self.call_defined(id, args, span),
            };
        }
        if let Some(value) = self.builtin(&name, args, span) {
            return value;
        }
        let library_name = name.strip_prefix("__builtin_").unwrap_or(&name);
        let Some(model) = self.library_function(library_name) else {
            if is_builtin(&name) {
                args.iter().for_each(|arg| self.effect(arg));
                let ret = self.types.as_function(self.global(id).ty).map(|function| function.ret);
                let ret = ret.unwrap_or_else(|| self.types.int_type());
                return self.unsupported_value(format!("`{name}`"), ret, span);
            }
            return match self.is_weak(declared) {
                true => self.call_null(declared, args, span),
                false => {
                    let value = self.call_undefined(id, args, span);
                    if self.is_noreturn(id) || self.is_noreturn(declared) {
                        self.assume(Expr::FALSE, span);
                    }
                    value
                }
            };
        };
        if !self.is_declared_like(id, model) {
            return self.call_undefined(id, args, span);
        }
        if let Some(value) = self.call_by_attribute(model, id, args, span) {
            return value;
        }
        match self.is_inlined(model) {
            true => self.call_inline(model, id, args, span),
            false => self.call_defined(model, args, span),
        }
    }

    /// Whether a declaration may be one of the library's function, and not of another of its name.
    fn is_declared_like(&self, declared: GlobalId, model: GlobalId) -> bool {
        let function = |id| self.types.as_function(self.global(id).ty);
        let locals = self.attribute(model, "selvedge_locals").map_or(0, |a| a.args.len());
        match (function(declared), function(model)) {
            (Some(declared), Some(model)) => {
                let scalar = !self.types.is_aggregate(model.ret);
                (scalar || self.types.compatible(declared.ret, model.ret))
                    && (!declared.prototype || declared.params.len() + locals == model.params.len())
            }
            _ => false,
        }
    }

    /// A call to a weak function that is defined nowhere: its address is null.
    fn call_null(&mut self, id: GlobalId, args: &'a [ast::Expr], span: Span) -> Value {
        let ty = self.global(id).ty;
        let Some(function) = self.types.as_function(ty) else { return self.error_value() };
        let values = self.all_arguments(&function, args, false, span);
        self.emit_call(Callee::Indirect(Expr::NULL), &function, values, span)
    }

    pub fn is_defined(&self, id: GlobalId) -> bool {
        matches!(self.global(id).definition, Definition::Function(_))
    }

    /// The model of a library function, also by the names that glibc's headers give it for a
    /// later standard (`__isoc23_strtol`) or large files (`open64`).
    pub fn library_function(&self, name: &str) -> Option<GlobalId> {
        let later = || name.strip_prefix("__isoc99_").or(name.strip_prefix("__isoc23_"));
        let find = |name: &str| self.library.get(name).copied().filter(|id| self.is_defined(*id));
        find(name)
            .or_else(|| find(later()?))
            .or_else(|| find(name.strip_suffix("64").filter(|_| !name.starts_with("__"))?))
    }

    fn call_defined(&mut self, id: GlobalId, args: &'a [ast::Expr], span: Span) -> Value {
        let ty = self.global(id).ty;
        let Some(function) = self.types.as_function(ty) else { return self.error_value() };
        let procedure = self.procedure_for(id);
        let values = self.all_arguments(&function, args, true, span);
        let result = self.emit_call(Callee::Direct(procedure), &function, values, span);
        self.after_call(id, span);
        result
    }

    fn call_through_pointer(
        &mut self,
        callee: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let pointer = self.rvalue(callee);
        let to = self.types.pointee(pointer.ty);
        let Some(function) = to.and_then(|to| self.types.as_function(to)) else {
            for arg in args {
                self.effect(arg);
            }
            if !self.types.is_error(pointer.ty) {
                let message = format!(
                    "a value of type `{}` cannot be called",
                    self.types.describe(pointer.ty)
                );
                self.error("not-a-function", callee.span, message);
            }
            return self.error_value();
        };
        let values = self.all_arguments(&function, args, false, span);
        let callee = match pointer.expr {
            Expr::Const(Const::Proc(procedure)) => self.direct(procedure, &function),
            expr => Callee::Indirect(expr),
        };
        self.emit_call(callee, &function, values, span)
    }

    /// A call to a known procedure is direct, if it has the signature that is expected.
    fn direct(&mut self, procedure: ProcId, function: &FnType) -> Callee {
        let target = match &self.procedures[procedure.as_u32() as usize] {
            Planned::Function(id) => self.types.as_function(self.global(*id).ty),
            Planned::Adapter { signature, .. } => Some(signature.clone()),
            Planned::Unknown(_) | Planned::Client(_) | Planned::Starter(_) => None,
        };
        match target {
            Some(target) if self.same_signature(&target, function) => Callee::Direct(procedure),
            _ => Callee::Indirect(Expr::Const(Const::Proc(procedure))),
        }
    }

    pub fn same_signature(&self, a: &FnType, b: &FnType) -> bool {
        let ret = |f: &FnType| (self.types.is_aggregate(f.ret), self.types.scalar(f.ret));
        let param = |ty: &Ty| self.types.scalar(*ty).unwrap_or(Type::Ptr);
        ret(a) == ret(b)
            && a.variadic == b.variadic
            && a.params.iter().map(param).eq(b.params.iter().map(param))
    }

    /// Evaluates the arguments and converts them to the parameters; those that have none come
    /// second. `exact`: the parameters are those of the definition.
    fn split_arguments(
        &mut self,
        function: &FnType,
        args: &'a [ast::Expr],
        exact: bool,
        span: Span,
    ) -> (Vec<Value>, Vec<Value>) {
        let mut values = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            let outer = self.frame.element.take();
            let value = self.rvalue(arg);
            self.frame.element = outer;
            let value = match function.params.get(index) {
                Some(ty) => self.convert(value, *ty, arg.span),
                None => {
                    let ty = self.types.argument_promoted(value.ty);
                    match self.types.is_aggregate(value.ty) {
                        true => value,
                        false => self.convert(value, ty, arg.span),
                    }
                }
            };
            values.push(self.own_copy(arg, value));
        }
        self.check_argument_count(function, args.len(), span);
        while values.len() < function.params.len() {
            let ty = function.params[values.len()];
            let missing = self.input_of(ty, span);
            values.push(missing);
        }
        let rest = match exact || function.variadic || function.prototype {
            true => values.split_off(function.params.len()),
            false => Vec::new(),
        };
        (values, rest)
    }

    /// An aggregate that is no lvalue is an object of its own, which pointers to its arrays show.
    pub fn nameless(&mut self, expr: &'a ast::Expr, value: Value) -> Value {
        if !self.types.has_array(value.ty) || self.is_result(expr) {
            return value;
        }
        let copy = self.passing_object("value", value.ty, expr.span);
        self.copy(copy.clone(), value.expr, value.ty, expr.span);
        Value { ty: value.ty, expr: copy }
    }

    /// Whether an aggregate's value is an object that was made for it, which nobody else knows.
    fn is_result(&mut self, expr: &'a ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Call { .. } | ExprKind::StatementExpr(_) => true,
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.is_result(operand),
            ExprKind::Comma { right, .. } => self.is_result(right),
            // Made into a union.
            ExprKind::Cast { operand, .. } => {
                let ty = self.type_of_expr(operand);
                !self.types.is_aggregate(ty)
            }
            _ => false,
        }
    }

    /// The callee gets an object of its own: what a call made for its result, or a copy.
    fn own_copy(&mut self, arg: &'a ast::Expr, value: Value) -> Value {
        if !self.types.is_aggregate(value.ty) || self.is_result(arg) {
            return value;
        }
        let copy = self.temporary_object("copy", value.ty, arg.span);
        self.copy(copy.clone(), value.expr, value.ty, arg.span);
        Value { ty: value.ty, expr: copy }
    }

    fn check_argument_count(&mut self, function: &FnType, given: usize, span: Span) {
        let wanted = function.params.len();
        let wrong = given < wanted || (given > wanted && !function.variadic);
        if function.prototype && wrong {
            let message = format!("this function takes {wanted} arguments, and {given} are given");
            self.error("argument-count", span, message);
        }
    }

    /// Any value of a type.
    pub fn input_of(&mut self, ty: Ty, span: Span) -> Value {
        let ty = ty.unqualified();
        if self.types.is_void(ty) {
            return self.void_value();
        }
        match self.types.scalar(ty) {
            _ if self.frame.constant => {
                self.frame.not_constant.get_or_insert(span);
                self.placeholder(ty)
            }
            Some(scalar) => {
                let place = self.place(span);
                Value { ty, expr: self.body.input(scalar, place) }
            }
            // Memory that nothing was written to: reading it gives inputs.
            None => Value { ty, expr: self.temporary_object("input", ty, span) },
        }
    }

    /// An aggregate result is written to an object of the caller, whose address goes first.
    pub fn emit_call(
        &mut self,
        callee: Callee,
        function: &FnType,
        args: Vec<Value>,
        span: Span,
    ) -> Value {
        let ret = function.ret.unqualified();
        let mut args: Vec<Expr> = args.into_iter().map(|value| value.expr).collect();
        if self.types.is_aggregate(ret) {
            let at = self.passing_object("result", ret, span);
            args.insert(0, at.clone());
            self.emit(Action::Call { to: None, callee, args }, span);
            return Value { ty: ret, expr: at };
        }
        match self.types.scalar(ret) {
            Some(_) if self.frame.constant => {
                self.frame.not_constant.get_or_insert(span);
                self.placeholder(ret)
            }
            Some(scalar) => {
                let to = self.body.temporary(scalar);
                self.emit(Action::Call { to: Some(to), callee, args }, span);
                Value { ty: ret, expr: Expr::Local(to) }
            }
            None => {
                self.emit(Action::Call { to: None, callee, args }, span);
                Value { ty: ret, expr: Expr::FALSE }
            }
        }
    }

    /// The procedure of a function with a body, reserved at first use.
    pub fn procedure_for(&mut self, id: GlobalId) -> ProcId {
        match self.procedure_of.get(&id) {
            Some(known) => *known,
            None => {
                let procedure = self.reserve_procedure(Planned::Function(id));
                self.procedure_of.insert(id, procedure);
                procedure
            }
        }
    }

    pub fn reserve_procedure(&mut self, planned: Planned) -> ProcId {
        self.procedures.push(planned);
        self.program.procedures.push(Procedure::frame(Default::default()))
    }

    /// A function as a pointer. One that is defined nowhere has an address of its own, unless it is
    /// weak.
    pub fn function_address(&mut self, id: GlobalId, _span: Span) -> Expr {
        let weak = self.is_weak(id);
        let id = self.canonical(id);
        let name = self.library_name(id);
        let target = match self.is_defined(id) {
            true => Some(id),
            false => self.library_function(name.strip_prefix("__builtin_").unwrap_or(&name)),
        };
        match target {
            None if weak => Expr::NULL,
            target => Expr::Const(Const::Proc(self.procedure_for(target.unwrap_or(id)))),
        }
    }

    /// The procedure of a function value, if it is known.
    pub fn known_procedure(&self, expr: &Expr) -> Option<ProcId> {
        match expr {
            Expr::Const(Const::Proc(procedure)) => Some(*procedure),
            _ => None,
        }
    }

    /// The text of a string literal among the arguments.
    pub fn literal_text(&self, expr: &ast::Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::String(literal) => {
                Some(literal.units.iter().filter_map(|u| char::from_u32(*u)).collect())
            }
            ExprKind::Cast { operand, .. }
            | ExprKind::Unary { op: UnaryOp::Extension, operand } => self.literal_text(operand),
            _ => None,
        }
    }
}

/// Whether the compiler gives the function of this name its meaning.
fn is_builtin(name: &str) -> bool {
    ["__builtin_", "__atomic_", "__sync_", "__c11_atomic_", "__selvedge_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
