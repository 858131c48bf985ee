//! The parser: recursive descent over the tokens of one text, with the scopes of typedef names.
//!
//! A function returns `Err(Failed)` after it has reported a diagnostic; blocks and the top level
//! then skip to the next `;` or `}` and go on, so that one run finds several mistakes.

mod asm;
mod attribute;
mod builtin;
mod declaration;
mod declarator;
mod error;
mod expression;
mod initializer;
mod invariant;
mod literal;
mod pragma;
mod record;
mod scope;
mod specification;
mod specifier;
mod statement;
#[cfg(test)]
mod tests;
mod type_builder;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ast::specification::Specifications;
use crate::ast::{Annotation, Ident, Span, TranslationUnit};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Aside, Keyword, Lexed, Pragmas, Punct, Symbol, Token, TokenKind, lex};
use crate::source::SourceMap;
use declaration::Declared;
use error::Failed;
use scope::{Meaning, Scopes};

/// What a source text parses to. With an error among the diagnostics the unit is incomplete.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    pub unit: TranslationUnit,
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a preprocessed source text.
///
/// ```
/// use selvedge_c_syntax::ast::Item;
/// use selvedge_c_syntax::{SourceMap, parse};
///
/// let mut sources = SourceMap::new();
/// let source = sources.add("a.c", "int x = 1;\nint main(void) { return x; }\n");
/// let parsed = parse(source, &sources);
/// assert!(parsed.diagnostics.is_empty());
/// assert!(matches!(parsed.unit.items[1], Item::Function(_)));
///
/// let wrong = sources.add("b.c", "int x = ;\n");
/// let message = &parse(wrong, &sources).diagnostics[0].message;
/// assert_eq!(message, "expected an expression, found `;`");
/// ```
pub fn parse(source: u32, sources: &SourceMap) -> Parsed {
    parse_with(source, sources, false)
}

/// As [`parse`]; with `specifications`, those in comments are read as well.
pub fn parse_with(source: u32, sources: &SourceMap, specifications: bool) -> Parsed {
    let text = sources.text(source);
    let mut parser = Parser::new(text, lex(source, text, specifications));
    let unit = parser.translation_unit();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| span.start));
    Parsed { unit, diagnostics }
}

/// How deep parentheses, blocks and the like may nest.
const MAX_NESTING: usize = 2_000;

/// How many operators, labels or `else if` may follow each other on one level. They nest in the
/// tree, so walking it takes a stack in proportion.
const MAX_CHAIN: usize = 50_000;

type Result<T> = std::result::Result<T, Failed>;

