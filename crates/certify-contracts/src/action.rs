//! What each action does on a path, and what must hold for it.

use selvedge_ir::{Action, Callee, Edge, EdgeId, Expr, Place, Property, Span, Storage, Type};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::Term;
use selvedge_smt::translate::{Need, Sym};

use crate::memory::{Kept, parts};
use crate::path::{Path, Write};
use crate::verdict::Rejected;
use crate::walk::Walker;

impl<'a> Walker<'_, 'a> {
    /// Whether anything follows.
    pub fn act(&mut self, path: &mut Path, id: EdgeId, edge: &'a Edge) -> Result<bool, Rejected> {
        let span = edge.span;
        match &edge.action {
            Action::Skip | Action::Fence(_) => {}
            Action::Assume(condition) | Action::Wait(condition) => {
                let holds = self.expr(path, condition, span)?.scalar();
                self.world.fact(path, holds);
            }
            Action::Assert { cond, check } => {
                if check.property != Property::Invariant && check.is_asked(self.properties) {
                    let holds = self.expr(path, cond, span)?.scalar();
                    self.show(path, &check.to_string(), span, holds)?;
                }
            }
            Action::Assign { to, value } => {
                let value = self.expr(path, value, span)?;
                path.locals.insert(*to, value);
            }
            Action::Havoc { to } => {
                path.locals.remove(to);
                self.local(path, *to);
            }
            Action::Load { to, from, .. } => {
                let at = self.access(path, id, from, span)?;
                let memory = path.memory.clone();
                let value = self.world.read(path, &memory, from.ty, at);
                self.world.comes_from_others(path, value);
                path.locals.insert(*to, value);
            }
            Action::Store { to, value, .. } => {
                let value = self.expr(path, value, span)?;
                let at = self.access(path, id, to, span)?;
                self.tell_others(path, value, span)?;
                self.write(path, to.ty, at, value);
            }
            Action::Lock { lock } => {
                let at = self.access(path, id, lock, span)?;
                let memory = path.memory.clone();
                let holder = self.world.read(path, &memory, lock.ty, at).scalar();
                let nobody = self.world.terms.int(0);
                let free = self.world.terms.eq(holder, nobody);
                self.world.fact(path, free);
                self.write(path, lock.ty, at, Sym::Scalar(self.world.tid));
            }
            Action::Unlock { lock } => {
                let at = self.access(path, id, lock, span)?;
                let nobody = self.world.terms.int(0);
                self.write(path, lock.ty, at, Sym::Scalar(nobody));
            }
            Action::Alloc { to, size, .. } => {
                let size = self.expr(path, size, span)?.scalar();
                let made = self.allocate(path, id, size);
                path.locals.insert(*to, made);
            }
            Action::Free { addr, storage } => self.free(path, id, addr, *storage, span)?,
            Action::Spawn { to, entry: Callee::Direct(entry), args } => {
                let args = self.arguments(path, args, span)?;
                let thread = self.spawn(path, *entry, args, span)?;
                path.locals.insert(*to, Sym::Scalar(thread));
            }
            Action::Join { thread, to } => self.join(path, thread, *to, span)?,
            Action::Call { to, callee: Callee::Direct(callee), args } => {
                let args = self.arguments(path, args, span)?;
                self.call(path, *callee, args, *to, span)?;
            }
            Action::EndThread { value } => {
                if let Some(value) = value {
                    let value = self.expr(path, value, span)?;
                    self.tell_others(path, value, span)?;
                }
                self.end_step(path, span)?;
                return Ok(false);
            }
            Action::Halt => return Ok(false),
            Action::Unsupported { what } => {
                let what = format!("what is not supported is not reached ({what})");
                let never = self.world.terms.bool(false);
                self.world.oblige(path, &what, span, never)?;
                return Ok(false);
            }
            Action::Ghost(ghost) => self.annotated(path, ghost, span)?,
            _ => return Err(self.world.subject.refusal("an action of another kind", span)),
        }
        Ok(true)
    }

    /// An obligation that what follows may rely on.
    pub fn show(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        holds: Term,
    ) -> Result<(), Rejected> {
        self.world.oblige(path, what, span, holds)?;
        self.world.fact(path, holds);
        Ok(())
    }

    pub fn arguments(
        &mut self,
        path: &mut Path,
        args: &[Expr],
        span: Span,
    ) -> Result<Vec<Sym>, Rejected> {
        args.iter().map(|arg| self.expr(path, arg, span)).collect()
    }

    /// The value of an expression, with what it needs to have one.
    pub fn expr(&mut self, path: &mut Path, expr: &Expr, span: Span) -> Result<Sym, Rejected> {
        for local in expr.locals() {
            self.local(path, local);
        }
        let locals = path.locals.clone();
        let tid = self.world.tid;
        let translated = self.world.translate(path, self.body, expr, &|local| locals[&local], tid);
        for need in translated.obligations {
            let what = match need.kind {
                Need::Divisor => "the divisor is not zero",
                Need::SameObject => "pointers that are compared lead into one object",
                Need::Known | Need::NoWrap => "a value depends on no address",
            };
            self.show(path, what, span, need.holds)?;
        }
        Ok(translated.value)
    }

    /// A value goes where others may find it: they know its object from now on, and rely on a pointer
    /// into no object to be null.
    pub fn tell_others(&mut self, path: &mut Path, value: Sym, span: Span) -> Result<(), Rejected> {
        let Sym::Pointer { object, .. } = value else { return Ok(()) };
        let tame = self.world.is_tame(value);
        if tame != self.world.terms.bool(true) {
            self.show(
                path,
                "a pointer that is passed on leads into an object, or is null",
                span,
                tame,
            )?;
        }
        if !self.world.subject.sites.is_empty() {
            path.consider(Type::Ptr, value);
            let zero = self.world.terms.int(0);
            path.memory.owner = self.world.terms.store(path.memory.owner, object, zero);
        }
        Ok(())
    }

    /// The address of an access, which must lead into an object that is there.
    fn access(
        &mut self,
        path: &mut Path,
        id: EdgeId,
        place: &Place,
        span: Span,
    ) -> Result<Sym, Rejected> {
        let at = self.expr(path, &place.addr, span)?;
        path.looked = true;
        for local in place.addr.locals() {
            let value = self.local(path, local);
            path.consider(self.body.locals[local].ty, value);
        }
        for part in place.addr.parts_of_address() {
            let value = self.expr(path, part, span)?;
            path.consider(part.ty(&self.world.subject.program, self.body), value);
        }
        path.consider(Type::Ptr, at);
        path.consider_cell(place.ty, at);
        if !self.is_surely_inside(place) {
            self.leads(path, id, at);
            let inside = self.is_inside(path, id, place.ty, at);
            let what = "an access leads into an object that is there, within its bounds";
            self.show(path, what, span, inside)?;
        }
        Ok(at)
    }

    fn is_surely_inside(&self, place: &Place) -> bool {
        let program = &self.world.subject.program;
        let Some((object, offset)) = place.direct() else { return false };
        let size = program.layouts[program.objects[object].layout].size;
        u64::try_from(offset).is_ok_and(|offset| offset + place.ty.size(program.model) <= size)
    }

    fn is_inside(&mut self, path: &mut Path, id: EdgeId, ty: Type, at: Sym) -> Term {
        let (object, offset) = parts(at);
        let memory = path.memory.clone();
        let there = match self.world.subject.may_be_freed(self.id, id) {
            true => self.world.lives(&memory, object),
            false => self.world.is_object(&memory, object),
        };
        let size = self.world.size_of(path, object);
        let bytes = ty.size(self.world.subject.program.model);
        let t = &mut self.world.terms;
        let (zero, bytes) = (t.int(0), t.int(bytes));
        let end = t.add(&[offset, bytes]);
        let inside = [there, t.le(zero, offset), t.le(end, size)];
        t.and(&inside)
    }

    /// What the whole program says about where an access can lead, if anywhere.
    fn leads(&mut self, path: &mut Path, id: EdgeId, at: Sym) {
        let subject = self.world.subject;
        let Some(cell) = subject.points_to.access(self.id, id) else { return };
        let extents = subject.points_to.extents(cell);
        if !subject.is_known(self.id) || extents.is_empty() {
            return;
        }
        let (object, offset) = parts(at);
        let mut any = Vec::new();
        for extent in &extents {
            let from = self.comes_from(path, object, extent.origin);
            let t = &mut self.world.terms;
            let start = t.int(extent.start);
            let exact = match extent.stride {
                0 => t.eq(offset, start),
                stride => {
                    let (stride, zero) = (t.int(stride), t.int(0));
                    let distance = t.sub(offset, start);
                    let rest = t.modulo(distance, stride);
                    t.eq(rest, zero)
                }
            };
            any.push(t.and(&[from, exact]));
        }
        any.push(match subject.points_to.may_be_procedure(self.id, id) {
            true => {
                let there = self.world.is_object(&path.memory.clone(), object);
                self.world.terms.not(there)
            }
            false => {
                let nothing = self.world.terms.int(0);
                self.world.terms.eq(object, nothing)
            }
        });
        let fact = self.world.terms.or(&any);
        self.world.fact(path, fact);
    }

    /// That an object is of an origin.
    fn comes_from(&mut self, path: &mut Path, object: Term, origin: Origin) -> Term {
        match origin {
            Origin::Object(global) => {
                let number = self.world.terms.int(self.world.objects.object(global));
                self.world.terms.eq(object, number)
            }
            Origin::Alloc(procedure, edge) => {
                let site = self.world.subject.sites[&(procedure, edge)];
                self.world.made_at(path, object, site)
            }
        }
    }

    pub fn write(&mut self, path: &mut Path, kept: impl Into<Kept>, at: Sym, value: Sym) {
        let kept = kept.into();
        let mut memory = path.memory.clone();
        self.world.store(&mut memory, kept, at, value);
        path.memory = memory;
        path.writes.push(Write::Cell(kept, at));
    }

    /// A new object, the thread's own.
    fn allocate(&mut self, path: &mut Path, id: EdgeId, size: Term) -> Sym {
        let site = self.world.subject.sites[&(self.id, id)];
        let object = path.memory.next;
        let made = self.world.made_at(path, object, site);
        self.world.fact(path, made);
        let known = self.world.size_of(path, object);
        let exact = self.world.terms.eq(known, size);
        self.world.fact(path, exact);
        let mut memory = path.memory.clone();
        self.world.fill(&mut memory, object, site.zeroed);
        let t = &mut self.world.terms;
        let (zero, one, yes) = (t.int(0), t.int(1), t.bool(true));
        memory.owner = t.store(memory.owner, object, self.world.tid);
        memory.alive = t.store(memory.alive, object, yes);
        memory.next = t.add(&[object, one]);
        path.memory = memory;
        path.looked = true;
        let pointer = Sym::Pointer { object, offset: zero };
        path.consider(Type::Ptr, pointer);
        pointer
    }

    fn free(
        &mut self,
        path: &mut Path,
        id: EdgeId,
        addr: &Expr,
        storage: Storage,
        span: Span,
    ) -> Result<(), Rejected> {
        let pointer = self.expr(path, addr, span)?;
        path.consider(Type::Ptr, pointer);
        let (object, offset) = parts(pointer);
        self.frees(path, id, object);
        if storage == Storage::Heap {
            let memory = path.memory.clone();
            let (lives, made) =
                (self.world.lives(&memory, object), self.world.made_on(object, storage));
            let t = &mut self.world.terms;
            let zero = t.int(0);
            let (none, start) = (t.eq(object, zero), t.eq(offset, zero));
            let good = t.and(&[lives, made]);
            let either = t.or(&[none, good]);
            let good = t.and(&[start, either]);
            self.show(path, "what is freed is an object that is there, or null", span, good)?;
        }
        let no = self.world.terms.bool(false);
        path.memory.alive = self.world.terms.store(path.memory.alive, object, no);
        path.looked = true;
        Ok(())
    }

    /// What the whole program says about which objects are freed here.
    fn frees(&mut self, path: &mut Path, id: EdgeId, object: Term) {
        let subject = self.world.subject;
        let Some(node) = subject.points_to.freed(self.id, id) else { return };
        let origins = subject.points_to.origins(node);
        if !subject.is_known(self.id) || origins.is_empty() {
            return;
        }
        let mut any = Vec::new();
        for &origin in origins {
            any.push(self.comes_from(path, object, origin));
        }
        let memory = path.memory.clone();
        let there = self.world.is_object(&memory, object);
        any.push(self.world.terms.not(there));
        let fact = self.world.terms.or(&any);
        self.world.fact(path, fact);
    }
}
