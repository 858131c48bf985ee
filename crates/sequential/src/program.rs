//! Sequential programs: what the methods that get rid of threads leave behind, and what the
//! sequential back end decides.
//!
//! There is one thread, in one procedure without calls. Memory is a set of separate maps from
//! addresses to scalars: the region of a place names the map, and every place has one. Addresses
//! are shared by all maps; an object has content in each map that a place with its address names.
//!
//! Allowed actions: `Skip`, `Assume`, `Assign`, `Havoc`, `Load`, `Store`, `Alloc`, `Free`, `Halt`,
//! `Unsupported`. There are no values of type `thread`; grains mean nothing.
//!
//! Meaning, where it goes beyond the actions' own:
//! - An execution counts if it arrives at the exit and `matches` holds there; then `error` says
//!   whether it is a bad one. `Assume` of what is false, `Halt`, `Unsupported` and faults that
//!   `faults` does not list end an execution that does not count.
//! - `Havoc` of a pointer gives any pointer: into any object at any offset, null, or a number.
//! - Every executed `Alloc` makes an object of its own, and no address is used twice. So the initial
//!   content of an object is a matter of the maps' initial content: zero where the `Alloc` says
//!   zeroed, otherwise unknown, but null for pointers. An access to the object may stand *before* its
//!   `Alloc` on a path (a guessed pointer led there); size and initial content are what the later
//!   `Alloc` makes them.
//! - Maps in `arbitrary` start with unknown content, of static and of allocated objects. All others
//!   start as the static objects say, or as just said for allocated ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Const, EdgeId, Expr, LocalId, LocationId, ObjectId, ProcId, Procedure, Program,
    RegionId, Span, text,
};
use selvedge_passes::pointsto::Extent;

/// A program without threads.
#[derive(Clone, Debug)]
pub struct SequentialProgram {
    pub program: Program,
    /// The one procedure that runs; it has no parameters. Others are there only to have an address.
    pub procedure: ProcId,
    /// A bool, assigned before the exit. No execution that counts may have it true.
    pub error: LocalId,
    /// Where an edge leads if its action goes wrong (null, an address in no object, out of bounds,
    /// free of what is not the start of an object of that storage, division by zero); `error` is
    /// set on the way.
    pub faults: FxHashMap<EdgeId, LocationId>,
    /// Maps whose initial content is unknown.
    pub arbitrary: BTreeSet<RegionId>,
    /// At the exit, the content of the first map is the *initial* content of the second.
    pub matches: Vec<(RegionId, RegionId)>,
    /// Maps that consist of one scalar: every address used with them is this one.
    pub exact: BTreeMap<RegionId, (ObjectId, i64)>,
    /// All memory that belongs to a map, where that is known: static objects of this program, and
    /// what the `Alloc` on an edge of the prepared program makes (see `origins`). An access to other
    /// memory is a fault.
    pub extents: BTreeMap<RegionId, Vec<Extent>>,
    /// All values that the scalars of an `arbitrary` map can have, where they are few: every execution
    /// that counts has these only.
    pub contents: BTreeMap<RegionId, Rc<[Guess]>>,
    /// All values that a `Havoc` of a pointer can give, where they are few.
    pub choices: FxHashMap<EdgeId, Rc<[Guess]>>,
    /// Maps with one scalar for each object: the offset of an address does not matter, and bounds
    /// and lifetimes are not looked at. They start zero.
    pub per_object: BTreeSet<RegionId>,
    /// Bool locals, each assigned once, by a `Havoc` at the start. The program is taken with all of
    /// them true; where it is correct, the answer tells which of them that needs (unsat core).
    pub assumptions: Vec<LocalId>,
    /// Loop invariants that were given: where each stands, what holds there, and its place in the
    /// source. They are claims that nobody has checked.
    pub invariants: Vec<(LocationId, Expr, Span)>,
    /// Where edges come from; edges that only keep the books have no origin.
    pub origins: FxHashMap<EdgeId, Origin>,
}

/// A value that is one of few.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guess {
    /// A constant of this program; all of one list have one type.
    Constant(Const),
    /// A pointer into what the `Alloc` on an edge of the prepared program makes, whenever it does.
    Made(ProcId, EdgeId, i64),
}

/// What an edge of a sequential program stands for in the program that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Thread slot `slot` takes this edge. Exactly one edge of the sequential program is passed for
    /// each edge taken; if that assigns a local, so does this one, the same value.
    Edge { slot: u32, procedure: ProcId, edge: EdgeId, spawns: Option<u32> },
    /// The context in which the thread slot goes on: the value assigned.
    Context { slot: u32 },
    /// Nobody takes it; an `Alloc` that is only tried makes what this edge makes.
    Like { procedure: ProcId, edge: EdgeId },
}

impl Origin {
    /// The edge of the prepared program whose memory an `Alloc` makes.
    pub fn made_by(self) -> Option<(ProcId, EdgeId)> {
        match self {
            Origin::Edge { procedure, edge, .. } | Origin::Like { procedure, edge } => {
                Some((procedure, edge))
            }
            Origin::Context { .. } => None,
        }
    }
}

/// An execution of a sequential program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub edge: EdgeId,
    /// What the edge's action assigned to its local, as bits; none for pointers, and for actions
    /// that assign nothing.
    pub value: Option<u64>,
    /// The action went wrong: the path goes on where `faults` says.
    pub fault: bool,
}

impl SequentialProgram {
    pub fn body(&self) -> &Procedure {
        &self.program.procedures[self.procedure]
    }

    /// The procedure with an edge for every way that an action goes wrong: what is read there counts
    /// as read.
    pub(super) fn with_faults(&self) -> Procedure {
        let mut body = self.body().clone();
        let mut faults: Vec<(EdgeId, LocationId)> =
            self.faults.iter().map(|(&edge, &to)| (edge, to)).collect();
        faults.sort_unstable();
        for (edge, to) in faults {
            body.add_edge(edge.from, Action::Skip, to, Span::NONE);
        }
        body
    }

    /// Plato text, with what goes beyond it as comments.
    pub fn listing(&self) -> String {
        let name = |region: RegionId| &self.program.regions[region].name;
        let local = |local: LocalId| &self.body().locals[local].name;
        let mut out = String::new();
        let _ = writeln!(out, "// error: {}", local(self.error));
        for &region in &self.arbitrary {
            let _ = writeln!(out, "// initially unknown: {}", name(region));
        }
        for &(last, first) in &self.matches {
            let _ = writeln!(out, "// at the exit: {} = initial {}", name(last), name(first));
        }
        for &region in &self.per_object {
            let _ = writeln!(out, "// one scalar an object: {}", name(region));
        }
        for &assumption in &self.assumptions {
            let _ = writeln!(out, "// assumption: {}", local(assumption));
        }
        out.push_str(&text::print(&self.program));
        out
    }
}
