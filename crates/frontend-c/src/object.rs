//! Variables with static storage as Plato objects.

use selvedge_c_syntax::ast::Span;
use selvedge_ir::{Action, Callee, Expr, Object, ObjectId, Sharing};

use crate::expr::{Lvalue, Place};
use crate::lowering::{
    Definition, Frame, Global, GlobalId, Lowering, Planned, PlannedObject, Startup,
};
use crate::options::External;
use crate::types::{Kind, Len, Ty};

impl Lowering<'_> {
    /// The object of a variable, made at first use; none if the variable is defined nowhere.
    pub fn variable_object(&mut self, id: GlobalId, span: Span) -> Option<ObjectId> {
        let Some(id) = self.defined_variable(id) else { return self.unknown_object(id, span) };
        if let Some(known) = self.object_of.get(&id) {
            return Some(*known);
        }
        Some(self.make_object(id))
    }

    /// The variable itself, or the library's of that name (`stdout`).
    fn defined_variable(&self, id: GlobalId) -> Option<GlobalId> {
        let id = self.canonical(id);
        match self.global(id).definition {
            Definition::None => {
                let model = self.library.get(&self.library_name(id)).copied()?;
                let defined = !matches!(self.global(model).definition, Definition::None);
                defined.then_some(model)
            }
            _ => Some(id),
        }
    }

    fn make_object(&mut self, id: GlobalId) -> ObjectId {
        let ty = self.program_type(id);
        let defined = !matches!(self.global(id).definition, Definition::None);
        if defined && !self.types.is_complete(ty) && !self.types.is_error(ty) {
            let message = format!(
                "the variable `{}` has the incomplete type `{}`",
                self.global(id).name,
                self.types.describe(ty)
            );
            self.error("incomplete-type", self.global(id).span, message);
        }
        let layout = self.layout(ty);
        let global = self.global(id).clone();
        let name = match &global.owner {
            Some(owner) => format!("{owner}${}", global.name),
            None => global.name.to_string(),
        };
        let sharing = match global.thread_local {
            true => Sharing::PerThread,
            false => Sharing::Shared,
        };
        let site = self.frame.site.take();
        let span = self.place(global.span);
        self.frame.site = site;
        let object =
            self.program.objects.push(Object { name, layout, sharing, init: Vec::new(), span });
        let initialised = !matches!(global.definition, Definition::Variable(_));
        self.objects.push(PlannedObject { global: Some(id), initialised });
        self.object_of.insert(id, object);
        if self.types.is_constant(ty) && !self.units[global.unit].model {
            self.fixed.objects.insert(object, "a const object");
        }
        object
    }

    /// The variable's type with its length: a tentative array of unknown length has one element.
    pub fn program_type(&mut self, id: GlobalId) -> Ty {
        let id = self.defined_variable(id).unwrap_or(id);
        let global = self.global(id);
        let (ty, definition) = (global.ty, global.definition);
        match (self.types.kind(ty).clone(), definition) {
            (Kind::Array(element, Len::Unknown), Definition::Tentative) => {
                let array = self.types.array(element, Len::Fixed(1));
                array.qualified_like(ty)
            }
            _ => ty,
        }
    }

    /// An object's initial value, evaluated in the scope of its declaration.
    pub fn initialize_object(&mut self, object: ObjectId) {
        let index = object.as_u32() as usize;
        let planned = self.objects[index].clone();
        if planned.initialised {
            return;
        }
        self.objects[index].initialised = true;
        let Some(id) = planned.global else { return };
        let global = self.global(id).clone();
        let Definition::Variable(init) = global.definition else { return };
        let static_local = global.owner.is_some();
        let outer = match static_local {
            // Evaluated where it stands, in the function's scopes.
            true => None,
            false => {
                let void = self.types.void();
                let mut frame = Frame::new(global.unit, "".into(), void);
                frame.scopes = global.scopes.clone();
                Some(std::mem::replace(&mut self.frame, frame))
            }
        };
        let ty = self.program_type(id);
        let constant = std::mem::replace(&mut self.frame.constant, true);
        let values = self.initial_values(object, ty, init);
        self.frame.constant = constant;
        if let Some(outer) = outer {
            self.frame = outer;
        }
        self.program.objects[object].init = values;
    }

    /// The object of a variable that is defined in no file: its content is any. Of the library's
    /// variables, and of those whose size is not known, nothing is assumed.
    fn unknown_object(&mut self, id: GlobalId, span: Span) -> Option<ObjectId> {
        let id = self.canonical(id);
        let Global { name, ty, span: declared, .. } = self.global(id).clone();
        if let Some(known) = self.object_of.get(&id) {
            return Some(*known);
        }
        let open = matches!(self.types.kind(ty), Kind::Array(_, Len::Unknown))
            || self.options.external == External::Unsupported;
        if self.is_weak(id) || self.in_model() || open || self.sources.is_system_header(declared) {
            return None;
        }
        if self.noted.insert(name.clone()) {
            let text =
                format!("the variable `{name}` is not defined: it is taken to hold any value");
            self.note(text, span);
        }
        let object = self.make_object(id);
        if self.types.is_complete(ty) {
            let procedure = self.reserve_procedure(Planned::Unknown(id));
            let callee = Callee::Direct(procedure);
            let action = Action::Call { to: None, callee, args: Vec::new() };
            self.startup.push(Startup { object, action, span: declared });
        }
        Some(object)
    }

    /// A variable that is declared but defined in no file: nothing is known about it.
    pub fn undefined_variable(&mut self, id: GlobalId, span: Span) -> Lvalue {
        let (name, ty) = (self.global(id).name.clone(), self.global(id).ty);
        if self.is_weak(id) {
            return Lvalue { ty, place: Place::Memory(Expr::NULL) };
        }
        if self.noted.insert(name.clone()) {
            self.note(
                format!("the variable `{name}` is declared but not defined: not supported"),
                span,
            );
        }
        self.unsupported(format!("the variable `{name}`, which is declared but not defined"), span);
        Lvalue { ty, place: Place::Memory(Expr::NULL) }
    }
}
