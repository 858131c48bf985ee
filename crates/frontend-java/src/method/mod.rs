//! A method's bytecode as a procedure. The operand stack is a list of expressions within a block of
//! instructions; where ways meet, what is on it stands in locals. Each instruction is lowered once.

mod array;
mod call;
mod exception;
mod field;
mod insn;
mod intrinsic;
mod monitor;
mod object;
mod variable;

pub use exception::uncaught;
pub use object::at;

use std::collections::{BTreeSet, HashMap};

use selvedge_ir::{Action, Const, Expr, LocalId, LocationId, ProcId, Span, Type};
use selvedge_java_classes::{Code, Kind};

use crate::body::Body;
use crate::monitors::{self, Held, held};
use crate::program::Lowering;
use crate::value::{Value, fit, local};
use crate::world::Found;

pub struct Method<'l, 'a, 'c> {
    pub program: &'l mut Lowering<'a>,
    pub found: Found,
    /// The span of everything in it, if it is of the library.
    fixed: Option<Span>,
    pub code: &'c Code,
    pub body: Body,
    pub stack: Vec<Value>,
    /// The number of the instruction at hand.
    pub at: usize,
    heads: HashMap<usize, Head>,
    open: Vec<usize>,
    /// Where ways may meet.
    meeting: BTreeSet<usize>,
    held: Vec<Option<Held>>,
    variables: HashMap<(u16, Option<String>, Type), LocalId>,
    /// Locals that are not null, as far as the block at hand has seen.
    there: BTreeSet<LocalId>,
    /// For each monitor that may be held already when it is entered: whether it was.
    reentered: HashMap<usize, LocalId>,
}

/// The first instruction of a block: where it is, and where what is on the stack stands.
struct Head {
    location: LocationId,
    stack: Vec<(LocalId, Type, bool)>,
    atomic: bool,
}

/// Lowers a method that has a body; one of the library under the span of its caller.
pub fn lower(program: &mut Lowering<'_>, found: &Found, id: ProcId, fixed: Option<Span>) {
    let class = found.class.clone();
    let Some(code) = class.methods[found.index].code.as_ref() else { return };
    let meeting = code.insns.iter().flat_map(|insn| insn.targets());
    let meeting = meeting.chain(code.handlers.iter().map(|handler| handler.target)).collect();
    let first = code.lines.first().copied().unwrap_or(0);
    let span = fixed.unwrap_or_else(|| program.span(&class, first));
    let name = program.program.procedures[id].name.clone();
    let states = held(found, code);
    let mut method = Method {
        program,
        found: found.clone(),
        fixed,
        code,
        body: Body::new(name, span),
        stack: Vec::new(),
        at: 0,
        heads: HashMap::new(),
        open: Vec::new(),
        meeting,
        held: states.clone().unwrap_or_default(),
        variables: HashMap::new(),
        there: BTreeSet::new(),
        reentered: HashMap::new(),
    };
    method.parameters();
    match states {
        Some(_) => method.whole(),
        None => method.unsupported("monitors that are not entered and left as blocks are"),
    }
    let procedure = method.body.procedure;
    program.define(id, procedure);
}

