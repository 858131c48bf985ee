//! What each action does to the symbolic state, and what it must not do.

use selvedge_ir::{
    Action, Callee, CheckKind, Edge, EdgeId, Expr, Place, Property, Span, Storage, Type,
};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::translate::{Need, Sym};
use selvedge_smt::{Sort, Term};
use selvedge_verdict::Stop;

use crate::checker::{Checker, of_clause};
use crate::memory::parts;
use crate::report::Kind;
use crate::shown::Shown;
use crate::state::{State, Write};
use crate::world::View;

impl<'a> Checker<'a> {
    /// The state behind an action; none where nothing follows it.
    pub fn act(
        &mut self,
        mut state: State,
        id: EdgeId,
        edge: &'a Edge,
    ) -> Result<Option<State>, Stop> {
        let span = edge.span;
        match &edge.action {
            Action::Skip | Action::Fence(_) => {}
            Action::Ghost(ghost) => self.ghost_action(&mut state, ghost, span)?,
            Action::Assume(condition) | Action::Wait(condition) => {
                let holds = self.expr(&mut state, condition, span)?.scalar();
                state.guard = self.world.terms.and(&[state.guard, holds]);
            }
            Action::Assert { cond, check } => {
                if check.property != Property::Invariant && check.is_asked(self.task.properties) {
                    let holds = self.expr(&mut state, cond, span)?.scalar();
                    let kind = match &check.kind {
                        CheckKind::Undefined(what) => Kind::Defined(what.clone()),
                        _ => Kind::Assertion(check.to_string()),
                    };
                    let shown = Shown::state(&state);
                    self.oblige(kind, span, None, state.guard, holds, shown)?;
                    state.guard = self.world.terms.and(&[state.guard, holds]);
                }
            }
            Action::Assign { to, value } => {
                let value = self.expr(&mut state, value, span)?;
                state.locals.insert(*to, value);
            }
            Action::Havoc { to } => {
                state.locals.remove(to);
                self.local(&mut state, *to);
            }
            Action::Load { to, from, .. } => {
                let at = self.access(&mut state, id, from, span)?;
                let value = self.world.read(&state.memory, from.ty, at);
                // Whoever stored it has passed it on.
                self.is_public(&state, value);
                self.is_tame(&state, value);
                state.locals.insert(*to, value);
            }
            Action::Store { to, value, .. } => {
                let value = self.expr(&mut state, value, span)?;
                let at = self.access(&mut state, id, to, span)?;
                self.pass_on(&mut state, value, span)?;
                self.write(&mut state, id, to, at, value);
            }
            Action::Lock { lock } => {
                let at = self.access(&mut state, id, lock, span)?;
                let holder = self.world.read(&state.memory, lock.ty, at).scalar();
                let nobody = self.world.terms.int(0);
                let free = self.world.terms.eq(holder, nobody);
                state.guard = self.world.terms.and(&[state.guard, free]);
                self.write(&mut state, id, lock, at, Sym::Scalar(self.world.tid));
            }
            Action::Unlock { lock } => {
                let at = self.access(&mut state, id, lock, span)?;
                let nobody = self.world.terms.int(0);
                self.write(&mut state, id, lock, at, Sym::Scalar(nobody));
            }
            Action::Alloc { .. } | Action::Free { .. } => self.object(&mut state, id, edge)?,
            Action::Spawn { .. } => self.spawn(&mut state, edge)?,
            Action::Join { thread, to } => {
                let thread = self.expr(&mut state, thread, span)?.scalar();
                let nobody = self.world.terms.int(0);
                let some = self.world.terms.ne(thread, nobody);
                let kind = Kind::Defined("what is joined may be no thread".to_owned());
                let shown = Shown::state(&state);
                self.oblige(kind, span, None, state.guard, some, shown)?;
                if let Some(to) = to {
                    state.locals.remove(to);
                    let value = self.local(&mut state, *to);
                    self.is_tame(&state, value);
                }
            }
            Action::Call { to, callee: Callee::Direct(callee), args } => {
                let args = self.arguments(&mut state, args, span)?;
                self.call(&mut state, *callee, args, *to, span)?;
            }
            Action::Call { callee: Callee::Indirect(_), .. } => {
                let what = "a call through a pointer that may be any procedure".to_owned();
                return Err(Stop::Unsupported { what, span });
            }
            Action::EndThread { value } => {
                if let Some(value) = value {
                    let value = self.expr(&mut state, value, span)?;
                    self.pass_on(&mut state, value, span)?;
                }
                self.end_step(&mut state, span)?;
                return Ok(None);
            }
            Action::Halt => return Ok(None),
            Action::Unsupported { what } => {
                let never = self.world.terms.bool(false);
                let kind = Kind::Supported(what.clone());
                let shown = Shown::state(&state);
                self.oblige(kind, span, None, state.guard, never, shown)?;
                return Ok(None);
            }
        }
        Ok(Some(state))
    }

