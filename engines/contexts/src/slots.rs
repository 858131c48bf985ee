//! Thread slots: one for each thread that an execution within the bounds can start.
//!
//! A slot is a thread's code with a place in the order in which the sequential program runs the
//! threads. A thread that another starts comes behind it. A spawn on no cycle has a slot of its own;
//! one on a cycle has as many as it can be passed, at most as many as the bound says.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Callee, EdgeId, Multiplicity, ProcId};
use selvedge_passes::Prepared;
use selvedge_passes::threads::Cycles;

use super::bounds::Bounds;
use super::flatten::{Flat, flatten};

/// Slots at most: with more, no solver gives an answer.
const LIMIT: usize = 150;

/// A loop that is known to start at most so many threads gets slots for all of them: what comes
/// behind it needs them.
const COUNTED: u32 = 12;

#[derive(Clone, Debug)]
pub struct Slot {
    pub code: Rc<Flat>,
    /// Exists from the start.
    pub initial: bool,
    /// The program ends when it returns.
    pub main: bool,
    /// The slots of the threads that each `Spawn` can start, the first that is free first.
    pub spawns: FxHashMap<EdgeId, Vec<u32>>,
    /// The procedures of the threads that it descends from, its own included.
    pub chain: Vec<ProcId>,
}

impl Slot {
    /// Whether its thread can end and leave others behind, so that they can join it.
    pub fn can_be_joined(&self) -> bool {
        let ends = |action: &Action| matches!(action, Action::EndThread { .. });
        !self.main || self.code.body.edges().any(|(_, edge)| ends(&edge.action))
    }
}

/// All slots, in the order in which they run.
#[derive(Clone, Debug)]
pub struct Slots {
    pub list: Vec<Slot>,
    pub cut: Cut,
}

/// What the slots do not allow, though it can happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// More threads.
    pub threads: bool,
    /// Deeper recursion.
    pub calls: bool,
    /// The code is not complete.
    pub size: bool,
}

impl Cut {
    pub fn any(self) -> bool {
        self.threads || self.calls || self.size
    }
}

impl Slots {
    pub fn of(prepared: &Prepared, bounds: &Bounds) -> Slots {
        let mut allotment = Allotment {
            prepared,
            bounds,
            codes: FxHashMap::default(),
            slots: Slots { list: Vec::new(), cut: Cut::default() },
        };
        for thread in &prepared.program.threads {
            let count = match thread.count {
                Multiplicity::Exactly(n) => n,
                Multiplicity::Any => {
                    allotment.slots.cut.threads = true;
                    bounds.threads
                }
            };
            for _ in 0..count {
                allotment.add(thread.procedure, &[], true, thread.main);
            }
        }
        let mut next = 0;
        while next < allotment.slots.list.len() {
            allotment.spawned_by(next);
            next += 1;
        }
        allotment.slots
    }

    /// The slots that are not there from the start.
    pub fn spawned(&self) -> bool {
        self.list.iter().any(|slot| !slot.initial)
    }
}

struct Allotment<'a> {
    prepared: &'a Prepared,
    bounds: &'a Bounds,
    codes: FxHashMap<ProcId, Rc<Flat>>,
    slots: Slots,
}

impl Allotment<'_> {
    fn add(&mut self, procedure: ProcId, chain: &[ProcId], initial: bool, main: bool) -> u32 {
        let program = &self.prepared.program;
        let depth = self.bounds.unwind;
        let code = self.codes.entry(procedure);
        let code = code.or_insert_with(|| Rc::new(flatten(program, procedure, depth))).clone();
        self.slots.cut.calls |= code.cut;
        self.slots.cut.size |= code.too_large;
        let chain = [chain, &[procedure]].concat();
        let slot = Slot { code, initial, main, spawns: FxHashMap::default(), chain };
        self.slots.list.push(slot);
        self.slots.list.len() as u32 - 1
    }

    fn spawned_by(&mut self, creator: usize) {
        let Slot { code, chain, .. } = self.slots.list[creator].clone();
        let cycles = Cycles::of(&code.body);
        for (at, edge) in code.body.edges() {
            let Action::Spawn { entry: Callee::Direct(target), .. } = edge.action else { continue };
            let wanted = match cycles.contains(&code.body, at) {
                false => 1,
                true => self.most(target),
            };
            let nested = chain.iter().filter(|p| **p == target).count() as u32;
            let room = (LIMIT - self.slots.list.len().min(LIMIT)) as u32;
            let given = match nested {
                n if n >= self.bounds.threads => 0,
                _ => wanted.min(room),
            };
            let starts = (0..given).map(|_| self.add(target, &chain, false, false)).collect();
            self.slots.cut.threads |= given < wanted;
            self.slots.list[creator].spawns.insert(at, starts);
        }
    }

    /// How many threads a spawn on a cycle may start.
    fn most(&mut self, target: ProcId) -> u32 {
        let count = self.prepared.templates.by_procedure(target).map(|t| t.count);
        match count {
            Some(Multiplicity::Exactly(n)) if n <= self.bounds.threads.max(COUNTED) => n,
            _ => {
                self.slots.cut.threads = true;
                self.bounds.threads
            }
        }
    }
}
