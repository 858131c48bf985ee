//! Cells of global variables that no thread will read again.
//!
//! Like a dead local, such a cell holds a value that nothing can observe, and is left out of the
//! state. Whether a thread may still read it is in the thread's footprint: all regions that it, or
//! a thread it spawns, may read from where it stands. A cell's region is known where the program
//! accesses it by a constant address. Two regions never overlap, so any other access to the cell
//! would name the same region.

use cranelift_entity::EntityRef;
use selvedge_ir::{Action, RegionId};
use selvedge_passes::bits::BitSet;
use selvedge_passes::{Footprint, Prepared};

use selvedge_exec::code::Code;
use selvedge_exec::{Frame, State};

/// For each footprint, the cells of `State::statics` that may be read, as bits.
pub struct DeadCells<'p> {
    prepared: &'p Prepared,
    words: usize,
    /// By footprint, `words` words each.
    read: Vec<u64>,
}

impl<'p> DeadCells<'p> {
    pub fn new(prepared: &'p Prepared, code: &Code) -> DeadCells<'p> {
        let regions = regions_of_cells(prepared, code);
        let waited = waited_for(prepared);
        let words = regions.len().div_ceil(64);
        let mut read = Vec::new();
        for index in 0..prepared.footprints.count() {
            let footprint = prepared.footprints.get(selvedge_passes::FootprintId::new(index));
            let start = read.len();
            read.resize(start + words, 0);
            for (cell, region) in regions.iter().enumerate() {
                if region.is_none_or(|region| may_read(footprint, region, &waited)) {
                    read[start + cell / 64] |= 1 << (cell % 64);
                }
            }
        }
        DeadCells { prepared, words, read }
    }

    /// The cells that some thread may still read.
    pub fn live(&self, state: &State, live: &mut Vec<u64>) {
        live.clear();
        live.resize(self.words, 0);
        for frame in state.threads.iter().flat_map(|thread| &thread.frames) {
            for (word, read) in live.iter_mut().zip(self.read_by(frame)) {
                *word |= read;
            }
        }
    }

    fn read_by(&self, frame: &Frame) -> &[u64] {
        let id = self.prepared.footprints.id(frame.procedure, frame.at);
        &self.read[id.index() * self.words..][..self.words]
    }
}

fn may_read(footprint: &Footprint, region: RegionId, waited: &BitSet<RegionId>) -> bool {
    footprint.anything
        || footprint.reads.contains(region)
        || (waited.contains(region) && footprint.writes.contains(region))
}

/// The region of each cell, where it is known. Where accesses of several sizes meet, a store need
/// not cover all that a later load reads, so nothing is claimed.
fn regions_of_cells(prepared: &Prepared, code: &Code) -> Vec<Option<RegionId>> {
    let program = &prepared.program;
    let mut regions = vec![None; code.static_cells.len()];
    for (_, edge) in program.procedures.values().flat_map(|p| p.edges()) {
        let Some(place) = edge.action.place() else { continue };
        let (Some((object, offset)), Some(region)) = (place.direct(), place.region) else {
            continue;
        };
        // Footprints leave private regions out.
        if program.regions[region].ty.is_none() || prepared.regions.private.contains(region) {
            continue;
        }
        if let Some(cell) = u64::try_from(offset).ok().and_then(|at| code.cell_at(object, at)) {
            regions[cell as usize] = Some(region);
        }
    }
    regions
}

/// Regions of locks: taking or giving back a lock reads it.
fn waited_for(prepared: &Prepared) -> BitSet<RegionId> {
    let edges = prepared.program.procedures.values().flat_map(|p| p.edges());
    let lock = |action: &Action| match action {
        Action::Lock { lock } | Action::Unlock { lock } => lock.region,
        _ => None,
    };
    edges.filter_map(|(_, edge)| lock(&edge.action)).collect()
}
