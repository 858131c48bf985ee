//! Formulas inside of bodies: assertions, loop invariants, and updates of specification variables
//! that are no variables of C.
//!
//! Such a formula is lowered into a body of its own like any other, in which each local of the
//! function stands for its value at that place.

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, ExprKind, Span};
use selvedge_ir::spec::{Binding, Clause, Formula, GhostAction};
use selvedge_ir::{Action, Const, Expr, GhostId, LocalId};

use super::{States, check};
use crate::body::Body;
use crate::expr::Place;
use crate::lowering::{Formulating, Lowering, Polarities};
use crate::types::{Kind, Ty};

impl<'a> Lowering<'a> {
    /// Whether a clause of a body needs more than C.
    pub fn is_specification(&self, said: &ast::Expr) -> bool {
        let mut found = false;
        check::walk(said, &mut |e| {
            found |= match &e.kind {
                ExprKind::Ident(name) => {
                    name.name.starts_with('\\')
                        || matches!(
                            self.lookup(&name.name),
                            Some(crate::lowering::Entity::Variable(
                                _,
                                crate::lowering::Slot::Ghost(..)
                            ))
                        )
                        || self.names_ghost(&name.name)
                        || self.specified.contains(&name.name) && self.lookup(&name.name).is_none()
                }
                ExprKind::Member { name, .. } => {
                    let mut members = self.ghost_variables.iter().filter(|it| it.record.is_some());
                    members.any(|it| it.name == name.name) || self.specified.contains(&name.name)
                }
                ExprKind::Call { .. } => check::word_called(e).is_some(),
                _ => false,
            };
        });
        found
    }

    /// A claim of the author's, as an action of the body; none if it is wrong.
    pub fn claim(
        &mut self,
        said: &'a ast::Expr,
        make: fn(Clause) -> GhostAction,
    ) -> Option<Action> {
        let polarities = self.check_formula(said, States::One)?;
        let formula = self.formula_here(polarities, said.span, |this| this.condition_of(said))?;
        let (text, span) = (self.one_line(said.span), self.place(said.span));
        Some(Action::Ghost(Box::new(make(Clause { formula, text, span }))))
    }

    /// A formula over the values that locals have here.
    fn formula_here(
        &mut self,
        polarities: Polarities,
        span: Span,
        lower: impl FnOnce(&mut Self) -> Expr,
    ) -> Option<Formula> {
        let outside = std::mem::replace(&mut self.body, Body::new(self.options.model));
        self.body.locals = outside.locals.clone();
        self.body.stack = outside.stack.clone();
        self.formulating = Some(Formulating::default());
        self.speak(polarities, false);
        for number in 0..outside.locals.len() as u32 {
            let local = LocalId::from_u32(number);
            self.bind(local, Binding::Value(Expr::Local(local)), span);
        }
        let errors = self.diagnostics.len();
        let body = lower(self);
        let formula = match self.diagnostics[errors..].iter().any(Diagnostic::is_error) {
            true => self.give_up(),
            false => self.read_off(body, span),
        };
        self.body = outside;
        formula
    }

    /// An update of a variable that is no variable of C; none if it is wrong.
    pub(super) fn map_update(&mut self, update: &'a ast::Expr) -> Option<Action> {
        let ExprKind::Assign { op, target, value } = &update.kind else { return None };
        if op.is_some() {
            let text = "a specification variable of this kind is updated with `=`";
            self.error("annotation", update.span, text);
            return None;
        }
        let mut ghost = None;
        let polarities = self.check_formula(value, States::One)?;
        let of = self.formula_here(Polarities::new(), target.span, |this| {
            match this.updated_place(target) {
                Some((id, of, _)) => {
                    ghost = Some(id);
                    of
                }
                None => Expr::NULL,
            }
        })?;
        let value =
            self.formula_here(polarities, update.span, |this| this.update_value(target, value))?;
        Some(Action::Ghost(Box::new(GhostAction::Update { ghost: ghost?, of, value })))
    }

    /// The variable that is updated, its object and its type.
    fn updated_place(&mut self, target: &'a ast::Expr) -> Option<(GhostId, Expr, Ty)> {
        let whole = match &target.kind {
            ExprKind::Index { array, .. } => array,
            _ => target,
        };
        if self.is_lvalue(whole) {
            let lvalue = self.lvalue(whole);
            if let Place::Ghost(id, of) = lvalue.place {
                return Some((id, of, lvalue.ty));
            }
            if self.types.is_error(lvalue.ty) {
                return None;
            }
        }
        let text = "a ghost statement changes specification variables only";
        let help = "they are declared by `/*@ ghost int n = 0; */`";
        self.report(Diagnostic::error("annotation", text).at(target.span).help(help));
        None
    }

    fn update_value(&mut self, target: &'a ast::Expr, said: &'a ast::Expr) -> Expr {
        let nothing = Expr::Const(Const::Bool(false));
        let Some((id, of, ty)) = self.updated_place(target) else { return nothing };
        let before = std::mem::replace(&mut self.eager, true);
        let given = self.rvalue(said);
        self.eager = before;
        let (span, element) = (
            said.span,
            match *self.types.kind(ty) {
                Kind::ThreadMap(element) => Some(element),
                _ => None,
            },
        );
        match (&target.kind, element) {
            (ExprKind::Index { index, .. }, Some(element)) => {
                let thread = self.named_thread(index);
                let value = self.convert(given, element, span).expr;
                let map = self.ghost_value(id, of, ty, target.span);
                self.updated_map(map, thread, value, span).expr
            }
            (_, Some(_)) => {
                if given.ty.id != ty.id && !self.types.is_error(given.ty) {
                    let (from, to) = (self.types.describe(given.ty), self.types.describe(ty));
                    let text = format!("`{to}` cannot be updated with `{from}`");
                    self.error("annotation", span, text);
                }
                given.expr
            }
            (_, None) => self.convert(given, ty, span).expr,
        }
    }
}
