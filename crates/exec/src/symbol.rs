//! Inputs whose value is still open.
//!
//! Exploration does not enumerate an input when it appears. It gets a symbol with the interval of
//! its type. Looking at it splits the interval by a choice: a comparison with a constant into the
//! two or three parts where the answer is one, other operations into single values if there are
//! few. Copies share the symbol, so what is learnt of one is learnt of all. A symbol whose interval
//! is one value *is* that value; nothing that refers to it need be rewritten.

use selvedge_ir::{Int, Type};

use crate::value::{POINTER, Value};

/// One open input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    pub domain: Domain,
    /// The least and greatest value that it can still have, both included.
    pub lo: i128,
    pub hi: i128,
    /// Where the input comes from, an index into `Code::sites`. For messages only.
    pub site: u32,
}

/// What kind of value a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// An integer, or a bool with the interval 0..1.
    Int,
    /// A pointer: 0 is null, 1 any other. Only null can be used; other pointers out of nowhere
    /// have no meaning here.
    Pointer,
    /// A thread: 0 is none, 1 any other; likewise.
    Thread,
}

impl Symbol {
    /// An input of which nothing is known.
    pub fn new(ty: Type, site: u32) -> Symbol {
        let (domain, lo, hi) = match ty {
            Type::Bool => (Domain::Int, 0, 1),
            Type::Int(int) => (Domain::Int, int.min(), int.max()),
            Type::Ptr => (Domain::Pointer, 0, 1),
            Type::Thread => (Domain::Thread, 0, 1),
        };
        Symbol { domain, lo, hi, site }
    }

    /// How many values it can have.
    pub fn count(&self) -> u128 {
        (self.hi - self.lo) as u128 + 1
    }

    /// The value of `symbol + plus` at a width, where only one is left.
    pub fn single(&self, width: u8, plus: i64) -> Option<Value> {
        if self.lo != self.hi {
            return None;
        }
        let bits = (self.lo as u64).wrapping_add(plus as u64);
        match self.domain {
            Domain::Int => {
                let bits = bits & Int { width: width & !POINTER, signed: false }.mask();
                Some(match (width & POINTER, bits) {
                    (0, _) => Value::Int(bits),
                    (_, 0) => Value::Null,
                    _ => Value::Address(bits),
                })
            }
            Domain::Pointer if self.lo == 0 => Some(Value::Null),
            Domain::Thread if self.lo == 0 => Some(Value::NO_THREAD),
            Domain::Pointer | Domain::Thread => None,
        }
    }
}

/// The mathematical values, least and greatest, that `symbol + plus` has at an integer type.
pub fn range_at(symbol: &Symbol, plus: i64, int: Int) -> (i128, i128) {
    let bits = (symbol.lo as u64).wrapping_add(plus as u64);
    let lo = if int.signed { i128::from(bits as i64) } else { i128::from(bits) };
    (lo, lo + (symbol.hi - symbol.lo))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_shift_by_the_constant() {
        let symbol = Symbol { domain: Domain::Int, lo: -3, hi: 10, site: 0 };
        assert_eq!(range_at(&symbol, 5, Int::I32), (2, 15));
        assert_eq!(range_at(&symbol, 5, Int::U8), (2, 15));
        assert_eq!(range_at(&symbol, -1, Int::I8), (-4, 9));
    }

    #[test]
    fn one_value_left_is_that_value() {
        let symbol = Symbol { domain: Domain::Int, lo: -3, hi: -3, site: 0 };
        assert_eq!(symbol.single(8, 1), Some(Value::Int(0xfe)));
        assert_eq!(symbol.single(32 | POINTER, 3), Some(Value::Null));
        assert_eq!(symbol.single(32 | POINTER, 4), Some(Value::Address(1)));
        assert_eq!(Symbol::new(Type::Bool, 0).single(1, 0), None);
    }

    #[test]
    fn the_upper_half_of_u64_is_negative_as_i64() {
        let symbol = Symbol { domain: Domain::Int, lo: 1 << 63, hi: (1 << 64) - 1, site: 0 };
        assert_eq!(range_at(&symbol, 0, Int::I64), (-(1 << 63), -1));
        assert_eq!(range_at(&symbol, 0, Int::U64), (1 << 63, (1 << 64) - 1));
    }
}
