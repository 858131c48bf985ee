//! The scanner: splits a text into tokens and skips comments and preprocessor lines.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::aside::{Aside, Begun, Clause, Macros};
use super::cursor::{Cursor, without_splices};
use super::keyword::SPELLINGS;
use super::literal::RAW_BYTE;
use super::name::{is_name_char, resolve_universal_names};
use super::pragma::Pragmas;
use super::punct::longest_punct;
use super::{Keyword, Punct, Symbol, Token, TokenKind};
use crate::ast::{Annotation, Encoding, Span};
use crate::diagnostic::Diagnostic;

/// The tokens of a text. The last is always [`TokenKind::End`].
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    /// The name of each symbol.
    pub names: Vec<Rc<str>>,
    /// The token of every word, keywords included.
    pub words: FxHashMap<Rc<str>, TokenKind>,
    pub pragmas: Pragmas,
    /// What annotations say of the program as a whole.
    pub annotations: Vec<Annotation>,
    /// Names that specifications declare, where these are passed over.
    pub specified: Vec<Rc<str>>,
    /// Comments with specifications, in their order.
    pub asides: Vec<Aside>,
    /// The clauses of bodies, one for each of their keywords among the tokens.
    pub clauses: Vec<Aside>,
    pub diagnostics: Vec<Diagnostic>,
}

/// More than this is no program with mistakes, but something else than a program.
const MAX_DIAGNOSTICS: usize = 1_000;

/// With `specifications`, those in comments are read; otherwise they are passed over.
pub(crate) fn lex(source: u32, text: &str, specifications: bool) -> Lexed {
    let mut scanner = Scanner {
        source,
        cursor: Cursor::new(text),
        first_of_line: true,
        annotation: None,
        specifications,
        macros: Macros::default(),
        defining: false,
        aside: None,
        clause: None,
        lexed: Lexed {
            tokens: Vec::with_capacity(text.len() / 5),
            names: Vec::new(),
            words: SPELLINGS
                .iter()
                .map(|&(text, word)| (Rc::from(text), TokenKind::Keyword(word)))
                .collect(),
            pragmas: Pragmas::default(),
            annotations: Vec::new(),
            specified: Vec::new(),
            asides: Vec::new(),
            clauses: Vec::new(),
            diagnostics: Vec::new(),
        },
    };
    while scanner.token() {
        scanner.pragma_operator();
    }
    scanner.lexed
}

/// The kind of comment that a clause stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    Block,
    Line,
}

pub(super) struct Scanner<'a> {
    source: u32,
    pub(super) cursor: Cursor<'a>,
    pub(super) first_of_line: bool,
    /// The comment whose clauses are read as tokens.
    pub(super) annotation: Option<Comment>,
    /// Whether specifications are read.
    pub(super) specifications: bool,
    /// Macros that are defined here, for specifications.
    pub(super) macros: Macros,
    /// Whether the body of a macro is read, which may have the words of specifications.
    pub(super) defining: bool,
    /// The comment whose tokens are no part of the program.
    pub(super) aside: Option<Begun>,
    /// The clause of a body that is read.
    pub(super) clause: Option<Clause>,
    pub(super) lexed: Lexed,
}

