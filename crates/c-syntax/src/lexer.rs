//! From source text to tokens.
//!
//! All tokens of a text are made at once: the parser looks ahead freely and goes back cheaply.
//! Tokens are small and copied; literals are decoded only when the parser takes them up.

mod annotation;
mod aside;
mod cursor;
mod keyword;
pub(crate) mod literal;
mod macros;
mod name;
mod pragma;
mod punct;
mod scan;
mod specification;
mod token;

pub(crate) use annotation::may_have_annotations;
pub(crate) use aside::Aside;
pub(crate) use keyword::Keyword;
pub(crate) use pragma::Pragmas;
pub(crate) use scan::{Lexed, lex};
pub(crate) use token::{Punct, Symbol, Token, TokenKind};
