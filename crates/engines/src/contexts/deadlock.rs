//! Deadlocks: nobody can move, and somebody waits.
//!
//! A deadlock is a state, and nothing happens after it. So it is decided at the start whether the
//! execution is to end in one; then a thread may stop only where it waits, and notes where. When all
//! have run, the maps of the last contexts hold the last state, and it is checked that each thread
//! has ended, or was never started, or waits in vain: the lock is held, the thread to be joined has
//! not ended, or the atomic block comes to a condition that does not hold.
//!
//! Only code that waits in one way is considered: a block with inputs, choices, or effects before
//! its condition is taken as not waiting, so such a deadlock is not found.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, Const, Edge, Expr, Grain, Int, LocalId, Location, LocationId, Mode,
    Procedure, Span, Type,
};

use super::code::{Code, and, or};
use super::memory::{Maps, in_map};
use super::points::Points;
use super::sequentialize::{Books, Translation};
use super::thread::Emission;

/// What is kept about the end of the execution.
#[derive(Clone, Debug)]
pub struct Dead {
    /// The execution ends in a deadlock.
    wanted: LocalId,
    /// By slot: where its thread waits, counted from 1; 0 if it does not.
    waits: Vec<LocalId>,
    /// By slot: the locations where a thread can wait.
    sites: Vec<Vec<LocationId>>,
}

const SITE: Int = Int::U16;

impl Dead {
    pub fn new(code: &mut Code, bodies: &[&Procedure]) -> Dead {
        let wanted = code.body.add_local("#deadlock", Type::Bool, false);
        let waits = (1..=bodies.len())
            .map(|slot| code.body.add_local(format!("#T{slot}.waits"), Type::Int(SITE), false));
        let waits = waits.collect();
        Dead { wanted, waits, sites: bodies.iter().map(|body| waiting(body)).collect() }
    }

    pub fn start(&self, code: &mut Code, at: LocationId) -> LocationId {
        let at = code.then(at, Action::Havoc { to: self.wanted }, Span::NONE);
        self.waits.iter().fold(at, |at, &to| code.assign(at, to, Expr::int(0, SITE)))
    }

    /// A thread may stop for any other reason only if no deadlock is wanted.
    pub fn stop(&self) -> Action {
        Action::Assume(Expr::Local(self.wanted).not())
    }

    /// The thread of a slot may stop where it waits.
    pub fn stop_waiting(
        &self,
        code: &mut Code,
        slot: u32,
        location: LocationId,
        at: LocationId,
        stop: LocationId,
    ) {
        let Some(index) = self.sites[slot as usize].iter().position(|site| *site == location)
        else {
            return;
        };
        let at = code.assume(at, Expr::Local(self.wanted));
        let value = Expr::int(index as i128 + 1, SITE);
        let action = Action::Assign { to: self.waits[slot as usize], value };
        code.edge(at, action, stop, Span::NONE);
    }
}

/// The locations where a thread has nothing to do but wait.
fn waiting(body: &Procedure) -> Vec<LocationId> {
    let waits = |location: &Location| {
        location.grain != Grain::Atomic
            && match &location.edges[..] {
                [edge] => {
                    matches!(
                        edge.action,
                        Action::Lock { .. } | Action::Join { .. } | Action::Wait(_)
                    ) || body.locations[edge.target].grain == Grain::Atomic
                }
                _ => false,
            }
    };
    body.locations.iter().filter(|(_, location)| waits(location)).map(|(at, _)| at).collect()
}

impl Translation<'_> {
    /// Behind the last thread: if a deadlock is wanted, it must be one.
    pub fn check_deadlock(&mut self, at: LocationId, points: &[Points]) -> LocationId {
        let Some(dead) = self.dead.clone() else { return at };
        let end = self.code.location();
        self.code.edge(at, dead.stop(), end, Span::NONE);
        let mut at = self.code.assume(at, Expr::Local(dead.wanted));
        for (slot, points) in points.iter().enumerate() {
            let next = self.code.location();
            let Books { started, done, .. } = self.books[slot];
            self.code.edge(at, Action::Assume(Expr::Local(done)), next, Span::NONE);
            if !self.slots.list[slot].initial {
                let never = Expr::Local(started).not();
                self.code.edge(at, Action::Assume(never), next, Span::NONE);
            }
            for (index, &site) in dead.sites[slot].iter().enumerate() {
                let number = Expr::int(index as i128 + 1, SITE);
                let here = Expr::binary(BinaryOp::Eq, Expr::Local(dead.waits[slot]), number);
                let from = self.code.assume(at, here);
                Emission::new(self, slot as u32, points, next).waits_in_vain(site, from, next);
            }
            at = next;
        }
        let waits =
            |&local: &LocalId| Expr::binary(BinaryOp::Ne, Expr::Local(local), Expr::int(0, SITE));
        let somebody = dead.waits.iter().map(waits).reduce(or).unwrap_or(Expr::FALSE);
        let at = self.code.assume(at, somebody);
        let wrong = Action::Assign { to: self.code.error, value: Expr::TRUE };
        self.code.edge(at, wrong, end, Span::NONE);
        end
    }
}

