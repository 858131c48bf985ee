//! Structures, unions and enumerations.

use super::declarator::Mode;
use super::scope::Meaning;
use super::specifier::Place;
use super::{Parser, Result, Where};
use crate::ast::specification::Clause;
use crate::ast::{
    Attribute, EnumSpecifier, Enumerator, Ident, Member, MemberDeclarator, RecordSpecifier, Span,
    StaticAssert,
};
use crate::lexer::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn record(&mut self) -> Result<RecordSpecifier> {
        let start = self.span();
        let union = self.at_keyword(Keyword::Union);
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag()?;
        if tag.is_none() && !self.at_punct(Punct::OpenBrace) {
            return Err(self.expected("a tag or `{`"));
        }
        let members = if self.at_punct(Punct::OpenBrace) { Some(self.members()?) } else { None };
        if members.is_some() {
            let end = self.previous_span();
            self.trailing_attributes(&mut attributes)?;
            self.record_pragmas(end, &mut attributes);
        }
        Ok(RecordSpecifier { union, tag, members, attributes, span: self.since(start) })
    }

    fn tag(&mut self) -> Result<Option<Ident>> {
        if !matches!(self.kind(), TokenKind::Ident(_)) {
            return Ok(None);
        }
        Ok(Some(self.ident("a tag")?.1))
    }

    /// Attributes after `}`: a `[[...]]` there belongs to what is declared, not to the type.
    fn trailing_attributes(&mut self, attributes: &mut Vec<Attribute>) -> Result<()> {
        if self.at_keyword(Keyword::Attribute) { self.attributes(attributes) } else { Ok(()) }
    }

    fn members(&mut self) -> Result<Vec<Member>> {
        let opening = self.expect(Punct::OpenBrace)?;
        let mut members = Vec::new();
        while !self.at_punct(Punct::CloseBrace) && !self.at_end() {
            if self.eat(Punct::Semicolon) {
                continue;
            }
            let start = self.at;
            let above = self.specifications_above(Where::Record);
            members.extend(above.members.into_iter().map(Member::Ghost));
            if self.at_punct(Punct::CloseBrace) && above.conditions.is_empty() {
                continue;
            }
            match self.member(above.conditions, &mut members) {
                Ok(member) => members.push(member),
                Err(_) => self.recover(start),
            }
        }
        let last = self.specifications_above(Where::Record);
        members.extend(last.members.into_iter().map(Member::Ghost));
        for condition in last.conditions {
            self.misplaced(condition.span, "`unwritable_by_env_if`", "a member");
        }
        self.close(Punct::CloseBrace, opening)?;
        Ok(members)
    }

    /// A member, and what is said of it above.
    fn member(&mut self, mut conditions: Vec<Clause>, ghosts: &mut Vec<Member>) -> Result<Member> {
        let start = self.span();
        if self.at_keyword(Keyword::StaticAssert) {
            return Ok(Member::StaticAssert(self.static_assert()?));
        }
        let specifiers = self.specifiers(Place::Type)?;
        let mut declarators = Vec::new();
        while !self.at_punct(Punct::Semicolon) && !self.at_punct(Punct::CloseBrace) {
            declarators.push(self.member_declarator()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.semicolon("the member")?;
        let span = self.since(start);
        let beside = self.specifications_beside(Where::Record);
        conditions.extend(beside.conditions);
        ghosts.extend(beside.members.into_iter().map(Member::Ghost));
        Ok(Member::Fields { specifiers, declarators, conditions, span })
    }

    fn member_declarator(&mut self) -> Result<MemberDeclarator> {
        let declarator =
            if self.at_punct(Punct::Colon) { None } else { Some(self.declarator(Mode::Named)?) };
        let bits = if self.eat(Punct::Colon) { Some(self.conditional()?) } else { None };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        Ok(MemberDeclarator { declarator, bits, attributes })
    }

    pub(super) fn enumeration(&mut self) -> Result<EnumSpecifier> {
        let start = self.span();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag()?;
        if tag.is_none() && !self.at_punct(Punct::OpenBrace) {
            return Err(self.expected("a tag or `{`"));
        }
        let enumerators =
            if self.at_punct(Punct::OpenBrace) { Some(self.enumerators()?) } else { None };
        if enumerators.is_some() {
            self.trailing_attributes(&mut attributes)?;
        }
        Ok(EnumSpecifier { tag, enumerators, attributes, span: self.since(start) })
    }

    fn enumerators(&mut self) -> Result<Vec<Enumerator>> {
        let opening = self.expect(Punct::OpenBrace)?;
        let mut enumerators = Vec::new();
        while !self.at_punct(Punct::CloseBrace) {
            enumerators.push(self.enumerator()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::CloseBrace, opening)?;
        Ok(enumerators)
    }

    fn enumerator(&mut self) -> Result<Enumerator> {
        let (symbol, name) = self.ident("the name of an enumerator")?;
        self.attributes(&mut Vec::new())?;
        let value = if self.eat(Punct::Equal) { Some(self.conditional()?) } else { None };
        self.scopes.declare(symbol, Meaning::Other);
        Ok(Enumerator { name, value })
    }

    pub(super) fn static_assert(&mut self) -> Result<StaticAssert> {
        let start: Span = self.bump().span;
        let opening = self.expect(Punct::OpenParen)?;
        let condition = self.conditional()?;
        let message = if self.eat(Punct::Comma) { Some(self.string_text()?) } else { None };
        self.close(Punct::CloseParen, opening)?;
        self.semicolon("`_Static_assert`")?;
        Ok(StaticAssert { condition, message, span: self.since(start) })
    }
}
