//! The end of a thread ends the objects of all its calls.
//!
//! A call whose function ends the thread (`pthread_exit`) leaves a note and returns; so do all
//! its callers, each ending its objects as usual, until the thread's own procedure returns. That
//! is needed only where memory is checked, and only where such a function is called by another.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_c_syntax::ast::{ExprKind, Item, Span};
use selvedge_ir::{Action, Expr, Mode, Object, ObjectId, Property, Sharing, Type};

use super::mentioned;
use crate::lowering::{GlobalId, Lowering, PlannedObject};
use crate::types::Ty;
use crate::visit;

impl<'a> Lowering<'a> {
    /// Finds the functions that end threads, if it matters.
    pub fn find_ends(&mut self) {
        if !self.options.checks(Property::Memory) {
            return;
        }
        let mut mentions: HashMap<Rc<str>, HashSet<Rc<str>>> = HashMap::new();
        for unit in &self.units {
            for item in &unit.ast.items {
                let Item::Function(function) = item else { continue };
                let Some(name) = &function.declarator.name else { continue };
                mentioned(&function.body, mentions.entry(name.name.clone()).or_default());
                visit::expressions(&function.body, &mut |e| {
                    if let ExprKind::Call { callee, .. } = &e.kind
                        && let ExprKind::Ident(callee) = &callee.kind
                    {
                        self.unwinding.called.insert(callee.name.clone());
                    }
                });
            }
        }
        let ending = &mut self.unwinding.ending;
        ending.insert("__selvedge_end_thread".into());
        loop {
            let before = ending.len();
            for (name, mentioned) in &mentions {
                if mentioned.iter().any(|other| ending.contains(other)) {
                    ending.insert(name.clone());
                }
            }
            if ending.len() == before {
                return;
            }
        }
    }

    /// Whether a procedure of this function may have to return to a caller that goes on ending.
    pub fn is_called_and_ends(&self, name: &str) -> bool {
        self.unwinding.ending.contains(name) && self.unwinding.called.contains(name)
    }

    pub(super) fn end_thread(&mut self, value: Expr, span: Span) {
        if self.frame.guarded {
            // Whether `cleanup` runs then is up to the compiler's options.
            self.unsupported("the end of a thread while a variable waits for `cleanup`", span);
        }
        if !self.body.unwinds || self.frame.constant {
            return self.end(Action::EndThread { value: Some(value) }, span);
        }
        let (ending, result) = self.note_of_end();
        self.store_scalar(Expr::object(ending), Type::Bool, Expr::TRUE, Mode::Plain, span);
        self.store_scalar(Expr::object(result), Type::Ptr, value, Mode::Plain, span);
        self.unwind(span);
    }

    /// Follows a call: if the thread is ending, so does this procedure.
    pub(super) fn after_call(&mut self, id: GlobalId, span: Span) {
        if self.frame.constant || !self.is_called_and_ends(&self.global(id).name) {
            return;
        }
        let (ending, _) = self.note_of_end();
        let ends = self.load_scalar(Expr::object(ending), Type::Bool, Mode::Plain, span);
        let (unwinding, on) = (self.body.location(), self.body.location());
        let place = self.place(span);
        self.body.branch(ends, unwinding, on, place);
        self.body.current = unwinding;
        self.unwind(span);
        self.body.current = on;
    }

    /// Returns with the thread's result, for the case that this is the thread's own procedure.
    fn unwind(&mut self, span: Span) {
        let (_, result) = self.note_of_end();
        let at = Expr::object(result);
        if self.body.ends_program {
            let value = self.load_scalar(at, Type::Ptr, Mode::Plain, span);
            return self.end(Action::EndThread { value: Some(value) }, span);
        }
        if let Some((local, Type::Ptr)) = self.body.result {
            let value = self.load_scalar(at, Type::Ptr, Mode::Plain, span);
            self.assign(local, value, span);
        }
        let place = self.place(span);
        self.body.jump(self.body.exit, place);
    }

    fn note_of_end(&mut self) -> (ObjectId, ObjectId) {
        if let Some(note) = self.unwinding.note {
            return note;
        }
        let (boolean, pointer) = (self.types.boolean(), self.types.void_pointer());
        let note = (self.note_object("ending", boolean), self.note_object("ending$value", pointer));
        *self.unwinding.note.insert(note)
    }

    fn note_object(&mut self, name: &str, ty: Ty) -> ObjectId {
        self.objects.push(PlannedObject { global: None, initialised: true });
        let layout = self.layout(ty);
        self.program.objects.push(Object {
            name: name.to_owned(),
            layout,
            sharing: Sharing::PerThread,
            init: Vec::new(),
            span: selvedge_ir::Span::NONE,
        })
    }
}
