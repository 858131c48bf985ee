//! What expressions give and what conditions say, for what locals may be.
//!
//! An expression that may be undefined, or that decides something by what the semantics leaves open,
//! has no value here: the proof ends there.

use std::collections::BTreeMap;

use selvedge_ir::{BinaryOp, Const, Expr, LocalId, Procedure, Program, Sharing, Type, UnaryOp};

use crate::range::{Range, compared};
use crate::value::{Base, Pointer, Thread, Value, is_offset};

/// Why there is no value.
pub type Why = String;

/// Values of locals; of those that are left out nothing is known.
pub type Locals = BTreeMap<LocalId, Value>;

pub struct Eval<'a> {
    pub program: &'a Program,
    pub procedure: &'a Procedure,
    pub locals: &'a Locals,
}

fn no<T>(why: &str) -> Result<T, Why> {
    Err(why.to_owned())
}

impl Eval<'_> {
    pub fn value(&self, expr: &Expr) -> Result<Value, Why> {
        match expr {
            Expr::Const(value) => Ok(of_const(*value)),
            Expr::Local(local) => Ok(self.locals.get(local).cloned().unwrap_or(Value::Any)),
            Expr::Tid => Ok(Value::OWN_THREAD),
            Expr::Unary(op, operand) => self.unary(*op, operand),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Cast(to, operand) => {
                let from = operand.ty(self.program, self.procedure);
                Ok(cast(self.value(operand)?, from, *to))
            }
            Expr::Ite(condition, then, otherwise) => match self.truth(condition)?.only() {
                Some(0) => self.value(otherwise),
                Some(_) => self.value(then),
                None => Ok(self.value(then)?.join(&self.value(otherwise)?)),
            },
        }
    }

    /// Of a condition.
    pub fn truth(&self, condition: &Expr) -> Result<Range, Why> {
        match self.value(condition)? {
            Value::Numbers(range) => Ok(range),
            _ => no("a decision that depends on what is not followed"),
        }
    }

    fn ty(&self, expr: &Expr) -> Type {
        expr.ty(self.program, self.procedure)
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> Result<Value, Why> {
        let ty = self.ty(operand);
        let Value::Numbers(range) = self.value(operand)? else { return Ok(Value::Any) };
        Ok(match (op, ty) {
            (UnaryOp::Not, _) => match range.only() {
                Some(value) => Value::truth(value == 0),
                None => Value::Numbers(Range::BOOL),
            },
            (UnaryOp::Neg, Type::Int(int)) => Value::Numbers(range.negated().wrapped(int)),
            (UnaryOp::BitNot, Type::Int(int)) => {
                // -1 - x, modulo two to the width.
                Value::Numbers(range.negated().moved(-1).wrapped(int))
            }
            (op, ty) => Value::input(op.result(ty)),
        })
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, Why> {
        let ty = self.ty(left);
        let (a, b) = (self.value(left)?, self.value(right)?);
        match (op, ty, a, b) {
            (BinaryOp::Float(..), _, Value::Numbers(_), Value::Numbers(_)) => {
                let whole = Expr::binary(op, left.clone(), right.clone());
                Ok(Value::input(self.ty(&whole)))
            }
            (_, Type::Int(int), Value::Numbers(a), Value::Numbers(b)) => {
                let found = Range::binary(op, int, a, b).map(Value::Numbers);
                found.ok_or_else(|| "a divisor that may be zero".to_owned())
            }
            (_, Type::Bool, Value::Numbers(a), Value::Numbers(b)) => Ok(on_truths(op, a, b)),
            (BinaryOp::PtrAdd, _, Value::Pointer(pointer), Value::Numbers(by)) => {
                Ok(moved(pointer, by))
            }
            (BinaryOp::Eq | BinaryOp::Ne, _, Value::Pointer(a), Value::Pointer(b)) => {
                Ok(equality(op, same_pointers(&a, &b)))
            }
            (BinaryOp::Eq | BinaryOp::Ne, _, a @ Value::Thread(_), b @ Value::Thread(_)) => {
                Ok(equality(op, same_threads(&a, &b)))
            }
            (_, Type::Ptr, Value::Pointer(a), Value::Pointer(b)) => self.in_one_object(op, &a, &b),
            (BinaryOp::Div | BinaryOp::Rem, ..) => no("a divisor that is not followed"),
            (_, Type::Ptr, ..) => no("an operation on a pointer that is not followed"),
            _ => Ok(Value::Any),
        }
    }

    /// Orders and differences are defined within one object: one that there is only once.
    fn in_one_object(&self, op: BinaryOp, a: &Pointer, b: &Pointer) -> Result<Value, Why> {
        let only = |pointer: &Pointer| match pointer.to[..] {
            [(Base::Object(object), range)] if !pointer.null && !pointer.code => {
                let shared = self.program.objects[object].sharing == Sharing::Shared;
                shared.then_some((object, range))
            }
            _ => None,
        };
        let (Some((first, a)), Some((second, b))) = (only(a), only(b)) else {
            return no("pointers that may lead into two objects");
        };
        match op {
            _ if first != second => no("pointers into two objects"),
            BinaryOp::PtrSub => {
                let diff = self.program.model.diff_type();
                Ok(Value::Numbers(a.plus(b.negated()).wrapped(diff)))
            }
            _ => Ok(Value::Numbers(compared(op, a, b))),
        }
    }
}

pub fn of_const(value: Const) -> Value {
    match value {
        Const::Bool(holds) => Value::truth(holds),
        Const::Int(bits, int) => Value::number(int.value(bits)),
        Const::Null => Value::NULL,
        Const::Object(object, offset) => Value::address(Base::Object(object), offset),
        Const::Proc(_) => Value::Pointer(Pointer { code: true, ..Pointer::default() }),
        Const::NoThread => Value::NO_THREAD,
    }
}

fn on_truths(op: BinaryOp, a: Range, b: Range) -> Value {
    let found = match (op, a.only(), b.only()) {
        (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => Some(false),
        (BinaryOp::And, Some(_), Some(_)) => Some(true),
        (BinaryOp::Or, Some(1), _) | (BinaryOp::Or, _, Some(1)) => Some(true),
        (BinaryOp::Or, Some(_), Some(_)) => Some(false),
        (BinaryOp::Eq, Some(a), Some(b)) => Some(a == b),
        (BinaryOp::Ne | BinaryOp::Xor, Some(a), Some(b)) => Some(a != b),
        _ => None,
    };
    found.map_or(Value::Numbers(Range::BOOL), Value::truth)
}

fn moved(pointer: Pointer, by: Range) -> Value {
    if by.only() == Some(0) {
        return Value::Pointer(pointer);
    }
    let mut to = Vec::new();
    for (base, range) in &pointer.to {
        if !is_offset(*range) || !is_offset(by) || !is_offset(range.plus(by)) {
            return Value::Any;
        }
        to.push((*base, range.plus(by)));
    }
    match pointer.null || pointer.code {
        // An address that is a number.
        true => Value::Any,
        false => Value::Pointer(Pointer { to, ..pointer }),
    }
}

/// Whether two pointers are equal, where that is certain. Two addresses with one base may lead into
/// two objects.
fn same_pointers(a: &Pointer, b: &Pointer) -> Option<bool> {
    let null = |pointer: &Pointer| pointer.null && !pointer.code && pointer.to.is_empty();
    match (null(a), null(b)) {
        (true, true) => Some(true),
        (true, false) if !b.null => Some(false),
        (false, true) if !a.null => Some(false),
        _ => None,
    }
}

/// Likewise of threads.
fn same_threads(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        _ if *a == Value::OWN_THREAD && *b == Value::OWN_THREAD => Some(true),
        _ if *a == Value::NO_THREAD && *b == Value::NO_THREAD => Some(true),
        (Value::Thread(a), Value::Thread(b)) => {
            let none = |thread: &Thread| {
                thread.none && !thread.own && !thread.some && thread.started.is_empty()
            };
            let apart = none(a) && !b.none || none(b) && !a.none;
            apart.then_some(false)
        }
        _ => None,
    }
}

fn equality(op: BinaryOp, same: Option<bool>) -> Value {
    let same = same.map(|same| same == (op == BinaryOp::Eq));
    same.map_or(Value::Numbers(Range::BOOL), Value::truth)
}

pub fn cast(value: Value, from: Type, to: Type) -> Value {
    match (value, to) {
        (value, _) if from == to => value,
        (Value::Numbers(range), Type::Bool) => match range.only() {
            Some(value) => Value::truth(value != 0),
            None if range.contains(0) => Value::Numbers(Range::BOOL),
            None => Value::truth(true),
        },
        (Value::Numbers(range), Type::Int(int)) => Value::Numbers(range.wrapped(int)),
        (Value::Numbers(range), Type::Ptr) if range.only() == Some(0) => Value::NULL,
        (Value::Pointer(pointer), Type::Bool) => {
            let something = pointer.code || !pointer.to.is_empty();
            match (pointer.null, something) {
                (true, false) => Value::truth(false),
                (false, true) => Value::truth(true),
                _ => Value::Numbers(Range::BOOL),
            }
        }
        (Value::Thread(thread), Type::Bool) => {
            let something = thread.own || thread.some || !thread.started.is_empty();
            match (thread.none, something) {
                (true, false) => Value::truth(false),
                (false, true) => Value::truth(true),
                _ => Value::Numbers(Range::BOOL),
            }
        }
        (value @ (Value::Pointer(_) | Value::Thread(_)), Type::Int(_)) => {
            let zero = value == Value::NULL || value == Value::NO_THREAD;
            if zero { Value::number(0) } else { Value::Any }
        }
        _ => Value::Any,
    }
}

/// Narrows locals to where a condition holds; false where it cannot hold. Its value is known to be
/// one.
pub fn assume(
    program: &Program,
    procedure: &Procedure,
    locals: &mut Locals,
    condition: &Expr,
    holds: bool,
) -> Result<bool, Why> {
    let eval = Eval { program, procedure, locals };
    if eval.truth(condition)?.only() == Some(i128::from(!holds)) {
        return Ok(false);
    }
    match (condition, holds) {
        (Expr::Unary(UnaryOp::Not, operand), _) => {
            assume(program, procedure, locals, operand, !holds)
        }
        (Expr::Binary(BinaryOp::And, a, b), true) | (Expr::Binary(BinaryOp::Or, a, b), false)
            if a.ty(program, procedure) == Type::Bool =>
        {
            Ok(assume(program, procedure, locals, a, holds)?
                && assume(program, procedure, locals, b, holds)?)
        }
        (Expr::Binary(op, a, b), _) if is_comparison(*op) => {
            let op = if holds { *op } else { negated(*op) };
            Ok(narrow(&mut Narrowing { program, procedure, locals }, op, a, b)
                && narrow(&mut Narrowing { program, procedure, locals }, mirrored(op), b, a))
        }
        (Expr::Local(local), _) => {
            locals.insert(*local, Value::truth(holds));
            Ok(true)
        }
        (Expr::Cast(Type::Bool, operand), _) => {
            let op = if holds { BinaryOp::Ne } else { BinaryOp::Eq };
            let zero = zero_of(operand.ty(program, procedure));
            Ok(narrow(&mut Narrowing { program, procedure, locals }, op, operand, &zero))
        }
        _ => Ok(true),
    }
}

fn zero_of(ty: Type) -> Expr {
    Expr::Const(Const::zero(ty))
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

fn negated(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Eq => Ne,
        Ne => Eq,
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        _ => Lt,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        same => same,
    }
}

struct Narrowing<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    locals: &'a mut Locals,
}

