//! Side-effect-free expressions over a thread's locals. They never read shared memory: every
//! shared access is an action of its own.

use serde::{Deserialize, Serialize};

use crate::{Float, FloatFn, FloatOp, Int, LocalId, ObjectId, ProcId, Type};

/// A constant scalar. In initial values of objects, and inside expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Const {
    Bool(bool),
    /// The bits above the width are zero.
    Int(u64, Int),
    /// The null pointer.
    Null,
    /// `&object + bytes`. For an object kept per thread: the executing thread's instance.
    Object(ObjectId, i64),
    /// The address of a procedure.
    Proc(ProcId),
    /// The thread identifier that no thread has.
    NoThread,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Expr {
    Const(Const),
    Local(LocalId),
    /// The executing thread.
    Tid,
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Conversion, as in C: integers wrap or extend by the *source's* signedness; to `bool` means
    /// "is not zero / null / none"; `bool` to integer gives 0 or 1. Null converts to 0 and an
    /// integer to a pointer into no object; what a pointer into an object converts to is not known.
    Cast(Type, Box<Expr>),
    /// `condition ? then : otherwise`, both of one type.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Of a bool.
    Not,
    /// Of an integer, wrapping.
    Neg,
    /// Of an integer, bitwise.
    BitNot,
    /// Of the bits of a number of this format, or giving them.
    Float(Float, FloatFn),
}

/// Operands of integer operators have one common type, which is also the result's. Division and
/// remainder truncate; dividing by zero goes wrong (memory fault). A shift count is taken as
/// unsigned; a count of at least the width gives zero, or copies of the sign for `Shr` of a signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// Bitwise on integers, logical on bools; likewise `Or` and `Xor`.
    And,
    Or,
    Xor,
    Shl,
    /// Arithmetic for signed operands, logical for unsigned.
    Shr,
    /// On any one type; the result is bool. Likewise `Ne`.
    Eq,
    Ne,
    /// On integers and on pointers; the result is bool. Likewise `Le`, `Gt`, `Ge`.
    Lt,
    Le,
    Gt,
    Ge,
    /// pointer + integer (bytes, `diff_type`), giving a pointer.
    PtrAdd,
    /// pointer - pointer in bytes, giving `diff_type`; both must point into one object.
    PtrSub,
    /// Whether the exact result leaves the operands' type; the result is bool.
    AddOverflows,
    SubOverflows,
    MulOverflows,
    /// On the bits of numbers of this format; the result is bits of that format, or bool.
    Float(Float, FloatOp),
}

impl UnaryOp {
    /// The type of the result for an operand that fits.
    pub fn result(self, operand: Type) -> Type {
        match self {
            UnaryOp::Not => Type::Bool,
            UnaryOp::Neg | UnaryOp::BitNot => operand,
            UnaryOp::Float(format, function) => Type::Int(format.result(function)),
        }
    }
}

impl BinaryOp {
    /// All on integers and pointers.
    pub const ALL: [BinaryOp; 21] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::PtrAdd,
        BinaryOp::PtrSub,
        BinaryOp::AddOverflows,
        BinaryOp::SubOverflows,
        BinaryOp::MulOverflows,
    ];

    /// Comparison or overflow test: the result is bool whatever the operands are.
    pub fn is_test(self) -> bool {
        use BinaryOp::*;
        match self {
            Eq | Ne | Lt | Le | Gt | Ge | AddOverflows | SubOverflows | MulOverflows => true,
            Float(_, op) => op.is_test(),
            _ => false,
        }
    }
}

impl Const {
    pub fn int(value: i128, int: Int) -> Const {
        Const::Int(int.wrap(value), int)
    }

    pub fn ty(self) -> Type {
        match self {
            Const::Bool(_) => Type::Bool,
            Const::Int(_, int) => Type::Int(int),
            Const::Null | Const::Object(..) | Const::Proc(_) => Type::Ptr,
            Const::NoThread => Type::Thread,
        }
    }

    /// Zero, false, null or none.
    pub fn zero(ty: Type) -> Const {
        match ty {
            Type::Bool => Const::Bool(false),
            Type::Int(int) => Const::Int(0, int),
            Type::Ptr => Const::Null,
            Type::Thread => Const::NoThread,
        }
    }
}

impl Expr {
    pub const TRUE: Expr = Expr::Const(Const::Bool(true));
    pub const FALSE: Expr = Expr::Const(Const::Bool(false));
    pub const NULL: Expr = Expr::Const(Const::Null);

