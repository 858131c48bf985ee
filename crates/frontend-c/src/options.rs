//! What the caller asks for, and what it gets.

use selvedge_c_syntax::{Diagnostic, PreprocessOptions, SourceMap};
use selvedge_ir::{DataModel, Program, Property};

#[derive(Clone, Debug)]
pub struct Options {
    pub model: DataModel,
    /// The properties that will be checked: they decide which assertions are emitted (`Overflow`)
    /// and what the library models look at.
    pub properties: Vec<Property>,
    /// Passed on to the preprocessor; its data model is set from `model`.
    pub preprocess: PreprocessOptions,
    /// Lower every function that is defined, and do not ask for `main`. For inspection only: the
    /// program has no threads.
    pub library: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            model: DataModel::Lp64,
            properties: vec![Property::Assert],
            preprocess: PreprocessOptions::default(),
            library: false,
        }
    }
}

impl Options {
    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// A program that was understood.
#[derive(Debug)]
pub struct Compiled {
    pub program: Program,
    /// The program with its loop invariants, where there are any: assertions of
    /// [`Property::Invariant`] at the heads of loops, with the actions that evaluate them.
    pub annotated: Option<Program>,
    /// Warnings and notes; no errors.
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
}

/// Input that was not understood, with every reason found.
#[derive(Debug)]
pub struct Failure {
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
}
