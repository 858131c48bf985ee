//! Operators on open inputs: by shifting the interval, by splitting it, or value by value.

use selvedge_ir::{BinaryOp, Float, FloatFn, FloatOp, Int, Type};

use super::eval::{Context, Fallible, Wrong};
use crate::arith;
use crate::code::Binary;
use crate::oracle::{Choice, Oracle};
use crate::stop::Stop;
use crate::symbol::{Domain, range_at};
use crate::value::{POINTER, SymbolId, Value};

/// `symbol + plus` at an integer type, and the values that it has there.
#[derive(Clone, Copy)]
struct Open {
    id: SymbolId,
    plus: i64,
    lo: i128,
    hi: i128,
}

impl<O: Oracle> Context<'_, O> {
    /// The value itself, where it is a symbol with only one value left.
    pub fn known(&self, value: Value) -> Value {
        match value {
            Value::Symbol { id, width, plus } => {
                self.symbols[id.index()].single(width, plus).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// Makes a value concrete, by a choice over all that are left.
    pub fn settle(&mut self, value: Value) -> Fallible<Value> {
        let value = self.known(value);
        let Value::Symbol { id, width, plus } = value else { return Ok(value) };
        let symbol = self.symbols[id.index()];
        let (count, limit) = (symbol.count(), self.machine.options.enumerate);
        if count > u128::from(limit).max(2) {
            return Err(self.too_large(id));
        }
        let chosen = self.oracle.choose(count as usize, Choice::Split);
        let at = symbol.lo + chosen as i128;
        let symbol = &mut self.symbols[id.index()];
        (symbol.lo, symbol.hi) = (at, at);
        match symbol.single(width, plus) {
            Some(value) => Ok(value),
            None => Err(self.not_followed(id)),
        }
    }

    /// The use of an open pointer or thread that is not null or none.
    fn not_followed(&self, id: SymbolId) -> Wrong {
        let what = match self.symbols[id.index()].domain {
            Domain::Pointer => "pointer",
            _ => "thread identifier",
        };
        let why = match self.comes_from_memory(id) {
            true => "used before it was initialised",
            false => "used that is an input or was never initialised",
        };
        self.unsupported(&format!("{what} {why}"))
    }

    /// Whether an open input stands for memory that nobody has written.
    pub fn comes_from_memory(&self, id: SymbolId) -> bool {
        self.machine.code.sites[self.symbols[id.index()].site as usize].from_memory
    }

    fn too_large(&self, id: SymbolId) -> Wrong {
        let symbol = &self.symbols[id.index()];
        Stop::InputTooLarge {
            values: symbol.count(),
            limit: self.machine.options.enumerate,
            input: self.machine.code.sites[symbol.site as usize].span,
            used: self.span,
        }
        .into()
    }

    /// An operator of which at least one operand is open.
    pub fn symbolic(&mut self, operator: Binary, left: Value, right: Value) -> Fallible<Value> {
        use BinaryOp::*;
        let Binary { op, int, .. } = operator;
        if let BinaryOp::Float(format, op) = op
            && let Some(value) = self.compare_floats((format, op), left, right)
        {
            return Ok(value);
        }
        match (self.open(left, int), self.open(right, int)) {
            (Some(a), None) => {
                if let Some(value) = no_number(op, right) {
                    return Ok(value);
                }
                if let Some(bits) = number(right) {
                    let k = int.value(bits);
                    match op {
                        Eq | Ne | Lt | Le | Gt | Ge => return self.compare(op, a, k),
                        Add => return self.shift(a, k, int, int.width),
                        PtrAdd => return self.shift(a, k, int, int.width | POINTER),
                        Sub => return self.shift(a, -k, int, int.width),
                        AddOverflows => return self.leaves(a, k, int),
                        SubOverflows => return self.leaves(a, -k, int),
                        Mul | And if k == 0 => return Ok(Value::Int(0)),
                        Mul | Div if k == 1 => return Ok(left),
                        Or | Xor | Shl | Shr if k == 0 => return Ok(left),
                        Rem if a.lo >= 0 && a.hi < k => return Ok(left),
                        And if a.lo >= 0 && a.hi <= k && k & (k + 1) == 0 => return Ok(left),
                        MulOverflows if k == 0 || k == 1 => return Ok(Value::FALSE),
                        _ => {}
                    }
                }
            }
            (None, Some(b)) => {
                if let Some(value) = no_number(op, left) {
                    return Ok(value);
                }
                if let Some(bits) = number(left) {
                    let k = int.value(bits);
                    match op {
                        Eq | Ne | Lt | Le | Gt | Ge => return self.compare(mirrored(op), b, k),
                        Add => return self.shift(b, k, int, int.width),
                        AddOverflows => return self.leaves(b, k, int),
                        Mul | And if k == 0 => return Ok(Value::Int(0)),
                        Mul if k == 1 => return Ok(right),
                        Or | Xor if k == 0 => return Ok(right),
                        MulOverflows if k == 0 || k == 1 => return Ok(Value::FALSE),
                        _ => {}
                    }
                }
            }
            (Some(a), Some(b)) => {
                if let Some(value) = self.two_open(op, int, a, b) {
                    return Ok(value);
                }
            }
            (None, None) => {}
        }
        self.settle_and_retry(operator, left, right)
    }

    /// A comparison of an open floating-point number with a known one or with itself: there are
    /// few places where the answer changes.
    fn compare_floats(
        &mut self,
        (format, op): (Float, FloatOp),
        left: Value,
        right: Value,
    ) -> Option<Value> {
        let open = |this: &Self, value| this.open(value, format.int());
        let (value, other) = match (open(self, left), open(self, right)) {
            (Some(_), None) => (left, number(right)?),
            (None, Some(_)) => (right, number(left)?),
            (Some(a), Some(b)) if (a.id, a.plus) == (b.id, b.plus) => (left, format.infinity()),
            _ => return None,
        };
        if !op.is_test() {
            return None;
        }
        let answer = |bits: u64| {
            let side = |side| number(side).unwrap_or(bits);
            format.binary(op, side(left), side(right))
        };
        let mut last = answer(0);
        let turns = format.turns(other).into_iter().filter(|&bits| {
            let before = std::mem::replace(&mut last, answer(bits));
            before != last
        });
        let turns: Vec<i128> = turns.map(i128::from).collect();
        let whole = open(self, value)?;
        self.split(whole, &turns);
        Some(Value::Int(answer(open(self, value)?.lo as u64)))
    }

    /// The integer that all values of an open floating-point number become.
    pub fn same_whole_part(
        &self,
        (format, function): (Float, FloatFn),
        value: Value,
    ) -> Option<Value> {
        let (FloatFn::ToInt(_), Some(open)) = (function, self.open(value, format.int())) else {
            return None;
        };
        let (low, high) = (open.lo as u64, open.hi as u64);
        let whole = |bits| format.unary(function, format.int(), bits);
        let one = format.unary(FloatFn::FromInt, Int::U8, 1);
        // The higher one is in the type, so all between are.
        let inside = whole(high) != 0 || high & !format.sign() < one;
        let alike = (low ^ high) & format.sign() == 0 && whole(low) == whole(high);
        (inside && alike).then(|| Value::Int(whole(high)))
    }

    /// Operators on two open values that need no choice.
    fn two_open(&self, op: BinaryOp, int: Int, a: Open, b: Open) -> Option<Value> {
        use BinaryOp::*;
        match op {
            Eq | Ne | Lt | Le | Gt | Ge if a.id == b.id => {
                Some(Value::bool(arith::compare(op, a.lo, b.lo)))
            }
            Eq | Ne | Lt | Le | Gt | Ge if a.hi < b.lo || b.hi < a.lo => {
                Some(Value::bool(arith::compare(op, a.lo, b.lo)))
            }
            Sub if a.id == b.id => Some(Value::Int(int.wrap(a.lo - b.lo))),
            _ => None,
        }
    }

    /// Settles the operand with fewer values and tries again.
    fn settle_and_retry(&mut self, operator: Binary, left: Value, right: Value) -> Fallible<Value> {
        let values = |value: Value| match value {
            Value::Symbol { id, .. } => self.symbols[id.index()].count(),
            _ => u128::MAX,
        };
        let (left, right) = if values(left) <= values(right) {
            let settled = self.settle(left)?;
            (settled, self.known(right))
        } else {
            let settled = self.settle(right)?;
            (self.known(left), settled)
        };
        self.binary(operator, left, right)
    }

    /// A symbol of the integers; pointers and threads are settled instead.
    fn open(&self, value: Value, int: Int) -> Option<Open> {
        let Value::Symbol { id, plus, .. } = value else { return None };
        let symbol = &self.symbols[id.index()];
        if symbol.domain != Domain::Int {
            return None;
        }
        let (lo, hi) = range_at(symbol, plus, int);
        Some(Open { id, plus, lo, hi })
    }

    /// Goes on with the values `lo..=hi` only.
    fn restrict(&mut self, open: Open, lo: i128, hi: i128) {
        debug_assert!(open.lo <= lo && lo <= hi && hi <= open.hi);
        let symbol = &mut self.symbols[open.id.index()];
        symbol.lo += lo - open.lo;
        symbol.hi -= open.hi - hi;
    }

    /// Splits into parts at the values where a new part begins, and goes on with one of these.
    fn split(&mut self, open: Open, starts: &[i128]) -> usize {
        let inside: Vec<(usize, i128, i128)> = (0..=starts.len())
            .map(|i| {
                let lo = if i == 0 { open.lo } else { starts[i - 1].max(open.lo) };
                let hi = starts.get(i).map_or(open.hi, |s| (s - 1).min(open.hi));
                (i, lo, hi)
            })
            .filter(|(_, lo, hi)| lo <= hi)
            .collect();
        let chosen = match inside.len() {
            1 => 0,
            n => self.oracle.choose(n, Choice::Split),
        };
        let (part, lo, hi) = inside[chosen];
        self.restrict(open, lo, hi);
        part
    }

    fn compare(&mut self, op: BinaryOp, open: Open, k: i128) -> Fallible<Value> {
        let holds = match op {
            BinaryOp::Lt => self.split(open, &[k]) == 0,
            BinaryOp::Ge => self.split(open, &[k]) == 1,
            BinaryOp::Le => self.split(open, &[k + 1]) == 0,
            BinaryOp::Gt => self.split(open, &[k + 1]) == 1,
            BinaryOp::Eq => self.split(open, &[k, k + 1]) == 1,
            _ => self.split(open, &[k, k + 1]) != 1,
        };
        Ok(Value::bool(holds))
    }

    /// Whether adding `k` leaves the type.
    fn leaves(&mut self, open: Open, k: i128, int: Int) -> Fallible<Value> {
        let part = self.split(open, &[int.min() - k, int.max() + 1 - k]);
        Ok(Value::bool(part != 1))
    }

    /// Adds `k` at a type, modulo its width. The result is marked with `width`.
    fn shift(&mut self, open: Open, k: i128, int: Int, width: u8) -> Fallible<Value> {
        let period = 1i128 << int.width;
        let turns = |v: i128| (v + k - int.min()).div_euclid(period);
        let (first, last) = (turns(open.lo), turns(open.hi));
        if last - first >= i128::from(self.machine.options.enumerate) {
            return Err(self.too_large(open.id));
        }
        let starts: Vec<i128> =
            (first + 1..=last).map(|turn| int.min() - k + turn * period).collect();
        let turn = first + self.split(open, &starts) as i128;
        let plus = open.plus.wrapping_add((k - turn * period) as i64);
        Ok(self.known(Value::Symbol { id: open.id, width, plus }))
    }

    pub fn cast_symbol(&mut self, from: Type, to: Type, value: Value) -> Fallible<Value> {
        let from_int = self.machine.int(from);
        match (self.open(value, from_int), to) {
            (Some(open), Type::Bool) => self.compare(BinaryOp::Ne, open, 0),
            (Some(open), Type::Int(to)) => self.shift(open, 0, to, to.width),
            (Some(open), Type::Ptr) => {
                let address = self.machine.program.model.size_type();
                self.shift(open, 0, address, address.width | POINTER)
            }
            _ => {
                let settled = self.settle(value)?;
                self.cast(from, to, settled)
            }
        }
    }
}

/// The bits of an integer or of a pointer into no object.
fn number(value: Value) -> Option<u64> {
    match value {
        Value::Int(bits) | Value::Address(bits) => Some(bits),
        Value::Null => Some(0),
        _ => None,
    }
}

/// Equality of a number that was converted to a pointer with a pointer into an object: they are
/// never equal.
fn no_number(op: BinaryOp, other: Value) -> Option<Value> {
    let is_object = matches!(other, Value::Static(..) | Value::Heap(..) | Value::Proc(_));
    match op {
        BinaryOp::Eq if is_object => Some(Value::FALSE),
        BinaryOp::Ne if is_object => Some(Value::TRUE),
        _ => None,
    }
}

/// The comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}
