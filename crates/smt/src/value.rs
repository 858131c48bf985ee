//! Values: what terms without variables stand for, and what models give to variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::BigInt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Bool(bool),
    Bv(Bits),
    Int(BigInt),
    Array(Arc<ArrayValue>),
}

/// A bit-vector. The bits above the width are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits {
    pub bits: u128,
    pub width: u32,
}

/// A finite map; all other indices have the default. Entries that say the same as the default are
/// left out, so over an unbounded index sort equal maps are equal values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayValue {
    pub default: Value,
    pub entries: BTreeMap<Value, Value>,
}

impl Bits {
    /// Cuts off the bits above the width.
    pub fn new(bits: u128, width: u32) -> Bits {
        Bits { bits: bits & Bits::mask(width), width }
    }

    pub fn mask(width: u32) -> u128 {
        if width >= 128 { u128::MAX } else { (1 << width) - 1 }
    }

    pub fn is_negative(self) -> bool {
        self.bits >> (self.width - 1) & 1 == 1
    }

    /// Read as two's complement.
    pub fn signed(self) -> i128 {
        let unused = 128 - self.width;
        ((self.bits << unused) as i128) >> unused
    }
}

impl ArrayValue {
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    pub fn with(&self, index: Value, element: Value) -> ArrayValue {
        let mut changed = self.clone();
        if element == changed.default {
            changed.entries.remove(&index);
        } else {
            changed.entries.insert(index, element);
        }
        changed
    }
}

impl Value {
    pub fn int(value: impl Into<BigInt>) -> Value {
        Value::Int(value.into())
    }

    pub fn bv(bits: u128, width: u32) -> Value {
        Value::Bv(Bits::new(bits, width))
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_bits(&self) -> Option<Bits> {
        match self {
            Value::Bv(bits) => Some(*bits),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(int) => Some(int),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_reading() {
        assert_eq!(Bits::new(0xff, 8).signed(), -1);
        assert_eq!(Bits::new(0x7f, 8).signed(), 127);
        assert_eq!(Bits::new(u128::MAX, 128).signed(), -1);
        assert_eq!(Bits::new(1, 1).signed(), -1);
    }

    #[test]
    fn maps_forget_what_the_default_says() {
        let empty = ArrayValue { default: Value::int(0), entries: BTreeMap::new() };
        let changed = empty.with(Value::int(3), Value::int(7));
        assert_eq!(changed.get(&Value::int(3)), &Value::int(7));
        assert_eq!(changed.with(Value::int(3), Value::int(0)), empty);
    }
}
