//! Verdicts with their evidence, and the only ways to that.

use selvedge_certify::{Accepted, Certificate, Rejected, check};
use selvedge_exec::replay::record;
use selvedge_exec::trace::ScheduleEntry;
use selvedge_exec::{Stop, Trace};
use selvedge_ir::Program;
use selvedge_smt::Limits;

use crate::exhaust::Exhausted;
use crate::options::Options;

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
}

/// An execution that goes wrong, replayed on the program as it was given.
#[derive(Clone, Debug)]
pub struct Counterexample {
    trace: Box<Trace>,
}

impl Proof {
    /// A proof by a certificate, if the checker accepts it within what is left of the run.
    pub fn certified(
        program: &Program,
        certificate: Certificate,
        limits: &Limits,
    ) -> Result<Proof, Rejected> {
        let accepted = check(program, &certificate, limits)?;
        let evidence = Evidence::Certificate(Box::new(certificate), accepted);
        Ok(Proof { evidence, explanation: None })
    }

    /// A proof by a search that visited every state.
    pub fn exhausted(search: Exhausted) -> Proof {
        Proof { evidence: Evidence::Exhausted(search), explanation: None }
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
            Evidence::Exhausted(_) => None,
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
    pub fn replayed(program: &Program, trace: &Trace) -> Result<Counterexample, Stop> {
        let threads = Some(trace.options.any_threads);
        let options = Options { threads, ..Options::new(&trace.options.properties) };
        Counterexample::scheduled::<()>(program, &options, &trace.schedule())
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Verdict {
    /// UNSAFE, if the program as it was given goes wrong along the trace.
    pub fn replayed(program: &Program, trace: &Trace) -> Result<Verdict, Stop> {
        Counterexample::replayed(program, trace).map(Verdict::Unsafe)
    }
}
