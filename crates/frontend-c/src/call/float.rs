//! gcc's builtins on floating-point numbers: classes, orders without exceptions, signs, and what
//! IEEE 754 computes exactly.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, Span};
use selvedge_ir::{BinaryOp, Const, DataModel, Expr, Float, FloatFn, FloatOp, Int};

use crate::expr::Value;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{FloatTag, Kind, Ty};

impl<'a> Lowering<'a> {
    /// `name` is without its prefix; none if it is no builtin of this kind.
    pub(super) fn float_builtin(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        match args {
            [] => self.float_limit(name),
            [_] if matches!(name, "nan" | "nanf") => {
                let format = if name == "nan" { Float::F64 } else { Float::F32 };
                Some(self.float_value(format, format.nan()))
            }
            [x] => self.float_of_one(name, x, span),
            [x, y] => self.float_of_two(name, x, y, span),
            [classes @ .., x] if name == "fpclassify" && classes.len() == 5 => {
                self.classify(classes, x, span)
            }
            _ => None,
        }
    }

    fn float_limit(&mut self, name: &str) -> Option<Value> {
        let format = match name {
            "huge_val" | "inf" => Float::F64,
            "huge_valf" | "inff" => Float::F32,
            _ => return None,
        };
        Some(self.float_value(format, format.infinity()))
    }

    fn float_type(&mut self, format: Float) -> Ty {
        self.types.make(Kind::Float(match format {
            Float::F32 => FloatTag::Float,
            Float::F64 => FloatTag::Double,
        }))
    }

    fn float_value(&mut self, format: Float, bits: u64) -> Value {
        let ty = self.float_type(format);
        Value { ty, expr: Expr::Const(Const::Int(bits, format.int())) }
    }

    /// The argument as a number of its own format, or of the one asked for. None for a format that
    /// is not computed with.
    fn float_argument(
        &mut self,
        arg: &'a ast::Expr,
        format: Option<Float>,
        span: Span,
    ) -> Option<(Float, Expr)> {
        let value = self.rvalue(arg);
        let format = match format {
            Some(format) => format,
            None if self.types.is_float(value.ty) => self.types.float_format(value.ty)?,
            None => Float::F64,
        };
        let ty = self.float_type(format);
        let value = self.convert(value, ty, span);
        Some((format, if self.frame.constant { value.expr } else { self.saved(&value, span) }))
    }

    fn float_of_one(&mut self, name: &str, arg: &'a ast::Expr, span: Span) -> Option<Value> {
        let format = match name {
            "fabs" | "sqrt" => Some(Float::F64),
            "fabsf" | "sqrtf" => Some(Float::F32),
            "signbit" | "signbitf" | "isnan" | "isnanf" | "isinf" | "isinff" | "isinf_sign"
            | "isfinite" | "finite" | "finitef" | "isnormal" => None,
            _ => return None,
        };
        let (format, x) = self.float_argument(arg, format, span)?;
        let limit = |bits| Expr::Const(Const::Int(bits, format.int()));
        let expr = match name {
            "fabs" | "fabsf" => {
                self.body.binary(BinaryOp::And, x, limit(!format.sign() & format.int().mask()))
            }
            "sqrt" | "sqrtf" => return Some(self.square_root(format, x, span)),
            "signbit" | "signbitf" => {
                let negative = self.body.binary(BinaryOp::Ge, x, limit(format.sign()));
                return Some(self.truth_value(negative));
            }
            "isinf_sign" => {
                let (plus, minus) = self.infinite(format, &x);
                let one = |value| Expr::int(value, Int::I32);
                let negative = self.body.ite(minus, one(-1), one(0));
                let ty = self.types.int_type();
                return Some(Value { ty, expr: self.body.ite(plus, one(1), negative) });
            }
            _ => {
                let class = self.is_in_class(name, format, &x);
                return Some(self.truth_value(class));
            }
        };
        let ty = self.float_type(format);
        Some(Value { ty, expr })
    }

    fn square_root(&mut self, format: Float, x: Expr, span: Span) -> Value {
        let ty = self.float_type(format);
        if self.types.model == DataModel::Ilp32 {
            return self.unsupported_value("floating-point arithmetic", ty, span);
        }
        Value { ty, expr: self.float_function(format, FloatFn::Sqrt, x) }
    }

    /// Whether it is plus infinity, and whether it is minus infinity.
    fn infinite(&mut self, format: Float, x: &Expr) -> (Expr, Expr) {
        let is = |bits| {
            let limit = Expr::Const(Const::Int(bits, format.int()));
            self.float_operator(format, FloatOp::Eq, x.clone(), limit)
        };
        (is(format.infinity()), is(format.infinity() | format.sign()))
    }

