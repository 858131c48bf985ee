//! Steps: the paths between cut locations, executed symbolically.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use selvedge_exec::Stop;
use selvedge_ir::{
    Action, Callee, Edge, EdgeId, Expr, Grain, LocalId, LocationId, Mode, ObjectId, Place,
    Procedure, Property, Span, Type,
};
use selvedge_smt::Term;
use selvedge_smt::translate::{Arithmetic, Need, Scope, Sym, Translator, Wrap};

use super::builder::Builder;
use super::cuts::is_inside;
use super::keep::{Contents, Frame};
use super::memory::{ArrayId, CellId, Keeper};
use super::stop::within;
use super::{Access, At, Bad, End, Input, Join, Spawn, Step, TemplateId};

/// Units of work for an edge: its terms, and a copy of the path before it.
pub(super) const EDGE: u64 = 10;

/// The steps of one template.
pub(super) struct Walked {
    /// The cut locations that are reached, the entry first.
    pub locations: Vec<LocationId>,
    pub steps: Vec<Step>,
    pub accesses: Vec<Access>,
}

pub(super) struct Walk<'b, 'a> {
    pub(super) builder: &'b mut Builder<'a>,
    pub(super) id: TemplateId,
    procedure: &'a Procedure,
    places: FxHashMap<LocationId, u32>,
    locations: Vec<LocationId>,
    waiting: VecDeque<LocationId>,
    steps: Vec<Step>,
    accesses: Vec<Access>,
}

/// A path from a cut location, with the values that it has computed.
#[derive(Clone, Debug)]
pub(super) struct Path {
    start: LocationId,
    at: LocationId,
    pub guard: Term,
    /// What was assumed, one by one.
    facts: Vec<Term>,
    pub locals: FxHashMap<LocalId, Sym>,
    pub cells: BTreeMap<CellId, Sym>,
    pub arrays: BTreeMap<ArrayId, Contents>,
    /// The next number of an object, and which have been freed.
    pub objects: Option<Term>,
    pub freed: Option<Term>,
    inputs: Vec<Input>,
    spawns: Vec<Spawn>,
    joins: Vec<Join>,
    pub edges: Vec<EdgeId>,
    /// The accesses of the first action, or atomic block, as long as it goes on.
    pub next: Option<Vec<Access>>,
}

/// How a path goes on after an action.
pub(super) enum Next {
    Go,
    /// The path ends here: an error, or the end of the program.
    Nothing,
    EndThread(Option<Sym>),
}

impl<'b, 'a> Walk<'b, 'a> {
    pub fn new(builder: &'b mut Builder<'a>, id: TemplateId) -> Walk<'b, 'a> {
        let procedure = &builder.program.procedures[builder.roles.get(id).procedure];
        let mut walk = Walk {
            builder,
            id,
            procedure,
            places: FxHashMap::default(),
            locations: Vec::new(),
            waiting: VecDeque::new(),
            steps: Vec::new(),
            accesses: Vec::new(),
        };
        walk.place(procedure.entry);
        walk
    }

    pub fn run(mut self) -> Result<Walked, Stop> {
        while let Some(from) = self.waiting.pop_front() {
            self.steps_from(from)?;
        }
        Ok(Walked { locations: self.locations, steps: self.steps, accesses: self.accesses })
    }

    /// The position of a cut location among those reached.
    fn place(&mut self, location: LocationId) -> At {
        if let Some(&known) = self.places.get(&location) {
            return At::Cut(known);
        }
        let new = self.locations.len() as u32;
        self.places.insert(location, new);
        self.locations.push(location);
        self.waiting.push_back(location);
        At::Cut(new)
    }

    fn is_cut(&self, location: LocationId) -> bool {
        self.builder.cuts[&self.builder.roles.get(self.id).procedure].contains(location)
    }

    fn steps_from(&mut self, from: LocationId) -> Result<(), Stop> {
        let start = Path {
            start: from,
            at: from,
            guard: self.may_run(from),
            facts: Vec::new(),
            locals: FxHashMap::default(),
            cells: BTreeMap::new(),
            arrays: BTreeMap::new(),
            objects: None,
            freed: None,
            inputs: Vec::new(),
            spawns: Vec::new(),
            joins: Vec::new(),
            edges: Vec::new(),
            next: Some(Vec::new()),
        };
        if from == self.procedure.exit {
            self.ends(from, start, None, Span::NONE);
            return Ok(());
        }
        let mut stack = vec![start];
        while let Some(path) = stack.pop() {
            let location = &self.procedure.locations[path.at];
            within(&self.builder.options.limits, EDGE * location.edges.len() as u64)?;
            let mut next = Vec::new();
            for (index, edge) in location.edges.iter().enumerate() {
                let at = EdgeId { from: path.at, index: index as u32 };
                next.extend(self.take(from, path.clone(), at, edge));
            }
            // The first alternative is to be looked at first.
            stack.extend(next.into_iter().rev());
        }
        Ok(())
    }

