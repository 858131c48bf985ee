//! What the accesses of a thread lead to: the vocabulary, memory of its own, or memory that others
//! may change.

use selvedge_ir::{EdgeId, LayoutId, ObjectId, Place, ProcId, Type};
use selvedge_passes::pointsto::{Extent, NodeId, Origin};

use crate::subject::Subject;
use crate::vocabulary::Meets;

/// Where an access leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To a cell of the vocabulary.
    Cell(usize),
    /// To a fixed place inside a variable that is not of the vocabulary.
    Fixed,
    /// Into variables that are not of the vocabulary, or out of them.
    Variable,
    /// To objects that only this thread can reach.
    Private,
    /// Why what it does cannot be told.
    Nowhere(&'static str),
}

const PART: &str = "an access to a part of a variable that abstract threads speak of";
const MAYBE: &str = "an access that may lead to a variable that abstract threads speak of";
const POINTER: &str = "an access through a pointer to memory that other threads may change";
const OUTSIDE: &str = "an access outside its object";

impl Subject {
    pub(crate) fn leads(&self, procedure: ProcId, edge: EdgeId, place: &Place) -> Leads {
        match self.vocabulary.meets(&self.program, place) {
            Meets::Cell(cell) => return Leads::Cell(cell),
            Meets::Part(_) => return Leads::Nowhere(PART),
            Meets::Nothing => {}
        }
        if let Some((object, offset)) = place.direct() {
            let inside = self.inside(object, offset, place.ty);
            return if inside { Leads::Fixed } else { Leads::Nowhere(OUTSIDE) };
        }
        let Some(cell) = self.pointers.access(procedure, edge) else {
            return Leads::Nowhere(POINTER);
        };
        let extents = self.pointers.extents(cell);
        if extents.iter().any(|extent| self.meets_cell(extent)) {
            return Leads::Nowhere(MAYBE);
        }
        let variable = |extent: &Extent| matches!(extent.origin, Origin::Object(_));
        match () {
            () if self.is_private(procedure, cell.node) => Leads::Private,
            () if !extents.is_empty() && extents.iter().all(variable) => Leads::Variable,
            () => Leads::Nowhere(POINTER),
        }
    }

    /// Whether all objects of a node are made by the threads of a procedure, each for itself.
    pub(crate) fn is_private(&self, procedure: ProcId, node: NodeId) -> bool {
        let origins = self.pointers.origins(node);
        let own = |origin: &Origin| matches!(origin, Origin::Alloc(by, _) if *by == procedure);
        !self.escaping.contains(&node) && !origins.is_empty() && origins.iter().all(own)
    }

    fn inside(&self, object: ObjectId, offset: i64, ty: Type) -> bool {
        let layout: LayoutId = self.program.objects[object].layout;
        let size = self.program.layouts[layout].size as i64;
        offset >= 0 && offset + ty.size(self.program.model) as i64 <= size
    }

    fn meets_cell(&self, extent: &Extent) -> bool {
        let cells = &self.vocabulary.cells;
        let Origin::Object(object) = extent.origin else { return false };
        cells.iter().filter(|cell| cell.object == object).any(|cell| {
            let own = Extent {
                origin: extent.origin,
                start: cell.offset,
                length: cell.size(&self.program),
                stride: 0,
            };
            overlap(&own, extent)
        })
    }

    /// Whether every access of the program to the lock's memory is one to a lock.
    pub(crate) fn is_only_lock(&self, procedure: ProcId, edge: EdgeId) -> bool {
        let cell = self.pointers.access(procedure, edge);
        cell.is_some_and(|cell| self.pointers.cell_type(cell) == Some(Type::Thread))
    }
}

/// Whether two extents may share a byte.
pub fn overlap(one: &Extent, other: &Extent) -> bool {
    let apart = one.start + one.length <= other.start || other.start + other.length <= one.start;
    one.origin == other.origin && (one.stride != 0 || other.stride != 0 || !apart)
}
