//! Declarations and function definitions, at the top level and in blocks.

use super::declarator::Mode;
use super::scope::Meaning;
use super::specifier::Place;
use super::{Parser, Result, Where};
use crate::ast::{
    BlockItem, Declaration, Declarator, Derived, FunctionDef, Ident, InitDeclarator, Item, Params,
    Span, Specifiers, Storage, TranslationUnit,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Keyword, Punct, TokenKind};

pub(super) enum Declared {
    Function(FunctionDef),
    Declaration(Declaration),
}

impl From<Declared> for Item {
    fn from(declared: Declared) -> Item {
        match declared {
            Declared::Function(function) => Item::Function(function),
            Declared::Declaration(declaration) => Item::Declaration(declaration),
        }
    }
}

impl From<Declared> for BlockItem {
    fn from(declared: Declared) -> BlockItem {
        match declared {
            Declared::Function(function) => BlockItem::Function(function),
            Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
        }
    }
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> TranslationUnit {
        let annotations = std::mem::take(&mut self.annotations);
        let symbols = std::mem::take(&mut self.pragmas.symbols);
        let specified = std::mem::take(&mut self.specified);
        let mut unit =
            TranslationUnit { annotations, symbols, specified, ..TranslationUnit::default() };
        loop {
            while let Some((span, what)) = self.take_pragma() {
                unit.items.push(Item::Unsupported(what, span));
            }
            let above = self.specifications_above(Where::File);
            unit.items.extend(above.ghosts.iter().cloned().map(Item::Declaration));
            self.specifications.maps.extend(above.maps.iter().cloned());
            if self.at_end() {
                self.attach(above, &[], false);
                break;
            }
            if self.eat(Punct::Semicolon) {
                continue;
            }
            let start = self.at;
            match self.item() {
                Ok(item) => {
                    let beside = self.specifications_beside(Where::File);
                    unit.items.extend(beside.ghosts.iter().cloned().map(Item::Declaration));
                    self.specifications.maps.extend(beside.maps.iter().cloned());
                    let (names, function) = declared_names(&item);
                    self.attach(above, &names, function);
                    self.attach(beside, &names, function);
                    unit.items.push(item);
                }
                Err(_) => {
                    self.recover(start);
                    self.eat(Punct::CloseBrace);
                }
            }
        }
        unit.specifications = self.take_specifications();
        unit
    }

    fn item(&mut self) -> Result<Item> {
        match self.kind() {
            TokenKind::Keyword(Keyword::StaticAssert) => {
                Ok(Item::StaticAssert(self.static_assert()?))
            }
            TokenKind::Keyword(Keyword::Asm) => Ok(Item::Asm(self.top_level_asm()?)),
            TokenKind::Keyword(Keyword::AssertClause) => {
                let text = "this assertion stands outside of functions";
                let error = Diagnostic::error("annotation", text).at(self.span());
                Err(self.report(error.help("an assertion is checked where control reaches it")))
            }
            TokenKind::Punct(Punct::CloseBrace) => {
                let error = Diagnostic::error("c-parse", "this `}` matches no `{`");
                Err(self.report(error.at(self.span()).help("is a `{` missing above?")))
            }
            _ => Ok(self.declaration()?.into()),
        }
    }

    /// A declaration or a function definition.
    pub(super) fn declaration(&mut self) -> Result<Declared> {
        let start = self.span();
        let first = self.at;
        let specifiers = self.specifiers(Place::Declaration)?;
        if self.at == first && !self.at_declarator() {
            return Err(self.not_a_declaration());
        }
        if self.is_semicolon_forgotten() || self.at_punct(Punct::Semicolon) {
            self.semicolon("the declaration")?;
            return Ok(Declared::Declaration(Declaration {
                specifiers,
                declarators: Vec::new(),
                span: self.since(start),
            }));
        }
        let declarator = self.declarator(Mode::Named)?;
        if self.at_function_body(&declarator) {
            return Ok(Declared::Function(self.function(start, specifiers, declarator)?));
        }
        let declarators = self.init_declarators(&specifiers, declarator)?;
        self.semicolon("the declaration")?;
        let span = self.since(start);
        Ok(Declared::Declaration(Declaration { specifiers, declarators, span }))
    }

