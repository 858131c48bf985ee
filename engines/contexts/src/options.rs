//! What only this engine is asked.

use selvedge_ir::{Program, Property};
use selvedge_verdict::Options;

/// The engine's own options. A bound without a number grows.
#[derive(Clone, Debug)]
pub struct Own {
    /// Contexts of each thread.
    pub contexts: Option<u32>,
    /// How often a loop is passed.
    pub unwind: Option<u32>,
    /// Whether to find out which fields matter.
    pub slice: Slice,
    /// Fields to start with.
    pub track: Option<Vec<String>>,
    /// The share of the scheduling points that is kept, in percent. Less than all only serves to
    /// measure what they cost.
    pub points: u32,
    /// The program with the loop invariants that are given in it.
    pub annotated: Option<Program>,
}

impl Default for Own {
    fn default() -> Own {
        Own {
            contexts: None,
            unwind: None,
            slice: Slice::Auto,
            track: None,
            points: 100,
            annotated: None,
        }
    }
}

/// Whether all fields are tracked, or only those that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Only those that matter where all of them make the question too long.
    Auto,
    Always,
    Off,
}

/// How a program is prepared.
pub fn passes(options: &Options<Own>, properties: &[Property]) -> selvedge_passes::Options {
    selvedge_passes::Options {
        properties: properties.to_vec(),
        reduce: options.reduce,
        fields: true,
        ..selvedge_passes::Options::default()
    }
}
