//! The program as this engine works on it: prepared, as a system of threads, with values.
//!
//! The program is prepared once, and once more by fields if it has memory of several types. The
//! system is built once, and again for each operation that turns out to wrap around.

use std::collections::BTreeSet;

use selvedge_ir::{EdgeId, ProcId, Program};
use selvedge_passes::Prepared;
use selvedge_smt::Limits;
use selvedge_verdict::{Options, Run, Stop};

use super::flow::find_values;
use super::model::{Ghost, Model};
use super::options::{Own, passes};
use super::wraps::harmless;
use selvedge_system::System;

/// An integer operation: a procedure and an edge of it.
pub type Operation = (ProcId, EdgeId);

/// The prepared program, and how its system is built.
pub struct Source<'a> {
    pub program: &'a Program,
    pub passes: selvedge_passes::Options,
    pub prepared: Prepared,
    /// The operations that wrap around explicitly.
    pub wrapping: BTreeSet<Operation>,
    build: selvedge_system::Options,
    out_of_budget: Stop,
}

/// A system of threads, and the model made of a copy of it, with the values that were found.
pub struct Threads {
    pub system: System,
    pub model: Model,
}

impl<'a> Source<'a> {
    pub fn of(
        program: &'a Program,
        options: &Options<Own>,
        run: &Run<'_>,
    ) -> Result<Source<'a>, Stop> {
        let mut passes = passes(options);
        let mut prepared = run.prepare(program, &passes)?;
        // Memory of several types is followed field by field; that accesses stay in theirs is proved.
        if prepared.program.regions.values().any(|region| region.ty.is_none()) {
            passes.fields = true;
            prepared = run.prepare(program, &passes)?;
        }
        let limits = run.limits(options.queries.as_ref());
        let build = selvedge_system::Options {
            limits,
            ..selvedge_system::Options::new(&passes.properties)
        };
        let (wrapping, out_of_budget) = (BTreeSet::new(), run.out_of_budget());
        Ok(Source { program, passes, prepared, wrapping, build, out_of_budget })
    }

    pub fn limits(&self) -> &Limits {
        &self.build.limits
    }

    /// The threads to begin with. Operations whose wrapping around is harmless do so from the start.
    pub fn first(&mut self) -> Result<Threads, Stop> {
        let threads = self.threads()?;
        self.wrapping = harmless(&threads.model);
        if self.wrapping.is_empty() { Ok(threads) } else { self.threads() }
    }

    /// The threads with one more operation that wraps around.
    pub fn wrapping_at(&mut self, operation: Operation) -> Result<Threads, Stop> {
        self.wrapping.insert(operation);
        self.threads()
    }

    fn threads(&mut self) -> Result<Threads, Stop> {
        self.build.modular = self.wrapping.clone();
        let system = System::build(&self.prepared, &self.build)?;
        let mut model = Model::new(system.clone());
        for id in model.ids() {
            if !model.template(id).initial {
                model.expose(Ghost::Started(id));
            }
        }
        let values = find_values(&model, self.limits());
        model.values = values.map_err(|_| self.out_of_budget.clone())?;
        Ok(Threads { system, model })
    }
}
