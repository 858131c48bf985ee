//! The modules of a crate: what each holds, which others it names, and where that goes in circles.
//!
//! Everything is read from the text. A name counts as the module that defines it: if `b` imports
//! `super::Thing`, and the parent has it from `c`, then `b` depends on `c`. What methods need that
//! are defined elsewhere for the same type is not seen.

mod cycles;
mod paths;
mod read;
mod resolve;

use std::path::{Path, PathBuf};

pub use cycles::cycles;
pub use read::read;

/// Gives the text of a file, if there is one.
pub type Files<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The modules of one crate without those for tests, the root first.
#[derive(Debug, Default)]
pub struct Modules {
    pub all: Vec<Module>,
}

#[derive(Debug, Default)]
pub struct Module {
    /// Its name from the root on, which itself has no name.
    pub path: Vec<String>,
    pub parent: Option<usize>,
    pub file: PathBuf,
    /// The lines of its file; none where it stands inside another module's file.
    pub lines: usize,
    /// The lines of its file that are for tests.
    pub test_lines: usize,
    /// The lines of the files that it has for tests only.
    pub test_file_lines: usize,
    pub functions: Vec<Function>,
    /// What it defines, other than modules.
    items: Vec<String>,
    imports: Vec<Import>,
    /// What `use a::b::*` opens.
    globs: Vec<Vec<String>>,
    /// Other paths in its text.
    mentions: Vec<Vec<String>>,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    /// From its first word to its closing brace.
    pub lines: usize,
}

#[derive(Debug)]
struct Import {
    /// By which it is known here.
    name: String,
    path: Vec<String>,
}

impl Module {
    pub fn name(&self) -> String {
        if self.path.is_empty() { "crate".to_owned() } else { self.path.join("::") }
    }
}
