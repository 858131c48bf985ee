//! The program as this engine works on it: prepared, as a system of threads, with values.
//!
//! The program is prepared once, and once more by fields if it has memory of several types.
//!
//! Terms are about integers without bounds, and steps have an error where an operation would wrap
//! around. Where values do not exclude that, the operation is translated with wrapping around: exactly,
//! by a case distinction. To prove that it does not happen would be no use, since nothing depends on it
//! but the translation, and much work: the counter of a private loop has nothing to do with a race.

use std::collections::BTreeSet;

use selvedge_ir::{EdgeId, ProcId, Program};
use selvedge_passes::Prepared;
use selvedge_smt::Limits;
use selvedge_verdict::{Options, Run, Stop};

use super::flow::find_values;
use super::model::{Ghost, Model};
use super::options::{Own, passes};
use selvedge_system::{Bad, End, System};

/// An integer operation: a procedure and an edge of it.
pub type Operation = (ProcId, EdgeId);

/// The prepared program, and how its system is built.
pub struct Source<'a> {
    pub program: &'a Program,
    pub passes: selvedge_passes::Options,
    pub prepared: Prepared,
    /// The operations that wrap around explicitly.
    pub wrapping: BTreeSet<Operation>,
    /// Whether fewer than 2^31 threads are taken to exist at once.
    pub few: bool,
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
        Ok(Source { program, passes, prepared, wrapping, few: false, build, out_of_budget })
    }

    pub fn limits(&self) -> &Limits {
        &self.build.limits
    }

    /// The threads to begin with. Operations that may wrap around, for all that is known of values, do so
    /// explicitly. What they compute may then be more, so others may wrap around in turn.
    pub fn first(&mut self) -> Result<Threads, Stop> {
        loop {
            let threads = self.threads()?;
            let before = self.wrapping.len();
            self.wrapping.extend(may_wrap(&threads.model));
            if self.wrapping.len() == before {
                return Ok(threads);
            }
        }
    }

    /// The threads if fewer than 2^31 exist at once.
    pub fn with_few(&mut self) -> Result<Threads, Stop> {
        self.few = true;
        self.threads()
    }

    fn threads(&mut self) -> Result<Threads, Stop> {
        self.build.modular = self.wrapping.clone();
        let system = System::build(&self.prepared, &self.build)?;
        let mut model = Model::new(system.clone());
        model.few = self.few;
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

/// The operations whose wrapping around is an error that values do not exclude.
fn may_wrap(model: &Model) -> Vec<Operation> {
    let mut found = Vec::new();
    for id in model.ids() {
        let template = model.template(id);
        for (index, step) in template.steps.iter().enumerate() {
            if let End::Bad(Bad::Wrap { edge, .. }) = step.end
                && model.values.is_possible(id, index as u32)
            {
                found.push((template.procedure, edge));
            }
        }
    }
    found
}
