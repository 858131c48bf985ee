//! Standard output and standard error: colours, width, and readers that go away.

use std::io::{self, ErrorKind, IsTerminal, Write};

/// Writes to standard output. A reader that has gone (`selvedge ... | head`) is no error: the exit
/// status still tells the verdict.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        complain(&format!("error: cannot write to standard output: {error}\n"));
    }
}

/// Writes to standard error; if that fails too, there is nobody left to tell.
pub fn complain(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Colours only for a terminal or where they are forced, and not where the user has switched them
/// off (no-color.org, bixense.com/clicolors).
pub fn colour_on_stdout() -> bool {
    (io::stdout().is_terminal() || is_set("CLICOLOR_FORCE")) && colours_wanted()
}

pub fn colour_on_stderr() -> bool {
    io::stderr().is_terminal() && colours_wanted()
}

fn colours_wanted() -> bool {
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Columns of the terminal, or of a page where the output goes elsewhere.
pub fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let real = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(real).unwrap_or(100).clamp(40, 400)
}
