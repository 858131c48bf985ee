//! What each thread can do: the paths between its cut locations, as terms.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Callee, EdgeId, Expr, Grain, LocalId, LocationId, Mode, ObjectId, Place, Procedure,
    Property, RegionId, Span, Type,
};
use selvedge_smt::{Limits, Reason, Term};

use crate::expr::{Fault, Need, Scope};
use crate::flow::{Flow, Named};
use crate::memory::{CellId, Known};
use crate::space::{At, Key, Slot, Space};
use crate::threads::ThreadId;
use crate::word::Val;

/// More steps of one thread are not looked at.
const STEPS: usize = 20_000;

/// What a thread does between two cut locations. Terms are over the shared variables, the first
/// copy of the thread's variables, and the inputs.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: ThreadId,
    pub from: At,
    pub to: At,
    pub guard: Term,
    /// Any values, as far as the guard allows.
    pub inputs: Vec<Term>,
    /// New values of shared variables, by position; all others stay as they are.
    pub shared: FxHashMap<usize, Val>,
    /// The thread's variables where it arrives.
    pub own: FxHashMap<Key, Val>,
    pub starts: Vec<Start>,
    pub joins: Vec<Join>,
    pub span: Span,
}

/// A thread that a step starts.
#[derive(Clone, Debug)]
pub struct Start {
    pub thread: ThreadId,
    /// The new thread's number: an input, for a thread of a pool.
    pub tid: Term,
    /// Its variables at the entry.
    pub own: FxHashMap<Key, Val>,
}

/// A thread of a pool that must have ended.
#[derive(Clone, Debug)]
pub struct Join {
    pub thread: ThreadId,
    pub tid: Term,
    /// The input that stands for what it returned.
    pub result: Option<Val>,
}

/// What must not happen.
#[derive(Clone, Debug)]
pub struct Bad {
    pub thread: ThreadId,
    pub from: At,
    pub guard: Term,
    pub inputs: Vec<Term>,
    pub joins: Vec<Join>,
    pub what: String,
    pub span: Span,
}

/// An access that a thread may do next, alone or in the atomic block that begins where it stands.
#[derive(Clone, Debug)]
pub struct Access {
    pub thread: ThreadId,
    pub from: At,
    pub guard: Term,
    pub inputs: Vec<Term>,
    pub region: RegionId,
    /// The object and the offset.
    pub address: Val,
    pub bytes: u64,
    pub write: bool,
    pub plain: bool,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Walked {
    pub steps: Vec<Step>,
    pub bad: Vec<Bad>,
    pub accesses: Vec<Access>,
}

/// A thread on its way.
#[derive(Clone, Debug)]
pub struct Path {
    pub from: At,
    pub at: LocationId,
    pub locals: FxHashMap<LocalId, Val>,
    /// The thread's own memory, and what it has changed of the shared.
    pub cells: FxHashMap<CellId, Val>,
    /// Shared memory that it has not changed, and whose content is known.
    pub known: Known,
    /// What it has changed of the other shared variables.
    pub shared: FxHashMap<usize, Val>,
    pub guard: Vec<Term>,
    pub inputs: Vec<Term>,
    starts: Vec<Start>,
    joins: Vec<Join>,
    /// Still in the first action, or the first atomic block.
    pub first: bool,
    /// The accesses of that, by position among those found.
    pub noted: Vec<usize>,
    span: Span,
}

/// What becomes of a path at an edge.
pub enum Next {
    Goes(Path),
    Ends(Path, Option<Val>),
    /// Blocked for good, gone wrong, or the program is over.
    Stops,
}

/// How an action uses a place.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub write: bool,
    pub mode: Mode,
}

impl Use {
    pub fn read(mode: Mode) -> Use {
        Use { write: false, mode }
    }

    pub fn write(mode: Mode) -> Use {
        Use { write: true, mode }
    }
}

