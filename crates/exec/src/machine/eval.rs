//! Expressions: their value in a state, with the choices that open inputs ask for.

use std::sync::Arc;

use selvedge_ir::{BinaryOp, Int, Property, Span, Type, UnaryOp};

use super::Machine;
use crate::arith;
use crate::code::{Binary, Ex};
use crate::fault::Fault;
use crate::memory::HeapObject;
use crate::oracle::Oracle;
use crate::state::State;
use crate::stop::Stop;
use crate::symbol::Symbol;
use crate::value::{Target, ThreadId, Value};
use crate::violation::Violation;

/// Why an action could not be executed.
#[derive(Debug)]
pub(crate) enum Wrong {
    Error(Box<Violation>),
    Stop(Box<Stop>),
}

impl From<Stop> for Wrong {
    fn from(stop: Stop) -> Wrong {
        Wrong::Stop(Box::new(stop))
    }
}

pub(crate) type Fallible<T> = Result<T, Wrong>;

/// Where an expression is evaluated: a thread in a state.
pub(crate) struct Context<'a, O> {
    pub machine: &'a Machine<'a>,
    pub thread: ThreadId,
    /// Of the innermost frame.
    pub locals: &'a [Value],
    pub own: &'a [u32],
    pub symbols: &'a mut [Symbol],
    pub oracle: &'a mut O,
    pub span: Span,
}

/// The memory of a state, apart from the threads and symbols that a [`Context`] holds.
pub(crate) struct Memory<'a> {
    pub statics: &'a mut Vec<Value>,
    pub heap: &'a mut Vec<Arc<HeapObject>>,
}

/// The same, read-only.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub statics: &'a [Value],
    pub heap: &'a [Arc<HeapObject>],
}

impl Memory<'_> {
    pub fn view(&self) -> View<'_> {
        View { statics: self.statics, heap: self.heap }
    }
}

impl<'a, O: Oracle> Context<'a, O> {
    pub fn new(
        machine: &'a Machine<'a>,
        state: &'a mut State,
        thread: ThreadId,
        span: Span,
        oracle: &'a mut O,
    ) -> (Context<'a, O>, Memory<'a>) {
        let State { threads, symbols, statics, heap, .. } = state;
        let t = &threads[thread.index().expect("a thread")];
        let locals = &t.locals[t.top().base as usize..];
        let context = Context { machine, thread, locals, own: &t.own, symbols, oracle, span };
        (context, Memory { statics, heap })
    }

    pub fn eval(&mut self, ex: &Ex) -> Fallible<Value> {
        match ex {
            Ex::Value(value) => Ok(*value),
            Ex::Local(local) => Ok(self.known(self.locals[local.as_u32() as usize])),
            Ex::Tid => Ok(Value::Thread(self.thread)),
            Ex::Own(index, offset) => Ok(Value::Heap(self.own[*index as usize], *offset)),
            Ex::Unary(op, int, operand) => {
                let value = self.eval(operand)?;
                self.unary(*op, *int, value)
            }
            Ex::Binary(operator, operands) => {
                let left = self.eval(&operands.0)?;
                let right = self.eval(&operands.1)?;
                self.binary(*operator, left, right)
            }
            Ex::Cast { from, to, operand } => {
                let value = self.eval(operand)?;
                self.cast(*from, *to, value)
            }
            Ex::Ite(parts) => {
                if self.test(&parts.0)? {
                    self.eval(&parts.1)
                } else {
                    self.eval(&parts.2)
                }
            }
        }
    }

    /// Whether a condition holds.
    pub fn test(&mut self, ex: &Ex) -> Fallible<bool> {
        let value = self.eval(ex)?;
        self.truth(value)
    }

    pub fn truth(&mut self, value: Value) -> Fallible<bool> {
        match value {
            Value::Int(bits) => Ok(bits != 0),
            Value::Symbol { .. } => {
                let settled = self.settle(value)?;
                self.truth(settled)
            }
            _ => Err(self.opaque()),
        }
    }

    fn unary(&mut self, op: UnaryOp, int: Int, value: Value) -> Fallible<Value> {
        match value {
            Value::Int(bits) => Ok(Value::Int(match op {
                UnaryOp::Not => bits ^ 1,
                UnaryOp::Neg => int.wrap(-int.value(bits)),
                UnaryOp::BitNot => !bits & int.mask(),
                UnaryOp::Float(format, function) => format.unary(function, int, bits),
            })),
            Value::Symbol { .. } => {
                if let UnaryOp::Float(format, function) = op
                    && let Some(whole) = self.same_whole_part((format, function), value)
                {
                    return Ok(whole);
                }
                let settled = self.settle(value)?;
                self.unary(op, int, settled)
            }
            _ => Ok(Value::Opaque),
        }
    }

