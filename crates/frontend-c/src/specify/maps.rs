//! Specification variables that are no variables of C: members of structures, and sets and maps of
//! threads. They are in no memory of the program.
//!
//! In a formula the value of a map is a variable of the formula, which only bindings mention
//! ([`selvedge_ir::spec::Formula`]). A set is a map to truth values.

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, BinaryOp as Op, Expr as Syntax, Initializer, Member, Span};
use selvedge_c_syntax::specification::{self as said, GhostType};
use selvedge_ir::spec::{Binding, Ghost, When};
use selvedge_ir::{Const, Expr, GhostId, LayoutId, Type};

use crate::expr::Value;
use crate::lowering::{Entity, GhostVariable, Lowering, Protecting, Slot};
use crate::types::{Kind, RecordId, Ty};

impl<'a> Lowering<'a> {
    /// Declares the sets and maps of a file.
    pub fn declare_maps(&mut self, unit: usize) {
        if self.units[unit].model {
            return;
        }
        self.enter_formula(unit);
        for ghost in &self.units[unit].ast.specifications.maps {
            for (name, ty, init) in self.ghosts_of(ghost) {
                let known = self
                    .ghost_variables
                    .iter()
                    .find(|it| it.record.is_none() && it.name == name.name && it.ty.id == ty.id);
                let id = match known.map(|known| known.id) {
                    Some(id) => id,
                    None => self.new_ghost(name, ty, init, None),
                };
                let entity = Entity::Variable(ty, Slot::Ghost(id, Expr::NULL));
                let taken = self.units[unit].scope.names.insert(name.name.clone(), entity);
                if taken.is_some() {
                    let text = format!("`{}` is declared twice", name.name);
                    self.error("annotation", name.span, text);
                }
            }
        }
    }

    /// Declares the members of a structure that are for specifications.
    pub fn ghost_members(&mut self, record: RecordId, members: &'a [Member]) {
        let unit = self.frame.unit;
        let ty = self.types.make(Kind::Record(record));
        for member in members {
            let Member::Ghost(ghost) = member else { continue };
            let layout = self.layout(ty);
            for (name, ty, init) in self.ghosts_of(ghost) {
                let of_c = self.types.record(record).fields.iter();
                let double = of_c.into_iter().any(|f| f.name.as_deref() == Some(&*name.name))
                    || self.ghost_member(record, &name.name).is_some();
                if double {
                    let text = format!("there are two members `{}`", name.name);
                    self.error("annotation", name.span, text);
                    continue;
                }
                self.new_ghost(name, ty, init, Some((record, layout)));
                for condition in &ghost.conditions {
                    self.protecting.push(Protecting { record, member: name, condition, unit });
                }
            }
        }
    }

    pub fn ghost_member(&self, record: RecordId, name: &str) -> Option<GhostVariable> {
        let mut all = self.ghost_variables.iter();
        all.find(|it| it.record == Some(record) && &*it.name == name).cloned()
    }

    fn new_ghost(
        &mut self,
        name: &ast::Ident,
        ty: Ty,
        init: Const,
        of: Option<(RecordId, LayoutId)>,
    ) -> GhostId {
        let (map, value) = match self.types.kind(ty) {
            Kind::ThreadMap(value) => (true, *value),
            _ => (false, ty),
        };
        let scalar = self.types.scalar(value).unwrap_or(Type::Bool);
        let span = self.place(name.span);
        let id = self.program.spec.ghosts.push(Ghost {
            name: name.name.to_string(),
            ty: scalar,
            map,
            of: of.map(|(_, layout)| layout),
            init,
            span,
        });
        let record = of.map(|(record, _)| record);
        self.ghost_variables.push(GhostVariable { id, name: name.name.clone(), ty, record });
        id
    }

