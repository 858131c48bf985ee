//! The syntax of GNU C: source text, diagnostics, lexing and parsing into [`ast`].
//!
//! Nothing here knows Plato. Types are kept as written; giving them meaning is the front end's
//! work.

pub mod ast;
