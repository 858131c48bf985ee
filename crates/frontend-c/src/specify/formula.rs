//! Formulas: lowered like expressions, then read off the actions that compute them.

use std::collections::HashMap;

use cranelift_entity::PrimaryMap;
use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, Span};
use selvedge_c_syntax::specification as said;
use selvedge_ir::spec::{Binding, Formula, Target, Variable, When};
use selvedge_ir::{Action, BinaryOp, Expr, GhostId, LocalId, Type};

use super::check;
use super::{About, States};
use crate::body::{Body, Loc};
use crate::expr::Place;
use crate::lowering::{Formulating, Frame, Lowering, Polarities, Scope};
use crate::types::{Kind, Ty};

impl<'a> Lowering<'a> {
    /// Begins formulas of a file.
    pub(super) fn enter_formula(&mut self, unit: usize) {
        let void = self.types.void();
        self.frame = Frame::new(unit, "".into(), void);
        self.body = Body::new(self.options.model);
    }

    /// A body and a scope of its own for one formula.
    fn begin(&mut self, about: About<'a>) {
        let unit = self.frame.unit;
        self.enter_formula(unit);
        self.frame.scopes.push(Scope::default());
        self.formulating = Some(Formulating::default());
        let (About::Function(definition) | About::Result(definition)) = about else { return };
        let name = definition.declarator.name.as_ref().map(|name| name.name.clone());
        let ret = name.and_then(|name| match self.lookup(&name) {
            Some(crate::lowering::Entity::Global(id)) => {
                self.types.as_function(self.global(*id).ty).map(|function| function.ret)
            }
            _ => None,
        });
        // A result in memory is the first parameter.
        let first = u32::from(ret.is_some_and(|ret| self.types.is_aggregate(ret)));
        for (number, parameter) in self.parameters(definition).into_iter().enumerate() {
            self.bind(parameter.local, Binding::Parameter(first + number as u32), parameter.span);
        }
        if let (About::Result(_), Some(formulating)) = (about, &mut self.formulating) {
            formulating.result = ret;
        }
    }

    /// A local that stands for something that no action computes.
    pub(super) fn bind(&mut self, local: LocalId, binding: Binding, span: Span) {
        if let Some(formulating) = &mut self.formulating {
            formulating.bindings.insert(local, binding);
        }
        let place = self.place(span);
        self.body.emit(Action::Havoc { to: local }, place);
        self.body.settle();
    }

    /// A new variable of a formula.
    pub(super) fn bound(&mut self, name: &str, ty: Type, binding: Binding, span: Span) -> Expr {
        let local = self.body.local(name, ty, false);
        self.bind(local, binding, span);
        Expr::Local(local)
    }

    pub(super) fn formula(
        &mut self,
        said: &'a ast::Expr,
        states: States,
        old: bool,
        about: About<'a>,
    ) -> Option<Formula> {
        let polarities = self.check_formula(said, states)?;
        self.begin(about);
        self.speak(polarities, old);
        let errors = self.diagnostics.len();
        let body = self.condition_of(said);
        if self.diagnostics[errors..].iter().any(Diagnostic::is_error) {
            return self.give_up();
        }
        self.read_off(body, said.span)
    }

    /// Begins a formula about one state that is made of parts.
    pub(super) fn begin_formula(&mut self, about: About<'a>, polarities: Polarities) {
        self.begin(about);
        self.speak(polarities, false);
    }

    pub fn condition_of(&mut self, said: &'a ast::Expr) -> Expr {
        let before = std::mem::replace(&mut self.eager, true);
        let value = self.rvalue(said);
        let condition = self.truth_of(value, said.span);
        self.eager = before;
        condition
    }

    pub(super) fn give_up<T>(&mut self) -> Option<T> {
        self.formulating = None;
        None
    }

