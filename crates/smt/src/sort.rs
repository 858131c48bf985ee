//! Sorts of terms.

use std::fmt;

use crate::term::Terms;

/// Array sorts are kept in a table of [`Terms`], so that a sort is a small value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    Bool,
    /// Of 1 to 128 bits.
    BitVec(u32),
    Int,
    Array(ArraySort),
}

/// See [`Terms::array_sort`] and [`Terms::array_parts`].
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

impl Terms {
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Sort {
        Sort::Array(ArraySort(self.arrays.insert_full((index, element)).0 as u32))
    }

    /// The sorts of the indices and of the elements.
    pub fn array_parts(&self, sort: Sort) -> (Sort, Sort) {
        match sort {
            Sort::Array(array) => self.arrays[array.0 as usize],
            other => panic!("an array is expected, not {other:?}"),
        }
    }

    /// The sort as SMT-LIB text.
    pub fn show_sort(&self, sort: Sort) -> ShowSort<'_> {
        ShowSort { terms: self, sort }
    }
}

pub struct ShowSort<'a> {
    terms: &'a Terms,
    sort: Sort,
}

impl fmt::Display for ShowSort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(_) => {
                let (index, element) = self.terms.array_parts(self.sort);
                let show = |sort| self.terms.show_sort(sort);
                write!(f, "(Array {} {})", show(index), show(element))
            }
        }
    }
}
