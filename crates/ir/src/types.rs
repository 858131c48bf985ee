//! Types of scalar values, and the data model that fixes their sizes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A machine integer of 1 to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Int {
    pub width: u8,
    pub signed: bool,
}

impl Int {
    pub const I8: Int = Int { width: 8, signed: true };
    pub const U8: Int = Int { width: 8, signed: false };
    pub const I16: Int = Int { width: 16, signed: true };
    pub const U16: Int = Int { width: 16, signed: false };
    pub const I32: Int = Int { width: 32, signed: true };
    pub const U32: Int = Int { width: 32, signed: false };
    pub const I64: Int = Int { width: 64, signed: true };
    pub const U64: Int = Int { width: 64, signed: false };

    /// The bits that a value of this type uses, as a mask over u64.
    pub fn mask(self) -> u64 {
        if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    /// The mathematical value of `bits` read at this type.
    pub fn value(self, bits: u64) -> i128 {
        let bits = bits & self.mask();
        if self.signed && bits >> (self.width - 1) & 1 == 1 {
            bits as i128 - (1i128 << self.width)
        } else {
            bits as i128
        }
    }

    /// `value` reduced modulo 2^width, as bits (the unused high bits are zero).
    pub fn wrap(self, value: i128) -> u64 {
        value as u64 & self.mask()
    }

    pub fn min(self) -> i128 {
        if self.signed { -(1i128 << (self.width - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        if self.signed { (1i128 << (self.width - 1)) - 1 } else { (1i128 << self.width) - 1 }
    }

    /// Bytes that it takes in memory: the least power of two that holds the width.
    pub fn size(self) -> u64 {
        u64::from(self.width).div_ceil(8).next_power_of_two()
    }
}

/// The type of a scalar value. Aggregates exist only as layouts of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    Bool,
    Int(Int),
    /// A pointer to data or to a procedure; what it points to is not part of its type.
    Ptr,
    /// A thread identifier, or none. Not an integer, so that threads can be renamed (symmetry).
    Thread,
}

impl Type {
    /// Bytes in memory.
    pub fn size(self, model: DataModel) -> u64 {
        match self {
            Type::Bool => 1,
            Type::Int(int) => int.size(),
            Type::Ptr | Type::Thread => model.pointer_bytes(),
        }
    }

    pub fn as_int(self) -> Option<Int> {
        match self {
            Type::Int(int) => Some(int),
            _ => None,
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.width)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int(int) => int.fmt(f),
            Type::Ptr => f.write_str("ptr"),
            Type::Thread => f.write_str("thread"),
        }
    }
}

/// Sizes of C's types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DataModel {
    /// 64-bit `long` and pointers.
    #[default]
    Lp64,
    /// 32-bit `int`, `long` and pointers.
    Ilp32,
}

impl DataModel {
    pub fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        }
    }

    /// `size_t`.
    pub fn size_type(self) -> Int {
        Int { width: self.pointer_bytes() as u8 * 8, signed: false }
    }

    /// `ptrdiff_t`.
    pub fn diff_type(self) -> Int {
        Int { width: self.pointer_bytes() as u8 * 8, signed: true }
    }
}

/// Whether a value of one type converts to another. Threads convert only to bool and to integers,
/// and nothing converts to a thread.
pub fn convertible(from: Type, to: Type) -> bool {
    from == to || !matches!((from, to), (_, Type::Thread) | (Type::Thread, Type::Ptr))
}