/// Where a comment with specifications stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    File,
    Record,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    names: Vec<Rc<str>>,
    words: FxHashMap<Rc<str>, TokenKind>,
    pragmas: Pragmas,
    /// How many of the unsupported pragmas have been taken up.
    pragmas_taken: usize,
    annotations: Vec<Annotation>,
    specified: Vec<Rc<str>>,
    /// Comments with specifications that are still to come.
    asides: VecDeque<Aside>,
    /// The clauses of bodies, in their order.
    clauses: VecDeque<Aside>,
    specifications: Specifications,
    /// The tokens are those of a comment, spelled here.
    in_comment: Option<Vec<Span>>,
    /// The next token; never past the last one, which is the end.
    at: usize,
    nesting: usize,
    scopes: Scopes,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    /// The token the last error was at: a second message there would be noise.
    last_error: Option<usize>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, lexed: Lexed) -> Parser<'a> {
        Parser {
            text,
            scopes: Scopes::new(&lexed.names),
            tokens: lexed.tokens,
            names: lexed.names,
            words: lexed.words,
            pragmas: lexed.pragmas,
            pragmas_taken: 0,
            annotations: lexed.annotations,
            specified: lexed.specified,
            asides: lexed.asides.into(),
            clauses: lexed.clauses.into(),
            specifications: Specifications::default(),
            in_comment: None,
            at: 0,
            nesting: 0,
            diagnostics: lexed.diagnostics,
            errors: 0,
            last_error: None,
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `distance` after the next one.
    fn ahead(&self, distance: usize) -> TokenKind {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// From the start of an earlier span to the last token taken.
    fn since(&self, start: Span) -> Span {
        let end = self.previous_span().end;
        Span { end: end.max(start.start), ..start }
    }

    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Takes the next token.
    fn bump(&mut self) -> Token {
        let token = self.token();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn at_end(&self) -> bool {
        self.kind() == TokenKind::End
    }

    fn at_punct(&self, punct: Punct) -> bool {
        self.kind() == TokenKind::Punct(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at_punct(punct);
        if found {
            self.bump();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Result<Span> {
        if self.at_punct(punct) {
            return Ok(self.bump().span);
        }
        Err(self.expected(&format!("`{}`", punct.text())))
    }

    /// Takes the bracket that closes the one at `opening`.
    fn close(&mut self, punct: Punct, opening: Span) -> Result<Span> {
        if self.at_punct(punct) {
            return Ok(self.bump().span);
        }
        Err(self.unclosed(punct, opening))
    }

    fn name(&self, symbol: Symbol) -> Rc<str> {
        self.names[symbol.0 as usize].clone()
    }

    /// Takes an identifier, be it a typedef name or not.
    fn ident(&mut self, what: &str) -> Result<(Symbol, Ident)> {
        let TokenKind::Ident(symbol) = self.kind() else { return Err(self.expected(what)) };
        let span = self.bump().span;
        Ok((symbol, Ident { name: self.name(symbol), span }))
    }

    /// Declares a name in the innermost scope.
    fn declare(&mut self, name: &Ident, meaning: Meaning) {
        if let Some(&TokenKind::Ident(symbol)) = self.words.get(&name.name) {
            self.scopes.declare(symbol, meaning);
        }
    }

    /// The text of a token.
    fn spelling(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The text of the next token.
    fn written(&self) -> &'a str {
        let elsewhere = self.in_comment.as_ref().and_then(|spelled| spelled.get(self.at));
        self.spelling(elsewhere.copied().unwrap_or(self.span()))
    }

    /// Runs a part of the parser one level deeper, on more stack if need be.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let result = crate::with_deep_stack(|| part(self));
        self.nesting -= 1;
        result
    }

    /// Whether the next token can start a type name.
    fn at_type(&self) -> bool {
        self.is_type_start(0)
    }

    /// Whether the token `distance` after the next can start a type name.
    fn is_type_start(&self, distance: usize) -> bool {
        match self.ahead(distance) {
            TokenKind::Keyword(Keyword::Extension | Keyword::Attribute) => {
                self.is_type_start_after_prefixes(distance)
            }
            TokenKind::Keyword(keyword) => keyword.starts_type(),
            TokenKind::Ident(symbol) => self.scopes.is_typedef(symbol),
            _ => false,
        }
    }

    /// `__extension__` and attributes go before types and before other things: look past them.
    fn is_type_start_after_prefixes(&self, distance: usize) -> bool {
        let distance = self.after_prefixes(distance);
        match self.ahead(distance) {
            TokenKind::Keyword(keyword) => keyword.starts_type(),
            TokenKind::Ident(symbol) => self.scopes.is_typedef(symbol),
            _ => false,
        }
    }

    /// Whether the next token can start a declaration.
    fn at_declaration(&self) -> bool {
        match self.ahead(self.after_prefixes(0)) {
            TokenKind::Keyword(keyword) => keyword.starts_specifiers(),
            TokenKind::Ident(symbol) => self.scopes.is_typedef(symbol),
            _ => false,
        }
    }

    /// The distance of the first token after any `__extension__` and attributes.
    fn after_prefixes(&self, mut distance: usize) -> usize {
        loop {
            match self.ahead(distance) {
                TokenKind::Keyword(Keyword::Extension) => distance += 1,
                TokenKind::Keyword(Keyword::Attribute) => {
                    distance = self.after_brackets(distance + 1);
                }
                TokenKind::Punct(Punct::OpenBracket)
                    if self.ahead(distance + 1) == TokenKind::Punct(Punct::OpenBracket) =>
                {
                    distance = self.after_brackets(distance);
                }
                _ => return distance,
            }
        }
    }

    /// The distance of the token after a bracketed group that starts at `distance`.
    fn after_brackets(&self, mut distance: usize) -> usize {
        let mut depth = 0;
        loop {
            match self.ahead(distance) {
                TokenKind::Punct(Punct::OpenParen | Punct::OpenBracket | Punct::OpenBrace) => {
                    depth += 1;
                }
                TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket | Punct::CloseBrace) => {
                    depth -= 1;
                }
                TokenKind::End => return distance,
                _ => {}
            }
            distance += 1;
            if depth <= 0 {
                return distance;
            }
        }
    }
}
