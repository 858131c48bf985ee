//! Attributes that change what a type is: alignment, packing, vectors, machine modes.

use selvedge_c_syntax::ast::{AlignAs, Attribute, ExprKind, Specifiers};

use crate::lowering::Lowering;
use crate::types::{IntKind, Kind, Ty};

/// What a list of attributes asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub packed: bool,
    pub align: Option<u64>,
    pub vector_bytes: Option<u64>,
    pub mode: Option<IntKind>,
    pub transparent: bool,
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
                "vector_size" => wanted.vector_bytes = number(self),
                "transparent_union" => wanted.transparent = true,
                "mode" => wanted.mode = attribute.args.first().and_then(machine_mode),
                _ => {}
            }
        }
        wanted
    }

    pub fn apply_wanted(&mut self, ty: Ty, wanted: Wanted) -> Ty {
        let mut result = ty;
        if let Some(mode) = wanted.mode {
            let unsigned = self.types.int_kind(ty).is_some_and(|kind| !kind.is_signed());
            let kind = if unsigned { mode.to_unsigned() } else { mode };
            result = self.types.int(kind).qualified_like(ty);
        }
        if let Some(bytes) = wanted.vector_bytes {
            result = self.types.make(Kind::Vector(result.unqualified(), bytes));
        }
        match wanted.align {
            Some(align) => result.with_align(align),
            None => result,
        }
    }

    /// `_Alignas` among the specifiers.
    pub fn alignas(&mut self, specifiers: &'a Specifiers) -> Option<u64> {
        let mut found = None;
        for wanted in &specifiers.alignas {
            let align = match wanted {
                AlignAs::Type(name) => {
                    let ty = self.type_name(name);
                    Some(self.types.align(ty))
                }
                AlignAs::Expr(expr) => {
                    self.try_constant_int(expr).and_then(|n| u64::try_from(n).ok())
                }
            };
            found = found.max(align);
        }
        found
    }
}

fn machine_mode(argument: &selvedge_c_syntax::ast::Expr) -> Option<IntKind> {
    let ExprKind::Ident(name) = &argument.kind else { return None };
    match name.name.trim_matches('_') {
        "QI" | "byte" => Some(IntKind::SChar),
        "HI" => Some(IntKind::Short),
        "SI" => Some(IntKind::Int),
        "DI" => Some(IntKind::LongLong),
        "TI" => Some(IntKind::Int128),
        "word" | "pointer" | "unwind_word" => Some(IntKind::Long),
        _ => None,
    }
}
