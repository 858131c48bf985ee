//! Objects: how they come into being, and of which class they are.

use selvedge_ir::{Action, BinaryOp, Expr, Int, Mode, Place, Storage, Type};
use selvedge_java_classes::JavaType;

use super::Method;
use super::exception::one_of;
use crate::known::site_field;
use crate::layout::CLASS;
use crate::program::Made;
use crate::reach::CLASS_CAST;
use crate::value::{Value, i32, test};
use crate::world::{OBJECT, THROWABLE};

impl Method<'_, '_, '_> {
    pub(super) fn new_object(&mut self, class: &str) {
        if self.program.world.class(class).is_none() {
            return self.unsupported(&format!(
                "the class {}, which is not in the class path",
                crate::world::shown(class)
            ));
        }
        self.initialize(class);
        if self.body.at.is_some() {
            let object = self.allocate(class);
            self.push(Value::object(object, class));
        }
    }

    /// A fresh object of a class: its number is set, its fields are zero.
    pub(super) fn allocate(&mut self, class: &str) -> Expr {
        let program = &mut *self.program;
        let layout = program.layouts.of(&mut program.program, program.world, program.reach, class);
        let size = Expr::int(i128::from(program.program.layouts[layout].size), Int::U64);
        let number = program.number(class);
        let to = self.body.temp(Type::Ptr);
        let (storage, zeroed) = (Storage::Heap, true);
        self.body.act(Action::Alloc { to, storage, layout, size, zeroed });
        let object = Expr::Local(to);
        self.put(&object, CLASS, Type::Int(Int::I32), i32(number));
        if self.program.world.is_subclass(class, THROWABLE)
            && self.program.reach.fields.contains(&site_field())
        {
            let (span, class) = (self.body.span, class.to_owned());
            self.program.sites.push(Made { span, class });
            let site = i32(self.program.sites.len() as i32);
            let offset = self.program.offset(&site_field());
            self.put(&object, offset, Type::Int(Int::I32), site);
        }
        object
    }

    /// Writes what nobody else writes.
    pub(super) fn put(&mut self, object: &Expr, offset: i64, ty: Type, value: Expr) {
        let to = Place::new(at(object.clone(), offset), ty);
        self.body.act(Action::Store { to, value, mode: Mode::Plain });
    }

    /// Reads what is written once, before anybody else knows of the object.
    pub(super) fn get(&mut self, object: &Expr, offset: i64, ty: Type) -> Expr {
        let to = self.body.temp(ty);
        let from = Place::new(at(object.clone(), offset), ty);
        self.body.act(Action::Load { to, from, mode: Mode::Plain });
        Expr::Local(to)
    }

    pub(super) fn class_number(&mut self, object: &Expr) -> Expr {
        self.get(object, CLASS, Type::Int(Int::I32))
    }

    /// Whether what is there is of a class.
    fn is_of(&mut self, value: &Value, class: &str) -> Expr {
        if let Some(exact) = &value.exact {
            let holds = self.program.world.is_subclass(exact, class);
            return Expr::Const(selvedge_ir::Const::Bool(holds));
        }
        let numbers = self.program.numbers_below(class);
        if numbers.len() == self.program.reach.objects.len() {
            return Expr::TRUE;
        }
        let number = self.class_number(&value.expr);
        one_of(&number, numbers)
    }

    pub(super) fn instance_of(&mut self, ty: &JavaType) {
        let value = self.pop();
        let value = self.kept(value);
        let class = ty.class().unwrap_or(OBJECT).to_owned();
        if value.there {
            let holds = self.is_of(&value, &class);
            return self.push_bool(holds);
        }
        let result = self.body.temp(Type::Bool);
        let null = self.body.branch(test(BinaryOp::Ne, value.expr.clone(), Expr::NULL));
        let holds = self.is_of(&value, &class);
        self.body.assign(result, holds);
        let Some(end) = self.body.at else { return };
        self.aside(null, |method| {
            method.body.act_to(Action::Assign { to: result, value: Expr::FALSE }, end);
        });
        self.push_bool(Expr::Local(result));
    }

    pub(super) fn check_cast(&mut self, ty: &JavaType) {
        let value = self.pop();
        if value.ty != Type::Ptr {
            return self.push(value);
        }
        let value = self.kept(value);
        let class = ty.class().unwrap_or(OBJECT).to_owned();
        let numbers = self.program.numbers_below(&class);
        let known =
            value.exact.as_ref().is_some_and(|exact| self.program.world.is_subclass(exact, &class));
        if known || value.expr == Expr::NULL || numbers.len() == self.program.reach.objects.len() {
            return self.push(value);
        }
        let null = self.body.branch(test(BinaryOp::Ne, value.expr.clone(), Expr::NULL));
        let holds = self.is_of(&value, &class);
        self.check(holds, CLASS_CAST);
        self.rejoin(null);
        self.push(value);
    }
}

/// The address of a field.
pub fn at(object: Expr, offset: i64) -> Expr {
    match (&object, offset) {
        (_, 0) => object,
        (Expr::Const(selvedge_ir::Const::Object(id, before)), _) => {
            Expr::Const(selvedge_ir::Const::Object(*id, before + offset))
        }
        _ => Expr::binary(BinaryOp::PtrAdd, object, Expr::int(i128::from(offset), Int::I64)),
    }
}
