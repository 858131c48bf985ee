//! The environment in parts that have nothing to do with each other.
//!
//! Two scalars in memory belong together if one clause of the environment assumption E or of the
//! invariant I speaks of both; what belongs together is a *component*. Pointers, objects that
//! formulas about all objects of a type speak of, what every thread has for itself, variables of the
//! specification, and whatever is reached through a pointer are one component, the *heap*. If a clause reads through an address that
//! it computes, nothing is known of what it reads, and the heap is all there is.
//!
//! So every clause speaks of one component, and E is a conjunction of assumptions about disjoint
//! parts of memory: a step of the environment does something to each component, whatever it does to
//! the others. That E is reflexive and transitive then means that each part of it is, and is asked of
//! each part. Two things follow (§6.4 of the paper has the first for steps that do not look at memory
//! at all):
//!
//! - *Split.* What the environment does to one component commutes with a step that neither reads nor
//!   writes it. Before a step of which it is known which scalars it touches, only their components
//!   change (`step.rs`); the others keep the value that they had, and change before the next step
//!   that touches them: from what they were then to what they are, by steps of their part of E, since
//!   nobody but the environment has changed them meanwhile. It must be whole components: if a scalar
//!   were looked at before what it guards has changed, the guard would be new and what it guards old.
//!   A step that goes through a pointer, makes or frees an object, starts a thread or calls may touch
//!   anything, and what is asked at the exit and at calls may look at anything: everything changes
//!   before these. If the procedure has a contract, every step that touches memory is compared with
//!   it, so it also touches what the contract's targets and actions read.
//! - *Focus.* Where everything changes, the clauses about components that the procedure does not
//!   mention (in its code, its contract, or a contract that it uses) are not assumed. That is sound
//!   whatever these clauses are, as everything that is not known is possible; and nothing is lost but
//!   where a pointer leads into a component that the procedure does not name.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::{Binding, Clause, Formula};
use selvedge_ir::{LayoutId, ObjectId, Place, Program, Shape, Sharing, Type};

/// A scalar in memory at a constant address.
pub(crate) type Location = (ObjectId, i64);

/// The component of everything that is reached through pointers.
pub(crate) const HEAP: u32 = 0;

/// What belongs to one component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Component {
    /// The clauses about it, by their numbers.
    pub environment: Vec<usize>,
    pub invariants: Vec<usize>,
    /// The scalars that these read; of the heap not all of them.
    pub scalars: Vec<(Location, Type)>,
}

#[derive(Debug, Default)]
pub(crate) struct Components {
    /// The heap comes first.
    pub all: Vec<Component>,
    of: FxHashMap<Location, u32>,
    /// The components that scalars of an object belong to.
    of_object: FxHashMap<ObjectId, Vec<u32>>,
    in_heap: FxHashSet<ObjectId>,
    /// Whether a clause may read anything.
    whole: bool,
}

impl Components {
    pub fn of(program: &Program) -> Components {
        let mut sorting = Sorting::new(program);
        let spec = &program.spec;
        for clause in spec.environment.iter().chain(&spec.invariants) {
            sorting.join(&clause.formula);
        }
        let mut found = sorting.finish();
        for (number, clause) in spec.environment.iter().enumerate() {
            let at = found.of_clause(program, clause);
            found.all[at as usize].environment.push(number);
        }
        for (number, clause) in spec.invariants.iter().enumerate() {
            let at = found.of_clause(program, clause);
            found.all[at as usize].invariants.push(number);
        }
        found
    }

    fn of_clause(&self, program: &Program, clause: &Clause) -> u32 {
        let mut places = clause.formula.reads().map(|(_, place, _)| self.component(program, place));
        match uses_heap(&clause.formula) {
            true => HEAP,
            // What speaks of no scalar at all is with the heap, which every procedure looks at.
            false => places.next().flatten().unwrap_or(HEAP),
        }
    }

    /// The component of a place; none if no clause speaks of it, and it is by itself.
    pub fn component(&self, program: &Program, place: &Place) -> Option<u32> {
        match self.scalar(program, place) {
            Some(location) => self.of.get(&location).copied(),
            None => Some(HEAP),
        }
    }

    /// The scalar that a place is, if it is not in the heap.
    pub fn scalar(&self, program: &Program, place: &Place) -> Option<Location> {
        let location = place.direct()?;
        let shared = program.objects[location.0].sharing == Sharing::Shared;
        let apart = place.ty != Type::Ptr && shared && !self.in_heap.contains(&location.0);
        (apart && !self.whole).then_some(location)
    }