/// All that a thread can do; an error if that is too much.
pub fn walk(
    space: &mut Space<'_>,
    flow: &Flow<'_>,
    properties: &[Property],
    thread: ThreadId,
    limits: &Limits,
) -> Result<Walked, Reason> {
    let procedure = space.procedure(thread);
    let slot = Slot { thread, copy: 1 };
    let tid = space.tid(slot);
    let own = space.own_objects(thread);
    let mut walk = Walk {
        space,
        flow,
        properties,
        thread,
        slot,
        tid,
        own,
        procedure,
        limits,
        found: Walked::default(),
    };
    walk.find_settled()?;
    walk.find_facts()?;
    walk.run()?;
    Ok(walk.found)
}

pub struct Walk<'w, 'a> {
    pub space: &'w mut Space<'a>,
    flow: &'w Flow<'w>,
    pub properties: &'w [Property],
    pub thread: ThreadId,
    slot: Slot,
    pub tid: Term,
    /// The numbers of its instances of variables that each thread has.
    own: FxHashMap<ObjectId, u32>,
    pub procedure: &'a Procedure,
    limits: &'w Limits,
    pub found: Walked,
}

impl Walk<'_, '_> {
    /// Takes note of work done, and says whether it may go on.
    pub fn spend(&self, units: usize) -> Result<(), Reason> {
        self.limits.clock.spend(units as u64);
        self.limits.exceeded().map_or(Ok(()), Err)
    }

    fn run(&mut self) -> Result<(), Reason> {
        let cuts: Vec<LocationId> = self.space.cuts_of(self.thread).iter().collect();
        for cut in cuts.into_iter().filter(|&cut| cut != self.procedure.exit) {
            // Where no constants have come, nobody comes.
            if !self.space.facts.contains_key(&(self.thread, cut)) {
                continue;
            }
            let mut open = vec![self.begin(cut)];
            while let Some(path) = open.pop() {
                // A path is copied at every edge, and its guard made one formula.
                let size = path.locals.len() + path.cells.len() + path.known.len();
                self.spend(5 + size / 8 + path.guard.len() / 2)?;
                for index in 0..self.procedure.locations[path.at].edges.len() {
                    let id = EdgeId { from: path.at, index: index as u32 };
                    for next in self.edge(&path, id) {
                        open.extend(self.arrive(id, next));
                    }
                }
                if self.found.steps.len() + self.found.bad.len() + open.len() > STEPS {
                    let name = &self.space.threads.get(self.thread).name;
                    let what = format!("{name} has too many paths between cut locations");
                    return Err(Reason::Incomplete(what));
                }
            }
        }
        let never = self.space.terms.bool(false);
        self.found.accesses.retain(|access| access.guard != never);
        Ok(())
    }

    pub fn begin(&mut self, cut: LocationId) -> Path {
        let from = At::Cut(cut);
        let mut path = Path {
            from,
            at: cut,
            locals: FxHashMap::default(),
            cells: FxHashMap::default(),
            known: match self.space.first == Some(self.thread) {
                true => self.space.settled.get(&cut).cloned().unwrap_or_default(),
                false => self.space.found.clone(),
            },
            shared: FxHashMap::default(),
            guard: Vec::new(),
            inputs: Vec::new(),
            starts: Vec::new(),
            joins: Vec::new(),
            first: true,
            noted: Vec::new(),
            span: Span::NONE,
        };
        for key in self.space.live(self.thread, from) {
            let value = self.space.value(self.slot, key).expect("a variable of the thread");
            match key {
                Key::Local(local) => drop(path.locals.insert(local, value)),
                Key::Own(cell) => drop(path.cells.insert(cell, value)),
                Key::Tid | Key::Result => {}
            }
        }
        let facts = self.space.facts.get(&(self.thread, cut)).cloned();
        for (key, value) in facts.into_iter().flatten() {
            match key {
                Key::Local(local) => drop(path.locals.insert(local, value)),
                Key::Own(cell) => drop(path.cells.insert(cell, value)),
                Key::Tid | Key::Result => {}
            }
        }
        if let Some(token) = self.space.token {
            let holder = self.space.shared[token].value.one();
            let inside = self.space.is_inside(self.thread, from);
            let nobody = self.space.words.id(&mut self.space.terms, 0);
            let free = self.space.terms.eq(holder, if inside { self.tid } else { nobody });
            path.guard.push(free);
        }
        path
    }