    pub(super) fn speak(&mut self, polarities: Polarities, old: bool) {
        if let Some(formulating) = &mut self.formulating {
            formulating.polarities = polarities;
            formulating.plain = Some(if old { When::After } else { When::Before });
        }
    }

    /// Evaluates a part of the formula in the other state.
    pub(super) fn in_other_state<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        // A location of its own, so that the reads of the part can be told from those before it.
        let start = self.body.nodes.len();
        let place = selvedge_ir::Span::NONE;
        self.body.emit(Action::Skip, place);
        let result = lower(self);
        let end = self.body.nodes.len();
        if let Some(formulating) = &mut self.formulating {
            formulating.other.push((start, end));
        }
        self.body.emit(Action::Skip, place);
        result
    }

    /// The formula with this body, from the actions that lead to it.
    pub(super) fn read_off(&mut self, body: Expr, span: Span) -> Option<Formula> {
        let formulating = self.formulating.take()?;
        let code = std::mem::replace(&mut self.body, Body::new(self.options.model));
        let mut reading = Reading {
            code: &code,
            formulating,
            values: HashMap::new(),
            formula: Formula::closed(body),
        };
        match reading.all() {
            Ok(()) => {
                let body = reading.value(&reading.formula.body);
                Some(pruned(Formula { body, ..reading.formula }))
            }
            Err(what) => {
                let text = format!("a formula cannot contain {what}");
                self.error("annotation", span, text);
                None
            }
        }
    }

    /// What may be modified. A structure stands for its members, an array for its elements.
    pub(super) fn target(
        &mut self,
        said: &'a said::Target,
        about: About<'a>,
        targets: &mut Vec<Target>,
    ) {
        let Some(count) = self.target_part(said, about, 0, targets) else { return };
        for part in 1..count {
            self.target_part(said, about, part, targets);
        }
    }

    /// One scalar of a target; returns how many there are.
    fn target_part(
        &mut self,
        said: &'a said::Target,
        about: About<'a>,
        part: usize,
        targets: &mut Vec<Target>,
    ) -> Option<usize> {
        let polarities = self.check_formula(&said.place, States::One)?;
        self.begin(about);
        self.speak(polarities, false);
        let errors = self.diagnostics.len();
        let before = std::mem::replace(&mut self.eager, true);
        let (place, ty) = self.target_place(&said.place);
        self.eager = before;
        if self.diagnostics[errors..].iter().any(Diagnostic::is_error) {
            return self.give_up();
        }
        let span = said.place.span;
        let (address, ghost) = match place {
            Some(Place::Memory(address)) => (Some(address), None),
            Some(Place::Ghost(id, of)) => (Some(of), Some(id)),
            _ => (None, None),
        };
        let Some(address) = address else {
            let text = "only variables in memory that threads share can be modified";
            let help = "a bit-field, a parameter or a value cannot stand here";
            self.report(Diagnostic::error("annotation", text).at(span).help(help));
            return self.give_up();
        };
        let mut scalars = Vec::new();
        match ghost {
            Some(id) => scalars.push(self.ghost_part(id, 0)),
            None => self.scalars_of(ty, 0, &mut scalars),
        }
        let Some(scalar) = scalars.get(part).cloned() else {
            self.error("annotation", span, "there is nothing here that could be modified");
            return self.give_up();
        };
        let address = self.scalar_address(address, &scalar, span);
        let address = self.read_off(address, span)?;
        let place = self.place(span);
        let text = said.text.to_string();
        let (ty, ghost) = (scalar.ty, scalar.ghost);
        targets.push(Target { address, ty, ghost, text, span: place });
        Some(scalars.len())
    }

    fn target_place(&mut self, expr: &'a ast::Expr) -> (Option<Place>, Ty) {
        if let Some((said::FORALL, span, args)) = check::word_called(expr) {
            let body = check::quantified(args);
            self.quantified_variable(args, true, span);
            if let Some(body) = body {
                return self.target_place(body);
            }
        }
        if !self.is_lvalue(expr) {
            return (None, self.types.error());
        }
        let lvalue = self.lvalue(expr);
        (Some(lvalue.place), lvalue.ty)
    }

    /// The address of a scalar inside an object; of one in an array, that of every element's.
    pub(super) fn scalar_address(&mut self, object: Expr, scalar: &Scalar, span: Span) -> Expr {
        let address = self.plus(object, i128::from(scalar.offset));
        let Some(stride) = scalar.stride else { return address };
        let difference = self.types.model.diff_type();
        let every = Binding::Forall(None);
        let index = self.bound("index", Type::Int(difference), every, span);
        let bytes = Expr::binary(BinaryOp::Mul, index, Expr::int(stride.into(), difference));
        Expr::binary(BinaryOp::PtrAdd, address, bytes)
    }

    pub(super) fn plus(&mut self, address: Expr, bytes: i128) -> Expr {
        use selvedge_ir::Const;
        match address {
            Expr::Const(Const::Object(object, offset)) => {
                Expr::Const(Const::Object(object, offset + bytes as i64))
            }
            address if bytes == 0 => address,
            address => {
                let difference = self.types.model.diff_type();
                Expr::binary(BinaryOp::PtrAdd, address, Expr::int(bytes, difference))
            }
        }
    }

    /// A specification variable of the object at an offset.
    pub(super) fn ghost_part(&self, id: GhostId, offset: u64) -> Scalar {
        let ty = self.program.spec.ghosts[id].ty;
        Scalar { offset, ty, stride: None, ghost: Some(id) }
    }

    /// The scalars of a type, with their offsets, and its members for specifications.
    pub(super) fn scalars_of(&mut self, ty: Ty, offset: u64, found: &mut Vec<Scalar>) {
        if let Some(scalar) = self.types.scalar(ty) {
            found.push(Scalar { offset, ty: scalar, stride: None, ghost: None });
            return;
        }
        match self.types.kind(ty).clone() {
            Kind::Record(record) => {
                let own = self.ghost_variables.iter().filter(|it| it.record == Some(record));
                let own: Vec<GhostId> = own.map(|it| it.id).collect();
                found.extend(own.into_iter().map(|id| self.ghost_part(id, offset)));
                let fields = self.types.as_record(ty).map(|(_, record)| record.fields.clone());
                for field in fields.unwrap_or_default() {
                    self.scalars_of(field.ty, offset + field.offset, found);
                }
            }
            Kind::Array(element, _) => {
                let stride = self.types.size(element);
                let first = found.len();
                self.scalars_of(element, offset, found);
                for scalar in &mut found[first..] {
                    scalar.stride.get_or_insert(stride);
                }
            }
            _ => {}
        }
        found.dedup();
    }
}

