//! Monitors: a cell in each object that holds the thread that is inside. Where a thread may be inside
//! already, it looks first, and remembers for itself whether it was: blocks are nested, so nobody
//! needs to count.

use selvedge_ir::{Action, BinaryOp, Expr, LocalId, Mode, Place, Type};

use super::Method;
use super::object::at;
use crate::known::monitor_field;
use crate::monitors::{own, stores};
use crate::value::Value;

impl Method<'_, '_, '_> {
    pub(super) fn monitor(&mut self, object: &Expr) -> Place {
        let offset = self.program.offset(&monitor_field());
        Place::new(at(object.clone(), offset), Type::Thread)
    }

    /// How many monitors the method holds before the instruction at hand.
    fn depth(&self) -> usize {
        self.held[self.at].as_ref().map_or(0, Vec::len)
    }

    fn is_reentrant(&self) -> bool {
        self.program.monitors.reentrant(&self.found.reference())
    }

    fn flag(&mut self, depth: usize) -> LocalId {
        if let Some(known) = self.reentered.get(&depth) {
            return *known;
        }
        let flag = self.body.local(&format!("#inside {depth}"), Type::Bool, false);
        self.reentered.insert(depth, flag);
        flag
    }

    fn enter(&mut self, object: &Expr, depth: usize) {
        let lock = self.monitor(object);
        if !self.is_reentrant() {
            return self.body.act(Action::Lock { lock });
        }
        let inside = self.holds(object);
        let flag = self.flag(depth);
        self.body.assign(flag, inside);
        let otherwise = self.body.branch(Expr::Local(flag).not());
        self.body.act(Action::Lock { lock });
        self.rejoin(otherwise);
    }

    fn leave(&mut self, object: &Expr, depth: usize) {
        let lock = self.monitor(object);
        if !self.is_reentrant() {
            return self.body.act(Action::Unlock { lock });
        }
        let flag = self.flag(depth);
        let otherwise = self.body.branch(Expr::Local(flag).not());
        self.body.act(Action::Unlock { lock });
        self.rejoin(otherwise);
    }

    /// Whether the thread is inside an object's monitor. Only the thread itself can change that.
    pub(super) fn holds(&mut self, object: &Expr) -> Expr {
        Expr::binary(BinaryOp::Eq, self.owner(object), Expr::Tid)
    }

    /// The thread inside of a monitor.
    pub(super) fn owner(&mut self, object: &Expr) -> Expr {
        let from = self.monitor(object);
        let owner = self.body.temp(Type::Thread);
        self.body.act(Action::Load { to: owner, from, mode: Mode::Atomic });
        Expr::Local(owner)
    }

    /// For models: enters if nobody is inside, and tells.
    pub(super) fn try_lock(&mut self, object: &Value) {
        let outer = std::mem::replace(&mut self.body.atomic, true);
        let none = Expr::Const(selvedge_ir::Const::NoThread);
        let owner = self.owner(&object.expr);
        let free = self.body.temp(Type::Bool);
        self.body.assign(free, Expr::binary(BinaryOp::Eq, owner, none));
        let taken = self.body.branch(Expr::Local(free));
        let lock = self.monitor(&object.expr);
        self.body.atomic = outer;
        self.body.act(Action::Lock { lock });
        self.rejoin(taken);
        self.push_bool(Expr::Local(free));
    }

    pub(super) fn monitor_enter(&mut self) {
        let object = self.pop();
        let object = self.kept(object);
        self.not_null(&object);
        let depth = self.depth();
        self.enter(&object.expr, depth);
    }

    pub(super) fn monitor_exit(&mut self) {
        let object = self.pop();
        let object = self.kept(object);
        let depth = self.depth();
        self.leave(&object.expr, depth.saturating_sub(1));
    }

    /// The monitor of a synchronized method.
    fn own_monitor(&mut self) -> Option<Expr> {
        own(&self.found)?;
        Some(match self.found.method().is_static {
            true => {
                let class = self.found.class.name.clone();
                Expr::object(self.program.class_object(&class))
            }
            false => Expr::Local(self.body.procedure.params[0]),
        })
    }

    pub(super) fn start_monitors(&mut self) {
        let overwritten = !self.found.method().is_static && stores(self.code, 0);
        if own(&self.found).is_some() && overwritten {
            return self.unsupported("a synchronized method that uses the slot of `this` again");
        }
        if let Some(object) = self.own_monitor() {
            self.enter(&object, 0);
        }
    }

    pub(super) fn leave_own_monitor(&mut self) {
        if let Some(object) = self.own_monitor() {
            self.leave(&object, 0);
        }
    }

    /// For models: enters or leaves whatever else the thread does.
    pub(super) fn lock(&mut self, object: &Value, enters: bool) {
        let lock = self.monitor(&object.expr);
        self.body.act(if enters { Action::Lock { lock } } else { Action::Unlock { lock } });
    }
}