    /// A pointer goes where others may find it: they know its object from now on, and rely on it to be
    /// null if it leads into none.
    pub fn pass_on(&mut self, state: &mut State, value: Sym, span: Span) -> Result<(), Stop> {
        if let Sym::Pointer { .. } = value {
            let tame = self.tame(value);
            if tame != self.world.terms.bool(true) {
                let kind = Kind::Defined("a pointer into no object is passed on".to_owned());
                let shown = Shown::state(state);
                self.oblige(kind, span, None, state.guard, tame, shown)?;
                state.guard = self.world.terms.and(&[state.guard, tame]);
            }
            self.publish(state, value);
        }
        Ok(())
    }

    /// A pointer that came from elsewhere is null if it leads into no object.
    pub fn is_tame(&mut self, state: &State, value: Sym) {
        if let Sym::Pointer { .. } = value {
            let tame = self.tame(value);
            self.world.fact_where(state.guard, tame);
        }
    }

    pub fn tame(&mut self, value: Sym) -> Term {
        let (object, offset) = parts(value);
        let t = &mut self.world.terms;
        let zero = t.int(0);
        let (none, start) = (t.eq(object, zero), t.eq(offset, zero));
        t.implies(none, start)
    }

    fn arguments(
        &mut self,
        state: &mut State,
        args: &[Expr],
        span: Span,
    ) -> Result<Vec<Sym>, Stop> {
        args.iter().map(|arg| self.expr(state, arg, span)).collect()
    }

    /// The value of an expression, with what it needs to have one.
    pub fn expr(&mut self, state: &mut State, expr: &Expr, span: Span) -> Result<Sym, Stop> {
        for local in expr.locals() {
            self.local(state, local);
        }
        let locals = &state.locals;
        let tid = self.world.tid;
        let translated = self.world.translate(self.body, expr, &|local| locals[&local], tid);
        for need in translated.obligations {
            let kind = match need.kind {
                Need::Divisor => Kind::Defined("the divisor may be zero".to_owned()),
                Need::SameObject => {
                    Kind::Defined("pointers into different objects are compared".to_owned())
                }
                Need::Known | Need::NoWrap => Kind::Known,
            };
            let shown = Shown::state(state);
            self.oblige(kind, span, None, state.guard, need.holds, shown)?;
            state.guard = self.world.terms.and(&[state.guard, need.holds]);
        }
        Ok(translated.value)
    }

    /// The address of an access, which must lead into an object that is there.
    fn access(
        &mut self,
        state: &mut State,
        id: EdgeId,
        place: &Place,
        span: Span,
    ) -> Result<Sym, Stop> {
        let at = self.expr(state, &place.addr, span)?;
        state.looked = true;
        for local in place.addr.locals() {
            let value = self.local(state, local);
            self.world.consider(self.body.locals[local].ty, value);
        }
        for part in place.addr.parts_of_address() {
            let value = self.plain(state, part);
            self.world.consider(part.ty(&self.subject.program, self.body), value);
        }
        if let Some((object, _)) = place.direct() {
            self.world.consider_named(object);
        }
        self.world.consider(Type::Ptr, at);
        self.world.consider_cell(place.ty, at);
        if !self.is_surely_inside(place) {
            self.located(state, id, at);
            let inside = self.is_inside(state, id, place.ty, at);
            let what = "an access to null, to a freed object or out of bounds".to_owned();
            let shown = Shown::state(state);
            self.oblige(Kind::Access(what), span, None, state.guard, inside, shown)?;
            state.guard = self.world.terms.and(&[state.guard, inside]);
        }
        Ok(at)
    }

    fn is_surely_inside(&self, place: &Place) -> bool {
        let program = &self.subject.program;
        let Some((object, offset)) = place.direct() else { return false };
        let size = program.layouts[program.objects[object].layout].size;
        u64::try_from(offset).is_ok_and(|offset| offset + place.ty.size(program.model) <= size)
    }

