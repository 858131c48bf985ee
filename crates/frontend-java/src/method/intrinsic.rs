//! What models say in the name of `selvedge.Intrinsics`: what Plato has and Java has not.

use selvedge_ir::{Action, BinaryOp, Callee, Expr, Grain, Type};
use selvedge_java_classes::{JavaType, Kind};

use super::Method;
use crate::reach::condition;
use crate::value::{Value, fit, test};

impl Method<'_, '_, '_> {
    pub(super) fn intrinsic(&mut self, name: &str, args: Vec<Value>) {
        match (name, args.as_slice()) {
            ("atomicBegin", []) => self.body.atomic = true,
            ("atomicEnd", []) => self.atomic_end(),
            ("await", [condition]) => {
                let condition = fit(condition.expr.clone(), condition.ty, Type::Bool);
                self.body.act(Action::Wait(condition));
            }
            ("assume", [condition]) => {
                let condition = fit(condition.expr.clone(), condition.ty, Type::Bool);
                self.body.act(Action::Assume(condition));
            }
            ("anyBoolean", []) => self.any(&JavaType::Boolean),
            ("anyInt", []) => self.any(&JavaType::Int),
            ("anyLong", []) => self.any(&JavaType::Long),
            ("halt", []) => self.body.end(Action::Halt),
            ("unsupported", [what]) => {
                let what = self.text(what).unwrap_or_default();
                self.unsupported(&what);
            }
            ("checks" | "uses", asked) => {
                let texts: Vec<String> = asked.iter().filter_map(|one| self.text(one)).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let condition = condition(name, &texts);
                let holds = condition.is_some_and(|asked| self.program.reach.holds(&asked));
                self.push_bool(Expr::Const(selvedge_ir::Const::Bool(holds)));
            }
            _ => self.of_threads(name, &args),
        }
    }

    fn of_threads(&mut self, name: &str, args: &[Value]) {
        match (name, args) {
            ("none", []) => {
                let none = Expr::Const(selvedge_ir::Const::NoThread);
                self.push(Value::of(none, Type::Thread));
            }
            ("self", []) => self.push(Value::of(Expr::Tid, Type::Thread)),
            ("same", [a, b]) => {
                self.push_bool(test(BinaryOp::Eq, a.expr.clone(), b.expr.clone()));
            }
            ("spawn", [thread]) => {
                let entry = Callee::Direct(self.program.thread_entry());
                let to = self.body.temp(Type::Thread);
                let args = vec![thread.expr.clone()];
                self.body.act(Action::Spawn { to, entry, args });
                self.push(Value::of(Expr::Local(to), Type::Thread));
            }
            ("join", [thread]) => {
                let thread = thread.expr.clone();
                self.body.act(Action::Join { thread, to: None });
            }
            ("lock", [object]) => self.lock(object, true),
            ("unlock", [object]) => self.lock(object, false),
            ("tryLock", [object]) => self.try_lock(object),
            ("isLocked", [object]) => {
                let owner = self.owner(&object.expr);
                let none = Expr::Const(selvedge_ir::Const::NoThread);
                self.push_bool(Expr::binary(BinaryOp::Ne, owner, none));
            }
            ("holds", [object]) => {
                let holds = self.holds(&object.expr);
                self.push_bool(holds);
            }
            _ => self.unsupported(&format!("the intrinsic {name}")),
        }
    }

    /// The text of a string constant.
    fn text(&self, value: &Value) -> Option<String> {
        let object = value.expr.base()?;
        self.program.text(object).map(str::to_owned)
    }

    fn any(&mut self, ty: &JavaType) {
        let scalar = crate::value::local(ty);
        let to = self.body.temp(scalar);
        self.body.act(Action::Havoc { to });
        let kind: Kind = ty.kind();
        let value = fit(Expr::Local(to), scalar, crate::value::stacked(kind));
        self.push(Value::kind(value, kind));
    }

    /// The place behind the block is one at which others may run.
    fn atomic_end(&mut self) {
        self.body.atomic = false;
        let inside = self.body.at.map(|at| self.body.procedure.locations[at].grain);
        if inside == Some(Grain::Atomic) {
            self.body.act(Action::Skip);
        }
    }
}
