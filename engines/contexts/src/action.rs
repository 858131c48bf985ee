//! One edge of a thread's code, as edges of the sequential program.

use selvedge_ir::{Action, Callee, Const, Edge, EdgeId, Expr, LocalId, LocationId, Property, Type};

use super::emission::{Emission, Step};
use super::faults::may_fault;

impl Emission<'_, '_> {
    /// One edge of the code, behind the question whether the object that it accesses is alive.
    pub fn step(&mut self, step: &Step<'_>) {
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

    fn action(&mut self, step: &Step<'_>) {
        match &step.edge.action {
            Action::Skip | Action::Fence(_) => self.simple(step, Action::Skip),
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
            Action::Spawn { entry: callee, .. } | Action::Call { callee, .. } => {
                let result = step.edge.action.assigned().map(|to| self.local(to));
                self.simple(step, self.call(callee, result));
            }
            Action::Unsupported { what } => {
                self.simple(step, Action::Unsupported { what: what.clone() });
            }
            Action::Ghost(ghost) => {
                self.simple(step, Action::Unsupported { what: ghost.what().to_owned() });
            }
        }
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

    /// Leads what goes wrong among the edges of a step to an error.
    pub fn faults(&mut self, step: &Step<'_>, mark: usize) {
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

    /// What is left of a call once the procedures that fit have branches of their own: it goes wrong,
    /// unless the pointer is the address of a procedure after all.
    fn call(&self, callee: &Callee, to: Option<LocalId>) -> Action {
        match callee {
            Callee::Indirect(pointer) => {
                let callee = Callee::Indirect(self.expr(pointer));
                Action::Call { to, callee, args: Vec::new() }
            }
            Callee::Direct(_) => Action::Unsupported { what: "a procedure not known".into() },
        }
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
}