    fn is_inside(&mut self, state: &State, id: EdgeId, ty: Type, at: Sym) -> Term {
        let (object, offset) = parts(at);
        let may_be_freed = match self.subject.points_to.access(self.id, id) {
            Some(cell) => self.subject.freed.contains(&cell.node),
            None => true,
        };
        let there = match may_be_freed || !self.subject.reached.contains(self.id) {
            true => self.world.lives(&state.memory, object),
            false => self.is_object(state, object),
        };
        let size = self.world.size_of(object);
        let bytes = self.world.terms.int(ty.size(self.subject.program.model));
        let t = &mut self.world.terms;
        let zero = t.int(0);
        let end = t.add(&[offset, bytes]);
        let inside = [there, t.le(zero, offset), t.le(end, size)];
        t.and(&inside)
    }

    /// A global or an object that was made: not null, and no procedure.
    fn is_object(&mut self, state: &State, object: Term) -> Term {
        let globals = self.world.terms.int(self.subject.program.objects.len() as u32);
        let first = self.world.terms.int(self.world.objects.first_free());
        let t = &mut self.world.terms;
        let one = t.int(1);
        let global = [t.le(one, object), t.le(object, globals)];
        let made = [t.le(first, object), t.lt(object, state.memory.next)];
        let (global, made) = (t.and(&global), t.and(&made));
        t.or(&[global, made])
    }

