//! The text form of Plato, `.plato`: the dump format, the test format, and a language in which a
//! person may write a model by hand (docs/plato.md).

mod ast;
mod lexer;
mod lower;
mod names;
mod parser;
mod print;

use std::fmt;

use crate::stack::with_deep_stack;
use crate::{Action, Expr, Place, Procedure, Program};
use print::expr::Context;
pub(crate) use print::program as print_with_remarks;

/// Past so many mistakes the rest would only be noise.
const MOST_ERRORS: usize = 20;

/// What is wrong with a text; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub help: Option<String>,
}

impl ParseError {
    fn help(mut self, help: impl Into<String>) -> ParseError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

/// The whole program as text; `parse` of it gives the same program.
pub fn print(program: &Program) -> String {
    with_deep_stack(|| print::program(program, &|_| Vec::new()))
}

/// Reads a program. `name` is the text's path as the user knows it: the name of the program and of
/// its source file, where the text itself does not give them.
///
/// ```
/// use selvedge_ir::text::{parse, print};
///
/// let program = parse("a.plato", "shared x: i32; procedure f() { x := 1; } thread 2 f;")
///     .expect("a good program");
/// assert_eq!(parse("a.plato", &print(&program)), Ok(program));
///
/// let errors = parse("b.plato", "procedure f() { x := 1; }").expect_err("a mistake");
/// assert_eq!((errors[0].line, errors[0].column), (1, 17));
/// ```
pub fn parse(name: &str, text: &str) -> Result<Program, Vec<ParseError>> {
    let read = || parser::items(text).and_then(|items| lower::program(name, &items));
    with_deep_stack(read).map_err(|mut errors| {
        errors.sort_by_key(|e| (e.line, e.column));
        errors.dedup();
        errors.truncate(MOST_ERRORS);
        errors
    })
}

/// One action, as it stands on an edge.
pub fn action(program: &Program, procedure: &Procedure, action: &Action) -> String {
    Context::new(program, Some(procedure)).action(action)
}

/// One expression.
pub fn expr(program: &Program, procedure: &Procedure, expr: &Expr) -> String {
    Context::new(program, Some(procedure)).expr(expr, None)
}

/// One place in memory.
pub fn place(program: &Program, procedure: &Procedure, place: &Place) -> String {
    Context::new(program, Some(procedure)).place(place)
}

#[cfg(test)]
mod tests;
