//! Fields of objects and of classes, and the initialisation of classes.

use selvedge_ir::{Action, Callee, Mode, Place};
use selvedge_java_classes::{Field, FieldRef};

use super::Method;
use super::object::at;
use crate::reach::CLINIT;
use crate::value::{Value, fit, i32, stored};
use crate::world::shown;

/// What `javac` makes of `assert`: assertions are on.
const DISABLED: &str = "$assertionsDisabled";

fn mode(field: &Field) -> Mode {
    if field.is_volatile { Mode::Atomic } else { Mode::Plain }
}

impl Method<'_, '_, '_> {
    /// The place of a field of an object on the stack.
    fn instance(&mut self, field: &FieldRef) -> Option<(Place, Mode)> {
        let object = self.pop();
        let Some((class, found)) = self.program.world.field(field) else {
            self.unknown_field(field);
            return None;
        };
        let object = self.kept(object);
        self.not_null(&object);
        self.body.at?;
        let (class, ty) = (class.name.clone(), found.ty.clone());
        let offset = self.program.offset(&FieldRef { class, name: found.name.clone(), ty });
        Some((Place::new(at(object.expr, offset), stored(&found.ty)), mode(&found)))
    }

    fn unknown_field(&mut self, field: &FieldRef) {
        let class = shown(&field.class);
        self.unsupported(&format!("the field {class}.{}, which is not there", field.name));
    }

    pub(super) fn get_field(&mut self, field: &FieldRef) {
        if let Some((from, mode)) = self.instance(field) {
            self.load_from(from, mode, field);
        }
    }

    fn load_from(&mut self, from: Place, mode: Mode, field: &FieldRef) {
        let to = self.body.temp(from.ty);
        let ty = from.ty;
        self.body.act(Action::Load { to, from, mode });
        self.push(Value::loaded(selvedge_ir::Expr::Local(to), ty, &field.ty));
    }

    pub(super) fn put_field(&mut self, field: &FieldRef) {
        let value = self.pop();
        if let Some((to, mode)) = self.instance(field) {
            let value = fit(value.expr, value.ty, to.ty);
            self.body.act(Action::Store { to, value, mode });
        }
    }

    /// The place of a class's field, once the class is initialised.
    fn of_class(&mut self, field: &FieldRef) -> Option<(Place, Mode)> {
        let Some((class, found)) = self.program.world.field(field) else {
            self.unknown_field(field);
            return None;
        };
        self.initialize(&class.name);
        self.body.at?;
        let place = self.program.static_field(&class, &found.name, &found.ty);
        Some((place, mode(&found)))
    }

    pub(super) fn get_static(&mut self, field: &FieldRef) {
        if field.name == DISABLED {
            return self.push(Value::int(i32(0)));
        }
        if let Some((from, mode)) = self.of_class(field) {
            self.load_from(from, mode, field);
        }
    }

    pub(super) fn put_static(&mut self, field: &FieldRef) {
        let value = self.pop();
        if field.name == DISABLED {
            return;
        }
        if let Some((to, mode)) = self.of_class(field) {
            let value = fit(value.expr, value.ty, to.ty);
            self.body.act(Action::Store { to, value, mode });
        }
    }

    /// Before the first use of a class its initialiser runs, once, whichever thread comes first. In
    /// its own static methods and initialiser it has begun.
    pub(super) fn initialize(&mut self, class: &str) {
        let chain = self.program.world.chain(class);
        let Some(first) = chain.iter().find(|class| self.program.lazy.contains(&class.name)) else {
            return;
        };
        let own = self.found.method().is_static || self.found.method().name == CLINIT.0;
        if own && self.program.world.is_subclass(&self.found.class.name, &first.name) {
            return;
        }
        let procedure = self.program.initializer(&first.name, self.body.span);
        let callee = Callee::Direct(procedure);
        self.body.act(Action::Call { to: None, callee, args: Vec::new() });
    }
}