    fn condition(&mut self, path: &Path) -> Term {
        self.space.terms.and(&path.guard)
    }

    /// Takes a path over an edge's end: to a step, or further on.
    fn arrive(&mut self, id: EdgeId, next: Next) -> Option<Path> {
        let edge = self.procedure.edge(id);
        match next {
            Next::Stops => None,
            Next::Ends(mut path, result) => {
                self.complete(&mut path);
                self.end(path, result);
                None
            }
            Next::Goes(path) if self.is_never(&path) => None,
            Next::Goes(mut path) => {
                path.at = edge.target;
                let grain = self.procedure.locations[edge.target].grain;
                let cut = self.space.cuts_of(self.thread).contains(edge.target);
                path.first &= grain == Grain::Atomic;
                if !path.first || cut || edge.target == self.procedure.exit {
                    self.complete(&mut path);
                }
                if edge.target == self.procedure.exit {
                    // The end of the program is the end of all obligations.
                    if !self.space.threads.get(self.thread).main {
                        let result = self.procedure.result.and_then(|l| path.locals.get(&l));
                        let result = result.copied();
                        self.end(path, result);
                    }
                    return None;
                }
                if cut {
                    self.step(path, At::Cut(edge.target), None);
                    return None;
                }
                Some(path)
            }
        }
    }

    /// The first action, or atomic block, can be finished this way, or goes on behind a cut location:
    /// its accesses can happen. A block that cannot be finished does not start.
    fn complete(&mut self, path: &mut Path) {
        if path.noted.is_empty() {
            return;
        }
        // Races are looked for whoever is inside an atomic block.
        let guard = &path.guard[usize::from(self.space.token.is_some())..];
        let guard = self.space.terms.and(guard);
        for index in path.noted.drain(..) {
            let access = &mut self.found.accesses[index];
            access.guard = self.space.terms.or(&[access.guard, guard]);
            let new = path.inputs.iter().filter(|input| !access.inputs.contains(input));
            let new: Vec<Term> = new.copied().collect();
            access.inputs.extend(new);
        }
    }

    pub fn is_never(&mut self, path: &Path) -> bool {
        let condition = self.condition(path);
        condition == self.space.terms.bool(false)
    }

    fn end(&mut self, mut path: Path, result: Option<Val>) {
        let ty = self.space.result_type(self.thread);
        let result = ty.map(|ty| match result {
            Some(value) => value,
            None => self.space.words.zero(&mut self.space.terms, ty),
        });
        if !self.space.threads.get(self.thread).pool {
            let yes = Val::One(self.space.terms.bool(true));
            path.shared.insert(self.space.done[self.thread.index()], yes);
            if let (Some(place), Some(value)) = (self.space.results[self.thread.index()], result) {
                path.shared.insert(place, value);
            }
        }
        self.step(path, At::Ended, result);
    }

    fn step(&mut self, mut path: Path, to: At, result: Option<Val>) {
        if let Some(token) = self.space.token {
            let inside = self.space.is_inside(self.thread, to);
            let nobody = self.space.words.id(&mut self.space.terms, 0);
            path.shared.insert(token, Val::One(if inside { self.tid } else { nobody }));
        }
        let mut own: FxHashMap<Key, Val> = FxHashMap::default();
        for key in self.space.live(self.thread, to) {
            let value = match key {
                Key::Local(local) => path.locals.get(&local).copied(),
                Key::Own(cell) => path.cells.get(&cell).copied(),
                Key::Result => result,
                Key::Tid => None,
            };
            own.extend(value.map(|value| (key, value)));
        }
        for (cell, at) in self.space.cells.clone() {
            if let Some(&value) = path.cells.get(&cell) {
                path.shared.insert(at, value);
            }
        }
        let guard = self.condition(&path);
        if guard == self.space.terms.bool(false) {
            return;
        }
        let Path { from, inputs, shared, starts, joins, span, .. } = path;
        let thread = self.thread;
        let step = Step { thread, from, to, guard, inputs, shared, own, starts, joins, span };
        self.found.steps.push(step);
    }

