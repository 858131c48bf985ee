//! gcc's `__builtin_` functions that are no library functions.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, Span};
use selvedge_ir::{BinaryOp, Const, Expr, Int, Property, Type};

use crate::expr::{Lvalue, Value};
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{IntKind, Ty};

impl<'a> Lowering<'a> {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        if let Some(value) = self.atomic(name, args, span) {
            return Some(value);
        }
        let own = name.strip_prefix("__builtin_")?;
        match (own, args) {
            ("expect" | "expect_with_probability", [value, rest @ ..]) => {
                let value = self.rvalue(value);
                rest.iter().for_each(|arg| self.effect(arg));
                let long = self.types.int(IntKind::Long);
                Some(self.convert(value, long, span))
            }
            ("constant_p", [value]) => {
                let constant = self.try_constant(value, None).is_some();
                let int = self.types.int_type();
                Some(self.int_value(i128::from(constant), int))
            }
            ("unreachable", []) => {
                let what = "__builtin_unreachable is reached";
                self.undefined_unless(Expr::FALSE, Property::Assert, what, span);
                if !self.frame.constant {
                    self.body.dead();
                }
                Some(self.void_value())
            }
            ("trap", []) => {
                let model = self.library_function("__selvedge_trap")?;
                let void = self.types.void();
                Some(self.inline_values(model, void, Vec::new(), span))
            }
            ("prefetch" | "va_end" | "__clear_cache", _) => {
                args.iter().for_each(|arg| self.effect(arg));
                Some(self.void_value())
            }
            ("va_start" | "c23_va_start", [list, ..]) => Some(self.va_start(list, span)),
            ("va_copy", [to, from]) => Some(self.va_copy(to, from, span)),
            ("assume_aligned", [pointer, rest @ ..]) => {
                let pointer = self.rvalue(pointer);
                rest.iter().for_each(|arg| self.effect(arg));
                Some(pointer)
            }
            ("object_size" | "dynamic_object_size", [_, kind]) => {
                let least = self.try_constant_int(kind).is_some_and(|kind| kind & 2 != 0);
                let size = self.types.size_type();
                Some(self.int_value(if least { 0 } else { -1 }, size))
            }
            ("alloca_with_align" | "alloca_with_align_and_max", [size, ..]) => {
                Some(self.alloca(size, span))
            }
            _ => self
                .float_builtin(own, args, span)
                .or_else(|| self.checked_or_counted(own, args, span))
                .or_else(|| self.unknown(name, own, span)),
        }
    }

    /// A builtin that is neither known here nor a library function by its plain name.
    fn unknown(&mut self, name: &str, own: &str, span: Span) -> Option<Value> {
        if self.library_function(own).is_some() {
            return None;
        }
        let int = self.types.int_type();
        Some(self.unsupported_value(format!("`{name}`"), int, span))
    }

    fn checked_or_counted(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        if let Some(op) = checked_operator(name) {
            let [left, right, result] = args else { return None };
            return Some(self.checked(op, left, right, result, span));
        }
        let (function, bits) = bit_function(name)?;
        let [arg] = args else { return None };
        let value = self.rvalue(arg);
        let int = self.types.int_type();
        let kind = match bits {
            Bits::Short => IntKind::UShort,
            Bits::Int => IntKind::UInt,
            Bits::Long => IntKind::ULong,
            Bits::LongLong => IntKind::ULongLong,
        };
        let width = u32::from(self.types.int_of(kind).width);
        let own_type = self.types.int(kind);
        let value = self.convert(value, own_type, span);
        let result = if function.swaps { own_type } else { int };
        if let Expr::Const(Const::Int(raw, _)) = value.expr {
            return Some(self.int_value(i128::from((function.count)(raw, width)), result));
        }
        let model = self.library_function(&format!("__selvedge_{}", function.name))?;
        let width = self.int_value(i128::from(width), int);
        let found = self.inline_values(model, result, vec![value, width], span);
        Some(self.convert(found, result, span))
    }

    /// `__builtin_add_overflow(a, b, &r)`: the exact result, as far as 64 bits hold it.
    fn checked(
        &mut self,
        op: Op,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        result: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let pointer = self.rvalue(result);
        let target = self.pointed_to(pointer, span);
        let boolean = self.types.boolean();
        let Some((common, int)) = self.exact_type(left.ty, right.ty, target.ty) else {
            let found = self.checked_by_signs(op, left, right, target, span);
            let what = "overflow-checking arithmetic on these types";
            return found.unwrap_or_else(|| self.unsupported_value(what, boolean, span));
        };
        let l = self.convert(left, common, span).expr;
        let r = self.convert(right, common, span).expr;
        let (compute, test) = match op {
            Op::Add => (BinaryOp::Add, BinaryOp::AddOverflows),
            Op::Sub => (BinaryOp::Sub, BinaryOp::SubOverflows),
            _ => (BinaryOp::Mul, BinaryOp::MulOverflows),
        };
        let exact = self.body.binary(compute, l.clone(), r.clone());
        let mut overflows = self.body.binary(test, l, r);
        let stored = self.convert(Value { ty: common, expr: exact.clone() }, target.ty, span);
        // What does not come back unchanged did not fit.
        let back = self.body.cast(Type::Int(int), stored.expr.clone());
        let lost = self.body.binary(BinaryOp::Ne, back, exact);
        overflows = self.body.binary(BinaryOp::Or, overflows, lost);
        let overflows = Value { ty: boolean, expr: overflows };
        let saved = self.saved(&overflows, span);
        self.store(&target, stored.expr, span);
        Value { ty: boolean, expr: saved }
    }

    /// The same for operands that no one type holds, by a model that looks at their signs.
    fn checked_by_signs(
        &mut self,
        op: Op,
        left: Value,
        right: Value,
        target: Lvalue,
        span: Span,
    ) -> Option<Value> {
        let model = self.library_function("__selvedge_overflows")?;
        let Some(Type::Int(result)) = self.types.scalar(target.ty) else { return None };
        let (int, wide) = (self.types.int_type(), self.types.int(IntKind::ULongLong));
        let (number, compute) = match op {
            Op::Add => (0, BinaryOp::Add),
            Op::Sub => (1, BinaryOp::Sub),
            _ => (2, BinaryOp::Mul),
        };
        let mut args = vec![self.int_value(number, int)];
        let mut operands = Vec::new();
        for operand in [left, right] {
            let Some(Type::Int(own)) = self.types.scalar(operand.ty) else { return None };
            let negative = match own.signed {
                true => self.body.binary(BinaryOp::Lt, operand.expr.clone(), Expr::int(0, own)),
                false => Expr::FALSE,
            };
            let boolean = self.types.boolean();
            let value = self.convert(operand, wide, span);
            operands.push(value.expr.clone());
            args.push(Value { ty: boolean, expr: negative });
            args.push(value);
        }
        args.push(self.int_value(result.max(), wide));
        args.push(self.int_value(-result.min(), wide));
        let [l, r] = operands.try_into().ok()?;
        let low = Value { ty: wide, expr: self.body.binary(compute, l, r) };
        let stored = self.convert(low, target.ty, span);
        let stored = self.saved(&stored, span);
        let boolean = self.types.boolean();
        let overflows = self.inline_values(model, int, args, span);
        let overflows = self.convert(overflows, boolean, span);
        let saved = self.saved(&overflows, span);
        self.store(&target, stored, span);
        Some(Value { ty: boolean, expr: saved })
    }

    /// A type that holds the operands and in which the operation is exact or known to overflow.
    fn exact_type(&mut self, left: Ty, right: Ty, result: Ty) -> Option<(Ty, Int)> {
        let int = |this: &Self, ty| match this.types.scalar(ty) {
            Some(Type::Int(int)) if this.types.is_integer(ty) => Some(int),
            _ => None,
        };
        let (a, b, c) = (int(self, left)?, int(self, right)?, int(self, result)?);
        if a == b && b == c {
            return Some((result.unqualified(), a));
        }
        let narrow = |i: Int| i.width < 32 || (i.width == 32 && (i.signed || c.width <= 32));
        if narrow(a) && narrow(b) && (c.width < 64 || c.signed) {
            return Some((self.types.int(IntKind::LongLong), Int::I64));
        }
        None
    }
}

