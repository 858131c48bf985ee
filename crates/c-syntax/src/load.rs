//! Reading source files, with the system's preprocessor where they need it.

use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    #[default]
    Lp64,
    Ilp32,
}

/// What the preprocessor is told.
#[derive(Clone, Debug, Default)]
pub struct PreprocessOptions {
    pub include_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`
    pub defines: Vec<String>,
    /// Files included before the first line (`-include`).
    pub forced_includes: Vec<PathBuf>,
    pub model: DataModel,
}

/// Reads one file into the source map.
pub fn load(
    path: &Path,
    _options: &PreprocessOptions,
    sources: &mut SourceMap,
) -> Result<u32, Diagnostic> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Diagnostic::error("file", format!("{}: {error}", path.display())))?;
    Ok(sources.add(path.display().to_string(), text))
}