impl Scanner<'_> {
    /// Makes the next token; false after the last one.
    pub(super) fn token(&mut self) -> bool {
        self.skip_blanks();
        let start = self.cursor.at();
        let Some(c) = self.cursor.peek() else {
            self.push(TokenKind::End, start);
            return false;
        };
        if let Some(kind) = self.special(start) {
            self.push(kind, start);
            return true;
        }
        let kind = match c {
            '#' if self.first_of_line && self.aside.is_none() => {
                self.directive(start);
                None
            }
            'a'..='z' | 'A'..='Z' | '_' | '$' => Some(self.word(start)),
            '0'..='9' => Some(self.number()),
            '.' if self.cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) => {
                Some(self.number())
            }
            '"' | '\'' => Some(self.quoted(start, Encoding::Plain)),
            '\\' if matches!(self.cursor.peek_second(), Some('u' | 'U')) => Some(self.word(start)),
            c if is_name_char(c) => Some(self.word(start)),
            _ => self.punct().or_else(|| self.stray(start)),
        };
        if let Some(kind) = kind {
            self.push(kind, start);
            let semicolon = kind == TokenKind::Punct(Punct::Semicolon);
            if self.in_clause() && semicolon && !self.in_quantifier() {
                self.end_clause();
                self.next_clause();
            }
        }
        true
    }

    pub(super) fn push(&mut self, kind: TokenKind, start: u32) {
        let span = self.span(start);
        self.lexed.tokens.push(Token { kind, span, first_of_line: self.first_of_line });
        self.first_of_line = false;
    }

    pub(super) fn span(&self, start: u32) -> Span {
        Span { source: self.source, start, end: self.cursor.end().max(start) }
    }

    fn skip_blanks(&mut self) {
        loop {
            if self.at_annotation_end() {
                self.leave_annotation();
            }
            match self.cursor.peek() {
                Some('@') if self.annotation.is_some() => {
                    self.cursor.next();
                }
                Some('\n') => {
                    self.first_of_line = true;
                    self.cursor.next();
                }
                Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                    self.cursor.next();
                }
                Some('/') => match self.cursor.peek_second() {
                    Some('/') if self.begins_annotation(Comment::Line) => {}
                    Some('*') if self.begins_annotation(Comment::Block) => {}
                    Some('/') => self.cursor.eat_while(|c| c != '\n'),
                    Some('*') => self.block_comment(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn begins_annotation(&mut self, comment: Comment) -> bool {
        self.annotation.is_none() && self.enter_annotation(comment)
    }

    fn block_comment(&mut self) {
        let start = self.cursor.at();
        self.cursor.next();
        self.cursor.next();
        let opening = self.span(start);
        while let Some(c) = self.cursor.next() {
            if c == '*' && self.cursor.eat('/') {
                return;
            }
        }
        self.error(opening, "this comment is never closed", Some("add `*/` where it should end"));
    }

    fn word(&mut self, start: u32) -> TokenKind {
        while let Some(c) = self.cursor.peek() {
            if is_name_char(c) {
                self.cursor.next();
            } else if c == '\\' && matches!(self.cursor.peek_second(), Some('u' | 'U')) {
                self.cursor.next();
                self.cursor.next();
            } else {
                break;
            }
        }
        let text = self.cursor.since(start);
        if matches!(self.cursor.peek(), Some('"' | '\''))
            && let Some(encoding) = prefix(text)
        {
            return self.quoted(start, encoding);
        }
        if !text.contains('\\') {
            return self.intern(text);
        }
        match resolve_universal_names(&without_splices(text)) {
            Some(name) => self.intern(&name),
            None => {
                self.error(self.span(start), "incomplete universal character name", None);
                self.intern(&text.replace('\\', "_"))
            }
        }
    }

    /// Inside a clause that is read as tokens of the program.
    fn in_clause(&self) -> bool {
        self.annotation.is_some() && self.aside.is_none()
    }

    pub(super) fn intern(&mut self, text: &str) -> TokenKind {
        if let Some(&kind) = self.lexed.words.get(text) {
            return kind;
        }
        let name: Rc<str> = text.into();
        let kind = TokenKind::Ident(Symbol(self.lexed.names.len() as u32));
        self.lexed.names.push(name.clone());
        self.lexed.words.insert(name, kind);
        kind
    }

    /// A preprocessing number. Unlike the standard's, it ends before `..` (so that `1...5` is a
    /// range), and a sign continues a hexadecimal one only after `p`.
    fn number(&mut self) -> TokenKind {
        let start = self.cursor.at();
        let mut last = self.cursor.next();
        let mut hexadecimal = false;
        while let Some(c) = self.cursor.peek() {
            let exponent = match last {
                Some('e' | 'E') => !hexadecimal,
                Some('p' | 'P') => hexadecimal,
                _ => false,
            };
            let continues = match c {
                '+' | '-' => exponent,
                '.' => self.cursor.peek_second() != Some('.'),
                _ => c.is_ascii_alphanumeric() || c == '_',
            };
            if !continues {
                break;
            }
            last = self.cursor.next();
            hexadecimal |= matches!(self.cursor.since(start), "0x" | "0X");
        }
        TokenKind::Number
    }

    /// A string or character constant, at its opening quote.
    fn quoted(&mut self, start: u32, encoding: Encoding) -> TokenKind {
        let quote = self.cursor.next();
        loop {
            match self.cursor.peek() {
                None | Some('\n') => {
                    self.unterminated(start, quote == Some('"'));
                    break;
                }
                Some('\\') => {
                    self.cursor.next();
                    if self.cursor.peek() != Some('\n') {
                        self.cursor.next();
                    }
                }
                c => {
                    self.cursor.next();
                    if c == quote {
                        break;
                    }
                }
            }
        }
        if quote == Some('"') { TokenKind::String(encoding) } else { TokenKind::Char(encoding) }
    }

    fn unterminated(&mut self, start: u32, string: bool) {
        let (message, help) = if string {
            ("this string is never closed", "add the closing `\"`")
        } else {
            ("this character constant is never closed", "add the closing `'`")
        };
        self.error(self.span(start), message, Some(help));
    }

    fn punct(&mut self) -> Option<TokenKind> {
        let mut ahead = self.cursor;
        let text: [Option<char>; 4] = std::array::from_fn(|_| ahead.next());
        let (punct, length) = longest_punct(text)?;
        for _ in 0..length {
            self.cursor.next();
        }
        Some(TokenKind::Punct(punct))
    }

    /// A character that starts no token, and those like it that follow.
    fn stray(&mut self, start: u32) -> Option<TokenKind> {
        let c = self.cursor.next()?;
        let help = match c {
            '\u{2018}'..='\u{201f}' => Some("a typographic quote: use a plain `\"` or `'`"),
            _ => None,
        };
        let shown = match u32::from(c).checked_sub(RAW_BYTE) {
            Some(byte) => format!("\\x{byte:02x}"),
            None if c.is_control() => c.escape_default().to_string(),
            None => c.to_string(),
        };
        self.cursor.eat_while(|c| !c.is_ascii_graphic() && !c.is_whitespace() && !is_name_char(c));
        self.error(self.span(start), &format!("unexpected character `{shown}`"), help);
        None
    }

    /// A line that starts with `#`. Line markers were read by the source map.
    fn directive(&mut self, start: u32) {
        self.cursor.eat_while(|c| c != '\n');
        let line = without_splices(self.cursor.since(start));
        let rest = line.trim_start_matches('#').trim();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        match word {
            "pragma" => {
                let span = self.span(start);
                self.lexed.pragmas.read(span, rest["pragma".len()..].trim());
            }
            "define" if self.specifications => {
                let word = self.cursor.since(start).find("define").unwrap_or_default();
                self.define(start + (word + "define".len()) as u32, self.cursor.end());
            }
            "undef" if self.specifications => self.undefine(&rest["undef".len()..]),
            "line" | "ident" | "sccs" | "" => {}
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => {
                let message = format!("the directive `#{word}` is ignored");
                let warning = Diagnostic::warning("c-directive", message).at(self.span(start));
                let help = "a file whose name ends in `.i` is taken as preprocessed; rename it if it is not";
                self.lexed.diagnostics.push(warning.help(help));
            }
        }
    }

    /// `_Pragma("...")` means the pragma once it is complete.
    fn pragma_operator(&mut self) {
        let tokens = &mut self.lexed.tokens;
        let Some(first) = tokens.len().checked_sub(4) else { return };
        let [a, b, c, d] = std::array::from_fn(|i| tokens[first + i].kind);
        if a == TokenKind::Keyword(Keyword::Pragma)
            && b == TokenKind::Punct(Punct::OpenParen)
            && matches!(c, TokenKind::String(_))
            && d == TokenKind::Punct(Punct::CloseParen)
        {
            let (start, string) = (tokens[first].span.start, tokens[first + 2].span);
            tokens.truncate(first);
            let text = without_splices(self.cursor.between(string.start, string.end));
            let inner = text.trim_start_matches('L').trim_matches('"');
            let text = inner.replace("\\\"", "\"").replace("\\\\", "\\");
            let span = self.span(start);
            self.lexed.pragmas.read(span, &text);
        }
    }

    fn error(&mut self, span: Span, message: &str, help: Option<&str>) {
        if self.lexed.diagnostics.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let mut error = Diagnostic::error("c-lex", message).at(span);
        error.help = help.map(str::to_string);
        self.lexed.diagnostics.push(error);
    }
}

fn prefix(text: &str) -> Option<Encoding> {
    match text {
        "L" => Some(Encoding::Wide),
        "u" => Some(Encoding::Utf16),
        "U" => Some(Encoding::Utf32),
        "u8" => Some(Encoding::Utf8),
        _ => None,
    }
}