    /// What the whole program says about where a pointer can lead, if it leads anywhere.
    fn located(&mut self, state: &State, id: EdgeId, at: Sym) {
        if !self.subject.reached.contains(self.id) {
            return;
        }
        let Some(cell) = self.subject.points_to.access(self.id, id) else { return };
        let extents = self.subject.points_to.extents(cell);
        let (object, offset) = parts(at);
        let mut any = Vec::new();
        for extent in &extents {
            let from = match extent.origin {
                Origin::Object(global) => {
                    let number = match self.world.instance_of(global, self.world.tid) {
                        Some(_) => return,
                        None => self.world.terms.int(self.world.objects.object(global)),
                    };
                    self.world.terms.eq(object, number)
                }
                Origin::Alloc(procedure, edge) => {
                    let site = self.subject.sites[&(procedure, edge)];
                    self.made_at(object, site.number, site.size)
                }
            };
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
        if any.is_empty() {
            return;
        }
        let nothing = self.world.terms.int(0);
        any.push(match self.subject.points_to.may_be_procedure(self.id, id) {
            true => {
                let object = self.is_object(state, object);
                self.world.terms.not(object)
            }
            false => self.world.terms.eq(object, nothing),
        });
        let fact = self.world.terms.or(&any);
        self.world.fact_where(state.guard, fact);
    }

    /// That an object was made at a site, and what follows from it.
    fn made_at(&mut self, object: Term, site: u32, size: Option<u64>) -> Term {
        let first = self.world.terms.int(self.world.objects.first_free());
        let bytes = size.map(|size| self.world.terms.int(size));
        let sizes = self.world.size_of(object);
        let t = &mut self.world.terms;
        let number = t.int(site);
        let of = t.select(self.world.sites, object);
        let mut parts = vec![t.eq(of, number), t.le(first, object)];
        parts.extend(bytes.map(|bytes| t.eq(sizes, bytes)));
        t.and(&parts)
    }

    fn write(&mut self, state: &mut State, id: EdgeId, place: &Place, at: Sym, value: Sym) {
        state.memory.store(&mut self.world.terms, place.ty, at, value);
        let condition = self.world.terms.bool(true);
        let (kept, place, edge) = (place.ty.into(), Some(place.clone()), Some(id));
        state.writes.push(Write { kept, at, condition, place, edge });
    }

    /// Making and freeing objects.
    fn object(&mut self, state: &mut State, id: EdgeId, edge: &Edge) -> Result<(), Stop> {
        match &edge.action {
            Action::Alloc { to, size, zeroed, .. } => {
                let size = self.expr(state, size, edge.span)?.scalar();
                let site = self.subject.sites[&(self.id, id)];
                let object = state.memory.next;
                let made = self.made_at(object, site.number, site.size);
                self.world.fact_where(state.guard, made);
                let known = self.world.size_of(object);
                let t = &mut self.world.terms;
                let exact = t.eq(known, size);
                let (one, yes) = (t.int(1), t.bool(true));
                state.memory.owner = t.store(state.memory.owner, object, self.world.tid);
                state.memory.alive = t.store(state.memory.alive, object, yes);
                state.memory.next = t.add(&[object, one]);
                if *zeroed {
                    state.memory.clear(t, object);
                }
                state.memory.begin_ghosts(t, &self.subject.program, object);
                let zero = t.int(0);
                self.world.fact_where(state.guard, exact);
                let pointer = Sym::Pointer { object, offset: zero };
                self.world.consider(Type::Ptr, pointer);
                self.world.own.insert(object);
                state.locals.insert(*to, pointer);
                state.looked = true;
            }
            Action::Free { addr, storage } => {
                let pointer = self.expr(state, addr, edge.span)?;
                self.world.consider(Type::Ptr, pointer);
                let (object, offset) = parts(pointer);
                self.comes_from(state, id, object);
                let lives = self.world.lives(&state.memory, object);
                let made = self.is_made_on(object, *storage);
                let t = &mut self.world.terms;
                let lives = t.and(&[lives, made]);
                let zero = t.int(0);
                let (none, start) = (t.eq(object, zero), t.eq(offset, zero));
                let null = t.and(&[none, start]);
                let good = t.and(&[lives, start]);
                let good = t.or(&[null, good]);
                let no = t.bool(false);
                let alive = t.store(state.memory.alive, object, no);
                if *storage == Storage::Heap {
                    let what = "what is freed may be no object that is there".to_owned();
                    let shown = Shown::state(state);
                    self.oblige(Kind::Access(what), edge.span, None, state.guard, good, shown)?;
                }
                state.memory.alive = alive;
                state.looked = true;
                state.dirty = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether an object was made by an action of this kind.
    fn is_made_on(&mut self, object: Term, storage: Storage) -> Term {
        let (low, high) = self.subject.sites_on(storage);
        let of = self.world.terms.select(self.world.sites, object);
        let first = self.world.terms.int(self.world.objects.first_free());
        let allocated = self.world.terms.le(first, object);
        let (low, high) = (self.world.terms.int(low), self.world.terms.int(high));
        let among = [self.world.terms.le(low, of), self.world.terms.lt(of, high), allocated];
        self.world.terms.and(&among)
    }

    /// What the whole program says about which objects are freed here.
    fn comes_from(&mut self, state: &State, id: EdgeId, object: Term) {
        if !self.subject.reached.contains(self.id) {
            return;
        }
        let Some(node) = self.subject.points_to.freed(self.id, id) else { return };
        let mut any = Vec::new();
        for origin in self.subject.points_to.origins(node) {
            any.push(match *origin {
                Origin::Object(_) => return,
                Origin::Alloc(procedure, edge) => {
                    let site = self.subject.sites[&(procedure, edge)];
                    self.made_at(object, site.number, site.size)
                }
            });
        }
        if !any.is_empty() {
            let there = self.is_object(state, object);
            any.push(self.world.terms.not(there));
            let fact = self.world.terms.or(&any);
            self.world.fact_where(state.guard, fact);
        }
    }

    /// A new thread: what its procedure requires must hold when it can first run, which is when this
    /// step ends; so it ends here.
    fn spawn(&mut self, state: &mut State, edge: &Edge) -> Result<(), Stop> {
        let Action::Spawn { to, entry: Callee::Direct(entry), args } = &edge.action else {
            let what = "a thread started through a pointer that may be any procedure".to_owned();
            return Err(Stop::Unsupported { what, span: edge.span });
        };
        let values = self.arguments(state, args, edge.span)?;
        for &value in &values {
            self.pass_on(state, value, edge.span)?;
        }
        let thread = self.world.terms.fresh("thread", Sort::Int);
        self.is_new_thread(state, thread, entry.as_u32());
        self.end_step(state, edge.span)?;
        state.stale = true;
        if let Some(contract) = self.subject.contract_of(*entry) {
            let name = self.subject.program.procedures[*entry].name.clone();
            for clause in &contract.requires {
                let view = View {
                    before: state.memory.clone(),
                    after: state.memory.clone(),
                    tid: thread,
                    params: values.clone(),
                    result: None,
                    values: Vec::new(),
                };
                self.is_in_no_set(state, &clause.formula, &view, thread);
                let goal = self.world.goal(&clause.formula, &view);
                let shown = Shown::clause(state, &clause.formula, &view);
                let (kind, annotation) = (Kind::Starts(name.clone()), Some(of_clause(clause)));
                self.oblige(kind, edge.span, annotation, state.guard, goal, shown)?;
            }
        }
        state.locals.insert(*to, Sym::Scalar(thread));
        Ok(())
    }

    fn is_new_thread(&mut self, state: &State, thread: Term, entry: u32) {
        let (tid, main) = (self.world.tid, self.world.main);
        let t = &mut self.world.terms;
        let (one, number) = (t.int(1), t.int(entry));
        let started = t.select(self.world.started, thread);
        let facts =
            [t.le(one, thread), t.ne(thread, tid), t.ne(thread, main), t.eq(started, number)];
        let fact = t.and(&facts);
        self.world.fact_where(state.guard, fact);
        self.world.consider(Type::Thread, Sym::Scalar(thread));
    }
}
