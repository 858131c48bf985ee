//! `enum` specifiers.

use selvedge_c_syntax::ast::EnumSpecifier;

use crate::lowering::{Entity, Lowering, Tag};
use crate::types::{EnumId, IntKind, Ty};

impl<'a> Lowering<'a> {
    pub fn enum_type(&mut self, specifier: &'a EnumSpecifier) -> Ty {
        let (id, ty) = self.enum_named(specifier);
        let Some(enumerators) = &specifier.enumerators else { return ty };
        let mut next = 0i128;
        let mut range = (0i128, 0i128);
        for enumerator in enumerators {
            if let Some(expr) = &enumerator.value {
                next = self.constant_int(expr, "the value of an enumerator");
            }
            range = (range.0.min(next), range.1.max(next));
            // An enumerator is an `int`, or the type that holds it (GNU).
            let int = self.types.int_type();
            let ty = match i32::try_from(next).is_ok() {
                true => int,
                false => {
                    let kind = self.enum_kind(range);
                    self.types.int(kind)
                }
            };
            self.declare(enumerator.name.name.clone(), Entity::Enumerator(next, ty));
            next += 1;
        }
        let packed = self.wanted(&specifier.attributes).packed;
        let kind = if packed { packed_kind(range) } else { self.enum_kind(range) };
        self.types.enumeration(id).underlying = Some(kind);
        ty
    }

    fn enum_named(&mut self, specifier: &EnumSpecifier) -> (EnumId, Ty) {
        let Some(tag) = &specifier.tag else { return self.types.new_enum(None) };
        let own = specifier.enumerators.is_some();
        let known = match own {
            true => self.scope().tags.get(&tag.name).copied(),
            false => self.lookup_tag(&tag.name),
        };
        if let Some(Tag::Enum(id, ty)) = known {
            return (id, ty);
        }
        let (id, ty) = self.types.new_enum(Some(tag.name.clone()));
        if self.is_tag_of_another_kind(tag, "enum") {
            return (id, ty);
        }
        self.scope().tags.insert(tag.name.clone(), Tag::Enum(id, ty));
        (id, ty)
    }

    fn enum_kind(&self, (low, high): (i128, i128)) -> IntKind {
        let kinds = match low < 0 {
            true => [IntKind::Int, IntKind::Long, IntKind::LongLong],
            false => [IntKind::UInt, IntKind::ULong, IntKind::ULongLong],
        };
        let holds = |kind: &IntKind| {
            let int = self.types.int_of(*kind);
            int.min() <= low && high <= int.max()
        };
        kinds.into_iter().find(holds).unwrap_or(kinds[2])
    }
}

fn packed_kind((low, high): (i128, i128)) -> IntKind {
    let fits = |bits: u32| {
        if low < 0 { low >= -(1 << (bits - 1)) && high < 1 << (bits - 1) } else { high < 1 << bits }
    };
    match (low < 0, fits(8), fits(16)) {
        (true, true, _) => IntKind::SChar,
        (false, true, _) => IntKind::UChar,
        (true, _, true) => IntKind::Short,
        (false, _, true) => IntKind::UShort,
        (true, ..) => IntKind::Int,
        (false, ..) => IntKind::UInt,
    }
}
