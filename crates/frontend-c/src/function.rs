//! Functions as procedures.

use std::collections::HashSet;
use std::rc::Rc;

use selvedge_c_syntax::ast;
use selvedge_ir::{
    Action, Assumption, BinaryOp, Callee, Expr, Int, LocalId, Mode, ProcId, Procedure, Property,
    Type,
};

use crate::body::Body;
use crate::call::mentioned;
use crate::declare::Parameter;
use crate::expr::Value;
use crate::fold::Typed;
use crate::lowering::{
    Definition, Entity, Frame, Global, GlobalId, Lowering, Planned, Returns, Scope, Slot,
};
use crate::types::FnType;
use crate::visit;

/// With how many arguments, its own name included, a program that looks at them may start.
const MOST_ARGUMENTS: i128 = 8;

/// A lowered function.
pub(crate) struct Lowered {
    pub procedure: Procedure,
    /// The same with the actions of its annotations, where it has any.
    pub annotated: Option<Procedure>,
}

impl<'a> Lowering<'a> {
    /// Lowers what a reserved procedure stands for.
    pub fn lower_procedure(&mut self, id: ProcId) -> Lowered {
        match self.procedures[id.as_u32() as usize].clone() {
            Planned::Function(global) => self.lower_function(global),
            Planned::Adapter { function, signature, of } => {
                self.lower_adapter(function, &signature, of)
            }
            Planned::Unknown(global) => self.lower_unknown(global),
            Planned::Client(entries) => self.lower_client(&entries),
            Planned::Starter(client) => self.lower_starter(client),
        }
    }

    fn lower_function(&mut self, id: GlobalId) -> Lowered {
        let global = self.global(id).clone();
        let Definition::Function(definition) = global.definition else {
            return self.lower_undefined(id);
        };
        self.enter(&global.name, global.unit, definition);
        if let Some(what) = self.strange_global(id) {
            self.unsupported(format!("{what} of `{}`", global.name), global.span);
        }
        let ret = self.types.as_function(global.ty).map(|function| function.ret);
        let ret = ret.unwrap_or_else(|| self.types.void());
        let mut params = Vec::new();
        let mut returns = Returns { ty: ret, target: self.body.exit, result: None, memory: None };
        if self.types.is_aggregate(ret) {
            let memory = self.body.local("result", Type::Ptr, false);
            params.push(memory);
            returns.memory = Some(Expr::Local(memory));
        }
        let declared = self.parameters(definition);
        if let Some(scalar) = self.types.scalar(ret) {
            returns.result = Some(self.body.local("result", scalar, false));
        }
        let result = returns.result;
        self.frame.returns = returns;
        let main = self.is_main(id);
        let noreturn = self.is_noreturn(id) && !main;
        let last = (main && self.has_last_functions() || noreturn).then(|| self.body.location());
        if let Some(last) = last {
            self.frame.returns.target = last;
        }
        self.body.ends_program = main;
        self.body.result = result.zip(self.types.scalar(ret));
        self.body.unwinds = !main && self.is_called_and_ends(&global.name);
        match main {
            true => {
                self.main_parameters(declared, definition);
                self.before_main(global.span);
            }
            false => {
                params.extend(declared.iter().map(|param| param.local));
                params.extend(
                    self.types.as_function(global.ty).and_then(|f| self.variadic_parameter(&f)),
                );
                self.settle_parameters(declared);
            }
        }
        self.frame.scopes.push(Scope::default());
        self.block_items(&definition.body);
        self.reach_end(&global.name, main, definition.body.span);
        self.leave_scope(definition.body.span);
        self.finish_jumps();
        if let Some(last) = last {
            let place = self.place(definition.body.span);
            self.body.fall_into(last, place);
            self.run_last(&global, noreturn, definition.body.span);
        }
        self.leave(global.name.to_string(), params, result, global.span)
    }

    /// The end of a function's body, which control comes to without a `return`.
    fn reach_end(&mut self, name: &str, main: bool, span: ast::Span) {
        match self.body.result {
            // Reaching the end of `main` returns zero.
            Some((result, Type::Int(int))) if main => self.assign(result, Expr::int(0, int), span),
            Some(_) if !main && self.valued.contains(name) && !self.in_model() => {
                let what = "the end of a function whose result is used, without a `return`";
                self.unsupported(what, span);
            }
            _ => {}
        }
    }

