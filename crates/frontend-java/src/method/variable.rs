//! Local variables: a local of the procedure for each variable of the source, and for each slot where
//! no debug table names one.

use selvedge_ir::{BinaryOp, Expr, LocalId, Type};
use selvedge_java_classes::Kind;

use super::Method;
use crate::value::{Value, fit, i32, local, stacked};

impl Method<'_, '_, '_> {
    /// The local for a slot, as seen from an instruction.
    fn variable(&mut self, slot: u16, kind: Kind, at: usize) -> LocalId {
        let entry = self.code.variable(slot, at).filter(|entry| entry.ty.kind() == kind);
        let key = match entry {
            Some(entry) => (slot, Some(entry.name.clone()), local(&entry.ty)),
            None => (slot, None, stacked(kind)),
        };
        if let Some(known) = self.variables.get(&key) {
            return *known;
        }
        let found = match &key.1 {
            Some(name) => self.body.local(name, key.2, true),
            None => self.body.local(&format!("slot {slot}"), key.2, false),
        };
        self.variables.insert(key, found);
        found
    }

    pub(super) fn load(&mut self, kind: Kind, slot: u16) {
        let from = self.variable(slot, kind, self.at);
        let ty = self.body.procedure.locals[from].ty;
        let expr = Expr::Local(from);
        let mut value = match ty {
            Type::Thread => Value::of(expr, ty),
            _ => Value::kind(fit(expr, ty, stacked(kind)), kind),
        };
        value.there = self.is_this(slot) || self.there.contains(&from);
        self.push(value);
    }

    pub(super) fn store(&mut self, kind: Kind, slot: u16) {
        let value = self.pop();
        // The variable's range begins behind the store.
        let to = self.variable(slot, kind, self.at + 1);
        let ty = self.body.procedure.locals[to].ty;
        self.protect(to);
        self.body.assign(to, fit(value.expr, value.ty, ty));
        match value.there {
            true => self.there.insert(to),
            false => self.there.remove(&to),
        };
    }

    pub(super) fn increment(&mut self, slot: u16, by: i16) {
        let local = self.variable(slot, Kind::Int, self.at);
        self.protect(local);
        let ty = self.body.procedure.locals[local].ty;
        let old = fit(Expr::Local(local), ty, stacked(Kind::Int));
        let sum = Expr::binary(BinaryOp::Add, old, i32(by.into()));
        self.body.assign(local, fit(sum, stacked(Kind::Int), ty));
    }

    /// What is on the stack keeps the value that a local has now.
    fn protect(&mut self, local: LocalId) {
        for index in 0..self.stack.len() {
            if self.stack[index].expr.locals().contains(&local) {
                self.keep_at(index);
            }
        }
    }
}
