//! What the caller asks for, and what goes wrong.

use std::fmt;
use std::path::PathBuf;

use selvedge_ir::Property;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The properties that will be checked.
    pub properties: Vec<Property>,
    /// Folders and jars with classes.
    pub class_path: Vec<PathBuf>,
}

impl Options {
    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// Input that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What to tell the user, line by line.
    pub message: String,
    /// The lines of sources that it is about, where the compiler names them.
    pub lines: Vec<u32>,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), lines: Vec::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.trim_end())
    }
}