impl Method<'_, '_, '_> {
    fn whole(&mut self) {
        self.start_monitors();
        self.jump(0);
        while let Some(at) = self.open.pop() {
            self.block(at);
        }
    }

    fn block(&mut self, start: usize) {
        let head = &self.heads[&start];
        self.body.at = Some(head.location);
        self.body.atomic = head.atomic;
        self.stack = head
            .stack
            .iter()
            .map(|(local, ty, wide)| Value { wide: *wide, ..Value::of(Expr::Local(*local), *ty) })
            .collect();
        self.there.clear();
        for at in start.. {
            let Some(insn) = self.code.insns.get(at) else {
                return self.unsupported("a method without an end");
            };
            if at > start && self.meeting.contains(&at) {
                return self.jump(at);
            }
            self.at = at;
            self.body.span = self.fixed.unwrap_or_else(|| {
                let line = self.code.lines.get(at).copied().unwrap_or(0);
                self.program.span(&self.found.class, line)
            });
            self.insn(insn);
            if self.body.at.is_none() {
                return;
            }
        }
    }

    /// Goes on at an instruction where ways may meet.
    pub fn jump(&mut self, to: usize) {
        if self.body.at.is_none() {
            return;
        }
        if !self.heads.contains_key(&to) {
            let head = Head {
                location: self.body.location(),
                stack: self
                    .stack
                    .clone()
                    .iter()
                    .map(|value| (self.body.temp(value.ty), value.ty, value.wide))
                    .collect(),
                atomic: self.body.atomic,
            };
            self.heads.insert(to, head);
            self.open.push(to);
        }
        let head = &self.heads[&to];
        let (location, atomic) = (head.location, head.atomic);
        let places: Vec<(LocalId, Type)> = head.stack.iter().map(|(l, ty, _)| (*l, *ty)).collect();
        let fits = places.len() == self.stack.len()
            && places.iter().zip(&self.stack).all(|((_, ty), value)| *ty == value.ty);
        if !fits || atomic != self.body.atomic {
            return self.unsupported("ways that meet with different things on the stack");
        }
        self.place(&places);
        self.body.act_to(Action::Skip, location);
    }

    /// Puts what is on the stack into locals, at the same time.
    fn place(&mut self, places: &[(LocalId, Type)]) {
        let read: BTreeSet<LocalId> =
            self.stack.iter().flat_map(|value| value.expr.locals()).collect();
        let stays = |(local, value): (&LocalId, &Value)| value.expr == Expr::Local(*local);
        let all_stay = places.iter().map(|(local, _)| local).zip(&self.stack).all(stays);
        if !all_stay && places.iter().any(|(local, _)| read.contains(local)) {
            for index in 0..self.stack.len() {
                self.keep_at(index);
            }
        }
        for (index, (local, _)) in places.iter().enumerate() {
            self.body.assign(*local, self.stack[index].expr.clone());
        }
    }

    /// Puts what is on the stack at an index into a local of its own.
    fn keep_at(&mut self, index: usize) {
        let Value { expr, ty, .. } = self.stack[index].clone();
        if matches!(expr, Expr::Const(_)) {
            return;
        }
        let temp = self.body.temp(ty);
        self.body.assign(temp, expr);
        self.stack[index].expr = Expr::Local(temp);
    }

    /// The same value, as a local or constant, so that it can be used twice.
    pub fn kept(&mut self, value: Value) -> Value {
        if matches!(value.expr, Expr::Const(_) | Expr::Local(_)) {
            return value;
        }
        let temp = self.body.temp(value.ty);
        self.body.assign(temp, value.expr);
        Value { expr: Expr::Local(temp), ..value }
    }

    pub fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    /// What is on top. Class files that a verifier would refuse give a zero.
    pub fn pop(&mut self) -> Value {
        match self.stack.pop() {
            Some(value) => value,
            None => {
                self.unsupported("an empty operand stack");
                Value::int(crate::value::i32(0))
            }
        }
    }

    /// The end of what is understood.
    pub fn unsupported(&mut self, what: &str) {
        self.body.end(Action::Unsupported { what: what.to_owned() });
    }

    /// Goes on elsewhere, and comes back.
    pub fn aside(&mut self, there: Option<LocationId>, then: impl FnOnce(&mut Self)) {
        let here = self.body.at;
        let stack = self.stack.clone();
        let known = self.there.clone();
        self.body.at = there;
        then(self);
        self.body.at = here;
        self.stack = stack;
        self.there = known;
    }

    /// Lets a way that was left aside go on here, too; or only that one, where nothing else does.
    pub fn rejoin(&mut self, other: Option<LocationId>) {
        match self.body.at {
            None => self.body.at = other,
            Some(here) => self.aside(other, |method| method.body.act_to(Action::Skip, here)),
        }
    }

    /// The value of the procedure on ways that give none.
    pub fn no_result(&mut self) {
        if let Some(result) = self.body.procedure.result {
            let ty = self.body.procedure.locals[result].ty;
            self.body.assign(result, Expr::Const(Const::zero(ty)));
        }
    }

    fn returns(&mut self, kind: Option<Kind>) {
        let value = kind.map(|_| self.pop());
        if let (Some(value), Some(result)) = (value, self.body.procedure.result) {
            let ty = self.body.procedure.locals[result].ty;
            self.body.assign(result, fit(value.expr, value.ty, ty));
        }
        self.leave_own_monitor();
        self.body.end(Action::Skip);
    }

    /// The procedure's parameters and result, under the names of the source.
    fn parameters(&mut self) {
        let method = self.found.method().clone();
        let this = (!method.is_static).then_some((Type::Ptr, Kind::Ref));
        let given = method.signature.parameters.iter().map(|ty| (local(ty), ty.kind()));
        let mut slot = 0;
        for (ty, kind) in this.into_iter().chain(given) {
            let known = self.code.variable(slot, 0).map(|variable| variable.name.clone());
            let name = known.clone().unwrap_or_else(|| format!("parameter {slot}"));
            let param = self.body.local(&name, ty, known.is_some());
            self.body.procedure.params.push(param);
            self.variables.insert((slot, None, crate::value::stacked(kind)), param);
            if known.is_some() {
                self.variables.insert((slot, known, ty), param);
            }
            slot += if kind.is_wide() { 2 } else { 1 };
        }
        if let Some(result) = &method.signature.result {
            let result = self.body.local("#result", local(result), false);
            self.body.procedure.result = Some(result);
        }
    }

    /// Whether slot 0 is the object all through the method.
    pub fn is_this(&self, slot: u16) -> bool {
        slot == 0 && !self.found.method().is_static && !monitors::stores(self.code, 0)
    }
}
