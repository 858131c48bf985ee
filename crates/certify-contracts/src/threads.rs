//! Threads that are started and waited for.

use selvedge_ir::{Expr, LocalId, ProcId, Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term};

use crate::path::Path;
use crate::verdict::Rejected;
use crate::view::View;
use crate::walk::Walker;

impl Walker<'_, '_> {
    /// A new thread. What its procedure requires must hold when it can first run, which is when this
    /// step ends; so the step ends here.
    pub fn spawn(
        &mut self,
        path: &mut Path,
        entry: ProcId,
        args: Vec<Sym>,
        span: Span,
    ) -> Result<Term, Rejected> {
        for &arg in &args {
            self.tell_others(path, arg, span)?;
        }
        let thread = self.new_thread(path, entry);
        path.looked = true;
        self.end_step(path, span)?;
        self.is_in_no_set(path, thread);
        let program = &self.world.subject.program;
        let Some(contract) = self.world.subject.contract_of(entry) else { return Ok(thread) };
        for clause in &contract.requires {
            let view = View {
                tid: thread,
                params: args.clone(),
                ..self.world.view(&path.memory, &path.memory)
            };
            let goal = self.world.goal(path, &clause.formula, &view);
            let name = &program.procedures[entry].name;
            let what = format!("`{}`, which a thread in {name} requires", clause.text);
            self.world.oblige(path, &what, span, goal)?;
        }
        Ok(thread)
    }

    /// A new thread has done nothing yet, so it is in no set that threads add only themselves to.
    fn is_in_no_set(&mut self, path: &mut Path, thread: Term) {
        let memory = path.memory.clone();
        for formula in &self.world.subject.outsides {
            path.assume(formula, View { tid: thread, ..self.world.view(&memory, &memory) });
        }
    }

    fn new_thread(&mut self, path: &mut Path, entry: ProcId) -> Term {
        let thread = self.world.terms.fresh("thread", Sort::Int);
        let (tid, main) = (self.world.tid, self.world.main);
        let t = &mut self.world.terms;
        let (one, number) = (t.int(1), t.int(entry.as_u32()));
        let started = t.select(self.world.started, thread);
        let facts =
            [t.le(one, thread), t.ne(thread, tid), t.ne(thread, main), t.eq(started, number)];
        for fact in facts {
            self.world.fact(path, fact);
        }
        path.consider(Type::Thread, Sym::Scalar(thread));
        thread
    }

    /// What a thread that has ended returned may be anything that it could tell others.
    pub fn join(
        &mut self,
        path: &mut Path,
        thread: &Expr,
        to: Option<LocalId>,
        span: Span,
    ) -> Result<(), Rejected> {
        let thread = self.expr(path, thread, span)?.scalar();
        let nobody = self.world.terms.int(0);
        let some = self.world.terms.ne(thread, nobody);
        self.show(path, "what is joined is a thread", span, some)?;
        if let Some(to) = to {
            path.locals.remove(&to);
            let value = self.local(path, to);
            self.world.comes_from_others(path, value);
        }
        Ok(())
    }
}
