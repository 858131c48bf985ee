//! Which scalars need their older values.

use std::collections::BTreeSet;

use selvedge_ir::{Action, Edge, Grain, Mode, ObjectId, Procedure, Program};

use super::Scalar;
use crate::value::Target;

/// The atomic loads outside of atomic blocks: these may read older values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeakLoads {
    direct: BTreeSet<(ObjectId, u64)>,
    /// Sizes of loads through pointers.
    sizes: BTreeSet<u64>,
}

impl WeakLoads {
    /// None where every atomic access of the program is sequentially consistent.
    pub fn of(program: &Program) -> Option<WeakLoads> {
        if !program.has_weak_accesses() {
            return None;
        }
        let mut loads = WeakLoads::default();
        for procedure in program.procedures.values() {
            for (id, edge) in procedure.edges() {
                let inside = procedure.locations[id.from].grain == Grain::Atomic;
                if !inside {
                    loads.add(program, procedure, edge);
                }
            }
        }
        Some(loads)
    }

    fn add(&mut self, program: &Program, procedure: &Procedure, edge: &Edge) {
        let Action::Load { from, mode, .. } = &edge.action else { return };
        if *mode == Mode::Plain || procedure.locations[edge.target].grain == Grain::Atomic {
            return;
        }
        match from.direct() {
            Some((object, offset)) => {
                self.direct.insert((object, offset as u64));
            }
            None => {
                self.sizes.insert(from.ty.size(program.model));
            }
        }
    }

    /// Whether one of the loads may read this scalar. `statics` are the global variables at the
    /// beginning of the heap.
    pub fn may_read(&self, scalar: &Scalar, statics: &[ObjectId]) -> bool {
        let object = match scalar.target {
            Target::Static(object) => Some(object),
            Target::Heap(index) => statics.get(index as usize).copied(),
            Target::Nothing => None,
        };
        self.sizes.contains(&scalar.size)
            || object.is_some_and(|object| self.direct.contains(&(object, scalar.offset)))
    }
}
