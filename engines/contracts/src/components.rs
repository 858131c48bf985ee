//! The environment in parts that have nothing to do with each other.
//!
//! Memory is divided into *regions*: a scalar of a global; a whole global, if some clause of the
//! environment assumption E or of the invariant I reads it at an offset that it computes; all
//! elements of a layout, those that are allocated and the globals that have such elements, if some
//! clause speaks of all of them; a variable of the specification, in whatever object. Regions belong
//! together if one clause speaks of both; what belongs together is a *component*. Whether objects are
//! alive, what every thread has for itself, and clauses that speak of no memory are one component, the
//! *heap*. If a clause reads through an address of which it is not known where it leads, all there is
//! is the heap.
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
//! - *Focus.* Where everything changes, the clauses about components that the procedure does not
//!   mention (in its code, its contract, or a contract that it uses) are not assumed. That is sound
//!   whatever these clauses are, as everything that is not known is possible; and nothing is lost but
//!   where a pointer leads into a component that the procedure does not name.
//! - *Reach.* A step can violate clauses about components that it writes, and no others (`reach.rs`).

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::{Binding, Clause, Formula};
use selvedge_ir::{
    BinaryOp, Const, Expr, GhostId, LayoutId, ObjectId, Place, Program, Shape, Sharing, Type,
};

/// A scalar in memory at a constant address.
pub(crate) type Location = (ObjectId, i64);

/// The component of everything of which it is not known where it is.
pub(crate) const HEAP: u32 = 0;

/// A part of memory that a clause can speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Region {
    Heap,
    Scalar(Location),
    /// A global with all that is in it.
    Object(ObjectId),
    /// All elements of a layout.
    Layout(LayoutId),
    Ghost(GhostId),
}

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
    /// The components that parts of an object belong to.
    of_object: FxHashMap<ObjectId, Vec<u32>>,
    /// Globals that are one region.
    wide: FxHashSet<ObjectId>,
    /// Whether a clause may read anything.
    whole: bool,
}

impl Components {
    pub fn of(program: &Program) -> Components {
        let spec = &program.spec;
        let clauses = || spec.environment.iter().chain(&spec.invariants);
        let mut sorting = Sorting::new(program, clauses().map(|clause| &clause.formula));
        for clause in clauses() {
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

    /// The component of a clause, which is now tied if the clause speaks of objects.
    fn of_clause(&mut self, program: &Program, clause: &Clause) -> u32 {
        let first = regions(program, &self.wide, &clause.formula).into_iter().next();
        let at = match self.whole {
            true => HEAP,
            // What speaks of no memory at all is with the heap, which every procedure looks at.
            false => first.map_or(HEAP, |region| self.of[&region]),
        };
        self.all[at as usize].tied |= speaks_of_objects(&clause.formula);
        at
    }

    /// The component of a place at a constant address; none if no clause speaks of it, and it is by
    /// itself.
    pub fn component(&self, program: &Program, location: Location) -> Option<u32> {
        match self.whole {
            true => Some(HEAP),
            false => self.of.get(&region_of(program, &self.wide, location)).copied(),
        }
    }

    /// The scalar that a place is, if it is one by itself or in a loose component.
    pub fn scalar(&self, program: &Program, place: &Place) -> Option<Location> {
        let location = place.direct()?;
        let region = region_of(program, &self.wide, location);
        let apart = place.ty != Type::Ptr && region == Region::Scalar(location) && !self.whole;
        let tied = self.of.get(&region).is_some_and(|&at| self.all[at as usize].tied);
        (apart && !tied).then_some(location)
    }

    /// The components of an object.
    pub fn of_object(&self, program: &Program, object: ObjectId) -> Vec<u32> {
        let own = program.objects[object].sharing == Sharing::PerThread;
        match self.whole || own {
            true => vec![HEAP],
            false => self.of_object.get(&object).cloned().unwrap_or_default(),
        }
    }

    /// The components of what is made in a layout.
    pub fn of_layout(&self, program: &Program, layout: LayoutId) -> Vec<u32> {
        let layouts = elements(program, layout).map(Region::Layout);
        match self.whole {
            true => vec![HEAP],
            false => layouts.filter_map(|region| self.of.get(&region).copied()).collect(),
        }
    }

    pub fn of_ghost(&self, ghost: GhostId) -> Option<u32> {
        match self.whole {
            true => Some(HEAP),
            false => self.of.get(&Region::Ghost(ghost)).copied(),
        }
    }

    /// Those that are not loose, the heap among them.
    pub fn tied(&self) -> impl Iterator<Item = u32> + '_ {
        let numbered = (0..).zip(&self.all);
        numbered.filter(|(_, component)| component.tied).map(|(number, _)| number)
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

/// What a formula speaks of, as far as that is known.
fn regions(program: &Program, wide: &FxHashSet<ObjectId>, formula: &Formula) -> Vec<Region> {
    let mut found = Vec::new();
    for variable in formula.variables.values() {
        match &variable.binding {
            Binding::Alive { .. } => found.push(Region::Heap),
            Binding::Ghost { ghost, .. } => found.push(Region::Ghost(*ghost)),
            Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
                found.push(Region::Layout(*layout));
            }
            Binding::Read { place, .. } => match (place.direct(), base(&place.addr)) {
                (Some(location), _) => found.push(region_of(program, wide, location)),
                (None, Some(object)) => found.push(region_of(program, wide, (object, 0))),
                (None, None) => {}
            },
            _ => {}
        }
    }
    found
}

/// The region of a scalar of a global.
fn region_of(program: &Program, wide: &FxHashSet<ObjectId>, location: Location) -> Region {
    match program.objects[location.0].sharing {
        Sharing::PerThread => Region::Heap,
        Sharing::Shared if wide.contains(&location.0) => Region::Object(location.0),
        Sharing::Shared => Region::Scalar(location),
    }
}

/// The global that an address is in, whatever the offset: arithmetic does not leave an object.
fn base(address: &Expr) -> Option<ObjectId> {
    match address {
        Expr::Const(Const::Object(object, _)) => Some(*object),
        Expr::Binary(BinaryOp::PtrAdd, pointer, _) => base(pointer),
        _ => None,
    }
}

/// Whether an address is in a global, or in an object that the formula speaks of by its type.
fn is_within(formula: &Formula, address: &Expr) -> bool {
    match address {
        Expr::Binary(BinaryOp::PtrAdd, pointer, _) => is_within(formula, pointer),
        Expr::Const(Const::Object(..)) => true,
        _ => formula.element_at(address).is_some(),
    }
}

/// Regions that were joined so far, as a forest.
struct Sorting<'p> {
    program: &'p Program,
    parents: Vec<u32>,
    numbers: FxHashMap<Region, u32>,
    scalars: Vec<(Location, Type)>,
    seen: FxHashSet<(Location, Type)>,
    wide: FxHashSet<ObjectId>,
    whole: bool,
}

impl<'p> Sorting<'p> {
    fn new<'f>(program: &'p Program, formulas: impl Iterator<Item = &'f Formula>) -> Sorting<'p> {
        let mut layouts: FxHashSet<LayoutId> = FxHashSet::default();
        let mut wide: FxHashSet<ObjectId> = FxHashSet::default();
        for formula in formulas {
            for variable in formula.variables.values() {
                if let Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) =
                    variable.binding
                {
                    layouts.insert(layout);
                }
            }
            let computed = formula.reads().filter(|(_, place, _)| place.direct().is_none());
            wide.extend(computed.filter_map(|(_, place, _)| base(&place.addr)));
        }
        let mut sorting = Sorting {
            program,
            parents: vec![HEAP],
            numbers: FxHashMap::from_iter([(Region::Heap, HEAP)]),
            scalars: Vec::new(),
            seen: FxHashSet::default(),
            wide,
            whole: false,
        };
        sorting.join_elements(&layouts);
        sorting
    }

