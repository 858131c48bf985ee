//! How values of Plato's types are represented.

use selvedge_ir::{DataModel, Int, ObjectId, ProcId, Program, Type};
use smallvec::{SmallVec, smallvec};

use super::{Arithmetic, ID_BITS, Range};
use crate::answer::Model;
use crate::sort::Sort;
use crate::term::{Term, Terms};
use crate::value::Value;

/// The term or terms of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sym {
    /// Of a bool, an integer or a thread.
    Scalar(Term),
    Pointer {
        object: Term,
        offset: Term,
    },
}

/// A value read from a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concrete {
    Bool(bool),
    /// The bits above the type's width are zero.
    Int(u64),
    /// An object's number (see [`Objects`]) and a byte offset; null is (0, 0).
    Pointer(u32, i64),
    Thread(u32),
}

/// The numbers of what pointers point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objects {
    statics: u32,
    procedures: u32,
}

impl Objects {
    pub fn new(program: &Program) -> Objects {
        Objects {
            statics: program.objects.len() as u32,
            procedures: program.procedures.len() as u32,
        }
    }

    /// Of a global variable that threads share.
    pub fn object(self, object: ObjectId) -> u32 {
        1 + object.as_u32()
    }

    pub fn procedure(self, procedure: ProcId) -> u32 {
        1 + self.statics + procedure.as_u32()
    }

    /// The first number that is free for allocated objects and for instances of objects that each
    /// thread has.
    pub fn first_free(self) -> u32 {
        1 + self.statics + self.procedures
    }

    /// The global variable of a number.
    pub fn as_object(self, number: u32) -> Option<ObjectId> {
        let index = number.checked_sub(1)?;
        (index < self.statics).then(|| ObjectId::from_u32(index))
    }

    pub fn as_procedure(self, number: u32) -> Option<ProcId> {
        let index = number.checked_sub(1 + self.statics)?;
        (index < self.procedures).then(|| ProcId::from_u32(index))
    }
}

/// The representation of every type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types {
    pub arithmetic: Arithmetic,
    pub model: DataModel,
}

impl Types {
    /// Of the numbers of objects and threads.
    pub fn id_sort(self) -> Sort {
        match self.arithmetic {
            Arithmetic::Bits => Sort::BitVec(ID_BITS),
            Arithmetic::Integers(_) | Arithmetic::Math => Sort::Int,
        }
    }

    /// The type of byte offsets.
    pub fn offset_int(self) -> Int {
        self.model.diff_type()
    }

    pub fn int_sort(self, int: Int) -> Sort {
        match self.arithmetic {
            Arithmetic::Bits => Sort::BitVec(u32::from(int.width)),
            Arithmetic::Integers(_) | Arithmetic::Math => Sort::Int,
        }
    }

    /// One sort, or for a pointer those of the object and of the offset.
    pub fn sorts(self, ty: Type) -> SmallVec<[Sort; 2]> {
        match ty {
            Type::Bool => smallvec![Sort::Bool],
            Type::Int(int) => smallvec![self.int_sort(int)],
            Type::Thread => smallvec![self.id_sort()],
            Type::Ptr => smallvec![self.id_sort(), self.int_sort(self.offset_int())],
        }
    }

    /// Variables for a value; a pointer's have `.object` and `.offset` behind the name.
    pub fn variable(self, terms: &mut Terms, name: &str, ty: Type) -> Sym {
        match self.sorts(ty).as_slice() {
            &[object, offset] => Sym::Pointer {
                object: terms.var(&format!("{name}.object"), object),
                offset: terms.var(&format!("{name}.offset"), offset),
            },
            sorts => Sym::Scalar(terms.var(name, sorts[0])),
        }
    }

    /// That the terms are values of the type: with integers for machine words, their bounds.
    pub fn in_range(self, terms: &mut Terms, sym: Sym, ty: Type) -> Term {
        let natural = |terms: &mut Terms, term| {
            let zero = terms.int(0);
            terms.le(zero, term)
        };
        match (self.arithmetic, sym, ty) {
            (Arithmetic::Bits, ..) | (_, _, Type::Bool) => terms.bool(true),
            (Arithmetic::Math, _, Type::Int(_)) => terms.bool(true),
            (_, Sym::Scalar(term), Type::Int(int)) => terms.between(int.min(), term, int.max()),
            (_, Sym::Scalar(term), _) => natural(terms, term),
            (arithmetic, Sym::Pointer { object, offset }, _) => {
                let named = natural(terms, object);
                let int = self.offset_int();
                match arithmetic {
                    Arithmetic::Math => named,
                    _ => {
                        let inside = terms.between(int.min(), offset, int.max());
                        terms.and(&[named, inside])
                    }
                }
            }
        }
    }