    /// That nobody is inside an atomic block, or this thread is.
    fn may_run(&mut self, from: LocationId) -> Term {
        let Some(token) = self.builder.token else { return self.builder.terms.bool(true) };
        let token = self.builder.shared[token as usize].term;
        let who = match is_inside(self.procedure, from) {
            true => self.frame().tid,
            false => self.builder.number(0),
        };
        self.builder.terms.eq(token, who)
    }

    pub(super) fn frame(&self) -> &Frame {
        &self.builder.frames[self.id.index()]
    }

    /// The path with one more edge, unless it ends with it.
    fn take(
        &mut self,
        start: LocationId,
        mut path: Path,
        at: EdgeId,
        edge: &'a Edge,
    ) -> Option<Path> {
        path.edges.push(at);
        let mut taking = Taking { walk: self, start, at, edge, address: None };
        let next = taking.act(&mut path);
        let no = self.builder.terms.bool(false);
        if path.guard == no {
            return None;
        }
        let goes_on = self.procedure.locations[edge.target].grain == Grain::Atomic
            && !self.is_cut(edge.target);
        if !matches!(next, Next::Go) || !goes_on {
            self.keep_accesses(&mut path);
        }
        match next {
            Next::Nothing => None,
            Next::EndThread(result) => {
                self.ends(start, path, result, edge.span);
                None
            }
            Next::Go if edge.target == self.procedure.exit => {
                let asked = self.builder.asked.contains(&self.id);
                let result = self.procedure.result.filter(|_| asked);
                let result = result.map(|local| self.local(&path, local));
                if !self.builder.roles.get(self.id).main {
                    self.ends(start, path, result, edge.span);
                }
                None
            }
            Next::Go if self.is_cut(edge.target) => {
                self.arrives(start, path, edge);
                None
            }
            Next::Go => {
                path.at = edge.target;
                Some(path)
            }
        }
    }

    /// The thread's next action, or atomic block, is complete: its accesses can happen.
    fn keep_accesses(&mut self, path: &mut Path) {
        for access in path.next.take().into_iter().flatten() {
            let access = Access { guard: path.guard, ..access };
            if !self.accesses.contains(&access) {
                self.accesses.push(access);
            }
        }
    }

    fn local(&self, path: &Path, local: LocalId) -> Sym {
        Here { path, frame: self.frame() }.local(local)
    }

    /// The content of an array.
    pub(super) fn array(&mut self, path: &Path, id: ArrayId) -> Contents {
        if let Some(&known) = path.arrays.get(&id) {
            return known;
        }
        match self.builder.memory.array(id).keeper {
            Keeper::Shared => self.builder.arrays[&id].value,
            Keeper::Own(_) => self.frame().arrays[&id].value,
            Keeper::Constant => self.builder.initial_array(id),
        }
    }

    /// The number of the next object.
    pub(super) fn objects(&self, path: &Path) -> Term {
        let at = || self.builder.objects.expect("there is a place that allocates");
        path.objects.unwrap_or_else(|| self.builder.shared[at() as usize].term)
    }

    /// Which objects have been freed.
    pub(super) fn freed(&self, path: &Path) -> Option<Term> {
        path.freed.or_else(|| Some(self.builder.shared[self.builder.freed? as usize].term))
    }

    /// The content of a cell.
    pub(super) fn cell(&mut self, path: &Path, id: CellId) -> Sym {
        if let Some(&known) = path.cells.get(&id) {
            return known;
        }
        let cell = self.builder.memory.cell(id);
        if let Some(value) = self.builder.settled.value(self.id, path.start, id) {
            let ty = cell.ty;
            return self.builder.constant(value, ty);
        }
        match cell.keeper {
            Keeper::Shared => self.builder.cells[&id].value,
            Keeper::Own(_) => self.frame().cells[&id].value,
            Keeper::Constant => {
                let (initial, ty) = (cell.initial, cell.ty);
                self.builder.constant(initial, ty)
            }
        }
    }

