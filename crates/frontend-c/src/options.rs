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
    /// What a function does that is defined nowhere and is none of the C library.
    pub external: External,
    /// Functions of the library whose failure is a possible outcome.
    pub may_fail: MayFail,
    /// Read what comments specify. It is no part of what the program does.
    pub specifications: bool,
}

/// What is assumed of functions that are defined nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum External {
    /// Any result; anything that its arguments lead to may be written. It keeps no pointer and
    /// calls nothing.
    #[default]
    Havoc,
    /// Any result; nothing is written.
    Pure,
    /// Calling one is not supported.
    Unsupported,
}

impl External {
    pub const ALL: [External; 3] = [External::Havoc, External::Pure, External::Unsupported];

    pub fn name(self) -> &'static str {
        match self {
            External::Havoc => "havoc",
            External::Pure => "pure",
            External::Unsupported => "unsupported",
        }
    }

    pub fn from_name(name: &str) -> Option<External> {
        External::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

/// A set of library functions, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MayFail(Vec<String>);

impl MayFail {
    /// The names are those of functions that the models let fail, or `all`.
    pub fn new(names: impl IntoIterator<Item = String>) -> MayFail {
        MayFail(names.into_iter().collect())
    }

    /// The functions that can be named.
    pub fn known() -> Vec<&'static str> {
        crate::models::fallible()
    }

    pub fn contains(&self, function: &str) -> bool {
        self.0.iter().any(|name| name == "all" || name == function)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            model: DataModel::Lp64,
            properties: vec![Property::Assert],
            preprocess: PreprocessOptions::default(),
            library: false,
            external: External::default(),
            may_fail: MayFail::default(),
            specifications: false,
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