impl Emission<'_, '_> {
    /// Goes on to `next` if what leaves the location cannot be done in the last state.
    fn waits_in_vain(&mut self, site: LocationId, from: LocationId, next: LocationId) {
        let code = self.me().code.clone();
        let body = &code.body;
        let mut copies: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        copies.insert(site, from);
        let mut open = vec![site];
        while let Some(location) = open.pop() {
            let data = &body.locations[location];
            if !determined(data) {
                continue;
            }
            let at = copies[&location];
            for edge in &data.edges {
                let inside = body.locations[edge.target].grain == Grain::Atomic;
                let to = *copies.entry(edge.target).or_insert_with(|| {
                    if inside {
                        open.push(edge.target);
                    }
                    self.t.code.location()
                });
                self.tried(edge, at, to, next);
            }
        }
        // Who comes out of the block, or to something that is not followed, does not wait.
        for (_, at) in copies {
            if self.t.code.body.locations[at].edges.is_empty() {
                self.t.code.edge(at, Action::Halt, next, Span::NONE);
            }
        }
    }

    /// One action in the last state, as far as it has no effect.
    fn tried(&mut self, edge: &Edge, at: LocationId, to: LocationId, next: LocationId) {
        let span = edge.span;
        let none = Expr::Const(Const::Int(0, self.t.memory.thread));
        match &edge.action {
            Action::Skip => {
                self.t.code.edge(at, Action::Skip, to, span);
            }
            Action::Assume(e) => {
                let condition = self.expr(e);
                self.t.code.edge(at, Action::Assume(condition), to, span);
            }
            Action::Assign { to: local, value } => {
                let (local, value) = (self.local(*local), self.expr(value));
                self.t.code.edge(at, Action::Assign { to: local, value }, to, span);
            }
            Action::Wait(e) => {
                let condition = self.expr(e);
                self.t.code.edge(at, Action::Assume(condition.clone()), to, span);
                self.t.code.edge(at, Action::Assume(condition.not()), next, span);
            }
            Action::Load { to: local, from, .. } => {
                let (local, from) = (self.local(*local), self.place(from));
                if let Some(from) = self.last(&from) {
                    let action = Action::Load { to: local, from, mode: Mode::Plain };
                    self.t.code.edge(at, action, to, span);
                }
            }
            Action::Lock { lock } => {
                let lock = self.place(lock);
                if let Some(from) = self.last(&lock) {
                    let holder = self.t.code.temporary(lock.ty, 1);
                    let action = Action::Load { to: holder, from, mode: Mode::Plain };
                    let at = self.t.code.then(at, action, span);
                    let held = Expr::binary(BinaryOp::Ne, Expr::Local(holder), none);
                    self.t.code.edge(at, Action::Assume(held), next, span);
                }
            }
            Action::Join { thread, .. } => {
                let thread = self.expr(thread);
                for slot in 0..self.t.slots.list.len() {
                    let identity = self.t.memory.identity(slot as u32);
                    let named = Expr::binary(BinaryOp::Eq, thread.clone(), identity);
                    let waits = and(named, Expr::Local(self.t.books[slot].done).not());
                    self.t.code.edge(at, Action::Assume(waits), next, span);
                }
            }
            _ => {}
        }
    }

    /// The place in the last state.
    fn last(&self, place: &selvedge_ir::Place) -> Option<selvedge_ir::Place> {
        match &self.t.memory.maps[place.region?] {
            Maps::One(map) => Some(in_map(place, *map)),
            Maps::Each(maps) => maps.last().map(|map| in_map(place, *map)),
            Maps::None | Maps::Untracked(_) => None,
        }
    }
}

/// Whether at most one edge can be taken.
fn determined(location: &Location) -> bool {
    match &location.edges[..] {
        [_] => true,
        [Edge { action: Action::Assume(a), .. }, Edge { action: Action::Assume(b), .. }] => {
            a.clone().not() == *b || b.clone().not() == *a
        }
        _ => false,
    }
}
