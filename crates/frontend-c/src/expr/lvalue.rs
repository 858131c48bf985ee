//! Lvalues: places that can be read, written, and mostly pointed to.

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};
use selvedge_ir::{Action, BinaryOp, Expr, GhostId, Int, LocalId, Mode, Property, Type};

use super::Value;
use crate::fold::Typed;
use crate::lowering::{Entity, GlobalId, Lowering, Slot};
use crate::types::{BitField, Field, Kind, Len, Ty};

#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    pub ty: Ty,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Local(LocalId),
    /// At this address.
    Memory(Expr),
    /// A bit-field of the record at this address.
    Bits(Expr, BitField),
    /// Readable only.
    Value(Expr),
    Function(GlobalId),
    /// A specification variable of the object at this address.
    Ghost(GhostId, Expr),
}

impl<'a> Lowering<'a> {
    /// Whether the expression names a place (as far as its type is concerned).
    pub fn is_lvalue(&mut self, expr: &'a ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Ident(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::String(_)
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => true,
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.is_lvalue(operand),
            ExprKind::Generic { .. } | ExprKind::Choose { .. } => {
                self.chosen(expr).is_some_and(|arm| self.is_lvalue(arm))
            }
            _ => false,
        }
    }

    pub fn lvalue(&mut self, expr: &'a ast::Expr) -> Lvalue {
        let lvalue = self.found_lvalue(expr);
        self.watch(expr, &lvalue);
        lvalue
    }

    fn found_lvalue(&mut self, expr: &'a ast::Expr) -> Lvalue {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Ident(name) => self.named(name),
            ExprKind::String(literal) => self.string(literal, span),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.dereferenced(operand, span),
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.lvalue(operand),
            ExprKind::Index { array, index } => self.indexed(array, index, false, span),
            ExprKind::Member { object, arrow, name } => self.member(object, *arrow, name),
            ExprKind::CompoundLiteral { ty, init } => self.compound_literal(ty, init, span),
            ExprKind::Generic { .. } | ExprKind::Choose { .. } => match self.chosen(expr) {
                Some(arm) => self.lvalue(arm),
                None => self.error_lvalue(),
            },
            _ => {
                let value = self.rvalue(expr);
                match self.types.is_aggregate(value.ty) {
                    // The result of a call or an assignment: an object without a name.
                    true => {
                        let value = self.nameless(expr, value);
                        Lvalue { ty: value.ty, place: Place::Memory(value.expr) }
                    }
                    false => Lvalue { ty: value.ty, place: Place::Value(value.expr) },
                }
            }
        }
    }

    fn error_lvalue(&mut self) -> Lvalue {
        Lvalue { ty: self.types.error(), place: Place::Value(Expr::FALSE) }
    }

    fn named(&mut self, name: &ast::Ident) -> Lvalue {
        match self.lookup(&name.name).cloned() {
            Some(Entity::Variable(ty, Slot::Local(local))) => {
                Lvalue { ty, place: Place::Local(local) }
            }
            Some(Entity::Variable(ty, Slot::Memory(addr))) => {
                Lvalue { ty, place: Place::Memory(addr) }
            }
            Some(Entity::Variable(ty, Slot::Value(expr))) => {
                Lvalue { ty, place: Place::Value(expr) }
            }
            Some(Entity::Variable(ty, Slot::Ghost(id, of))) => {
                Lvalue { ty, place: Place::Ghost(id, of) }
            }
            Some(Entity::Variable(ty, Slot::Unknown(local))) => {
                self.unsupported(
                    format!("the use of `{}`, an argument of `main`", name.name),
                    name.span,
                );
                Lvalue { ty, place: Place::Local(local) }
            }
            Some(Entity::Enumerator(value, ty)) => {
                let value = self.int_value(value, ty);
                Lvalue { ty, place: Place::Value(value.expr) }
            }
            Some(Entity::Global(id)) => {
                self.reject_ghost(id, name.span);
                self.global_lvalue(id, name.span)
            }
            Some(Entity::Typedef(_)) => {
                let message = format!("`{}` is a type; a value is expected here", name.name);
                self.error("type-as-value", name.span, message);
                self.error_lvalue()
            }
            None => self.predefined(name),
        }
    }

    /// `__func__`, and names that are declared nowhere.
    fn predefined(&mut self, name: &ast::Ident) -> Lvalue {
        if let Some(lvalue) = self.specification_name(name) {
            return lvalue;
        }
        if matches!(&*name.name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let units: Vec<u32> = self.frame.name.bytes().map(u32::from).collect();
            let literal =
                ast::StringLiteral { units: units.into(), encoding: ast::Encoding::Plain };
            return self.string(&literal, name.span);
        }
        if let Some(id) = self.builtin_function(&name.name, name.span) {
            return self.global_lvalue(id, name.span);
        }
        let message = format!("`{}` is not declared", name.name);
        self.error("undeclared", name.span, message);
        // Once is enough.
        let ty = self.types.error();
        self.declare(name.name.clone(), Entity::Variable(ty, Slot::Value(Expr::FALSE)));
        self.error_lvalue()
    }

    pub fn global_lvalue(&mut self, id: GlobalId, span: Span) -> Lvalue {
        let ty = self.global(id).ty;
        if let Some(what) = self.strange_global(id).filter(|_| !self.types.is_function(ty)) {
            let name = self.global(id).name.clone();
            self.unsupported(format!("{what} of `{name}`"), span);
        }
        match self.types.is_function(ty) {
            true => Lvalue { ty, place: Place::Function(id) },
            false => match self.variable_object(id, span) {
                Some(object) if self.canonical(id) != id && self.types.is_complete(ty) => {
                    Lvalue { ty, place: Place::Memory(Expr::object(object)) }
                }
                Some(object) => {
                    let ty = self.program_type(id);
                    Lvalue { ty, place: Place::Memory(Expr::object(object)) }
                }
                None => self.undefined_variable(id, span),
            },
        }
    }

    /// `*operand`
    pub(super) fn dereferenced(&mut self, operand: &'a ast::Expr, span: Span) -> Lvalue {
        let value = self.rvalue(operand);
        self.pointed_to(value, span)
    }

    /// What a pointer value points to.
    pub fn pointed_to(&mut self, value: Value, span: Span) -> Lvalue {
        match self.types.pointee(value.ty) {
            // Dereferencing a function pointer gives the function back.
            Some(to) if self.types.is_function(to) => {
                Lvalue { ty: value.ty, place: Place::Value(value.expr) }
            }
            Some(to) => Lvalue { ty: to, place: Place::Memory(value.expr) },
            None => {
                if !self.types.is_error(value.ty) {
                    let message = format!(
                        "a value of type `{}` cannot be dereferenced",
                        self.types.describe(value.ty)
                    );
                    self.error("not-a-pointer", span, message);
                }
                self.error_lvalue()
            }
        }
    }

    /// `array[index]`; with `past`, only its address is wanted, which may be the array's end.
    fn indexed(
        &mut self,
        array: &'a ast::Expr,
        index: &'a ast::Expr,
        past: bool,
        span: Span,
    ) -> Lvalue {
        let (mut base, count) = self.array_value(array);
        if let Kind::ThreadMap(_) = self.types.kind(base.ty) {
            let thread = self.named_thread(index);
            let value = self.map_entry(base, thread, span);
            return Lvalue { ty: value.ty, place: Place::Value(value.expr) };
        }
        if let Kind::Vector(element, _) = *self.types.kind(base.ty) {
            base.ty = self.types.pointer(element);
        }
        let index = self.rvalue(index);
        // `3[a]` is `a[3]`.
        let (base, index) = match self.types.is_pointer(base.ty) {
            true => (base, index),
            false => (index, base),
        };
        if let Some(count) = count {
            self.check_index(&index, count + u64::from(past), span);
        }
        let pointer = self.pointer_plus(base, index, false, span);
        self.pointed_to(pointer, span)
    }

    /// The value of an array or a pointer; of an array inside an object, also its length. An array
    /// of one element at most at the end of a record stands for as many as there is memory for.
    fn array_value(&mut self, array: &'a ast::Expr) -> (Value, Option<u64>) {
        let inside = match &array.kind {
            ExprKind::Member { .. } | ExprKind::Index { .. } => {
                !self.in_model() && self.ready(array).is_none()
            }
            _ => false,
        };
        if !inside {
            return (self.rvalue(array), None);
        }
        let lvalue = self.lvalue(array);
        let count = match *self.types.kind(lvalue.ty) {
            Kind::Array(_, Len::Fixed(count)) if count > 1 => Some(count),
            _ => None,
        };
        (self.load(lvalue, array.span), count)
    }

    /// An index past an array is undefined behaviour also where other members follow.
    fn check_index(&mut self, index: &Value, count: u64, span: Span) {
        if self.frame.constant || !self.types.is_integer(index.ty) {
            return;
        }
        let diff = self.types.diff_type();
        let index = self.convert(index.clone(), diff, span).expr;
        let int = Int { signed: false, ..self.types.model.diff_type() };
        let index = self.body.cast(Type::Int(int), index);
        let inside = self.body.binary(BinaryOp::Lt, index, Expr::int(i128::from(count), int));
        let what = format!("index outside the array in {}", self.sources.snippet(span));
        self.undefined_unless(inside, Property::Memory, &what, span);
    }

    fn member(&mut self, object: &'a ast::Expr, arrow: bool, name: &ast::Ident) -> Lvalue {
        let object = match arrow {
            true => self.dereferenced(object, object.span),
            false => self.lvalue(object),
        };
        self.field_of(object, name)
    }

    pub fn field_of(&mut self, object: Lvalue, name: &ast::Ident) -> Lvalue {
        if self.types.is_error(object.ty) {
            return self.error_lvalue();
        }
        if let Some(lvalue) = self.ghost_field(&object, name) {
            return lvalue;
        }
        let found = self.find_field(object.ty, &name.name);
        let (Some(field), Place::Memory(base)) = (found, object.place) else {
            let message = match self.types.as_record(object.ty) {
                Some((_, record)) if !record.complete => {
                    format!("`{}` is incomplete here", record.name())
                }
                Some((_, record)) => format!("`{}` has no member `{}`", record.name(), name.name),
                None => {
                    format!("a value of type `{}` has no members", self.types.describe(object.ty))
                }
            };
            self.error("no-member", name.span, message);
            return self.error_lvalue();
        };
        let strange = self.types.as_record(object.ty).and_then(|(_, r)| r.strange.clone());
        if let Some(what) = strange {
            let record = self.types.describe(object.ty);
            self.unsupported(format!("{what} of `{record}`"), name.span);
        }
        self.lvalue_of_field(base, object.ty, &field)
    }

    /// A member that only specifications have.
    fn ghost_field(&mut self, object: &Lvalue, name: &ast::Ident) -> Option<Lvalue> {
        if self.ghost_variables.is_empty() {
            return None;
        }
        let record = self.types.as_record(object.ty)?.0;
        let found = self.ghost_member(record, &name.name)?;
        let Place::Memory(base) = &object.place else { return None };
        Some(Lvalue { ty: found.ty, place: Place::Ghost(found.id, base.clone()) })
    }

    /// A member of the record at an address; the field's offset is from there.
    pub fn lvalue_of_field(&mut self, base: Expr, record: Ty, field: &Field) -> Lvalue {
        let mut ty = field.ty.qualified_like(record);
        // An atomic record is not a record of atomics.
        ty.atomic = field.ty.atomic;
        let place = match &field.bits {
            Some(bits) => {
                let mut bits = bits.clone();
                // Offsets of anonymous members are already in the field's.
                let first = bits.pieces.first().map_or(0, |p| p.offset);
                for piece in bits.pieces.iter_mut().chain(&mut bits.shared) {
                    piece.offset = piece.offset + field.offset - first;
                }
                Place::Bits(base, bits)
            }
            None => Place::Memory(self.offset(base, field.offset)),
        };
        Lvalue { ty, place }
    }

    /// A member by its name, looked up through anonymous members.
    pub fn find_field(&self, ty: Ty, name: &str) -> Option<Field> {
        let (_, record) = self.types.as_record(ty)?;
        for field in &record.fields {
            match &field.name {
                Some(own) if &**own == name => return Some(field.clone()),
                Some(_) => {}
                None => {
                    if let Some(mut inner) = self.find_field(field.ty, name) {
                        inner.offset += field.offset;
                        return Some(inner);
                    }
                }
            }
        }
        None
    }

    pub fn offset(&self, base: Expr, bytes: u64) -> Expr {
        let int = self.types.model.diff_type();
        self.body.ptr_add(base, Expr::int(i128::from(bytes), int))
    }

    pub(super) fn address_of(&mut self, operand: &'a ast::Expr, span: Span) -> Value {
        // `&*e` is `e`, and `&a[i]` evaluates no access: both fall out of taking the place's
        // address.
        let lvalue = match &operand.kind {
            ExprKind::Index { array, index } => self.indexed(array, index, true, operand.span),
            _ => self.lvalue(operand),
        };
        let ty = self.types.pointer(lvalue.ty);
        match lvalue.place {
            Place::Memory(_) if lvalue.ty.reversed => {
                let what = "the address of a number of the other byte order";
                self.unsupported_value(what, ty, span)
            }
            Place::Memory(expr) => Value { ty, expr },
            Place::Function(id) => Value { ty, expr: self.function_address(id, span) },
            // `&*function_pointer`
            Place::Value(expr)
                if self.types.pointee(lvalue.ty).is_some_and(|t| self.types.is_function(t)) =>
            {
                Value { ty: lvalue.ty, expr }
            }
            _ if self.types.is_error(lvalue.ty) => self.error_value(),
            Place::Bits(..) => {
                self.error("address", span, "a bit-field has no address");
                self.error_value()
            }
            Place::Local(_) => self.unsupported_value("the address of this variable", ty, span),
            Place::Value(_) | Place::Ghost(..) => {
                self.error("address", span, "this value has no address");
                self.error_value()
            }
        }
    }

    /// Reads a place. Arrays and functions become pointers, aggregates their address.
    pub fn load(&mut self, lvalue: Lvalue, span: Span) -> Value {
        let ty = lvalue.ty.unqualified();
        if let Place::Function(id) = lvalue.place {
            let expr = self.function_address(id, span);
            return Value { ty: self.types.pointer(ty), expr };
        }
        if let (Kind::Array(element, _), Place::Memory(addr)) =
            (self.types.kind(ty).clone(), &lvalue.place)
        {
            return Value { ty: self.types.pointer(element), expr: addr.clone() };
        }
        match lvalue.place {
            Place::Local(local) => Value { ty, expr: Expr::Local(local) },
            Place::Value(expr) => Value { ty, expr },
            Place::Ghost(id, of) => self.ghost_value(id, of, ty, span),
            Place::Bits(..) if lvalue.ty.reversed => {
                self.unsupported_value("a bit-field of the other byte order", ty, span)
            }
            Place::Bits(base, bits) => self.load_bits(base, &bits, ty, span),
            Place::Memory(addr) => match self.types.scalar(ty) {
                Some(Type::Int(int)) if lvalue.ty.reversed => {
                    let raw = Int { signed: false, ..int };
                    let held = self.load_scalar(addr, Type::Int(raw), mode(lvalue.ty), span);
                    let expr = self.in_other_order(held, raw);
                    Value { ty, expr: self.body.cast(Type::Int(int), expr) }
                }
                Some(scalar) => {
                    let expr = self.load_scalar(addr, scalar, mode(lvalue.ty), span);
                    Value { ty, expr }
                }
                None if self.types.is_void(ty) => Value { ty, expr: Expr::FALSE },
                // An atomic aggregate is read as a whole.
                None if lvalue.ty.atomic => {
                    let copy = self.temporary_object("copy", ty, span);
                    self.copy(copy.clone(), addr, lvalue.ty, span);
                    Value { ty, expr: copy }
                }
                None => Value { ty, expr: addr },
            },
            Place::Function(_) => unreachable!("functions are handled above"),
        }
    }

    pub fn load_scalar(&mut self, addr: Expr, ty: Type, mode: Mode, span: Span) -> Expr {
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return Expr::Const(selvedge_ir::Const::zero(ty));
        }
        let to = self.body.temporary(ty);
        let from = selvedge_ir::Place::new(addr, ty);
        self.emit(Action::Load { to, from, mode }, span);
        Expr::Local(to)
    }

    /// Writes a place; the value has been converted to its type.
    pub fn store(&mut self, lvalue: &Lvalue, value: Expr, span: Span) {
        match &lvalue.place {
            Place::Local(local) => self.assign(*local, value, span),
            Place::Bits(..) if lvalue.ty.reversed => {
                self.unsupported("a bit-field of the other byte order", span);
            }
            Place::Bits(base, bits) => self.store_bits(base.clone(), bits, value, span),
            Place::Memory(addr) => match self.types.scalar(lvalue.ty) {
                Some(Type::Int(int)) if lvalue.ty.reversed => {
                    let raw = Int { signed: false, ..int };
                    let value = self.body.cast(Type::Int(raw), value);
                    let value = self.in_other_order(value, raw);
                    let mode = mode(lvalue.ty);
                    self.store_scalar(addr.clone(), Type::Int(raw), value, mode, span);
                }
                Some(scalar) => {
                    self.store_scalar(addr.clone(), scalar, value, mode(lvalue.ty), span);
                }
                None if self.types.is_error(lvalue.ty) => {}
                // What is read for it is no part of the atomic step.
                None if lvalue.ty.atomic => {
                    let copy = self.temporary_object("copy", lvalue.ty.unqualified(), span);
                    self.copy(copy.clone(), value, lvalue.ty.unqualified(), span);
                    self.copy(addr.clone(), copy, lvalue.ty, span);
                }
                None => self.copy(addr.clone(), value, lvalue.ty, span),
            },
            Place::Ghost(id, of) => {
                self.ghost_value(*id, of.clone(), lvalue.ty, span);
            }
            Place::Value(_) | Place::Function(_) => {
                if !self.types.is_error(lvalue.ty) {
                    self.error("not-assignable", span, "this expression cannot be assigned to");
                }
            }
        }
    }

    pub fn store_scalar(&mut self, addr: Expr, ty: Type, value: Expr, mode: Mode, span: Span) {
        let to = selvedge_ir::Place::new(addr, ty);
        self.emit(Action::Store { to, value, mode }, span);
    }

    /// An unsigned number with its bytes in the other order.
    pub fn in_other_order(&mut self, value: Expr, int: Int) -> Expr {
        let mut whole = Expr::int(0, int);
        for byte in 0..u32::from(int.width) / 8 {
            let (down, up) = (byte * 8, u32::from(int.width) - 8 - byte * 8);
            let part = self.body.binary(BinaryOp::Shr, value.clone(), Expr::int(down.into(), int));
            let part = self.body.binary(BinaryOp::And, part, Expr::int(0xff, int));
            let part = self.body.binary(BinaryOp::Shl, part, Expr::int(up.into(), int));
            whole = self.body.binary(BinaryOp::Or, whole, part);
        }
        whole
    }

    /// The bits, as a value of the type that a bit-field has in arithmetic.
    fn load_bits(&mut self, base: Expr, bits: &BitField, ty: Ty, span: Span) -> Value {
        let ty = self.types.of_bits(bits, ty);
        let Some(unit) = self.load_pieces(&base, bits, span) else {
            return self.unsupported_value("a bit-field over more than 64 bits", ty, span);
        };
        self.touch_shared(&base, bits, false, span);
        let expr = self.extract(unit, bits);
        let scalar = self.scalar_or_int(ty);
        Value { ty, expr: self.body.cast(scalar, expr) }
    }

    /// An access to a bit-field is one to the memory location that the whole run is (C11 3.14).
    fn touch_shared(&mut self, base: &Expr, bits: &BitField, write: bool, span: Span) {
        let Some(piece) = bits.shared else { return };
        let (addr, ty) = (self.offset(base.clone(), piece.offset), Type::Int(piece.int));
        let content = self.load_scalar(addr.clone(), ty, Mode::Plain, span);
        if write {
            self.store_scalar(addr, ty, content, Mode::Plain, span);
        }
    }

    /// What a bit-field holds once this value has been stored in it.
    pub(super) fn truncated(&mut self, bits: &BitField, value: Expr) -> Expr {
        let ty = self.body.type_of(&value);
        let Some(int) = ty.as_int().filter(|int| u32::from(int.width) > bits.width) else {
            return value;
        };
        let unit = self.body.cast(Type::Int(Int { signed: false, ..int }), value);
        let low = BitField { pieces: Vec::new(), shared: None, shift: 0, ..bits.clone() };
        let kept = self.extract(unit, &low);
        self.body.cast(ty, kept)
    }

    /// All pieces side by side, as one unsigned integer.
    fn load_pieces(&mut self, base: &Expr, bits: &BitField, span: Span) -> Option<Expr> {
        if let [piece] = bits.pieces.as_slice() {
            let addr = self.offset(base.clone(), piece.offset);
            return Some(self.load_scalar(addr, Type::Int(piece.int), Mode::Plain, span));
        }
        let total: u32 = bits.pieces.iter().map(|p| u32::from(p.int.width)).sum();
        if total > 64 {
            return None;
        }
        let mut whole = Expr::int(0, Int::U64);
        let mut shift = 0;
        for piece in &bits.pieces {
            let addr = self.offset(base.clone(), piece.offset);
            let part = self.load_scalar(addr, Type::Int(piece.int), Mode::Plain, span);
            let part = self.body.cast(Type::Int(Int::U64), part);
            let part = self.body.binary(BinaryOp::Shl, part, Expr::int(shift, Int::U64));
            whole = self.body.binary(BinaryOp::Or, whole, part);
            shift += i128::from(piece.int.width);
        }
        Some(whole)
    }

    fn extract(&mut self, unit: Expr, bits: &BitField) -> Expr {
        let int = self.body.type_of(&unit).as_int().unwrap_or(Int::U64);
        let (width, total) = (bits.width, u32::from(int.width));
        if !bits.signed {
            let shifted = self.body.binary(BinaryOp::Shr, unit, Expr::int(bits.shift.into(), int));
            return match width < total {
                true => self.body.binary(BinaryOp::And, shifted, Expr::int(mask(width), int)),
                false => shifted,
            };
        }
        let as_signed = Int { signed: true, ..int };
        let up = i128::from(total - width - bits.shift);
        let raised = self.body.binary(BinaryOp::Shl, unit, Expr::int(up, int));
        let raised = self.body.cast(Type::Int(as_signed), raised);
        let down = Expr::int(i128::from(total - width), as_signed);
        self.body.binary(BinaryOp::Shr, raised, down)
    }

    fn store_bits(&mut self, base: Expr, bits: &BitField, value: Expr, span: Span) {
        let Some(unit) = self.load_pieces(&base, bits, span) else {
            return self.unsupported("a bit-field over more than 64 bits", span);
        };
        let int = self.body.type_of(&unit).as_int().unwrap_or(Int::U64);
        let field = mask(bits.width) << bits.shift;
        let value = self.body.cast(Type::Int(int), value);
        let value = self.body.binary(BinaryOp::And, value, Expr::int(mask(bits.width), int));
        let value = self.body.binary(BinaryOp::Shl, value, Expr::int(bits.shift.into(), int));
        let kept = self.body.binary(BinaryOp::And, unit, Expr::int(!field, int));
        let whole = self.body.binary(BinaryOp::Or, kept, value);
        let mut shift = 0;
        for piece in &bits.pieces {
            let addr = self.offset(base.clone(), piece.offset);
            let part = self.body.binary(BinaryOp::Shr, whole.clone(), Expr::int(shift, int));
            let part = self.body.cast(Type::Int(piece.int), part);
            self.store_scalar(addr, Type::Int(piece.int), part, Mode::Plain, span);
            shift += i128::from(piece.int.width);
        }
        self.touch_shared(&base, bits, true, span);
    }
}

fn mask(width: u32) -> i128 {
    (1i128 << width) - 1
}

/// How an object of this type is accessed.
pub(crate) fn mode(ty: Ty) -> Mode {
    if ty.atomic { Mode::Atomic } else { Mode::Plain }
}
