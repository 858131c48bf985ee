//! The actions of a thread in the check of its abstract thread: those on the vocabulary act on its
//! variables, those on memory that others may change read any value.
//!
//! What goes wrong in the program goes wrong here: expressions are evaluated also where their values
//! are not needed, and accesses through pointers are done also where what they read is forgotten.

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, BinaryOp, Edge, EdgeId, Expr, LocalId, Place, ProcId, Procedure, Type};

use crate::memory::Leads;
use crate::pieces::add_local;
use crate::subject::Subject;
use crate::threads_as_numbers::{NUMBER, converts, number, numbered};

const GHOST: &str = "an annotation in a thread that has an abstract thread";
const SPAWN: &str = "a thread that has an abstract thread starts another";
const JOIN: &str = "a thread that has an abstract thread waits for the end of another";
const CALL: &str = "a recursive call in a thread that has an abstract thread";
const ARGUMENT: &str = "a pointer that a thread with an abstract thread is started with";
const READS_POINTER: &str = "a pointer read from memory that other threads may change";
const THREAD: &str = "a thread identifier in memory that abstract threads do not speak of";
const CONVERTED: &str = "a thread identifier as a number";
const FREE: &str = "memory is freed that other threads may use";
const LOCK: &str = "a lock that is also used otherwise, or reached through a pointer";

/// Who translates the actions of one procedure.
pub struct Actions<'a> {
    pub subject: &'a Subject,
    pub id: ProcId,
    /// The executing thread's number.
    pub own: LocalId,
    /// By cell of the vocabulary.
    pub now: Vec<LocalId>,
    /// Where values go that nobody needs.
    pub scratch: FxHashMap<Type, LocalId>,
}

impl Actions<'_> {
    /// Appends what stands for the action of an edge; says whether the thread ends with it.
    pub fn translate(
        &mut self,
        body: &mut Procedure,
        at: EdgeId,
        edge: &Edge,
        actions: &mut Vec<Action>,
    ) -> bool {
        let mut translation = Translation { checker: self, body, at };
        if let Err(what) = translation.action(&edge.action, actions) {
            actions.push(Action::Unsupported { what: what.to_owned() });
        }
        matches!(edge.action, Action::EndThread { .. } | Action::Halt)
    }
}

struct Translation<'a, 'b> {
    checker: &'a mut Actions<'b>,
    body: &'a mut Procedure,
    at: EdgeId,
}

type Outcome = Result<(), &'static str>;

impl Translation<'_, '_> {
    fn action(&mut self, action: &Action, out: &mut Vec<Action>) -> Outcome {
        self.readable(action)?;
        match action {
            Action::Ghost(_) => return Err(GHOST),
            Action::Skip | Action::Fence(_) | Action::Halt => {}
            Action::Assume(condition) | Action::Wait(condition) => {
                out.push(Action::Assume(self.numbered(condition)));
            }
            Action::Assert { cond, check } => {
                out.push(Action::Assert { cond: self.numbered(cond), check: check.clone() });
            }
            Action::Assign { to, value } => {
                out.push(Action::Assign { to: *to, value: self.numbered(value) });
            }
            Action::Havoc { .. } | Action::Alloc { .. } | Action::Unsupported { .. } => {
                out.push(self.kept(action));
            }
            Action::Load { to, from, .. } => self.load(action, *to, from, out)?,
            Action::Store { to, value, .. } => self.store(action, to, value, out)?,
            Action::Lock { lock } => self.lock(lock, true, out)?,
            Action::Unlock { lock } => self.lock(lock, false, out)?,
            Action::Free { .. } => self.free(action, out)?,
            Action::EndThread { value: Some(value) } => {
                let value = self.numbered(value);
                let ty = self.type_of(&value);
                self.evaluate(ty, value, out);
            }
            Action::EndThread { value: None } => {}
            Action::Spawn { .. } => return Err(SPAWN),
            Action::Join { .. } => return Err(JOIN),
            Action::Call { .. } => return Err(CALL),
        }
        Ok(())
    }

