//! Labels and jumps.

use selvedge_c_syntax::ast::{self, Ident, Span};
use selvedge_ir::{Action, BinaryOp, Expr, Int, Type};

use crate::body::Loc;
use crate::fold::Typed;
use crate::lowering::{ExtentId, Leap, Lowering, Target};

impl<'a> Lowering<'a> {
    /// The location of a label, made at its first mention.
    fn label(&mut self, name: &Ident) -> Loc {
        let local = self.frame.scopes.iter().rev().find_map(|s| s.labels.get(&name.name));
        if let Some(location) = local.or_else(|| self.frame.labels.get(&name.name)) {
            return *location;
        }
        let location = self.body.location();
        self.frame.labels.insert(name.name.clone(), location);
        self.frame.open_labels.insert(location, (name.name.clone(), name.span));
        location
    }

    pub(super) fn define_label(&mut self, name: &Ident) {
        let location = self.label(name);
        self.frame.open_labels.remove(&location);
        let path = self.path();
        self.frame.label_paths.insert(location, path);
        let place = self.place(name.span);
        self.body.fall_into(location, place);
    }

    pub(super) fn goto(&mut self, label: &Ident) {
        let location = self.label(label);
        self.leap(Target::Label(location), label.span);
    }

    pub(super) fn goto_computed(&mut self, target: &'a ast::Expr, span: Span) {
        let value = self.rvalue(target);
        self.leap(Target::Computed(value.expr), span);
    }

    /// Makes all jumps, and reports labels that are used but nowhere defined.
    pub fn finish_jumps(&mut self) {
        let here = self.body.current;
        let leaps = std::mem::take(&mut self.frame.leaps);
        for Leap { from, path, target, span } in leaps {
            let (location, to) = match target {
                Target::Computed(value) => {
                    self.choose_label(from, &path, value, span);
                    continue;
                }
                Target::Label(location) => (location, self.label_path(location)),
                Target::Place(location, to) => (location, to),
            };
            let start = self.crossing(&path, &to, location, span);
            let place = self.place(span);
            self.body.current = from;
            self.body.jump(start, place);
        }
        self.body.current = here;
        let mut open: Vec<_> = self.frame.open_labels.drain().map(|(_, use_)| use_).collect();
        open.sort_by_key(|(_, span)| span.start);
        for (name, span) in open {
            self.error("undefined-label", span, format!("the label `{name}` is not defined"));
        }
    }

    fn label_path(&self, label: Loc) -> Vec<ExtentId> {
        self.frame.label_paths.get(&label).cloned().unwrap_or_default()
    }

    /// `goto *e` is a choice among the labels whose address is taken.
    fn choose_label(&mut self, from: Loc, path: &[ExtentId], value: Expr, span: Span) {
        let place = self.place(span);
        let size = self.types.model.size_type();
        let mut other = Expr::TRUE;
        for (index, name) in self.frame.label_addresses.clone().into_iter().enumerate() {
            let address = Expr::cast(Type::Ptr, label_number(index, size));
            let here = self.body.binary(BinaryOp::Eq, value.clone(), address);
            let elsewhere = here.clone().not();
            other = self.body.binary(BinaryOp::And, other, elsewhere);
            let label = self.label(&Ident { name, span });
            let target = self.crossing(path, &self.label_path(label), label, span);
            self.body.alternative(from, here, target, place);
        }
        let nowhere = self.body.location();
        self.body.alternative(from, other, nowhere, place);
        self.body.current = nowhere;
        let what = "a computed goto to something that is not a label of the function".to_owned();
        self.body.emit(Action::Unsupported { what }, place);
        self.body.dead();
    }

    pub(super) fn break_statement(&mut self, span: Span) {
        match self.frame.jumps.last().map(|jump| (jump.on_break, jump.depth)) {
            Some((target, depth)) => {
                let path = self.path_to(depth);
                self.leap(Target::Place(target, path), span);
            }
            None => self.error("break", span, "`break` outside a loop or switch"),
        }
    }

    pub(super) fn continue_statement(&mut self, span: Span) {
        let inner = |jump: &crate::lowering::Jump| Some((jump.on_continue?, jump.depth));
        match self.frame.jumps.iter().rev().find_map(inner) {
            Some((target, depth)) => {
                let path = self.path_to(depth);
                self.leap(Target::Place(target, path), span);
            }
            None => self.error("continue", span, "`continue` outside a loop"),
        }
    }
}

/// What `&&label` is, as a number.
pub(crate) fn label_number(index: usize, size: Int) -> Expr {
    Expr::int(index as i128 + 1, size)
}
