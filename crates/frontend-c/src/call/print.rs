//! Functions that print with a format: what they read, and what they write where.
//!
//! A format that is a literal is read here, and each of its parts is a call to a function of the
//! model `format.c`. Where only output is printed and nobody looks at the number of characters,
//! what is left is that strings are read through their pointers, which matters where races or
//! memory are checked. Any other format is read by the model, character by character.

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{Const, Expr, Int, Mode, Property, Type};

use super::format::{Amount, Conversion, Length, Part, parts};
use crate::expr::Value;
use crate::fold::Typed;
use crate::lowering::{GlobalId, Lowering};
use crate::types::{FloatTag, IntKind, Kind};

/// Where the characters go.
struct Sink {
    to: Value,
    /// How many are stored.
    limit: Value,
    /// The bytes of the buffer, the end included.
    size: Value,
}

/// A call that prints: its values, and those that the format prints.
pub(super) struct Printing {
    pub format: usize,
    pub first: usize,
    /// The numbers of the arguments with the buffer and its size.
    pub sink: Option<(usize, Option<usize>)>,
}

impl<'a> Lowering<'a> {
    /// A call with a literal format.
    pub(super) fn print(
        &mut self,
        declared: GlobalId,
        args: &'a [ast::Expr],
        printing: &Printing,
        span: Span,
    ) -> Option<Value> {
        let parts = parts(&self.literal_text(args.get(printing.format)?)?);
        let seen = self.types.as_function(self.global(declared).ty)?;
        let (mut values, rest) = self.split_arguments(&seen, args, false, span);
        values.extend(rest);
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return Some(self.placeholder(seen.ret));
        }
        let counted = parts.iter().any(|part| part.letter() == Some('n'));
        let used = self.frame.discarded != Some(span) && !self.types.is_void(seen.ret);
        let mut rest = values.iter().skip(printing.first).cloned();
        let result = match printing.sink {
            Some((to, size)) => {
                let sink =
                    self.sink(values.get(to)?.clone(), size.and_then(|n| values.get(n)), span);
                let at = self.put_parts(&parts, &mut rest, &sink, span);
                self.model_call("__selvedge_put_end", [sink.to, sink.size, at].into(), span)?
            }
            None if counted || used => {
                let sink = self.no_sink();
                let at = self.put_parts(&parts, &mut rest, &sink, span);
                self.model_call("__selvedge_printed", vec![at], span)?
            }
            None => {
                self.read_strings(&parts, &mut rest, span);
                return Some(self.placeholder(seen.ret));
            }
        };
        Some(match self.types.is_void(seen.ret) {
            true => self.void_value(),
            false => self.convert(result, seen.ret, span),
        })
    }

    fn model_call(&mut self, name: &str, values: Vec<Value>, span: Span) -> Option<Value> {
        let model = self.library_function(name)?;
        let ret = self.types.as_function(self.global(model).ty)?.ret;
        Some(self.inline_values(model, ret, values, span))
    }

    fn size_value(&mut self, number: i128) -> Value {
        let ty = self.types.int(IntKind::ULong);
        self.int_value(number, ty)
    }

    fn no_sink(&mut self) -> Sink {
        let ty = self.types.void_pointer();
        let zero = self.size_value(0);
        Sink { to: Value { ty, expr: Expr::NULL }, limit: zero.clone(), size: zero }
    }

    fn sink(&mut self, to: Value, size: Option<&Value>, span: Span) -> Sink {
        let ty = self.types.int(IntKind::ULong);
        let Some(size) = size else {
            let most = self.size_value(-1);
            return Sink { to, limit: most.clone(), size: most };
        };
        let size = self.convert(size.clone(), ty, span);
        let limit = self.model_call("__selvedge_put_limit", vec![size.clone()], span);
        Sink { to, limit: limit.unwrap_or_else(|| size.clone()), size }
    }

    /// Strings that are printed, where nothing else matters.
    fn read_strings(&mut self, parts: &[Part], rest: &mut impl Iterator<Item = Value>, span: Span) {
        let checked = self.options.checks(Property::Race) || self.options.checks(Property::Memory);
        for part in parts {
            let Part::Conversion(conversion) = part else { continue };
            let (_, precision) = self.amounts(conversion, rest);
            if conversion.letter == '%' || conversion.letter == 'm' {
                continue;
            }
            let value = rest.next().filter(|value| self.types.is_pointer(value.ty));
            if let Some(value) = value
                && conversion.letter == 's'
                && checked
            {
                self.model_call("__selvedge_read_chars", vec![value, precision], span);
            }
        }
    }

    /// The width and the precision of a conversion, which may be arguments.
    fn amounts(
        &mut self,
        conversion: &Conversion,
        rest: &mut impl Iterator<Item = Value>,
    ) -> (Value, Value) {
        let int = self.types.int_type();
        let mut amount = |this: &mut Self, amount: Amount, none: i128| match amount {
            Amount::None => this.int_value(none, int),
            Amount::Number(number) => this.int_value(i128::from(number), int),
            Amount::Argument => rest.next().unwrap_or_else(|| this.int_value(none, int)),
        };
        (amount(self, conversion.width, 0), amount(self, conversion.precision, -1))
    }

    /// The number of characters after all parts.
    fn put_parts(
        &mut self,
        parts: &[Part],
        rest: &mut impl Iterator<Item = Value>,
        sink: &Sink,
        span: Span,
    ) -> Value {
        let mut at = self.size_value(0);
        for part in parts {
            at = match part {
                Part::Text(text) => self.put_literal(text, sink, at, span),
                Part::Conversion(conversion) => {
                    self.put_conversion(conversion, rest, sink, at, span)
                }
            };
        }
        at
    }

    fn put_literal(&mut self, text: &str, sink: &Sink, mut at: Value, span: Span) -> Value {
        let int = self.types.int_type();
        for c in text.chars() {
            let c = self.int_value(i128::from(u32::from(c)), int);
            let values = vec![sink.to.clone(), sink.limit.clone(), at.clone(), c];
            at = self.model_call("__selvedge_put_char", values, span).unwrap_or(at);
        }
        at
    }

    fn put_conversion(
        &mut self,
        conversion: &Conversion,
        rest: &mut impl Iterator<Item = Value>,
        sink: &Sink,
        at: Value,
        span: Span,
    ) -> Value {
        let amounts = self.amounts(conversion, rest);
        let letter = conversion.letter;
        if letter == '%' {
            return self.put_literal("%", sink, at, span);
        }
        let mut values = vec![sink.to.clone(), sink.limit.clone(), at.clone()];
        if letter == 'm' {
            let int = self.types.int_type();
            values.extend([0, 63].map(|bound| self.int_value(bound, int)));
            return self.model_call("__selvedge_put_any", values, span).unwrap_or(at);
        }
        let Some(value) = rest.next() else {
            self.unsupported("a format with more conversions than arguments", span);
            return at;
        };
        if letter == 'n' {
            self.store_count(conversion.length, value, &at, span);
            return at;
        }
        if let ('f' | 'F', Some(text)) = (letter, self.float_text(conversion, &value)) {
            return self.put_literal(&text, sink, at, span);
        }
        let Some((name, further)) = self.printer(conversion, value, amounts, span) else {
            self.unsupported(format!("the conversion %{letter} to text"), span);
            return at;
        };
        values.extend(further);
        self.model_call(name, values, span).unwrap_or(at)
    }

    /// The function of the model that prints a value, with its further arguments.
    fn printer(
        &mut self,
        conversion: &Conversion,
        value: Value,
        (width, precision): (Value, Value),
        span: Span,
    ) -> Option<(&'static str, Vec<Value>)> {
        let int = self.types.int_type();
        let flags = self.int_value(i128::from(conversion.flags), int);
        Some(match conversion.letter {
            letter @ ('d' | 'i' | 'u' | 'x' | 'X' | 'o') => {
                let value = self.printed_number(conversion, value, span);
                let letter = self.int_value(i128::from(u32::from(letter)), int);
                let name = match conversion.is_signed() {
                    true => "__selvedge_put_signed",
                    false => "__selvedge_put_unsigned",
                };
                (name, vec![value, letter, flags, width, precision])
            }
            's' if conversion.length == Length::Plain => {
                ("__selvedge_put_text", vec![value, flags, width, precision])
            }
            'c' if conversion.length == Length::Plain => {
                ("__selvedge_put_one", vec![value, flags, width])
            }
            'p' if conversion.width == Amount::None => {
                let bounds = [3, 18].map(|bound| self.int_value(bound, int));
                ("__selvedge_put_any", bounds.into())
            }
            _ => return None,
        })
    }

    /// A constant in the form of `%f`, without a width.
    fn float_text(&self, conversion: &Conversion, value: &Value) -> Option<String> {
        let places = match conversion.precision {
            Amount::None => 6,
            Amount::Number(number) => usize::try_from(number).ok()?,
            Amount::Argument => return None,
        };
        let plain = conversion.width == Amount::None && conversion.flags == 0;
        let Expr::Const(Const::Int(bits, _)) = value.expr else { return None };
        let number = match self.types.kind(value.ty) {
            Kind::Float(FloatTag::Double) => f64::from_bits(bits),
            Kind::Float(FloatTag::Float) => f64::from(f32::from_bits(bits as u32)),
            _ => return None,
        };
        (number.is_finite() && plain).then(|| format!("{number:.places$}"))
    }

    fn printed_number(&mut self, conversion: &Conversion, value: Value, span: Span) -> Value {
        let signed = conversion.is_signed();
        let kind = conversion.length.int_kind(signed);
        let ty = self.types.int(kind);
        let narrow = self.convert(value, ty, span);
        let wide = if signed { IntKind::LongLong } else { IntKind::ULongLong };
        let ty = self.types.int(wide);
        self.convert(narrow, ty, span)
    }

    /// `%n` stores how many characters there were.
    fn store_count(&mut self, length: Length, to: Value, at: &Value, span: Span) {
        let int: Int = self.types.int_of(length.int_kind(true));
        let count = self.body.cast(Type::Int(int), at.expr.clone());
        self.store_scalar(to.expr, Type::Int(int), count, Mode::Plain, span);
    }
}
