//! Recursive descent from tokens to the syntax tree. A broken item or statement is reported and
//! passed over, so that one run shows several mistakes.

mod body;
mod expr;
mod item;
mod spec;

use super::ParseError;
use super::ast::{Item, LayoutRef, Name};
use super::lexer::{At, Lexed, Token, tokens};
use super::names::{RESERVED, type_named};
use crate::{FileId, Span, Type};

/// How deeply expressions and statements may nest.
const DEPTH_LIMIT: u32 = 10_000;

/// The mistake is reported already.
pub struct Failed;

pub type Parsed<T> = Result<T, Failed>;

pub fn items(text: &str) -> Result<Vec<Item>, Vec<ParseError>> {
    let Lexed { tokens, predicates, errors } = tokens(text);
    let mut parser = Parser { text, tokens, position: 0, depth: 0, errors };
    let mut items = parser.program();
    let predicates = predicates.into_iter();
    items.extend(predicates.map(|(text, at)| Item::Predicate { text, at, span: None }));
    if parser.errors.is_empty() { Ok(items) } else { Err(parser.errors) }
}

struct Parser<'a> {
    text: &'a str,
    /// Never empty: the last is `End`.
    tokens: Vec<(Token, At)>,
    position: usize,
    depth: u32,
    errors: Vec<ParseError>,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.position].0
    }

    fn at(&self) -> At {
        self.tokens[self.position].1
    }

    fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.position + n).min(self.tokens.len() - 1)].0
    }

    fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(s) if *s == symbol)
    }

    fn is_ahead(&self, n: usize, symbol: &str) -> bool {
        matches!(self.ahead(n), Token::Symbol(s) if *s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(w) if w == word)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn fail<T>(&mut self, error: ParseError) -> Parsed<T> {
        self.errors.push(error);
        Err(Failed)
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = self.token().describe();
        let error = self.at().error(format!("expected {what}, found {found}"));
        self.fail(error)
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.accept(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn is_name(&self, n: usize) -> bool {
        match self.ahead(n) {
            Token::Quoted(_) => true,
            Token::Word(word) => !RESERVED.contains(&word.as_str()),
            _ => false,
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let at = self.at();
        let (text, quoted) = match self.token() {
            Token::Quoted(text) => (text.clone(), true),
            Token::Word(word) if !RESERVED.contains(&word.as_str()) => (word.clone(), false),
            Token::Word(word) => {
                let error = at.error(format!("expected {what}, found the word `{word}`"));
                let help = format!("as a name it is written in quotes: \"{word}\"");
                return self.fail(error.help(help));
            }
            _ => return self.expected(what),
        };
        self.advance();
        Ok(Name { text, at, quoted })
    }

    fn quoted(&mut self, what: &str) -> Parsed<String> {
        let Token::Quoted(text) = self.token() else { return self.expected(what) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    fn number(&mut self, what: &str) -> Parsed<u64> {
        let Token::Number(value, None) = *self.token() else { return self.expected(what) };
        self.advance();
        Ok(value)
    }

    fn ty(&mut self) -> Parsed<Type> {
        let found = match self.token() {
            Token::Word(word) => type_named(word),
            _ => None,
        };
        let Some(ty) = found else {
            let found = self.token().describe();
            let error = self.at().error(format!("expected a scalar type, found {found}"));
            return self.fail(error.help("one of bool, ptr, thread, i1 .. i64, u1 .. u64"));
        };
        self.advance();
        Ok(ty)
    }

    fn layout_ref(&mut self) -> Parsed<LayoutRef> {
        let at = self.at();
        let base = match self.token() {
            Token::Word(word) if (word == "struct" || word == "union") && self.is_name(1) => {
                let word = word.clone();
                self.advance();
                let tag = self.name("a tag")?;
                Name { text: format!("{word} {}", tag.text), at, quoted: false }
            }
            _ => self.name("a type or the name of a layout")?,
        };
        let mut dimensions = Vec::new();
        while self.accept("[") {
            dimensions.push(self.number("the number of elements")?);
            self.expect("]")?;
        }
        Ok(LayoutRef { base, dimensions })
    }

    fn span(&mut self) -> Option<Span> {
        let Token::Place(file, line, column) = *self.token() else { return None };
        self.advance();
        Some(Span::new(FileId::from_u32(file), line, column))
    }

    /// Runs a part of the parser one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_LIMIT {
            let error = self.at().error("nested too deeply");
            return self.fail(error);
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }
}