/// A scalar inside an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub offset: u64,
    pub ty: Type,
    /// It stands in an array, so far from the next one.
    pub stride: Option<u64>,
    /// It is this specification variable of the object there.
    pub ghost: Option<GhostId>,
}

/// Follows the actions of a formula.
struct Reading<'a> {
    code: &'a Body,
    formulating: Formulating,
    /// The values of locals, over the formula's variables.
    values: HashMap<LocalId, Expr>,
    formula: Formula,
}

impl Reading<'_> {
    fn all(&mut self) -> Result<(), &'static str> {
        let mut at = Loc(0);
        loop {
            match self.code.nodes[at.0 as usize].edges.as_slice() {
                [] => return Ok(()),
                [only] => {
                    self.action(&only.action, at)?;
                    at = only.target;
                }
                _ => return Err("a choice"),
            }
        }
    }

    fn action(&mut self, action: &Action, at: Loc) -> Result<(), &'static str> {
        match action {
            Action::Skip | Action::Assert { .. } => {}
            Action::Assign { to, value } => {
                let value = self.value(value);
                self.values.insert(*to, value);
            }
            Action::Load { to, from, .. } => {
                let addr = self.value(&from.addr);
                let place = selvedge_ir::Place::new(addr, from.ty);
                let when = self.when(at);
                self.variable(*to, Binding::Read { place, when });
            }
            Action::Havoc { to } => {
                let binding = self.formulating.bindings.get(to).cloned();
                let mut binding = binding.ok_or("an input")?;
                binding.for_each_expr_mut(&mut |e| *e = self.value(e));
                for map in binding.maps_mut() {
                    if let Some(Expr::Local(variable)) = self.values.get(map) {
                        *map = *variable;
                    }
                }
                if let Binding::Alive { when, .. } | Binding::Ghost { when, .. } = &mut binding {
                    *when = self.when(at);
                }
                self.variable(*to, binding);
            }
            Action::Unsupported { .. } => return Err("what is not supported"),
            _ => return Err("an action"),
        }
        Ok(())
    }

    /// The state that is read here.
    fn when(&self, at: Loc) -> When {
        let plain = self.formulating.plain.unwrap_or(When::Before);
        let at = at.0 as usize;
        let other = self.formulating.other.iter().any(|(start, end)| (*start..*end).contains(&at));
        match (plain, other) {
            (When::Before, true) | (When::After, false) => When::After,
            _ => When::Before,
        }
    }

    fn variable(&mut self, local: LocalId, binding: Binding) {
        let declared = &self.code.locals[local.as_u32() as usize];
        let mut name = declared.name.clone();
        let taken = |name: &str, variables: &PrimaryMap<LocalId, Variable>| {
            variables.values().any(|v| v.name == name)
        };
        let mut number = 1;
        while taken(&name, &self.formula.variables) {
            number += 1;
            name = format!("{}#{number}", declared.name);
        }
        let variable = Variable { name, ty: declared.ty, binding };
        let id = self.formula.variables.push(variable);
        self.values.insert(local, Expr::Local(id));
    }

    fn value(&self, expr: &Expr) -> Expr {
        expr.clone().map(&mut |part| match part {
            Expr::Local(local) => self.values.get(&local).cloned().unwrap_or(Expr::Local(local)),
            other => other,
        })
    }
}

