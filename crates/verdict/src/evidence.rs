//! Verdicts with their evidence, and the only ways to that.

use selvedge_certify::{Accepted, Arithmetic, Certificate, Rejected, check};
use selvedge_exec::replay::record;
use selvedge_exec::trace::ScheduleEntry;
use selvedge_exec::{Stop, Trace};
use selvedge_ir::Program;
use selvedge_smt::Limits;

use crate::conformance::Conformance;
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
    explanation: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Evidence {
    /// The checker has accepted it, from the program and the certificate alone.
    Certificate(Box<Certificate>, Accepted),
    Exhausted(Exhausted),
    /// Each thread conforms to its abstract thread, and the abstract program is safe.
    Parts(Conformance),
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

    /// Likewise, with a text that shows people what was found.
    pub fn explained(self, text: String) -> Proof {
        Proof { explanation: Some(text), ..self }
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    pub fn explanation(&self) -> Option<&str> {
        self.explanation.as_deref()
    }

    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.evidence {
            Evidence::Certificate(certificate, _) => Some(certificate),
            Evidence::Exhausted(_) | Evidence::Parts(_) => None,
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
