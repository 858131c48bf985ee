//! The parts of a program that a remark can be about.

use crate::{EdgeId, LayoutId, LocationId, ObjectId, ProcId, RegionId};

/// Where a remark stands, such as one on an invariant that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    Program,
    Layout(LayoutId),
    Object(ObjectId),
    Region(RegionId),
    /// By its place in the program's list; likewise `Annotation`, `Note` and `Assumed`.
    Thread(usize),
    Annotation(usize),
    Note(usize),
    Assumed(usize),
    Procedure(ProcId),
    Location(ProcId, LocationId),
    Edge(ProcId, EdgeId),
}