    fn step(&self, start: LocationId, path: Path, end: End, span: Span) -> Step {
        Step {
            from: At::Cut(self.places[&start]),
            end,
            guard: path.guard,
            inputs: path.inputs,
            shared: Vec::new(),
            locals: Vec::new(),
            spawns: path.spawns,
            joins: path.joins,
            result: None,
            edges: path.edges,
            span,
        }
    }

    fn arrives(&mut self, start: LocationId, path: Path, edge: &Edge) {
        let to = edge.target;
        let mut shared = self.shared_updates(&path);
        if let Some(token) = self.builder.token {
            match (is_inside(self.procedure, start), is_inside(self.procedure, to)) {
                (false, true) => shared.push((token, self.frame().tid)),
                (true, false) => shared.push((token, self.builder.number(0))),
                _ => {}
            }
        }
        let locals = self.local_updates(&path, to);
        let end = End::To(self.place(to));
        let step = self.step(start, path, end, edge.span);
        self.steps.push(Step { shared, locals, ..step });
    }

    fn ends(&mut self, start: LocationId, path: Path, result: Option<Sym>, span: Span) {
        let mut shared = self.shared_updates(&path);
        if let Some(&done) = self.builder.done.get(&self.id) {
            let yes = self.builder.terms.bool(true);
            shared.push((done, yes));
        }
        if let Some(&slot) = self.builder.results.get(&self.id) {
            let value = match result {
                Some(value) => value,
                None => self.builder.zero(slot.ty),
            };
            let positions = slot.positions().map(|(at, _)| at);
            shared.extend(positions.zip(value.terms()));
        }
        if let (Some(token), true) = (self.builder.token, is_inside(self.procedure, start)) {
            shared.push((token, self.builder.number(0)));
        }
        let step = self.step(start, path, End::To(At::Ended), span);
        self.steps.push(Step { shared, result, ..step });
    }

    fn shared_updates(&self, path: &Path) -> Vec<(u32, Term)> {
        let changed = path.cells.iter().filter_map(|(id, value)| {
            let slot = self.builder.cells.get(id)?;
            Some(slot.positions().zip(value.terms()))
        });
        let arrays = path.arrays.iter().filter_map(|(id, value)| {
            let slot = self.builder.arrays.get(id)?;
            Some(slot.positions().zip(value.terms()))
        });
        let changed = changed.flatten().chain(arrays.flatten());
        let changed = changed.filter(|((_, old), new)| old != new);
        let mut found: Vec<(u32, Term)> = changed.map(|((at, _), new)| (at, new)).collect();
        found.extend(self.builder.objects.zip(path.objects));
        found.extend(self.builder.freed.zip(path.freed));
        found
    }

    fn local_updates(&self, path: &Path, to: LocationId) -> Vec<(u32, Term)> {
        let frame = self.frame();
        let mut found = Vec::new();
        for local in self.builder.live[self.id.index()].at(to) {
            if let (Some(value), Some(slot)) = (path.locals.get(local), frame.locals.get(local)) {
                found.extend(slot.positions().zip(value.terms()));
            }
        }
        for (id, value) in &path.arrays {
            if let Some(slot) = frame.arrays.get(id) {
                found.extend(slot.positions().zip(value.terms()));
            }
        }
        for cell in frame.live_cells.get(&to).into_iter().flatten() {
            if let Some(value) = path.cells.get(cell) {
                found.extend(frame.cells[cell].positions().zip(value.terms()));
            }
        }
        let changed = found.into_iter().filter(|((_, old), new)| old != new);
        changed.map(|((at, _), new)| (at, new)).collect()
    }
}

/// One edge, being taken.
pub(super) struct Taking<'w, 'b, 'a> {
    pub walk: &'w mut Walk<'b, 'a>,
    start: LocationId,
    pub at: EdgeId,
    pub edge: &'a Edge,
    /// Where the action has accessed memory.
    pub address: Option<Sym>,
}