fn checked_operator(name: &str) -> Option<Op> {
    let plain = name.strip_prefix(['s', 'u']).filter(|n| !n.starts_with("ub_"));
    let name = plain.unwrap_or(name);
    for (prefix, op) in [("add", Op::Add), ("sub", Op::Sub), ("mul", Op::Mul)] {
        if let Some(rest) = name.strip_prefix(prefix)
            && matches!(rest, "_overflow" | "l_overflow" | "ll_overflow")
        {
            return Some(op);
        }
    }
    None
}

enum Bits {
    Short,
    Int,
    Long,
    LongLong,
}

/// A function on the bits of an unsigned number, given with its width. The model of the same name
/// does it for numbers that are not constant.
struct BitFunction {
    name: &'static str,
    count: fn(u64, u32) -> u64,
    /// The result is a number of the argument's type, and no count.
    swaps: bool,
}

const BIT_FUNCTIONS: [BitFunction; 6] = [
    BitFunction {
        name: "ffs",
        count: |value, _| if value == 0 { 0 } else { u64::from(value.trailing_zeros()) + 1 },
        swaps: false,
    },
    BitFunction {
        name: "clz",
        count: |value, width| (u64::from(value.leading_zeros()) + u64::from(width)) - 64,
        swaps: false,
    },
    BitFunction { name: "ctz", count: |value, _| u64::from(value.trailing_zeros()), swaps: false },
    BitFunction { name: "popcount", count: |value, _| u64::from(value.count_ones()), swaps: false },
    BitFunction {
        name: "parity",
        count: |value, _| u64::from(value.count_ones() % 2),
        swaps: false,
    },
    BitFunction {
        name: "bswap",
        count: |value, width| value.swap_bytes() >> (64 - width),
        swaps: true,
    },
];

fn bit_function(name: &str) -> Option<(&'static BitFunction, Bits)> {
    for function in &BIT_FUNCTIONS {
        if let Some(rest) = name.strip_prefix(function.name) {
            let bits = match rest {
                "16" => Bits::Short,
                "" | "32" => Bits::Int,
                "l" => Bits::Long,
                "ll" | "64" => Bits::LongLong,
                _ => return None,
            };
            return Some((function, bits));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_operators_by_name() {
        assert_eq!(checked_operator("add_overflow"), Some(Op::Add));
        assert_eq!(checked_operator("sadd_overflow"), Some(Op::Add));
        assert_eq!(checked_operator("sub_overflow"), Some(Op::Sub));
        assert_eq!(checked_operator("usubl_overflow"), Some(Op::Sub));
        assert_eq!(checked_operator("addressof"), None);
    }

    #[test]
    fn bits_are_counted_at_the_width() {
        let count = |name, value, width| {
            let (function, _) = bit_function(name).expect("known");
            (function.count)(value, width)
        };
        assert_eq!(count("clz", 1, 32), 31);
        assert_eq!((count("ffsll", 0, 64), count("ffsll", 8, 64)), (0, 4));
        assert_eq!(count("bswap16", 0x0102, 16), 0x0201);
        assert!(bit_function("clzother").is_none());
    }
}