/// Without variables that nothing uses, parameters mostly.
fn pruned(formula: Formula) -> Formula {
    let mut used = vec![false; formula.variables.len()];
    let mark = |e: &Expr, used: &mut Vec<bool>| {
        e.locals().iter().for_each(|local| used[local.as_u32() as usize] = true);
    };
    mark(&formula.body, &mut used);
    for (id, variable) in formula.variables.iter().rev() {
        let index = id.as_u32() as usize;
        // A quantifier over a type that has no values would matter, but there is none.
        if !used[index] {
            continue;
        }
        variable.binding.for_each_expr(&mut |e| mark(e, &mut used));
        variable.binding.maps().iter().for_each(|map| used[map.as_u32() as usize] = true);
    }
    let mut numbers: HashMap<LocalId, LocalId> = HashMap::new();
    let mut variables = PrimaryMap::new();
    for (id, mut variable) in formula.variables {
        if used[id.as_u32() as usize] {
            renumber(&mut variable.binding, &numbers);
            numbers.insert(id, variables.push(variable));
        }
    }
    Formula { variables, body: renumbered(formula.body, &numbers) }
}

fn renumber(binding: &mut Binding, numbers: &HashMap<LocalId, LocalId>) {
    binding.for_each_expr_mut(&mut |e| {
        *e = renumbered(std::mem::replace(e, Expr::FALSE), numbers);
    });
    for map in binding.maps_mut() {
        *map = numbers.get(map).copied().unwrap_or(*map);
    }
}

fn renumbered(expr: Expr, numbers: &HashMap<LocalId, LocalId>) -> Expr {
    expr.map(&mut |part| match part {
        Expr::Local(local) => Expr::Local(numbers.get(&local).copied().unwrap_or(local)),
        other => other,
    })
}
