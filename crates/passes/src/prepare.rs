//! The pipeline that engines run before they start, and the dump of each of its stages.

use selvedge_ir::Program;

use crate::devirtualize::devirtualize;
use crate::fields;
use crate::inline::inline;
use crate::limits::{Limits, Unprepared, without_limits};
use crate::locks::{self, Locks};
use crate::options::Options;
use crate::parallel::{self, Parallel};
use crate::prefix;
use crate::promote::promote;
use crate::reduce::{Facts, reduce};
use crate::regions::{self, Regions};
use crate::simplify::simplify;
use crate::{Footprints, Liveness, Templates, footprint, threads};

/// A program made ready, with what the analyses found out about it.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub program: Program,
    pub liveness: Liveness,
    pub footprints: Footprints,
    pub templates: Templates,
    pub regions: Regions,
    /// What a pass could not do, for the user: calls that stayed because of a limit.
    pub notes: Vec<String>,
}

/// Prepares a program, within a budget.
///
/// ```
/// use selvedge_budget::Clock;
/// use selvedge_passes::{Limits, Options, prepare_within};
///
/// let program = selvedge_ir::text::parse(
///     "example",
///     "shared x: i32;
///      procedure add(n: i32) { local v: i32; v := x; x := v + n; }
///      procedure main() { call add(3); }
///      thread main main;",
/// )
/// .unwrap();
/// let limits = Limits::until(&Clock::counting(), None);
/// let prepared = prepare_within(&program, &Options::default(), &limits).unwrap();
/// // The call is gone, and so is what was called.
/// assert_eq!(prepared.program.procedures.len(), 1);
/// ```
pub fn prepare_within(
    program: &Program,
    options: &Options,
    limits: &Limits,
) -> Result<Prepared, Unprepared> {
    let mut stages = Stages::new(program, options);
    stages.run(Stage::Reduce, limits)?;
    let Stages { program, notes, regions, templates, .. } = stages;
    let liveness = Liveness::of(&program, limits)?;
    let footprints = Footprints::of(&program, &regions, limits)?;
    Ok(Prepared { program, liveness, footprints, templates, regions, notes })
}

/// Likewise, however long it takes: for tests, and for programs that are known to be small.
pub fn prepare(program: &Program, options: &Options) -> Prepared {
    without_limits(|limits| prepare_within(program, options, limits))
}

/// The pipeline, run as far as wanted.
pub(crate) struct Stages<'a> {
    options: &'a Options,
    pub(crate) program: Program,
    notes: Vec<String>,
    regions: Regions,
    templates: Templates,
}

impl<'a> Stages<'a> {
    pub(crate) fn new(program: &Program, options: &'a Options) -> Stages<'a> {
        Stages {
            options,
            program: program.clone(),
            notes: Vec::new(),
            regions: Regions::default(),
            templates: Templates::default(),
        }
    }

    /// Runs the transformations up to the stage, it included.
    pub(crate) fn run(&mut self, last: Stage, limits: &Limits) -> Result<(), Unprepared> {
        for stage in Stage::ALL.into_iter().take_while(|&stage| stage <= last) {
            self.run_one(stage, limits)?;
        }
        Ok(())
    }

    fn run_one(&mut self, stage: Stage, limits: &Limits) -> Result<(), Unprepared> {
        let program = &mut self.program;
        match stage {
            Stage::Devirtualize => devirtualize(program, self.options.fields, limits)?,
            Stage::Inline => self.notes = inline(program, self.options.inline_limit, limits)?,
            Stage::Simplify => self.simplify(limits)?,
            Stage::Promote if self.options.promote => promote(program, limits)?,
            Stage::Regions if self.options.fields => {
                self.regions = fields::split(program, limits)?;
            }
            Stage::Regions => self.regions = regions::split(program, limits)?,
            Stage::Threads => self.templates = Templates::within(program, limits)?,
            Stage::Reduce if self.options.reduce => self.reduce(limits)?,
            // Optional, or an analysis whose result another stage asks for.
            Stage::Promote
            | Stage::Reduce
            | Stage::Ir
            | Stage::Fields
            | Stage::Locks
            | Stage::Parallel
            | Stage::Footprint => {}
        }
        Ok(())
    }

    fn simplify(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        simplify(&mut self.program, &self.options.properties, limits)?;
        if self.options.fields {
            prefix::decide(&mut self.program, limits)?;
            simplify(&mut self.program, &self.options.properties, limits)?;
        }
        Ok(())
    }

    fn reduce(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        let parallel = Parallel::of(&self.program, &self.templates, limits)?;
        let locks = Locks::of(&self.program, &self.regions, &parallel, limits)?;
        let facts = Facts {
            regions: &self.regions,
            templates: &self.templates,
            locks: &locks,
            parallel: &parallel,
        };
        reduce(&mut self.program, &facts, self.options, limits)
    }
}

/// What can be printed: the program after a transformation, or the result of an analysis of the
/// program as prepared. In the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Ir,
    Devirtualize,
    Inline,
    Simplify,
    /// In the pipeline, where engines ask for it ([`Options::promote`]).
    Promote,
    /// Regions by fields; in the pipeline, they take the place of the other kind where wanted.
    Fields,
    Regions,
    Threads,
    Locks,
    Parallel,
    Footprint,
    Reduce,
}

