//! Literals, with their types by C11 6.4.4.

use selvedge_c_syntax::ast::{
    CharLiteral, Encoding, Expr as Expression, ExprKind, FloatLiteral, IntegerLiteral, LongSuffix,
    Span, StringLiteral,
};
use selvedge_ir::{
    Action, BinaryOp, Check, CheckKind, Const, DataModel, Expr, Int, Object, ObjectId, Property,
    Sharing,
};

use super::{Lvalue, Place, Value, number};
use crate::lowering::{Lowering, PlannedObject};
use crate::types::{FloatTag, IntKind, Kind, Len, Ty};

/// What a comparison of pointers that may point to string literals is marked with, until the
/// program is finished and its literals are known.
pub(crate) const COMPARED: &str = "<literals>";

/// The mark in front of such a comparison.
pub(super) fn compared(left: &Expr, right: &Expr) -> Action {
    let cond = Expr::binary(BinaryOp::Eq, left.clone(), right.clone());
    let kind = CheckKind::Label(COMPARED.to_owned());
    Action::Assert { cond, check: Check::new(Property::Memory, kind) }
}

impl Lowering<'_> {
    pub(super) fn integer(&mut self, literal: &IntegerLiteral, span: Span) -> Value {
        use IntKind::*;
        let kinds: &[IntKind] = match (literal.long, literal.unsigned, literal.decimal) {
            (LongSuffix::None, false, true) => &[Int, Long, LongLong],
            (LongSuffix::None, false, false) => &[Int, UInt, Long, ULong, LongLong, ULongLong],
            (LongSuffix::None, true, _) => &[UInt, ULong, ULongLong],
            (LongSuffix::Long, false, true) => &[Long, LongLong],
            (LongSuffix::Long, false, false) => &[Long, ULong, LongLong, ULongLong],
            (LongSuffix::Long, true, _) => &[ULong, ULongLong],
            (LongSuffix::LongLong, false, true) => &[LongLong],
            (LongSuffix::LongLong, false, false) => &[LongLong, ULongLong],
            (LongSuffix::LongLong, true, _) => &[ULongLong],
        };
        let value = i128::try_from(literal.value).unwrap_or(i128::MAX);
        let fits = |kind: &&IntKind| value <= self.types.int_of(**kind).max();
        // gcc takes an unsigned type for what fits no signed one.
        let kind = kinds.iter().find(fits).copied().unwrap_or(ULongLong);
        if value > self.types.int_of(kind).max() {
            self.warn("large-literal", span, "this integer is too large for any type");
        }
        let ty = self.types.int(kind);
        self.int_value(value, ty)
    }

    pub(super) fn float(&mut self, literal: &FloatLiteral, span: Span) -> Value {
        let tag = FloatTag::from(literal.kind);
        let kind = if literal.imaginary { Kind::Complex(tag) } else { Kind::Float(tag) };
        let ty = self.types.make(kind.clone());
        let format = self.types.float_format(ty);
        match format.and_then(|format| Some((format, number::parse(&literal.text, format)?))) {
            Some((format, bits)) => Value { ty, expr: Expr::Const(Const::Int(bits, format.int())) },
            None => self.unsupported_value("this kind of floating-point literal", ty, span),
        }
    }

    /// A literal of `long double` that is converted: `(double)1.5L`, as in <float.h>.
    pub(super) fn long_literal(&mut self, expr: &Expression, ty: Ty) -> Option<Value> {
        let ExprKind::Float(literal) = &expr.kind else { return None };
        let long = FloatTag::from(literal.kind) == FloatTag::LongDouble && !literal.imaginary;
        let format = self.types.float_format(ty).filter(|_| long)?;
        let bits = number::parse_long(&literal.text, format)?;
        Some(Value { ty: ty.unqualified(), expr: Expr::Const(Const::Int(bits, format.int())) })
    }

    pub(super) fn character(&mut self, literal: &CharLiteral) -> Value {
        let ty = self.encoded(literal.encoding);
        let ty = if literal.encoding == Encoding::Plain { self.types.int_type() } else { ty };
        self.int_value(i128::from(literal.value), ty)
    }

    /// The element type of a string.
    fn encoded(&mut self, encoding: Encoding) -> Ty {
        self.types.int(match encoding {
            Encoding::Plain | Encoding::Utf8 => IntKind::Char,
            Encoding::Utf16 => IntKind::UShort,
            Encoding::Utf32 => IntKind::UInt,
            // wchar_t
            Encoding::Wide if self.types.model == DataModel::Ilp32 => IntKind::Long,
            Encoding::Wide => IntKind::Int,
        })
    }

    /// The type of a string literal, its terminating zero included.
    pub fn string_type(&mut self, literal: &StringLiteral) -> Ty {
        let element = self.encoded(literal.encoding);
        self.types.array(element, Len::Fixed(literal.units.len() as u64 + 1))
    }

    /// A string literal is a static object. Equal literals share one, unless addresses matter.
    pub(super) fn string(&mut self, literal: &StringLiteral, span: Span) -> Lvalue {
        let ty = self.string_type(literal);
        let object = self.string_object(&literal.units, ty, span);
        Lvalue { ty, place: Place::Memory(Expr::object(object)) }
    }

    pub fn string_object(&mut self, units: &[u32], ty: Ty, span: Span) -> ObjectId {
        let own = self.uses("equal literals") && !self.in_model();
        let key = (units.to_vec(), ty.id, own.then_some(span));
        if let Some(known) = self.strings.get(&key) {
            return *known;
        }
        let layout = self.layout(ty);
        let Kind::Array(element, _) = *self.types.kind(ty) else {
            unreachable!("a string literal is an array")
        };
        let stride = self.types.size(element);
        let int = self.scalar_or_int(element).as_int().unwrap_or(Int::I8);
        let leaf = |(i, unit): (usize, &u32)| {
            (*unit != 0).then(|| (i as u64 * stride, Const::int(i128::from(*unit), int)))
        };
        let element = element.id;
        let init = units.iter().enumerate().filter_map(leaf).collect();
        let span = self.place(span);
        let object = self.program.objects.push(Object {
            name: format!("string#{}", self.strings.len() + 1),
            layout,
            sharing: Sharing::Shared,
            init,
            span,
        });
        self.objects.push(PlannedObject { global: None, initialised: true });
        self.fixed.objects.insert(object, "a string literal");
        if own {
            self.fixed.literals.insert(object, (units.to_vec(), element));
        }
        self.strings.insert(key, object);
        object
    }
}