/// Narrows the local on the left side of a comparison; false where there is no value left.
fn narrow(at: &mut Narrowing<'_>, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    let eval = Eval { program: at.program, procedure: at.procedure, locals: at.locals };
    let Ok(bound) = eval.value(right) else { return true };
    let Some(local) = stored(at, left) else { return true };
    match (at.locals.get(&local).cloned(), bound) {
        (Some(Value::Numbers(range)), Value::Numbers(bound)) => match cut(range, op, bound) {
            Some(range) => {
                at.locals.insert(local, Value::Numbers(range));
                true
            }
            None => false,
        },
        (Some(Value::Pointer(pointer)), bound) if bound == Value::NULL => {
            let narrowed = match op {
                BinaryOp::Eq => Value::NULL,
                BinaryOp::Ne => Value::Pointer(Pointer { null: false, ..pointer }),
                _ => return true,
            };
            at.locals.insert(local, narrowed);
            true
        }
        _ => true,
    }
}

/// The local that an expression is, or whose number it is after conversions that keep it.
fn stored(at: &Narrowing<'_>, expr: &Expr) -> Option<LocalId> {
    match expr {
        Expr::Local(local) => Some(*local),
        Expr::Cast(Type::Int(int), operand) => {
            let eval = Eval { program: at.program, procedure: at.procedure, locals: at.locals };
            let before = eval.value(operand).ok()?.numbers()?;
            let kept = Range::all(*int).covers(before);
            kept.then(|| stored(at, operand)).flatten()
        }
        _ => None,
    }
}

fn cut(range: Range, op: BinaryOp, bound: Range) -> Option<Range> {
    match op {
        BinaryOp::Lt => range.at_most(bound.hi - 1),
        BinaryOp::Le => range.at_most(bound.hi),
        BinaryOp::Gt => range.at_least(bound.lo + 1),
        BinaryOp::Ge => range.at_least(bound.lo),
        BinaryOp::Eq => range.at_most(bound.hi)?.at_least(bound.lo),
        _ => match bound.only() {
            Some(value) => range.without(value),
            None => Some(range),
        },
    }
}
