//! `unwritable_by_env_if`: an environment assumption for each scalar of a variable or member.

use selvedge_c_syntax::ast;
use selvedge_c_syntax::specification as said;
use selvedge_ir::spec::{Binding, Clause, When};
use selvedge_ir::{BinaryOp, Expr, Type};

use super::formula::Scalar;
use super::{About, States};
use crate::lowering::{Entity, Lowering, Protecting, Slot};
use crate::types::{RecordId, Ty};

impl<'a> Lowering<'a> {
    pub(super) fn protected_variable(
        &mut self,
        said: &'a said::Protected,
        clauses: &mut Vec<Clause>,
    ) {
        let scalars = |this: &mut Self| {
            let lvalue = this.lookup(&said.variable.name).cloned();
            match lvalue {
                Some(Entity::Variable(_, Slot::Ghost(id, of))) => {
                    let part = this.ghost_part(id, 0);
                    Some((of, vec![part]))
                }
                Some(Entity::Global(id)) => {
                    let ty = this.global(id).ty;
                    let object = this.variable_object(id, said.variable.span);
                    object.map(|object| (Expr::object(object), this.parts_of(ty)))
                }
                _ => None,
            }
        };
        self.protect(&said.condition, &said.variable, scalars, clauses);
    }

    pub(super) fn protected_members(&mut self, clauses: &mut Vec<Clause>) {
        for protecting in std::mem::take(&mut self.protecting) {
            let Protecting { record, member, condition, unit } = protecting;
            self.enter_formula(unit);
            let place = |this: &mut Self| this.member_of_any(record, member);
            self.protect(condition, member, place, clauses);
        }
    }

    /// The member of every object; other members can be spoken of by their names.
    fn member_of_any(
        &mut self,
        record: RecordId,
        member: &ast::Ident,
    ) -> Option<(Expr, Vec<Scalar>)> {
        let fields = self.types.record(record).fields.clone();
        let ty = self.types.make(crate::types::Kind::Record(record));
        let layout = self.layout(ty);
        let this = self.bound("this", Type::Ptr, Binding::Forall(Some(layout)), member.span);
        let mut found = None;
        for field in fields {
            let address = self.plus(this.clone(), i128::from(field.offset));
            let Some(name) = field.name.clone() else { continue };
            if *name == *member.name {
                found = Some((address.clone(), self.parts_of(field.ty)));
            }
            self.declare(name, Entity::Variable(field.ty, Slot::Memory(address)));
        }
        let ghosts = self.ghost_variables.iter().filter(|it| it.record == Some(record));
        for ghost in ghosts.cloned().collect::<Vec<_>>() {
            if *ghost.name == *member.name {
                found = Some((this.clone(), vec![self.ghost_part(ghost.id, 0)]));
            }
            let slot = Slot::Ghost(ghost.id, this.clone());
            self.declare(ghost.name, Entity::Variable(ghost.ty, slot));
        }
        found
    }

    fn parts_of(&mut self, ty: Ty) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        self.scalars_of(ty, 0, &mut scalars);
        scalars
    }

    /// A clause for each scalar of the place: where the condition holds, it keeps its value.
    fn protect(
        &mut self,
        condition: &'a said::Clause,
        name: &ast::Ident,
        place: impl Fn(&mut Self) -> Option<(Expr, Vec<Scalar>)>,
        clauses: &mut Vec<Clause>,
    ) {
        let mut part = 0;
        loop {
            let Some(polarities) = self.check_formula(&condition.formula, States::One) else {
                return;
            };
            self.begin_formula(About::File, polarities);
            let Some((address, scalars)) = place(self) else {
                let text = format!("`{}` is no variable that threads share", name.name);
                self.error("annotation", name.span, text);
                return;
            };
            let Some(scalar) = scalars.get(part).cloned() else { return };
            let errors = self.diagnostics.len();
            let holds = self.condition_of(&condition.formula);
            if self.diagnostics.len() > errors {
                return;
            }
            let address = self.scalar_address(address, &scalar, name.span);
            let before = self.read(address.clone(), &scalar, name.span);
            let after = self.in_other_state(|this| this.read(address, &scalar, name.span));
            let kept = self.is_kept(before, after, &scalar, name.span);
            let body = Expr::binary(BinaryOp::Or, holds.not(), kept);
            if let Some(formula) = self.read_off(body, condition.span) {
                let text = format!("unwritable_by_env_if {}", condition.text);
                let span = self.place(condition.span);
                clauses.push(Clause { formula, text, span });
            }
            part += 1;
        }
    }

    fn is_kept(&mut self, before: Expr, after: Expr, scalar: &Scalar, span: ast::Span) -> Expr {
        let map = scalar.ghost.is_some_and(|id| self.program.spec.ghosts[id].map);
        match (map, &before, &after) {
            (true, Expr::Local(a), Expr::Local(b)) => {
                self.bound("same", Type::Bool, Binding::Same(*b, *a), span)
            }
            _ => Expr::binary(BinaryOp::Eq, after, before),
        }
    }

    fn read(&mut self, addr: Expr, scalar: &Scalar, span: ast::Span) -> Expr {
        let ty = scalar.ty;
        if let Some(ghost) = scalar.ghost {
            let binding = Binding::Ghost { ghost, of: addr, when: When::Before };
            let name = self.program.spec.ghosts[ghost].name.clone();
            return self.bound(&name, ty, binding, span);
        }
        let to = self.body.temporary(ty);
        let from = selvedge_ir::Place::new(addr, ty);
        let mode = selvedge_ir::Mode::Plain;
        self.emit(selvedge_ir::Action::Load { to, from, mode }, span);
        Expr::Local(to)
    }
}
