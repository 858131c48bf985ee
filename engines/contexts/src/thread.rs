//! One thread inside the sequential program: a copy of its code, with accesses led to the maps of
//! the current context.

use selvedge_ir::{
    Action, BinaryOp, Callee, Const, Edge, EdgeId, Expr, LocalId, LocationId, Mode, Place, ProcId,
    Procedure, Program, Property, RegionId, Span, Storage, Type,
};

use super::bypass::Bypass;
use super::code::{and, or};
use super::deadlock::Dead;
use super::lives::Reach;
use super::memory::{Maps, in_map};
use super::points::Points;
use super::sequentialize::{Books, Translation, origin_of};
use super::slots::Slot;
use selvedge_sequential::Origin;

/// The emission of one slot's code.
pub struct Emission<'t, 'a> {
    pub t: &'t mut Translation<'a>,
    pub slot: u32,
    points: &'t Points,
    pub stop: LocationId,
    /// What is emitted stands for nothing that the thread does.
    pub silent: bool,
    locations: Vec<LocationId>,
}

/// An edge of the slot's code on its way.
struct Step<'e> {
    at: EdgeId,
    edge: &'e Edge,
    from: LocationId,
    to: LocationId,
}

impl<'t, 'a> Emission<'t, 'a> {
    pub fn new(
        t: &'t mut Translation<'a>,
        slot: u32,
        points: &'t Points,
        stop: LocationId,
    ) -> Emission<'t, 'a> {
        Emission { t, slot, points, stop, silent: false, locations: Vec::new() }
    }

