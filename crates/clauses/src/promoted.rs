//! A program prepared with promotion, as the engines that prove programs for any number of threads
//! work on it: its system, its certificates, and the way back to the visible actions.

use std::collections::BTreeSet;

use selvedge_certify::Certificate;
use selvedge_ir::{EdgeId, ProcId, Program};
use selvedge_passes::Prepared;
use selvedge_smt::Limits;
use selvedge_smt::translate::{Arithmetic, Wrap};
use selvedge_system::System;
use selvedge_verdict::{Integers, Options, Run, Stop};

pub struct Promoted<'a> {
    pub program: &'a Program,
    pub prepared: Prepared,
    passes: selvedge_passes::Options,
    integers: Integers,
    /// Until the end of the run.
    limits: Limits,
}

impl<'a> Promoted<'a> {
    pub fn new<Own>(
        program: &'a Program,
        options: &Options<Own>,
        run: &Run<'_>,
    ) -> Result<Promoted<'a>, Stop> {
        let passes = selvedge_passes::Options {
            properties: options.properties.clone(),
            reduce: options.reduce,
            promote: true,
            ..selvedge_passes::Options::default()
        };
        let prepared = run.prepare(program, &passes)?;
        let limits = run.limits(options.queries.as_ref());
        Ok(Promoted { program, prepared, passes, integers: options.integers, limits })
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The program prepared so that it has all visible actions, with the same edges.
    pub fn visible(&self, run: &Run<'_>) -> Result<Prepared, Stop> {
        let passes = selvedge_passes::Options { promote: false, ..self.passes.clone() };
        run.prepare(self.program, &passes)
    }

    /// The threads and what they do, as terms: the modular operations wrap around, and `others` says
    /// what the rest does.
    pub fn system(
        &self,
        others: Wrap,
        modular: BTreeSet<(ProcId, EdgeId)>,
    ) -> Result<System, Stop> {
        let options = selvedge_system::Options {
            arithmetic: match self.integers {
                Integers::Math => Arithmetic::Math,
                Integers::Machine => Arithmetic::Integers(others),
            },
            modular,
            limits: self.limits.clone(),
            ..selvedge_system::Options::new(&self.passes.properties)
        };
        System::build(&self.prepared, &options)
    }

    /// A certificate about the program that says nothing yet.
    pub fn certificate(&self, engine: &str) -> Certificate {
        let arithmetic = match self.integers {
            Integers::Math => selvedge_certify::Arithmetic::Math,
            Integers::Machine => selvedge_certify::Arithmetic::Integers,
        };
        Certificate::new(engine, self.program, &self.passes, arithmetic)
    }
}