    /// What comes after all returns: of `main`, or of a function that is declared to have none.
    fn run_last(&mut self, global: &Global<'a>, noreturn: bool, span: ast::Span) {
        match noreturn {
            true => {
                let what = format!("`{}` returns, which is declared not to", global.name);
                self.undefined_unless(Expr::FALSE, Property::Assert, &what, global.span);
            }
            false => self.call_model("__selvedge_finish", span),
        }
    }

    /// A function that is defined nowhere, for calls through its address.
    fn lower_undefined(&mut self, id: GlobalId) -> Lowered {
        let global = self.global(id).clone();
        let void = self.types.void();
        self.body = Body::new(self.options.model);
        self.frame = Frame::new(global.unit, global.name.clone(), void);
        self.frame.scopes.push(Scope::default());
        let function = self.types.as_function(global.ty);
        let Some(function) = function else { unreachable!("a function has a function's type") };
        let mut params = Vec::new();
        let aggregate = self.types.is_aggregate(function.ret);
        if aggregate {
            params.push(self.body.local("result", Type::Ptr, false));
        }
        let mut values = Vec::new();
        for ty in &function.params {
            let scalar = self.types.scalar(*ty).unwrap_or(Type::Ptr);
            let local = self.body.local("argument", scalar, false);
            params.push(local);
            values.push(Value { ty: *ty, expr: Expr::Local(local) });
        }
        let value = self.undefined_result(id, &function, &[], &values, global.span);
        if self.is_noreturn(id) {
            self.assume(Expr::FALSE, global.span);
        }
        let result = self.types.scalar(function.ret).map(|ty| self.body.local("result", ty, false));
        match (result, params.first()) {
            (Some(result), _) => self.assign(result, value.expr, global.span),
            (None, Some(memory)) if aggregate => {
                self.copy(Expr::Local(*memory), value.expr, function.ret, global.span);
            }
            _ => {}
        }
        self.leave(global.name.to_string(), params, result, global.span)
    }

    /// Gives a variable that is defined nowhere any content, when the program starts.
    fn lower_unknown(&mut self, id: GlobalId) -> Lowered {
        let global = self.global(id).clone();
        let void = self.types.void();
        self.body = Body::new(self.options.model);
        self.frame = Frame::new(global.unit, global.name.clone(), void);
        self.frame.scopes.push(Scope::default());
        if let Some(object) = self.object_of.get(&id).copied() {
            let place = self.place(global.span);
            self.fixed.initialised.insert(place);
            self.havoc(Expr::object(object), global.ty, global.span);
        }
        self.leave(format!("any${}", global.name), Vec::new(), None, global.span)
    }

    fn enter(&mut self, name: &Rc<str>, unit: usize, definition: &'a ast::FunctionDef) {
        let void = self.types.void();
        self.body = Body::new(self.options.model);
        self.body.tracks_lifetimes = self.options.checks(Property::Memory);
        self.body.atomic = name.starts_with("__VERIFIER_atomic_");
        self.frame = Frame::new(unit, name.clone(), void);
        self.frame.addressed = visit::addressed(&definition.body);
        self.frame.repeats = visit::repeats(&definition.body);
        self.frame.scopes.push(Scope::default());
    }

    pub fn leave(
        &mut self,
        name: String,
        params: Vec<LocalId>,
        result: Option<LocalId>,
        span: ast::Span,
    ) -> Lowered {
        let place = self.place(span);
        let body = std::mem::replace(&mut self.body, Body::new(self.options.model));
        let (body, annotated) = match body.without_asides() {
            Some(plain) => (plain, Some(body)),
            None => (body, None),
        };
        let annotated = annotated
            .map(|body| body.finish(name.clone(), params.clone(), result, place).procedure);
        let finished = body.finish(name, params, result, place);
        for stray in finished.stray_ends {
            let text = "`__VERIFIER_atomic_end` outside an atomic block does nothing".to_owned();
            self.program.notes.push(selvedge_ir::Note { span: stray, text });
        }
        Lowered { procedure: finished.procedure, annotated }
    }

    pub fn is_main(&self, id: GlobalId) -> bool {
        let global = self.global(id);
        &*global.name == "main" && global.external && !self.units[global.unit].model
    }

    /// Parameters that have their address taken get an object of their own.
    pub fn settle_parameters(&mut self, params: Vec<Parameter>) {
        for param in params {
            let Some(name) = param.name.clone() else { continue };
            let Some(scalar) = self.types.scalar(param.ty) else {
                self.settle_aggregate(name, param);
                continue;
            };
            if self.frame.addressed.contains(&name) {
                let at = self.temporary_object(&name, param.ty, param.span);
                let value = Expr::Local(param.local);
                self.store_scalar(at.clone(), scalar, value, Mode::Plain, param.span);
                self.declare(name, Entity::Variable(param.ty, Slot::Memory(at)));
            }
        }
    }