    /// The names that are declared, with their types and initial values.
    fn ghosts_of(&mut self, said: &'a said::Ghost) -> Vec<(&'a ast::Ident, Ty, Const)> {
        match &said.what {
            GhostType::Map { value, names } => {
                let value = match value {
                    Some(name) => self.type_name(name),
                    None => self.types.make(Kind::Bool),
                };
                let Some(scalar) = self.ghost_scalar(value, said.span) else { return Vec::new() };
                let ty = self.types.make(Kind::ThreadMap(value));
                names.iter().map(|name| (name, ty, Const::zero(scalar))).collect()
            }
            GhostType::Scalar(declaration) => {
                let base = self.specified(&declaration.specifiers);
                let mut found = Vec::new();
                for item in &declaration.declarators {
                    let Some(name) = &item.declarator.name else { continue };
                    let ty = self.declared(base, &item.declarator);
                    let Some(scalar) = self.ghost_scalar(ty, name.span) else { continue };
                    let init = self.ghost_init(item.init.as_ref(), ty, scalar);
                    found.push((name, ty, init));
                }
                found
            }
        }
    }

    fn ghost_scalar(&mut self, ty: Ty, span: Span) -> Option<Type> {
        let scalar = self.types.scalar(ty).filter(|_| !self.types.is_float(ty));
        if scalar.is_none() && !self.types.is_error(ty) {
            let text = "a specification variable of this kind is a number, a pointer or a thread";
            self.error("annotation", span, text);
        }
        scalar
    }

    fn ghost_init(&mut self, init: Option<&'a Initializer>, ty: Ty, scalar: Type) -> Const {
        let zero = Const::zero(scalar);
        let Some(Initializer::Expr(value)) = init else { return zero };
        let outer = std::mem::replace(&mut self.frame.constant, true);
        let found = self.rvalue(value);
        let found = self.convert(found, ty, value.span);
        self.frame.constant = outer;
        let computed = self.frame.not_constant.take().is_some();
        match found.expr {
            Expr::Const(
                constant @ (Const::Bool(_) | Const::Int(..) | Const::Null | Const::NoThread),
            ) if !computed => constant,
            _ => {
                let text = "a specification variable starts with a constant number, null or nobody";
                self.error("annotation", value.span, text);
                zero
            }
        }
    }

    /// The value of a specification variable, in a formula.
    pub fn ghost_value(&mut self, id: GhostId, of: Expr, ty: Ty, span: Span) -> Value {
        let ghost = &self.program.spec.ghosts[id];
        let (name, scalar) = (ghost.name.clone(), ghost.ty);
        if self.formulating.is_none() {
            let text = match self.in_ghost {
                true => format!("`{name}` cannot be used in an update of a variable of C"),
                false => {
                    format!("`{name}` is a specification variable, which the program cannot use")
                }
            };
            self.error("annotation", span, text);
            return self.error_value();
        }
        let binding = Binding::Ghost { ghost: id, of, when: When::Before };
        let expr = self.bound(&name, scalar, binding, span);
        Value { ty: ty.unqualified(), expr }
    }

    /// The words about sets and maps, with their arguments.
    pub(super) fn map_word(&mut self, name: &ast::Ident, args: &'a [Syntax]) -> Option<Value> {
        let span = name.span;
        let value = match (&*name.name, args) {
            ("\\in", [thread, set]) => {
                let thread = self.named_thread(thread);
                let (set, _) = self.map_value(set, true)?;
                self.map_entry(set, thread, span)
            }
            ("\\add" | "\\remove", [set, thread]) => {
                let (set, _) = self.map_value(set, true)?;
                let thread = self.named_thread(thread);
                let value = if &*name.name == "\\add" { Expr::TRUE } else { Expr::FALSE };
                self.updated_map(set, thread, value, span)
            }
            ("\\count", [set]) => {
                let (set, _) = self.map_value(set, true)?;
                self.counted(set, span)
            }
            ("\\update", [map, thread, value]) => {
                let (map, element) = self.map_value(map, false)?;
                let thread = self.named_thread(thread);
                let given = self.rvalue(value);
                let value = self.convert(given, element, value.span).expr;
                self.updated_map(map, thread, value, span)
            }
            _ => return None,
        };
        Some(value)
    }

