//! A thread tries to go on in the last state, to show that it is blocked.
//!
//! All paths of a [`Trial`] are tried one after another. The effects of each are undone before the
//! next, and in the end, because other threads are looked at in the same state.

use selvedge_ir::{
    Action, BinaryOp, Const, Edge, EdgeId, Expr, LocalId, LocationId, Mode, Place, Procedure, Span,
    Type,
};

use super::code::and;
use super::emission::Emission;
use super::memory::{Maps, in_map};
use super::trial::{Behind, Trial, is_branch};

/// Where old values are kept: beyond the temporaries of single actions.
const KEPT: u32 = 1000;

/// What had another value before, and where that is kept.
enum Undo {
    Local(LocalId, LocalId),
    Place(Place, LocalId),
}

/// Where to go on when a way has ended, with what was done taken back but for the first few.
#[derive(Clone, Copy)]
struct Back {
    to: LocationId,
    keep: usize,
}

pub struct Attempt<'t, 'a> {
    emission: Emission<'t, 'a>,
    /// Set where a way ends with a wait, not with an assumption.
    waiting: LocalId,
    done: Vec<Undo>,
}

impl<'t, 'a> Attempt<'t, 'a> {
    pub fn new(emission: Emission<'t, 'a>, waiting: LocalId) -> Attempt<'t, 'a> {
        Attempt { emission, waiting, done: Vec::new() }
    }

    /// Leads from `from` to `to` if no way can be gone.
    pub fn in_vain(&mut self, trial: &Trial, from: LocationId, to: LocationId) {
        let code = self.emission.me().code.clone();
        self.all(&code.body, trial, from, Back { to, keep: 0 });
    }

    fn all(&mut self, body: &Procedure, trial: &Trial, from: LocationId, back: Back) {
        let location = &body.locations[trial.at];
        let edges = location.edges.iter().enumerate();
        let edges = edges.map(|(i, edge)| (EdgeId { from: trial.at, index: i as u32 }, edge));
        let ways = edges.zip(&trial.behind);
        if is_branch(location) {
            for ((_, edge), behind) in ways {
                if let Action::Assume(condition) = &edge.action {
                    let condition = self.emission.expr(condition);
                    let at = self.then(from, Action::Assume(condition), edge.span);
                    self.behind(body, behind, at, back);
                }
            }
            return;
        }
        let mut at = from;
        for (index, (edge, behind)) in ways.enumerate() {
            let last = index + 1 == trial.behind.len();
            let after = if last { back.to } else { self.emission.t.code.location() };
            let keep = if last { back.keep } else { self.done.len() };
            self.way(body, edge, behind, at, Back { to: after, keep });
            at = after;
        }
    }

    /// One way on. Where an action goes wrong, or the thread moves, nobody waits in vain.
    fn way(
        &mut self,
        body: &Procedure,
        (id, edge): (EdgeId, &Edge),
        behind: &Behind,
        at: LocationId,
        back: Back,
    ) {
        let before = self.done.len();
        match &edge.action {
            Action::Havoc { to } if body.locals[*to].ty == Type::Bool => {
                let to = self.emission.local(*to);
                let other = self.emission.t.code.location();
                let again = Back { to: other, keep: self.done.len() };
                for (at, value, back) in [(at, Expr::FALSE, again), (other, Expr::TRUE, back)] {
                    let at = self.assign(at, to, value);
                    self.behind(body, behind, at, back);
                    self.done.truncate(before);
                }
            }
            _ => match self.action(id, edge, at, back) {
                Some(next) => self.behind(body, behind, next, back),
                None => self.behind(body, &Behind::Lost, at, back),
            },
        }
        self.done.truncate(before);
    }

    fn behind(&mut self, body: &Procedure, behind: &Behind, at: LocationId, back: Back) {
        match behind {
            Behind::Block(trial) => self.all(body, trial, at, back),
            Behind::Free | Behind::Lost => {
                self.emission.t.code.edge(at, Action::Halt, back.to, Span::NONE);
            }
        }
    }

    /// Does an action that may block; gives where it has been done, if it can be.
    fn action(
        &mut self,
        id: EdgeId,
        edge: &Edge,
        at: LocationId,
        back: Back,
    ) -> Option<LocationId> {
        let span = edge.span;
        match &edge.action {
            Action::Skip | Action::Fence(_) => Some(at),
            Action::Assume(e) | Action::Wait(e) => {
                let condition = self.emission.expr(e);
                let fails = self.then(at, Action::Assume(condition.clone().not()), span);
                match edge.action {
                    Action::Wait(_) => self.waits(fails, back),
                    _ => self.give_up(fails, back),
                }
                Some(self.then(at, Action::Assume(condition), span))
            }
            Action::Assert { cond, .. } => {
                let holds = Action::Assume(self.emission.expr(cond));
                Some(self.then(at, holds, span))
            }
            Action::Assign { to, value } => {
                let (to, value) = (self.emission.local(*to), self.emission.expr(value));
                Some(self.assign(at, to, value))
            }
            Action::Load { to, from, .. } => {
                let (to, from) = (self.emission.local(*to), self.last(from)?);
                let at = self.keep_local(at, to);
                Some(self.then(at, Action::Load { to, from, mode: Mode::Plain }, span))
            }
            Action::Store { to, value, .. } => {
                let (to, value) = (self.last(to)?, self.emission.expr(value));
                Some(self.store(at, to, value, span).0)
            }
            Action::Lock { lock } => self.lock(lock, at, span, back),
            Action::Unlock { lock } => {
                let lock = self.last(lock)?;
                let (at, held) = self.store(at, lock, self.nobody(), span);
                let me = self.emission.t.memory.identity(self.emission.slot);
                let mine = Expr::binary(BinaryOp::Eq, Expr::Local(held), me);
                Some(self.then(at, Action::Assume(mine), span))
            }
            Action::Join { thread, to } => self.join(thread, *to, at, back),
            Action::Alloc { to, storage, layout, size, zeroed } => {
                let (to, size) = (self.emission.local(*to), self.emission.expr(size));
                let (storage, layout, zeroed) = (*storage, *layout, *zeroed);
                let at = self.keep_local(at, to);
                let action = Action::Alloc { to, storage, layout, size, zeroed };
                let (next, like) = (self.emission.t.code.location(), self.emission.like(id));
                self.emission.t.code.edge_of(at, action, next, span, like);
                Some(next)
            }
            _ => None,
        }
    }

