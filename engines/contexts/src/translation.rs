//! All that the emission of a thread needs: the plan, the slots, the maps, and the code so far.

use cranelift_entity::SecondaryMap;
use selvedge_ir::{EdgeId, Expr, LocalId, RegionId};
use selvedge_passes::Prepared;
use selvedge_sequential::Origin;

use super::claim::Claim;
use super::code::Code;
use super::lives::Lives;
use super::memory::Memory;
use super::plan::Plan;
use super::sharing::Sharing;
use super::slots::Slots;
use super::waits::DeadlockState;

/// What is kept about a thread beside its own locals. The creator and the joining threads use it.
#[derive(Clone, Debug)]
pub struct Books {
    pub started: LocalId,
    /// The context of its creation.
    pub start: LocalId,
    pub done: LocalId,
    /// The context in which it ended.
    pub end: LocalId,
    /// It must have ended before this context.
    pub due: LocalId,
    /// The last context that it was in, where races are checked.
    pub last: LocalId,
    /// What it returns: guessed at the start.
    pub result: Option<LocalId>,
    /// Its locals, by those of its code.
    pub locals: Vec<LocalId>,
}

/// Everything that the emission of one thread needs.
pub struct Translation<'a> {
    pub prepared: &'a Prepared,
    pub plan: &'a Plan<'a>,
    pub slots: &'a Slots,
    pub memory: Memory,
    pub code: Code,
    pub books: Vec<Books>,
    /// Contexts of the first initial thread.
    pub most: u32,
    /// By region: the assumption that its content counts, where that is left open.
    pub literals: SecondaryMap<RegionId, Option<LocalId>>,
    pub lives: Lives<'a>,
    pub sharing: &'a Sharing,
    /// Where races are checked.
    pub claim: Option<Claim>,
    /// Where deadlocks are checked.
    pub dead: Option<DeadlockState>,
}

impl Translation<'_> {
    /// A context that no thread reaches.
    pub fn never(&self) -> Expr {
        self.code.number(self.most + 1)
    }

    /// The contexts that a slot's thread may use.
    pub fn contexts(&self, slot: u32) -> u32 {
        if self.slots.list[slot as usize].initial { self.most } else { self.plan.bounds.contexts }
    }

    /// The edge of the concurrent program that an edge of a slot's code stands for.
    pub fn origin(&self, slot: u32, at: EdgeId, spawns: Option<u32>) -> Option<Origin> {
        let &(procedure, edge) = self.slots.list[slot as usize].code.origins.get(&at)?;
        Some(Origin::Edge { slot, procedure, edge, spawns })
    }
}
