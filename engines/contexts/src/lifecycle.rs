//! Threads start others, wait for them, and end. `sequentialize` says why that needs no copies.

use selvedge_ir::{
    Action, BinaryOp, Const, Expr, LocalId, LocationId, ProcId, Property, Span, Type,
};
use selvedge_sequential::Origin;

use super::code::and;
use super::emission::{Emission, Step};
use super::translation::Books;

impl Emission<'_, '_> {
    /// The first slot that is free gets the thread.
    pub fn spawn(&mut self, step: &Step<'_>, to: LocalId, entry: ProcId, args: &[(Type, Expr)]) {
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
        let origin = self.t.origin(self.slot, step.at, Some(slot));
        self.t.code.edge_of(at, Action::Assign { to, value }, step.to, step.edge.span, origin);
    }

    /// Waits for the thread named, whichever it is.
    pub fn join(&mut self, step: &Step<'_>, thread: Expr, to: Option<LocalId>) {
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
    pub fn end(&mut self, at: LocationId, value: Option<Expr>, origin: Option<Origin>, span: Span) {
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