    /// An aggregate is an object already: the caller made it for this call. Where its address may
    /// outlive the call and somebody would notice, it is copied to one that ends with the call.
    fn settle_aggregate(&mut self, name: Rc<str>, param: Parameter) {
        let pointed_to = self.frame.addressed.contains(&name) || self.types.has_array(param.ty);
        if !self.options.checks(Property::Memory) || !pointed_to {
            return;
        }
        let at = self.temporary_object(&name, param.ty, param.span);
        self.copy(at.clone(), Expr::Local(param.local), param.ty, param.span);
        self.declare(name, Entity::Variable(param.ty, Slot::Memory(at)));
    }

    /// `main` starts with any positive number of arguments and, where it looks at them, at most
    /// [`MOST_ARGUMENTS`] of any content. Of a third parameter nothing is known.
    fn main_parameters(&mut self, params: Vec<Parameter>, definition: &'a ast::FunctionDef) {
        let mut names = HashSet::new();
        mentioned(&definition.body, &mut names);
        let mut count = None;
        for (index, param) in params.into_iter().enumerate() {
            let Some(name) = param.name.clone() else { continue };
            if index == 0 && self.types.is_integer(param.ty) {
                self.emit(Action::Havoc { to: param.local }, param.span);
                let int = self.scalar_or_int(param.ty).as_int().unwrap_or(Int::I32);
                self.assume_order(Expr::int(1, int), Expr::Local(param.local), param.span);
                count = Some((Value { ty: param.ty, expr: Expr::Local(param.local) }, int));
                self.settle_parameters(vec![param]);
            } else if let (1, Some((count, int))) = (index, &count)
                && names.contains(&name)
            {
                let most = Expr::int(MOST_ARGUMENTS, *int);
                self.assume_order(count.expr.clone(), most, param.span);
                self.main_arguments(param, count.clone());
            } else {
                self.declare(name, Entity::Variable(param.ty, Slot::Unknown(param.local)));
            }
        }
    }

    fn assume_order(&mut self, less: Expr, more: Expr, span: ast::Span) {
        let ordered = self.body.binary(BinaryOp::Le, less, more);
        self.assume(ordered, span);
    }

    fn main_arguments(&mut self, param: Parameter, count: Value) {
        let Some(model) = self.library_function("__selvedge_arguments") else { return };
        self.assume_that(Assumption::FewArguments, param.span);
        let made = self.inline_values(model, param.ty, vec![count], param.span);
        let value = self.convert(made, param.ty, param.span);
        self.assign(param.local, value.expr, param.span);
        self.settle_parameters(vec![param]);
    }

    /// A procedure with the given signature that calls the function, so that it can be the entry
    /// of a thread.
    fn lower_adapter(&mut self, function: ProcId, signature: &FnType, of: GlobalId) -> Lowered {
        let global = self.global(of).clone();
        let void = self.types.void();
        self.body = Body::new(self.options.model);
        self.frame = Frame::new(global.unit, global.name.clone(), void);
        self.frame.scopes.push(Scope::default());
        let span = global.span;
        let mut params = Vec::new();
        for ty in &signature.params {
            let scalar = self.types.scalar(*ty).unwrap_or(Type::Ptr);
            params.push(self.body.local("argument", scalar, false));
        }
        let scalar = self.scalar_or_int(signature.ret);
        let result = self.body.local("result", scalar, false);
        let Some(own) = self.types.as_function(global.ty) else {
            unreachable!("an adapter is made for a function")
        };
        let mut args = Vec::new();
        for (index, ty) in own.params.iter().enumerate() {
            let arg = match (params.get(index), signature.params.get(index)) {
                (Some(local), Some(from)) => {
                    let value = Value { ty: *from, expr: Expr::Local(*local) };
                    self.convert(value, *ty, span)
                }
                _ => self.input_of(*ty, span),
            };
            args.push(arg);
        }
        let returned = self.emit_call(Callee::Direct(function), &own, args, span);
        let value = match self.types.is_void(own.ret) || self.types.is_aggregate(own.ret) {
            true => self.placeholder(signature.ret),
            false => self.convert(returned, signature.ret, span),
        };
        self.assign(result, value.expr, span);
        self.leave(format!("start${}", global.name), params, Some(result), span)
    }
}
