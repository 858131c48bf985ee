//! The most general client of a module without `main`: any number of threads, each of which calls
//! public functions with any arguments that `requires` allows, in any order.
//!
//! A number is any number. A pointer is null, or leads to one of [`OBJECTS`] variables of the client,
//! which are zero at the start; that there are no more is an assumption, which is listed with the
//! verdict. What a client cannot make up (a pointer to what has no known size, a structure by value)
//! is not supported where it would be passed.

use std::rc::Rc;

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{Action, Assumption, Callee, Expr, ProcId, Property, Type};

use crate::body::{Body, Loc, Mark};
use crate::function::Lowered;
use crate::lowering::{Definition, Frame, Global, GlobalId, Lowering, Planned, Scope};
use crate::specify::has_quantifier;
use crate::types::Ty;

/// How many objects of a type the client has.
const OBJECTS: u32 = 2;

impl<'a> Lowering<'a> {
    /// The procedure that starts clients of these functions, or of all public ones.
    pub fn client_of(&mut self, names: &[String]) -> Option<ProcId> {
        let entries = match names {
            [] => self.public_functions(),
            names => names.iter().filter_map(|name| self.entry_named(name)).collect(),
        };
        if entries.is_empty() {
            let text = "the module has no public function";
            let help = "name what its users call with `--entry f,g`";
            self.report(Diagnostic::error("no-entry", text).help(help));
            return None;
        }
        let client = self.reserve_procedure(Planned::Client(entries.into()));
        Some(self.reserve_procedure(Planned::Starter(client)))
    }

    fn public_functions(&self) -> Vec<GlobalId> {
        let all = (0..self.globals.len() as u32).map(GlobalId);
        let public = |id: &GlobalId| {
            let global = self.global(*id);
            let function = matches!(global.definition, Definition::Function(_));
            function && global.external && !self.units[global.unit].model && !self.is_main(*id)
        };
        all.filter(public).collect()
    }

    fn entry_named(&mut self, name: &str) -> Option<GlobalId> {
        let all = (0..self.globals.len() as u32).map(GlobalId);
        let mut functions = all.filter(|id| {
            let global = self.global(*id);
            let function = matches!(global.definition, Definition::Function(_));
            function && &*global.name == name && !self.units[global.unit].model
        });
        let found = functions.next();
        if found.is_none() {
            let text = format!("the module defines no function `{name}`");
            self.report(Diagnostic::error("no-entry", text));
        }
        found
    }

    fn enter_client(&mut self, unit: usize) {
        let void = self.types.void();
        self.body = Body::new(self.options.model);
        self.frame = Frame::new(unit, "".into(), void);
        self.frame.scopes.push(Scope::default());
    }

    /// Starts as many clients as it likes.
    pub fn lower_starter(&mut self, client: ProcId) -> Lowered {
        let span = self.client_span(client);
        self.enter_client(self.units.len() - 1);
        self.before_main(span);
        let place = self.place(span);
        let (head, start, end) = (self.body.location(), self.body.location(), self.body.location());
        self.body.fall_into(head, place);
        self.body.alternative(head, Expr::TRUE, start, place);
        self.body.alternative(head, Expr::TRUE, end, place);
        self.body.current = start;
        let to = self.body.temporary(Type::Thread);
        self.emit(Action::Spawn { to, entry: Callee::Direct(client), args: Vec::new() }, span);
        self.body.jump(head, place);
        self.body.current = end;
        self.emit(Action::EndThread { value: None }, span);
        self.body.dead();
        self.leave("clients".to_owned(), Vec::new(), None, span)
    }

    fn client_span(&self, client: ProcId) -> Span {
        match &self.procedures[client.as_u32() as usize] {
            Planned::Client(entries) => self.global(entries[0]).span,
            _ => Span::default(),
        }
    }

    /// Calls what it likes, as often as it likes.
    pub fn lower_client(&mut self, entries: &[GlobalId]) -> Lowered {
        let span = self.global(entries[0]).span;
        self.enter_client(self.global(entries[0]).unit);
        let place = self.place(span);
        let (head, exit) = (self.body.location(), self.body.exit);
        self.body.fall_into(head, place);
        self.body.alternative(head, Expr::TRUE, exit, place);
        for entry in entries {
            self.client_call(*entry, head);
        }
        self.body.dead();
        self.leave("client".to_owned(), Vec::new(), None, span)
    }

