//! The environment in parts that have nothing to do with each other.
//!
//! Regions of memory (`regions.rs`) belong together if one clause of the environment assumption E or
//! of the invariant I speaks of both; what belongs together is a *component*. If a clause reads through
//! an address of which it is not known where it leads, all there is is one component.
//!
//! So every clause speaks of one component, and E is a conjunction of assumptions about disjoint
//! parts of memory: a step of the environment does something to each component, whatever it does to
//! the others. That E is reflexive and transitive then means that each part of it is, and is asked of
//! each part. Three things follow (§6.4 of the paper has the first for steps that do not look at
//! memory at all):
//!
//! - *Split.* What the environment does to one component commutes with a step that neither reads nor
//!   writes it. Before a step of which it is known which scalars it touches, only their components
//!   change (`step.rs`); the others keep the value that they had, and change before the next step
//!   that touches them: from what they were then to what they are, by steps of their part of E, since
//!   nobody but the environment has changed them meanwhile. It must be whole components: if a scalar
//!   were looked at before what it guards has changed, the guard would be new and what it guards old.
//!   This is done for *loose* components, which have nothing but named scalars that are no pointers:
//!   what the environment does to others depends on which objects there are and whose they are.
//!   A step that goes through a pointer, makes or frees an object, starts a thread or calls may touch
//!   anything, and what is asked at the exit and at calls may look at anything: everything changes
//!   before these. If the procedure has a contract, every step that touches memory is compared with
//!   it, so it also touches what the contract's targets and actions read.
//! - *Focus.* Where everything changes, a procedure is checked with the clauses that have to do with
//!   the regions that it mentions in its code, its contract, or a contract that it uses, or that its
//!   pointers lead to (`scope.rs`): assumptions about what is there after a step, invariants about it,
//!   and those about what these speak of. To assume less is sound, as everything that is not known is
//!   possible.
//! - *Reach.* A step can violate invariants about regions that it writes, and no others. It can
//!   violate assumptions about what is after a step in regions that it writes: others are true of a
//!   step as they are of one that does nothing, since E is reflexive (`reach.rs`).

use rustc_hash::FxHashMap;
use selvedge_ir::spec::{Binding, Formula};
use selvedge_ir::{LayoutId, ObjectId, Place, Program, Type};

use crate::regions::{Location, Region, Regions, Subjects, elements};

/// The component of everything of which it is not known where it is.
pub(crate) const HEAP: u32 = 0;

/// What belongs to one component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Component {
    /// The clauses about it, by their numbers.
    pub environment: Vec<usize>,
    pub invariants: Vec<usize>,
    /// The scalars that these read at constant addresses.
    pub scalars: Vec<(Location, Type)>,
    /// The globals that these may read.
    pub objects: Vec<ObjectId>,
    /// Whether it has more than named scalars that are no pointers.
    pub tied: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Components {
    /// The heap comes first.
    pub all: Vec<Component>,
    of: FxHashMap<Region, u32>,
    /// By clause of the environment assumption.
    pub of_environment: Vec<u32>,
    pub regions: Regions,
}

impl Components {
    pub fn of(program: &Program) -> Components {
        let regions = Regions::of(program);
        let mut sorting = Sorting::new();
        sorting.join_elements(program, &regions);
        for subjects in regions.environment.iter().chain(&regions.invariants) {
            sorting.together(&subjects.all);
        }
        let mut found = sorting.finish(regions);
        let spec = &program.spec;
        for (number, clause) in spec.environment.iter().enumerate() {
            let at = found.of_clause(&found.regions.environment[number]);
            found.all[at as usize].environment.push(number);
            found.of_environment.push(at);
            found.add_scalars(&clause.formula, at);
        }
        for (number, clause) in spec.invariants.iter().enumerate() {
            let at = found.of_clause(&found.regions.invariants[number]);
            found.all[at as usize].invariants.push(number);
            found.add_scalars(&clause.formula, at);
        }
        for component in &mut found.all {
            component.scalars.sort_unstable();
            component.scalars.dedup();
            component.objects.sort_unstable();
            component.objects.dedup();
        }
        found
    }

    fn of_clause(&self, subjects: &Subjects) -> u32 {
        match self.regions.whole {
            true => HEAP,
            false => self.of[&subjects.all[0]],
        }
    }

