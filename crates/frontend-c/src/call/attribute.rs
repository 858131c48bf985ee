//! Attributes by which a library model says how its calls are lowered, beside its body.
//!
//! | attribute | meaning |
//! |---|---|
//! | `selvedge_intrinsic(name)` | the call is the intrinsic of that name, where its arguments allow it; otherwise the body stands for it |
//! | `selvedge_failure(n)` | the call is an error; its n-th argument is the text of the assertion |
//! | `selvedge_element(n)` | memory that the model moves is of the type that argument n points to |
//! | `format(printf, m, n)` | as in gcc; a literal format is read by the front end |
//! | `selvedge_sink(t, s)` | what is printed goes to argument t, of as many bytes as argument s says, if there is one |

use selvedge_c_syntax::ast::{self, Attribute, ExprKind, Span};

use super::print::Printing;
use crate::expr::Value;
use crate::lowering::{Definition, GlobalId, Lowering};
use crate::types::{Kind, Ty};

impl<'a> Lowering<'a> {
    /// The call as an attribute of the model says, if it has one that applies.
    pub(super) fn call_by_attribute(
        &mut self,
        model: GlobalId,
        declared: GlobalId,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        if let Some(attribute) = self.attribute(model, "selvedge_intrinsic") {
            let ExprKind::Ident(name) = &attribute.args.first()?.kind else { return None };
            return match (&*name.name, args) {
                ("alloca", [size]) => Some(self.alloca(size, span)),
                (operation, [to, what, size]) => {
                    self.typed_memory(operation, [to, what, size], span)
                }
                _ => None,
            };
        }
        if let Some(attribute) = self.attribute(model, "selvedge_element") {
            let number = self.parameter_number(attribute.args.first()?)?;
            let ty = self.type_of_expr(args.get(number)?);
            self.frame.element = self.element_type(ty);
            return None;
        }
        let printing = self.printing(model)?;
        self.print(declared, args, &printing, span)
    }

    /// What the attributes of a model say that it prints.
    fn printing(&mut self, model: GlobalId) -> Option<Printing> {
        let [_, format, first] = self.attribute(model, "format")?.args.as_slice() else {
            return None;
        };
        let format = self.parameter_number(format)?;
        let first = self.parameter_number(first)?;
        let sink = match self.attribute(model, "selvedge_sink").map(|a| a.args.as_slice()) {
            Some([to]) => Some((self.parameter_number(to)?, None)),
            Some([to, size]) => {
                Some((self.parameter_number(to)?, Some(self.parameter_number(size)?)))
            }
            _ => None,
        };
        Some(Printing { format, first, sink })
    }

    /// What a pointer or an array points to, if objects of that type can be moved.
    fn element_type(&self, ty: Ty) -> Option<Ty> {
        match *self.types.kind(ty) {
            Kind::Pointer(element) | Kind::Array(element, _) => {
                Some(element.unqualified()).filter(|ty| self.is_movable(*ty))
            }
            _ => None,
        }
    }

    /// Which argument has the text of the assertion, if a function of this name means its failure.
    pub(super) fn failed_assertion(&mut self, name: &str) -> Option<usize> {
        let model = self.library_function(name)?;
        let attribute = self.attribute(model, "selvedge_failure")?;
        self.parameter_number(attribute.args.first()?)
    }

    fn attribute(&self, function: GlobalId, name: &str) -> Option<&'a Attribute> {
        let Definition::Function(definition) = self.global(function).definition else {
            return None;
        };
        let (before, after) =
            (&definition.specifiers.attributes, &definition.declarator.attributes);
        before.iter().chain(after).find(|attribute| &*attribute.name == name)
    }

    /// Attributes count parameters from one.
    fn parameter_number(&mut self, number: &'a ast::Expr) -> Option<usize> {
        usize::try_from(self.try_constant_int(number)?).ok()?.checked_sub(1)
    }
}
