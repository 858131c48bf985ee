//! One path through a procedure: symbolic values, and all that is known on it.
//!
//! Assumed formulas with universal variables are kept, and instantiated at the values that the path has
//! met and at those that stand for "anything" in what is to be shown. So a question to the solver is a
//! closed formula without quantifiers: what is known on the path, and that the goal fails.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Binding, Formula, Target};
use selvedge_ir::{LocalId, LocationId, Type};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory};
use crate::passage::Passage;
use crate::view::View;

/// Instances of one assumed formula, at most; beyond that less is shown.
const MOST_INSTANCES: usize = 4096;

#[derive(Clone)]
pub(crate) struct Path {
    pub locals: BTreeMap<LocalId, Sym>,
    pub memory: Memory,
    /// Memory where the current step began, and what the step has written since.
    pub start: Memory,
    pub writes: Vec<Write>,
    /// Whether the step has looked at memory.
    pub looked: bool,
    /// For each number of actions of the contract, a condition under which so many may be done. Empty
    /// where nobody relies on that.
    pub done: Vec<Term>,
    /// The heads of loops on the path.
    pub heads: Vec<LocationId>,
    /// All that is known, in the order in which it became known.
    pub facts: Vec<Term>,
    pub known: FxHashSet<Term>,
    pub assumed: Vec<Rc<(Formula, View)>>,
    pub passages: Vec<Rc<Passage>>,
    /// The instances of assumed formulas, and what passages were looked at for.
    pub instances: FxHashSet<(usize, Vec<Sym>)>,
    pub settled: FxHashSet<(usize, Part)>,
    pool: Vec<(Type, Sym)>,
    pub objects: Vec<Term>,
    pub cells: Vec<(Kept, Sym)>,
}

/// What a passage is looked at for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Object(Term),
    Cell(Kept, Sym),
}

/// What a step may have changed.
#[derive(Clone)]
pub(crate) enum Write {
    Cell(Kept, Sym),
    /// What a callee's action names, in the state before it.
    Target(Rc<(Target, View)>),
}

impl Path {
    pub fn new(memory: Memory) -> Path {
        Path {
            locals: BTreeMap::new(),
            start: memory.clone(),
            memory,
            writes: Vec::new(),
            looked: false,
            done: Vec::new(),
            heads: Vec::new(),
            facts: Vec::new(),
            known: FxHashSet::default(),
            assumed: Vec::new(),
            passages: Vec::new(),
            instances: FxHashSet::default(),
            settled: FxHashSet::default(),
            pool: Vec::new(),
            objects: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Assumed formulas speak of this value, too.
    pub fn consider(&mut self, ty: Type, value: Sym) {
        if !self.pool.contains(&(ty, value)) {
            self.pool.push((ty, value));
        }
        if let Sym::Pointer { object, .. } = value {
            self.consider_object(object);
        }
    }

    pub fn consider_object(&mut self, object: Term) {
        if !self.objects.contains(&object) {
            self.objects.push(object);
        }
    }

    /// A place that a call may have left alone.
    pub fn consider_cell(&mut self, kept: impl Into<Kept>, at: Sym) {
        let kept = kept.into();
        if self.passages.iter().any(|passage| passage.is_by_cells(kept))
            && !self.cells.contains(&(kept, at))
        {
            self.cells.push((kept, at));
        }
    }

    /// The values of a type that the path has met.
    pub fn met(&self, ty: Type) -> Vec<Sym> {
        self.pool.iter().filter(|(of, _)| *of == ty).map(|(_, value)| *value).collect()
    }

    pub fn assume(&mut self, formula: &Formula, view: View) {
        self.assumed.push(Rc::new((formula.clone(), view)));
    }

    pub fn pass(&mut self, passage: Passage) {
        self.passages.push(Rc::new(passage));
    }

    /// The step is over.
    pub fn rest(&mut self) {
        self.start = self.memory.clone();
        self.writes.clear();
        self.looked = false;
    }

    /// Every choice of values met for the universal variables.
    pub fn tuples(&self, formula: &Formula) -> Vec<Vec<Sym>> {
        let mut all: Vec<Vec<Sym>> = vec![Vec::new()];
        for variable in formula.variables.values() {
            if let Binding::Forall(_) = variable.binding {
                let met = self.met(variable.ty);
                let longer = all.iter().flat_map(|values| {
                    met.iter().map(|&value| {
                        let mut values = values.clone();
                        values.push(value);
                        values
                    })
                });
                all = longer.take(MOST_INSTANCES).collect();
            }
        }
        all
    }
}
