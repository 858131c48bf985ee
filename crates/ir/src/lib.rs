//! Plato, the program model that every front end produces and every engine reads.
//!
//! A program is a set of procedures run by threads over shared memory objects. A procedure is a
//! control-flow graph; each edge carries one atomic [`Action`]. The model follows Calvin's Plato
//! (Flanagan, Freund, Qadeer, Seshia, "Modular Verification of Multithreaded Programs", §3): an
//! action `p ? X` goes wrong where p fails and otherwise moves as the relation X allows, blocking
//! where X allows nothing. The common relations have a direct form here; the rest are built from
//! them inside an atomic block (`havoc`, then `assume`).

mod action;
mod assertion;
pub mod check;
mod expr;
mod expr_type;
mod float;
mod ids;
mod layout;
mod place;
mod procedure;
mod program;
mod site;
mod source;
pub mod spec;
mod stack;
pub mod text;
mod types;

pub use action::{Action, Callee, Fence, Mode, Storage};
pub use assertion::{Check, CheckKind, Property};
pub use expr::{BinaryOp, Const, Expr, UnaryOp};
pub use float::{Float, FloatFn, FloatOp};
pub use ids::{GhostId, LocalId, LocationId, ObjectId, ProcId, RegionId};
pub use layout::LayoutId;
pub use layout::{Field, Layout, Shape};
pub use place::Place;
pub use procedure::{Edge, EdgeId, Grain, Local, Location, Procedure};
pub use program::{
    Annotation, Assumed, Assumption, Multiplicity, Note, Object, Program, Region, Sharing, Thread,
};
pub use source::{FileId, SourceFile, Span};
pub use spec::Specification;
pub use types::{DataModel, Int, Type};
