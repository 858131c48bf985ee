//! The pipeline that engines run before they start, and the dump of each of its stages.

use std::fmt::Write;

use selvedge_ir::{Program, Property};

use crate::inline::inline;
use crate::simplify::simplify;
use crate::{Footprints, Liveness, Templates};

#[derive(Clone, Debug)]
pub struct Options {
    /// What is checked: assertions of other properties are dropped, and reduction keeps what these
    /// need to see.
    pub properties: Vec<Property>,
    /// Whether locations may become `Joined`. Off, every interleaving point stays.
    pub reduce: bool,
    /// Edges of one procedure beyond which calls are no longer inlined.
    pub inline_limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { properties: vec![Property::Assert], reduce: true, inline_limit: 200_000 }
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
    /// What a pass could not do, for the user: calls that stayed because of a limit.
    pub notes: Vec<String>,
}

pub fn prepare(program: &Program, options: &Options) -> Prepared {
    let mut program = program.clone();
    let notes = inline(&mut program, options.inline_limit);
    simplify(&mut program, &options.properties);
    let liveness = Liveness::of(&program);
    let footprints = Footprints::of(&program);
    let templates = Templates::of(&program);
    Prepared { program, liveness, footprints, templates, notes }
}

/// What can be printed: the program after a transformation, or the result of an analysis of the
/// program as prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    Ir,
    Devirtualize,
    Inline,
    Simplify,
    Regions,
    Threads,
    Locks,
    Parallel,
    Footprint,
    Reduce,
}

impl Stage {
    pub const ALL: [Stage; 10] = [
        Stage::Ir,
        Stage::Devirtualize,
        Stage::Inline,
        Stage::Simplify,
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
pub fn dump(program: &Program, stage: Stage, _options: &Options) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} {}", stage.name(), program.name);
    out
}
