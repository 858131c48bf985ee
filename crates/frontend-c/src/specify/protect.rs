//! `unwritable_by_env_if`: an environment assumption for each scalar of a variable or member.

use selvedge_c_syntax::ast;
use selvedge_c_syntax::specification as said;
use selvedge_ir::spec::{Binding, Clause};
use selvedge_ir::{BinaryOp, Expr, Type};

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
                Some(Entity::Global(id)) => {
                    let ty = this.global(id).ty;
                    let object = this.variable_object(id, said.variable.span);
                    object.map(|object| (Expr::object(object), ty))
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
    fn member_of_any(&mut self, record: RecordId, member: &ast::Ident) -> Option<(Expr, Ty)> {
        let fields = self.types.record(record).fields.clone();
        let ty = self.types.make(crate::types::Kind::Record(record));
        let layout = self.layout(ty);
        let this = self.bound("this", Type::Ptr, Binding::Forall(Some(layout)), member.span);
        let mut found = None;
        for field in fields {
            let address = self.plus(this.clone(), i128::from(field.offset));
            let Some(name) = field.name.clone() else { continue };
            if *name == *member.name {
                found = Some((address.clone(), field.ty));
            }
            self.declare(name, Entity::Variable(field.ty, Slot::Memory(address)));
        }
        found
    }

    /// A clause for each scalar of the place: where the condition holds, it keeps its value.
    fn protect(
        &mut self,
        condition: &'a said::Clause,
        name: &ast::Ident,
        place: impl Fn(&mut Self) -> Option<(Expr, Ty)>,
        clauses: &mut Vec<Clause>,
    ) {
        let mut part = 0;
        loop {
            let Some(polarities) = self.check_formula(&condition.formula, States::One) else {
                return;
            };
            self.begin_formula(About::File, polarities);
            let Some((address, ty)) = place(self) else {
                let text = format!("`{}` is no variable that threads share", name.name);
                self.error("annotation", name.span, text);
                return;
            };
            let mut scalars = Vec::new();
            self.scalars_of(ty, 0, &mut scalars);
            let Some(scalar) = scalars.get(part).cloned() else { return };
            let errors = self.diagnostics.len();
            let holds = self.condition_of(&condition.formula);
            if self.diagnostics.len() > errors {
                return;
            }
            let address = self.scalar_address(address, &scalar, name.span);
            let before = self.read(address.clone(), scalar.ty, name.span);
            let after = self.in_other_state(|this| this.read(address, scalar.ty, name.span));
            let kept = Expr::binary(BinaryOp::Eq, after, before);
            let body = Expr::binary(BinaryOp::Or, holds.not(), kept);
            if let Some(formula) = self.read_off(body, condition.span) {
                let text = format!("unwritable_by_env_if {}", condition.text);
                let span = self.place(condition.span);
                clauses.push(Clause { formula, text, span });
            }
            part += 1;
        }
    }

    fn read(&mut self, addr: Expr, ty: Type, span: ast::Span) -> Expr {
        let to = self.body.temporary(ty);
        let from = selvedge_ir::Place::new(addr, ty);
        let mode = selvedge_ir::Mode::Plain;
        self.emit(selvedge_ir::Action::Load { to, from, mode }, span);
        Expr::Local(to)
    }
}