    pub(super) fn empty_set(&mut self, span: Span) -> Value {
        let truth = self.types.make(Kind::Bool);
        let ty = self.types.make(Kind::ThreadMap(truth));
        let binding = Binding::Everywhere(Const::Bool(false));
        let expr = self.bound("empty", Type::Bool, binding, span);
        Value { ty, expr }
    }

    /// A map and the type of its values; an error where it is none.
    fn map_value(&mut self, said: &'a Syntax, set: bool) -> Option<(Value, Ty)> {
        let value = self.rvalue(said);
        if let Kind::ThreadMap(element) = *self.types.kind(value.ty)
            && (!set || self.types.scalar(element) == Some(Type::Bool))
        {
            return Some((value, element));
        }
        if !self.types.is_error(value.ty) {
            let what = if set { "a set of threads" } else { "a map of threads" };
            let text = format!("{what} is expected here, not `{}`", self.types.describe(value.ty));
            self.error("annotation", said.span, text);
        }
        let error = self.types.error();
        Some((self.error_value(), error))
    }

    pub fn named_thread(&mut self, said: &'a Syntax) -> Expr {
        let value = self.rvalue(said);
        let zero = matches!(value.expr, Expr::Const(Const::Int(0, _) | Const::Null));
        match self.types.kind(value.ty) {
            Kind::Thread => value.expr,
            _ if zero => Expr::Const(Const::NoThread),
            _ => {
                if !self.types.is_error(value.ty) {
                    self.error("annotation", said.span, "a thread is expected here");
                }
                Expr::Const(Const::NoThread)
            }
        }
    }

    /// `m[t]`.
    pub fn map_entry(&mut self, map: Value, thread: Expr, span: Span) -> Value {
        let (Kind::ThreadMap(element), Expr::Local(variable)) =
            (self.types.kind(map.ty).clone(), &map.expr)
        else {
            return self.error_value();
        };
        let scalar = self.types.scalar(element).unwrap_or(Type::Bool);
        let binding = Binding::Entry { map: *variable, thread };
        let expr = self.bound("entry", scalar, binding, span);
        Value { ty: element, expr }
    }

    pub(super) fn updated_map(
        &mut self,
        map: Value,
        thread: Expr,
        value: Expr,
        span: Span,
    ) -> Value {
        let (Kind::ThreadMap(element), Expr::Local(variable)) =
            (self.types.kind(map.ty).clone(), &map.expr)
        else {
            return self.error_value();
        };
        let scalar = self.types.scalar(element).unwrap_or(Type::Bool);
        let binding = Binding::Update { map: *variable, thread, value };
        let expr = self.bound("updated", scalar, binding, span);
        Value { ty: map.ty, expr }
    }

    fn counted(&mut self, set: Value, span: Span) -> Value {
        let Expr::Local(variable) = set.expr else { return self.error_value() };
        let int = Type::Int(self.types.model.diff_type());
        let expr = self.bound("count", int, Binding::Count(variable), span);
        Value { ty: self.types.diff_type(), expr }
    }

    /// Maps are compared as a whole.
    pub fn compare_maps(&mut self, op: Op, left: Value, right: Value, span: Span) -> Value {
        let element = |this: &Self, ty: Ty| match *this.types.kind(ty) {
            Kind::ThreadMap(element) => this.types.scalar(element),
            _ => None,
        };
        let same = element(self, left.ty).is_some()
            && element(self, left.ty) == element(self, right.ty)
            && matches!(op, Op::Eq | Op::Ne);
        let (true, Expr::Local(a), Expr::Local(b)) = (same, &left.expr, &right.expr) else {
            let text = "sets and maps can be compared with `==` and `!=`, with those of their type";
            let help = "`\\in(t, s)` tells whether t is in the set s, `m[t]` is the value for t";
            self.report(Diagnostic::error("annotation", text).at(span).help(help));
            return self.error_value();
        };
        let equal = self.bound("same", Type::Bool, Binding::Same(*a, *b), span);
        self.truth_value(if op == Op::Eq { equal } else { equal.not() })
    }
}
