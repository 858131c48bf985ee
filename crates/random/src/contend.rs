//! Programs whose threads work on the same few scalars, with assertions that fail for one outcome
//! out of many. Where most random assertions fail in any order of the threads, these tell apart how
//! often threads must take turns.

use selvedge_ir::{
    Action, BinaryOp, Check, CheckKind, Expr, LocalId, Mode, ObjectId, Place, Procedure, Program,
    Property, Type,
};

use super::Rng;
use super::body::Body;
use super::scope::Scope;

/// Values that assertions are about: sums of a few increments.
const VALUES: u64 = 7;

impl<'a> Body<'a> {
    /// A few accesses, and sometimes an assertion about what came of them.
    pub fn contending(
        p: &'a mut Program,
        scope: &'a Scope,
        rng: &'a mut Rng,
        index: u64,
    ) -> Procedure {
        let mut body = Body::new(p, scope, rng, &format!("worker{index}"));
        let arg = body.procedure.add_local("arg", Type::Int(scope.int), true);
        body.procedure.params.push(arg);
        for _ in 0..2 + body.rng.below(3) {
            body.contend();
        }
        if body.rng.one_in(3) {
            body.assert_outcome(1);
        }
        body.finish()
    }

    /// Starts the workers, joins them and looks at what they did.
    pub fn collecting(p: &'a mut Program, scope: &'a Scope, rng: &'a mut Rng) -> Procedure {
        let mut body = Body::new(p, scope, rng, "main");
        let mut threads = Vec::new();
        for i in 0..2 + u64::from(body.rng.one_in(4)) {
            let to = body.procedure.add_local(format!("t{i}"), Type::Thread, true);
            body.spawn(to);
            threads.push(to);
        }
        if body.rng.one_in(4) {
            body.contend();
        }
        for to in threads {
            body.emit(Action::Join { thread: Expr::Local(to), to: None });
        }
        let looked_at = 1 + body.rng.below(2);
        body.assert_outcome(looked_at);
        body.finish()
    }

    fn contend(&mut self) {
        match self.rng.below(12) {
            0 | 1 => self.read(),
            2 | 3 => self.write(),
            4..=6 => self.increment(),
            7 => self.critical_section(1),
            8 => self.waiting(),
            9 => self.branch(1),
            10 => self.atomic_block(1),
            _ => self.bounded_loop(1),
        }
    }

    fn read(&mut self) {
        let object = *self.rng.pick(&self.scope.scalars);
        let to = self.local(Type::Int(self.scope.int));
        self.fetch(object, to);
    }

    fn write(&mut self) {
        let int = self.scope.int;
        let object = *self.rng.pick(&self.scope.scalars);
        let local = self.local(Type::Int(int));
        let plus = self.rng.below(3);
        let value = Expr::binary(BinaryOp::Add, Expr::Local(local), Expr::int(plus.into(), int));
        let mode = self.mode();
        self.emit(Action::Store { to: Place::object(object, 0, Type::Int(int)), value, mode });
    }

    fn fetch(&mut self, object: ObjectId, to: LocalId) {
        let from = Place::object(object, 0, Type::Int(self.scope.int));
        let mode = self.mode();
        self.emit(Action::Load { to, from, mode });
    }

    /// The first scalars do not have some values, all of them at once.
    fn assert_outcome(&mut self, looked_at: u64) {
        let int = self.scope.int;
        let mut differs = Expr::FALSE;
        for (index, object) in self.scope.scalars.iter().enumerate().take(looked_at as usize) {
            let to = self.procedure.add_local(format!("i_{index}"), Type::Int(int), true);
            let from = Place::object(*object, 0, Type::Int(int));
            self.emit(Action::Load { to, from, mode: Mode::Atomic });
            let value = Expr::int(self.rng.below(VALUES).into(), int);
            let other = Expr::binary(BinaryOp::Ne, Expr::Local(to), value);
            differs = match differs {
                Expr::FALSE => other,
                some => Expr::binary(BinaryOp::Or, some, other),
            };
        }
        let check = Check::new(Property::Assert, CheckKind::Label("outcome".to_owned()));
        self.emit(Action::Assert { cond: differs, check });
    }
}
