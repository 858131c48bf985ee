//! Random procedure bodies: the control-flow graph grows at one open end.

use selvedge_ir::{
    Action, BinaryOp, Callee, Check, CheckKind, Const, Expr, Grain, LocalId, LocationId, Mode,
    ObjectId, Place, Procedure, Program, Property, Span, Storage, Type,
};

use super::Rng;
use super::scope::Scope;

pub(super) struct Body<'a> {
    program: &'a mut Program,
    pub(super) scope: &'a Scope,
    pub(super) rng: &'a mut Rng,
    pub(super) procedure: Procedure,
    /// The open end.
    here: LocationId,
    /// Inside an atomic block.
    atomic: bool,
    /// The lock that a critical section around the open end holds.
    held: Option<ObjectId>,
}

impl<'a> Body<'a> {
    pub fn worker(p: &'a mut Program, scope: &'a Scope, rng: &'a mut Rng, index: u64) -> Procedure {
        let mut body = Body::new(p, scope, rng, &format!("worker{index}"));
        let arg = body.procedure.add_local("arg", Type::Int(scope.int), true);
        body.procedure.params.push(arg);
        if body.rng.one_in(2) {
            body.procedure.result = Some(arg);
        }
        let length = 1 + body.rng.below(3);
        body.statements(length, 2);
        body.finish()
    }

    pub fn helper(p: &'a mut Program, scope: &'a Scope, rng: &'a mut Rng) -> Procedure {
        let mut body = Body::new(p, scope, rng, "helper");
        let arg = body.procedure.add_local("arg", Type::Int(scope.int), true);
        body.procedure.params.push(arg);
        body.procedure.result = Some(arg);
        let length = 1 + body.rng.below(2);
        body.statements(length, 1);
        body.finish()
    }

    /// Spawns workers, does something itself, joins some of them, looks at the outcome.
    pub fn main(p: &'a mut Program, scope: &'a Scope, rng: &'a mut Rng) -> Procedure {
        let mut body = Body::new(p, scope, rng, "main");
        let spawned = 1 + body.rng.below(2);
        let mut threads = Vec::new();
        for i in 0..spawned {
            let to = body.procedure.add_local(format!("t{i}"), Type::Thread, true);
            body.spawn(to);
            threads.push(to);
        }
        if body.rng.one_in(2) {
            body.statements(1, 1);
        }
        for to in threads {
            if !body.rng.one_in(3) {
                body.join(to);
            }
        }
        let length = body.rng.below(3);
        body.statements(length, 1);
        body.finish()
    }

