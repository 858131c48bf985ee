//! Plato's expressions as terms.
//!
//! Three arithmetics. `Bits` is exact: integers are bit-vectors. `Integers` is exact as well, with
//! integers for the mathematical values; where an operation can leave its type, either the terms
//! wrap around explicitly, or they do not and "it does not wrap" is an obligation beside the term.
//! `Math` is not exact: integers have no bounds and conversions between them do nothing.
//!
//! A pointer is an object and a byte offset in it. Object 0 is no object: null is (0, 0), and an
//! integer converted to a pointer is (0, the integer). The other numbers are in [`Objects`]. The
//! offset is of the data model's `ptrdiff_t`; as an integer it is the signed value. A thread is its
//! number, 0 for none. Numbers of objects and threads are bit-vectors of [`ID_BITS`] bits, or
//! integers.
//!
//! Floating point is exact in comparisons, where operands are constants, and in `Bits` but for
//! square roots and remainders; other results are any value, listed in [`Translated::unknowns`].
//!
//! What an operation needs for its result to mean something, or not to go wrong, comes out as an
//! [`Obligation`]. An obligation below a choice is under the choice's condition.

mod bits;
mod convert;
mod float;
mod int;
mod pointer;
#[cfg(test)]
mod tests;
mod types;

use selvedge_ir::{
    BinaryOp, Const, Expr, Int, LocalId, ObjectId, Procedure, Program, Sharing, Type, UnaryOp,
};

use crate::sort::Sort;
use crate::term::{Term, Terms};

pub use types::{Concrete, Objects, Sym, Types};

/// Width of the numbers of objects and threads in `Bits`.
pub const ID_BITS: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Bits,
    Integers(Wrap),
    Math,
}

/// What an integer operation does that may leave its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// The exact result, with the obligation that it is in range. All terms are right as long as
    /// the obligations hold.
    Obliged,
    /// The result modulo two to the width.
    Modular,
}

/// A condition beside a translated expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub kind: Need,
    pub holds: Term,
}

/// What an obligation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// The divisor is not zero. Otherwise: a memory fault.
    Divisor,
    /// Two pointers that are compared or subtracted point into one object. Otherwise: a fault.
    SameObject,
    /// The value does not depend on the address of an object or the number of a thread, which the
    /// semantics leaves open. Otherwise: no verdict.
    Known,
    /// An integer stays in its type ([`Wrap::Obliged`]). Otherwise: the term is wrong.
    NoWrap,
}

/// Where an expression stands: the terms of what it reads.
pub trait Scope {
    fn local(&mut self, local: LocalId) -> Sym;
    /// The executing thread.
    fn thread(&mut self) -> Term;
    /// The number of the executing thread's instance of an object that every thread has.
    fn own_object(&mut self, object: ObjectId) -> Term;
}

#[derive(Clone, Debug)]
pub struct Translated {
    pub value: Sym,
    pub obligations: Vec<Obligation>,
    /// Variables made for values of which only the type is known. Each stands for one evaluation.
    pub unknowns: Vec<(Sym, Type)>,
}

/// Translates expressions of one procedure.
pub struct Translator<'a> {
    pub terms: &'a mut Terms,
    pub types: Types,
    pub objects: Objects,
    program: &'a Program,
    procedure: &'a Procedure,
}

impl<'a> Translator<'a> {
    pub fn new(
        terms: &'a mut Terms,
        program: &'a Program,
        procedure: &'a Procedure,
        arithmetic: Arithmetic,
    ) -> Translator<'a> {
        Translator {
            terms,
            types: Types { arithmetic, model: program.model },
            objects: Objects::new(program),
            program,
            procedure,
        }
    }

    pub fn translate(&mut self, expr: &Expr, scope: &mut dyn Scope) -> Translated {
        let path = self.terms.bool(true);
        let mut work = Work {
            terms: &mut *self.terms,
            types: self.types,
            objects: self.objects,
            program: self.program,
            procedure: self.procedure,
            scope,
            path,
            obligations: Vec::new(),
            unknowns: Vec::new(),
        };
        let value = work.expr(expr);
        let value = work.as_sym(value);
        Translated { value, obligations: work.obligations, unknowns: work.unknowns }
    }
}

/// A value under way, with its Plato type.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Bool(Term),
    Int(Num),
    Ptr(Pointer),
    Thread(Term),
    /// A pointer or a thread kept in an integer that is as wide: it can be turned back and
    /// compared with zero, but has no known number unless it is none.
    Kept(Box<Val>, Int),
}

