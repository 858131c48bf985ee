//! What only this engine is asked, and what it does not do.

use selvedge_ir::{Multiplicity, Program, Property};
use selvedge_verdict::{Abilities, Options, Stop};

/// The engine's name, as in `--engine tar`.
pub const NAME: &str = "tar";

pub const ABILITIES: Abilities =
    Abilities { name: NAME, unchecked: &[Property::Deadlock], math: false };

/// What only this engine knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Look at all pairs of accesses that may race, not only until the first race is found. What
    /// becomes of each is in [`selvedge_verdict::Run::races`].
    pub all_races: bool,
}

/// An error if something is asked that the engine does not do.
pub fn supported(program: &Program, options: &Options<Own>) -> Result<(), Stop> {
    ABILITIES.admit(options)?;
    if options.threads.is_some() && program.threads.iter().any(|t| t.count == Multiplicity::Any) {
        return Err(ABILITIES.lacks("a fixed number of threads in place of any number"));
    }
    Ok(())
}

/// How programs are prepared.
pub fn passes(options: &Options<Own>) -> selvedge_passes::Options {
    selvedge_passes::Options {
        properties: options.properties.clone(),
        reduce: options.reduce,
        ..selvedge_passes::Options::default()
    }
}
