//! What the engine is asked, and what it is not for.

use selvedge_ir::{Multiplicity, Program, Property, Span};
use selvedge_verdict::{Abilities, Options, Stop};

/// The engine's name, as in `--engine cover`.
pub const NAME: &str = "cover";

pub const ABILITIES: Abilities =
    Abilities { name: NAME, unchecked: &[Property::Deadlock], math: true };

/// The engine's own options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// Predicates to begin with.
    pub predicates: Vec<GivenPredicate>,
    /// Whether the atoms of a solution of Horn clauses are candidates for predicates.
    pub atoms: bool,
}

/// A predicate as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenPredicate {
    pub text: String,
    /// Where it was written, for messages about it.
    pub span: Span,
}

impl Default for Own {
    fn default() -> Own {
        Own { predicates: Vec::new(), atoms: true }
    }
}

/// Whether this is a question for the engine.
pub fn supported(program: &Program, options: &Options<Own>) -> Result<(), Stop> {
    ABILITIES.admit(options)?;
    let any = program.threads.iter().any(|threads| threads.count == Multiplicity::Any);
    if any && options.threads.is_some() {
        return Err(ABILITIES.lacks("a fixed number of threads in place of any number"));
    }
    Ok(())
}