    pub fn me(&self) -> &'a Slot {
        &self.t.slots.list[self.slot as usize]
    }

    pub fn emit(mut self, start: LocationId) {
        let code = self.me().code.clone();
        let body = &code.body;
        // Nothing leads to what is left out.
        let absent = |at| self.points.bypasses.leave_out(at);
        let locations = body.locations.keys();
        self.locations = locations
            .map(|at| if absent(at) { self.stop } else { self.t.code.location() })
            .collect();
        let entry = self.locations[body.entry.as_u32() as usize];
        self.t.code.edge(start, Action::Skip, entry, Span::NONE);
        for (location, data) in body.locations.iter() {
            if self.points.bypasses.leave_out(location) {
                continue;
            }
            let mut from = self.locations[location.as_u32() as usize];
            if let Some(dead) = &self.t.dead {
                dead.stop_waiting(&mut self.t.code, self.slot, location, from, self.stop);
            }
            self.races(from, location);
            if let Some(&context) = self.points.given.get(&location) {
                let go = self.t.code.location();
                let context = self.t.code.number(context);
                self.t.code.enter(from, context, self.slot, go);
                from = go;
            }
            let counts = self.contexts() > 1 || self.t.claim.is_some();
            if self.points.switches.contains(location) && counts {
                let go = self.t.code.location();
                let limit = self.t.claim;
                self.t.code.switch(from, self.contexts(), self.slot, limit, go);
                from = go;
            }
            self.block_races(from, location);
            let past = self.points.bypasses.from(location);
            if let Some(Bypass { detour, .. }) = past {
                let to = self.locations[detour.end.as_u32() as usize];
                self.t.code.edge(from, Action::Skip, to, Span::NONE);
            }
            let edges = if past.is_some() { &[] } else { &data.edges[..] };
            for (index, edge) in edges.iter().enumerate() {
                let at = EdgeId { from: location, index: index as u32 };
                let to = self.locations[edge.target.as_u32() as usize];
                let mark = self.t.code.mark();
                self.step(&Step { at, edge, from, to });
                if self.checks(Property::Memory) {
                    self.faults(&Step { at, edge, from, to }, mark);
                }
            }
            // Last, so that stopping is what a solver tries first: it takes no decision.
            if self.points.switches.contains(location) || self.points.stops.contains(location) {
                let stop = self.t.dead.as_ref().map_or(Action::Skip, Dead::stop);
                let from = self.locations[location.as_u32() as usize];
                self.t.code.edge(from, stop, self.stop, Span::NONE);
            }
        }
        let exit = self.locations[body.exit.as_u32() as usize];
        let result = body.result.map(Expr::Local).map(|e| self.expr(&e));
        self.end(exit, result, None, Span::NONE);
    }

    fn contexts(&self) -> u32 {
        self.t.contexts(self.slot)
    }

    /// The contexts that the thread can be in before an edge: the one given, the first, or any.
    fn possible(&self, at: EdgeId) -> std::ops::Range<usize> {
        if let Some(&context) = self.points.given.get(&at.from) {
            return context as usize - 1..context as usize;
        }
        let unknown = !self.me().initial
            || self.points.switched.contains(at.from)
            || self.points.switches.contains(at.from);
        if unknown { 0..self.contexts() as usize } else { 0..1 }
    }

    pub fn local(&self, local: LocalId) -> LocalId {
        self.t.books[self.slot as usize].locals[local.as_u32() as usize]
    }

    /// An expression as this slot's thread means it.
    pub fn expr(&self, expr: &Expr) -> Expr {
        let memory = &self.t.memory;
        expr.clone().map(&mut |e| match e {
            Expr::Local(local) => Expr::Local(self.local(local)),
            Expr::Tid => memory.identity(self.slot),
            Expr::Const(c) => Expr::Const(memory.constant(self.slot, c)),
            Expr::Cast(ty, operand) => Expr::Cast(memory.scalar(ty), operand),
            other => other,
        })
    }

    pub fn place(&self, place: &Place) -> Place {
        Place {
            addr: self.expr(&place.addr),
            ty: self.t.memory.scalar(place.ty),
            region: place.region,
        }
    }

    fn origin(&self, at: EdgeId) -> Option<Origin> {
        if self.silent {
            return None;
        }
        origin_of(self.t.slots, self.slot, at, None)
    }

    /// Of an edge that is only tried.
    pub fn like(&self, at: EdgeId) -> Option<Origin> {
        let &(procedure, edge) = self.me().code.origins.get(&at)?;
        Some(Origin::Like { procedure, edge })
    }

    fn checks(&self, property: Property) -> bool {
        self.t.plan.properties.contains(&property)
    }

    /// An action of a block that is run only to be looked at. Threads that it starts do nothing.
    pub fn shown(&mut self, at: EdgeId, edge: &Edge, from: LocationId, to: LocationId) {
        match edge.action {
            Action::EndThread { .. } => {
                self.t.code.edge(from, Action::Skip, to, edge.span);
            }
            _ => self.action(&Step { at, edge, from, to }),
        }
    }

    /// One edge of the code, behind the question whether the object that it accesses is alive.
    fn step(&mut self, step: &Step<'_>) {
        let place = step.edge.action.place().map(|place| self.place(place));
        let reach = place.as_ref().and_then(|place| self.t.lives.of_region(place.region?));
        match (place, reach) {
            (Some(place), Some(reach)) => {
                let from = self.alive(step, &place.addr, reach);
                self.action(&Step { from, ..*step });
            }
            _ => self.action(step),
        }
    }

    /// Goes wrong if the object has been freed.
    fn alive(&mut self, step: &Step<'_>, addr: &Expr, reach: Reach) -> LocationId {
        let maps = self.lives(reach, step.at);
        let mut at = step.from;
        let mut values = Vec::new();
        for (i, map) in maps.into_iter().enumerate() {
            let to = self.t.code.temporary(Type::Bool, i as u32 + 1);
            let from = Place { addr: addr.clone(), ty: Type::Bool, region: Some(map) };
            let action = Action::Load { to, from, mode: Mode::Plain };
            at = self.t.code.then(at, action, step.edge.span);
            values.push(Expr::Local(to));
        }
        let freed = self.by_context(values);
        let wrong = self.t.code.location();
        self.t.code.edge(at, Action::Assume(freed.clone()), wrong, step.edge.span);
        self.wrong(step, wrong);
        self.t.code.assume(at, freed.not())
    }

    /// The maps that say which objects have been freed.
    fn lives(&self, reach: Reach, at: EdgeId) -> Vec<RegionId> {
        let maps = match reach {
            Reach::Shared => &self.t.memory.freed,
            Reach::Private => &self.t.memory.freed_private,
        };
        match maps {
            Maps::Each(maps) => maps[self.possible(at)].to_vec(),
            Maps::One(map) => vec![*map],
            Maps::None | Maps::Untracked(_) => Vec::new(),
        }
    }

    fn free(&mut self, step: &Step<'_>, addr: Expr, storage: Storage) {
        let Some(reach) = self.t.lives.frees(self.me(), step.at) else {
            return self.simple(step, Action::Skip);
        };
        let null = Expr::binary(BinaryOp::Eq, addr.clone(), Expr::NULL);
        self.simple(step, Action::Assume(null.clone()));
        let from = self.t.code.assume(step.from, null.not());
        let from = self.alive(&Step { from, ..*step }, &addr, reach);
        let from =
            self.t.code.then(from, Action::Free { addr: addr.clone(), storage }, step.edge.span);
        let maps = self.lives(reach, step.at);
        let place = Place { addr, ty: Type::Bool, region: None };
        self.write(&Step { from, ..*step }, maps, &place, Expr::TRUE, None);
    }

    /// Leads what goes wrong among the edges of a step to an error.
    fn faults(&mut self, step: &Step<'_>, mark: usize) {
        let body = &self.t.code.body;
        let program = &self.t.prepared.program;
        let may = |at: &EdgeId| may_fault(program, body, &body.edge(*at).action);
        let edges: Vec<EdgeId> = self.t.code.since(mark).into_iter().filter(may).collect();
        if edges.is_empty() {
            return;
        }
        let wrong = self.t.code.location();
        self.wrong(step, wrong);
        self.t.code.faults.extend(edges.into_iter().map(|edge| (edge, wrong)));
    }

    fn action(&mut self, step: &Step<'_>) {
        match &step.edge.action {
            Action::Skip => self.simple(step, Action::Skip),
            Action::Assume(e) | Action::Wait(e) => self.simple(step, Action::Assume(self.expr(e))),
            Action::Assert { cond, check } if check.property == Property::Invariant => {
                let given = (step.from, self.expr(cond), step.edge.span);
                self.t.code.invariants.push(given);
                self.simple(step, Action::Skip);
            }
            Action::Assert { cond, .. } => self.assert(step, self.expr(cond)),
            Action::Assign { to, value } => {
                let (to, value) = (self.local(*to), self.expr(value));
                self.simple(step, Action::Assign { to, value });
            }
            Action::Havoc { to } => self.input(step, self.local(*to)),
            Action::Load { to, from, .. } => self.load(step, self.local(*to), &self.place(from)),
            Action::Store { to, value, .. } => {
                self.store(step, &self.place(to), self.expr(value), None);
            }
            Action::Lock { lock } => self.lock(step, &self.place(lock)),
            Action::Unlock { lock } => self.unlock(step, &self.place(lock)),
            Action::Alloc { to, storage, layout, size, zeroed } => {
                let (to, size) = (self.local(*to), self.expr(size));
                let (storage, layout, zeroed) = (*storage, *layout, *zeroed);
                let action = Action::Alloc { to, storage, layout, size, zeroed };
                let origin = self.origin(step.at).or_else(|| self.like(step.at));
                self.t.code.edge_of(step.from, action, step.to, step.edge.span, origin);
            }
            Action::Free { addr, storage } => self.free(step, self.expr(addr), *storage),
            Action::Spawn { to, entry: Callee::Direct(entry), args } => {
                let args: Vec<(Type, Expr)> = args.iter().map(|e| self.typed(e)).collect();
                self.spawn(step, self.local(*to), *entry, &args);
            }
            Action::Join { thread, to } => {
                self.join(step, self.expr(thread), to.map(|to| self.local(to)));
            }
            Action::EndThread { value } => {
                let value = value.as_ref().map(|e| self.expr(e));
                self.end(step.from, value, self.origin(step.at), step.edge.span);
            }
            Action::Halt => self.simple(step, Action::Halt),
            Action::Spawn { .. } | Action::Call { .. } => {
                self.simple(step, Action::Unsupported { what: "a procedure not known".into() });
            }
            Action::Unsupported { what } => {
                self.simple(step, Action::Unsupported { what: what.clone() });
            }
        }
    }

    fn typed(&self, expr: &Expr) -> (Type, Expr) {
        let ty = expr.ty(&self.t.prepared.program, &self.me().code.body);
        (self.t.memory.scalar(ty), self.expr(expr))
    }

    /// One action that stands for the edge.
    fn simple(&mut self, step: &Step<'_>, action: Action) {
        let origin = self.origin(step.at);
        self.t.code.edge_of(step.from, action, step.to, step.edge.span, origin);
    }

    /// The thread goes wrong here: the error is noted, and it stops.
    fn wrong(&mut self, step: &Step<'_>, at: LocationId) {
        if self.silent {
            self.t.code.edge(at, Action::Halt, self.stop, step.edge.span);
            return;
        }
        let origin = self.origin(step.at);
        let action = Action::Assign { to: self.t.code.error, value: Expr::TRUE };
        self.t.code.edge_of(at, action, self.stop, step.edge.span, origin);
    }

    fn assert(&mut self, step: &Step<'_>, cond: Expr) {
        self.simple(step, Action::Assume(cond.clone()));
        let wrong = self.t.code.location();
        self.t.code.edge(step.from, Action::Assume(cond.not()), wrong, step.edge.span);
        self.wrong(step, wrong);
    }

    /// Only null and none can be given as inputs of these types when a trace is replayed.
    fn input(&mut self, step: &Step<'_>, to: LocalId) {
        let source = step.edge.action.assigned().map(|l| self.me().code.body.locals[l].ty);
        match source {
            Some(ty @ (Type::Ptr | Type::Thread)) => {
                let value = Expr::Const(Const::zero(self.t.memory.scalar(ty)));
                self.simple(step, Action::Assign { to, value });
            }
            _ => self.simple(step, Action::Havoc { to }),
        }
    }

    /// The maps that an access can lead to.
    fn maps(&self, place: &Place, at: EdgeId) -> Option<Vec<RegionId>> {
        match &self.t.memory.maps[place.region?] {
            Maps::None | Maps::Untracked(_) => None,
            Maps::One(map) => Some(vec![*map]),
            Maps::Each(maps) => Some(maps[self.possible(at)].to_vec()),
        }
    }

    /// `if k = 1 then to := G@1[a] elsif ..`, without branches: all maps are read, and one of the
    /// values is taken.
    fn load(&mut self, step: &Step<'_>, to: LocalId, place: &Place) {
        let Some(maps) = self.maps(place, step.at) else {
            let edge = self.untracked(step, place, Action::Havoc { to });
            return self.one_of(place, edge);
        };
        let mode = Mode::Plain;
        let from = self.optional(step, place, Action::Havoc { to });
        if let [map] = maps[..] {
            let action = Action::Load { to, from: in_map(place, map), mode };
            return self.simple(&Step { from, ..*step }, action);
        }
        let mut actions = Vec::new();
        let mut values = Vec::new();
        for (i, map) in maps.into_iter().enumerate() {
            let value = self.t.code.temporary(place.ty, i as u32 + 1);
            actions.push(Action::Load { to: value, from: in_map(place, map), mode });
            values.push(Expr::Local(value));
        }
        let value = self.by_context(values);
        actions.push(Action::Assign { to, value });
        self.chain(step, from, actions);
    }

    /// Where it is left open whether the content of a place counts, both ways are there: this adds
    /// the one that does not look at it, and gives the start of the other.
    fn optional(&mut self, step: &Step<'_>, place: &Place, action: Action) -> LocationId {
        let Some(literal) = place.region.and_then(|region| self.t.literals[region]) else {
            return step.from;
        };
        let from = self.t.code.assume(step.from, Expr::Local(literal).not());
        let mut actions = Vec::new();
        if let Some(maps) = self.maps(place, step.at)
            && self.checks(Property::Memory)
            && place.direct().is_none()
        {
            let to = self.t.code.temporary(place.ty, 0);
            let from = in_map(place, maps[0]);
            actions.push(Action::Load { to, from, mode: Mode::Plain });
        }
        let reads = matches!(action, Action::Havoc { .. });
        actions.push(action);
        let edge = self.chain(step, from, actions);
        if reads {
            self.one_of(place, edge);
        }
        self.t.code.assume(step.from, Expr::Local(literal))
    }

    /// What is read from the place is one of the values that can be there.
    fn one_of(&mut self, place: &Place, edge: EdgeId) {
        if let Some(guesses) = place.region.and_then(|region| self.t.memory.guesses[region].clone())
        {
            self.t.code.choices.insert(edge, guesses);
        }
    }

    /// An access to a field that is not tracked: nothing but the question whether it goes wrong.
    fn untracked(&mut self, step: &Step<'_>, place: &Place, action: Action) -> EdgeId {
        let maps = place.region.map(|region| &self.t.memory.maps[region]);
        let mut actions = Vec::new();
        let extents = place.region.and_then(|r| self.t.prepared.regions.extents.get(&r));
        if extents.is_some_and(Vec::is_empty) {
            // No memory is there.
            actions.push(Action::Assume(Expr::FALSE));
        }
        if let Some(Maps::Untracked(Some(map))) = maps
            && place.direct().is_none()
        {
            let from = in_map(place, *map);
            let to = self.t.code.temporary(place.ty, 0);
            actions.push(Action::Load { to, from, mode: Mode::Plain });
        }
        actions.push(action);
        self.chain(step, step.from, actions)
    }

    /// The value that belongs to the current context.
    fn by_context(&self, values: Vec<Expr>) -> Expr {
        let mut values = values.into_iter().enumerate().rev();
        let (_, last) = values.next().expect("at least one context");
        values.fold(last, |rest, (i, value)| {
            Expr::ite(self.t.code.in_context(i as u32 + 1), value, rest)
        })
    }

    /// Writes to the map of the current context and leaves the others as they are. `needs` is what
    /// the place must hold before; otherwise the thread waits.
    fn store(&mut self, step: &Step<'_>, place: &Place, value: Expr, needs: Option<Expr>) {
        let Some(maps) = self.maps(place, step.at) else {
            self.untracked(step, place, Action::Skip);
            return;
        };
        let from = self.optional(step, place, Action::Skip);
        self.write(&Step { from, ..*step }, maps, place, value, needs);
    }

    fn write(
        &mut self,
        step: &Step<'_>,
        maps: Vec<RegionId>,
        place: &Place,
        value: Expr,
        needs: Option<Expr>,
    ) {
        let mode = Mode::Plain;
        let (mut place, mut value) = (place.clone(), value);
        let mut actions = Vec::new();
        let single = maps.len() == 1;
        if !single {
            self.evaluate(&mut place.addr, Type::Ptr, &mut actions);
            self.evaluate(&mut value, place.ty, &mut actions);
        }
        for (i, map) in maps.into_iter().enumerate() {
            let here = self.t.code.in_context(i as u32 + 1);
            let old = self.t.code.temporary(place.ty, i as u32 + 1);
            let to = in_map(&place, map);
            if needs.is_some() || !single {
                actions.push(Action::Load { to: old, from: to.clone(), mode });
            }
            if let Some(needed) = &needs {
                let holds = Expr::binary(BinaryOp::Eq, Expr::Local(old), needed.clone());
                let holds = if single { holds } else { or(here.clone().not(), holds) };
                actions.push(Action::Assume(holds));
            }
            let value = match single {
                true => value.clone(),
                false => Expr::ite(here, value.clone(), Expr::Local(old)),
            };
            actions.push(Action::Store { to, value, mode });
        }
        self.chain(step, step.from, actions);
    }

    /// Gives an expression that is used several times a name, unless it is one.
    fn evaluate(&mut self, expr: &mut Expr, ty: Type, actions: &mut Vec<Action>) {
        if !matches!(expr, Expr::Local(_) | Expr::Const(_)) {
            let to = self.t.code.temporary(ty, 0);
            let value = std::mem::replace(expr, Expr::Local(to));
            actions.push(Action::Assign { to, value });
        }
    }

    /// Actions one after another, of which the last stands for the edge.
    fn chain(&mut self, step: &Step<'_>, mut at: LocationId, mut actions: Vec<Action>) -> EdgeId {
        let last = actions.pop().unwrap_or(Action::Skip);
        for action in actions {
            at = self.t.code.then(at, action, step.edge.span);
        }
        let origin = self.origin(step.at);
        self.t.code.edge_of(at, last, step.to, step.edge.span, origin)
    }

    fn lock(&mut self, step: &Step<'_>, lock: &Place) {
        let none = Expr::Const(Const::Int(0, self.t.memory.thread));
        self.store(step, lock, self.t.memory.identity(self.slot), Some(none));
    }

    fn unlock(&mut self, step: &Step<'_>, lock: &Place) {
        let none = Expr::Const(Const::Int(0, self.t.memory.thread));
        if !self.checks(Property::Deadlock) {
            return self.store(step, lock, none, None);
        }
        let me = self.t.memory.identity(self.slot);
        self.store(step, lock, none, Some(me.clone()));
        // The same, but with another holder.
        let Some(maps) = self.maps(lock, step.at) else { return };
        let mut at = step.from;
        let mut holders = Vec::new();
        for (i, map) in maps.into_iter().enumerate() {
            let to = self.t.code.temporary(lock.ty, i as u32 + 1);
            let action = Action::Load { to, from: in_map(lock, map), mode: Mode::Plain };
            at = self.t.code.then(at, action, step.edge.span);
            holders.push(Expr::Local(to));
        }
        let other = Expr::binary(BinaryOp::Ne, self.by_context(holders), me);
        let at = self.t.code.assume(at, other);
        self.wrong(step, at);
    }

    /// The first slot that is free gets the thread.
    fn spawn(&mut self, step: &Step<'_>, to: LocalId, entry: ProcId, args: &[(Type, Expr)]) {
        let slots = self.me().spawns.get(&step.at).cloned().unwrap_or_default();
        let params = self.t.prepared.program.procedures[entry].params.len();
        if args.len() < params {
            let what = "a thread with fewer arguments than parameters".to_owned();
            self.t.code.edge(step.from, Action::Unsupported { what }, step.to, step.edge.span);
            return;
        }
        if slots.is_empty() {
            // More threads than the bound; the cut is noted with the slots.
            self.t.code.edge(step.from, Action::Halt, step.to, step.edge.span);
            return;
        }
        let mut taken = Expr::TRUE;
        for (i, &slot) in slots.iter().enumerate() {
            let started = Expr::Local(self.t.books[slot as usize].started);
            // Even a single slot may be asked for twice.
            let free = started.clone().not();
            let free = if i == 0 { free } else { and(taken.clone(), free) };
            let at = self.t.code.assume(step.from, free);
            self.start(step, at, to, slot, args);
            taken = if i == 0 { started } else { and(taken, started) };
        }
    }

    fn start(
        &mut self,
        step: &Step<'_>,
        at: LocationId,
        to: LocalId,
        slot: u32,
        args: &[(Type, Expr)],
    ) {
        let value = self.t.memory.identity(slot);
        if self.silent {
            self.t.code.edge(at, Action::Assign { to, value }, step.to, step.edge.span);
            return;
        }
        let other = &self.t.slots.list[slot as usize];
        let Books { started, start, ref locals, .. } = self.t.books[slot as usize];
        let mut actions = Vec::new();
        for (param, (ty, value)) in other.code.body.params.iter().zip(args) {
            let to = locals[param.as_u32() as usize];
            let wanted = self.t.code.body.locals[to].ty;
            let value = match *ty == wanted {
                true => value.clone(),
                false => Expr::cast(wanted, value.clone()),
            };
            actions.push(Action::Assign { to, value });
        }
        actions.push(Action::Assign { to: started, value: Expr::TRUE });
        actions.push(Action::Assign { to: start, value: Expr::Local(self.t.code.k) });
        let mut at = at;
        for action in actions {
            at = self.t.code.then(at, action, step.edge.span);
        }
        let origin = origin_of(self.t.slots, self.slot, step.at, Some(slot));
        self.t.code.edge_of(at, Action::Assign { to, value }, step.to, step.edge.span, origin);
    }

    /// Waits for the thread named, whichever it is.
    fn join(&mut self, step: &Step<'_>, thread: Expr, to: Option<LocalId>) {
        let others = self.t.slots.list.iter().enumerate();
        let others: Vec<u32> = others
            .filter(|(slot, other)| other.can_be_joined() && *slot as u32 != self.slot)
            .map(|(slot, _)| slot as u32)
            .collect();
        if others.is_empty() {
            // There is nobody whose end it could see.
            self.t.code.edge(step.from, Action::Halt, self.stop, Span::NONE);
        }
        let k = Expr::Local(self.t.code.k);
        for slot in others {
            let Books { done, end, due, result, .. } = self.t.books[slot as usize];
            let named = Expr::binary(BinaryOp::Eq, thread.clone(), self.t.memory.identity(slot));
            let mut actions = vec![Action::Assume(named)];
            if slot < self.slot {
                let before = Expr::binary(BinaryOp::Le, Expr::Local(end), k.clone());
                actions.push(Action::Assume(and(Expr::Local(done), before)));
            } else {
                let due = Expr::Local(due);
                let earlier = Expr::binary(BinaryOp::Lt, due.clone(), k.clone());
                let value = Expr::ite(earlier, due, k.clone());
                let to = self.t.books[slot as usize].due;
                actions.push(Action::Assign { to, value });
            }
            actions.push(match to {
                Some(to) => Action::Assign { to, value: self.returned(result, to) },
                None => Action::Skip,
            });
            self.chain(step, step.from, actions);
        }
        if self.checks(Property::Memory) {
            let none = Expr::Const(Const::Int(0, self.t.memory.thread));
            let at = self.t.code.assume(step.from, Expr::binary(BinaryOp::Eq, thread, none));
            self.wrong(step, at);
        }
    }

    /// What a thread returned, as a value for this local.
    pub fn returned(&self, result: Option<LocalId>, to: LocalId) -> Expr {
        let wanted = self.t.code.body.locals[to].ty;
        match result {
            None => Expr::Const(Const::zero(wanted)),
            Some(result) if self.t.code.body.locals[result].ty == wanted => Expr::Local(result),
            Some(result) => Expr::cast(wanted, Expr::Local(result)),
        }
    }

    /// The thread ends. That of `main` would end the program, which others need not see.
    fn end(&mut self, at: LocationId, value: Option<Expr>, origin: Option<Origin>, span: Span) {
        if self.me().main && origin.is_none() {
            self.t.code.edge(at, Action::Halt, self.stop, span);
            return;
        }
        let Books { done, end, result, .. } = self.t.books[self.slot as usize];
        let mut at = at;
        if let Some(result) = result {
            let ty = self.t.code.body.locals[result].ty;
            let value = value.unwrap_or(Expr::Const(Const::zero(ty)));
            at = self.t.code.assume(at, Expr::binary(BinaryOp::Eq, Expr::Local(result), value));
        }
        at = self.t.code.assign(at, end, Expr::Local(self.t.code.k));
        let action = Action::Assign { to: done, value: Expr::TRUE };
        self.t.code.edge_of(at, action, self.stop, span, origin);
    }
}

/// Whether doing the action can go wrong.
pub fn may_fault(program: &Program, body: &Procedure, action: &Action) -> bool {
    let frees = matches!(action, Action::Free { .. });
    let leads_astray = action.place().is_some_and(|place| place.direct().is_none());
    frees || leads_astray || may_divide(program, body, action)
}

/// Whether there are operands for which what it computes is undefined.
pub fn may_divide(program: &Program, body: &Procedure, action: &Action) -> bool {
    let mut may = false;
    action.for_each_expr(&mut |expr| {
        expr.walk(&mut |e| {
            if let Expr::Binary(op, left, right) = e {
                use BinaryOp::{Div, Ge, Gt, Le, Lt, PtrSub, Rem};
                may |= match op {
                    Div | Rem => !matches!(**right, Expr::Const(Const::Int(by, int))
                        if by != 0 && i128::from(by) <= int.max()),
                    PtrSub => true,
                    Lt | Le | Gt | Ge => left.ty(program, body) == Type::Ptr,
                    _ => false,
                };
            }
        });
    });
    may
}