    /// The value in a model. None where a value of `Math` is outside the machine's type.
    pub fn concrete(self, terms: &Terms, model: &Model, sym: Sym, ty: Type) -> Option<Concrete> {
        let eval = |term| model.eval(terms, term);
        match (sym, ty) {
            (Sym::Pointer { object, offset }, _) => {
                let offset = bits(&eval(offset), self.offset_int())?;
                let offset = self.offset_int().value(offset) as i64;
                Some(Concrete::Pointer(id(&eval(object))?, offset))
            }
            (Sym::Scalar(term), Type::Bool) => Some(Concrete::Bool(eval(term).as_bool()?)),
            (Sym::Scalar(term), Type::Int(int)) => Some(Concrete::Int(bits(&eval(term), int)?)),
            (Sym::Scalar(term), _) => Some(Concrete::Thread(id(&eval(term))?)),
        }
    }
}

fn bits(value: &Value, int: Int) -> Option<u64> {
    match value {
        Value::Bv(bits) => u64::try_from(bits.bits).ok(),
        Value::Int(exact) => {
            let exact = i128::try_from(exact).ok()?;
            (int.min()..=int.max()).contains(&exact).then(|| int.wrap(exact))
        }
        _ => None,
    }
}

fn id(value: &Value) -> Option<u32> {
    match value {
        Value::Bv(bits) => u32::try_from(bits.bits).ok(),
        Value::Int(number) => u32::try_from(number).ok(),
        _ => None,
    }
}

impl Sym {
    /// Its one or two terms.
    pub fn terms(self) -> SmallVec<[Term; 2]> {
        match self {
            Sym::Scalar(term) => smallvec![term],
            Sym::Pointer { object, offset } => smallvec![object, offset],
        }
    }

    pub fn from_terms(terms: &[Term]) -> Sym {
        match *terms {
            [scalar] => Sym::Scalar(scalar),
            [object, offset] => Sym::Pointer { object, offset },
            _ => panic!("{} terms for one value", terms.len()),
        }
    }

    /// The term of a value that is no pointer.
    pub fn scalar(self) -> Term {
        match self {
            Sym::Scalar(term) => term,
            Sym::Pointer { .. } => panic!("a pointer where a scalar is expected"),
        }
    }

    pub fn equal(self, terms: &mut Terms, other: Sym) -> Term {
        let (a, b) = (self.terms(), other.terms());
        let parts: Vec<Term> = a.iter().zip(&b).map(|(&a, &b)| terms.eq(a, b)).collect();
        terms.and(&parts)
    }

    pub fn ite(self, terms: &mut Terms, condition: Term, otherwise: Sym) -> Sym {
        let (a, b) = (self.terms(), otherwise.terms());
        let parts: SmallVec<[Term; 2]> =
            a.iter().zip(&b).map(|(&a, &b)| terms.ite(condition, a, b)).collect();
        Sym::from_terms(&parts)
    }
}

impl Range {
    pub fn of(int: Int) -> Range {
        Range(Some((int.min(), int.max())))
    }

    pub fn exactly(value: i128) -> Range {
        Range(Some((value, value)))
    }

    pub fn within(self, int: Int) -> bool {
        self.0.is_some_and(|(low, high)| int.min() <= low && high <= int.max())
    }

    pub fn union(self, other: Range) -> Range {
        Range(self.0.zip(other.0).map(|((a, b), (c, d))| (a.min(c), b.max(d))))
    }

    pub fn add(self, other: Range) -> Range {
        self.corners(other, i128::checked_add)
    }

    pub fn sub(self, other: Range) -> Range {
        self.corners(other, i128::checked_sub)
    }

    pub fn mul(self, other: Range) -> Range {
        self.corners(other, i128::checked_mul)
    }

    /// The bounds of an operation that is monotone in each operand.
    fn corners(self, other: Range, f: fn(i128, i128) -> Option<i128>) -> Range {
        let bounds = || {
            let ((a, b), (c, d)) = (self.0?, other.0?);
            let all = [f(a, c)?, f(a, d)?, f(b, c)?, f(b, d)?];
            Some((*all.iter().min()?, *all.iter().max()?))
        };
        Range(bounds())
    }
}
