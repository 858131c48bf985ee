//! The attribute `cleanup`, and objects that end with the expression that makes them.

use selvedge_c_syntax::ast::{self, Attribute, Expr, ExprKind, Ident, Span};
use selvedge_ir::Callee;

use crate::body::Loc;
use crate::expr::Value;
use crate::lowering::{Entity, Extent, GlobalId, Lowering, Slot};

/// The function that a variable's attributes name.
pub(super) fn function<'a>(
    mut attributes: impl Iterator<Item = &'a Attribute>,
) -> Option<&'a Expr> {
    attributes.find(|attribute| &*attribute.name == "cleanup")?.args.first()
}

impl<'a> Lowering<'a> {
    /// From here on the variable is waiting for its function.
    pub(super) fn await_cleanup(&mut self, name: &Ident, function: &'a Expr) {
        let known = match &function.kind {
            ExprKind::Ident(function) => match self.lookup(&function.name) {
                Some(Entity::Global(id)) => Some(*id),
                _ => None,
            },
            _ => None,
        };
        let Some(function) = known else {
            let message = "the argument of `cleanup` is not the name of a function";
            return self.error("cleanup", function.span, message);
        };
        let Some(Entity::Variable(ty, Slot::Memory(expr))) = self.lookup(&name.name).cloned()
        else {
            return;
        };
        let variable = Value { ty: self.types.pointer(ty), expr };
        self.begin_extent(Extent::Cleanup { function, variable });
    }

    /// Calls the function with the variable's address; what it returns is not looked at.
    pub(super) fn clean_up(&mut self, function: GlobalId, variable: Value, span: Span) {
        let ty = self.global(function).ty;
        let Some(signature) = self.types.as_function(ty) else { return };
        let argument = match signature.params.first() {
            Some(param) => self.convert(variable, *param, span),
            None => variable,
        };
        let name = self.global(function).name.clone();
        let model = self.library_function(&name);
        match (self.is_defined(function), model) {
            (true, _) => {
                let callee = Callee::Direct(self.procedure_for(function));
                let arguments =
                    if signature.params.is_empty() { Vec::new() } else { vec![argument] };
                self.emit_call(callee, &signature, arguments, span);
            }
            (false, Some(model)) => {
                self.inline_values(model, signature.ret, vec![argument], span);
            }
            (false, None) => {
                self.unsupported(format!("`cleanup` with `{name}`, which is not defined"), span);
            }
        }
    }

    /// Ends the objects that expressions made since there were `before` of them.
    pub(super) fn end_temporaries(&mut self, before: usize, span: Span) {
        for pointer in self.frame.temporaries.split_off(before).into_iter().rev() {
            self.end_object(pointer, span);
        }
    }

    /// Branches on a whole expression, whose objects end before control goes on.
    pub(super) fn branch_on_whole(&mut self, condition: &'a ast::Expr, then: Loc, otherwise: Loc) {
        let before = self.frame.temporaries.len();
        let (yes, no) = (self.body.location(), self.body.location());
        self.branch_on(condition, yes, no);
        let made = self.frame.temporaries.split_off(before);
        let place = self.place(condition.span);
        for (from, to) in [(yes, then), (no, otherwise)] {
            self.body.current = from;
            for pointer in made.iter().rev() {
                self.end_object(*pointer, condition.span);
            }
            self.body.jump(to, place);
        }
    }
}
