//! The syntax of GNU C: source text, diagnostics, lexing and parsing into [`ast`].
//!
//! Nothing here knows Plato. Types are kept as written; giving them meaning is the front end's
//! work.

pub mod ast;
mod diagnostic;
mod lexer;
mod load;
mod parser;
mod source;

pub use diagnostic::{Diagnostic, Severity, render};
pub use load::{DataModel, PreprocessOptions, load};
pub use parser::{INVARIANT, Parsed, parse};
pub use source::{Location, SourceMap};
