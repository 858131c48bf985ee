//! What the options of `selvedge verify` ask, whether one engine answers or several.

use selvedge_engines::Engine;
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

/// Whether an engine can be asked for proofs of this program with these integers.
pub fn fits(engine: Engine, options: &Verify) -> bool {
    let checks = options.checks.properties.0.iter().all(|&property| engine.checks(property));
    // A search that visits every state has no certificate to write.
    let certifies = options.evidence.certificate.is_none() || engine != Engine::Explore;
    checks && certifies && engine.knows(options.int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_cannot_answer_are_left_out() {
        let fitting = |line: &[&str]| {
            let options = crate::args::tests::verify(line);
            Engine::ALL.into_iter().filter(|&e| fits(e, &options)).collect::<Vec<_>>()
        };
        use Engine::{Contexts, Cover, Explore, Horn, Tar};
        assert_eq!(fitting(&[]), [Explore, Contexts, Tar, Horn, Cover]);
        assert_eq!(fitting(&["--int", "math"]), [Horn, Cover]);
        assert_eq!(fitting(&["--certificate", "c.json"]), [Contexts, Tar, Horn, Cover]);
        assert_eq!(fitting(&["--property", "race"]), [Explore, Contexts, Tar, Horn]);
        assert_eq!(fitting(&["--property", "deadlock"]), [Explore, Contexts]);
    }
}
