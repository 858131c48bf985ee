//! `struct` and `union` specifiers.

use std::rc::Rc;

use selvedge_c_syntax::ast::{Ident, Member, MemberDeclarator, RecordSpecifier, Span, Specifiers};

use crate::lowering::{Chosen, Lowering, Protecting, Tag};
use crate::types::{FieldSpec, Layouter, Record, RecordId, Rules, Ty};

impl<'a> Lowering<'a> {
    pub fn record_type(&mut self, specifier: &'a RecordSpecifier) -> Ty {
        let (id, ty) = self.record_named(specifier);
        let Some(members) = &specifier.members else { return ty };
        if self.types.record(id).complete {
            let message = format!("`{}` is defined twice", self.types.describe(ty));
            self.error("redefinition", specifier.span, message);
            return ty;
        }
        let outer = std::mem::take(&mut self.strange);
        let wanted = self.wanted(&specifier.attributes);
        let mut fields = self.members(members);
        if wanted.big_endian {
            fields.iter_mut().for_each(|field| field.ty = self.types.in_reverse(field.ty));
        }
        let strange = std::mem::replace(&mut self.strange, outer).into_iter().next();
        let rules = Rules { union: specifier.union, packed: wanted.packed, limit: wanted.limit };
        let mut layouter = Layouter::new(&self.types, rules);
        fields.into_iter().for_each(|field| layouter.add(field));
        let record = layouter.finish(wanted.align, self.types.record(id));
        let model = self.in_model();
        let transparent = record.transparent || wanted.transparent;
        self.types.records[id.0 as usize] = Record { model, transparent, strange, ..record };
        self.protect_members(id, members);
        self.ghost_members(id, members);
        ty
    }

    /// Keeps what is specified of members for later, when all names are known.
    fn protect_members(&mut self, record: RecordId, members: &'a [Member]) {
        let unit = self.frame.unit;
        for member in members {
            let Member::Fields { declarators, conditions, .. } = member else { continue };
            let names = declarators.iter().filter_map(|d| d.declarator.as_ref()?.name.as_ref());
            for (member, condition) in
                names.flat_map(|name| conditions.iter().map(move |c| (name, c)))
            {
                self.protecting.push(Protecting { record, member, condition, unit });
            }
        }
    }

    fn record_named(&mut self, specifier: &RecordSpecifier) -> (RecordId, Ty) {
        let Some(tag) = &specifier.tag else {
            return self.types.new_record(None, specifier.union);
        };
        let known = match specifier.members.is_some() {
            true => self.scope().tags.get(&tag.name).copied(),
            false => self.lookup_tag(&tag.name),
        };
        if let Some(Tag::Record(id, ty)) = known
            && self.types.record(id).union == specifier.union
        {
            return (id, ty);
        }
        let (id, ty) = self.types.new_record(Some(tag.name.clone()), specifier.union);
        if self.is_tag_of_another_kind(tag, if specifier.union { "union" } else { "struct" }) {
            return (id, ty);
        }
        self.scope().tags.insert(tag.name.clone(), Tag::Record(id, ty));
        (id, ty)
    }

    /// Complains about a tag that stands for something else in the same scope (C11, 6.7.2.3).
    pub fn is_tag_of_another_kind(&mut self, tag: &Ident, kind: &str) -> bool {
        let known = match self.scope().tags.get(&tag.name).copied() {
            Some(Tag::Enum(..)) => "enum",
            // What a model of the library calls its types is no concern of the program.
            Some(Tag::Record(id, _)) if self.types.record(id).model => return false,
            Some(Tag::Record(id, _)) if self.types.record(id).union => "union",
            Some(Tag::Record(..)) => "struct",
            None => return false,
        };
        if known == kind {
            return false;
        }
        let name = &tag.name;
        let message = format!("`{name}` is the tag of a different kind of type: `{known} {name}`");
        self.error("tag-kind", tag.span, message);
        true
    }

    fn members(&mut self, members: &'a [Member]) -> Vec<FieldSpec> {
        let mut fields = Vec::new();
        for member in members {
            match member {
                Member::StaticAssert(assertion) => self.static_assert(assertion),
                Member::Ghost(_) => {}
                Member::Fields { specifiers, declarators, span, .. } => {
                    self.member_fields(specifiers, declarators, *span, &mut fields);
                }
            }
        }
        fields
    }

    fn member_fields(
        &mut self,
        specifiers: &'a Specifiers,
        declarators: &'a [MemberDeclarator],
        span: Span,
        fields: &mut Vec<FieldSpec>,
    ) {
        let base = self.specified(specifiers);
        let general = self.wanted(&specifiers.attributes);
        let aligned = self.alignas(specifiers).max(general.align);
        if declarators.is_empty() && self.types.as_record(base).is_some() {
            // An anonymous struct or union; a record with a tag alone declares no member, but
            // gcc's -fms-extensions does, and so do we where it has members.
            let packed = general.packed;
            fields.push(FieldSpec {
                name: None,
                ty: base,
                bits: None,
                packed,
                align: aligned,
                chosen_by: None,
            });
        }
        for item in declarators {
            let own = self.wanted(&item.attributes);
            let ty = match &item.declarator {
                Some(declarator) => self.declared(base, declarator),
                None => base,
            };
            let bits = item.bits.as_ref().map(|width| {
                let value = self.constant_int(width, "the width of a bit-field");
                let limit = 8 * self.types.size(ty);
                if value < 0 || value as u64 > limit {
                    let message = format!("a bit-field of {value} bits does not fit its type");
                    self.error("bit-field", width.span, message);
                    return limit as u32;
                }
                value as u32
            });
            if bits.is_none() && !self.types.is_complete(ty) && !self.is_open_array(ty) {
                let message =
                    format!("a member has the incomplete type `{}`", self.types.describe(ty));
                self.error("incomplete-type", span, message);
                continue;
            }
            let inner = item.declarator.as_ref().map(|d| self.wanted(&d.attributes));
            let inner = inner.unwrap_or_default();
            let packed = general.packed || own.packed || inner.packed;
            let align = aligned.max(own.align).max(inner.align);
            let name = item.declarator.as_ref().and_then(|d| d.name.as_ref());
            let name = name.map(|n| n.name.clone());
            let chosen_by = self.chosen_by(item);
            fields.push(FieldSpec { name, ty, bits, packed, align, chosen_by });
        }
    }

    /// `selvedge_chosen_by("function", "CONSTANT", ...)` on a member of a library model: the
    /// function chooses the member's value, and so does a mention of one of the constants.
    fn chosen_by(&mut self, item: &MemberDeclarator) -> Option<Rc<str>> {
        if !self.in_model() {
            return None;
        }
        let own = item.declarator.iter().flat_map(|declarator| &declarator.attributes);
        let mut attributes = item.attributes.iter().chain(own);
        let attribute = attributes.find(|attribute| &*attribute.name == "selvedge_chosen_by")?;
        let names = attribute.args.iter().filter_map(|arg| self.literal_text(arg));
        let mut names = names.map(Rc::<str>::from);
        let function = names.next()?;
        let constants = names.collect();
        self.chosen.push(Chosen { function: function.clone(), constants });
        Some(function)
    }

    fn is_open_array(&self, ty: Ty) -> bool {
        use crate::types::{Kind, Len};
        self.types.is_error(ty) || matches!(self.types.kind(ty), Kind::Array(_, Len::Unknown))
    }
}
