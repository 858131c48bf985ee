//! A class as plain data.

use crate::{Insn, JavaType, Literal, Signature};

#[derive(Clone, Debug)]
pub struct Class {
    /// As class files write it: `java/lang/Thread`, `Main$Worker`.
    pub name: String,
    pub super_class: Option<String>,
    pub interfaces: Vec<String>,
    pub is_interface: bool,
    pub is_abstract: bool,
    /// The name of the source file, without folders.
    pub source: Option<String>,
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: JavaType,
    pub is_static: bool,
    pub is_volatile: bool,
    pub is_final: bool,
    /// The value of a constant.
    pub constant: Option<Literal>,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    pub descriptor: String,
    pub signature: Signature,
    pub is_static: bool,
    pub is_private: bool,
    pub is_synchronized: bool,
    pub is_native: bool,
    pub is_abstract: bool,
    pub code: Option<Code>,
}

/// The body of a method. Places in it are numbers of instructions.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub insns: Vec<Insn>,
    pub handlers: Vec<Handler>,
    /// The line of each instruction; 0 where none is known.
    pub lines: Vec<u32>,
    pub variables: Vec<VariableEntry>,
}

/// Where control goes for an exception that comes from `start..end`.
#[derive(Clone, Debug)]
pub struct Handler {
    pub start: usize,
    pub end: usize,
    pub target: usize,
    /// None catches everything.
    pub class: Option<String>,
}

/// The name of a slot between two places.
#[derive(Clone, Debug)]
pub struct VariableEntry {
    pub start: usize,
    pub end: usize,
    pub slot: u16,
    pub name: String,
    pub ty: JavaType,
}

impl Class {
    /// Whether it stands for a lambda: no file has it.
    pub fn is_lambda(&self) -> bool {
        self.source.is_none() && self.name.contains("$lambda")
    }

    pub fn method(&self, name: &str, descriptor: &str) -> Option<(usize, &Method)> {
        let mut methods = self.methods.iter().enumerate();
        methods.find(|(_, m)| m.name == name && m.descriptor == descriptor)
    }

    pub fn field(&self, name: &str, ty: &JavaType) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name && f.ty == *ty)
    }
}

impl Code {
    /// The variable that a slot is at an instruction.
    pub fn variable(&self, slot: u16, at: usize) -> Option<&VariableEntry> {
        self.variables.iter().find(|v| v.slot == slot && v.start <= at && at < v.end)
    }
}
