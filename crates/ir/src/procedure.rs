//! Procedures: control-flow graphs whose edges carry actions.

use cranelift_entity::PrimaryMap;
use serde::{Deserialize, Serialize};

use crate::spec::{Formula, Variable};
use crate::{Action, LocalId, LocationId, Span, Type};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Procedure {
    /// Unique in the program.
    pub name: String,
    pub params: Vec<LocalId>,
    /// What the caller gets: the value that this local has at `exit`.
    pub result: Option<LocalId>,
    /// Parameters and result included. All are scalars and private to the call; what has its
    /// address taken, and aggregates, are objects made by `Alloc`.
    pub locals: PrimaryMap<LocalId, Local>,
    pub locations: PrimaryMap<LocationId, Location>,
    pub entry: LocationId,
    /// Arriving here returns to the caller, or ends the thread. It has no edges.
    pub exit: LocationId,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// Unique in the procedure.
    pub name: String,
    pub ty: Type,
    /// Declared in the source, rather than a temporary of the front end.
    pub named: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    pub grain: Grain,
    /// Alternatives; more than one enabled is a nondeterministic choice.
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub action: Action,
    pub target: LocationId,
    pub span: Span,
}

/// An edge of a procedure: the location that it leaves, and its place among the alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EdgeId {
    pub from: LocationId,
    pub index: u32,
}

/// Whether other threads may run while a thread stands at a location. A thread inside calls stands
/// at the callee's location and, in each caller, at the target of the call's edge; it may be
/// interrupted only if none of these is `Atomic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Grain {
    /// Others may run.
    Yield,
    /// Others may run, but running them here shows nothing that running them earlier or later does
    /// not (reduction). A thread that blocks here is interrupted all the same.
    Joined,
    /// Others may not run: inside an atomic block. A block that cannot be finished does not start.
    Atomic,
}

impl Procedure {
    /// Every edge with its identity, in order of locations.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.locations.iter().flat_map(|(from, location)| {
            location
                .edges
                .iter()
                .enumerate()
                .map(move |(index, edge)| (EdgeId { from, index: index as u32 }, edge))
        })
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.locations[id.from].edges[id.index as usize]
    }

    /// Whether the edge may lead to the exit of a main thread's procedure: nobody else sees what it
    /// does, and what comes before it may be seen.
    pub fn may_end_program(&self, id: EdgeId) -> bool {
        let local = match &self.edge(id).action {
            Action::Skip | Action::Assume(_) | Action::Assign { .. } => true,
            Action::Assert { .. } | Action::Havoc { .. } => true,
            // The target is never reached.
            Action::Halt | Action::EndThread { .. } | Action::Unsupported { .. } => true,
            _ => false,
        };
        local && self.locations[id.from].grain != Grain::Atomic
    }

    /// No code: only locals, for expressions over them.
    pub fn frame(locals: PrimaryMap<LocalId, Local>) -> Procedure {
        Procedure {
            name: String::new(),
            params: Vec::new(),
            result: None,
            locals,
            locations: PrimaryMap::new(),
            entry: LocationId::from_u32(0),
            exit: LocationId::from_u32(0),
            span: Span::NONE,
        }
    }

    pub fn add_local(&mut self, name: impl Into<String>, ty: Type, named: bool) -> LocalId {
        self.locals.push(Local { name: name.into(), ty, named })
    }

    pub fn add_location(&mut self, grain: Grain) -> LocationId {
        self.locations.push(Location { grain, edges: Vec::new() })
    }

    pub fn add_edge(&mut self, from: LocationId, action: Action, target: LocationId, span: Span) {
        self.locations[from].edges.push(Edge { action, target, span });
    }
}

impl Formula {
    /// A procedure without code whose locals are the variables: what expressions are over.
    pub fn frame(&self) -> Procedure {
        let local = |v: &Variable| Local { name: v.name.clone(), ty: v.ty, named: false };
        Procedure::frame(self.variables.values().map(local).collect())
    }
}
