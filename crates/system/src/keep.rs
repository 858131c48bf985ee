//! The variables of each template: its live locals, the memory that it has for itself, its number.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, EdgeId, LocalId, LocationId, ObjectId, Procedure, Type};
use selvedge_passes::graph::arrives;
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use super::memory::{ArrayId, CellId, Home, Keeper, Memory, Scalar};
use super::objects::Source;
use super::sure::{Known, Sure};
use super::{TemplateId, Variable};

/// The variables of a template by what they stand for, and the values that need no variable.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub variables: Vec<Variable>,
    pub locals: FxHashMap<LocalId, Slot>,
    pub cells: FxHashMap<CellId, Slot>,
    pub arrays: FxHashMap<ArrayId, ArraySlot>,
    /// A constant, or the variable of a thread of a pool.
    pub tid: Term,
    /// Its place in the list, of a variable.
    pub tid_slot: Option<u32>,
    /// The cells of its own that matter at each location.
    pub live_cells: FxHashMap<LocationId, Vec<CellId>>,
    pub sure: Sure,
    pub known: Known,
    /// The locals of one value, as terms.
    pub fixed: FxHashMap<LocalId, Sym>,
    /// The numbers of the thread's instances of variables that each thread has.
    pub own: FxHashMap<ObjectId, Term>,
}

/// The one or two variables of a value, beginning at a position of the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub first: u32,
    pub value: Sym,
    pub ty: Type,
}

/// The variables of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArraySlot {
    pub first: u32,
    pub value: Contents,
}

/// An array's content: one or two arrays, and which elements have been written, if not all have
/// content from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub content: Sym,
    pub written: Option<Term>,
}

impl Contents {
    pub fn terms(self) -> impl Iterator<Item = Term> {
        self.content.terms().into_iter().chain(self.written)
    }
}

impl Slot {
    pub fn positions(self) -> impl Iterator<Item = (u32, Term)> {
        self.value.terms().into_iter().enumerate().map(move |(i, t)| (self.first + i as u32, t))
    }
}

impl ArraySlot {
    pub fn positions(self) -> impl Iterator<Item = (u32, Term)> {
        self.value.terms().enumerate().map(move |(i, t)| (self.first + i as u32, t))
    }
}

/// What an action does with the cells that only its thread keeps.
struct Touch {
    reads: Vec<CellId>,
    /// Certainly given a new value that does not depend on the old one.
    overwrites: Vec<CellId>,
}

/// Finds out which of a template's own cells matter.
pub(super) struct Keeping<'a> {
    pub procedure: &'a Procedure,
    pub memory: &'a Memory,
    pub template: TemplateId,
    pub sure: &'a Sure,
    pub known: &'a Known,
}

impl Keeping<'_> {
    /// For each location, the template's own cells that may be read before they are written.
    pub fn live_cells(&self) -> FxHashMap<LocationId, Vec<CellId>> {
        let mut sources: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
        let mut reads: FxHashMap<CellId, Vec<LocationId>> = FxHashMap::default();
        let mut overwrites: FxHashSet<(EdgeId, CellId)> = FxHashSet::default();
        for (at, edge) in self.procedure.edges() {
            if arrives(edge) {
                sources.entry(edge.target).or_default().push(at);
            }
            let touch = self.touch(at, &edge.action);
            for cell in touch.reads.into_iter().filter(|cell| self.is_own(*cell)) {
                reads.entry(cell).or_default().push(at.from);
            }
            overwrites.extend(touch.overwrites.into_iter().map(|cell| (at, cell)));
        }
        let mut live: FxHashMap<LocationId, Vec<CellId>> = FxHashMap::default();
        for (cell, mut work) in reads {
            let mut seen: FxHashSet<LocationId> = FxHashSet::default();
            while let Some(location) = work.pop() {
                if !seen.insert(location) {
                    continue;
                }
                live.entry(location).or_default().push(cell);
                let before = sources.get(&location).into_iter().flatten();
                work.extend(
                    before.filter(|at| !overwrites.contains(&(**at, cell))).map(|at| at.from),
                );
            }
        }
        live.values_mut().for_each(|cells| cells.sort());
        live
    }

    fn is_own(&self, cell: CellId) -> bool {
        self.memory.cell(cell).keeper == Keeper::Own(self.template)
    }

    fn touch(&self, at: EdgeId, action: &Action) -> Touch {
        let mut touch = Touch { reads: Vec::new(), overwrites: Vec::new() };
        let place = action.place().and_then(|place| place.region);
        if let Some(region) = place {
            match self.memory.home(region, self.template) {
                Home::Scalars(scalars) => self.touch_scalars(at, action, scalars, &mut touch),
                Home::Array(id) => {
                    let things = &self.memory.array(*id).things;
                    let alive = things.iter().filter_map(|thing| self.memory.alive.get(thing));
                    touch.reads.extend(alive.filter(|cell| !self.sure.holds(at.from, **cell)));
                }
                Home::None(_) => {}
            }
        }
        match action {
            Action::Alloc { .. } => {
                let thing = self.memory.things.find(Source::Alloc(self.template, at));
                let alive = thing.and_then(|thing| self.memory.alive.get(&thing));
                touch.overwrites.extend(alive);
            }
            Action::Free { .. } => {
                let frees = self.memory.freed.get(&(self.template, at)).into_iter();
                let things = frees.flat_map(|frees| &frees.things);
                let alive = things.filter_map(|thing| self.memory.alive.get(thing));
                touch.reads.extend(alive.filter(|cell| !self.sure.holds(at.from, **cell)));
            }
            _ => {}
        }
        touch
    }

    fn touch_scalars(&self, at: EdgeId, action: &Action, scalars: &[Scalar], touch: &mut Touch) {
        let sure = |cell: CellId| self.sure.holds(at.from, cell);
        let store = matches!(action, Action::Store { .. });
        for scalar in scalars {
            let alive = self.memory.alive.get(&scalar.thing).copied();
            touch.reads.extend(alive.filter(|cell| !sure(*cell)));
            if store && scalars.len() == 1 {
                touch.overwrites.push(scalar.content);
                touch.overwrites.extend(scalar.written);
                continue;
            }
            let load = matches!(action, Action::Load { .. });
            let fixed = load
                && scalars.len() == 1
                && self.known.loaded(self.sure, at.from, scalar).is_some();
            if !fixed {
                touch.reads.push(scalar.content);
            }
            touch.reads.extend(scalar.written.filter(|cell| !sure(*cell)));
        }
    }
}
