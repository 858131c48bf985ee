//! What threads may still do, for the question whether one waits for ever.
//!
//! Static and from above: the footprint of all code that a thread can still come to (see
//! [`selvedge_passes::footprint`]), and whether it can ever come to its end. Both only shrink as
//! threads move, so who waits for ever according to this goes on doing so.

use cranelift_entity::PrimaryMap;
use selvedge_ir::{Action, EdgeId, LocationId, ProcId, Procedure, Program, RegionId};
use selvedge_passes::bits::BitSet;
use selvedge_passes::{Footprint, Footprints, Limits, regions};

use crate::state::Thread;

#[derive(Clone, Debug)]
pub(super) struct Futures {
    footprints: Footprints,
    /// Where the end of a procedure, or of the thread, can be reached from.
    ends: PrimaryMap<ProcId, BitSet<LocationId>>,
}

impl Futures {
    /// None where the analysis is too much work.
    pub fn of(program: &Program) -> Option<Futures> {
        let mut divided = program.clone();
        let limits = Limits::work(WORK, usize::MAX);
        let regions = regions::split(&mut divided, &limits).ok()?;
        let footprints = Footprints::of(&divided, &regions, &limits).ok()?;
        let ends = program.procedures.values().map(ends).collect();
        Some(Futures { footprints, ends })
    }

    /// What the thread may do from here on, as the footprints of its frames.
    fn of_thread<'a>(&'a self, thread: &'a Thread) -> impl Iterator<Item = &'a Footprint> {
        thread.frames.iter().map(|frame| self.footprints.at(frame.procedure, frame.at))
    }

    /// Whether the thread may change what these actions read.
    pub fn may_change(&self, thread: &Thread, actions: &[(ProcId, EdgeId)]) -> bool {
        let read = actions.iter().map(|&(procedure, edge)| self.footprints.edge(procedure, edge));
        let read: Vec<&Footprint> = read.collect();
        self.of_thread(thread).any(|future| read.iter().any(|read| changes(future, read)))
    }

    pub fn may_end_program(&self, thread: &Thread) -> bool {
        self.of_thread(thread).any(|future| future.may_end_program)
    }

    /// Whether the thread may come to its end.
    pub fn may_end(&self, thread: &Thread) -> bool {
        thread.frames.iter().all(|frame| self.ends[frame.procedure].contains(frame.at))
    }
}

/// Units for the analysis: a few seconds.
const WORK: u64 = 3_000_000;

fn changes(future: &Footprint, read: &Footprint) -> bool {
    let written = |region: RegionId| future.writes.contains(region);
    future.anything || read.anything || read.reads.iter().chain(read.writes.iter()).any(written)
}

/// The locations from which the exit can be reached. A call may end the thread inside.
fn ends(procedure: &Procedure) -> BitSet<LocationId> {
    let mut ends = BitSet::new();
    ends.insert(procedure.exit);
    loop {
        let mut more = false;
        for (at, edge) in procedure.edges() {
            let ended = matches!(edge.action, Action::EndThread { .. } | Action::Call { .. });
            if ended || ends.contains(edge.target) {
                more |= ends.insert(at.from);
            }
        }
        if !more {
            return ends;
        }
    }
}