    /// Between the number with these bits and its negation.
    fn between(&mut self, format: Float, x: &Expr, bits: u64) -> Expr {
        let limit = |bits| Expr::Const(Const::Int(bits, format.int()));
        let low = limit(bits | format.sign());
        let above = self.float_operator(format, FloatOp::Lt, low, x.clone());
        let below = self.float_operator(format, FloatOp::Lt, x.clone(), limit(bits));
        self.body.binary(BinaryOp::And, above, below)
    }

    fn is_in_class(&mut self, name: &str, format: Float, x: &Expr) -> Expr {
        match name {
            "isnan" | "isnanf" => {
                self.float_operator(format, FloatOp::Eq, x.clone(), x.clone()).not()
            }
            "isinf" | "isinff" => {
                let (plus, minus) = self.infinite(format, x);
                self.body.binary(BinaryOp::Or, plus, minus)
            }
            "isnormal" => {
                let finite = self.between(format, x, format.infinity());
                let small = self.between(format, x, least_normal(format));
                self.body.binary(BinaryOp::And, finite, small.not())
            }
            _ => self.between(format, x, format.infinity()),
        }
    }

    /// `fpclassify(nan, infinite, normal, subnormal, zero, x)`.
    fn classify(
        &mut self,
        classes: &'a [ast::Expr],
        arg: &'a ast::Expr,
        span: Span,
    ) -> Option<Value> {
        let int = self.types.int_type();
        let mut values = Vec::new();
        for class in classes {
            let value = self.rvalue(class);
            values.push(self.convert(value, int, span).expr);
        }
        let (format, x) = self.float_argument(arg, None, span)?;
        let [nan, infinite, normal, subnormal, zero] = values.try_into().ok()?;
        let is_zero = Expr::int(0, format.int());
        let is_zero = self.float_operator(format, FloatOp::Eq, x.clone(), is_zero);
        let is_small = self.between(format, &x, least_normal(format));
        let is_finite = self.between(format, &x, format.infinity());
        let is_nan = self.is_in_class("isnan", format, &x);
        let rest = self.body.ite(is_nan, nan, infinite);
        let rest = self.body.ite(is_finite, normal, rest);
        let rest = self.body.ite(is_small, subnormal, rest);
        Some(Value { ty: int, expr: self.body.ite(is_zero, zero, rest) })
    }

    fn float_of_two(
        &mut self,
        name: &str,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Option<Value> {
        let order = match name {
            "isgreater" => Op::Gt,
            "isgreaterequal" => Op::Ge,
            "isless" => Op::Lt,
            "islessequal" => Op::Le,
            "islessgreater" | "isunordered" => return self.unordered(name, left, right, span),
            _ => return self.exact_of_two(name, left, right, span),
        };
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        Some(self.operate(order, left, right, span))
    }

    fn unordered(
        &mut self,
        name: &str,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Option<Value> {
        // Every float is a double, and classes and orders are the same there.
        let (format, x) = self.float_argument(left, Some(Float::F64), span)?;
        let (_, y) = self.float_argument(right, Some(Float::F64), span)?;
        let (a, b) = if name == "isunordered" {
            (self.is_in_class("isnan", format, &x), self.is_in_class("isnan", format, &y))
        } else {
            let below = self.float_operator(format, FloatOp::Lt, x.clone(), y.clone());
            (below, self.float_operator(format, FloatOp::Lt, y, x))
        };
        let either = self.body.binary(BinaryOp::Or, a, b);
        Some(self.truth_value(either))
    }

    fn exact_of_two(
        &mut self,
        name: &str,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Option<Value> {
        let format = match name {
            "copysign" | "fmod" => Float::F64,
            "copysignf" | "fmodf" => Float::F32,
            _ => return None,
        };
        let (_, x) = self.float_argument(left, Some(format), span)?;
        let (_, y) = self.float_argument(right, Some(format), span)?;
        let ty = self.float_type(format);
        if name.starts_with("fmod") {
            return Some(Value { ty, expr: self.float_operator(format, FloatOp::Rem, x, y) });
        }
        let mask = |bits| Expr::Const(Const::Int(bits, format.int()));
        let size = self.body.binary(BinaryOp::And, x, mask(!format.sign() & format.int().mask()));
        let sign = self.body.binary(BinaryOp::And, y, mask(format.sign()));
        let expr = self.body.binary(BinaryOp::Or, size, sign);
        Some(Value { ty, expr })
    }
}

fn least_normal(format: Float) -> u64 {
    match format {
        Float::F32 => f32::MIN_POSITIVE.to_bits().into(),
        Float::F64 => f64::MIN_POSITIVE.to_bits(),
    }
}
