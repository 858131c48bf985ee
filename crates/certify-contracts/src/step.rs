//! What has to hold of every step (§5, §6.3).

use std::ops::{Deref, DerefMut};

use selvedge_ir::spec::{Clause, Target};
use selvedge_ir::{Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term};

use crate::memory::{Kept, Memory, parts};
use crate::path::{Path, Write};
use crate::touched::Touched;
use crate::verdict::Rejected;
use crate::view::View;
use crate::walk::Walker;

/// A path, or one like it on which more is known.
enum Lent<'p> {
    Same(&'p mut Path),
    With(Box<Path>),
}

impl Deref for Lent<'_> {
    type Target = Path;

    fn deref(&self) -> &Path {
        match self {
            Lent::Same(path) => path,
            Lent::With(path) => path,
        }
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Path {
        match self {
            Lent::Same(path) => path,
            Lent::With(path) => path,
        }
    }
}

fn is_among(clauses: &[&Clause], clause: &Clause) -> bool {
    clauses.iter().any(|other| std::ptr::eq(*other, clause))
}

impl<'a> Walker<'_, 'a> {
    /// The end of a step: the invariants, what others assume, and what the contract allows.
    pub fn end_step(&mut self, path: &mut Path, span: Span) -> Result<(), Rejected> {
        let changed = path.memory != path.start || !path.writes.is_empty();
        if changed {
            let touched = self.touched(path, span)?;
            self.keeps_invariants(path, &touched, span)?;
            self.guarantees(path, &touched, span)?;
        }
        if changed || path.looked {
            self.is_allowed(path, span)?;
        }
        path.rest();
        Ok(())
    }

    fn keeps_invariants(
        &mut self,
        path: &mut Path,
        touched: &Touched<'a>,
        span: Span,
    ) -> Result<(), Rejected> {
        for clause in &touched.invariants {
            let before = self.world.view(&path.start, &path.start);
            let known = is_among(&self.world.assumed.invariants, clause);
            let mut path = self.knowing(path, clause, before, known);
            let view = self.world.view(&path.memory, &path.memory);
            let goal = self.world.goal(&mut path, &clause.formula, &view);
            let what = format!("the step keeps the invariant `{}`", clause.text);
            self.world.oblige(&mut path, &what, span, goal)?;
        }
        Ok(())
    }

    /// The path, with a clause that holds before the step, unless it is assumed anyway.
    fn knowing<'p>(
        &self,
        path: &'p mut Path,
        clause: &Clause,
        before: View,
        known: bool,
    ) -> Lent<'p> {
        if known {
            return Lent::Same(path);
        }
        let mut path = path.clone();
        path.assume(&clause.formula, before);
        Lent::With(Box::new(path))
    }

    /// G of §6.3: the step is one of the environment, for every other thread.
    fn guarantees(
        &mut self,
        path: &mut Path,
        touched: &Touched<'a>,
        span: Span,
    ) -> Result<(), Rejected> {
        let other = self.world.terms.var("other", Sort::Int);
        path.consider(Type::Thread, Sym::Scalar(other));
        let t = &mut self.world.terms;
        let one = t.int(1);
        let differs = [t.le(one, other), t.ne(other, self.world.tid)];
        let differs = t.and(&differs);
        for clause in &touched.environment {
            // E is reflexive.
            let before = View { tid: other, ..self.world.view(&path.start, &path.start) };
            let known = is_among(&self.world.assumed.environment, clause);
            let mut path = self.knowing(path, clause, before, known);
            let view = View { tid: other, ..self.world.view(&path.start, &path.memory) };
            let goal = self.world.goal(&mut path, &clause.formula, &view);
            let what = format!("the step is one that others assume: `{}`", clause.text);
            self.world.oblige_where(&mut path, &what, span, Some(differs), goal)?;
        }
        Ok(())
    }

    /// How many actions may be done after the step; some number must be possible.
    pub fn is_allowed(&mut self, path: &mut Path, span: Span) -> Result<(), Rejected> {
        let Some(contract) = self.contract.filter(|_| !path.done.is_empty()) else {
            return Ok(());
        };
        let view = self.view(&path.start, &path.memory);
        let idle = self.changes_only(path, &view, &[&contract.modifies]);
        let mut done = Vec::new();
        for (number, &here) in path.done.clone().iter().enumerate() {
            let mut ways = vec![self.world.terms.and(&[here, idle])];
            if let Some(before) = number.checked_sub(1) {
                let action = &contract.actions[before];
                let mut parts = vec![path.done[before]];
                parts.push(self.changes_only(path, &view, &[&contract.modifies, &action.modifies]));
                for clause in &action.ensures {
                    parts.push(self.world.part(path, &clause.formula, &view));
                }
                ways.push(self.world.terms.and(&parts));
            }
            done.push(self.world.terms.or(&ways));
        }
        let some = self.world.terms.or(&done);
        let what = format!("the step is one that the contract of {} allows", self.body.name);
        self.world.oblige(path, &what, span, some)?;
        path.done = done;
        Ok(())
    }

    /// That all that the step has written is as it was, nobody else's, or among the targets.
    fn changes_only(&mut self, path: &mut Path, view: &View, targets: &[&'a [Target]]) -> Term {
        let mut all = Vec::new();
        for write in path.writes.clone() {
            let (kept, at, range) = match &write {
                Write::Cell(kept, at) => (*kept, *at, self.world.terms.bool(true)),
                Write::Target(target) => {
                    let (target, view) = &**target;
                    let (at, range) = self.world.address(path, target, view);
                    let kept = Kept::from(target);
                    path.consider_cell(kept, at);
                    (kept, at, range)
                }
            };
            let (start, memory) = (path.start.clone(), path.memory.clone());
            let before = self.world.load(&start, kept, at);
            let after = self.world.load(&memory, kept, at);
            let mut ways = vec![self.world.terms.not(range)];
            ways.push(before.equal(&mut self.world.terms, after));
            ways.push(self.is_unseen(&start, parts(at).0));
            for target in targets.iter().copied().flatten() {
                ways.push(self.world.is_target(path, target, view, kept, at));
            }
            all.push(self.world.terms.or(&ways));
        }
        self.world.terms.and(&all)
    }

    /// An object that the step has made, or that was the thread's own before it: nobody else knows
    /// what was in it.
    fn is_unseen(&mut self, before: &Memory, object: Term) -> Term {
        let first = self.world.first_free();
        let t = &mut self.world.terms;
        let owner = t.select(before.owner, object);
        let made = t.lt(object, before.next);
        let own = t.eq(owner, self.world.tid);
        let own = t.and(&[made, own]);
        let new = t.not(made);
        let unseen = t.or(&[own, new]);
        let allocated = t.le(first, object);
        t.and(&[allocated, unseen])
    }
}
