//! Verdicts with their evidence, and the only ways to that.

use selvedge_abstract_threads::Subject;
use selvedge_certify::{Accepted, Arithmetic, Assumption, Certificate, Rejected, check};
use selvedge_certify_contracts as contracts;
use selvedge_certify_locks as locks;
use selvedge_exec::replay::record;
use selvedge_exec::trace::ScheduleEntry;
use selvedge_exec::{Stop, Trace};
use selvedge_ir::Program;
use selvedge_smt::Limits;

use crate::division::{Obligation, obligations, part, stopped};
use crate::exhaust::Exhausted;
use crate::options::{Integers, Options};

/// What is known for certain, with the evidence. Everything else is a [`Stop`].
#[derive(Clone, Debug)]
pub enum Verdict {
    Safe(Proof),
    Unsafe(Counterexample),
}

/// Why a program is safe.
#[derive(Clone, Debug)]
pub struct Proof {
    evidence: Evidence,
    explanation: Option<Explanation>,
}

/// What a proof shows to people, and what it says as clauses of a specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    pub text: String,
    /// Each with its first word and its `;`: `global_invariant x >= 0;`.
    pub clauses: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Evidence {
    /// The checker has accepted it, from the program and the certificate alone.
    Certificate(Box<Certificate>, Accepted),
    Exhausted(Exhausted),
    /// Each thread conforms to its abstract thread, each procedure keeps the contract that was used in
    /// its place, and the abstract program is safe.
    Parts(Conformance),
    /// Every procedure keeps its contract: the checker of such certificates has accepted it, from the
    /// program and the certificate alone.
    Contracts(Box<contracts::Certificate>, contracts::Accepted),
    /// Locks and intervals exclude everything: the checker of such certificates has accepted it, from
    /// the program and the certificate alone.
    Locks(Box<locks::Certificate>, locks::Accepted),
}

/// A proof in parts: a program with abstract threads is safe if each of its threads conforms to its
/// abstract thread and the abstract program is safe (Lahiri, Malkis and Qadeer, "Abstract Threads",
/// Theorem 1). Made by [`Conformance::prove`] only, which makes the parts from the program.
#[derive(Clone, Debug)]
pub struct Conformance {
    parts: Vec<(Obligation, Proof)>,
}

/// An execution that goes wrong, replayed on the program as it was given.
#[derive(Clone, Debug)]
pub struct Counterexample {
    trace: Box<Trace>,
}

impl Proof {
    /// A proof by a certificate, if it answers the question and the checker accepts it within the
    /// limits.
    pub fn checked<Own>(
        program: &Program,
        options: &Options<Own>,
        certificate: Certificate,
        limits: &Limits,
    ) -> Result<Proof, Rejected> {
        answers(&certificate, options)?;
        let accepted = check(program, &certificate, limits)?;
        let evidence = Evidence::Certificate(Box::new(certificate), accepted);
        Ok(Proof { evidence, explanation: None })
    }

    /// A proof by a search that visited every state.
    pub fn exhausted(search: Exhausted) -> Proof {
        Proof { evidence: Evidence::Exhausted(search), explanation: None }
    }

    /// A proof of every part.
    pub fn in_parts(parts: Conformance) -> Proof {
        Proof { evidence: Evidence::Parts(parts), explanation: None }
    }

    /// A proof by contracts, if it answers the question and the checker accepts it within the limits.
    pub fn by_contracts<Own>(
        program: &Program,
        options: &Options<Own>,
        certificate: contracts::Certificate,
        solvers: contracts::Solvers,
        limits: &Limits,
    ) -> Result<Proof, contracts::Rejected> {
        let accepted = contracts::check(program, &certificate, solvers, limits)?;
        let claimed = |property| accepted.properties.contains(property);
        if let Some(property) = options.properties.iter().find(|property| !claimed(property)) {
            let why = format!("it does not claim `{property}`");
            return Err(contracts::Rejected::Malformed(why));
        }
        let evidence = Evidence::Contracts(Box::new(certificate), accepted);
        Ok(Proof { evidence, explanation: None })
    }

    /// A proof by locks and intervals, if it answers the question and the checker accepts it within
    /// the limits.
    pub fn by_locked_memory<Own>(
        program: &Program,
        options: &Options<Own>,
        certificate: locks::Certificate,
        limits: &selvedge_passes::Limits,
    ) -> Result<Proof, locks::Rejected> {
        let claimed = |property| certificate.properties.contains(property);
        if let Some(property) = options.properties.iter().find(|property| !claimed(property)) {
            let why = format!("it does not claim `{property}`");
            return Err(locks::Rejected::Malformed(why));
        }
        let accepted = locks::check(program, &certificate, limits)?;
        let evidence = Evidence::Locks(Box::new(certificate), accepted);
        Ok(Proof { evidence, explanation: None })
    }

