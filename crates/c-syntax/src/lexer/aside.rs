//! What the scanner keeps beside the tokens of the program: comments with specifications, and the
//! macros that they may use.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Symbol, Token};
use crate::ast::Span;

/// A comment with specifications.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    /// The last is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// Where each is spelled: elsewhere, if it comes from a macro.
    pub spelled: Vec<Span>,
    /// How many tokens of the program come before it.
    pub at: usize,
    /// Something of the program stands before it on its line.
    pub beside: bool,
    pub span: Span,
}

/// A clause of a body that is being read: where its tokens begin.
#[derive(Clone, Copy)]
pub(super) struct Clause {
    pub first: usize,
    pub start: u32,
}

/// A comment whose tokens are being set aside.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    pub first: usize,
    pub start: u32,
    pub beside: bool,
}

/// A macro, for use in specifications.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// The parameters of one that is written like a function.
    pub parameters: Option<Vec<Symbol>>,
    pub body: Vec<Token>,
}

pub(super) type Macros = FxHashMap<Rc<str>, Macro>;
