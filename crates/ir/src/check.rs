//! Well-formedness of programs.

use crate::{EdgeId, LayoutId, LocationId, ObjectId, ProcId, Program, RegionId, Type};

/// Where a violation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    Program,
    Layout(LayoutId),
    Object(ObjectId),
    Region(RegionId),
    /// By its place in the program's list; likewise `Note`.
    Thread(usize),
    Note(usize),
    Procedure(ProcId),
    Location(ProcId, LocationId),
    Edge(ProcId, EdgeId),
}

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub site: Site,
    pub message: String,
}

/// Everything that is not well-formed; empty for a good program.
pub fn check(_program: &Program) -> Vec<Violation> {
    Vec::new()
}

/// The program's text with each violation at its place.
pub fn listing(program: &Program, _violations: &[Violation]) -> String {
    crate::text::print(program)
}

/// Whether a value of one type converts to another. Threads convert only to bool and to integers.
pub fn convertible(from: Type, to: Type) -> bool {
    from == to || !matches!((from, to), (_, Type::Thread) | (Type::Thread, Type::Ptr))
}
