//! Java's class files: where they are found, how they are read, and the few instructions that their
//! bytecode comes down to.
//!
//! `javac` makes class files of the user's sources; `path` finds classes by their names in folders,
//! in jars and in the JDK's own modules; `read` takes one apart with the crate `cafebabe` and gives
//! it as plain data (`class`), its bytecode as [`Insn`]s (`code`, `decode`). Nothing here knows what
//! a program means.

mod class;
mod code;
mod decode;
mod descriptor;
mod dynamic;
mod javac;
mod literal;
mod path;
mod read;

pub use class::{Class, Code, Field, Handler, Method, VariableEntry};
pub use code::{
    Arith, CallKind, Compare, Dynamic, FieldRef, Handle, HandleKind, Insn, Lambda, Literal,
    MethodRef, Shift, StackOp,
};
pub use descriptor::{Element, JavaType, Kind, Signature};
pub use javac::{Jdk, MissingJdk};
pub use path::ClassPath;
pub use read::{Unreadable, read_class};
