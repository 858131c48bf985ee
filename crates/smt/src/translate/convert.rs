//! Conversions between types.

use selvedge_ir::{Int, Type};

use super::{Arithmetic, Need, Num, Pointer, Range, Val, Work};
use crate::term::Term;

/// A bool as an integer: 0 or 1.
const TRUTH: Int = Int::U8;

impl Work<'_> {
    pub fn cast(&mut self, to: Type, value: Val) -> Val {
        match (to, value) {
            (Type::Bool, value) => Val::Bool(self.truth(value)),
            (Type::Int(to), value) => self.cast_to_int(to, value),
            (Type::Ptr, Val::Ptr(pointer)) => Val::Ptr(pointer),
            (Type::Thread, Val::Thread(thread)) => Val::Thread(thread),
            (Type::Ptr, Val::Kept(kept, _)) if matches!(*kept, Val::Ptr(_)) => *kept,
            (Type::Thread, Val::Kept(kept, _)) if matches!(*kept, Val::Thread(_)) => *kept,
            (Type::Ptr, value) => {
                let number = match value {
                    thread @ Val::Thread(_) => self.known_number(thread, self.types.offset_int()),
                    number => self.as_num(number),
                };
                let offset = self.convert(number, self.types.offset_int()).term;
                Val::Ptr(Pointer { object: self.id(0), offset })
            }
            (Type::Thread, value) => {
                // Only "none" has a number.
                let some = self.truth(value);
                let none = self.terms.not(some);
                self.oblige(Need::Known, none);
                Val::Thread(self.id(0))
            }
        }
    }

    /// "Is not zero, null or none."
    pub fn truth(&mut self, value: Val) -> Term {
        match value {
            Val::Bool(term) => term,
            Val::Int(number) => {
                let zero = self.number(0, number.int).term;
                self.terms.ne(number.term, zero)
            }
            Val::Kept(kept, _) => self.truth(*kept),
            value => {
                let none = self.is_none(&value);
                self.terms.not(none)
            }
        }
    }

    fn cast_to_int(&mut self, to: Int, value: Val) -> Val {
        let pointer_width = self.types.offset_int().width;
        match value {
            value @ (Val::Ptr(_) | Val::Thread(_)) if to.width >= pointer_width => {
                Val::Kept(Box::new(value), to)
            }
            Val::Kept(kept, _) if to.width >= pointer_width => Val::Kept(kept, to),
            Val::Kept(kept, _) => self.cast_to_int(to, *kept),
            value @ (Val::Ptr(_) | Val::Thread(_)) => Val::Int(self.known_number(value, to)),
            value => {
                let number = self.as_num(value);
                Val::Int(self.convert(number, to))
            }
        }
    }

    /// An integer, whatever was kept in it.
    pub fn as_num(&mut self, value: Val) -> Num {
        match value {
            Val::Int(number) => number,
            Val::Kept(kept, int) => self.known_number(*kept, int),
            Val::Bool(term) => {
                let (one, zero) = (self.number(1, TRUTH).term, self.number(0, TRUTH).term);
                let term = self.terms.ite(term, one, zero);
                Num { term, int: TRUTH, range: Range(Some((0, 1))) }
            }
            other => panic!("{other:?} where a checked program has an integer"),
        }
    }

    /// The number of a pointer that points into no object, and of no thread.
    fn known_number(&mut self, value: Val, to: Int) -> Num {
        let none = self.id(0);
        match value {
            Val::Ptr(pointer) => {
                let address = self.terms.eq(pointer.object, none);
                self.oblige(Need::Known, address);
                let number = self.address(pointer.offset, to);
                self.convert(number, to)
            }
            Val::Thread(thread) => {
                let no_thread = self.terms.eq(thread, none);
                self.oblige(Need::Known, no_thread);
                self.number(0, to)
            }
            other => panic!("{other:?} is neither a pointer nor a thread"),
        }
    }

    /// The offset of a pointer into no object as an integer of the width of a pointer. An address
    /// is unsigned, which makes a difference only where it is widened.
    fn address(&mut self, offset: Term, to: Int) -> Num {
        let number = self.offset_num(offset);
        let unsigned = Int { signed: false, ..number.int };
        match self.types.arithmetic {
            Arithmetic::Bits => Num { int: unsigned, ..number },
            Arithmetic::Integers(_) if to.width > unsigned.width => {
                Num { term: self.unsigned(offset), int: unsigned, range: Range::of(unsigned) }
            }
            Arithmetic::Integers(_) | Arithmetic::Math => number,
        }
    }

    /// Between integers: wraps, or extends by the source's signedness.
    pub fn convert(&mut self, number: Num, to: Int) -> Num {
        match self.types.arithmetic {
            Arithmetic::Bits => {
                let term = self.resize(number.term, u32::from(to.width), number.int.signed);
                let range = if number.range.within(to) { number.range } else { Range::of(to) };
                Num { term, int: to, range }
            }
            Arithmetic::Integers(_) => self.fit(number.term, to, number.range),
            Arithmetic::Math => Num { int: to, ..number },
        }
    }
}
