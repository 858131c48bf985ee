//! Proofs in parts: a program with abstract threads is safe if each of its threads conforms to its
//! abstract thread and the abstract program is safe (Lahiri, Malkis and Qadeer, "Abstract Threads",
//! Theorem 1).

use selvedge_abstract_threads::{Refused, Subject};
use selvedge_certify::{Assumption, same};
use selvedge_exec::Stop;
use selvedge_ir::{Program, text};
use selvedge_passes::{Limits, Unprepared};

use crate::evidence::{Evidence, Proof};
use crate::run::Run;

/// What a proof has a part for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Obligation {
    /// The threads that the abstract thread of this number stands for conform to it.
    Conforms(usize),
    /// The abstract program is safe.
    Composition,
}

/// A proof of every part. Made by [`Conformance::prove`] only, which makes the parts from the program.
#[derive(Clone, Debug)]
pub struct Conformance {
    parts: Vec<(Obligation, Proof)>,
}

impl Conformance {
    /// Asks for a proof of each part of a program, also after one has failed, so that all are heard
    /// of. The first failure counts.
    pub fn prove(
        subject: &Subject,
        mut prove: impl FnMut(Obligation, &Program) -> Result<Proof, Stop>,
    ) -> Result<Conformance, Stop> {
        let mut parts = Vec::new();
        let mut failure = None;
        for obligation in obligations(subject) {
            let proved = part(subject, obligation)
                .map_err(stopped)
                .and_then(|program| about(prove(obligation, &program)?, &program));
            match proved {
                Ok(proof) => parts.push((obligation, proof)),
                Err(stop) => {
                    failure.get_or_insert(stop);
                }
            }
        }
        failure.map_or(Ok(Conformance { parts }), Err)
    }

    pub fn parts(&self) -> &[(Obligation, Proof)] {
        &self.parts
    }

    /// What the parts take for granted, each once.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let mut all: Vec<Assumption> = Vec::new();
        for (_, proof) in &self.parts {
            if let Evidence::Certificate(_, accepted) = proof.evidence() {
                let new = accepted.assumptions.iter().filter(|known| !all.contains(known));
                let new: Vec<Assumption> = new.cloned().collect();
                all.extend(new);
            }
        }
        all
    }
}

/// All parts, the composition last.
pub fn obligations(subject: &Subject) -> Vec<Obligation> {
    let threads = (0..subject.threads().len()).map(Obligation::Conforms);
    threads.chain([Obligation::Composition]).collect()
}

/// The program that a part is about.
pub fn part(subject: &Subject, obligation: Obligation) -> Result<Program, Refused> {
    match obligation {
        Obligation::Conforms(index) => subject.instrument(index),
        Obligation::Composition => subject.compose(),
    }
}

/// A proof is of no use to a part of another program.
fn about(proof: Proof, program: &Program) -> Result<Proof, Stop> {
    let other = |certificate: &selvedge_certify::Certificate| {
        let own = text::parse("part", &certificate.program);
        !own.is_ok_and(|own| same(&own, program))
    };
    match proof.certificate().is_some_and(other) {
        true => Err(Stop::Defect { what: "the proof of a part is about another program".into() }),
        false => Ok(proof),
    }
}

impl Run<'_> {
    /// A program with its abstract threads, within what is left.
    pub fn subject(&self, program: &Program) -> Result<Subject, Stop> {
        self.check()?;
        let limits = Limits::until(self.clock(), self.end());
        Subject::of(program, &limits).map_err(|refused| match refused {
            Refused::Unprepared(Unprepared::OutOfBudget) => self.out_of_budget(),
            other => stopped(other),
        })
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
