//! The text form of Plato, `.plato`: the dump format, the test format, and a language in which a
//! person may write a model by hand (docs/plato.md).

use std::fmt;

use crate::{Action, Expr, Place, Procedure, Program};

/// What is wrong with a text; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub help: Option<String>,
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
    format!("{program:?}")
}

/// Reads a program. `name` is the program's name if the text does not give one.
pub fn parse(name: &str, _text: &str) -> Result<Program, Vec<ParseError>> {
    Ok(Program { name: name.to_string(), ..Program::default() })
}

/// One action, as it stands on an edge.
pub fn action(_program: &Program, _procedure: &Procedure, action: &Action) -> String {
    format!("{action:?}")
}

/// One expression.
pub fn expr(_program: &Program, _procedure: &Procedure, expr: &Expr) -> String {
    format!("{expr:?}")
}

/// One place in memory.
pub fn place(_program: &Program, _procedure: &Procedure, place: &Place) -> String {
    format!("{place:?}")
}