    /// Likewise, with a text that shows people what was found.
    pub fn explained(self, explanation: Explanation) -> Proof {
        Proof { explanation: Some(explanation), ..self }
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    pub fn explanation(&self) -> Option<&Explanation> {
        self.explanation.as_ref()
    }

    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.evidence {
            Evidence::Certificate(certificate, _) => Some(certificate),
            _ => None,
        }
    }
}

impl Counterexample {
    /// The execution that follows a schedule, if it goes wrong on the program as it was given.
    pub fn scheduled<Own>(
        program: &Program,
        options: &Options<Own>,
        schedule: &[ScheduleEntry],
    ) -> Result<Counterexample, Stop> {
        let machine = selvedge_exec::Options {
            any_threads: options.threads,
            ..selvedge_exec::Options::new(&options.properties)
        };
        let trace = record(program, &machine, schedule)
            .map_err(|divergence| Stop::Unconfirmed { what: divergence.to_string() })?;
        if trace.failure().is_none() {
            return Err(Stop::Unconfirmed { what: format!("it ends with: {}", trace.outcome) });
        }
        Ok(Counterexample { trace: Box::new(trace) })
    }

    /// The same of a trace, which is run again whoever made it.
    pub fn replayed<Own>(
        program: &Program,
        options: &Options<Own>,
        trace: &Trace,
    ) -> Result<Counterexample, Stop> {
        let options = Options { threads: Some(trace.options.any_threads), ..options.ask(()) };
        Counterexample::scheduled(program, &options, &trace.schedule())
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Verdict {
    /// UNSAFE, if the program as it was given goes wrong along the trace.
    pub fn replayed<Own>(
        program: &Program,
        options: &Options<Own>,
        trace: &Trace,
    ) -> Result<Verdict, Stop> {
        Counterexample::replayed(program, options, trace).map(Verdict::Unsafe)
    }
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

/// A proof is of no use to a part of another program.
fn about(proof: Proof, program: &Program) -> Result<Proof, Stop> {
    let other = |carried: &str| {
        let own = selvedge_ir::text::parse("part", carried);
        !own.is_ok_and(|own| own.does_the_same_as(program))
    };
    let carried = match &proof.evidence {
        Evidence::Certificate(certificate, _) => Some(&certificate.program),
        Evidence::Locks(certificate, _) => Some(&certificate.program),
        _ => None,
    };
    match carried.is_some_and(|carried| other(carried)) {
        true => Err(Stop::Defect { what: "the proof of a part is about another program".into() }),
        false => Ok(proof),
    }
}

/// Whether a certificate is about all that is asked. The checker does not know the question: a proof
/// of one property, or about integers without bounds, is a good proof of something else.
fn answers<Own>(certificate: &Certificate, options: &Options<Own>) -> Result<(), Rejected> {
    let claimed = |property| certificate.properties.contains(property);
    if let Some(property) = options.properties.iter().find(|property| !claimed(property)) {
        return Err(Rejected::Malformed(format!("it does not claim `{property}`")));
    }
    if certificate.arithmetic == Arithmetic::Math && options.integers == Integers::Machine {
        let why = "it takes integers to have no bounds, which was not asked for";
        return Err(Rejected::Malformed(why.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Property, text};

    use super::*;

    /// A certificate that says nothing, for a program in which nothing can go wrong.
    fn check(claims: &[Property], arithmetic: Arithmetic) -> Result<Proof, Rejected> {
        let source = "shared x: i32; procedure main() { x := 1; } thread main main;";
        let program = text::parse("test.plato", source).expect("a good program");
        let properties = claims.to_vec();
        let passes = selvedge_passes::Options { properties, ..selvedge_passes::Options::default() };
        let certificate = Certificate::new("test", &program, &passes, arithmetic);
        let options: Options = Options::new(&[Property::Assert]);
        Proof::checked(&program, &options, certificate, &Limits::none())
    }

    #[test]
    fn a_certificate_must_answer_the_question() {
        let malformed = |result| matches!(result, Err(Rejected::Malformed(_)));
        assert!(malformed(check(&[Property::Overflow], Arithmetic::Integers)));
        assert!(malformed(check(&[Property::Assert], Arithmetic::Math)));
        let right = check(&[Property::Assert, Property::Overflow], Arithmetic::Integers);
        assert!(!malformed(right), "it is looked at");
    }
}