    pub fn binary(&mut self, operator: Binary, left: Value, right: Value) -> Fallible<Value> {
        let Binary { op, int, .. } = operator;
        if let (Value::Int(a), Value::Int(b)) = (left, right) {
            return match arith::binary(op, int, a, b) {
                Some(value) => Ok(value),
                None => Err(self.fault(Fault::DivisionByZero)),
            };
        }
        if matches!(left, Value::Symbol { .. }) || matches!(right, Value::Symbol { .. }) {
            return self.symbolic(operator, left, right);
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && right == Value::Int(0) {
            return Err(self.fault(Fault::DivisionByZero));
        }
        if left == Value::Opaque || right == Value::Opaque {
            return Ok(Value::Opaque);
        }
        self.on_pointers(operator, left, right)
    }

    /// Operators on pointers, threads, and integers made of these.
    fn on_pointers(&mut self, operator: Binary, left: Value, right: Value) -> Fallible<Value> {
        use BinaryOp::*;
        let model = self.machine.program.model;
        match operator.op {
            Eq => Ok(equal(left, right).map_or(Value::Opaque, Value::bool)),
            Ne => Ok(equal(left, right).map_or(Value::Opaque, |e| Value::bool(!e))),
            Lt | Le | Gt | Ge => match (left.pointer(), right.pointer()) {
                (Some((a, x)), Some((b, y))) if a == b => {
                    let signed = a != Target::Nothing;
                    let int = Int { width: 64, signed };
                    Ok(arith::binary(operator.op, int, x as u64, y as u64)
                        .expect("comparisons do not fail"))
                }
                _ if operator.ty == Type::Ptr => Err(self.fault(Fault::PointerComparison)),
                _ => Ok(Value::Opaque),
            },
            PtrAdd | Add => match (left, right) {
                (pointer, Value::Int(bits)) | (Value::Int(bits), pointer) => {
                    Ok(moved(pointer, model.diff_type().value(bits) as i64, model.diff_type()))
                }
                _ => Ok(Value::Opaque),
            },
            Sub | PtrSub => match (left.pointer(), right.pointer()) {
                (Some((a, x)), Some((b, y))) if a == b => {
                    Ok(Value::Int(operator.int.wrap(i128::from(x) - i128::from(y))))
                }
                _ if operator.op == PtrSub => Err(self.fault(Fault::PointerSubtraction)),
                (Some(_), None) if let Value::Int(bits) = right => {
                    let back = model.diff_type().value(bits) as i64;
                    Ok(moved(left, back.wrapping_neg(), model.diff_type()))
                }
                _ => Ok(Value::Opaque),
            },
            _ => Ok(Value::Opaque),
        }
    }

    pub fn cast(&mut self, from: Type, to: Type, value: Value) -> Fallible<Value> {
        if from == to {
            return Ok(value);
        }
        let model = self.machine.program.model;
        let pointer_bits = model.size_type().width;
        match (value, to) {
            (Value::Symbol { .. }, _) => self.cast_symbol(from, to, value),
            (Value::Opaque, _) => Ok(Value::Opaque),
            (_, Type::Bool) => Ok(Value::bool(!value.is_zero())),
            (Value::Int(bits), Type::Int(to)) => {
                Ok(Value::Int(to.wrap(self.machine.int(from).value(bits))))
            }
            (Value::Int(0), Type::Ptr) => Ok(Value::Null),
            (Value::Int(bits), Type::Ptr) => {
                let extended = self.machine.int(from).value(bits);
                Ok(Value::Address(model.size_type().wrap(extended)))
            }
            (Value::Null | Value::NO_THREAD, _) => Ok(crate::code::zero(to)),
            (Value::Int(0), Type::Thread) => Ok(Value::NO_THREAD),
            (Value::Int(_), Type::Thread) => Ok(Value::Opaque),
            (Value::Address(bits), Type::Int(to)) => Ok(Value::Int(to.wrap(i128::from(bits)))),
            // A pointer or thread kept in an integer as wide can be turned back.
            (_, Type::Int(to)) if to.width < pointer_bits => Ok(Value::Opaque),
            _ => Ok(value),
        }
    }

    /// A memory fault: an error where that is checked, undefined behaviour otherwise.
    pub fn fault(&self, fault: Fault) -> Wrong {
        self.machine.fault(fault, self.thread, self.span)
    }

    fn opaque(&self) -> Wrong {
        let what = "a decision that depends on the numeric value of a pointer or thread";
        Stop::Unsupported { what: what.into(), span: self.span }.into()
    }
}

impl Machine<'_> {
    pub(crate) fn fault(&self, fault: Fault, thread: ThreadId, span: Span) -> Wrong {
        debug_assert_eq!(fault.property(), Property::Memory);
        if self.options.checks(Property::Memory) {
            Wrong::Error(Box::new(Violation::new(fault, span, thread)))
        } else {
            Stop::Undefined { what: fault.to_string(), span }.into()
        }
    }
}

/// Whether two values that are not both integers are equal; none where that is not known.
fn equal(left: Value, right: Value) -> Option<bool> {
    match (left, right) {
        (Value::Int(bits), _) | (_, Value::Int(bits)) => {
            // An integer made of an object's address is not zero; more is not known.
            (bits == 0).then_some(left.is_zero() && right.is_zero())
        }
        _ => Some(left == right),
    }
}

/// A pointer moved by bytes. An address of code cannot be moved.
fn moved(pointer: Value, bytes: i64, diff: Int) -> Value {
    match pointer.pointer() {
        Some((target, offset)) => {
            let sum = diff.wrap(i128::from(offset) + i128::from(bytes));
            match target {
                Target::Nothing => Value::at(target, sum as i64),
                _ => Value::at(target, diff.value(sum) as i64),
            }
        }
        None if bytes == 0 => pointer,
        None => Value::Opaque,
    }
}
