//! What the procedures of a random program share.

use selvedge_ir::{Int, ObjectId, ProcId};

/// What the bodies may use.
pub(super) struct Scope {
    /// The integer type of nearly everything, so that expressions fit together.
    pub int: Int,
    pub scalars: Vec<ObjectId>,
    pub flags: Vec<ObjectId>,
    /// Two elements of `int`.
    pub arrays: Vec<ObjectId>,
    pub pointers: Vec<ObjectId>,
    pub locks: Vec<ObjectId>,
    /// A cell that holds a thread identifier.
    pub thread_cells: Vec<ObjectId>,
    pub helper: Option<ProcId>,
    pub workers: Vec<ProcId>,
}
