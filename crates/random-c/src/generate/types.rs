//! The types of a generated program: integers of every kind, arrays, and records with bit-fields.

use crate::choices::Choices;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
}

const fn int(name: &'static str, bits: u32, signed: bool) -> Int {
    Int { name, bits, signed }
}

pub const INTS: [Int; 12] = [
    int("int", 32, true),
    int("unsigned", 32, false),
    int("signed char", 8, true),
    int("unsigned char", 8, false),
    int("short", 16, true),
    int("unsigned short", 16, false),
    int("long", 64, true),
    int("unsigned long", 64, false),
    int("char", 8, true),
    int("long long", 64, true),
    int("uint64_t", 64, false),
    int("_Bool", 1, false),
];

/// How many of [`INTS`] have no value that is no number: all but `_Bool`.
const FULL_INTS: usize = 11;

#[derive(Clone, Debug)]
pub enum Type {
    Int(Int),
    /// Lengths are powers of two, so that an index can be kept inside by a mask.
    Array(Box<Type>, u64),
    /// By its number.
    Record(usize),
    Pointer(Int),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    pub width: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct Record {
    /// With `struct` or `union`.
    pub name: String,
    pub union: bool,
    pub fields: Vec<Field>,
}

/// Any integer type; in a union none that has a trap representation.
pub fn some_int(choices: &mut Choices, in_union: bool) -> Int {
    let count = if in_union { FULL_INTS } else { INTS.len() };
    choices.pick(&INTS[..count])
}

/// The declaration of something with this name and type.
pub fn declared(ty: &Type, name: &str, records: &[Record]) -> String {
    match ty {
        Type::Int(int) => format!("{} {name}", int.name),
        Type::Pointer(int) => format!("{} *{name}", int.name),
        Type::Record(number) => format!("{} {name}", records[*number].name),
        Type::Array(element, length) => declared(element, &format!("{name}[{length}]"), records),
    }
}

/// A record whose fields may be of the records before it, and its definition.
pub fn record(choices: &mut Choices, records: &[Record]) -> (Record, String) {
    let number = records.len();
    let union = choices.chance(1, 4);
    let keyword = if union { "union" } else { "struct" };
    let mut fields = vec![field(choices, 0, union, records)];
    while fields.len() < 6 && choices.chance(2, 3) {
        fields.push(field(choices, fields.len(), union, records));
    }
    let record = Record { name: format!("{keyword} r{number}$"), union, fields };
    let attribute =
        choices.pick(&["", "", "", " __attribute__((packed))", " __attribute__((aligned(8)))"]);
    let pack = choices.chance(1, 10);
    let mut text = format!("{keyword}{attribute} r{number}$ {{\n");
    for field in &record.fields {
        let width = field.width.map(|width| format!(" : {width}")).unwrap_or_default();
        text += &format!("  {}{width};\n", declared(&field.ty, &field.name, records));
        if field.width.is_some() && choices.chance(1, 12) {
            text += "  int : 0;\n";
        }
    }
    text += "};\n";
    if pack {
        text = format!("#pragma pack(push, 2)\n{text}#pragma pack(pop)\n");
    }
    (record, text)
}

fn field(choices: &mut Choices, number: usize, union: bool, records: &[Record]) -> Field {
    let name = format!("f{number}");
    match choices.below(8) {
        3..=5 => {
            let int = some_int(choices, union);
            let width = 1 + choices.below(u64::from(int.bits)) as u32;
            Field { name, ty: Type::Int(int), width: Some(width) }
        }
        6 => {
            let element = Type::Int(some_int(choices, union));
            let length = choices.pick(&[2, 4]);
            Field { name, ty: Type::Array(Box::new(element), length), width: None }
        }
        7 => {
            let structs: Vec<usize> =
                (0..records.len()).filter(|n| !union || no_bools(*n, records)).collect();
            let ty = match structs.as_slice() {
                [] => Type::Int(some_int(choices, union)),
                some => Type::Record(choices.pick(some)),
            };
            Field { name, ty, width: None }
        }
        _ => Field { name, ty: Type::Int(some_int(choices, union)), width: None },
    }
}

/// Whether any bytes are a value of the record.
fn no_bools(number: usize, records: &[Record]) -> bool {
    fn full(ty: &Type, records: &[Record]) -> bool {
        match ty {
            Type::Int(int) => int.bits > 1,
            Type::Pointer(_) => false,
            Type::Array(element, _) => full(element, records),
            Type::Record(number) => no_bools(*number, records),
        }
    }
    records[number].fields.iter().all(|field| full(&field.ty, records))
}