    /// What none of the check's variables can hold is not read.
    fn readable(&self, action: &Action) -> Outcome {
        let source = &self.checker.subject.program.procedures[self.checker.id];
        let is_thread = |local: LocalId| source.locals[local].ty == Type::Thread;
        let unknown = |local: &LocalId| {
            source.params.contains(local) && source.locals[*local].ty == Type::Ptr
        };
        let mut outcome = Ok(());
        action.for_each_expr(&mut |expr| {
            if expr.locals().iter().any(unknown) {
                outcome = Err(ARGUMENT);
            }
            if converts(expr, &is_thread) {
                outcome = Err(CONVERTED);
            }
        });
        outcome
    }

    fn leads(&self, place: &Place) -> Result<Leads, &'static str> {
        match self.checker.subject.leads(self.checker.id, self.at, place) {
            Leads::Nowhere(why) => Err(why),
            leads => Ok(leads),
        }
    }

    fn load(
        &mut self,
        action: &Action,
        to: LocalId,
        from: &Place,
        out: &mut Vec<Action>,
    ) -> Outcome {
        let leads = self.leads(from)?;
        match leads {
            Leads::Cell(cell) => {
                out.push(Action::Assign { to, value: Expr::Local(self.checker.now[cell]) });
                return Ok(());
            }
            Leads::Private if from.ty == Type::Thread => return Err(THREAD),
            Leads::Private => {
                out.push(self.kept(action));
                return Ok(());
            }
            Leads::Variable if from.ty == Type::Thread => return Err(THREAD),
            _ if from.ty == Type::Ptr => return Err(READS_POINTER),
            Leads::Variable => out.push(self.kept(action)),
            _ => {}
        }
        out.push(Action::Havoc { to });
        Ok(())
    }

    fn store(
        &mut self,
        action: &Action,
        to: &Place,
        value: &Expr,
        out: &mut Vec<Action>,
    ) -> Outcome {
        match self.leads(to)? {
            Leads::Cell(cell) => {
                let value = self.numbered(value);
                out.push(Action::Assign { to: self.checker.now[cell], value });
            }
            Leads::Private | Leads::Variable if to.ty == Type::Thread => return Err(THREAD),
            Leads::Private | Leads::Variable => out.push(self.kept(action)),
            _ => {
                let value = self.numbered(value);
                self.evaluate(numbered(to.ty), value, out);
            }
        }
        Ok(())
    }

    /// A lock that abstract threads do not speak of may be free whenever it is wanted.
    fn lock(&mut self, lock: &Place, takes: bool, out: &mut Vec<Action>) -> Outcome {
        let free = Expr::int(0, NUMBER);
        match self.leads(lock)? {
            Leads::Cell(cell) => {
                let now = self.checker.now[cell];
                if takes {
                    out.push(Action::Assume(Expr::binary(BinaryOp::Eq, Expr::Local(now), free)));
                    out.push(Action::Assign { to: now, value: Expr::Local(self.checker.own) });
                } else {
                    out.push(Action::Assign { to: now, value: free });
                }
                Ok(())
            }
            Leads::Fixed if self.checker.subject.is_only_lock(self.checker.id, self.at) => Ok(()),
            _ => Err(LOCK),
        }
    }

    fn free(&mut self, action: &Action, out: &mut Vec<Action>) -> Outcome {
        let subject = self.checker.subject;
        let node = subject.pointers.freed(self.checker.id, self.at);
        match node.is_some_and(|node| subject.is_private(self.checker.id, node)) {
            true => out.push(self.kept(action)),
            false => return Err(FREE),
        }
        Ok(())
    }

    /// Evaluates an expression, which may go wrong, and forgets its value.
    fn evaluate(&mut self, ty: Type, value: Expr, out: &mut Vec<Action>) {
        let body = &mut *self.body;
        let to = *self
            .checker
            .scratch
            .entry(ty)
            .or_insert_with(|| add_local(body, format!("dropped.{ty}"), ty));
        out.push(Action::Assign { to, value });
    }

    /// The action as it is, over numbers for threads.
    fn kept(&self, action: &Action) -> Action {
        let mut action = action.clone();
        action.for_each_expr_mut(&mut |expr| *expr = self.numbered(expr));
        action
    }

    fn numbered(&self, expr: &Expr) -> Expr {
        let source = &self.checker.subject.program.procedures[self.checker.id];
        let is_thread = |local: LocalId| source.locals[local].ty == Type::Thread;
        number(expr, &is_thread, self.checker.own)
    }

    fn type_of(&self, expr: &Expr) -> Type {
        expr.ty(&self.checker.subject.program, self.body)
    }
}