    pub fn bad(&mut self, path: &Path, condition: Term, what: String, span: Span) {
        let mut guard = path.guard.clone();
        guard.push(condition);
        let guard = self.space.terms.and(&guard);
        if guard == self.space.terms.bool(false) {
            return;
        }
        self.found.bad.push(Bad {
            thread: self.thread,
            from: path.from,
            guard,
            inputs: path.inputs.clone(),
            joins: path.joins.clone(),
            what,
            span,
        });
    }

    /// Goes wrong where the condition does not hold; after it, it holds.
    pub fn need(&mut self, path: &mut Path, holds: Term, what: String, span: Span) {
        let fails = self.space.terms.not(holds);
        self.bad(path, fails, what, span);
        path.guard.push(holds);
    }

    fn needs(&mut self, path: &mut Path, needs: Vec<Need>, span: Span) {
        for Need { fault, holds } in needs {
            let what = match fault {
                Fault::Memory(what) => what.to_owned(),
                Fault::Open(what) => format!("not supported: {what}"),
            };
            self.need(path, holds, what, span);
        }
    }

    pub fn eval(&mut self, path: &mut Path, expr: &Expr, span: Span) -> Val {
        let (words, program) = (self.space.words, self.space.program);
        let terms = &mut self.space.terms;
        let mut scope =
            Scope::new(terms, words, program, self.procedure, &path.locals, self.tid, &self.own);
        let value = scope.eval(expr);
        let needs = std::mem::take(&mut scope.needs);
        for (value, ty) in std::mem::take(&mut scope.unknowns) {
            path.guard.push(words.in_range(terms, value, ty));
            path.inputs.extend(value.terms());
        }
        self.needs(path, needs, span);
        value
    }

    pub fn unsupported(&mut self, path: &Path, what: &str, span: Span) -> Vec<Next> {
        let always = self.space.terms.bool(true);
        self.bad(path, always, format!("not supported: {what}"), span);
        vec![Next::Stops]
    }

    pub fn edge(&mut self, path: &Path, id: EdgeId) -> Vec<Next> {
        let edge = self.procedure.edge(id);
        let span = edge.span;
        let mut path = path.clone();
        path.span = span;
        match &edge.action {
            Action::Skip | Action::Fence(_) => {}
            Action::Assume(condition) | Action::Wait(condition) => {
                let holds = self.eval(&mut path, condition, span).one();
                path.guard.push(holds);
            }
            Action::Assert { check, .. } if !check.is_asked(self.properties) => {}
            Action::Assert { cond, check } => {
                let holds = self.eval(&mut path, cond, span).one();
                let what = format!("{}: {check}", check.property);
                self.need(&mut path, holds, what, span);
            }
            Action::Assign { to, value } => {
                let value = self.eval(&mut path, value, span);
                path.locals.insert(*to, value);
            }
            Action::Havoc { to } => {
                let value = self.input(&mut path, self.procedure.locals[*to].ty);
                path.locals.insert(*to, value);
            }
            Action::Load { to, from, mode } => {
                let Some(spot) = self.spot(&mut path, from, Some(Use::read(*mode)), span) else {
                    return vec![Next::Stops];
                };
                let value = self.read(&mut path, &spot, from.ty);
                path.locals.insert(*to, value);
            }
            Action::Store { to, value, mode } => {
                let value = self.eval(&mut path, value, span);
                let Some(spot) = self.spot(&mut path, to, Some(Use::write(*mode)), span) else {
                    return vec![Next::Stops];
                };
                self.write(&mut path, &spot, value);
            }
            Action::Lock { lock } => return self.lock(path, lock, span),
            Action::Unlock { lock } => {
                let use_ = Use::write(Mode::Atomic);
                let Some(spot) = self.spot(&mut path, lock, Some(use_), span) else {
                    return vec![Next::Stops];
                };
                // Who held it does not matter, but that it is a lock does.
                if lock.region.is_some_and(|region| self.space.memory.mixed.contains(&region)) {
                    self.read(&mut path, &spot, Type::Thread);
                }
                let nobody = self.space.words.zero(&mut self.space.terms, Type::Thread);
                self.write(&mut path, &spot, nobody);
            }
            Action::Alloc { to, size, .. } => self.alloc(&mut path, id, *to, size, span),
            Action::Free { addr, .. } => {
                if !self.free(&mut path, id, addr, span) {
                    return vec![Next::Stops];
                }
            }
            Action::Call { .. } => {
                return self.unsupported(&path, "a call that was not inlined", span);
            }
            Action::Spawn { to, entry, args } => {
                return self.spawn(path, id, *to, entry, args);
            }
            Action::Join { thread, to } => return self.join(path, thread, *to, span),
            Action::EndThread { value } => {
                let value = value.as_ref().map(|value| self.returned(&mut path, value, span));
                return vec![Next::Ends(path, value)];
            }
            Action::Halt => {
                self.complete(&mut path);
                return vec![Next::Stops];
            }
            Action::Unsupported { what } => return self.unsupported(&path, what, span),
            Action::Ghost(ghost) => return self.unsupported(&path, ghost.what(), span),
        }
        vec![Next::Goes(path)]
    }