    /// An object belongs to all layouts that it has elements of.
    fn join_elements(&mut self, layouts: &FxHashSet<LayoutId>) {
        for (id, object) in &self.program.objects {
            for layout in elements(self.program, object.layout).filter(|l| layouts.contains(l)) {
                self.wide.insert(id);
                let region = region_of(self.program, &self.wide, (id, 0));
                self.together(&[region, Region::Layout(layout)]);
            }
        }
        let all = self.program.layouts.keys();
        for layout in all {
            let inside = elements(self.program, layout).filter(|l| layouts.contains(l));
            let inside: Vec<Region> = inside.map(Region::Layout).collect();
            self.together(&inside);
        }
    }

    fn join(&mut self, formula: &Formula) {
        let regions = regions(self.program, &self.wide, formula);
        self.together(&regions);
        for (_, place, _) in formula.reads() {
            match place.direct() {
                Some(location) => {
                    if self.seen.insert((location, place.ty)) {
                        self.scalars.push((location, place.ty));
                    }
                }
                None => self.whole |= !is_within(formula, &place.addr),
            }
        }
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

    fn finish(mut self) -> Components {
        let heap = Component { tied: true, ..Component::default() };
        let mut found = Components { all: vec![heap], ..Components::default() };
        let mut regions: Vec<(u32, Region)> =
            self.numbers.iter().map(|(&region, &number)| (number, region)).collect();
        regions.sort_unstable_by_key(|(number, _)| *number);
        let mut named: FxHashMap<u32, u32> = FxHashMap::from_iter([(HEAP, HEAP)]);
        for (number, region) in regions {
            let root = if self.whole { HEAP } else { self.root(number) };
            let next = found.all.len() as u32;
            let at = *named.entry(root).or_insert(next);
            if at == next {
                found.all.push(Component::default());
            }
            found.of.insert(region, at);
            found.all[at as usize].tied |= !matches!(region, Region::Scalar(_));
            if let Region::Scalar((object, _)) | Region::Object(object) = region {
                found.add_object(object, at);
            }
        }
        for &(location, ty) in &self.scalars {
            let at = found.of[&region_of(self.program, &self.wide, location)];
            found.all[at as usize].scalars.push((location, ty));
            found.all[at as usize].tied |= ty == Type::Ptr;
        }
        found.whole = self.whole;
        found.wide = self.wide;
        found
    }
}

impl Components {
    fn add_object(&mut self, object: ObjectId, at: u32) {
        let of = self.of_object.entry(object).or_default();
        if !of.contains(&at) {
            of.push(at);
            self.all[at as usize].objects.push(object);
        }
    }
}

/// A layout, what it is an array of, and so on.
pub(crate) fn elements(program: &Program, layout: LayoutId) -> impl Iterator<Item = LayoutId> {
    std::iter::successors(Some(layout), |&layout| match program.layouts[layout].shape {
        Shape::Array { element, .. } => Some(element),
        _ => None,
    })
}
