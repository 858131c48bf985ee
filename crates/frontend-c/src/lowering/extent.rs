//! Extents, and the jumps that wait until all of a function's are known (`stmt::extent`).

use selvedge_c_syntax::ast::Span;
use selvedge_ir::{Expr, LayoutId, LocalId};

use super::GlobalId;
use crate::body::Loc;
use crate::value::Value;

/// An extent of the function, by number.
pub(crate) type ExtentId = usize;

#[derive(Clone, Debug)]
pub(crate) enum Extent {
    /// A block whose objects are made where control enters it: between these two locations, or on
    /// the way of a jump.
    Block { objects: Vec<BlockObject>, entry: Loc, inside: Loc },
    /// From the declaration of an array of runtime size to the end of its block.
    Array(LocalId),
    /// From the declaration of a variable with the attribute `cleanup` to the end of its block.
    Cleanup { function: GlobalId, variable: Value },
}

#[derive(Clone, Debug)]
pub(crate) struct BlockObject {
    pub pointer: LocalId,
    pub layout: LayoutId,
    pub size: u64,
    pub span: Span,
}

/// A jump that waits for the end of the function.
#[derive(Debug)]
pub(crate) struct Leap {
    pub from: Loc,
    /// The extents around it, from the outermost.
    pub path: Vec<ExtentId>,
    pub target: Target,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum Target {
    /// A label, whose extents are known when it is defined.
    Label(Loc),
    Place(Loc, Vec<ExtentId>),
    /// One of the labels whose address is taken, by a value.
    Computed(Expr),
}
