//! Parts of memory that clauses speak of, and which clause speaks of which.
//!
//! A region is a scalar of a global; a whole global, if some clause of the environment assumption E or
//! of the invariant I reads it at an offset that it computes; all elements of a layout, those that are
//! allocated and the globals that have such elements, if some clause speaks of all of them; a variable
//! of the specification, in whatever object; or the *heap*: whether objects are alive, what every
//! thread has for itself, and all that a clause reads through an address of which it is not known where
//! it leads.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::{Binding, Clause, Formula, When};
use selvedge_ir::{BinaryOp, Const, Expr, GhostId, LayoutId, ObjectId, Program, Shape, Sharing};

/// A scalar in memory at a constant address.
pub(crate) type Location = (ObjectId, i64);

/// A part of memory that a clause can speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Region {
    Heap,
    Scalar(Location),
    /// A global with all that is in it.
    Object(ObjectId),
    /// All elements of a layout.
    Layout(LayoutId),
    Ghost(GhostId),
}

/// What a clause speaks of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subjects {
    pub all: Vec<Region>,
    /// Those that it reads after the step; all, if it looks at one state only.
    pub after: Vec<Region>,
}

#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// What each clause speaks of.
    pub environment: Vec<Subjects>,
    pub invariants: Vec<Subjects>,
    /// By region, the assumptions that read it after the step, and the invariants that read it.
    assuming: FxHashMap<Region, Vec<usize>>,
    claiming: FxHashMap<Region, Vec<usize>>,
    of_object: FxHashMap<ObjectId, Vec<Region>>,
    /// The globals with elements of a layout that clauses speak of.
    with_elements: FxHashMap<LayoutId, Vec<Region>>,
    /// Globals that are one region.
    wide: FxHashSet<ObjectId>,
    /// The layouts that clauses speak of all elements of.
    pub layouts: FxHashSet<LayoutId>,
    /// Whether a clause may read anything.
    pub whole: bool,
}

impl Regions {
    pub fn of(program: &Program) -> Regions {
        let spec = &program.spec;
        let mut found = Regions::default();
        for clause in spec.environment.iter().chain(&spec.invariants) {
            found.survey(&clause.formula);
        }
        for (id, object) in &program.objects {
            for layout in elements(program, object.layout) {
                if found.layouts.contains(&layout) {
                    found.wide.insert(id);
                    let region = found.scalar(program, (id, 0));
                    found.with_elements.entry(layout).or_default().push(region);
                }
            }
        }
        let subjects = |clauses: &[Clause]| -> Vec<Subjects> {
            clauses.iter().map(|clause| found.subjects(program, &clause.formula)).collect()
        };
        (found.environment, found.invariants) =
            (subjects(&spec.environment), subjects(&spec.invariants));
        found.index();
        found
    }

