//! The variables of each template: its live locals, the memory that it has for itself, its number.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, EdgeId, LocalId, LocationId, Procedure, Type};
use selvedge_passes::graph::arrives;
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use super::memory::{CellId, Home, Keeper, Memory};
use super::{TemplateId, Variable};

/// Where the variables of a template are in its list.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub variables: Vec<Variable>,
    pub locals: FxHashMap<LocalId, Slot>,
    pub cells: FxHashMap<CellId, Slot>,
    /// A constant, or the variable of a thread of a pool.
    pub tid: Term,
    /// Its place in the list, of a variable.
    pub tid_slot: Option<u32>,
    /// The cells of its own that matter at each location.
    pub live_cells: FxHashMap<LocationId, Vec<CellId>>,
}

/// The one or two variables of a value, beginning at a position of the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub first: u32,
    pub value: Sym,
    pub ty: Type,
}

impl Slot {
    pub fn positions(self) -> impl Iterator<Item = (u32, Term)> {
        self.value.terms().into_iter().enumerate().map(move |(i, t)| (self.first + i as u32, t))
    }
}

/// For each location, the template's own cells that may be read before they are written.
pub(super) fn live_cells(
    procedure: &Procedure,
    memory: &Memory,
    template: TemplateId,
) -> FxHashMap<LocationId, Vec<CellId>> {
    let mut sources: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
    let mut reads: FxHashMap<CellId, Vec<LocationId>> = FxHashMap::default();
    let own = |cell: &CellId| memory.cell(*cell).keeper == Keeper::Own(template);
    for (at, edge) in procedure.edges() {
        if arrives(edge) {
            sources.entry(edge.target).or_default().push(at);
        }
        for cell in touched(memory, &edge.action).into_iter().filter(own) {
            if overwritten(memory, &edge.action) != Some(cell) {
                reads.entry(cell).or_default().push(at.from);
            }
        }
    }
    let mut live: FxHashMap<LocationId, Vec<CellId>> = FxHashMap::default();
    for (cell, mut work) in reads {
        let mut seen: FxHashSet<LocationId> = FxHashSet::default();
        while let Some(location) = work.pop() {
            if !seen.insert(location) {
                continue;
            }
            live.entry(location).or_default().push(cell);
            for at in sources.get(&location).into_iter().flatten() {
                if overwritten(memory, &procedure.edge(*at).action) != Some(cell) {
                    work.push(at.from);
                }
            }
        }
    }
    live.values_mut().for_each(|cells| cells.sort());
    live
}

/// The cells that an action may read or write.
fn touched(memory: &Memory, action: &Action) -> Vec<CellId> {
    match action.place().and_then(|place| place.region).map(|region| memory.home(region)) {
        Some(Home::Cells(cells)) => cells.clone(),
        _ => Vec::new(),
    }
}

/// The cell that an action certainly gives a new value, without reading it.
fn overwritten(memory: &Memory, action: &Action) -> Option<CellId> {
    let Action::Store { .. } = action else { return None };
    match touched(memory, action)[..] {
        [only] => Some(only),
        _ => None,
    }
}
