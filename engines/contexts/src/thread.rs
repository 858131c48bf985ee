//! One thread inside the sequential program: a copy of its code with scheduling points.

use selvedge_ir::{Action, Const, EdgeId, Expr, LocationId, Procedure, Property, Span};

use super::bypass::Bypass;
use super::emission::{Emission, Step};
use super::waits::DeadlockState;

/// By location of a thread's code: its copy in the sequential program.
struct Copies(Vec<LocationId>);

impl Copies {
    fn of(&self, location: LocationId) -> LocationId {
        self.0[location.as_u32() as usize]
    }
}

impl Emission<'_, '_> {
    /// Emits the thread's code, which is entered from `start`.
    pub fn emit(mut self, start: LocationId) {
        let code = self.me().code.clone();
        let body = &code.body;
        let copies = self.copies(body);
        self.t.code.edge(start, Action::Skip, copies.of(body.entry), Span::NONE);
        for location in body.locations.keys() {
            if !self.route.bypasses.leave_out(location) {
                self.location(body, &copies, location);
            }
        }
        let result = body.result.map(Expr::Local).map(|e| self.expr(&e));
        self.end(copies.of(body.exit), result, None, Span::NONE);
    }

    fn copies(&mut self, body: &Procedure) -> Copies {
        // Nothing leads to what is left out.
        let absent = |at| self.route.bypasses.leave_out(at);
        let copy = |at| if absent(at) { self.stop } else { self.t.code.location() };
        Copies(body.locations.keys().map(copy).collect())
    }

    fn location(&mut self, body: &Procedure, copies: &Copies, location: LocationId) {
        let here = copies.of(location);
        if let Some(dead) = &self.t.dead {
            dead.stop_waiting(&mut self.t.code, self.slot, location, here, self.stop);
        }
        self.races(here, location);
        let from = self.schedule(here, location);
        self.block_races(from, location);
        match self.route.bypasses.from(location) {
            Some(bypass) => self.go_past(bypass, from, copies.of(bypass.detour.end)),
            None => self.edges(body, copies, location, from),
        }
        // Last, so that stopping is what a solver tries first: it takes no decision.
        let points = &self.route.points;
        if points.switches.contains(location) || points.stops.contains(location) {
            let stop = self.t.dead.as_ref().map_or(Action::Skip, DeadlockState::stop);
            self.t.code.edge(here, stop, self.stop, Span::NONE);
        }
    }

    /// Goes past a detour. What it would have assigned is looked at behind it by what makes no
    /// difference, so any value will do.
    fn go_past(&mut self, bypass: &Bypass, mut from: LocationId, to: LocationId) {
        for &local in &bypass.unknown {
            let ty = self.t.memory.scalar(self.me().code.body.locals[local].ty);
            let value = Expr::Const(Const::zero(ty));
            let action = Action::Assign { to: self.local(local), value };
            from = self.t.code.then(from, action, Span::NONE);
        }
        self.t.code.edge(from, Action::Skip, to, Span::NONE);
    }

    /// The context may change here, or is given; gives where the thread goes on.
    fn schedule(&mut self, mut from: LocationId, location: LocationId) -> LocationId {
        let points = &self.route.points;
        if let Some(&context) = points.given.get(&location) {
            let go = self.t.code.location();
            let context = self.t.code.number(context);
            self.t.code.enter(from, context, self.slot, go);
            from = go;
        }
        let counts = self.contexts() > 1 || self.t.claim.is_some();
        if points.switches.contains(location) && counts {
            let go = self.t.code.location();
            let in_time = self.t.claim.map(|claim| claim.in_time(Expr::Local(self.t.code.next)));
            self.t.code.switch(from, self.contexts(), self.slot, in_time, go);
            from = go;
        }
        from
    }

    fn edges(&mut self, body: &Procedure, copies: &Copies, location: LocationId, from: LocationId) {
        for (index, edge) in body.locations[location].edges.iter().enumerate() {
            let at = EdgeId { from: location, index: index as u32 };
            let step = Step { at, edge, from, to: copies.of(edge.target) };
            let mark = self.t.code.mark();
            self.step(&step);
            if self.checks(Property::Memory) {
                self.faults(&step, mark);
            }
        }
    }
}