    /// Any value of a type.
    pub fn input(&mut self, path: &mut Path, ty: Type) -> Val {
        let value = self.space.fresh(ty);
        let range = self.space.words.in_range(&mut self.space.terms, value, ty);
        path.guard.push(range);
        path.inputs.extend(value.terms());
        value
    }

    fn lock(&mut self, mut path: Path, lock: &Place, span: Span) -> Vec<Next> {
        let Some(spot) = self.spot(&mut path, lock, None, span) else {
            return vec![Next::Stops];
        };
        let holder = self.read(&mut path, &spot, Type::Thread);
        let nobody = self.space.words.zero(&mut self.space.terms, Type::Thread);
        let free = holder.equal(&mut self.space.terms, nobody);
        path.guard.push(free);
        self.note(&mut path, lock, &spot, Use::write(Mode::Atomic), span);
        self.write(&mut path, &spot, Val::One(self.tid));
        vec![Next::Goes(path)]
    }

    fn spawn(
        &mut self,
        mut path: Path,
        id: EdgeId,
        to: LocalId,
        entry: &Callee,
        args: &[Expr],
    ) -> Vec<Next> {
        let span = path.span;
        let (Callee::Direct(_), Some(started)) = (entry, self.space.started(self.thread, id))
        else {
            return self.unsupported(&path, "a thread started through a pointer", span);
        };
        let target = self.space.procedure(started);
        let At::Cut(location) = self.space.start(started) else {
            return self.unsupported(&path, "a thread that does nothing", span);
        };
        if args.len() < target.params.len() {
            let always = self.space.terms.bool(true);
            self.bad(&path, always, "a thread started with too few arguments".to_owned(), span);
            return vec![Next::Stops];
        }
        let mut own: FxHashMap<Key, Val> = FxHashMap::default();
        for key in self.space.live(started, At::Cut(location)) {
            if let Key::Own(cell) = key {
                let initial = self.space.initials.get(&cell).copied().flatten();
                own.extend(initial.map(|value| (key, value)));
                continue;
            }
            let Some(ty) = self.space.ty(started, key) else { continue };
            let value = match key {
                Key::Local(local) => match target.params.iter().position(|p| *p == local) {
                    Some(at) => {
                        let arg = Expr::cast(ty, args[at].clone());
                        Some(self.eval(&mut path, &arg, span))
                    }
                    None => Some(self.space.words.zero(&mut self.space.terms, ty)),
                },
                Key::Own(_) | Key::Tid | Key::Result => None,
            };
            own.extend(value.map(|value| (key, value)));
        }
        let tid = if self.space.threads.get(started).pool {
            let tid = self.input(&mut path, Type::Thread).one();
            let above = above(self.space, tid);
            path.guard.push(above);
            tid
        } else {
            self.space.words.id(&mut self.space.terms, started.number())
        };
        path.locals.insert(to, Val::One(tid));
        path.starts.push(Start { thread: started, tid, own });
        vec![Next::Goes(path)]
    }

