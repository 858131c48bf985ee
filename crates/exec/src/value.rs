//! Values of scalars: what locals and memory cells hold.
//!
//! A value does not carry its type; where it stands says what it is. Most are machine words. An
//! input that no one has looked at yet is a *symbol* plus a constant, see [`crate::Symbol`].

use std::fmt;

use selvedge_ir::{ObjectId, ProcId};
use serde::{Deserialize, Serialize};

/// A thread of a state: 0 is no thread, n is the n-th created.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ThreadId(pub u32);

impl ThreadId {
    pub const NONE: ThreadId = ThreadId(0);

    /// Of the thread at this place in `State::threads`.
    pub fn from_index(index: usize) -> ThreadId {
        ThreadId(index as u32 + 1)
    }

    /// Its place in `State::threads`; none for [`ThreadId::NONE`].
    pub fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { f.write_str("none") } else { write!(f, "T{}", self.0) }
    }
}

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Null and integers converted to pointers: the offset is the address.
    Nothing,
    /// A shared global variable.
    Static(ObjectId),
    /// The object at this place in `State::heap`: allocated memory, or an instance of a variable
    /// kept per thread.
    Heap(u32),
}

/// A scalar. Sixteen bytes, so that states copy fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Integers and bools; bits above the type's width are zero.
    Int(u64),
    Null,
    /// An address that is a number: an integer converted to a pointer. Never 0.
    Address(u64),
    /// Into a global variable, at a byte offset.
    Static(ObjectId, i64),
    /// Into the object at this place in `State::heap`, at a byte offset.
    Heap(u32, i64),
    Proc(ProcId),
    Thread(ThreadId),
    /// The symbol's value plus a constant, modulo 2^64. At the type of the place where it stands,
    /// which has this many bits, no value of the symbol's interval wraps. The width of a number
    /// that was converted to a pointer has [`POINTER`] added.
    Symbol {
        id: SymbolId,
        width: u8,
        plus: i64,
    },
    /// An integer that depends on the address of an object or on a thread's number, which the
    /// semantics leaves open. It may be copied and computed with, but not decided upon.
    Opaque,
}

/// Marks the width of a symbol that stands where a pointer is.
pub const POINTER: u8 = 0x80;

/// An index into `State::symbols`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

impl SymbolId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Value {
    pub const FALSE: Value = Value::Int(0);
    pub const TRUE: Value = Value::Int(1);
    pub const NO_THREAD: Value = Value::Thread(ThreadId::NONE);

    pub fn bool(b: bool) -> Value {
        Value::Int(u64::from(b))
    }

    /// All of its bytes are zero, whatever its type.
    pub fn is_zero(self) -> bool {
        matches!(self, Value::Int(0) | Value::Null | Value::NO_THREAD)
    }

    /// The target and offset, of a pointer.
    pub fn pointer(self) -> Option<(Target, i64)> {
        match self {
            Value::Null => Some((Target::Nothing, 0)),
            Value::Address(bits) => Some((Target::Nothing, bits as i64)),
            Value::Static(object, offset) => Some((Target::Static(object), offset)),
            Value::Heap(index, offset) => Some((Target::Heap(index), offset)),
            _ => None,
        }
    }

    /// The pointer to an offset of a target.
    pub fn at(target: Target, offset: i64) -> Value {
        match target {
            Target::Nothing if offset == 0 => Value::Null,
            Target::Nothing => Value::Address(offset as u64),
            Target::Static(object) => Value::Static(object, offset),
            Target::Heap(index) => Value::Heap(index, offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_two_words() {
        assert_eq!(std::mem::size_of::<Value>(), 16);
    }

    #[test]
    fn pointers_take_apart_and_together() {
        for value in [Value::Null, Value::Address(7), Value::Heap(3, -8)] {
            let (target, offset) = value.pointer().unwrap();
            assert_eq!(Value::at(target, offset), value);
        }
        assert_eq!(Value::Int(0).pointer(), None);
    }
}
