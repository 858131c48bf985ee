//! Arithmetic and conversions of `float` and `double`, whose values are the bits of IEEE 754.
//!
//! On LP64 every operation rounds to its own type, as SSE does (`FLT_EVAL_METHOD` is 0). On ILP32
//! gcc computes with the x87 unit, where results may have more bits than their type until they are
//! stored: there only what is exact is done, and the rest is not supported. So are `long double`
//! and the formats beyond.

use selvedge_c_syntax::ast::{BinaryOp as Op, Span, UnaryOp};
use selvedge_ir::{
    BinaryOp, Const, DataModel, Expr, Float, FloatFn, FloatOp, Int, Property, Type,
    UnaryOp as PlatoUnary,
};

use super::Value;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::Ty;

impl Lowering<'_> {
    /// Converts from or to a floating-point type.
    pub(super) fn convert_float(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        let formats = (self.types.float_format(value.ty), self.types.float_format(ty));
        let scalars = (self.types.scalar(value.ty), self.types.scalar(ty));
        match (formats, scalars) {
            ((Some(from), Some(to)), _) => {
                let expr = self.float_function(from, FloatFn::Convert(to), value.expr);
                Value { ty, expr }
            }
            ((Some(from), None), (_, Some(Type::Bool))) => {
                let zero = Expr::int(0, from.int());
                let equal = self.float_operator(from, FloatOp::Eq, value.expr, zero);
                Value { ty, expr: equal.not() }
            }
            ((Some(from), None), (_, Some(Type::Int(to)))) if self.types.is_integer(ty) => {
                self.float_to_int(from, value, to, ty, span)
            }
            ((None, Some(to)), (Some(Type::Int(from)), _)) if self.types.is_integer(value.ty) => {
                self.int_to_float(from, value, to, ty, span)
            }
            ((None, Some(to)), (Some(Type::Bool), _)) => {
                let expr = self.body.cast(Type::Int(Int::U8), value.expr);
                self.int_to_float(Int::U8, Value { expr, ..value }, to, ty, span)
            }
            _ => self.unsupported_value("floating-point conversion", ty, span),
        }
    }

    fn int_to_float(&mut self, from: Int, value: Value, to: Float, ty: Ty, span: Span) -> Value {
        let digits = if to == Float::F32 { 24 } else { 53 };
        let exact = from.width - u8::from(from.signed) <= digits;
        let constant = matches!(value.expr, Expr::Const(_));
        if self.types.model == DataModel::Ilp32 && !exact && !constant {
            return self.unsupported_value("a floating-point conversion that may round", ty, span);
        }
        let expr = self.float_function(to, FloatFn::FromInt, value.expr);
        Value { ty, expr }
    }

    /// Undefined where the whole part is not in the type.
    fn float_to_int(&mut self, from: Float, value: Value, to: Int, ty: Ty, span: Span) -> Value {
        let number = match self.frame.constant {
            true => value.expr,
            false => self.saved(&value, span),
        };
        // The next number below the least, if the format has it, does not convert any more.
        let before = from.nearest((to.min() - 1) as f64);
        let least = from.nearest(to.min() as f64);
        let bits = |bits| Expr::Const(Const::Int(bits, from.int()));
        let above = match before == least {
            true => self.float_operator(from, FloatOp::Le, bits(least), number.clone()),
            false => self.float_operator(from, FloatOp::Lt, bits(before), number.clone()),
        };
        let beyond = bits(from.nearest((to.max() + 1) as f64));
        let below = self.float_operator(from, FloatOp::Lt, number.clone(), beyond);
        let inside = self.body.binary(BinaryOp::And, above, below);
        if self.frame.constant && inside != Expr::TRUE {
            self.frame.not_constant.get_or_insert(span);
        }
        let what = "conversion of a number that the integer type does not have";
        self.undefined_unless(inside, Property::Overflow, what, span);
        let expr = self.float_function(from, FloatFn::ToInt(to), number);
        Value { ty, expr }
    }

    /// An arithmetic operator or a comparison; none where the type or the operator has no meaning
    /// here.
    pub(super) fn float_arithmetic(
        &mut self,
        op: Op,
        left: &Value,
        right: &Value,
        common: Ty,
        span: Span,
    ) -> Option<Value> {
        let format = self.types.float_format(common)?;
        let (op, swapped, negated) = match op {
            Op::Add => (FloatOp::Add, false, false),
            Op::Sub => (FloatOp::Sub, false, false),
            Op::Mul => (FloatOp::Mul, false, false),
            Op::Div => (FloatOp::Div, false, false),
            Op::Eq => (FloatOp::Eq, false, false),
            Op::Ne => (FloatOp::Eq, false, true),
            Op::Lt => (FloatOp::Lt, false, false),
            Op::Gt => (FloatOp::Lt, true, false),
            Op::Le => (FloatOp::Le, false, false),
            Op::Ge => (FloatOp::Le, true, false),
            _ => return None,
        };
        let l = self.convert(left.clone(), common, span).expr;
        let r = self.convert(right.clone(), common, span).expr;
        let constants = matches!((&l, &r), (Expr::Const(_), Expr::Const(_)));
        if self.types.model == DataModel::Ilp32 && !op.is_test() && !constants {
            return None;
        }
        let (l, r) = if swapped { (r, l) } else { (l, r) };
        let expr = self.float_operator(format, op, l, r);
        Some(match op.is_test() {
            true => self.truth_value(if negated { expr.not() } else { expr }),
            false => Value { ty: common, expr },
        })
    }

    pub(super) fn float_unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Value {
        match (op, self.types.float_format(value.ty)) {
            (UnaryOp::Plus, _) => value,
            (UnaryOp::Minus, Some(format)) => {
                let sign = Expr::Const(Const::Int(format.sign(), format.int()));
                Value { expr: self.body.binary(BinaryOp::Xor, value.expr, sign), ..value }
            }
            _ => self.unsupported_value("floating-point arithmetic", value.ty, span),
        }
    }

    pub fn float_operator(&self, format: Float, op: FloatOp, left: Expr, right: Expr) -> Expr {
        self.body.binary(BinaryOp::Float(format, op), left, right)
    }

    pub fn float_function(&self, format: Float, function: FloatFn, operand: Expr) -> Expr {
        match function {
            FloatFn::Convert(to) if to == format => operand,
            _ => self.body.unary(PlatoUnary::Float(format, function), operand),
        }
    }
}
