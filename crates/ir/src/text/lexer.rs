//! Splits a text into tokens.

mod comment;

use super::ParseError;
use super::names::{continues_name, int_named, starts_name};
use crate::Int;

/// Where something stands in the text; lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub line: u32,
    pub column: u32,
    /// In bytes from the beginning.
    pub offset: usize,
}

impl At {
    pub fn error(self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.column, message: message.into(), help: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Quoted(String),
    /// A number, and the type written behind it (`5u8`).
    Number(u64, Option<Int>),
    /// `@f0:12:5`; the file may be left out.
    Place(u32, u32, u32),
    Symbol(&'static str),
    End,
}

impl Token {
    /// For "expected .., found ..".
    pub fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Quoted(text) => format!("\"{}\"", text.escape_default()),
            Token::Number(n, None) => format!("`{n}`"),
            Token::Number(n, Some(int)) => format!("`{n}{int}`"),
            Token::Place(..) => "a source place".to_string(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the text".to_string(),
        }
    }
}

/// Longer ones first, so that the first that fits is the longest.
const SYMBOLS: [&str; 39] = [
    ":=", "->", "::", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "(", ")", "{", "}", "[", "]",
    ";", ",", ":", ".", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "?", "=", "→",
    "≠", "≤", "≥",
];

/// What a text consists of.
pub struct Lexed {
    /// The last of them is `End`.
    pub tokens: Vec<(Token, At)>,
    /// Predicates in comments.
    pub predicates: Vec<(String, At)>,
    /// What could not be read.
    pub errors: Vec<ParseError>,
}

pub fn tokens(text: &str) -> Lexed {
    let at = At { line: 1, column: 1, offset: 0 };
    let mut lexer = Lexer { rest: text, at, predicates: Vec::new(), errors: Vec::new() };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let at = lexer.at;
        match lexer.next() {
            Some(Token::End) => {
                tokens.push((Token::End, at));
                let Lexer { predicates, errors, .. } = lexer;
                return Lexed { tokens, predicates, errors };
            }
            Some(token) => tokens.push((token, at)),
            None => {}
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    at: At,
    predicates: Vec<(String, At)>,
    errors: Vec<ParseError>,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.at.offset += c.len_utf8();
        if c == '\n' {
            (self.at.line, self.at.column) = (self.at.line + 1, 1);
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    /// Goes so many bytes on.
    fn pass(&mut self, bytes: usize) {
        let end = self.at.offset + bytes;
        while self.at.offset < end && self.bump().is_some() {}
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.peek().filter(|c| accept(*c)) {
            taken.push(c);
            self.bump();
        }
        taken
    }

    fn skip_blank(&mut self) {
        loop {
            if self.rest.starts_with("//") {
                self.line_comment();
            } else if self.rest.starts_with("/*") {
                self.block_comment();
            } else if self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
                self.bump();
            } else {
                return;
            }
        }
    }

    fn line_comment(&mut self) {
        let length = self.rest.find('\n').unwrap_or(self.rest.len());
        self.comment(length);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest[2..].find("*/") {
            Some(inside) => {
                self.comment(2 + inside);
                self.pass(2);
            }
            None => {
                self.pass(self.rest.len());
                self.errors
                    .push(start.error("this comment does not end").help("close it with `*/`"));
            }
        }
    }

    /// None where something could not be read; it is reported and passed over.
    fn next(&mut self) -> Option<Token> {
        let Some(c) = self.peek() else { return Some(Token::End) };
        if starts_name(c) {
            return Some(Token::Word(self.take_while(continues_name)));
        }
        match c {
            '"' => Some(Token::Quoted(self.quoted())),
            '@' => self.place(),
            c if c.is_ascii_digit() => self.number(),
            _ => self.symbol(),
        }
    }

    fn symbol(&mut self) -> Option<Token> {
        let at = self.at;
        let Some(symbol) = SYMBOLS.into_iter().find(|s| self.rest.starts_with(s)) else {
            let c = self.bump()?;
            self.errors.push(at.error(format!("unexpected character {c:?}")));
            return None;
        };
        for _ in symbol.chars() {
            self.bump();
        }
        Some(Token::Symbol(match symbol {
            "→" => "->",
            "≠" => "!=",
            "≤" => "<=",
            "≥" => ">=",
            other => other,
        }))
    }

    fn number(&mut self) -> Option<Token> {
        let at = self.at;
        let (radix, digits) = if self.rest.starts_with("0x") || self.rest.starts_with("0X") {
            self.bump();
            self.bump();
            (16, self.take_while(|c| c.is_ascii_hexdigit()))
        } else {
            (10, self.take_while(|c| c.is_ascii_digit()))
        };
        let suffix = self.take_while(continues_name);
        let ty = int_named(&suffix);
        if !suffix.is_empty() && ty.is_none() {
            let error = at.error(format!("`{suffix}` is not an integer type"));
            self.errors.push(error.help("a number may end in its type, as in `5u8` or `1i64`"));
        }
        match u64::from_str_radix(&digits, radix) {
            Ok(value) => Some(Token::Number(value, ty)),
            Err(_) => {
                self.errors.push(at.error("this number does not fit 64 bits"));
                Some(Token::Number(0, ty))
            }
        }
    }

    fn decimal(&mut self) -> Option<u32> {
        self.take_while(|c| c.is_ascii_digit()).parse().ok()
    }

    fn place(&mut self) -> Option<Token> {
        let at = self.at;
        self.bump();
        let read = |lexer: &mut Self| -> Option<Token> {
            let mut file = 0;
            if lexer.peek() == Some('f') {
                lexer.bump();
                file = lexer.decimal()?;
                (lexer.bump()? == ':').then_some(())?;
            }
            let line = lexer.decimal()?;
            (lexer.peek()? == ':').then_some(())?;
            lexer.bump();
            Some(Token::Place(file, line, lexer.decimal()?))
        };
        let token = read(self);
        if token.is_none() {
            let error = at.error("this is not a source place");
            self.errors.push(error.help("write `@f0:12:5` (file, line, column) or `@12:5`"));
        }
        token
    }

    fn quoted(&mut self) -> String {
        let start = self.at;
        let mut text = String::new();
        self.bump();
        loop {
            let at = self.at;
            match self.bump() {
                Some('"') => return text,
                Some('\\') => match self.escape() {
                    Some(c) => text.push(c),
                    None => self.errors.push(
                        at.error("unknown escape")
                            .help("one of \\n \\t \\\" \\\\ \\u{1f}; write \\\\ for a backslash"),
                    ),
                },
                Some('\n') | None => {
                    self.errors.push(start.error("this text does not end in a quote"));
                    return text;
                }
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        match self.bump()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            c @ ('"' | '\\') => Some(c),
            'u' => {
                (self.bump()? == '{').then_some(())?;
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                (self.bump()? == '}').then_some(())?;
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
            }
            _ => None,
        }
    }
}
