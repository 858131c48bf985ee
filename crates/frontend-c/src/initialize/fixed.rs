//! Initial values of static objects.

use std::collections::BTreeMap;

use selvedge_c_syntax::ast::{ExprKind, Span};
use selvedge_ir::{Action, Const, Expr, Mode, ObjectId, Place};

use super::{Leaf, Source};
use crate::initializer::Init;
use crate::lowering::{Lowering, Startup};
use crate::types::{BitField, Ty};

impl<'a> Lowering<'a> {
    /// Evaluates an initialiser to constants by their offsets. What Plato has no constant for
    /// (a pointer into no object) is stored when the program starts.
    pub fn initial_values(
        &mut self,
        object: ObjectId,
        ty: Ty,
        init: Init<'a>,
    ) -> Vec<(u64, Const)> {
        let mut values: BTreeMap<u64, Const> = BTreeMap::new();
        self.fixed_values(object, ty, 0, init, &mut values);
        values.retain(|_, value| !is_zero(*value));
        values.into_iter().collect()
    }

    fn fixed_values(
        &mut self,
        object: ObjectId,
        ty: Ty,
        base: u64,
        init: Init<'a>,
        values: &mut BTreeMap<u64, Const>,
    ) {
        let size = self.types.size(ty);
        // The end of the elements of a flexible array member, if there are any.
        let mut longest = 0;
        if let Some(what) = self.types.as_record(ty).and_then(|(_, r)| r.strange.as_deref()) {
            let action = Action::Unsupported { what: what.to_owned() };
            self.startup.push(Startup { object, action, span: init.span() });
        }
        for leaf in self.leaves(ty, init) {
            let leaf = Leaf { offset: leaf.offset + base, ..leaf };
            let end = leaf.offset + self.types.size(leaf.ty);
            if leaf.bits.is_none() && end > base + size {
                if base > 0 {
                    let message = "a flexible array member inside another object has no elements";
                    self.error("flexible-array", leaf.span, message);
                    return;
                }
                longest = longest.max(end);
            }
            self.fixed_leaf(object, base, leaf, values);
        }
        if longest > 0 {
            self.program.objects[object].layout = self.longer_layout(ty, longest);
        }
    }

    fn fixed_leaf(
        &mut self,
        object: ObjectId,
        base: u64,
        leaf: Leaf<'a>,
        values: &mut BTreeMap<u64, Const>,
    ) {
        if self.types.is_aggregate(leaf.ty) {
            return self.fixed_aggregate(object, leaf, values);
        }
        let value = match leaf.source {
            Source::Number(number) => Some(self.number(number, leaf.ty, leaf.span)),
            Source::Expr(expr) => self.try_constant(expr, Some(leaf.ty)).map(|v| v.expr),
        };
        match (value, &leaf.bits) {
            (_, Some(_)) if leaf.ty.reversed => {
                let what = "a bit-field of the other byte order".to_owned();
                let action = Action::Unsupported { what };
                self.startup.push(Startup { object, action, span: leaf.span });
            }
            (Some(Expr::Const(Const::Int(bits, int))), None) if leaf.ty.reversed => {
                let swapped = bits.swap_bytes() >> (64 - u32::from(int.width));
                values.insert(leaf.offset, Const::Int(swapped, int));
            }
            (Some(Expr::Const(value)), None) => {
                values.insert(leaf.offset, value);
            }
            (Some(Expr::Const(value)), Some(bits)) => fixed_bits(bits, base, value, values),
            (Some(address), None) => {
                let ty = self.scalar_or_int(leaf.ty);
                let to = Place::object(object, leaf.offset as i64, ty);
                let action = Action::Store { to, value: address, mode: Mode::Plain };
                self.startup.push(Startup { object, action, span: leaf.span });
            }
            _ if self.types.is_float(leaf.ty) => self.unknown_value(object, leaf.span),
            _ => self.not_constant(leaf.span),
        }
    }

    /// A constant that cannot be computed here; it matters only if the object is used.
    fn unknown_value(&mut self, object: ObjectId, span: Span) {
        let what = "a floating-point initial value".to_owned();
        self.startup.push(Startup { object, action: Action::Unsupported { what }, span });
    }

    fn not_constant(&mut self, span: Span) {
        // A mistake inside the expression has been told already.
        if !self.diagnostics.iter().any(|d| d.is_error() && d.span.is_some_and(|s| within(s, span)))
        {
            self.error("not-constant", span, "this initialiser is not a constant");
        }
    }

    /// A whole record by a compound literal.
    fn fixed_aggregate(
        &mut self,
        object: ObjectId,
        leaf: Leaf<'a>,
        values: &mut BTreeMap<u64, Const>,
    ) {
        if let Source::Expr(expr) = leaf.source
            && let ExprKind::CompoundLiteral { ty, init } = &expr.kind
        {
            let ty = self.type_name(ty);
            let list = Init::List(init, expr.span);
            return self.fixed_values(object, ty, leaf.offset, list, values);
        }
        match leaf.source {
            Source::Number(0) => {}
            Source::Expr(expr) if self.try_constant_int(expr) == Some(0) => {}
            _ if self.types.scalar(leaf.ty).is_none() && self.types.is_arithmetic(leaf.ty) => {
                self.unknown_value(object, leaf.span);
            }
            _ => self.not_constant(leaf.span),
        }
    }

    pub fn number(&mut self, number: i128, ty: Ty, span: Span) -> Expr {
        let int = self.types.int_type();
        let value = self.int_value(number, int);
        self.convert(value, ty, span).expr
    }
}

fn within(inner: Span, outer: Span) -> bool {
    inner.source == outer.source && outer.start <= inner.start && inner.end <= outer.end
}

fn is_zero(value: Const) -> bool {
    value == Const::zero(value.ty())
}

fn fixed_bits(bits: &BitField, base: u64, value: Const, values: &mut BTreeMap<u64, Const>) {
    let number = match value {
        Const::Int(bits, int) => int.value(bits),
        Const::Bool(b) => i128::from(b),
        _ => 0,
    };
    let field = ((1i128 << bits.width) - 1) << bits.shift;
    let placed = (number << bits.shift) & field;
    let mut shift = 0;
    for piece in &bits.pieces {
        let offset = piece.offset + base;
        let old = match values.get(&offset) {
            Some(Const::Int(bits, _)) => i128::from(*bits),
            _ => 0,
        };
        let new = (old & !(field >> shift)) | (placed >> shift);
        values.insert(offset, Const::int(new, piece.int));
        shift += u32::from(piece.int.width);
    }
}
