//! What an engine can be asked.

use selvedge_exec::Stop;
use selvedge_ir::Property;

use crate::options::{Integers, Options};

/// What an engine says of itself. It is the only place that says it: whoever chooses among engines
/// reads it here, and the engine refuses everything else by it before any work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// As in `--engine NAME`.
    pub name: &'static str,
    /// Properties that it does not check.
    pub unchecked: &'static [Property],
    /// Whether it knows integers without bounds.
    pub math: bool,
}

impl Abilities {
    pub fn checks(&self, property: Property) -> bool {
        !self.unchecked.contains(&property)
    }

    pub fn knows(&self, integers: Integers) -> bool {
        integers == Integers::Machine || self.math
    }

    /// An error if the question is none for this engine.
    pub fn admit<Own>(&self, options: &Options<Own>) -> Result<(), Stop> {
        if let Some(&property) = options.properties.iter().find(|&&p| !self.checks(p)) {
            return Err(Stop::Property { engine: self.name.into(), property });
        }
        if !self.knows(options.integers) {
            return Err(self.lacks("integers without bounds"));
        }
        Ok(())
    }

    /// How the engine says that it does not have an option.
    pub fn lacks(&self, what: &str) -> Stop {
        Stop::Option { engine: self.name.into(), what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_cannot_do_is_refused() {
        let engine = Abilities { name: "toy", unchecked: &[Property::Race], math: false };
        let mut options: Options = Options::new(&[Property::Assert]);
        assert_eq!(engine.admit(&options), Ok(()));
        options.integers = Integers::Math;
        assert_eq!(engine.admit(&options), Err(engine.lacks("integers without bounds")));
        options.properties.push(Property::Race);
        let stop = Stop::Property { engine: "toy".into(), property: Property::Race };
        assert_eq!(engine.admit(&options), Err(stop));
    }
}
