//! From the bytes of a class file to a [`Class`].

use std::fmt;

use cafebabe::attributes::{AttributeData, AttributeInfo, CodeData};
use cafebabe::bytecode::ByteCode;
use cafebabe::{ClassAccessFlags, FieldAccessFlags, FieldInfo, MethodAccessFlags, MethodInfo};

use crate::decode::decode;
use crate::dynamic::Bootstrap;
use crate::literal::literal;
use crate::{Class, Code, Field, Handler, JavaType, Method, Signature, VariableEntry};

/// The newest class files that are understood: those of Java 17 and before.
const NEWEST: u16 = 61;

/// A class file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub fn read_class(bytes: &[u8]) -> Result<Class, Unreadable> {
    let file = cafebabe::parse_class(bytes).map_err(|error| Unreadable(error.to_string()))?;
    if file.major_version > NEWEST {
        let version = file.major_version - 44;
        return Err(Unreadable(format!(
            "it is of Java {version}, and class files of up to Java 17 are understood"
        )));
    }
    let bootstrap = Bootstrap::of(&file.attributes);
    let is = |flag| file.access_flags.contains(flag);
    Ok(Class {
        name: file.this_class.to_string(),
        super_class: file.super_class.as_ref().map(|name| name.to_string()),
        interfaces: file.interfaces.iter().map(|name| name.to_string()).collect(),
        is_interface: is(ClassAccessFlags::INTERFACE),
        is_abstract: is(ClassAccessFlags::ABSTRACT),
        source: file.attributes.iter().find_map(source),
        fields: file.fields.iter().map(field).collect(),
        methods: file.methods.iter().map(|one| method(one, &bootstrap)).collect(),
    })
}

fn source(attribute: &AttributeInfo<'_>) -> Option<String> {
    match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.to_string()),
        _ => None,
    }
}

fn field(info: &FieldInfo<'_>) -> Field {
    let is = |flag| info.access_flags.contains(flag);
    let constant = info.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::ConstantValue(value) => literal(value),
        _ => None,
    });
    Field {
        name: info.name.to_string(),
        ty: JavaType::of(&info.descriptor.to_string()),
        is_static: is(FieldAccessFlags::STATIC),
        is_volatile: is(FieldAccessFlags::VOLATILE),
        is_final: is(FieldAccessFlags::FINAL),
        constant,
    }
}

fn method(info: &MethodInfo<'_>, bootstrap: &Bootstrap) -> Method {
    let is = |flag| info.access_flags.contains(flag);
    let descriptor = info.descriptor.to_string();
    let code = info.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::Code(data) => data.bytecode.as_ref().map(|code| body(data, code, bootstrap)),
        _ => None,
    });
    Method {
        name: info.name.to_string(),
        signature: Signature::of(&descriptor),
        descriptor,
        is_static: is(MethodAccessFlags::STATIC),
        is_private: is(MethodAccessFlags::PRIVATE),
        is_synchronized: is(MethodAccessFlags::SYNCHRONIZED),
        is_native: is(MethodAccessFlags::NATIVE),
        is_abstract: is(MethodAccessFlags::ABSTRACT),
        code,
    }
}

fn body(data: &CodeData<'_>, code: &ByteCode<'_>, bootstrap: &Bootstrap) -> Code {
    let offsets: Vec<usize> = code.opcodes.iter().map(|(offset, _)| *offset).collect();
    // The end of a range may be the end of the code.
    let index = |offset: usize| offsets.partition_point(|o| *o < offset);
    let handlers = data.exception_table.iter().map(|entry| Handler {
        start: index(entry.start_pc.into()),
        end: index(entry.end_pc.into()),
        target: index(entry.handler_pc.into()),
        class: entry.catch_type.as_ref().map(|name| name.to_string()),
    });
    let mut lines = vec![0; offsets.len()];
    let mut variables = Vec::new();
    for attribute in &data.attributes {
        match &attribute.data {
            AttributeData::LineNumberTable(entries) => {
                let mut starts: Vec<(usize, u32)> =
                    entries.iter().map(|e| (e.start_pc.into(), e.line_number.into())).collect();
                starts.sort_unstable();
                for (line, offset) in lines.iter_mut().zip(&offsets) {
                    let before = starts.partition_point(|(start, _)| start <= offset);
                    *line = before.checked_sub(1).map_or(0, |at| starts[at].1);
                }
            }
            AttributeData::LocalVariableTable(entries) => {
                variables.extend(entries.iter().map(|entry| VariableEntry {
                    start: index(entry.start_pc.into()),
                    end: index(usize::from(entry.start_pc) + usize::from(entry.length)),
                    slot: entry.index,
                    name: entry.name.to_string(),
                    ty: JavaType::of(&entry.descriptor.to_string()),
                }));
            }
            _ => {}
        }
    }
    Code { insns: decode(code, bootstrap), handlers: handlers.collect(), lines, variables }
}
