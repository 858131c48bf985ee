//! Places in source files.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// A source file of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(u32);
entity_impl!(FileId, "f");

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// As the user knows it: the path given, or the one in a line marker.
    pub name: String,
}

/// A point in a source file; lines and columns count from 1. `line == 0` means "no source".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

impl Span {
    /// For what no source holds: generated actions, programs built by hand.
    pub const NONE: Span = Span { file: FileId(0), line: 0, column: 0 };

    pub fn new(file: FileId, line: u32, column: u32) -> Span {
        Span { file, line, column }
    }

    pub fn is_none(self) -> bool {
        self.line == 0
    }
}
