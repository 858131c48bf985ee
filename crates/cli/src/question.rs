//! What the options of `selvedge verify` ask, whether one engine answers or several.

use selvedge_engines::Engine;
use selvedge_ir::Property;
use selvedge_verdict::Budget;

use crate::args::Verify;
use crate::input::{self, Input};
use crate::memory;
use crate::status::Refusal;

/// What may be used up. The solver keeps to the memory as well.
pub fn budget(options: &Verify) -> Budget {
    let memory = options.memory.unwrap_or_else(memory::default_limit);
    selvedge_smt::set_memory_limit(u32::try_from(memory >> 20).unwrap_or(u32::MAX).max(1));
    Budget { time: options.limit(), memory: Some(memory), work: options.work }
}

/// Reads the program.
pub fn load(options: &Verify) -> Result<Input, Refusal> {
    let properties = &options.checks.properties.0;
    input::load(&options.input.files, &options.input.preprocessor, properties, false)
}

/// Those of some properties that an engine can be asked for.
pub fn fitting(engine: Engine, options: &Verify, properties: &[Property]) -> Vec<Property> {
    // A search that visits every state has no certificate to write; nobody has one for deadlocks.
    let certifies = |property| {
        options.evidence.certificate.is_none()
            || engine != Engine::Explore
            || property == Property::Deadlock
    };
    let fits = |property: &Property| engine.checks(*property) && certifies(*property);
    match engine.knows(options.int) {
        true => properties.iter().copied().filter(fits).collect(),
        false => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_cannot_answer_are_left_out() {
        let engines = |line: &[&str]| {
            let options = crate::args::tests::verify(line);
            let asked = &options.checks.properties.0;
            let fits = |engine: &Engine| !fitting(*engine, &options, asked).is_empty();
            Engine::ALL.into_iter().filter(fits).collect::<Vec<_>>()
        };
        use Engine::{Contexts, Cover, Explore, Horn, Locks, Tar};
        assert_eq!(engines(&[]), [Explore, Contexts, Tar, Horn, Cover, Locks]);
        assert_eq!(engines(&["--int", "math"]), [Horn, Cover]);
        let certificate = ["--property", "assert", "--certificate", "c.json"];
        assert_eq!(engines(&certificate), [Contexts, Tar, Horn, Cover, Locks]);
        let race = ["--property", "race"];
        assert_eq!(engines(&race), [Explore, Contexts, Tar, Horn, Cover, Locks]);
        assert_eq!(engines(&["--property", "deadlock"]), [Explore, Contexts]);
    }
}
