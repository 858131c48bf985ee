//! Puts type keywords, which may come in any order, together to one type.

use crate::ast::{FloatKind, IntegerRank, TypeSpecifier};
use crate::lexer::Keyword;

/// The type specifiers of one declaration, as far as they were read.
#[derive(Default)]
pub(super) struct TypeBuilder {
    base: Option<Base>,
    longs: u8,
    short: bool,
    signed: Option<bool>,
    complex: bool,
    /// A mistake was reported; what follows is not judged.
    broken: bool,
}

enum Base {
    Char,
    Int,
    Int128,
    Float(FloatKind),
    Double,
    Whole(TypeSpecifier),
}

impl TypeBuilder {
    /// Whether there is any type specifier yet.
    pub fn has_type(&self) -> bool {
        self.base.is_some()
            || self.longs > 0
            || self.short
            || self.signed.is_some()
            || self.complex
            || self.broken
    }

    pub fn mark_broken(&mut self) {
        self.broken = true;
    }

    /// Adds a type that stands alone: a record, an enumeration, a typedef name, ...
    pub fn whole(&mut self, ty: TypeSpecifier) -> Result<(), &'static str> {
        self.base(Base::Whole(ty))
    }

    /// Adds a keyword. An error says what is wrong with it.
    pub fn keyword(&mut self, keyword: Keyword) -> Result<(), &'static str> {
        match keyword {
            Keyword::Void => self.whole(TypeSpecifier::Void),
            Keyword::Bool => self.whole(TypeSpecifier::Bool),
            Keyword::AutoType => self.whole(TypeSpecifier::Auto),
            Keyword::VaList => self.whole(TypeSpecifier::VaList),
            Keyword::SignedInt128 => self.whole(int128(true)),
            Keyword::UnsignedInt128 => self.whole(int128(false)),
            Keyword::Char => self.base(Base::Char),
            Keyword::Int => self.base(Base::Int),
            Keyword::Int128 => self.base(Base::Int128),
            Keyword::Half => self.base(Base::Float(FloatKind::Half)),
            Keyword::Float => self.base(Base::Float(FloatKind::Float)),
            Keyword::Double => self.base(Base::Double),
            Keyword::Float64 => self.base(Base::Float(FloatKind::Double)),
            Keyword::Float80 => self.base(Base::Float(FloatKind::LongDouble)),
            Keyword::Float128 => self.base(Base::Float(FloatKind::Float128)),
            Keyword::Decimal => self.base(Base::Float(FloatKind::Decimal)),
            Keyword::Long if self.longs == 2 => self.wrong("`long long long` is not a type"),
            Keyword::Long => self.set(|this| this.longs += 1),
            Keyword::Short if self.short => self.wrong("`short` is given twice"),
            Keyword::Short => self.set(|this| this.short = true),
            Keyword::Signed => self.sign(true),
            Keyword::Unsigned => self.sign(false),
            Keyword::Complex => self.set(|this| this.complex = true),
            _ => unreachable!("{keyword:?} is no type keyword"),
        }
    }

    fn base(&mut self, base: Base) -> Result<(), &'static str> {
        if self.base.is_some() {
            return self.wrong("two types in one declaration");
        }
        self.set(|this| this.base = Some(base))
    }

    fn sign(&mut self, signed: bool) -> Result<(), &'static str> {
        match self.signed {
            Some(before) if before == signed => self.wrong("`signed` or `unsigned` is given twice"),
            Some(_) => self.wrong("both `signed` and `unsigned`"),
            None => self.set(|this| this.signed = Some(signed)),
        }
    }

    fn set(&mut self, change: impl FnOnce(&mut Self)) -> Result<(), &'static str> {
        change(self);
        Ok(())
    }

    fn wrong(&mut self, message: &'static str) -> Result<(), &'static str> {
        let first = !std::mem::replace(&mut self.broken, true);
        if first { Err(message) } else { Ok(()) }
    }

    /// The type as a whole; nothing at all is `int`.
    pub fn finish(self) -> Result<TypeSpecifier, &'static str> {
        let modified = self.short || self.longs > 0 || self.signed.is_some();
        if self.broken {
            let int = TypeSpecifier::Integer { signed: None, rank: IntegerRank::Int };
            return Ok(if let Some(Base::Whole(ty)) = self.base { ty } else { int });
        }
        let integer = |rank| TypeSpecifier::Integer { signed: self.signed, rank };
        let float = |kind| TypeSpecifier::Float { kind, complex: self.complex };
        Ok(match self.base {
            Some(Base::Whole(_)) if modified => {
                return Err("`short`, `long`, `signed` and `unsigned` do not go with this type");
            }
            Some(Base::Whole(ty)) => ty,
            Some(Base::Float(_)) if modified => {
                return Err("this floating type cannot be `short`, `long`, `signed` or `unsigned`");
            }
            Some(Base::Float(kind)) => float(kind),
            Some(Base::Double) => match (self.short, self.longs, self.signed) {
                (false, 0, None) => float(FloatKind::Double),
                (false, 1, None) => float(FloatKind::LongDouble),
                _ => return Err("the only other `double` is `long double`"),
            },
            None if self.complex && !modified => float(FloatKind::Double),
            Some(Base::Char) if self.short || self.longs > 0 => {
                return Err("`char` cannot be `short` or `long`");
            }
            Some(Base::Char) => integer(IntegerRank::Char),
            Some(Base::Int128) if self.short || self.longs > 0 => {
                return Err("`__int128` cannot be `short` or `long`");
            }
            Some(Base::Int128) => integer(IntegerRank::Int128),
            Some(Base::Int) | None => match (self.short, self.longs) {
                (false, 0) => integer(IntegerRank::Int),
                (true, 0) => integer(IntegerRank::Short),
                (false, 1) => integer(IntegerRank::Long),
                (false, _) => integer(IntegerRank::LongLong),
                (true, _) => return Err("both `short` and `long`"),
            },
        })
    }
}

fn int128(signed: bool) -> TypeSpecifier {
    TypeSpecifier::Integer { signed: Some(signed), rank: IntegerRank::Int128 }
}
