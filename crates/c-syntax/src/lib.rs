//! The syntax of GNU C: source text, diagnostics, lexing and parsing into [`ast`].
//!
//! Nothing here knows Plato. Types are kept as written; giving them meaning is the front end's
//! work.

pub mod ast;
mod diagnostic;
mod lexer;
mod load;
mod parser;
mod show;
mod source;

pub use ast::specification;
pub use diagnostic::{Diagnostic, Severity, render};
pub use load::{DataModel, PreprocessOptions, load};
pub use parser::{Parsed, parse, parse_with};
pub use show::show;
pub use source::{Location, SourceMap};

/// Runs what recurses over a tree of the user's depth, on more stack if need be.
fn with_deep_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 << 10, 4 << 20, run)
}
