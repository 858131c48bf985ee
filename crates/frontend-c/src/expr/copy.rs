//! Aggregates move part by part: one load and one store for each scalar. These are plain, also
//! where a member is atomic; only an atomic object as a whole is copied without interruption.

use selvedge_c_syntax::ast::Span;
use selvedge_ir::{BinaryOp, Const, Expr, Int, Mode, Type};

use crate::body::Mark;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{Field, Kind, Len, Ty};

/// Arrays of more elements are copied and cleared in a loop.
const UNROLLED: u64 = 16;

impl Lowering<'_> {
    /// Copies an object of this type from one address to another.
    pub fn copy(&mut self, to: Expr, from: Expr, ty: Ty, span: Span) {
        if ty.atomic {
            self.mark(Mark::Begin, span);
            self.copy_parts(to, from, ty, span);
            return self.mark(Mark::End, span);
        }
        self.copy_parts(to, from, ty, span);
    }

    fn copy_parts(&mut self, to: Expr, from: Expr, ty: Ty, span: Span) {
        if let Some(scalar) = self.types.scalar(ty) {
            let value = self.load_scalar(from, scalar, Mode::Plain, span);
            return self.store_scalar(to, scalar, value, Mode::Plain, span);
        }
        match self.types.kind(ty).clone() {
            Kind::Record(_) => {
                for (offset, part) in self.parts(ty) {
                    let (to, from) =
                        (self.offset(to.clone(), offset), self.offset(from.clone(), offset));
                    match part {
                        Part::Type(ty) => self.copy_parts(to, from, ty, span),
                        Part::Piece(scalar) => {
                            let value = self.load_scalar(from, scalar, Mode::Plain, span);
                            self.store_scalar(to, scalar, value, Mode::Plain, span);
                        }
                    }
                }
            }
            Kind::Array(element, len) => self.each_element(element, len, span, |this, at| {
                let to = this.body.ptr_add(to.clone(), at.clone());
                let from = this.body.ptr_add(from.clone(), at);
                this.copy_parts(to, from, element, span);
            }),
            // Values that cannot be computed with (`long double`, vectors) still move, as bits.
            _ => {
                for (offset, int) in self.words(ty) {
                    let (to, from) =
                        (self.offset(to.clone(), offset), self.offset(from.clone(), offset));
                    let value = self.load_scalar(from, Type::Int(int), Mode::Plain, span);
                    self.store_scalar(to, Type::Int(int), value, Mode::Plain, span);
                }
            }
        }
    }

    /// Sets an object to zero. Of a union its largest member, as gcc does in effect.
    pub fn clear(&mut self, at: Expr, ty: Ty, span: Span) {
        if let Some(scalar) = self.types.scalar(ty) {
            let zero = Expr::Const(Const::zero(scalar));
            return self.store_scalar(at, scalar, zero, Mode::Plain, span);
        }
        match self.types.kind(ty).clone() {
            Kind::Record(_) => {
                for (offset, part) in self.parts(ty) {
                    let at = self.offset(at.clone(), offset);
                    match part {
                        Part::Type(ty) => self.clear(at, ty, span),
                        Part::Piece(scalar) => {
                            let zero = Expr::Const(Const::zero(scalar));
                            self.store_scalar(at, scalar, zero, Mode::Plain, span);
                        }
                    }
                }
            }
            Kind::Array(element, len) => self.each_element(element, len, span, |this, offset| {
                let at = this.body.ptr_add(at.clone(), offset);
                this.clear(at, element, span);
            }),
            _ => {
                for (offset, int) in self.words(ty) {
                    let at = self.offset(at.clone(), offset);
                    self.store_scalar(at, Type::Int(int), Expr::int(0, int), Mode::Plain, span);
                }
            }
        }
    }

    /// Integers that cover an object without known parts.
    fn words(&self, ty: Ty) -> Vec<(u64, Int)> {
        let bytes = self.types.align(ty).min(self.types.model.pointer_bytes());
        let int = Int { width: bytes as u8 * 8, signed: false };
        (0..self.types.size(ty) / bytes).map(|index| (index * bytes, int)).collect()
    }

    /// Does something at the byte offset of each element, in a loop where there are many.
    pub fn each_element(
        &mut self,
        element: Ty,
        len: Len,
        span: Span,
        mut each: impl FnMut(&mut Self, Expr),
    ) {
        let int = self.types.model.diff_type();
        let stride = Expr::int(i128::from(self.types.size(element)), int);
        let count = match len {
            Len::Fixed(count) if count <= UNROLLED => {
                for index in 0..count {
                    let at = i128::from(index) * i128::from(self.types.size(element));
                    each(self, Expr::int(at, int));
                }
                return;
            }
            Len::Unknown => return,
            Len::Fixed(count) => Expr::int(i128::from(count), int),
            Len::Runtime(local) => self.body.cast(Type::Int(int), Expr::Local(local)),
        };
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return;
        }
        let place = self.place(span);
        let index = self.body.local("index", Type::Int(int), false);
        self.assign(index, Expr::int(0, int), span);
        let (head, inside, after) =
            (self.body.location(), self.body.location(), self.body.location());
        self.body.fall_into(head, place);
        let more = self.body.binary(BinaryOp::Lt, Expr::Local(index), count);
        self.body.branch(more, inside, after, place);
        self.body.current = inside;
        let at = self.body.binary(BinaryOp::Mul, Expr::Local(index), stride);
        each(self, at);
        let next = self.body.binary(BinaryOp::Add, Expr::Local(index), Expr::int(1, int));
        self.assign(index, next, span);
        self.body.jump(head, place);
        self.body.current = after;
    }

    /// The parts of a record that make up its value. A union is moved as the member that covers
    /// most of it, and what only other members cover byte by byte.
    pub fn parts(&mut self, ty: Ty) -> Vec<(u64, Part)> {
        let Some((_, record)) = self.types.as_record(ty) else { return Vec::new() };
        let (fields, union) = (record.fields.clone(), record.union);
        if !union {
            return self.field_parts(&fields);
        }
        let widest = fields
            .iter()
            .enumerate()
            .max_by_key(|(index, field)| (self.covered_by(field), std::cmp::Reverse(*index)));
        let Some((_, field)) = widest else { return Vec::new() };
        let mut parts = self.field_parts(std::slice::from_ref(field));
        if self.covered_by(field) >= self.types.size(ty) {
            return parts;
        }
        let mut moved = vec![false; self.types.size(ty) as usize];
        self.mark_covered(field, 0, &mut moved);
        let mut held = vec![false; moved.len()];
        fields.iter().for_each(|field| self.mark_covered(field, 0, &mut held));
        let missing = (0..moved.len()).filter(|at| held[*at] && !moved[*at]);
        parts.extend(missing.map(|at| (at as u64, Part::Piece(Type::Int(Int::U8)))));
        parts
    }

    /// Marks the bytes of a member that are not padding.
    fn mark_covered(&self, field: &Field, base: u64, bytes: &mut [bool]) {
        let at = base + field.offset;
        match (&field.bits, self.types.kind(field.ty)) {
            (Some(bits), _) => {
                for piece in &bits.pieces {
                    mark(bytes, base + piece.offset, u64::from(piece.int.width) / 8);
                }
            }
            (None, Kind::Record(id)) => {
                let fields = &self.types.record(*id).fields;
                fields.iter().for_each(|inner| self.mark_covered(inner, at, bytes));
            }
            (None, Kind::Array(element, Len::Fixed(count))) => {
                let size = self.types.size(*element);
                for index in 0..*count {
                    let part = Field { ty: *element, offset: index * size, ..field.clone() };
                    self.mark_covered(&part, at, bytes);
                }
            }
            _ => mark(bytes, at, self.types.size(field.ty)),
        }
    }

    fn field_parts(&self, fields: &[Field]) -> Vec<(u64, Part)> {
        let mut parts: Vec<(u64, Part)> = Vec::new();
        for field in fields {
            match &field.bits {
                None => parts.push((field.offset, Part::Type(field.ty))),
                Some(bits) => {
                    for piece in &bits.pieces {
                        if parts.iter().all(|(offset, _)| *offset != piece.offset) {
                            parts.push((piece.offset, Part::Piece(Type::Int(piece.int))));
                        }
                    }
                }
            }
        }
        parts
    }

    /// Bytes of a type that are not padding.
    fn covered(&self, ty: Ty) -> u64 {
        match self.types.kind(ty) {
            Kind::Record(id) => {
                let record = self.types.record(*id);
                let each = record.fields.iter().map(|field| self.covered_by(field));
                if record.union { each.max().unwrap_or(0) } else { each.sum() }
            }
            Kind::Array(element, Len::Fixed(count)) => self.covered(*element) * count,
            _ => self.types.size(ty),
        }
    }

    /// Bytes of a member that are not padding; of a bit-field, no more than it needs.
    fn covered_by(&self, field: &Field) -> u64 {
        match &field.bits {
            None => self.covered(field.ty),
            Some(bits) => u64::from(bits.width).div_ceil(8),
        }
    }

    pub fn mark(&mut self, mark: Mark, span: Span) {
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return;
        }
        let place = self.place(span);
        self.body.mark(mark, place);
    }
}

/// A part of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Type(Ty),
    /// Bit-fields.
    Piece(Type),
}

fn mark(bytes: &mut [bool], from: u64, count: u64) {
    bytes.iter_mut().skip(from as usize).take(count as usize).for_each(|byte| *byte = true);
}
