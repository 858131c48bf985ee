//! The pipeline that engines run before they start, and the dump of each of its stages.

use selvedge_ir::{Program, Property};

use crate::devirtualize::devirtualize;
use crate::fields;
use crate::inline::inline;
use crate::locks::{self, Locks};
use crate::parallel::{self, Parallel};
use crate::prefix;
use crate::promote::promote;
use crate::reduce::{Facts, reduce};
use crate::regions::{self, Regions};
use crate::simplify::simplify;
use crate::{Footprints, Liveness, Templates, footprint, threads};

#[derive(Clone, Debug)]
pub struct Options {
    /// What is checked: assertions of other properties are dropped, and reduction keeps what these
    /// need to see.
    pub properties: Vec<Property>,
    /// Whether locations may become `Joined`. Off, every interleaving point stays.
    pub reduce: bool,
    /// Whether memory is divided by the fields of structures, taking accesses to stay in the field or
    /// array that they name ([`crate::fields`]).
    pub fields: bool,
    /// Whether private variables in memory become locals ([`crate::promote`]).
    pub promote: bool,
    /// Edges of one procedure beyond which calls are no longer inlined.
    pub inline_limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            properties: vec![Property::Assert],
            reduce: true,
            fields: false,
            promote: false,
            inline_limit: 200_000,
        }
    }
}

impl Options {
    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

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

pub fn prepare(program: &Program, options: &Options) -> Prepared {
    let mut stages = Stages::new(program, options);
    stages.run(Stage::Reduce);
    let Stages { program, notes, regions, templates, .. } = stages;
    let liveness = Liveness::of(&program);
    let footprints = Footprints::of(&program, &regions);
    Prepared { program, liveness, footprints, templates, regions, notes }
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
    pub(crate) fn run(&mut self, last: Stage) {
        for stage in Stage::ALL.into_iter().take_while(|&stage| stage <= last) {
            match stage {
                Stage::Devirtualize => devirtualize(&mut self.program, self.options.fields),
                Stage::Inline => self.notes = inline(&mut self.program, self.options.inline_limit),
                Stage::Simplify => self.simplify(),
                Stage::Regions if self.options.fields => {
                    self.regions = fields::split(&mut self.program);
                }
                Stage::Regions => self.regions = regions::split(&mut self.program),
                Stage::Threads => self.templates = Templates::of(&self.program),
                Stage::Reduce if self.options.reduce => self.reduce(),
                _ => {}
            }
        }
    }

    fn simplify(&mut self) {
        simplify(&mut self.program, &self.options.properties);
        if self.options.fields {
            prefix::decide(&mut self.program);
            simplify(&mut self.program, &self.options.properties);
        }
        if self.options.promote {
            promote(&mut self.program);
        }
    }

    fn reduce(&mut self) {
        let parallel = Parallel::of(&self.program, &self.templates);
        let locks = Locks::of(&self.program, &self.regions, &parallel);
        let facts = Facts {
            regions: &self.regions,
            templates: &self.templates,
            locks: &locks,
            parallel: &parallel,
        };
        reduce(&mut self.program, &facts, self.options);
    }
}

/// What can be printed: the program after a transformation, or the result of an analysis of the
/// program as prepared.
/// In the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Ir,
    Devirtualize,
    Inline,
    Simplify,
    /// Regions by fields; in the pipeline, they take the place of the other kind where wanted.
    Fields,
    Regions,
    Threads,
    Locks,
    Parallel,
    Footprint,
    Reduce,
}

impl Stage {
    pub const ALL: [Stage; 11] = [
        Stage::Ir,
        Stage::Devirtualize,
        Stage::Inline,
        Stage::Simplify,
        Stage::Fields,
        Stage::Regions,
        Stage::Threads,
        Stage::Locks,
        Stage::Parallel,
        Stage::Footprint,
        Stage::Reduce,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Stage::Ir => "ir",
            Stage::Devirtualize => "devirtualize",
            Stage::Inline => "inline",
            Stage::Simplify => "simplify",
            Stage::Fields => "fields",
            Stage::Regions => "regions",
            Stage::Threads => "threads",
            Stage::Locks => "locks",
            Stage::Parallel => "parallel",
            Stage::Footprint => "footprint",
            Stage::Reduce => "reduce",
        }
    }

    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

/// The stage's result as text: Plato for programs, a listing for analyses.
pub fn dump(program: &Program, stage: Stage, options: &Options) -> String {
    let mut stages = Stages::new(program, options);
    stages.run(stage);
    if stage == Stage::Fields {
        fields::split(&mut stages.program);
    }
    let Stages { program, regions, templates, .. } = &stages;
    match stage {
        Stage::Ir
        | Stage::Devirtualize
        | Stage::Inline
        | Stage::Simplify
        | Stage::Fields
        | Stage::Regions
        | Stage::Reduce => selvedge_ir::text::print(program),
        Stage::Threads => threads::listing(program, templates),
        Stage::Locks => {
            let parallel = Parallel::of(program, templates);
            locks::listing(program, &Locks::of(program, regions, &parallel))
        }
        Stage::Parallel => parallel::listing(program, templates, &Parallel::of(program, templates)),
        Stage::Footprint => footprint::listing(program, &Footprints::of(program, regions)),
    }
}
