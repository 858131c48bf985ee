//! Attributes that change what a type is: alignment, packing, vectors, machine modes.

use selvedge_c_syntax::ast::{AlignAs, Attribute, Expr, ExprKind, Specifiers};

use super::known::is_strange;
use crate::lowering::Lowering;
use crate::types::{IntKind, Kind, Ty};

/// What a list of attributes asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub packed: bool,
    pub align: Option<u64>,
    /// `#pragma pack`
    pub limit: Option<u64>,
    pub vector_bytes: Option<u64>,
    pub mode: Option<IntKind>,
    pub transparent: bool,
    pub big_endian: bool,
}

impl<'a> Lowering<'a> {
    pub fn wanted(&mut self, attributes: &'a [Attribute]) -> Wanted {
        let mut wanted = Wanted::default();
        for attribute in attributes {
            let number = |this: &mut Self| {
                let value = this.try_constant_int(attribute.args.first()?)?;
                u64::try_from(value).ok()
            };
            match &*attribute.name {
                "packed" => wanted.packed = true,
                // Without an argument: the largest alignment of the machine.
                "aligned" if attribute.args.is_empty() => wanted.align = Some(16),
                "aligned" => wanted.align = wanted.align.max(number(self)),
                "pragma_pack" => wanted.limit = number(self),
                "vector_size" => wanted.vector_bytes = number(self),
                "transparent_union" => wanted.transparent = true,
                "scalar_storage_order" | "pragma_scalar_storage_order" => {
                    let order = attribute.args.first().and_then(|order| self.literal_text(order));
                    wanted.big_endian = order.as_deref() == Some("big-endian");
                }
                "mode" => match attribute.args.first().and_then(|mode| self.machine_mode(mode)) {
                    Some(mode) => wanted.mode = Some(mode),
                    None => self.strange.push("the attribute `mode` with this argument".into()),
                },
                name if is_strange(attribute) => {
                    self.strange.push(format!("the attribute `{name}`").into());
                }
                _ => {}
            }
        }
        wanted
    }

    /// The type that the attributes make of a type, their alignment left aside.
    pub fn apply_wanted(&mut self, ty: Ty, wanted: &Wanted) -> Ty {
        let mut result = ty;
        if let Some(mode) = wanted.mode {
            let unsigned = self.types.int_kind(ty).is_some_and(|kind| !kind.is_signed());
            let kind = if unsigned { mode.to_unsigned() } else { mode };
            result = self.types.int(kind).qualified_like(ty);
        }
        if let Some(bytes) = wanted.vector_bytes {
            result = self.types.make(Kind::Vector(result.unqualified(), bytes));
        }
        if wanted.transparent
            && let Some((id, _)) = self.types.as_record(ty)
        {
            self.types.records[id.0 as usize].transparent = true;
        }
        result
    }

    /// The alignment that attributes of a declaration ask for.
    pub fn wanted_align(&mut self, attributes: [&'a [Attribute]; 2]) -> Option<u64> {
        let [specified, declared] = attributes.map(|attributes| self.wanted(attributes).align);
        declared.max(specified)
    }

    /// What is declared with these attributes and not as a type: they can only raise its alignment.
    pub fn raised(&mut self, ty: Ty, align: Option<u64>) -> Ty {
        match align {
            Some(align) if align > self.types.align(ty) => ty.with_align(align),
            _ => ty,
        }
    }

    /// `_Alignas` among the specifiers.
    pub fn alignas(&mut self, specifiers: &'a Specifiers) -> Option<u64> {
        let mut found = None;
        for wanted in &specifiers.alignas {
            let align = match wanted {
                AlignAs::Type(name) => {
                    let ty = self.type_name(name);
                    Some(self.types.member_align(ty))
                }
                AlignAs::Expr(expr) => {
                    self.try_constant_int(expr).and_then(|n| u64::try_from(n).ok())
                }
            };
            found = found.max(align);
        }
        found.filter(|align| *align > 0)
    }

    fn machine_mode(&self, argument: &Expr) -> Option<IntKind> {
        let ExprKind::Ident(name) = &argument.kind else { return None };
        match name.name.trim_matches('_') {
            "QI" | "byte" => Some(IntKind::SChar),
            "HI" => Some(IntKind::Short),
            "SI" => Some(IntKind::Int),
            "DI" if self.types.model == selvedge_ir::DataModel::Lp64 => Some(IntKind::Long),
            "DI" => Some(IntKind::LongLong),
            "TI" => Some(IntKind::Int128),
            "word" | "pointer" | "unwind_word" => Some(IntKind::Long),
            _ => None,
        }
    }
}