impl Val {
    fn same_kind(&self, other: &Val) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Num {
    pub term: Term,
    pub int: Int,
    /// Bounds of the mathematical value, where they are known to be tighter than nothing.
    pub range: Range,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub object: Term,
    pub offset: Term,
}

/// Bounds of a value; none where it may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range(pub Option<(i128, i128)>);

pub(crate) struct Work<'a> {
    pub terms: &'a mut Terms,
    pub types: Types,
    objects: Objects,
    program: &'a Program,
    procedure: &'a Procedure,
    scope: &'a mut dyn Scope,
    /// The conditions of the choices around.
    path: Term,
    obligations: Vec<Obligation>,
    unknowns: Vec<(Sym, Type)>,
}

impl Work<'_> {
    fn expr(&mut self, expr: &Expr) -> Val {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.expr_here(expr))
    }

    fn expr_here(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Const(constant) => self.constant(*constant),
            Expr::Local(local) => {
                let ty = self.procedure.locals[*local].ty;
                let sym = self.scope.local(*local);
                self.val(sym, ty)
            }
            Expr::Tid => Val::Thread(self.scope.thread()),
            Expr::Unary(op, operand) => {
                let operand = self.expr(operand);
                self.unary(*op, operand)
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.binary(*op, left, right)
            }
            Expr::Cast(ty, operand) => {
                let operand = self.expr(operand);
                self.cast(*ty, operand)
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let condition = self.truth(condition);
                let then = self.under(condition, then);
                let not = self.terms.not(condition);
                let otherwise = self.under(not, otherwise);
                self.choose(condition, then, otherwise)
            }
        }
    }

    /// An expression that is evaluated only where the condition holds.
    fn under(&mut self, condition: Term, expr: &Expr) -> Val {
        let outer = self.path;
        self.path = self.terms.and(&[outer, condition]);
        let value = self.expr(expr);
        self.path = outer;
        value
    }

    pub fn oblige(&mut self, kind: Need, condition: Term) {
        let holds = self.terms.implies(self.path, condition);
        let obligation = Obligation { kind, holds };
        let trivial = holds == self.terms.bool(true);
        if !trivial && !self.obligations.contains(&obligation) {
            self.obligations.push(obligation);
        }
    }

    fn constant(&mut self, constant: Const) -> Val {
        let pointer = |object, offset| Val::Ptr(Pointer { object, offset });
        match constant {
            Const::Bool(b) => Val::Bool(self.terms.bool(b)),
            Const::Int(bits, int) => Val::Int(self.number(int.value(bits), int)),
            Const::Null => {
                let (none, zero) = (self.id(0), self.offset(0));
                pointer(none, zero)
            }
            Const::Object(object, offset) => {
                let number = match self.program.objects[object].sharing {
                    Sharing::Shared => self.id(self.objects.object(object)),
                    Sharing::PerThread => self.scope.own_object(object),
                };
                let offset = self.offset(offset);
                pointer(number, offset)
            }
            Const::Proc(procedure) => {
                let (number, zero) = (self.id(self.objects.procedure(procedure)), self.offset(0));
                pointer(number, zero)
            }
            Const::NoThread => Val::Thread(self.id(0)),
        }
    }

    /// The number of an object or thread.
    fn id(&mut self, number: u32) -> Term {
        match self.types.id_sort() {
            Sort::Int => self.terms.int(number),
            _ => self.terms.bv(u128::from(number), ID_BITS),
        }
    }

    fn offset(&mut self, bytes: i64) -> Term {
        self.number(i128::from(bytes), self.types.offset_int()).term
    }

    fn unary(&mut self, op: UnaryOp, operand: Val) -> Val {
        match (op, operand) {
            (UnaryOp::Not, Val::Bool(a)) => Val::Bool(self.terms.not(a)),
            (_, operand) => {
                let a = self.as_num(operand);
                Val::Int(match op {
                    UnaryOp::Neg => self.neg(a),
                    UnaryOp::BitNot => self.bit_not(a),
                    UnaryOp::Float(format, function) => self.float_unary(format, function, a),
                    UnaryOp::Not => panic!("`not` of an integer in a checked program"),
                })
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Val, right: Val) -> Val {
        use BinaryOp::*;
        match (op, left, right) {
            (Eq, left, right) => Val::Bool(self.equal(left, right)),
            (Ne, left, right) => {
                let equal = self.equal(left, right);
                Val::Bool(self.terms.not(equal))
            }
            (And, Val::Bool(a), Val::Bool(b)) => Val::Bool(self.terms.and(&[a, b])),
            (Or, Val::Bool(a), Val::Bool(b)) => Val::Bool(self.terms.or(&[a, b])),
            (Xor, Val::Bool(a), Val::Bool(b)) => Val::Bool(self.terms.xor(a, b)),
            (Lt | Le | Gt | Ge, Val::Ptr(a), Val::Ptr(b)) => {
                Val::Bool(self.compare_pointers(op, a, b))
            }
            (PtrAdd, pointer, bytes) => {
                let (pointer, bytes) = (self.as_pointer(pointer), self.as_num(bytes));
                Val::Ptr(self.move_pointer(pointer, bytes))
            }
            (PtrSub, a, b) => {
                let (a, b) = (self.as_pointer(a), self.as_pointer(b));
                Val::Int(self.distance(a, b))
            }
            (Float(format, op), a, b) => {
                let (a, b) = (self.as_num(a), self.as_num(b));
                self.float_binary(format, op, a, b)
            }
            (Lt | Le | Gt | Ge, a, b) => {
                let (a, b) = (self.as_num(a), self.as_num(b));
                Val::Bool(self.compare(op, &a, &b))
            }
            (AddOverflows | SubOverflows | MulOverflows, a, b) => {
                let (a, b) = (self.as_num(a), self.as_num(b));
                Val::Bool(self.overflows(op, &a, &b))
            }
            (_, a, b) => {
                let (a, b) = (self.as_num(a), self.as_num(b));
                if matches!(op, Div | Rem) {
                    let zero = self.number(0, b.int).term;
                    let nonzero = self.terms.ne(b.term, zero);
                    self.oblige(Need::Divisor, nonzero);
                }
                Val::Int(self.arithmetic(op, a, b))
            }
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Num, b: Num) -> Num {
        match self.types.arithmetic {
            Arithmetic::Bits => self.arithmetic_bits(op, &a, &b),
            Arithmetic::Integers(_) | Arithmetic::Math => self.arithmetic_int(op, a, b),
        }
    }

    fn choose(&mut self, condition: Term, then: Val, otherwise: Val) -> Val {
        match (then, otherwise) {
            (Val::Bool(a), Val::Bool(b)) => Val::Bool(self.terms.ite(condition, a, b)),
            (Val::Thread(a), Val::Thread(b)) => Val::Thread(self.terms.ite(condition, a, b)),
            (Val::Ptr(a), Val::Ptr(b)) => {
                let object = self.terms.ite(condition, a.object, b.object);
                let offset = self.terms.ite(condition, a.offset, b.offset);
                Val::Ptr(Pointer { object, offset })
            }
            (Val::Kept(a, int), Val::Kept(b, _)) if a.same_kind(&b) => {
                Val::Kept(Box::new(self.choose(condition, *a, *b)), int)
            }
            (a, b) => {
                // What the number of a kept pointer is matters only where it is chosen.
                let a = self.num_under(condition, a);
                let not = self.terms.not(condition);
                let b = self.num_under(not, b);
                let term = self.terms.ite(condition, a.term, b.term);
                Val::Int(Num { term, int: a.int, range: a.range.union(b.range) })
            }
        }
    }

    fn num_under(&mut self, condition: Term, value: Val) -> Num {
        let outer = self.path;
        self.path = self.terms.and(&[outer, condition]);
        let number = self.as_num(value);
        self.path = outer;
        number
    }

    fn as_sym(&mut self, value: Val) -> Sym {
        match value {
            Val::Bool(term) | Val::Thread(term) => Sym::Scalar(term),
            Val::Ptr(Pointer { object, offset }) => Sym::Pointer { object, offset },
            value @ (Val::Int(_) | Val::Kept(..)) => Sym::Scalar(self.as_num(value).term),
        }
    }

    fn val(&mut self, sym: Sym, ty: Type) -> Val {
        match (sym, ty) {
            (Sym::Pointer { object, offset }, Type::Ptr) => Val::Ptr(Pointer { object, offset }),
            (Sym::Scalar(term), Type::Bool) => Val::Bool(term),
            (Sym::Scalar(term), Type::Thread) => Val::Thread(term),
            (Sym::Scalar(term), Type::Int(int)) => {
                let range = match self.types.arithmetic {
                    Arithmetic::Math => Range(None),
                    _ => Range::of(int),
                };
                Val::Int(Num { term, int, range })
            }
            (sym, ty) => panic!("{sym:?} is no value of type {ty}"),
        }
    }
}
