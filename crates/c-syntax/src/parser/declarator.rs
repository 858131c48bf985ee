//! Declarators and type names: the inside-out part of C's declarations.

use super::scope::Meaning;
use super::specifier::Place;
use super::{Parser, Result};
use crate::ast::{ArraySize, Attribute, Declarator, Derived, Ident, Param, Params, Span, TypeName};
use crate::lexer::{Keyword, Punct, TokenKind};

/// Whether a declarator has a name: always, never, or as it comes (parameters).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Named,
    Abstract,
    Either,
}

impl Parser<'_> {
    pub(super) fn declarator(&mut self, mode: Mode) -> Result<Declarator> {
        let start = self.span();
        let first = self.at;
        let mut attributes = Vec::new();
        let pointers = self.pointers(&mut attributes)?;
        let (name, mut derived) = self.direct_declarator(mode, &mut attributes)?;
        self.suffixes(&mut derived, &mut attributes)?;
        derived.extend(pointers.into_iter().rev());
        self.attributes(&mut attributes)?;
        let span =
            if self.at == first { Span { end: start.start, ..start } } else { self.since(start) };
        Ok(Declarator { name, derived, attributes, span })
    }

    /// The `*`s in front, in the order of the source: the last applies to the name first.
    fn pointers(&mut self, attributes: &mut Vec<Attribute>) -> Result<Vec<Derived>> {
        let mut pointers = Vec::new();
        loop {
            if self.eat(Punct::Star) {
                let mut attributes = Vec::new();
                let qualifiers = self.qualifiers(&mut attributes)?;
                pointers.push(Derived::Pointer { qualifiers, attributes });
            } else if self.at_keyword(Keyword::Attribute) {
                self.attributes(attributes)?;
            } else {
                return Ok(pointers);
            }
        }
    }

    /// The name, or a declarator in parentheses.
    fn direct_declarator(
        &mut self,
        mode: Mode,
        attributes: &mut Vec<Attribute>,
    ) -> Result<(Option<Ident>, Vec<Derived>)> {
        match self.kind() {
            TokenKind::Ident(_) if mode != Mode::Abstract => {
                Ok((Some(self.ident("a name")?.1), Vec::new()))
            }
            TokenKind::Punct(Punct::OpenParen) if self.is_inner_declarator(mode) => {
                let opening = self.bump().span;
                let inner = self.nested(|parser| parser.declarator(mode))?;
                self.close(Punct::CloseParen, opening)?;
                attributes.extend(inner.attributes);
                Ok((inner.name, inner.derived))
            }
            TokenKind::Keyword(_) if mode == Mode::Named => Err(self.expected_with_help(
                "a name to declare",
                "a keyword cannot be the name of a variable or function",
            )),
            _ if mode == Mode::Named => Err(self.expected("a name to declare")),
            _ => Ok((None, Vec::new())),
        }
    }

    /// Whether `(` opens an inner declarator and not the parameters of a nameless function.
    fn is_inner_declarator(&self, mode: Mode) -> bool {
        if mode == Mode::Named {
            return true;
        }
        match self.ahead(self.after_prefixes(1)) {
            TokenKind::Punct(Punct::CloseParen | Punct::Ellipsis) => false,
            TokenKind::Keyword(keyword) => !keyword.starts_specifiers(),
            TokenKind::Ident(symbol) => mode == Mode::Either && !self.scopes.is_typedef(symbol),
            _ => true,
        }
    }

    /// `[...]` and `(...)` after the name.
    fn suffixes(
        &mut self,
        derived: &mut Vec<Derived>,
        attributes: &mut Vec<Attribute>,
    ) -> Result<()> {
        loop {
            if self.at_bracket_attribute() {
                self.attributes(attributes)?;
            } else if self.at_punct(Punct::OpenBracket) {
                derived.push(self.array()?);
            } else if self.at_punct(Punct::OpenParen) {
                let params = self.nested(Self::params)?;
                derived.push(Derived::Function { params });
            } else {
                return Ok(());
            }
        }
    }

    fn array(&mut self) -> Result<Derived> {
        let opening = self.bump().span;
        let mut attributes = Vec::new();
        let mut qualifiers = self.qualifiers(&mut attributes)?;
        if self.eat_keyword(Keyword::Static) {
            let more = self.qualifiers(&mut attributes)?;
            qualifiers.constant |= more.constant;
            qualifiers.volatile |= more.volatile;
            qualifiers.restrict |= more.restrict;
            qualifiers.atomic |= more.atomic;
        }
        let size = if self.at_punct(Punct::CloseBracket) {
            ArraySize::Unspecified
        } else if self.at_punct(Punct::Star)
            && self.ahead(1) == TokenKind::Punct(Punct::CloseBracket)
        {
            self.bump();
            ArraySize::Star
        } else {
            ArraySize::Expr(Box::new(self.nested(Self::assignment)?))
        };
        self.close(Punct::CloseBracket, opening)?;
        Ok(Derived::Array { qualifiers, size })
    }

    /// Parameters have a scope of their own, which ends with them; a function's body declares
    /// them again.
    fn params(&mut self) -> Result<Params> {
        let opening = self.expect(Punct::OpenParen)?;
        self.scopes.open();
        let params = self.params_until_close(opening);
        self.scopes.close();
        params
    }

    fn params_until_close(&mut self, opening: Span) -> Result<Params> {
        let params = if self.at_punct(Punct::CloseParen) {
            Params::Unspecified
        } else if self.at_keyword(Keyword::Void)
            && self.ahead(1) == TokenKind::Punct(Punct::CloseParen)
        {
            self.bump();
            Params::Prototype { params: Vec::new(), variadic: false }
        } else if self.at_identifier_list() {
            Params::Identifiers(self.identifier_list()?)
        } else {
            self.prototype()?
        };
        self.close(Punct::CloseParen, opening)?;
        Ok(params)
    }

    fn at_identifier_list(&self) -> bool {
        let TokenKind::Ident(symbol) = self.kind() else { return false };
        !self.scopes.is_typedef(symbol)
            && matches!(self.ahead(1), TokenKind::Punct(Punct::Comma | Punct::CloseParen))
    }

    fn identifier_list(&mut self) -> Result<Vec<Ident>> {
        let mut names = Vec::new();
        loop {
            names.push(self.ident("the name of a parameter")?.1);
            if !self.eat(Punct::Comma) {
                return Ok(names);
            }
        }
    }

    fn prototype(&mut self) -> Result<Params> {
        let mut params = Vec::new();
        loop {
            if self.eat(Punct::Ellipsis) {
                return Ok(Params::Prototype { params, variadic: true });
            }
            params.push(self.param()?);
            if self.eat(Punct::Semicolon) {
                // GNU: parameters up to here are only announced for use in array sizes.
                params.clear();
            } else if !self.eat(Punct::Comma) {
                return Ok(Params::Prototype { params, variadic: false });
            }
        }
    }

    fn param(&mut self) -> Result<Param> {
        let start = self.span();
        let specifiers = self.specifiers(Place::Parameter)?;
        let declarator = self.declarator(Mode::Either)?;
        if let Some(name) = &declarator.name {
            self.declare(name, Meaning::Other);
        }
        Ok(Param { specifiers, declarator, span: self.since(start) })
    }

    pub(super) fn type_name(&mut self) -> Result<TypeName> {
        let start = self.span();
        let specifiers = self.specifiers(Place::Type)?;
        let declarator = self.declarator(Mode::Abstract)?;
        Ok(TypeName { specifiers, derived: declarator.derived, span: self.since(start) })
    }
}