    /// Which globals and layouts a formula makes regions.
    fn survey(&mut self, formula: &Formula) {
        for variable in formula.variables.values() {
            if let Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) = variable.binding
            {
                self.layouts.insert(layout);
            }
        }
        for (_, place, _) in formula.reads().filter(|(_, place, _)| place.direct().is_none()) {
            self.wide.extend(place.addr.base());
            self.whole |= !is_within(formula, &place.addr);
        }
    }

    fn subjects(&self, program: &Program, formula: &Formula) -> Subjects {
        let mut found = Subjects::default();
        for variable in formula.variables.values() {
            let (region, when) = match &variable.binding {
                Binding::Alive { when, .. } => (Region::Heap, *when),
                Binding::Ghost { ghost, when, .. } => (Region::Ghost(*ghost), *when),
                // What is true of all elements becomes true of others where such are made.
                Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
                    (Region::Layout(*layout), When::Before)
                }
                Binding::Read { place, when } => (self.read(program, formula, &place.addr), *when),
                _ => continue,
            };
            found.all.push(region);
            if when == When::After {
                found.after.push(region);
            }
        }
        if found.all.is_empty() {
            // Every procedure looks at it.
            found.all.push(Region::Heap);
        }
        if !formula.has_two_states() {
            found.after = found.all.clone();
        }
        found
    }

    /// Where a formula reads.
    fn read(&self, program: &Program, formula: &Formula, address: &Expr) -> Region {
        match address {
            Expr::Const(Const::Object(object, offset)) => self.scalar(program, (*object, *offset)),
            Expr::Binary(BinaryOp::PtrAdd, pointer, _) => match pointer.base() {
                Some(object) => self.scalar(program, (object, 0)),
                None => self.read_element(formula, address),
            },
            _ => self.read_element(formula, address),
        }
    }

    fn read_element(&self, formula: &Formula, address: &Expr) -> Region {
        match (formula.element_at(address), address) {
            (Some((_, layout, _)), _) => Region::Layout(layout),
            (None, Expr::Binary(BinaryOp::PtrAdd, pointer, _)) => {
                self.read_element(formula, pointer)
            }
            (None, _) => Region::Heap,
        }
    }

    /// The region of a scalar of a global.
    pub fn scalar(&self, program: &Program, location: Location) -> Region {
        match program.objects[location.0].sharing {
            Sharing::PerThread => Region::Heap,
            Sharing::Shared if self.wide.contains(&location.0) => Region::Object(location.0),
            Sharing::Shared => Region::Scalar(location),
        }
    }

    fn index(&mut self) {
        for (number, subjects) in self.environment.iter().enumerate() {
            for region in &subjects.after {
                let clauses = self.assuming.entry(*region).or_default();
                clauses.push(number);
            }
        }
        for (number, subjects) in self.invariants.iter().enumerate() {
            for region in &subjects.all {
                self.claiming.entry(*region).or_default().push(number);
            }
        }
        let clauses = self.environment.iter().chain(&self.invariants);
        for region in clauses.flat_map(|subjects| &subjects.all) {
            if let Region::Scalar((object, _)) | Region::Object(object) = *region {
                let of = self.of_object.entry(object).or_default();
                if !of.contains(region) {
                    of.push(*region);
                }
            }
        }
    }

    /// The assumptions that speak of what is in a region after a step.
    pub fn assuming(&self, region: Region) -> &[usize] {
        self.assuming.get(&region).map_or(&[], Vec::as_slice)
    }

    /// The invariants that speak of a region.
    pub fn claiming(&self, region: Region) -> &[usize] {
        self.claiming.get(&region).map_or(&[], Vec::as_slice)
    }

    /// The regions of an object that clauses speak of.
    pub fn of_object(&self, program: &Program, object: ObjectId) -> Vec<Region> {
        let mut found = self.of_object.get(&object).cloned().unwrap_or_default();
        let layouts = elements(program, program.objects[object].layout);
        found.extend(layouts.filter(|l| self.layouts.contains(l)).map(Region::Layout));
        let own = program.objects[object].sharing == Sharing::PerThread;
        found.extend((own || self.whole).then_some(Region::Heap));
        found
    }

    /// The regions of what is made in a layout.
    pub fn of_layout(&self, program: &Program, layout: LayoutId) -> Vec<Region> {
        let layouts = elements(program, layout).filter(|l| self.layouts.contains(l));
        layouts.map(Region::Layout).chain(self.whole.then_some(Region::Heap)).collect()
    }

    /// The regions of a scalar of a global: also the layout that it is an element's of.
    pub fn of_location(&self, program: &Program, location: Location) -> Vec<Region> {
        match self.scalar(program, location) {
            region @ Region::Scalar(_) => {
                [region].into_iter().chain(self.whole.then_some(Region::Heap)).collect()
            }
            _ => self.of_object(program, location.0),
        }
    }

    /// Those that pointers may lead to: all but scalars of globals.
    pub fn behind_pointers(&self) -> FxHashSet<Region> {
        let clauses = self.environment.iter().chain(&self.invariants);
        let all = clauses.flat_map(|subjects| subjects.all.iter().copied());
        all.filter(|region| !matches!(region, Region::Scalar(_))).chain([Region::Heap]).collect()
    }

    /// The clauses that have to do with some regions: assumptions about what is there after a step,
    /// invariants about it, and those about what these speak of, and so on.
    pub fn about(&self, regions: impl IntoIterator<Item = Region>) -> (Vec<usize>, Vec<usize>) {
        let mut seen: FxHashSet<Region> = regions.into_iter().collect();
        let mut work: Vec<Region> = seen.iter().copied().collect();
        let mut environment: FxHashSet<usize> = FxHashSet::default();
        let mut invariants: FxHashSet<usize> = FxHashSet::default();
        while let Some(region) = work.pop() {
            let assumed = self.assuming(region).iter().filter(|n| environment.insert(**n));
            let assumed = assumed.map(|&number| &self.environment[number]);
            let claimed = self.claiming(region).iter().filter(|n| invariants.insert(**n));
            let claimed = claimed.map(|&number| &self.invariants[number]);
            let globals = match region {
                Region::Layout(layout) => self.with_elements.get(&layout),
                _ => None,
            };
            let spoken_of = assumed.chain(claimed).flat_map(|subjects| &subjects.all);
            for &other in spoken_of.chain(globals.into_iter().flatten()) {
                if seen.insert(other) {
                    work.push(other);
                }
            }
        }
        (sorted(environment), sorted(invariants))
    }
}

fn sorted(numbers: FxHashSet<usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers
}

/// Whether an address is in a global, or in an object that the formula speaks of by its type.
fn is_within(formula: &Formula, address: &Expr) -> bool {
    match address {
        Expr::Binary(BinaryOp::PtrAdd, pointer, _) => is_within(formula, pointer),
        Expr::Const(Const::Object(..)) => true,
        _ => formula.element_at(address).is_some(),
    }
}

/// A layout, what it is an array of, and so on.
pub(crate) fn elements(program: &Program, layout: LayoutId) -> impl Iterator<Item = LayoutId> {
    std::iter::successors(Some(layout), |&layout| match program.layouts[layout].shape {
        Shape::Array { element, .. } => Some(element),
        _ => None,
    })
}
