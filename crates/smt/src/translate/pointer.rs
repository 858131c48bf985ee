//! Pointers, threads, equality.

use selvedge_ir::BinaryOp;

use super::{Arithmetic, Need, Num, Pointer, Range, Val, Work};
use crate::term::Term;

impl Work<'_> {
    pub fn equal(&mut self, left: Val, right: Val) -> Term {
        match (left, right) {
            (Val::Bool(a), Val::Bool(b)) | (Val::Thread(a), Val::Thread(b)) => self.terms.eq(a, b),
            (Val::Ptr(a), Val::Ptr(b)) => {
                let object = self.terms.eq(a.object, b.object);
                let offset = self.terms.eq(a.offset, b.offset);
                self.terms.and(&[object, offset])
            }
            // An integer made of an address is zero only for null; more is not known.
            (Val::Kept(kept, _), other) if self.is_zero(&other) => self.is_none(&kept),
            (other, Val::Kept(kept, _)) if self.is_zero(&other) => self.is_none(&kept),
            (Val::Kept(a, _), Val::Kept(b, _)) if a.same_kind(&b) => {
                self.oblige_comparable(&a, &b);
                self.equal(*a, *b)
            }
            (a, b) => {
                let (a, b) = (self.as_num(a), self.as_num(b));
                self.terms.eq(a.term, b.term)
            }
        }
    }

    /// Whether the address of an object is a given number other than zero is not known.
    fn oblige_comparable(&mut self, a: &Val, b: &Val) {
        if let (Val::Ptr(x), Val::Ptr(y)) = (a, b) {
            let none = self.id(0);
            let (x, y) = (self.terms.eq(x.object, none), self.terms.eq(y.object, none));
            let alike = self.terms.eq(x, y);
            let (null, also_null) = (self.is_none(a), self.is_none(b));
            let comparable = self.terms.or(&[alike, null, also_null]);
            self.oblige(Need::Known, comparable);
        }
    }

    fn is_zero(&self, value: &Val) -> bool {
        matches!(value, Val::Int(num) if num.range == Range::exactly(0))
    }

    /// Null, or no thread.
    pub fn is_none(&mut self, value: &Val) -> Term {
        match value {
            Val::Ptr(pointer) => {
                let (none, zero) = (self.id(0), self.offset(0));
                let object = self.terms.eq(pointer.object, none);
                let offset = self.terms.eq(pointer.offset, zero);
                self.terms.and(&[object, offset])
            }
            Val::Thread(thread) => {
                let none = self.id(0);
                self.terms.eq(*thread, none)
            }
            other => panic!("{other:?} is neither a pointer nor a thread"),
        }
    }

    pub fn as_pointer(&self, value: Val) -> Pointer {
        match value {
            Val::Ptr(pointer) => pointer,
            other => panic!("{other:?} where a checked program has a pointer"),
        }
    }

    fn oblige_same_object(&mut self, a: Pointer, b: Pointer) {
        let same = self.terms.eq(a.object, b.object);
        self.oblige(Need::SameObject, same);
    }

    /// Signed inside an object; numbers that are no objects compare as addresses, unsigned.
    pub fn compare_pointers(&mut self, op: BinaryOp, a: Pointer, b: Pointer) -> Term {
        self.oblige_same_object(a, b);
        let none = self.id(0);
        let address = self.terms.eq(a.object, none);
        let (signed, unsigned) = if self.types.arithmetic == Arithmetic::Bits {
            let signed = self.compare_bits(op, a.offset, b.offset, true);
            (signed, self.compare_bits(op, a.offset, b.offset, false))
        } else {
            let signed = self.compare_int(op, a.offset, b.offset);
            let (x, y) = (self.unsigned(a.offset), self.unsigned(b.offset));
            (signed, self.compare_int(op, x, y))
        };
        self.terms.ite(address, unsigned, signed)
    }

    /// An offset as an address.
    pub fn unsigned(&mut self, offset: Term) -> Term {
        let width = self.types.offset_int().width;
        let (zero, modulus) = (self.terms.int(0), self.terms.int(1i128 << width));
        let negative = self.terms.lt(offset, zero);
        let wrapped = self.terms.add(&[offset, modulus]);
        self.terms.ite(negative, wrapped, offset)
    }

    pub fn move_pointer(&mut self, pointer: Pointer, bytes: Num) -> Pointer {
        let offset = self.offset_num(pointer.offset);
        let offset = self.arithmetic(BinaryOp::Add, offset, bytes).term;
        Pointer { object: pointer.object, offset }
    }

    pub fn distance(&mut self, a: Pointer, b: Pointer) -> Num {
        self.oblige_same_object(a, b);
        let (a, b) = (self.offset_num(a.offset), self.offset_num(b.offset));
        self.arithmetic(BinaryOp::Sub, a, b)
    }

    /// An offset as an integer of its type.
    pub fn offset_num(&mut self, offset: Term) -> Num {
        let int = self.types.offset_int();
        let constant = self.terms.int_of(offset).and_then(|value| i128::try_from(value).ok());
        let range = match (self.types.arithmetic, constant) {
            (Arithmetic::Integers(_), Some(value)) => Range::exactly(value),
            (Arithmetic::Math, _) => Range(None),
            _ => Range::of(int),
        };
        Num { term: offset, int, range }
    }
}
