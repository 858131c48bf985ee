//! What initialises an object, as the syntax gives it.

use selvedge_c_syntax::ast::{self, InitItem, Initializer, Span};

/// An initialiser, or the braces of a compound literal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Init<'a> {
    Expr(&'a ast::Expr),
    List(&'a [InitItem], Span),
}

impl<'a> From<&'a Initializer> for Init<'a> {
    fn from(init: &'a Initializer) -> Init<'a> {
        match init {
            Initializer::Expr(expr) => Init::Expr(expr),
            Initializer::List(items, span) => Init::List(items, *span),
        }
    }
}

impl Init<'_> {
    pub fn span(self) -> Span {
        match self {
            Init::Expr(expr) => expr.span,
            Init::List(_, span) => span,
        }
    }
}