    fn join(
        &mut self,
        mut path: Path,
        thread: &Expr,
        to: Option<LocalId>,
        span: Span,
    ) -> Vec<Next> {
        let tid = self.eval(&mut path, thread, span).one();
        let nobody = self.space.words.id(&mut self.space.terms, 0);
        let some = self.space.terms.ne(tid, nobody);
        self.need(&mut path, some, "a join of something that is not a thread".to_owned(), span);
        let procedure = self.space.threads.get(self.thread).procedure;
        let Named { threads, anything } = self.flow.named(procedure, thread);
        if anything {
            let above = above(self.space, tid);
            let known = self.space.terms.not(above);
            let what = "not supported: a join of a thread from an input".to_owned();
            self.need(&mut path, known, what, span);
        }
        let ty = to.map(|to| self.procedure.locals[to].ty);
        let (pools, instances): (Vec<ThreadId>, Vec<ThreadId>) =
            threads.into_iter().partition(|id| self.space.threads.get(*id).pool);
        let mut ways = Vec::new();
        for instance in instances {
            let mut way = path.clone();
            let number = self.space.words.id(&mut self.space.terms, instance.number());
            let it = self.space.terms.eq(tid, number);
            let done = self.shared(&way, self.space.done[instance.index()]).one();
            way.guard.extend([it, done]);
            let result = self.space.results[instance.index()];
            let result = result
                .and_then(|at| Some((self.shared(&way, at), self.space.shared[at].kind.ty()?)));
            self.joined(&mut way, to.zip(ty), result, span);
            ways.push(Next::Goes(way));
        }
        for pool in pools {
            let mut way = path.clone();
            let above = above(self.space, tid);
            way.guard.push(above);
            let result = self.space.result_type(pool).map(|ty| (self.input(&mut way, ty), ty));
            way.joins.push(Join { thread: pool, tid, result: result.map(|(value, _)| value) });
            self.joined(&mut way, to.zip(ty), result, span);
            ways.push(Next::Goes(way));
        }
        ways
    }

    pub fn shared(&self, path: &Path, at: usize) -> Val {
        path.shared.get(&at).copied().unwrap_or(self.space.shared[at].value)
    }

    /// What the joining thread gets.
    fn joined(
        &mut self,
        path: &mut Path,
        to: Option<(LocalId, Type)>,
        result: Option<(Val, Type)>,
        span: Span,
    ) {
        let Some((to, ty)) = to else { return };
        let value = match result {
            None => self.space.words.zero(&mut self.space.terms, ty),
            Some((value, from)) => self.fitted(path, value, from, ty, span),
        };
        path.locals.insert(to, value);
    }

    /// A thread's result where another type is expected: the bits of an integer, else only zero.
    fn fitted(&mut self, path: &mut Path, value: Val, from: Type, to: Type, span: Span) -> Val {
        if from == to {
            return value;
        }
        let (words, model) = (self.space.words, self.space.program.model);
        let terms = &mut self.space.terms;
        if let (Type::Int(int), Type::Ptr | Type::Int(_)) = (from, to) {
            let number = words.num(value.one(), int);
            let bits = words.convert(terms, number, selvedge_ir::Int { signed: false, ..int });
            return match to {
                Type::Int(to) => Val::One(words.convert(terms, bits, to).term),
                _ => {
                    let offset = words.convert(terms, bits, model.diff_type()).term;
                    Val::Two(words.id(terms, 0), offset)
                }
            };
        }
        let zero = words.zero(terms, from);
        let none = value.equal(terms, zero);
        let result = words.zero(terms, to);
        self.need(path, none, "not supported: a result of another type".to_owned(), span);
        result
    }

    /// What a thread returns from anywhere.
    fn returned(&mut self, path: &mut Path, value: &Expr, span: Span) -> Val {
        let from = value.ty(self.space.program, self.procedure);
        let value = self.eval(path, value, span);
        match self.space.result_type(self.thread) {
            Some(to) => self.fitted(path, value, from, to, span),
            None => value,
        }
    }
}

/// That a number is greater than that of every instance.
pub fn above(space: &mut Space<'_>, tid: Term) -> Term {
    let last = space.words.id(&mut space.terms, space.threads.instances);
    match space.terms.sort(tid) {
        selvedge_smt::Sort::Int => space.terms.lt(last, tid),
        _ => space.terms.bv_ult(last, tid),
    }
}
