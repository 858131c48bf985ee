//! Sorts of terms.

/// Array sorts are kept in a table beside the terms, so that a sort is a small value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    Bool,
    /// Of 1 to 128 bits.
    BitVec(u32),
    Int,
    Array(ArraySort),
}

/// An entry of that table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArraySort(pub(crate) u32);

/// Wider bit-vectors do not occur: the widest is the product of two 64-bit values.
pub const MAX_WIDTH: u32 = 128;

impl Sort {
    pub(crate) fn width(self) -> u32 {
        match self {
            Sort::BitVec(width) => width,
            other => panic!("a bit-vector is expected, not {other:?}"),
        }
    }
}