    fn lock(&mut self, lock: &Place, at: LocationId, span: Span, back: Back) -> Option<LocationId> {
        let lock = self.last(lock)?;
        let holder = self.emission.t.code.temporary(lock.ty, 1);
        let load = Action::Load { to: holder, from: lock.clone(), mode: Mode::Plain };
        let at = self.then(at, load, span);
        let free = Expr::binary(BinaryOp::Eq, Expr::Local(holder), self.nobody());
        let held = self.then(at, Action::Assume(free.clone().not()), span);
        self.waits(held, back);
        let at = self.then(at, Action::Assume(free), span);
        let me = self.emission.t.memory.identity(self.emission.slot);
        Some(self.store(at, lock, me, span).0)
    }

    fn join(
        &mut self,
        thread: &Expr,
        to: Option<LocalId>,
        mut at: LocationId,
        back: Back,
    ) -> Option<LocationId> {
        let thread = self.emission.expr(thread);
        let to = to.map(|to| self.emission.local(to));
        let before = self.done.len();
        if let Some(to) = to {
            at = self.keep_local(at, to);
        }
        let kept = self.done.split_off(before);
        let next = self.emission.t.code.location();
        for slot in 0..self.emission.t.slots.list.len() {
            let identity = self.emission.t.memory.identity(slot as u32);
            let named = Expr::binary(BinaryOp::Eq, thread.clone(), identity);
            let (done, result) =
                (self.emission.t.books[slot].done, self.emission.t.books[slot].result);
            let ended = Expr::Local(done);
            let waits = Action::Assume(and(named.clone(), ended.clone().not()));
            let waits = self.then(at, waits, Span::NONE);
            self.waits(waits, back);
            let passed = self.then(at, Action::Assume(and(named, ended)), Span::NONE);
            let action = match to {
                Some(to) => Action::Assign { to, value: self.emission.returned(result, to) },
                None => Action::Skip,
            };
            self.emission.t.code.edge(passed, action, next, Span::NONE);
        }
        self.done.extend(kept);
        Some(next)
    }

    fn nobody(&self) -> Expr {
        Expr::Const(Const::Int(0, self.emission.t.memory.thread))
    }

    fn then(&mut self, at: LocationId, action: Action, span: Span) -> LocationId {
        self.emission.t.code.then(at, action, span)
    }

    /// This way ends with a wait.
    fn waits(&mut self, at: LocationId, back: Back) {
        let at = self.emission.t.code.assign(at, self.waiting, Expr::TRUE);
        self.give_up(at, back);
    }

    /// Takes back what was done.
    fn give_up(&mut self, mut at: LocationId, back: Back) {
        for undo in self.done[back.keep..].iter().rev() {
            let action = match undo {
                Undo::Local(to, kept) => Action::Assign { to: *to, value: Expr::Local(*kept) },
                Undo::Place(to, kept) => {
                    let (to, value) = (to.clone(), Expr::Local(*kept));
                    Action::Store { to, value, mode: Mode::Plain }
                }
            };
            at = self.emission.t.code.then(at, action, Span::NONE);
        }
        self.emission.t.code.edge(at, Action::Skip, back.to, Span::NONE);
    }

    fn kept(&mut self, ty: Type) -> LocalId {
        self.emission.t.code.temporary(ty, KEPT + self.done.len() as u32)
    }

    fn keep_local(&mut self, at: LocationId, local: LocalId) -> LocationId {
        let ty = self.emission.t.code.body.locals[local].ty;
        let kept = self.kept(ty);
        self.done.push(Undo::Local(local, kept));
        self.emission.t.code.assign(at, kept, Expr::Local(local))
    }

    fn assign(&mut self, at: LocationId, to: LocalId, value: Expr) -> LocationId {
        let at = self.keep_local(at, to);
        self.emission.t.code.assign(at, to, value)
    }

    /// Also gives where the old content is kept.
    fn store(
        &mut self,
        at: LocationId,
        to: Place,
        value: Expr,
        span: Span,
    ) -> (LocationId, LocalId) {
        let kept = self.kept(to.ty);
        self.done.push(Undo::Place(to.clone(), kept));
        let load = Action::Load { to: kept, from: to.clone(), mode: Mode::Plain };
        let at = self.then(at, load, span);
        (self.then(at, Action::Store { to, value, mode: Mode::Plain }, span), kept)
    }

    /// The place in the last state.
    fn last(&self, place: &Place) -> Option<Place> {
        let place = self.emission.place(place);
        match &self.emission.t.memory.maps[place.region?] {
            Maps::One(map) => Some(in_map(&place, *map)),
            Maps::Each(maps) => maps.last().map(|map| in_map(&place, *map)),
            Maps::None | Maps::Untracked(_) => None,
        }
    }
}