    fn at_declarator(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Ident(_) | TokenKind::Punct(Punct::Star | Punct::OpenParen)
        )
    }

    fn not_a_declaration(&mut self) -> super::Failed {
        match self.kind() {
            TokenKind::Keyword(keyword) if keyword.starts_statement() => self.expected_with_help(
                "a declaration",
                "a statement must stand in a function: is there a `}` too many above?",
            ),
            _ => self.expected("a declaration"),
        }
    }

    /// Declares a name, and takes what may follow it: `asm("label")`, attributes, an initialiser,
    /// further declarators.
    fn init_declarators(
        &mut self,
        specifiers: &Specifiers,
        first: Declarator,
    ) -> Result<Vec<InitDeclarator>> {
        let typedef = specifiers.storage == Some(Storage::Typedef);
        let meaning = if typedef { Meaning::Typedef } else { Meaning::Other };
        let mut declarators = vec![self.init_declarator(first, meaning)?];
        while self.eat(Punct::Comma) {
            let declarator = self.declarator(Mode::Named)?;
            declarators.push(self.init_declarator(declarator, meaning)?);
        }
        Ok(declarators)
    }

    fn init_declarator(
        &mut self,
        mut declarator: Declarator,
        meaning: Meaning,
    ) -> Result<InitDeclarator> {
        let asm_label = if self.at_keyword(Keyword::Asm) { Some(self.asm_label()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        if let Some(name) = &declarator.name {
            self.declare(name, meaning);
        }
        let init = if self.eat(Punct::Equal) { Some(self.initializer()?) } else { None };
        Ok(InitDeclarator { declarator, asm_label, init })
    }

    /// Whether a function's body follows, or the parameter declarations of an old-style one.
    fn at_function_body(&self, declarator: &Declarator) -> bool {
        let Some(Derived::Function { params }) = declarator.derived.first() else { return false };
        let old_style = matches!(params, Params::Identifiers(_));
        self.at_punct(Punct::OpenBrace) || (old_style && self.at_declaration())
    }

    fn function(
        &mut self,
        start: Span,
        specifiers: Specifiers,
        declarator: Declarator,
    ) -> Result<FunctionDef> {
        if let Some(name) = &declarator.name {
            self.declare(name, Meaning::Other);
        }
        self.scopes.open();
        let rest = self.nested(|parser| parser.function_rest(&declarator));
        self.scopes.close();
        let (old_style, body) = rest?;
        Ok(FunctionDef { specifiers, declarator, old_style, body, span: self.since(start) })
    }

    /// Parameters and the body share one scope.
    fn function_rest(
        &mut self,
        declarator: &Declarator,
    ) -> Result<(Vec<Declaration>, crate::ast::Block)> {
        if let Some(Derived::Function { params }) = declarator.derived.first() {
            self.declare_params(params);
        }
        let mut old_style = Vec::new();
        while !self.at_punct(Punct::OpenBrace) && !self.at_end() {
            match self.declaration()? {
                Declared::Declaration(declaration) => old_style.push(declaration),
                Declared::Function(_) => return Err(self.expected("the body of the function")),
            }
        }
        Ok((old_style, self.block_in_scope()?))
    }

    fn declare_params(&mut self, params: &Params) {
        match params {
            Params::Unspecified => {}
            Params::Identifiers(names) => {
                names.iter().for_each(|name| self.declare(name, Meaning::Other));
            }
            Params::Prototype { params, .. } => {
                let names = params.iter().filter_map(|param| param.declarator.name.as_ref());
                names.for_each(|name| self.declare(name, Meaning::Other));
            }
        }
    }

    /// Whether an undeclared name starts what looks like a declaration: `foo x`, `foo *x = ...`.
    pub(super) fn at_unknown_type(&self) -> bool {
        let TokenKind::Ident(symbol) = self.kind() else { return false };
        self.is_undeclared(symbol) && self.is_followed_like_a_type()
    }

    fn is_followed_like_a_type(&self) -> bool {
        let mut distance = 1;
        while self.ahead(distance) == TokenKind::Punct(Punct::Star) {
            distance += 1;
        }
        let name = matches!(self.ahead(distance), TokenKind::Ident(_));
        let end = matches!(
            self.ahead(distance + 1),
            TokenKind::Punct(Punct::Equal | Punct::Semicolon | Punct::Comma | Punct::OpenBracket)
        );
        name && (distance == 1 || end)
    }
}

/// The names that an item declares, and whether they are functions.
fn declared_names(item: &Item) -> (Vec<Ident>, bool) {
    match item {
        Item::Function(function) => (function.declarator.name.iter().cloned().collect(), true),
        Item::Declaration(declaration) => {
            let declarators = declaration.declarators.iter().map(|d| &d.declarator);
            let is_function =
                |d: &Declarator| matches!(d.derived.first(), Some(Derived::Function { .. }));
            let function = declarators.clone().any(is_function);
            (declarators.filter_map(|d| d.name.clone()).collect(), function)
        }
        _ => (Vec::new(), false),
    }
}
