//! Types as people write them, for messages.

use super::{FloatTag, IntKind, Kind, Len, Ty, Types};

impl Types {
    pub fn describe(&self, ty: Ty) -> String {
        let mut text = String::new();
        for (on, word) in
            [(ty.constant, "const "), (ty.volatile, "volatile "), (ty.atomic, "_Atomic ")]
        {
            if on {
                text.push_str(word);
            }
        }
        text + &self.describe_kind(ty)
    }

    fn describe_kind(&self, ty: Ty) -> String {
        match self.kind(ty) {
            Kind::Error => "<error>".into(),
            Kind::Void => "void".into(),
            Kind::Bool => "_Bool".into(),
            Kind::Int(IntKind::Bits { width, signed }) => {
                format!("{} of {width} bits", if *signed { "int" } else { "unsigned int" })
            }
            Kind::Int(kind) => int_name(*kind).into(),
            Kind::Float(tag) => float_name(*tag).into(),
            Kind::Complex(tag) => format!("_Complex {}", float_name(*tag)),
            Kind::Thread => "__selvedge_thread".into(),
            Kind::Enum(id) => match &self.enums[id.0 as usize].tag {
                Some(tag) => format!("enum {tag}"),
                None => "enum".into(),
            },
            Kind::Pointer(to) => match self.kind(*to) {
                Kind::Function(_) => self.describe(*to).replacen('(', "(*)(", 1),
                _ => format!("{} *", self.describe(*to)),
            },
            Kind::Array(element, len) => match len {
                Len::Fixed(count) => format!("{}[{count}]", self.describe(*element)),
                Len::Unknown => format!("{}[]", self.describe(*element)),
                Len::Runtime(_) => format!("{}[*]", self.describe(*element)),
            },
            Kind::Function(function) => {
                let params: Vec<String> =
                    function.params.iter().map(|p| self.describe(*p)).collect();
                format!("{}({})", self.describe(function.ret), params.join(", "))
            }
            Kind::Record(id) => self.record(*id).name(),
            Kind::ThreadMap(value) => match self.kind(*value) {
                Kind::Bool => "\\set<thread>".into(),
                _ => format!("\\map<thread, {}>", self.describe(*value)),
            },
            Kind::Vector(element, bytes) => {
                format!("{} vector of {bytes} bytes", self.describe(*element))
            }
        }
    }
}

fn int_name(kind: IntKind) -> &'static str {
    use IntKind::*;
    match kind {
        Char => "char",
        SChar => "signed char",
        UChar => "unsigned char",
        Short => "short",
        UShort => "unsigned short",
        Int => "int",
        UInt => "unsigned int",
        Long => "long",
        ULong => "unsigned long",
        LongLong => "long long",
        ULongLong => "unsigned long long",
        Int128 => "__int128",
        UInt128 => "unsigned __int128",
        Bits { .. } => "int",
    }
}

fn float_name(tag: FloatTag) -> &'static str {
    match tag {
        FloatTag::Half => "_Float16",
        FloatTag::Float => "float",
        FloatTag::Double => "double",
        FloatTag::LongDouble => "long double",
        FloatTag::Float128 => "_Float128",
        FloatTag::Decimal => "_Decimal64",
    }
}