    /// A component is tied if a clause about it speaks of objects or pointers.
    fn add_scalars(&mut self, formula: &Formula, at: u32) {
        let component = &mut self.all[at as usize];
        component.tied |= speaks_of_objects(formula);
        for (_, place, _) in formula.reads() {
            let Some(location) = place.direct() else { continue };
            component.scalars.push((location, place.ty));
            component.objects.push(location.0);
        }
    }

    /// The component of a place at a constant address; none if no clause speaks of it, and it is by
    /// itself.
    pub fn component(&self, program: &Program, location: Location) -> Option<u32> {
        match self.regions.whole {
            true => Some(HEAP),
            false => self.of.get(&self.regions.scalar(program, location)).copied(),
        }
    }

    /// The scalar that a place is, if it is one by itself or in a loose component.
    pub fn scalar(&self, program: &Program, place: &Place) -> Option<Location> {
        let location = place.direct()?;
        let region = self.regions.scalar(program, location);
        let apart = place.ty != Type::Ptr && region == Region::Scalar(location);
        let tied = self.of.get(&region).is_some_and(|&at| self.all[at as usize].tied);
        (apart && !self.regions.whole && !tied).then_some(location)
    }
}

/// Whether a formula speaks of objects, or of variables of the specification.
fn speaks_of_objects(formula: &Formula) -> bool {
    let objects = |binding: &Binding| {
        matches!(binding, Binding::Size(_) | Binding::Alive { .. } | Binding::Ghost { .. })
            || matches!(binding, Binding::Forall(Some(_)) | Binding::Exists(Some(_)))
    };
    formula.reads().any(|(_, place, _)| place.direct().is_none())
        || formula
            .variables
            .values()
            .any(|variable| objects(&variable.binding) || variable.ty == Type::Ptr)
}

/// Regions that were joined so far, as a forest.
struct Sorting {
    parents: Vec<u32>,
    numbers: FxHashMap<Region, u32>,
}

impl Sorting {
    fn new() -> Sorting {
        Sorting { parents: vec![HEAP], numbers: FxHashMap::from_iter([(Region::Heap, HEAP)]) }
    }

    /// An object belongs to all layouts that it has elements of.
    fn join_elements(&mut self, program: &Program, regions: &Regions) {
        let known = |layout: LayoutId| {
            let inside = elements(program, layout).filter(|l| regions.layouts.contains(l));
            inside.map(Region::Layout).collect::<Vec<_>>()
        };
        for (id, object) in &program.objects {
            let mut all = known(object.layout);
            if !all.is_empty() {
                all.push(regions.scalar(program, (id, 0)));
                self.together(&all);
            }
        }
        program.layouts.keys().for_each(|layout| self.together(&known(layout)));
    }

    fn together(&mut self, regions: &[Region]) {
        let numbers: Vec<u32> = regions.iter().map(|&region| self.number(region)).collect();
        for pair in numbers.windows(2) {
            self.unite(pair[0], pair[1]);
        }
    }

    fn number(&mut self, region: Region) -> u32 {
        let next = self.parents.len() as u32;
        let number = *self.numbers.entry(region).or_insert(next);
        if number == next {
            self.parents.push(number);
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

    fn finish(mut self, regions: Regions) -> Components {
        let heap = Component { tied: true, ..Component::default() };
        let mut found = Components { all: vec![heap], ..Components::default() };
        let mut sorted: Vec<(u32, Region)> =
            self.numbers.iter().map(|(&region, &number)| (number, region)).collect();
        sorted.sort_unstable_by_key(|(number, _)| *number);
        let mut named: FxHashMap<u32, u32> = FxHashMap::from_iter([(HEAP, HEAP)]);
        for (number, region) in sorted {
            let root = if regions.whole { HEAP } else { self.root(number) };
            let next = found.all.len() as u32;
            let at = *named.entry(root).or_insert(next);
            if at == next {
                found.all.push(Component::default());
            }
            found.of.insert(region, at);
            found.all[at as usize].tied |= !matches!(region, Region::Scalar(_));
            if let Region::Scalar((object, _)) | Region::Object(object) = region {
                found.all[at as usize].objects.push(object);
            }
        }
        found.regions = regions;
        found
    }
}