impl Taking<'_, '_, '_> {
    fn act(&mut self, path: &mut Path) -> Next {
        match &self.edge.action {
            Action::Skip | Action::Fence(_) => Next::Go,
            Action::Assume(cond) | Action::Wait(cond) => {
                let cond = self.eval(path, cond).scalar();
                self.assume(path, cond);
                Next::Go
            }
            Action::Assert { cond, check } => {
                if check.is_asked(&self.walk.builder.options.properties) {
                    let cond = self.eval(path, cond).scalar();
                    let wrong = Bad::Wrong {
                        property: check.property,
                        message: check.to_string(),
                        span: self.edge.span,
                    };
                    self.require(path, cond, wrong);
                }
                Next::Go
            }
            Action::Assign { to, value } => {
                let value = self.eval(path, value);
                path.locals.insert(*to, value);
                Next::Go
            }
            Action::Havoc { to } => {
                let name = self.walk.procedure.locals[*to].name.clone();
                let value = self.input(path, &name, self.walk.procedure.locals[*to].ty);
                path.locals.insert(*to, value);
                Next::Go
            }
            Action::Load { to, from, mode } => {
                let Some(value) = self.load(path, from) else { return Next::Nothing };
                path.locals.insert(*to, value);
                self.note(path, from, false, *mode)
            }
            Action::Store { to, value, mode } => {
                let value = self.eval(path, value);
                match self.store(path, to, value) {
                    Next::Go => self.note(path, to, true, *mode),
                    other => other,
                }
            }
            Action::Lock { lock } => {
                let Some(holder) = self.load(path, lock) else { return Next::Nothing };
                let none = self.walk.builder.number(0);
                let free = self.walk.builder.terms.eq(holder.scalar(), none);
                self.assume(path, free);
                let tid = Sym::Scalar(self.walk.frame().tid);
                self.store(path, lock, tid);
                self.note(path, lock, true, Mode::Atomic)
            }
            Action::Unlock { lock } => match self.unlock(path, lock) {
                Next::Go => self.note(path, lock, true, Mode::Atomic),
                other => other,
            },
            Action::Spawn { to, entry, args } => self.spawn(path, *to, entry, args),
            Action::Join { thread, to } => {
                let procedure = self.walk.builder.roles.get(self.walk.id).procedure;
                let taken = self.walk.builder.takes_result(procedure, self.edge);
                self.join(path, thread, to.filter(|_| taken))
            }
            Action::EndThread { value } => {
                Next::EndThread(value.as_ref().map(|value| self.eval(path, value)))
            }
            Action::Halt => Next::Nothing,
            Action::Alloc { to, size, .. } => self.alloc(path, *to, size),
            Action::Free { addr, .. } => self.free(path, addr),
            Action::Call { .. } => self.unsupported(path, "a recursive call"),
            Action::Unsupported { what } => self.unsupported(path, what),
            Action::Ghost(ghost) => self.unsupported(path, ghost.what()),
        }
    }

    pub fn assume(&mut self, path: &mut Path, cond: Term) {
        path.guard = self.walk.builder.terms.and(&[path.guard, cond]);
        path.facts.push(cond);
    }

    /// A bad step where the condition does not hold; the path goes on where it does.
    pub fn require(&mut self, path: &mut Path, cond: Term, bad: Bad) {
        if path.facts.contains(&cond) {
            return;
        }
        let terms = &mut self.walk.builder.terms;
        let fails = terms.not(cond);
        let guard = terms.and(&[path.guard, fails]);
        if guard != terms.bool(false) {
            let path = Path { guard, ..path.clone() };
            let step = self.walk.step(self.start, path, End::Bad(bad), self.edge.span);
            self.walk.steps.push(step);
        }
        self.assume(path, cond);
    }

    pub fn unsupported(&mut self, path: &mut Path, what: &str) -> Next {
        let no = self.walk.builder.terms.bool(false);
        let bad = Bad::Unsupported { what: what.to_owned(), span: self.edge.span };
        self.require(path, no, bad);
        Next::Nothing
    }

    /// What C leaves undefined, or an error if memory is checked.
    pub fn fault(&self, what: &str) -> Bad {
        let span = self.edge.span;
        match self.walk.builder.options.checks(Property::Memory) {
            true => Bad::Wrong { property: Property::Memory, message: what.to_owned(), span },
            false => Bad::Undefined { what: what.to_owned(), span },
        }
    }

    pub fn eval(&mut self, path: &mut Path, expr: &Expr) -> Sym {
        let walk = &mut *self.walk;
        let procedure = walk.builder.roles.get(walk.id).procedure;
        let arithmetic = match walk.builder.options.arithmetic {
            Arithmetic::Integers(Wrap::Obliged)
                if walk.builder.options.modular.contains(&(procedure, self.at)) =>
            {
                Arithmetic::Integers(Wrap::Modular)
            }
            other => other,
        };
        let frame = &walk.builder.frames[walk.id.index()];
        let mut translator = Translator::new(
            &mut walk.builder.terms,
            walk.builder.program,
            walk.procedure,
            arithmetic,
        );
        let translated = translator.translate(expr, &mut Here { path, frame });
        for (term, ty) in translated.unknowns {
            self.any(path, term, ty);
        }
        for obligation in translated.obligations {
            let bad = self.unmet(obligation.kind);
            self.require(path, obligation.holds, bad);
        }
        translated.value
    }

    fn unmet(&self, need: Need) -> Bad {
        let span = self.edge.span;
        match need {
            Need::Divisor => self.fault("division by zero"),
            Need::SameObject => self.fault("pointers into different objects compared"),
            Need::Known => {
                let what = "a value that depends on the address of an object".to_owned();
                Bad::Unsupported { what, span }
            }
            Need::NoWrap => Bad::Wrap { edge: self.at, span },
        }
    }

    /// Any value of the type.
    pub fn input(&mut self, path: &mut Path, name: &str, ty: Type) -> Sym {
        let builder = &mut *self.walk.builder;
        let name = format!("{}?{}", builder.roles.get(self.walk.id).name, name);
        let name = name.replace(['|', '\\'], "_");
        let sorts = builder.types.sorts(ty);
        let parts: Vec<Term> = sorts.iter().map(|&s| builder.terms.fresh(&name, s)).collect();
        let term = Sym::from_terms(&parts);
        self.any(path, term, ty);
        term
    }

    /// New variables have any value of the type.
    fn any(&mut self, path: &mut Path, term: Sym, ty: Type) {
        let builder = &mut *self.walk.builder;
        let range = builder.types.in_range(&mut builder.terms, term, ty);
        path.inputs.push(Input { term, ty, edge: path.edges.len() as u32 - 1 });
        self.assume(path, range);
    }

    /// An access has taken place. Inside a block that has been cut its races are not seen.
    fn note(&mut self, path: &mut Path, place: &Place, write: bool, mode: Mode) -> Next {
        let races = place.region.is_some_and(|region| self.walk.builder.races.contains(&region));
        let (Some(region), Some(address), true) = (place.region, self.address, races) else {
            return Next::Go;
        };
        if is_inside(self.walk.procedure, self.start) && path.next.is_some() {
            return self.unsupported(path, "an access after a loop inside an atomic block");
        }
        let access = Access {
            at: At::Cut(self.walk.places[&self.start]),
            guard: path.guard,
            region,
            address,
            bytes: place.ty.size(self.walk.builder.program.model),
            write,
            atomic: mode != Mode::Plain,
            span: self.edge.span,
        };
        if let Some(next) = &mut path.next {
            next.push(access);
        }
        Next::Go
    }

    fn unlock(&mut self, path: &mut Path, lock: &Place) -> Next {
        if self.walk.builder.options.checks(Property::Deadlock) {
            let Some(holder) = self.load(path, lock) else { return Next::Nothing };
            let tid = self.walk.frame().tid;
            let mine = self.walk.builder.terms.eq(holder.scalar(), tid);
            let wrong = Bad::Wrong {
                property: Property::Deadlock,
                message: "unlock of a lock that the thread does not hold".into(),
                span: self.edge.span,
            };
            self.require(path, mine, wrong);
        }
        let memory = &self.walk.builder.memory;
        let mixed = lock.region.is_some_and(|region| memory.mixed.contains(&region));
        if mixed && self.load(path, lock).is_none() {
            return Next::Nothing;
        }
        let none = Sym::Scalar(self.walk.builder.number(0));
        self.store(path, lock, none)
    }

    fn spawn(&mut self, path: &mut Path, to: LocalId, entry: &Callee, args: &[Expr]) -> Next {
        let spawns = &self.walk.builder.roles.get(self.walk.id).spawns;
        let (Callee::Direct(target), Some(&template)) = (entry, spawns.get(&self.at)) else {
            return self.unsupported(path, "a thread that starts in an unknown procedure");
        };
        let target = &self.walk.builder.program.procedures[*target];
        if args.len() < target.params.len() {
            return self.unsupported(path, "a thread that starts with too few arguments");
        }
        let mut values = Vec::new();
        for (param, arg) in target.params.iter().zip(args) {
            let (program, procedure) = (self.walk.builder.program, self.walk.procedure);
            let wanted = target.locals[*param].ty;
            let value = match arg.ty(program, procedure) == wanted {
                true => self.eval(path, arg),
                false => self.eval(path, &Expr::cast(wanted, arg.clone())),
            };
            values.push(value);
        }
        let tid = match self.walk.builder.roles.get(template).pool {
            false => self.walk.builder.number(template.0 + 1),
            true => self.new_tid(path),
        };
        let args = self.walk.builder.begin(template, &values);
        let edge = path.edges.len() as u32 - 1;
        path.spawns.push(Spawn { template, tid, args, edge });
        path.locals.insert(to, Sym::Scalar(tid));
        Next::Go
    }

    /// The number of a new thread of a pool.
    fn new_tid(&mut self, path: &mut Path) -> Term {
        let tid = self.input(path, "thread", Type::Thread).scalar();
        let mut facts = vec![self.walk.builder.of_pool(tid)];
        let taken: Vec<Term> = path.spawns.iter().map(|spawn| spawn.tid).collect();
        for other in taken.into_iter().chain([self.walk.frame().tid]) {
            facts.push(self.walk.builder.terms.ne(tid, other));
        }
        let facts = self.walk.builder.terms.and(&facts);
        self.assume(path, facts);
        tid
    }

    fn join(&mut self, path: &mut Path, thread: &Expr, to: Option<LocalId>) -> Next {
        let procedure = self.walk.builder.roles.get(self.walk.id).procedure;
        let mut templates: Vec<TemplateId> =
            self.walk.builder.tids.of_expr(procedure, thread).into_iter().collect();
        let thread = self.eval(path, thread).scalar();
        let none = self.walk.builder.number(0);
        let some = self.walk.builder.terms.ne(thread, none);
        let fault = self.fault("join of something that is not a thread");
        self.require(path, some, fault);
        let pool = templates.iter().any(|id| self.walk.builder.roles.get(*id).pool);
        templates.retain(|id| self.walk.builder.done.contains_key(id));
        let mut ways = Vec::new();
        let mut value: Option<Sym> = None;
        if pool {
            let when = self.walk.builder.of_pool(thread);
            ways.push(when);
            let ty = to.map(|to| self.walk.procedure.locals[to].ty);
            let result = ty.map(|ty| self.input(path, "result", ty));
            path.joins.push(Join { when, thread, result });
            value = result;
        }
        for id in templates {
            let tid = self.walk.builder.number(id.0 + 1);
            let is = self.walk.builder.terms.eq(thread, tid);
            let done = self.walk.builder.shared[self.walk.builder.done[&id] as usize].term;
            let ended = self.walk.builder.terms.and(&[is, done]);
            ways.push(ended);
            if let Some(to) = to {
                let ty = self.walk.procedure.locals[to].ty;
                let Some(result) = self.result_of(path, id, ty, is) else { continue };
                value = Some(match value {
                    Some(other) => result.ite(&mut self.walk.builder.terms, is, other),
                    None => result,
                });
            }
        }
        let ended = self.walk.builder.terms.or(&ways);
        self.assume(path, ended);
        if let Some(to) = to {
            // Where no result can be said, every way here is a bad step already.
            let ty = self.walk.procedure.locals[to].ty;
            let value = value.unwrap_or_else(|| self.input(path, "result", ty));
            path.locals.insert(to, value);
        }
        Next::Go
    }

    /// What an instance returned, at the type that is expected; none where that cannot be said,
    /// which is then a bad step.
    fn result_of(&mut self, path: &mut Path, id: TemplateId, ty: Type, is: Term) -> Option<Sym> {
        match self.walk.builder.results.get(&id).copied() {
            None => Some(self.walk.builder.zero(ty)),
            Some(slot) if slot.ty == ty => Some(slot.value),
            Some(_) => {
                let not = self.walk.builder.terms.not(is);
                let what = "a thread's result at another type".to_owned();
                self.require(path, not, Bad::Unsupported { what, span: self.edge.span });
                None
            }
        }
    }
}

/// The values of locals at the end of a path.
struct Here<'a> {
    path: &'a Path,
    frame: &'a Frame,
}

impl Scope for Here<'_> {
    fn local(&mut self, local: LocalId) -> Sym {
        if let Some(&known) = self.path.locals.get(&local) {
            return known;
        }
        let fixed = self.frame.fixed.get(&local).copied();
        fixed.unwrap_or_else(|| self.frame.locals[&local].value)
    }

    fn thread(&mut self) -> Term {
        self.frame.tid
    }

    fn own_object(&mut self, object: ObjectId) -> Term {
        self.frame.own[&object]
    }
}
