//! Exceptions. One that nothing in the program catches is a violation where it is thrown, if somebody
//! asks for its property; any other goes to the first handler that fits, or ends the call: it then
//! stands in a variable of the thread's that the caller looks at.

use selvedge_ir::BinaryOp;
use selvedge_ir::{Action, Check, CheckKind, Const, Expr, Mode, Place, Property, Type};
use selvedge_java_classes::Handler;

use super::Method;
use crate::reach::NULL_POINTER;
use crate::throws::thrown;
use crate::value::{Value, i32, test};
use crate::world::shown;

impl Method<'_, '_, '_> {
    /// Throws an exception of this class unless a condition holds.
    pub(super) fn check(&mut self, condition: Expr, class: &str) {
        match condition {
            Expr::Const(Const::Bool(true)) => {}
            Expr::Const(Const::Bool(false)) => self.throw_new(class),
            condition => {
                let otherwise = self.body.branch(condition);
                self.aside(otherwise, |method| method.throw_new(class));
            }
        }
    }

    /// Throws unless a reference is not null.
    pub(super) fn not_null(&mut self, value: &Value) {
        if value.there {
            return;
        }
        self.check(test(BinaryOp::Ne, value.expr.clone(), Expr::NULL), NULL_POINTER);
        if let Expr::Local(local) = value.expr {
            self.there.insert(local);
        }
    }

    fn throw_new(&mut self, class: &str) {
        if self.violates(class) {
            return;
        }
        let exception = self.allocate(class);
        self.throw(Value::object(exception, class));
    }

    /// Says that the program is wrong here, if nothing catches what is thrown.
    fn violates(&mut self, class: &str) -> bool {
        let Some(property) = self.program.throws.violated(self.program.world, class) else {
            return false;
        };
        self.body.act(Action::Assert { cond: Expr::FALSE, check: uncaught(property, class) });
        self.body.end(Action::EndThread { value: None });
        true
    }

    /// The instruction `athrow`.
    pub(super) fn throw_value(&mut self) {
        let value = self.pop();
        let made = thrown(self.code, self.at).map(str::to_owned);
        let value = Value { exact: value.exact.clone().or(made), ..self.kept(value) };
        match value.exact.clone() {
            Some(class) if self.violates(&class) => {}
            _ => self.throw(value),
        }
    }

    /// Goes to the handlers that may fit, the first that does, or else ends the call.
    pub(super) fn throw(&mut self, value: Value) {
        let at = self.at;
        let handlers: Vec<Handler> =
            self.code.handlers.iter().filter(|h| h.start <= at && at < h.end).cloned().collect();
        let mut number = None;
        for handler in handlers {
            match self.fits(&value, &handler, &mut number) {
                Expr::Const(Const::Bool(false)) => {}
                Expr::Const(Const::Bool(true)) => return self.handle(&value, handler.target),
                condition => {
                    let otherwise = self.body.branch(condition);
                    self.handle(&value, handler.target);
                    self.body.at = otherwise;
                }
            }
        }
        self.end_by(value.expr);
    }

    /// Whether a handler catches an exception. The number of its class is loaded once.
    fn fits(&mut self, value: &Value, handler: &Handler, number: &mut Option<Expr>) -> Expr {
        let Some(caught) = &handler.class else { return Expr::TRUE };
        if let Some(class) = &value.exact {
            let fits = self.program.world.is_subclass(class, caught);
            return Expr::Const(Const::Bool(fits));
        }
        let numbers = self.program.numbers_below(caught);
        if numbers == self.program.numbers_below(crate::world::THROWABLE) {
            return Expr::TRUE;
        }
        let number = number.get_or_insert_with(|| self.class_number(&value.expr)).clone();
        one_of(&number, numbers)
    }

    fn handle(&mut self, value: &Value, target: usize) {
        let stack =
            std::mem::replace(&mut self.stack, vec![Value::of(value.expr.clone(), Type::Ptr)]);
        self.jump(target);
        self.stack = stack;
    }

    fn end_by(&mut self, exception: Expr) {
        self.leave_own_monitor();
        let to = self.pending();
        self.body.act(Action::Store { to, value: exception, mode: Mode::Plain });
        self.no_result();
        self.body.end(Action::Skip);
    }

    /// The exception by which a call of this thread ended, or null.
    fn pending(&self) -> Place {
        Place::object(self.program.exception, 0, Type::Ptr)
    }

    /// Behind a call that may have ended by an exception.
    pub(super) fn take_exception(&mut self) {
        let exception = self.body.temp(Type::Ptr);
        let from = self.pending();
        self.body.act(Action::Load { to: exception, from, mode: Mode::Plain });
        let exception = Expr::Local(exception);
        let none = Expr::binary(BinaryOp::Eq, exception.clone(), Expr::NULL);
        let otherwise = self.body.branch(none);
        self.aside(otherwise, |method| {
            let (to, mode) = (method.pending(), Mode::Plain);
            method.body.act(Action::Store { to, value: Expr::NULL, mode });
            method.throw(Value { there: true, ..Value::of(exception, Type::Ptr) });
        });
    }
}

/// What is said of an exception that nothing catches.
pub fn uncaught(property: Property, class: &str) -> Check {
    let kind = match (property, class) {
        (Property::Assert, crate::throws::ASSERTION_ERROR) => CheckKind::Unnamed,
        _ => CheckKind::Label(format!("{} is thrown and not caught", shown(class))),
    };
    Check::new(property, kind)
}

/// Whether a number is one of some.
pub fn one_of(number: &Expr, numbers: impl IntoIterator<Item = i32>) -> Expr {
    let tests = numbers.into_iter().map(|one| test(BinaryOp::Eq, number.clone(), i32(one)));
    tests.reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)).unwrap_or(Expr::FALSE)
}
