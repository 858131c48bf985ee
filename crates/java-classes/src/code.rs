//! The instructions of bytecode, with what many opcodes have in common written once.

use crate::{Element, JavaType, Kind, Signature};

#[derive(Clone, Debug)]
pub enum Insn {
    Nop,
    Null,
    Constant(Literal),
    /// A class as a value.
    ClassConstant(String),
    Load(Kind, u16),
    Store(Kind, u16),
    Increment(u16, i16),
    ArrayLoad(Element),
    ArrayStore(Element),
    ArrayLength,
    Stack(StackOp),
    Arith(Kind, Arith),
    Negate(Kind),
    Shift(Kind, Shift),
    Convert(Kind, Kind),
    /// To a byte, char or short and back to an int.
    Narrow(Element),
    /// -1, 0 or 1; the flag is the result where one is not a number.
    CompareTo(Kind, Option<i32>),
    /// Against zero.
    If(Compare, usize),
    IfInts(Compare, usize),
    /// Two references: `Eq` or `Ne`.
    IfSame(bool, usize),
    IfNull(bool, usize),
    Goto(usize),
    Switch {
        cases: Vec<(i32, usize)>,
        default: usize,
    },
    Return(Option<Kind>),
    GetField(FieldRef),
    PutField(FieldRef),
    GetStatic(FieldRef),
    PutStatic(FieldRef),
    Call(CallKind, MethodRef),
    Dynamic(Dynamic),
    New(String),
    NewArray(JavaType),
    /// The array's type, and how many dimensions are given.
    NewArrays(JavaType, u8),
    Throw,
    CheckCast(JavaType),
    InstanceOf(JavaType),
    MonitorEnter,
    MonitorExit,
    /// What no compiler makes any more, or what is not understood.
    Other(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOp {
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    Left,
    Right,
    Unsigned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldRef {
    pub class: String,
    pub name: String,
    pub ty: JavaType,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodRef {
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

impl MethodRef {
    pub fn signature(&self) -> Signature {
        Signature::of(&self.descriptor)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    Static,
    /// Of exactly the method that is named: constructors, private methods, `super`.
    Special,
    /// Of what the object's class has for it.
    Virtual,
}

/// What an `invokedynamic` is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dynamic {
    Lambda(Lambda),
    /// A string made of these operands.
    Concat(Vec<JavaType>),
    Other {
        what: String,
        signature: Signature,
    },
}

/// An object of an interface whose method is another method, with some arguments given before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lambda {
    pub interface: String,
    pub method: String,
    /// Of the interface's method.
    pub descriptor: String,
    /// Of the method as the object's type has it: generics replaced.
    pub instantiated: String,
    pub captured: Vec<JavaType>,
    pub body: Handle,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    pub kind: HandleKind,
    pub method: MethodRef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleKind {
    Static,
    Special,
    Virtual,
    /// Makes an object.
    New,
}

impl Insn {
    /// Where control may go, other than to the next instruction.
    pub fn targets(&self) -> Vec<usize> {
        match self {
            Insn::If(_, to)
            | Insn::IfInts(_, to)
            | Insn::IfSame(_, to)
            | Insn::IfNull(_, to)
            | Insn::Goto(to) => vec![*to],
            Insn::Switch { cases, default } => {
                cases.iter().map(|(_, to)| *to).chain([*default]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether control may go on behind it.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Insn::Goto(_) | Insn::Switch { .. } | Insn::Return(_) | Insn::Throw | Insn::Other(_)
        )
    }
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
}
