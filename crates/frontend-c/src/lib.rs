//! From C sources to a Plato program: typing, linking and lowering.
//!
//! The sources are parsed by `selvedge-c-syntax`; what they mean is decided here. Library
//! functions (pthreads, C11 threads, the C library) are C text of their own ([`models`]) that is
//! lowered like the user's code, over a small set of intrinsics.

mod models;
mod options;

pub use options::{Compiled, Failure, Options};

use std::path::PathBuf;

use selvedge_c_syntax::{Diagnostic, SourceMap};

/// Reads, parses, links and lowers the files into one program.
///
/// It recurses over the nesting of the source: run it in a thread with a large stack.
pub fn compile(paths: &[PathBuf], options: &Options) -> Result<Compiled, Failure> {
    let _ = (paths, options);
    let problem = Diagnostic::error("lowering", "lowering is not built yet");
    Err(Failure { diagnostics: vec![problem], sources: SourceMap::new() })
}
