//! Arrays. The elements are an object of their own, which the array's head points to.

use selvedge_ir::{Action, BinaryOp, Expr, Int, Mode, Place, Storage, Type};
use selvedge_java_classes::{Element, JavaType};

use super::Method;
use super::exception::one_of;
use crate::layout::CLASS;
use crate::reach::{ARRAY_STORE, BOUNDS, NEGATIVE_SIZE};
use crate::value::{Value, element as element_type, fit, i32, stacked, test};
use crate::world::OBJECT;

/// The type of elements in memory: instructions do not tell booleans from bytes.
fn kept(element: Element) -> Type {
    match element {
        Element::Boolean => Type::Int(Int::I8),
        other => element_type(other),
    }
}

impl Method<'_, '_, '_> {
    fn offsets(&mut self) -> (i64, i64) {
        let program = &mut *self.program;
        let (world, reach) = (program.world, program.reach);
        let length = program.layouts.length(&mut program.program, world, reach);
        let elements = program.layouts.elements(&mut program.program, world, reach);
        (length, elements)
    }

    pub(super) fn array_length(&mut self) {
        let array = self.pop();
        let array = self.kept(array);
        self.not_null(&array);
        let (length, _) = self.offsets();
        let value = self.get(&array.expr, length, Type::Int(Int::I32));
        self.push(Value::int(value));
    }

    /// The place of an element; the index must be in bounds.
    fn element(&mut self, array: &Value, index: Value, element: Element) -> Place {
        let index = self.kept(index);
        self.not_null(array);
        let (length, elements) = self.offsets();
        let length = self.get(&array.expr, length, Type::Int(Int::I32));
        let unsigned = |value: Expr| Expr::cast(Type::Int(Int::U32), value);
        let below = match &index.expr {
            Expr::Const(_) => {
                let positive = test(BinaryOp::Ge, index.expr.clone(), i32(0));
                match positive {
                    Expr::FALSE => Expr::FALSE,
                    _ => test(BinaryOp::Lt, index.expr.clone(), length),
                }
            }
            _ => Expr::binary(BinaryOp::Lt, unsigned(index.expr.clone()), unsigned(length)),
        };
        self.check(below, BOUNDS);
        let elements = self.get(&array.expr, elements, Type::Ptr);
        let ty = kept(element);
        let size = Expr::int(i128::from(ty.size(self.program.program.model)), Int::I64);
        let wide = fit(index.expr, Type::Int(Int::I32), Type::Int(Int::I64));
        let distance = Expr::binary(BinaryOp::Mul, wide, size);
        Place::new(Expr::binary(BinaryOp::PtrAdd, elements, distance), ty)
    }

    pub(super) fn array_load(&mut self, element: Element) {
        let (index, array) = (self.pop(), self.pop());
        let array = self.kept(array);
        let from = self.element(&array, index, element);
        let (to, ty) = (self.body.temp(from.ty), from.ty);
        self.body.act(Action::Load { to, from, mode: Mode::Plain });
        let kind = match element {
            Element::Long => JavaType::Long,
            Element::Float => JavaType::Float,
            Element::Double => JavaType::Double,
            Element::Ref => JavaType::Ref(OBJECT.to_owned()),
            _ => JavaType::Int,
        };
        self.push(Value::loaded(Expr::Local(to), ty, &kind));
    }

    pub(super) fn array_store(&mut self, element: Element) {
        let (value, index, array) = (self.pop(), self.pop(), self.pop());
        let (array, value) = (self.kept(array), self.kept(value));
        let to = self.element(&array, index, element);
        if element == Element::Ref {
            self.check_store(&array, &value);
        }
        let value = fit(value.expr, value.ty, to.ty);
        self.body.act(Action::Store { to, value, mode: Mode::Plain });
    }

    /// An array of a class may stand where one of a class above it is named; it does not take objects
    /// of others for that.
    fn check_store(&mut self, array: &Value, value: &Value) {
        if value.expr == Expr::NULL || self.body.at.is_none() {
            return;
        }
        let world = self.program.world;
        let all = self.program.numbers_below(OBJECT);
        let mut picky = Vec::new();
        for class in self.program.reach.objects.iter().filter(|class| class.starts_with('[')) {
            let JavaType::Ref(taken) = JavaType::of(&class[1..]) else { continue };
            let known = array.exact.as_ref().is_some_and(|exact| exact != class);
            let fits = value.exact.as_ref().is_some_and(|one| world.is_subclass(one, &taken));
            let below = self.program.numbers_below(&taken);
            if !known && !fits && below != all {
                picky.push((self.program.number(class), below));
            }
        }
        if picky.is_empty() {
            return;
        }
        let null = match value.there {
            true => None,
            false => self.body.branch(test(BinaryOp::Ne, value.expr.clone(), Expr::NULL)),
        };
        let of_array = self.class_number(&array.expr);
        let of_value = self.class_number(&value.expr);
        let fits = picky.into_iter().map(|(class, below)| {
            let other = test(BinaryOp::Ne, of_array.clone(), i32(class));
            Expr::binary(BinaryOp::Or, other, one_of(&of_value, below))
        });
        let fits = fits.reduce(|a, b| Expr::binary(BinaryOp::And, a, b)).unwrap_or(Expr::TRUE);
        self.check(fits, ARRAY_STORE);
        self.rejoin(null);
    }

    pub(super) fn new_array(&mut self, ty: &JavaType) {
        let length = self.pop();
        let length = self.kept(length);
        self.check(test(BinaryOp::Ge, length.expr.clone(), i32(0)), NEGATIVE_SIZE);
        let class = ty.class().unwrap_or(OBJECT).to_owned();
        let array = self.make_array(&class, length.expr);
        self.push(Value::object(array, &class));
    }

    /// An array of zeros; its length is not negative.
    pub(super) fn make_array(&mut self, class: &str, length: Expr) -> Expr {
        let element = JavaType::of(class.get(1..).unwrap_or_default()).element();
        let ty = kept(element);
        let program = &mut *self.program;
        let model = program.program.model;
        let scalar = program.program.scalar_layout(ty);
        let (world, reach) = (program.world, program.reach);
        let head = program.layouts.of(&mut program.program, world, reach, class);
        let size = Expr::int(i128::from(program.program.layouts[head].size), Int::U64);
        let number = program.number(class);
        let (storage, zeroed) = (Storage::Heap, true);
        let array = self.body.temp(Type::Ptr);
        self.body.act(Action::Alloc { to: array, storage, layout: head, size, zeroed });
        let array = Expr::Local(array);
        self.put(&array, CLASS, Type::Int(Int::I32), i32(number));
        let (at_length, at_elements) = self.offsets();
        self.put(&array, at_length, Type::Int(Int::I32), length.clone());
        let wide = fit(length, stacked(selvedge_java_classes::Kind::Int), Type::Int(Int::U64));
        let bytes = Expr::int(i128::from(ty.size(model)), Int::U64);
        let size = match crate::value::number(&wide) {
            Some(count) => Expr::int(count * i128::from(ty.size(model)), Int::U64),
            None => Expr::binary(BinaryOp::Mul, wide, bytes),
        };
        let elements = self.body.temp(Type::Ptr);
        self.body.act(Action::Alloc { to: elements, storage, layout: scalar, size, zeroed });
        self.put(&array, at_elements, Type::Ptr, Expr::Local(elements));
        array
    }

    /// `new int[m][n]`: lengths that are constants, so that the loops are known.
    pub(super) fn new_arrays(&mut self, ty: &JavaType, dimensions: u8) {
        let mut lengths = Vec::new();
        for _ in 0..dimensions {
            lengths.insert(0, self.pop().expr);
        }
        let known: Vec<i128> = lengths.iter().filter_map(crate::value::number).collect();
        let inner: i128 = known.iter().rev().skip(1).product();
        if known.len() != lengths.len() || known.iter().any(|n| *n < 0) || inner > 64 {
            return self.unsupported("an array of arrays whose lengths are not small constants");
        }
        let class = ty.class().unwrap_or(OBJECT).to_owned();
        let array = self.nested(&class, &known);
        self.push(Value::object(array, &class));
    }

    fn nested(&mut self, class: &str, lengths: &[i128]) -> Expr {
        let array = self.make_array(class, Expr::int(lengths[0], Int::I32));
        if lengths.len() > 1 {
            let (_, elements) = self.offsets();
            let first = self.get(&array, elements, Type::Ptr);
            for index in 0..lengths[0] {
                let inner = self.nested(&class[1..], &lengths[1..]);
                self.put(&first, index as i64 * 8, Type::Ptr, inner);
            }
        }
        array
    }
}