/// Every stage with its name, in order.
const STAGES: [(Stage, &str); 12] = [
    (Stage::Ir, "ir"),
    (Stage::Devirtualize, "devirtualize"),
    (Stage::Inline, "inline"),
    (Stage::Simplify, "simplify"),
    (Stage::Promote, "promote"),
    (Stage::Fields, "fields"),
    (Stage::Regions, "regions"),
    (Stage::Threads, "threads"),
    (Stage::Locks, "locks"),
    (Stage::Parallel, "parallel"),
    (Stage::Footprint, "footprint"),
    (Stage::Reduce, "reduce"),
];

impl Stage {
    pub const ALL: [Stage; STAGES.len()] = {
        let mut all = [Stage::Ir; STAGES.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = STAGES[index].0;
            index += 1;
        }
        all
    };

    pub fn name(self) -> &'static str {
        STAGES[self as usize].1
    }

    pub fn from_name(name: &str) -> Option<Stage> {
        STAGES.iter().find(|(_, own)| *own == name).map(|(stage, _)| *stage)
    }
}

/// The stage's result as text: Plato for programs, a listing for analyses. What the options leave
/// out of the pipeline is done for its own stage.
pub fn dump(program: &Program, stage: Stage, options: &Options) -> String {
    without_limits(|limits| dump_within(program, stage, options, limits))
}

fn dump_within(
    program: &Program,
    stage: Stage,
    options: &Options,
    limits: &Limits,
) -> Result<String, Unprepared> {
    let mut stages = Stages::new(program, options);
    stages.run(stage, limits)?;
    match stage {
        Stage::Promote if !options.promote => promote(&mut stages.program, limits)?,
        Stage::Fields => {
            fields::split(&mut stages.program, limits)?;
        }
        _ => {}
    }
    let Stages { program, regions, templates, .. } = &stages;
    let parallel = || Parallel::of(program, templates, limits);
    Ok(match stage {
        Stage::Threads => threads::listing(program, templates),
        Stage::Locks => {
            locks::listing(program, &Locks::of(program, regions, &parallel()?, limits)?)
        }
        Stage::Parallel => parallel::listing(program, templates, &parallel()?),
        Stage::Footprint => footprint::listing(program, &Footprints::of(program, regions, limits)?),
        Stage::Ir
        | Stage::Devirtualize
        | Stage::Inline
        | Stage::Simplify
        | Stage::Promote
        | Stage::Fields
        | Stage::Regions
        | Stage::Reduce => selvedge_ir::text::print(program),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_stands_at_its_place_in_the_table() {
        for (index, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, index);
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
        }
        assert_eq!(Stage::from_name("none of them"), None);
    }
}