    /// The components of these objects, and the heap.
    pub fn of_objects(&self, objects: &FxHashSet<ObjectId>) -> FxHashSet<u32> {
        let named = objects.iter().filter_map(|object| self.of_object.get(object)).flatten();
        named.copied().chain([HEAP]).collect()
    }
}

/// Whether a formula speaks of objects that it does not name.
fn uses_heap(formula: &Formula) -> bool {
    let variables = formula.variables.values();
    let objects = |binding: &Binding| {
        matches!(binding, Binding::Size(_) | Binding::Alive { .. } | Binding::Ghost { .. })
            || matches!(binding, Binding::Forall(Some(_)) | Binding::Exists(Some(_)))
    };
    formula.reads().any(|(_, place, _)| place.direct().is_none())
        || variables
            .into_iter()
            .any(|variable| objects(&variable.binding) || is_pointer(variable.ty))
}

fn is_pointer(ty: Type) -> bool {
    ty == Type::Ptr
}

/// Scalars that were joined so far, as a forest.
struct Sorting<'p> {
    program: &'p Program,
    parents: Vec<u32>,
    numbers: FxHashMap<Location, u32>,
    scalars: Vec<(Location, Type)>,
    layouts: FxHashSet<LayoutId>,
    whole: bool,
}

impl<'p> Sorting<'p> {
    fn new(program: &'p Program) -> Sorting<'p> {
        Sorting {
            program,
            parents: vec![HEAP],
            numbers: FxHashMap::default(),
            scalars: Vec::new(),
            layouts: FxHashSet::default(),
            whole: false,
        }
    }

    fn join(&mut self, formula: &Formula) {
        let mut first = uses_heap(formula).then_some(HEAP);
        for (_, place, _) in formula.reads() {
            let number = match place.direct() {
                Some(location) => self.number(location, place.ty),
                None => {
                    self.read_through(formula, place);
                    HEAP
                }
            };
            let with = *first.get_or_insert(number);
            self.unite(with, number);
        }
    }

    /// A formula about all objects of a type speaks of these; any other address may lead anywhere.
    fn read_through(&mut self, formula: &Formula, place: &Place) {
        match formula.element_at(&place.addr) {
            Some((_, layout, _)) => {
                self.layouts.insert(layout);
            }
            None => self.whole = true,
        }
    }

    fn number(&mut self, location: Location, ty: Type) -> u32 {
        let next = self.parents.len() as u32;
        let number = *self.numbers.entry(location).or_insert(next);
        if number == next {
            self.parents.push(number);
            self.scalars.push((location, ty));
            let shared = self.program.objects[location.0].sharing == Sharing::Shared;
            if is_pointer(ty) || !shared {
                self.unite(HEAP, number);
            }
        }
        number
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let above = self.parents[number as usize];
            self.parents[number as usize] = self.parents[above as usize];
            number = above;
        }
        number
    }

    /// The smaller number becomes the root, so that the heap stays the heap.
    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    fn finish(mut self) -> Components {
        let mut found = Components { whole: self.whole, ..Components::default() };
        for (id, object) in &self.program.objects {
            if elements(self.program, object.layout).any(|layout| self.layouts.contains(&layout)) {
                found.in_heap.insert(id);
            }
        }
        for (location, _) in self.scalars.clone() {
            if self.whole || found.in_heap.contains(&location.0) {
                let number = self.numbers[&location];
                self.unite(HEAP, number);
            }
        }
        found.all.push(Component::default());
        let mut named: FxHashMap<u32, u32> = FxHashMap::from_iter([(HEAP, HEAP)]);
        for (location, ty) in self.scalars.clone() {
            let root = self.root(self.numbers[&location]);
            let next = found.all.len() as u32;
            let component = *named.entry(root).or_insert(next);
            if component == next {
                found.all.push(Component::default());
            }
            found.all[component as usize].scalars.push((location, ty));
            found.of.insert(location, component);
            found.of_object.entry(location.0).or_default().push(component);
        }
        found
    }
}

/// A layout, what it is an array of, and so on.
pub(crate) fn elements(program: &Program, layout: LayoutId) -> impl Iterator<Item = LayoutId> {
    std::iter::successors(Some(layout), |&layout| match program.layouts[layout].shape {
        Shape::Array { element, .. } => Some(element),
        _ => None,
    })
}
