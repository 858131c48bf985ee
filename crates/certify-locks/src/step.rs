//! What one action makes of what is known, and what it asks of everybody else.
//!
//! A thread *owns* a scalar while nobody else can change it: memory that only this thread accesses,
//! all memory while it is the only thread, and a guarded scalar while it holds the guard. Of owned
//! scalars the state keeps what was last written. When a scalar is given up (the guard is unlocked, a
//! thread is started), its value must be one of those that the scalar is claimed to hold always.

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_ir::{
    Action, Callee, Check, Edge, EdgeId, Expr, LocationId, Mode, Place, ProcId, Procedure, Program,
    Property, Span, Storage, Type,
};
use serde::{Deserialize, Serialize};

use crate::eval::{Eval, Why, assume, cast};
use crate::range::Range;
use crate::state::{Beside, Lock, State};
use crate::subject::{Cell, Spot, Subject};
use crate::value::{Base, Pointer, Site, Thread, Value};

/// What holds of the program as a whole. Whoever checks a proof compares with what is claimed;
/// whoever looks for one takes note.
pub trait Claims {
    /// Whether the lock does exclude: nobody writes to it but by locking it, and by unlocking it while
    /// holding it, unless no other thread exists.
    fn is_lock(&mut self, lock: Lock) -> bool;
    /// The locks in some memory.
    fn locks_in(&self, base: Base) -> Vec<Lock>;
    /// Who alone accesses this memory.
    fn owner(&self, base: Base) -> Option<Owner>;
    /// The lock that every thread holds that accesses this scalar, unless it is the only thread.
    fn guard(&self, cell: Cell) -> Option<Lock>;
    /// What the scalar holds whenever nobody owns it.
    fn content(&self, cell: Cell) -> Value;

    /// The scalar can hold this value while nobody owns it.
    fn publish(&mut self, cell: Cell, value: &Value) -> Result<(), Why>;
    /// A thread starts in the procedure with these arguments.
    fn enter(&mut self, procedure: ProcId, arguments: &[Value]) -> Result<(), Why>;
    /// Something is done to the lock that locks must not suffer.
    fn misuse(&mut self, lock: Lock) -> Result<(), Why>;
    /// The address of this memory is kept where other threads may find it.
    fn tell(&mut self, base: Base) -> Result<(), Why>;
    /// An access that others may race with.
    fn access(&mut self, access: Access) -> Result<(), Why>;
    /// The scalar is written while it is owned.
    fn keep(&mut self, _cell: Cell) {}
}

/// Who alone accesses some memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// The only thread that runs this procedure.
    One(ProcId),
    /// Each thread accesses what it made itself, or what it has as a thread: nobody else knows the
    /// address.
    Each,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub procedure: ProcId,
    pub cell: Cell,
    /// The bytes that it can begin with.
    pub at: Range,
    pub write: bool,
    pub plain: bool,
    pub held: Arc<BTreeSet<Lock>>,
    /// Of the first thread.
    pub beside: Arc<BTreeSet<Beside>>,
    pub span: Span,
}

/// Where it stands in the source, and why it is not followed.
pub type Stuck = (Why, Span);

/// A thread that is about to take an edge.
struct Step<'a, C> {
    subject: &'a Subject,
    properties: &'a [Property],
    claims: &'a mut C,
    site: Site,
    state: State,
}

/// What an edge leads to; nothing where it cannot be taken or ends the thread.
pub fn step<C: Claims>(
    subject: &Subject,
    properties: &[Property],
    claims: &mut C,
    site: Site,
    state: State,
) -> Result<Option<State>, Stuck> {
    let edge = subject.program.procedures[site.procedure].edge(site.edge);
    let mut step = Step { subject, properties, claims, site, state };
    match step.act(edge) {
        Ok(true) => Ok(Some(step.state)),
        Ok(false) => Ok(None),
        Err(why) => Err((why, edge.span)),
    }
}