    fn client_call(&mut self, entry: GlobalId, head: Loc) {
        let Global { name, unit, span, definition, ty, .. } = self.global(entry).clone();
        let Definition::Function(definition) = definition else { return };
        let place = self.place(span);
        let start = self.body.location();
        self.body.alternative(head, Expr::TRUE, start, place);
        self.body.current = start;
        self.frame.unit = unit;
        self.frame.scopes.push(Scope::default());
        let mut args = Vec::new();
        for parameter in self.parameters(definition) {
            let value = self.any_argument(parameter.ty, parameter.span);
            self.assign(parameter.local, value, parameter.span);
            args.push(Expr::Local(parameter.local));
        }
        self.assume_required(&name, unit);
        let function = self.types.as_function(ty);
        let plain = |f: &crate::types::FnType| !f.variadic && !self.types.is_aggregate(f.ret);
        match function.filter(|f| plain(f)) {
            Some(function) => {
                let to = self.types.scalar(function.ret).map(|ty| self.body.temporary(ty));
                let callee = Callee::Direct(self.procedure_for(entry));
                self.emit(Action::Call { to, callee, args }, span);
            }
            None => self.unsupported(format!("a client's call of `{name}`"), span),
        }
        self.frame.scopes.pop();
        self.body.jump(head, place);
    }

    /// A value that a client may pass.
    fn any_argument(&mut self, ty: Ty, span: Span) -> Expr {
        match (self.types.pointee(ty), self.types.scalar(ty)) {
            (Some(to), _) if self.types.is_complete(to) && !self.types.is_function(to) => {
                self.any_object(to, span)
            }
            (None, Some(scalar @ (Type::Int(_) | Type::Bool))) => {
                let place = self.place(span);
                self.body.input(scalar, place)
            }
            _ => {
                let what =
                    format!("an argument of type `{}` from a client", self.types.describe(ty));
                self.unsupported_value(what, ty, span).expr
            }
        }
    }

    /// Null, or one of the client's objects.
    fn any_object(&mut self, ty: Ty, span: Span) -> Expr {
        self.assume_that(Assumption::FewObjects, span);
        let place = self.place(span);
        let (from, join) = (self.body.current, self.body.location());
        let result = self.body.temporary(Type::Ptr);
        let mut choices = vec![Expr::NULL];
        for number in 1..=OBJECTS {
            let object = self.client_object(ty, number, span);
            choices.extend(object.and_then(|id| self.variable_object(id, span)).map(Expr::object));
        }
        for choice in choices {
            let start = self.body.location();
            self.body.alternative(from, Expr::TRUE, start, place);
            self.body.current = start;
            self.assign(result, choice, span);
            self.body.jump(join, place);
        }
        self.body.current = join;
        Expr::Local(result)
    }

    fn client_object(&mut self, ty: Ty, number: u32, span: Span) -> Option<GlobalId> {
        let name: Rc<str> = format!("client {} {number}", self.types.describe(ty)).into();
        let all = (0..self.globals.len() as u32).map(GlobalId);
        let known = all.rev().find(|id| self.global(*id).name == name);
        Some(known.unwrap_or_else(|| {
            self.add_global(Global {
                name,
                ty,
                unit: self.frame.unit,
                span,
                external: false,
                thread_local: false,
                definition: Definition::Tentative,
                owner: None,
                scopes: Vec::new(),
            })
        }))
    }

    /// Only calls that the function's contract allows.
    fn assume_required(&mut self, function: &str, unit: usize) {
        let unit: &'a ast::TranslationUnit = self.units[unit].ast;
        let contracts = unit.specifications.contracts.iter();
        let contracts = contracts.filter(|contract| &*contract.function.name == function);
        for clause in contracts.flat_map(|contract| &contract.requires) {
            if has_quantifier(&clause.formula) {
                let what = "a `requires` with a quantifier, for calls of a client";
                self.unsupported(what, clause.span);
                continue;
            }
            let place = self.place(clause.span);
            let first = self.body.nodes.len();
            self.body.mark(Mark::Begin, place);
            let condition = self.condition_of(&clause.formula);
            self.assume(condition, clause.span);
            self.body.mark(Mark::End, place);
            if self.options.checks(Property::Race) && self.reads_variables(first) {
                let what =
                    "a `requires` about variables that threads share, where races are looked for";
                self.unsupported(what, clause.span);
            }
        }
    }

    /// Whether a variable other than a lock is read by what was emitted since then.
    fn reads_variables(&self, first: usize) -> bool {
        let edges = self.body.nodes[first..].iter().flat_map(|node| &node.edges);
        let mut loads = edges.filter_map(|edge| match &edge.action {
            Action::Load { from, .. } => Some(from.ty),
            _ => None,
        });
        loads.any(|ty| ty != Type::Thread)
    }
}