    pub fn int(value: i128, int: Int) -> Expr {
        Expr::Const(Const::int(value, int))
    }

    /// The object that an address leads into, where that is a constant, whatever the offset.
    pub fn base(&self) -> Option<ObjectId> {
        match self {
            Expr::Const(Const::Object(object, _)) => Some(*object),
            Expr::Binary(BinaryOp::PtrAdd, pointer, _) => pointer.base(),
            _ => None,
        }
    }

    /// The bytes that an address adds to what it is reached from, as far as they are constants.
    pub fn constant_part(&self) -> i64 {
        match self {
            Expr::Const(Const::Object(_, offset)) => *offset,
            Expr::Binary(BinaryOp::PtrAdd, pointer, offset) => {
                let own = match &**offset {
                    Expr::Const(Const::Int(bits, int)) => {
                        i64::try_from(int.value(*bits)).unwrap_or(0)
                    }
                    _ => 0,
                };
                pointer.constant_part().wrapping_add(own)
            }
            _ => 0,
        }
    }

    /// The pointers that an address is reached from, and the numbers of elements in it: what formulas
    /// about all elements have to speak of, for something to be known of what is there.
    pub fn parts_of_address(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        let mut at = self;
        while let Expr::Binary(BinaryOp::PtrAdd, pointer, offset) = at {
            found.extend(offset.element_numbers());
            if !matches!(**pointer, Expr::Const(_)) {
                found.push(&**pointer);
            }
            at = pointer;
        }
        found
    }

    /// The number of an element in a distance, before and behind conversions.
    fn element_numbers(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) => Vec::new(),
            Expr::Binary(BinaryOp::Mul, index, size) if matches!(**size, Expr::Const(_)) => {
                index.element_numbers()
            }
            Expr::Cast(_, inner) => [self].into_iter().chain(inner.element_numbers()).collect(),
            _ => vec![self],
        }
    }

    pub fn object(object: ObjectId) -> Expr {
        Expr::Const(Const::Object(object, 0))
    }

    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn cast(ty: Type, operand: Expr) -> Expr {
        Expr::Cast(ty, Box::new(operand))
    }

    pub fn ite(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Ite(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    /// Negation, pushed into comparisons and double negations.
    // A name that every caller reads at once; `!` would hide that an expression is built.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Expr {
        use BinaryOp::*;
        match self {
            Expr::Const(Const::Bool(b)) => Expr::Const(Const::Bool(!b)),
            Expr::Unary(UnaryOp::Not, operand) => *operand,
            Expr::Binary(op, left, right) => {
                let negated = match op {
                    Eq => Ne,
                    Ne => Eq,
                    Lt => Ge,
                    Le => Gt,
                    Gt => Le,
                    Ge => Lt,
                    _ => return Expr::unary(UnaryOp::Not, Expr::Binary(op, left, right)),
                };
                Expr::Binary(negated, left, right)
            }
            other => Expr::unary(UnaryOp::Not, other),
        }
    }

    /// Calls `f` on this expression and on all below it, parents first.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        match self {
            Expr::Const(_) | Expr::Local(_) | Expr::Tid => {}
            Expr::Unary(_, a) | Expr::Cast(_, a) => a.walk(f),
            Expr::Binary(_, a, b) => {
                a.walk(f);
                b.walk(f);
            }
            Expr::Ite(a, b, c) => {
                a.walk(f);
                b.walk(f);
                c.walk(f);
            }
        }
    }

    /// Rebuilds the expression bottom-up, passing every node through `f`.
    pub fn map(self, f: &mut impl FnMut(Expr) -> Expr) -> Expr {
        let rebuilt = match self {
            Expr::Const(_) | Expr::Local(_) | Expr::Tid => self,
            Expr::Unary(op, a) => Expr::unary(op, a.map(f)),
            Expr::Cast(ty, a) => Expr::cast(ty, a.map(f)),
            Expr::Binary(op, a, b) => Expr::binary(op, a.map(f), b.map(f)),
            Expr::Ite(a, b, c) => Expr::ite(a.map(f), b.map(f), c.map(f)),
        };
        f(rebuilt)
    }

    /// The locals that it reads, each as often as it occurs.
    pub fn locals(&self) -> Vec<LocalId> {
        let mut found = Vec::new();
        self.walk(&mut |e| {
            if let Expr::Local(local) = e {
                found.push(*local);
            }
        });
        found
    }
}