impl<C: Claims> Step<'_, C> {
    fn program(&self) -> &Program {
        &self.subject.program
    }

    fn procedure(&self) -> &Procedure {
        &self.program().procedures[self.site.procedure]
    }

    fn value(&self, expr: &Expr) -> Result<Value, Why> {
        let (program, procedure) = (self.program(), self.procedure());
        Eval { program, procedure, locals: &self.state.locals }.value(expr)
    }

    fn ty(&self, expr: &Expr) -> Type {
        expr.ty(self.program(), self.procedure())
    }

    /// Whether the edge leads on.
    fn act(&mut self, edge: &Edge) -> Result<bool, Why> {
        match &edge.action {
            Action::Skip | Action::Fence(_) => {}
            Action::Assume(condition) | Action::Wait(condition) => {
                if !self.assume(condition)? {
                    return Ok(false);
                }
            }
            Action::Assert { cond, check } => self.assert(cond, check)?,
            Action::Assign { to, value } => {
                let value = self.value(value)?;
                self.state.set(*to, value);
            }
            Action::Havoc { to } => {
                let ty = self.procedure().locals[*to].ty;
                self.state.set(*to, Value::input(ty));
            }
            Action::Load { to, from, mode } => {
                let value = self.load(from, *mode, edge.span)?;
                self.state.set(*to, value);
            }
            Action::Store { to, value, mode } => {
                let value = self.value(value)?;
                self.overwrite_locks(to)?;
                self.store(to, &value, *mode, edge.span)?;
            }
            Action::Lock { lock } => self.lock(lock, edge.span)?,
            Action::Unlock { lock } => self.unlock(lock, edge.span)?,
            Action::Alloc { to, .. } => {
                self.alloc()?;
                self.state.set(*to, Value::address(Base::Made(self.site), 0));
            }
            Action::Free { addr, storage } => self.free(addr, *storage)?,
            Action::Spawn { to, entry: Callee::Direct(target), args } => {
                self.spawn(*target, args)?;
                self.state.set(*to, Value::started(self.site));
            }
            Action::Join { thread, to } => {
                let thread = self.value(thread)?;
                self.join(&thread)?;
                if let Some(to) = to {
                    self.state.set(*to, Value::Any);
                }
            }
            Action::EndThread { value } => {
                if let Some(value) = value {
                    let value = self.value(value)?;
                    self.tell(&value)?;
                }
                return Ok(false);
            }
            Action::Halt => return Ok(false),
            Action::Spawn { .. } => return Err("a thread started through a pointer".into()),
            Action::Call { .. } => return Err("a call that is not inlined".into()),
            Action::Ghost(_) => return Err("what an annotation says".into()),
            Action::Unsupported { what } => return Err(format!("unsupported: {what}")),
        }
        if edge.target == self.procedure().exit {
            self.end()?;
        }
        Ok(true)
    }

    /// The result is for whoever joins the thread.
    fn end(&mut self) -> Result<(), Why> {
        match self.procedure().result {
            Some(result) => {
                let value = self.value(&Expr::Local(result))?;
                self.tell(&value)
            }
            None => Ok(()),
        }
    }

    fn assume(&mut self, condition: &Expr) -> Result<bool, Why> {
        let procedure = &self.subject.program.procedures[self.site.procedure];
        assume(&self.subject.program, procedure, &mut self.state.locals, condition, true)
    }

    fn assert(&mut self, condition: &Expr, check: &Check) -> Result<(), Why> {
        if !check.is_asked(self.properties) {
            return Ok(());
        }
        let (program, procedure) = (self.program(), self.procedure());
        let eval = Eval { program, procedure, locals: &self.state.locals };
        match eval.truth(condition)?.only() {
            Some(1) => Ok(()),
            _ => Err(format!("{check} is not excluded")),
        }
    }

    /// Whether no other thread exists.
    fn is_alone(&self) -> bool {
        self.subject.first == Some(self.site.procedure) && self.state.beside.is_empty()
    }

    fn owns(&self, cell: Cell) -> bool {
        owns(self.subject, self.claims, self.site.procedure, &self.state, cell)
    }

    /// The scalars that a place can be; each is accessed.
    fn spots(
        &mut self,
        place: &Place,
        (write, plain): (bool, bool),
        span: Span,
    ) -> Result<Vec<(Spot, Range)>, Why> {
        let Value::Pointer(Pointer { null: false, code: false, to }) = self.value(&place.addr)?
        else {
            return Err("an address that may be no object's".into());
        };
        let mut found = Vec::new();
        for (base, at) in to {
            let spot = self.subject.spot(base, at, place.ty);
            let spot =
                spot.ok_or("an access that may lie outside of its object, or cross scalars")?;
            self.claims.access(Access {
                procedure: self.site.procedure,
                cell: spot.cell,
                at,
                write,
                plain,
                held: self.state.held.clone(),
                beside: self.state.beside.clone(),
                span,
            })?;
            self.may_access(spot)?;
            found.push((spot, at));
        }
        Ok(found)
    }

    fn may_access(&self, spot: Spot) -> Result<(), Why> {
        let base = spot.cell.0;
        if self.state.dead.contains(&base) {
            return Err("memory that may be freed".into());
        }
        match self.claims.owner(base) {
            Some(Owner::One(owner)) if owner != self.site.procedure => {
                return Err("memory of another thread's own".into());
            }
            _ => {}
        }
        match self.claims.guard(spot.cell) {
            Some(_) if !self.owns(spot.cell) => Err("memory whose guard is not held".into()),
            _ => Ok(()),
        }
    }

    /// A lock that is held holds the thread.
    fn read(&self, spot: Spot, at: Range) -> Value {
        let offset = at.only().and_then(|offset| u64::try_from(offset).ok());
        if offset.is_some_and(|offset| self.state.held.contains(&(spot.cell.0, offset))) {
            return Value::OWN_THREAD;
        }
        match self.state.view.get(&spot.cell) {
            Some(value) => value.clone(),
            None => self.claims.content(spot.cell),
        }
    }

    fn load(&mut self, from: &Place, mode: Mode, span: Span) -> Result<Value, Why> {
        let spots = self.spots(from, (false, mode == Mode::Plain), span)?;
        let values = spots.iter().map(|(spot, at)| self.read(*spot, *at));
        Ok(values.reduce(|a, b| a.join(&b)).unwrap_or(Value::Any))
    }

    fn store(&mut self, to: &Place, value: &Value, mode: Mode, span: Span) -> Result<(), Why> {
        self.tell(value)?;
        let spots = self.spots(to, (true, mode == Mode::Plain), span)?;
        self.write(&spots, value)
    }

    fn write(&mut self, spots: &[(Spot, Range)], value: &Value) -> Result<(), Why> {
        let value = &value.shared();
        for (spot, at) in spots {
            let certain = spots.len() == 1 && !spot.many;
            match self.owns(spot.cell) && !spot.many {
                true => {
                    let old = (!certain).then(|| self.read(*spot, *at).shared());
                    let new = old.map_or_else(|| value.clone(), |old| old.join(value));
                    self.state.view.insert(spot.cell, new);
                    self.claims.keep(spot.cell);
                }
                false => self.claims.publish(spot.cell, value)?,
            }
        }
        Ok(())
    }

    /// A pointer becomes known to others.
    fn tell(&mut self, value: &Value) -> Result<(), Why> {
        value.bases().try_for_each(|base| self.claims.tell(base))
    }

    /// Locks that a place can be.
    fn locks_at(&self, place: &Place) -> Result<Vec<Lock>, Why> {
        let Value::Pointer(pointer) = self.value(&place.addr)? else {
            return Err("an address that is not followed".into());
        };
        let among = |(base, at): &(Base, Range)| {
            let locks = self.claims.locks_in(*base).into_iter();
            let at = *at;
            locks.filter(move |(_, offset)| at.contains(i128::from(*offset))).collect::<Vec<_>>()
        };
        Ok(pointer.to.iter().flat_map(among).collect())
    }

    /// A store into a lock frees it, which is well where no other thread exists.
    fn overwrite_locks(&mut self, to: &Place) -> Result<(), Why> {
        for lock in self.locks_at(to)? {
            match self.is_alone() {
                true => {
                    Arc::make_mut(&mut self.state.held).remove(&lock);
                }
                false => self.claims.misuse(lock)?,
            }
        }
        Ok(())
    }

    /// The lock that a place is, if it is certain which.
    fn lock_at(&self, place: &Place) -> Result<Option<Lock>, Why> {
        let Value::Pointer(Pointer { to, .. }) = self.value(&place.addr)? else { return Ok(None) };
        let [(base, at)] = to[..] else { return Ok(None) };
        let offset = at.only().and_then(|offset| u64::try_from(offset).ok());
        Ok(offset.map(|offset| (base, offset)).filter(|(base, _)| self.subject.is_one(*base)))
    }

    fn initialised(&self, spots: &[(Spot, Range)]) -> Result<(), Why> {
        let known = |(spot, at): &(Spot, Range)| matches!(self.read(*spot, *at), Value::Thread(_));
        match spots.iter().all(known) {
            true => Ok(()),
            false => Err("a lock that may not be initialised".into()),
        }
    }

    fn lock(&mut self, place: &Place, span: Span) -> Result<(), Why> {
        let spots = self.spots(place, (true, false), span)?;
        self.initialised(&spots)?;
        self.write(&spots, &Value::SOME_THREAD)?;
        if let Some(lock) = self.lock_at(place)?
            && self.claims.is_lock(lock)
        {
            Arc::make_mut(&mut self.state.held).insert(lock);
        }
        Ok(())
    }

    fn unlock(&mut self, place: &Place, span: Span) -> Result<(), Why> {
        let spots = self.spots(place, (true, false), span)?;
        self.initialised(&spots)?;
        let certain = self.lock_at(place)?;
        for lock in self.locks_at(place)? {
            match certain == Some(lock) && self.state.held.contains(&lock) {
                true => {
                    Arc::make_mut(&mut self.state.held).remove(&lock);
                }
                false => self.claims.misuse(lock)?,
            }
        }
        self.write(&spots, &Value::NO_THREAD)?;
        self.give_up()
    }

    /// What is no longer owned holds what is claimed of it.
    fn give_up(&mut self) -> Result<(), Why> {
        let view = std::mem::take(&mut self.state.view);
        for (cell, value) in view {
            match self.owns(cell) {
                true => {
                    self.state.view.insert(cell, value);
                }
                false => self.claims.publish(cell, &value)?,
            }
        }
        Ok(())
    }

    fn alloc(&mut self) -> Result<(), Why> {
        let base = Base::Made(self.site);
        if self.claims.owner(base) == Some(Owner::Each) {
            // From here on the address leads to the new object; those of an older one are lost.
            self.state.locals.retain(|_, value| value.bases().all(|known| known != base));
        }
        self.state.dead.remove(&base);
        self.state.view.retain(|(known, _), _| *known != base);
        for (cell, many) in self.subject.cells(base).unwrap_or_default() {
            let value = self.subject.initial(cell);
            match self.owns(cell) && !many {
                true => {
                    self.state.view.insert(cell, value);
                }
                false => self.claims.publish(cell, &value)?,
            }
        }
        Ok(())
    }

    fn free(&mut self, addr: &Expr, storage: Storage) -> Result<(), Why> {
        let Value::Pointer(Pointer { code: false, to, .. }) = self.value(addr)? else {
            return Err("the end of what may be no object".into());
        };
        for (base, at) in to {
            let Base::Made(site) = base else {
                return Err("the end of what was not allocated".into());
            };
            let same = self.subject.made.get(&site).is_some_and(|made| made.storage == storage);
            let own = self.claims.owner(base).is_some();
            if !same || !own || at.only() != Some(0) || !self.state.dead.insert(base) {
                return Err("the end of memory that others may use, or a second end".into());
            }
            self.state.view.retain(|(known, _), _| *known != base);
        }
        Ok(())
    }

    fn spawn(&mut self, target: ProcId, args: &[Expr]) -> Result<(), Why> {
        let params = &self.program().procedures[target].params;
        if args.len() < params.len() {
            return Err("a thread started with too few arguments".into());
        }
        let wanted = params.iter().map(|p| self.program().procedures[target].locals[*p].ty);
        let mut values = Vec::new();
        for (arg, to) in args.iter().zip(wanted) {
            values.push(cast(self.value(arg)?.shared(), self.ty(arg), to));
        }
        for value in &values {
            self.tell(value)?;
        }
        self.claims.enter(target, &values)?;
        if self.subject.first == Some(self.site.procedure) {
            let beside = Arc::make_mut(&mut self.state.beside);
            beside.insert(Beside::Started(self.site));
            if self.subject.descendants.get(&target).is_some_and(|all| !all.is_empty()) {
                beside.insert(Beside::Descendants(self.site));
            }
            self.give_up()?;
        }
        Ok(())
    }

    fn join(&mut self, thread: &Value) -> Result<(), Why> {
        let Value::Thread(Thread { none: false, own: false, some, started }) = thread else {
            return Err("the join of what may be no thread".into());
        };
        let first = self.subject.first == Some(self.site.procedure);
        if let ([site], false, true) = (&started[..], *some, first)
            && self.subject.spawns.get(site).is_some_and(|(_, again)| !again)
        {
            Arc::make_mut(&mut self.state.beside).remove(&Beside::Started(*site));
        }
        Ok(())
    }
}

/// Whether nobody else can change a scalar while a thread of the procedure is in the state.
pub fn owns<C: Claims>(
    subject: &Subject,
    claims: &C,
    procedure: ProcId,
    state: &State,
    cell: Cell,
) -> bool {
    let alone = || subject.first == Some(procedure) && state.beside.is_empty();
    let guarded = || claims.guard(cell).is_some_and(|guard| state.held.contains(&guard));
    match claims.owner(cell.0) {
        Some(Owner::Each) => true,
        Some(Owner::One(owner)) => owner == procedure,
        None => subject.is_one(cell.0) && (alone() || guarded()),
    }
}

/// The edges that leave a location.
pub fn edges(procedure: &Procedure, from: LocationId) -> impl Iterator<Item = EdgeId> {
    (0..procedure.locations[from].edges.len() as u32).map(move |index| EdgeId { from, index })
}
