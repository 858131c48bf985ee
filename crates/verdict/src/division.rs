//! The parts that abstract threads divide a program into.

use selvedge_abstract_threads::{Refused, Subject};
use selvedge_exec::Stop;
use selvedge_ir::Program;

/// What a proof has a part for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Obligation {
    /// The threads that the abstract thread of this number stands for conform to it.
    Conforms(usize),
    /// The procedure of the contract of this number keeps it: it stands in the place of calls where
    /// threads are checked.
    Keeps(usize),
    /// The abstract program is safe.
    Composition,
}

/// All parts, the composition last.
pub fn obligations(subject: &Subject) -> Vec<Obligation> {
    let threads = (0..subject.threads().len()).map(Obligation::Conforms);
    let contracts = (0..subject.contracts().len()).map(Obligation::Keeps);
    threads.chain(contracts).chain([Obligation::Composition]).collect()
}

/// The program that a part is about.
pub fn part(subject: &Subject, obligation: Obligation) -> Result<Program, Refused> {
    match obligation {
        Obligation::Conforms(index) => subject.instrument(index),
        Obligation::Keeps(index) => subject.instrument_contract(index),
        Obligation::Composition => subject.compose(),
    }
}

/// Why there is no verdict where the parts cannot be made.
pub fn stopped(refused: Refused) -> Stop {
    match refused {
        Refused::Annotation { message, span } => Stop::Annotation { message, span },
        Refused::Unsupported { what, span } => Stop::Unsupported { what, span },
        Refused::Unprepared(why) => Stop::TooLarge { what: why.to_string() },
    }
}