    pub(super) fn new(
        p: &'a mut Program,
        scope: &'a Scope,
        rng: &'a mut Rng,
        name: &str,
    ) -> Body<'a> {
        let mut procedure = Procedure {
            name: name.to_owned(),
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            entry: LocationId::from_u32(0),
            exit: LocationId::from_u32(0),
            span: Span::NONE,
        };
        let here = procedure.add_location(Grain::Yield);
        procedure.entry = here;
        Body { program: p, scope, rng, procedure, here, atomic: false, held: None }
    }

    /// The exit behind the open end; every local gets a value first, in one atomic block.
    pub(super) fn finish(mut self) -> Procedure {
        let exit = self.procedure.add_location(Grain::Yield);
        self.procedure.exit = exit;
        self.emit_to(Action::Skip, exit);
        let params = self.procedure.params.clone();
        let locals: Vec<(LocalId, Type)> =
            self.procedure.locals.iter().map(|(id, l)| (id, l.ty)).collect();
        let mut next = self.procedure.entry;
        // Backwards: the last assignment leads to the body, the first leaves the new entry.
        for (to, ty) in locals.into_iter().rev().filter(|(id, _)| !params.contains(id)) {
            let from = self.procedure.add_location(Grain::Atomic);
            let value = Expr::Const(Const::zero(ty));
            self.procedure.add_edge(from, Action::Assign { to, value }, next, Span::NONE);
            next = from;
        }
        self.procedure.locations[next].grain = Grain::Yield;
        self.procedure.entry = next;
        self.procedure
    }

    fn statements(&mut self, count: u64, depth: u32) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.rng.below(24) {
            0..=2 => self.load(),
            3..=5 => self.store(),
            6 => self.increment(),
            7 => self.assign(),
            8 => self.assertion(),
            9 => self.havoc(),
            10 => self.pointer_use(),
            11 => self.allocation(),
            12 => self.thread_identity(),
            13 => self.call(),
            14 if self.rng.one_in(3) => self.ending(),
            15 if self.rng.one_in(2) => self.assume(),
            16 | 17 if depth > 0 => self.critical_section(depth),
            18 | 19 if depth > 0 => self.atomic_block(depth),
            20 if depth > 0 => self.branch(depth),
            21 if depth > 0 => self.choice(depth),
            22 if depth > 0 => self.bounded_loop(depth),
            23 if self.held.is_none() => self.waiting(),
            _ => self.increment(),
        }
    }

    fn load(&mut self) {
        let (from, ty) = self.place();
        let to = self.local(ty);
        let mode = self.mode();
        self.emit(Action::Load { to, from, mode });
        if ty == Type::Int(self.scope.int) && self.rng.one_in(4) {
            self.assertion();
        }
    }

    fn store(&mut self) {
        let (to, ty) = self.place();
        let value = self.expr(ty);
        let mode = self.mode();
        self.emit(Action::Store { to, value, mode });
    }

    /// `x = x + 1`, not atomic: the usual lost update.
    pub(super) fn increment(&mut self) {
        let int = self.scope.int;
        let object = *self.rng.pick(&self.scope.scalars);
        let place = Place::object(object, 0, Type::Int(int));
        let local = self.local(Type::Int(int));
        let mode = self.mode();
        self.emit(Action::Load { to: local, from: place.clone(), mode });
        let value = Expr::binary(BinaryOp::Add, Expr::Local(local), Expr::int(1, int));
        self.emit(Action::Store { to: place, value, mode });
    }

    fn assign(&mut self) {
        let ty = if self.rng.one_in(3) { Type::Bool } else { Type::Int(self.scope.int) };
        let to = self.local(ty);
        let value = self.expr(ty);
        self.emit(Action::Assign { to, value });
    }

    fn assertion(&mut self) {
        let cond = self.condition();
        let property = if self.rng.one_in(6) { Property::Overflow } else { Property::Assert };
        let check = Check::new(property, CheckKind::Label("assertion".to_owned()));
        self.emit(Action::Assert { cond, check });
    }

    fn havoc(&mut self) {
        if self.rng.one_in(2) {
            let to = self.local(Type::Bool);
            self.emit(Action::Havoc { to });
            return;
        }
        let to = self.local(Type::Int(self.scope.int));
        self.emit(Action::Havoc { to });
        match self.rng.below(3) {
            0 => {
                let cond = self.comparison_of(to);
                self.emit(Action::Assume(cond));
            }
            1 => {
                let flag = self.local(Type::Bool);
                let value = self.comparison_of(to);
                self.emit(Action::Assign { to: flag, value });
                let value = self.constant(Type::Int(self.scope.int));
                self.emit(Action::Assign { to, value });
            }
            _ => {}
        }
    }

    fn pointer_use(&mut self) {
        let pointer = self.local(Type::Ptr);
        let value = match self.rng.below(8) {
            0 => Expr::NULL,
            1 | 2 if !self.scope.arrays.is_empty() => {
                let offset = self.rng.below(2) as i64 * self.scope.int.size() as i64;
                Expr::Const(Const::Object(self.scope.arrays[0], offset))
            }
            _ => Expr::object(*self.rng.pick(&self.scope.scalars)),
        };
        self.emit(Action::Assign { to: pointer, value });
        self.through(pointer);
    }

    /// Uses what the pointer leads to, and sometimes lets others see it.
    fn through(&mut self, pointer: LocalId) {
        let int = Type::Int(self.scope.int);
        let place = Place::new(Expr::Local(pointer), int);
        let mode = self.mode();
        if self.rng.one_in(2) {
            let value = self.expr(int);
            self.emit(Action::Store { to: place, value, mode });
        } else {
            let to = self.local(int);
            self.emit(Action::Load { to, from: place, mode });
        }
        if let Some(&cell) = self.scope.pointers.first()
            && self.rng.one_in(2)
        {
            let to = Place::object(cell, 0, Type::Ptr);
            self.emit(Action::Store { to, value: Expr::Local(pointer), mode: Mode::Atomic });
        }
    }

    fn allocation(&mut self) {
        let int = self.scope.int;
        let to = self.local(Type::Ptr);
        let layout = self.program.scalar_layout(Type::Int(int));
        let size = Expr::int(int.size().into(), self.program.model.size_type());
        let storage = if self.rng.one_in(3) { Storage::Stack } else { Storage::Heap };
        // Undefined cells are inputs: kept to where the domain is small.
        let zeroed = int.width > 8 || !self.rng.one_in(4);
        self.emit(Action::Alloc { to, storage, layout, size, zeroed });
        self.through(to);
        if self.rng.one_in(2) {
            self.emit(Action::Free { addr: Expr::Local(to), storage });
        }
    }

    fn thread_identity(&mut self) {
        let Some(&cell) = self.scope.thread_cells.first() else { return self.increment() };
        let place = Place::object(cell, 0, Type::Thread);
        let mode = self.mode();
        if self.rng.one_in(2) {
            self.emit(Action::Store { to: place, value: Expr::Tid, mode });
            return;
        }
        let to = self.local(Type::Thread);
        self.emit(Action::Load { to, from: place, mode });
        let flag = self.local(Type::Bool);
        let value = if self.rng.one_in(10) {
            Expr::cast(Type::Bool, Expr::cast(Type::Int(self.scope.int), Expr::Local(to)))
        } else {
            Expr::binary(BinaryOp::Eq, Expr::Local(to), Expr::Tid)
        };
        self.emit(Action::Assign { to: flag, value });
    }

    fn call(&mut self) {
        let Some(helper) = self.scope.helper else { return self.load() };
        let to = self.local(Type::Int(self.scope.int));
        let args = vec![self.expr(Type::Int(self.scope.int))];
        let callee = if self.rng.one_in(4) {
            Callee::Indirect(Expr::Const(Const::Proc(helper)))
        } else {
            Callee::Direct(helper)
        };
        self.emit(Action::Call { to: Some(to), callee, args });
    }

    /// A way out: of the thread, of the program, or of what is supported. Behind a condition, so
    /// that something may follow.
    fn ending(&mut self) {
        let action = match self.rng.below(4) {
            0 => Action::Halt,
            1 => Action::Unsupported { what: "something".to_owned() },
            _ => Action::EndThread { value: None },
        };
        let action = match action {
            Action::EndThread { .. } if self.procedure.result.is_some() => {
                Action::EndThread { value: Some(self.expr(Type::Int(self.scope.int))) }
            }
            other => other,
        };
        let cond = self.condition();
        let start = self.here;
        self.emit(Action::Assume(cond.clone()));
        self.emit(action);
        let after = self.here;
        self.here = start;
        self.emit_to(Action::Assume(cond.not()), after);
        self.here = after;
    }

    fn assume(&mut self) {
        let cond = self.condition();
        self.emit(Action::Assume(cond));
    }

    pub(super) fn critical_section(&mut self, depth: u32) {
        if self.scope.locks.is_empty() {
            return self.store();
        }
        let lock = *self.rng.pick(&self.scope.locks);
        let place = Place::object(lock, 0, Type::Thread);
        self.emit(Action::Lock { lock: place.clone() });
        let outer = self.held.replace(lock);
        let length = 1 + self.rng.below(2);
        self.statements(length, depth - 1);
        self.held = outer;
        if !self.rng.one_in(8) {
            self.emit(Action::Unlock { lock: place });
        }
    }

    pub(super) fn atomic_block(&mut self, depth: u32) {
        if self.atomic {
            return self.store();
        }
        self.atomic = true;
        let length = 1 + self.rng.below(2);
        self.statements(length, depth - 1);
        self.atomic = false;
        self.emit(Action::Skip);
    }

    /// An atomic block that waits for a value of a shared scalar.
    pub(super) fn waiting(&mut self) {
        let outer = std::mem::replace(&mut self.atomic, true);
        let int = self.scope.int;
        let object = *self.rng.pick(&self.scope.scalars);
        let to = self.local(Type::Int(int));
        let from = Place::object(object, 0, Type::Int(int));
        self.emit(Action::Load { to, from, mode: Mode::Atomic });
        let cond = self.comparison_of(to);
        let assume = self.rng.one_in(3);
        self.emit(if assume { Action::Assume(cond) } else { Action::Wait(cond) });
        self.atomic = outer;
        self.emit(Action::Skip);
    }

    pub(super) fn branch(&mut self, depth: u32) {
        let cond = self.condition();
        let start = self.here;
        self.emit(Action::Assume(cond.clone()));
        self.statements(1, depth - 1);
        let after = self.here;
        self.here = start;
        self.emit(Action::Assume(cond.not()));
        if self.rng.one_in(2) {
            self.statements(1, depth - 1);
        }
        self.emit_to(Action::Skip, after);
        self.here = after;
    }

    fn choice(&mut self, depth: u32) {
        let start = self.here;
        self.emit(Action::Skip);
        self.statements(1, depth - 1);
        let after = self.here;
        self.here = start;
        if self.rng.one_in(2) {
            self.emit(Action::Skip);
            self.statements(1, depth - 1);
        }
        self.emit_to(Action::Skip, after);
        self.here = after;
    }

    pub(super) fn bounded_loop(&mut self, depth: u32) {
        let int = self.scope.int;
        let name = format!("i{}", self.procedure.locals.len());
        let counter = self.procedure.add_local(name, Type::Int(int), true);
        let rounds = Expr::int(2, int);
        self.emit(Action::Assign { to: counter, value: Expr::int(0, int) });
        let head = self.here;
        let again = Expr::binary(BinaryOp::Ne, Expr::Local(counter), rounds);
        self.emit(Action::Assume(again.clone()));
        self.statements(1, depth - 1);
        let value = Expr::binary(BinaryOp::Add, Expr::Local(counter), Expr::int(1, int));
        self.emit_to(Action::Assign { to: counter, value }, head);
        self.here = head;
        self.emit(Action::Assume(again.not()));
    }

    pub(super) fn spawn(&mut self, to: LocalId) {
        let worker = *self.rng.pick(&self.scope.workers);
        let arg = if self.rng.one_in(2) {
            Expr::int(0, self.scope.int)
        } else {
            Expr::int(i128::from(self.rng.below(2)), self.scope.int)
        };
        self.emit(Action::Spawn { to, entry: Callee::Direct(worker), args: vec![arg] });
    }

    fn join(&mut self, thread: LocalId) {
        let results = self
            .scope
            .workers
            .iter()
            .all(|&worker| self.program.procedures[worker].result.is_some());
        let to = (results && self.rng.one_in(2)).then(|| self.local(Type::Int(self.scope.int)));
        self.emit(Action::Join { thread: Expr::Local(thread), to });
    }

    /// Some shared scalar with its type.
    fn place(&mut self) -> (Place, Type) {
        let int = Type::Int(self.scope.int);
        match self.rng.below(8) {
            0 | 1 if !self.scope.flags.is_empty() => {
                (Place::object(self.scope.flags[0], 0, Type::Bool), Type::Bool)
            }
            2 | 3 if !self.scope.arrays.is_empty() => (self.element(), int),
            4 if !self.scope.pointers.is_empty() => {
                (Place::object(self.scope.pointers[0], 0, Type::Ptr), Type::Ptr)
            }
            _ => (Place::object(*self.rng.pick(&self.scope.scalars), 0, int), int),
        }
    }

    /// An element of the array, sometimes at an index that is a local's value.
    fn element(&mut self) -> Place {
        let int = self.scope.int;
        let array = self.scope.arrays[0];
        if self.rng.one_in(2) {
            let offset = self.rng.below(2) as i64 * int.size() as i64;
            return Place::object(array, offset, Type::Int(int));
        }
        let index = self.local(Type::Int(int));
        let bytes = Type::Int(self.program.model.diff_type());
        let odd = Expr::binary(BinaryOp::And, Expr::Local(index), Expr::int(1, int));
        let size = Expr::int(int.size().into(), self.program.model.diff_type());
        let offset = Expr::binary(BinaryOp::Mul, Expr::cast(bytes, odd), size);
        let addr = Expr::binary(BinaryOp::PtrAdd, Expr::object(array), offset);
        Place::new(addr, Type::Int(int))
    }

    fn expr(&mut self, ty: Type) -> Expr {
        match ty {
            Type::Int(_) => match self.rng.below(6) {
                0..=2 => self.constant(ty),
                3 => {
                    let local = self.local(ty);
                    Expr::binary(BinaryOp::Add, Expr::Local(local), self.constant(ty))
                }
                _ => Expr::Local(self.local(ty)),
            },
            Type::Bool => self.condition(),
            Type::Ptr | Type::Thread if self.rng.one_in(4) => Expr::Const(Const::zero(ty)),
            Type::Ptr | Type::Thread => Expr::Local(self.local(ty)),
        }
    }

    fn constant(&mut self, ty: Type) -> Expr {
        match ty {
            Type::Int(int) => Expr::int(self.rng.below(4).into(), int),
            other => Expr::Const(Const::zero(other)),
        }
    }

    fn condition(&mut self) -> Expr {
        if self.rng.one_in(4) {
            return Expr::Local(self.local(Type::Bool));
        }
        let local = self.local(Type::Int(self.scope.int));
        self.comparison_of(local)
    }

    /// A comparison of an integer local, of both outcomes more often than not.
    fn comparison_of(&mut self, local: LocalId) -> Expr {
        let op = *self.rng.pick(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Ge]);
        let right = if self.rng.one_in(6) {
            Expr::Local(self.local(Type::Int(self.scope.int)))
        } else {
            self.constant(Type::Int(self.scope.int))
        };
        Expr::binary(op, Expr::Local(local), right)
    }

    /// A local of the type: mostly one that is there already.
    pub(super) fn local(&mut self, ty: Type) -> LocalId {
        let fitting: Vec<LocalId> = self
            .procedure
            .locals
            .iter()
            .filter(|(_, l)| l.ty == ty && !l.name.starts_with('i') && !l.name.starts_with('t'))
            .map(|(id, _)| id)
            .collect();
        if fitting.is_empty() || (fitting.len() < 2 && self.rng.one_in(4)) {
            let name = format!("x{}", self.procedure.locals.len());
            return self.procedure.add_local(name, ty, true);
        }
        *self.rng.pick(&fitting)
    }

    pub(super) fn mode(&mut self) -> Mode {
        if self.atomic || self.rng.one_in(3) { Mode::Atomic } else { Mode::Plain }
    }

    pub(super) fn emit(&mut self, action: Action) {
        let grain = if self.atomic { Grain::Atomic } else { Grain::Yield };
        let next = self.procedure.add_location(grain);
        self.emit_to(action, next);
        self.here = next;
    }

    fn emit_to(&mut self, action: Action, target: LocationId) {
        self.procedure.add_edge(self.here, action, target, Span::NONE);
    }
}
