//! Declaration specifiers: storage, qualifiers, the type, alignment, attributes.

use super::type_builder::TypeBuilder;
use super::{Parser, Result};
use crate::ast::{AlignAs, Attribute, Ident, Qualifiers, Specifiers, Storage, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Keyword, Punct, Symbol, TokenKind};

/// Where specifiers stand decides what may be among them, and whether the type may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Declaration,
    Parameter,
    /// A member of a record or a type name: no storage class.
    Type,
}

/// What was read so far.
struct Reading {
    storage: Option<Storage>,
    thread_local: bool,
    inline: bool,
    noreturn: bool,
    qualifiers: Qualifiers,
    alignas: Vec<AlignAs>,
    attributes: Vec<Attribute>,
    ty: TypeBuilder,
}

impl Parser<'_> {
    pub(super) fn specifiers(&mut self, place: Place) -> Result<Specifiers> {
        let start = self.span();
        let mut reading = Reading {
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            qualifiers: Qualifiers::default(),
            alignas: Vec::new(),
            attributes: Vec::new(),
            ty: TypeBuilder::default(),
        };
        let first = self.at;
        while self.specifier(place, &mut reading)? {}
        if place != Place::Declaration && !reading.ty.has_type() && reading.storage.is_none() {
            return Err(self.expected("a type"));
        }
        let span = if self.at == first { start } else { self.since(start) };
        let ty = reading.ty.finish().or_else(|message| {
            self.report(Diagnostic::error("c-parse", message).at(span));
            TypeBuilder::default().finish()
        });
        let Ok(ty) = ty else { unreachable!("no specifiers at all are `int`") };
        Ok(Specifiers {
            storage: reading.storage,
            thread_local: reading.thread_local,
            inline: reading.inline,
            noreturn: reading.noreturn,
            qualifiers: reading.qualifiers,
            alignas: reading.alignas,
            ty,
            attributes: reading.attributes,
            span,
        })
    }

    /// Takes one specifier; false if there is none.
    fn specifier(&mut self, place: Place, reading: &mut Reading) -> Result<bool> {
        match self.kind() {
            TokenKind::Keyword(_) if reading.ty.has_type() && self.is_semicolon_forgotten() => {
                Ok(false)
            }
            TokenKind::Keyword(keyword) => self.keyword_specifier(keyword, place, reading),
            TokenKind::Ident(symbol) if !reading.ty.has_type() => {
                self.name_specifier(symbol, place, reading)
            }
            TokenKind::Punct(Punct::OpenBracket) if self.at_bracket_attribute() => {
                self.attributes(&mut reading.attributes)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether the body of a record or enumeration ends just before, and a new line starts with
    /// what can only be a new declaration.
    pub(super) fn is_semicolon_forgotten(&self) -> bool {
        let TokenKind::Keyword(keyword) = self.kind() else { return false };
        self.token().first_of_line
            && self.spelling(self.previous_span()) == "}"
            && keyword.starts_specifiers()
            && !keyword.is_qualifier()
    }

    /// A typedef name, or an unknown name where a type must be meant.
    fn name_specifier(
        &mut self,
        symbol: Symbol,
        place: Place,
        reading: &mut Reading,
    ) -> Result<bool> {
        if !self.scopes.is_typedef(symbol) {
            if !self.means_a_type(place, reading) {
                return Ok(false);
            }
            self.unknown_type(symbol, place);
            reading.ty.mark_broken();
        }
        let name = Ident { name: self.name(symbol), span: self.bump().span };
        self.whole_type(TypeSpecifier::Typedef(name), reading);
        Ok(true)
    }

    /// Whether the unknown name that comes next can only be meant as a type. A declaration may do
    /// without a type (implicit int), but then no `*` and no second name follows the first.
    fn means_a_type(&self, place: Place, reading: &Reading) -> bool {
        match (place, self.ahead(1)) {
            (Place::Parameter | Place::Type, _) => reading.storage.is_none(),
            (_, TokenKind::Ident(_) | TokenKind::Punct(Punct::Star)) => true,
            (_, TokenKind::Keyword(keyword)) => {
                // `x asm("y")` and `x __attribute__(...)` declare x; so does `f(a) int a; {...}`.
                keyword.starts_specifiers()
            }
            _ => false,
        }
    }

    fn keyword_specifier(
        &mut self,
        keyword: Keyword,
        place: Place,
        reading: &mut Reading,
    ) -> Result<bool> {
        match keyword {
            Keyword::Typedef => self.storage(Storage::Typedef, place, reading),
            Keyword::Extern => self.storage(Storage::Extern, place, reading),
            Keyword::Static => self.storage(Storage::Static, place, reading),
            Keyword::Auto => self.storage(Storage::Auto, place, reading),
            Keyword::Register => self.storage(Storage::Register, place, reading),
            Keyword::ThreadLocal => reading.thread_local = true,
            Keyword::Inline => reading.inline = true,
            Keyword::Noreturn => reading.noreturn = true,
            Keyword::Extension => {}
            Keyword::Attribute => {
                self.attributes(&mut reading.attributes)?;
                return Ok(true);
            }
            Keyword::Alignas => {
                reading.alignas.push(self.alignas()?);
                return Ok(true);
            }
            Keyword::Atomic if self.ahead(1) == TokenKind::Punct(Punct::OpenParen) => {
                self.bump();
                let opening = self.expect(Punct::OpenParen)?;
                let ty = self.nested(Self::type_name)?;
                self.close(Punct::CloseParen, opening)?;
                self.whole_type(TypeSpecifier::Atomic(Box::new(ty)), reading);
                return Ok(true);
            }
            Keyword::Struct | Keyword::Union => {
                let record = self.nested(Self::record)?;
                self.whole_type(TypeSpecifier::Record(Box::new(record)), reading);
                return Ok(true);
            }
            Keyword::Enum => {
                let enumeration = self.nested(Self::enumeration)?;
                self.whole_type(TypeSpecifier::Enum(Box::new(enumeration)), reading);
                return Ok(true);
            }
            Keyword::Typeof => {
                let ty = self.type_of()?;
                self.whole_type(ty, reading);
                return Ok(true);
            }
            _ if keyword.is_qualifier() => qualify(keyword, &mut reading.qualifiers),
            _ if keyword.starts_type() => {
                if let Err(message) = reading.ty.keyword(keyword) {
                    self.report(Diagnostic::error("c-parse", message).at(self.span()));
                }
            }
            _ => return Ok(false),
        }
        self.bump();
        Ok(true)
    }

    fn storage(&mut self, storage: Storage, place: Place, reading: &mut Reading) {
        let allowed = match place {
            Place::Declaration => true,
            Place::Parameter => matches!(storage, Storage::Register | Storage::Auto),
            Place::Type => false,
        };
        let message = if !allowed {
            "a storage class is not allowed here"
        } else if reading.storage.is_some_and(|before| before != storage) {
            "two storage classes in one declaration"
        } else {
            reading.storage = Some(storage);
            return;
        };
        self.report(Diagnostic::error("c-parse", message).at(self.span()));
    }

    fn whole_type(&mut self, ty: TypeSpecifier, reading: &mut Reading) {
        if let Err(message) = reading.ty.whole(ty) {
            let error = Diagnostic::error("c-parse", message).at(self.previous_span());
            self.report(error.help("is a `;` missing before this?"));
        }
    }

    fn alignas(&mut self) -> Result<AlignAs> {
        self.bump();
        let opening = self.expect(Punct::OpenParen)?;
        let alignment = if self.at_type() {
            AlignAs::Type(Box::new(self.nested(Self::type_name)?))
        } else {
            AlignAs::Expr(Box::new(self.conditional()?))
        };
        self.close(Punct::CloseParen, opening)?;
        Ok(alignment)
    }

    fn type_of(&mut self) -> Result<TypeSpecifier> {
        self.bump();
        let opening = self.expect(Punct::OpenParen)?;
        let ty = if self.at_type() {
            TypeSpecifier::TypeofType(Box::new(self.nested(Self::type_name)?))
        } else {
            TypeSpecifier::TypeofExpr(Box::new(self.expression()?))
        };
        self.close(Punct::CloseParen, opening)?;
        Ok(ty)
    }

    /// Qualifiers and attributes, as they follow a `*` or stand in array brackets.
    pub(super) fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Result<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Extension) => {
                    self.bump();
                }
                TokenKind::Keyword(keyword) if keyword.is_qualifier() => {
                    qualify(keyword, &mut qualifiers);
                    self.bump();
                }
                _ if self.at_attribute() => self.attributes(attributes)?,
                _ => return Ok(qualifiers),
            }
        }
    }
}

fn qualify(keyword: Keyword, qualifiers: &mut Qualifiers) {
    match keyword {
        Keyword::Const => qualifiers.constant = true,
        Keyword::Volatile => qualifiers.volatile = true,
        Keyword::Restrict => qualifiers.restrict = true,
        Keyword::Atomic => qualifiers.atomic = true,
        _ => {}
    }
}
