//! The code of one thread inside the sequential program, as it is emitted: how its locals,
//! expressions and places are renamed, and how an edge of it becomes a chain of edges.

use selvedge_ir::{
    Action, Edge, EdgeId, Expr, LocalId, LocationId, Place, Property, RegionId, Type,
};
use selvedge_sequential::Origin;

use super::memory::Maps;
use super::route::Route;
use super::slots::Slot;
use super::translation::Translation;

/// The emission of one slot's code.
pub struct Emission<'t, 'a> {
    pub t: &'t mut Translation<'a>,
    pub slot: u32,
    pub route: &'t Route,
    /// Where the thread goes when it stops for good.
    pub stop: LocationId,
    /// What is emitted stands for nothing that the thread does.
    pub silent: bool,
}

/// An edge of the slot's code, to be emitted between two locations.
pub struct Step<'e> {
    pub at: EdgeId,
    pub edge: &'e Edge,
    pub from: LocationId,
    pub to: LocationId,
}

impl<'t, 'a> Emission<'t, 'a> {
    pub fn new(
        t: &'t mut Translation<'a>,
        slot: u32,
        route: &'t Route,
        stop: LocationId,
    ) -> Emission<'t, 'a> {
        Emission { t, slot, route, stop, silent: false }
    }

    pub fn me(&self) -> &'a Slot {
        &self.t.slots.list[self.slot as usize]
    }

    pub fn contexts(&self) -> u32 {
        self.t.contexts(self.slot)
    }

    /// The contexts that the thread can be in before an edge: the one given, the first, or any.
    pub fn possible(&self, at: EdgeId) -> std::ops::Range<usize> {
        if let Some(&context) = self.route.points.given.get(&at.from) {
            return context as usize - 1..context as usize;
        }
        let unknown = !self.me().initial
            || self.route.points.switched.contains(at.from)
            || self.route.points.switches.contains(at.from);
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

    pub fn typed(&self, expr: &Expr) -> (Type, Expr) {
        let ty = expr.ty(&self.t.prepared.program, &self.me().code.body);
        (self.t.memory.scalar(ty), self.expr(expr))
    }

    pub fn origin(&self, at: EdgeId) -> Option<Origin> {
        if self.silent {
            return None;
        }
        self.t.origin(self.slot, at, None)
    }

    /// Of an edge that is only tried.
    pub fn like(&self, at: EdgeId) -> Option<Origin> {
        let &(procedure, edge) = self.me().code.origins.get(&at)?;
        Some(Origin::Like { procedure, edge })
    }

    pub fn checks(&self, property: Property) -> bool {
        self.t.plan.checks(property)
    }

    /// One action that stands for the edge.
    pub fn simple(&mut self, step: &Step<'_>, action: Action) {
        let origin = self.origin(step.at);
        self.t.code.edge_of(step.from, action, step.to, step.edge.span, origin);
    }

    /// The thread goes wrong here: the error is noted, and it stops.
    pub fn wrong(&mut self, step: &Step<'_>, at: LocationId) {
        if self.silent {
            self.t.code.edge(at, Action::Halt, self.stop, step.edge.span);
            return;
        }
        let origin = self.origin(step.at);
        let action = Action::Assign { to: self.t.code.error, value: Expr::TRUE };
        self.t.code.edge_of(at, action, self.stop, step.edge.span, origin);
    }

    /// Actions one after another, of which the last stands for the edge.
    pub fn chain(
        &mut self,
        step: &Step<'_>,
        mut at: LocationId,
        mut actions: Vec<Action>,
    ) -> EdgeId {
        let last = actions.pop().unwrap_or(Action::Skip);
        for action in actions {
            at = self.t.code.then(at, action, step.edge.span);
        }
        let origin = self.origin(step.at);
        self.t.code.edge_of(at, last, step.to, step.edge.span, origin)
    }

    /// The maps that an access can lead to.
    pub fn maps(&self, place: &Place, at: EdgeId) -> Option<Vec<RegionId>> {
        match &self.t.memory.maps[place.region?] {
            Maps::None | Maps::Untracked(_) => None,
            Maps::One(map) => Some(vec![*map]),
            Maps::Each(maps) => Some(maps[self.possible(at)].to_vec()),
        }
    }

    /// The value that belongs to the current context.
    pub fn by_context(&self, values: Vec<Expr>) -> Expr {
        let mut values = values.into_iter().enumerate().rev();
        let (_, last) = values.next().expect("at least one context");
        values.fold(last, |rest, (i, value)| {
            Expr::ite(self.t.code.in_context(i as u32 + 1), value, rest)
        })
    }

    /// Gives an expression that is used several times a name, unless it is one.
    pub fn evaluate(&mut self, expr: &mut Expr, ty: Type, actions: &mut Vec<Action>) {
        if !matches!(expr, Expr::Local(_) | Expr::Const(_)) {
            let to = self.t.code.temporary(ty, 0);
            let value = std::mem::replace(expr, Expr::Local(to));
            actions.push(Action::Assign { to, value });
        }
    }
}
