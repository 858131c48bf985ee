//! One path through a procedure: symbolic values, and all that is known on it.
//!
//! Assumed formulas with universal variables are kept, and instantiated at the values that the path has
//! met and at those that stand for "anything" in what is to be shown. So a question to the solver is a
//! closed formula without quantifiers: what is known on the path, and that the goal fails.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
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
    /// Where the ways that it has taken one of meet again, the nearest last, by their numbers.
    pub meetings: Vec<(LocationId, usize)>,
    /// The meetings at which something of what was known is forgotten.
    pub forgetful: BTreeSet<LocationId>,
    /// All that is known, in the order in which it became known.
    pub facts: Vec<Term>,
    pub known: FxHashSet<Term>,
    /// What was found not to hold on it.
    pub never: FxHashSet<Term>,
    pub assumed: Vec<Assumption>,
    pub passages: Vec<Looked>,
    pool: Vec<(Type, Sym)>,
    pub objects: Vec<Term>,
    pub cells: Vec<(Kept, Sym)>,
}

/// Paths that are on their way to a meeting.
pub(crate) struct Parted {
    pub at: LocationId,
    pub from: LocationId,
    pub number: usize,
    /// What they go on from.
    pub before: Path,
}

/// A formula that holds of all values, and for how many of those that the path has met, in their order,
/// it was instantiated.
#[derive(Clone)]
pub(crate) struct Assumption {
    pub holds: Rc<(Formula, View)>,
    met: usize,
    instances: usize,
}

/// A passage, and for how many objects and cells it was looked at.
#[derive(Clone)]
pub(crate) struct Looked {
    pub passage: Rc<Passage>,
    pub objects: usize,
    pub cells: usize,
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
            meetings: Vec::new(),
            forgetful: BTreeSet::new(),
            facts: Vec::new(),
            known: FxHashSet::default(),
            never: FxHashSet::default(),
            assumed: Vec::new(),
            passages: Vec::new(),
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
        if self.passages.iter().any(|looked| looked.passage.is_by_cells(kept))
            && !self.cells.contains(&(kept, at))
        {
            self.cells.push((kept, at));
        }
    }

    /// Whether its step is as far as that of the path that it goes on from: it has only looked at locals.
    pub fn is_where(&self, before: &Path) -> bool {
        self.memory == before.memory
            && self.start == before.start
            && self.looked == before.looked
            && self.writes.len() == before.writes.len()
            && self.passages.len() == before.passages.len()
            && self.assumed.len() == before.assumed.len()
    }

    /// Considers what another path does that this is the beginning of.
    pub fn consider_all(&mut self, longer: &Path) {
        longer.pool.iter().for_each(|&(ty, value)| self.consider(ty, value));
        longer.objects.iter().for_each(|&object| self.consider_object(object));
        longer.cells.iter().for_each(|&(kept, at)| self.consider_cell(kept, at));
    }

    /// The values of a type that the path has met.
    pub fn met(&self, ty: Type) -> Vec<Sym> {
        self.pool.iter().filter(|(of, _)| *of == ty).map(|(_, value)| *value).collect()
    }

    pub fn assume(&mut self, formula: &Formula, view: View) {
        let holds = Rc::new((formula.clone(), view));
        self.assumed.push(Assumption { holds, met: 0, instances: 0 });
    }

    pub fn pass(&mut self, passage: Passage) {
        self.passages.push(Looked { passage: Rc::new(passage), objects: 0, cells: 0 });
    }

    /// The step is over.
    pub fn rest(&mut self) {
        self.start = self.memory.clone();
        self.writes.clear();
        self.looked = false;
    }

    /// How many values the path has met.
    pub fn values_met(&self) -> usize {
        self.pool.len()
    }

    /// Every choice of values for the universal variables of an assumption that was not made before.
    pub fn new_choices(&mut self, index: usize) -> Vec<Vec<Sym>> {
        let all = self.pool.len();
        let assumption = &mut self.assumed[index];
        let old = std::mem::replace(&mut assumption.met, all);
        let variables = assumption.holds.0.variables.values();
        let universal = variables.filter(|v| matches!(v.binding, Binding::Forall(_)));
        let types: Vec<Type> = universal.map(|variable| variable.ty).collect();
        let mut choices = match types.is_empty() && assumption.instances == 0 {
            true => vec![Vec::new()],
            false => Vec::new(),
        };
        let left = MOST_INSTANCES - assumption.instances;
        // What stands before the first new value is old, what stands behind it is any.
        for first_new in (0..types.len()).filter(|_| old < all) {
            let ranges = (0..types.len()).map(|place| match place.cmp(&first_new) {
                Ordering::Less => &self.pool[..old],
                Ordering::Equal => &self.pool[old..],
                Ordering::Greater => &self.pool[..],
            });
            let mut found: Vec<Vec<Sym>> = vec![Vec::new()];
            for (range, ty) in ranges.zip(&types) {
                let of_type = || range.iter().filter(|(of, _)| of == ty).map(|(_, value)| *value);
                let longer = found.iter().flat_map(|values| {
                    of_type().map(|value| values.iter().copied().chain([value]).collect())
                });
                found = longer.take(left).collect();
            }
            choices.extend(found);
        }
        choices.truncate(left);
        assumption.instances += choices.len();
        choices
    }
}
