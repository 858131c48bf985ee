//! What one procedure has to do with: the objects that it names, and the clauses about them.

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Binding, Clause, Contract, Formula, GhostAction, Target};
use selvedge_ir::{
    Action, Callee, Const, Expr, Grain, LocationId, ObjectId, ProcId, Procedure, Type,
};
use selvedge_passes::pointsto::Origin;

use crate::prepare::Subject;
use crate::regions::{Location, Region};

/// The clauses that one check assumes, and the objects whose sizes it knows.
pub(crate) struct Scope<'a> {
    pub environment: Vec<&'a Clause>,
    /// The numbers of these assumptions.
    pub numbers: Vec<usize>,
    pub invariants: Vec<&'a Clause>,
    pub objects: Vec<ObjectId>,
    /// The scalars that the contract's steps read; none if these may be any.
    contract: Option<Vec<(Location, Type)>>,
}

/// What a step touches.
pub(crate) enum Touched {
    Nothing,
    Scalars(Vec<(Location, Type)>),
    Anything,
}

impl<'a> Scope<'a> {
    pub fn new(subject: &'a Subject, id: ProcId, focus: bool) -> Scope<'a> {
        let spec = &subject.program.spec;
        let contract = subject.contract_of(id).map_or(Some(Vec::new()), |contract| {
            step_formulas(contract)
                .map(|formula| scalars(subject, formula))
                .collect::<Option<Vec<_>>>()
                .map(|all| all.concat())
        });
        if !focus {
            let objects = subject.program.objects.keys().collect();
            let (environment, invariants) =
                (spec.environment.iter().collect(), spec.invariants.iter().collect());
            let numbers = (0..spec.environment.len()).collect();
            return Scope { environment, numbers, invariants, objects, contract };
        }
        let (named, mentioned) = mentioned(subject, id);
        let (environment, invariants) = subject.components.regions.about(mentioned);
        let clauses = (environment.iter().map(|&number| &spec.environment[number]))
            .chain(invariants.iter().map(|&number| &spec.invariants[number]));
        let reads = clauses.flat_map(|clause| clause.formula.reads());
        let about = reads.filter_map(|(_, place, _)| place.addr.base());
        let mut objects: Vec<ObjectId> = named.into_iter().chain(about).collect();
        objects.sort_unstable();
        objects.dedup();
        Scope {
            environment: environment.iter().map(|&number| &spec.environment[number]).collect(),
            numbers: environment,
            invariants: invariants.into_iter().map(|number| &spec.invariants[number]).collect(),
            objects,
            contract,
        }
    }

    /// The formulas that it has to do with, those of contracts too.
    pub fn formulas(&self, subject: &'a Subject, id: ProcId) -> Vec<&'a Formula> {
        let clauses = self.environment.iter().chain(&self.invariants).map(|clause| &clause.formula);
        clauses.chain(contracts(subject, id).into_iter().flat_map(formulas)).collect()
    }

    /// What a step from a location touches; `compared` if it is compared with the contract.
    pub fn touched(
        &self,
        subject: &Subject,
        body: &Procedure,
        at: LocationId,
        compared: bool,
    ) -> Touched {
        let mut found = Vec::new();
        let mut seen = vec![at];
        let mut next = 0;
        while let Some(&from) = seen.get(next) {
            next += 1;
            for edge in &body.locations[from].edges {
                match scalar_of(subject, &edge.action) {
                    Some(scalar) => found.extend(scalar),
                    None => return Touched::Anything,
                }
                let inside = body.locations[edge.target].grain == Grain::Atomic;
                if inside && !seen.contains(&edge.target) {
                    seen.push(edge.target);
                }
            }
        }
        match (found.is_empty(), compared, &self.contract) {
            (true, ..) => Touched::Nothing,
            (false, true, None) => Touched::Anything,
            (false, true, Some(more)) => {
                found.extend(more);
                Touched::Scalars(found)
            }
            (false, false, _) => Touched::Scalars(found),
        }
    }
}

/// Neither looks at memory nor is seen by others.
fn is_local(action: &Action) -> bool {
    matches!(
        action,
        Action::Skip
            | Action::Assume(_)
            | Action::Wait(_)
            | Action::Assert { .. }
            | Action::Assign { .. }
            | Action::Havoc { .. }
            | Action::Fence(_)
            | Action::Halt
            | Action::EndThread { .. }
            | Action::Unsupported { .. }
            | Action::Join { .. }
    )
}

/// The scalar that an action touches, if it touches one; none if it may touch anything.
fn scalar_of(subject: &Subject, action: &Action) -> Option<Option<(Location, Type)>> {
    if is_local(action) {
        return Some(None);
    }
    let place = match action {
        Action::Load { from: place, .. }
        | Action::Store { to: place, .. }
        | Action::Lock { lock: place }
        | Action::Unlock { lock: place } => place,
        _ => return None,
    };
    let scalar = subject.components.scalar(&subject.program, place)?;
    Some(Some((scalar, place.ty)))
}

/// The scalars that a formula reads; none if it may read anything else.
fn scalars(subject: &Subject, formula: &Formula) -> Option<Vec<(Location, Type)>> {
    let only = formula.variables.values().all(|variable| {
        use selvedge_ir::spec::Binding::*;
        matches!(
            variable.binding,
            Parameter(_) | Result | Main | Runs(_) | Read { .. } | Forall(None) | Exists(None)
        )
    });
    if !only {
        return None;
    }
    let scalar = |place: &selvedge_ir::Place| {
        let scalar = subject.components.scalar(&subject.program, place)?;
        Some((scalar, place.ty))
    };
    formula.reads().map(|(_, place, _)| scalar(place)).collect()
}

fn targets(contract: &Contract) -> impl Iterator<Item = &Target> {
    contract.modifies.iter().chain(contract.actions.iter().flat_map(|action| &action.modifies))
}

/// What a step is compared with.
fn step_formulas(contract: &Contract) -> impl Iterator<Item = &Formula> {
    let actions = contract.actions.iter().flat_map(|action| {
        let ensures = action.ensures.iter().map(|clause| &clause.formula);
        ensures.chain(action.modifies.iter().map(|target| &target.address))
    });
    contract.modifies.iter().map(|target| &target.address).chain(actions)
}

fn formulas(contract: &Contract) -> impl Iterator<Item = &Formula> {
    let conditions = contract.requires.iter().chain(&contract.ensures);
    conditions.map(|clause| &clause.formula).chain(step_formulas(contract))
}

/// Its own contract, and those of what it calls and starts.
fn contracts(subject: &Subject, id: ProcId) -> Vec<&Contract> {
    let mut found: Vec<ProcId> = vec![id];
    for (_, edge) in subject.program.procedures[id].edges() {
        if let Action::Call { callee: Callee::Direct(other), .. }
        | Action::Spawn { entry: Callee::Direct(other), .. } = &edge.action
            && !found.contains(other)
        {
            found.push(*other);
        }
    }
    found.into_iter().filter_map(|id| subject.contract_of(id)).collect()
}

/// The objects and the regions that a procedure mentions: in its code, in contracts, and where its
/// pointers may lead; all that pointers may lead to, if that is not known.
fn mentioned(subject: &Subject, id: ProcId) -> (FxHashSet<ObjectId>, FxHashSet<Region>) {
    let (program, regions) = (&subject.program, &subject.components.regions);
    let mut objects = named(subject, id);
    let mut found: FxHashSet<Region> = made(subject, id);
    for (at, edge) in program.procedures[id].edges() {
        match subject.led_to(id, at) {
            Some(origins) => {
                found.extend(origins.iter().flat_map(|origin| subject.regions_of(origin)));
                objects.extend(origins.iter().filter_map(|origin| match origin {
                    Origin::Object(object) => Some(*object),
                    Origin::Alloc(..) => None,
                }));
            }
            None => found.extend(regions.behind_pointers()),
        }
        if let Action::Ghost(ghost) = &edge.action {
            ghost.formulas().into_iter().for_each(|f| found.extend(spoken_of(subject, f)));
            if let GhostAction::Update { ghost, .. } = **ghost {
                found.insert(Region::Ghost(ghost));
            }
        }
    }
    for contract in contracts(subject, id) {
        formulas(contract).for_each(|formula| found.extend(spoken_of(subject, formula)));
        found.extend(targets(contract).filter_map(|target| target.ghost).map(Region::Ghost));
    }
    found.extend(objects.iter().flat_map(|&object| regions.of_object(program, object)));
    (objects, found)
}

/// The regions that a formula speaks of beside those of the objects that it names.
fn spoken_of(subject: &Subject, formula: &Formula) -> Vec<Region> {
    let regions = &subject.components.regions;
    let mut found = Vec::new();
    for variable in formula.variables.values() {
        match variable.binding {
            Binding::Ghost { ghost, .. } => found.push(Region::Ghost(ghost)),
            Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
                found.extend(regions.of_layout(&subject.program, layout));
            }
            _ => {}
        }
    }
    found
}

/// The regions of objects that a procedure makes: only these can stop being its own in it. The heap is
/// with them, since objects can be freed.
pub(crate) fn made(subject: &Subject, id: ProcId) -> FxHashSet<Region> {
    let edges = subject.program.procedures[id].edges();
    let layouts = edges.filter_map(|(_, edge)| match edge.action {
        Action::Alloc { layout, .. } => Some(layout),
        _ => None,
    });
    let of = |layout| subject.components.regions.of_layout(&subject.program, layout);
    layouts.flat_map(of).chain([Region::Heap]).collect()
}

/// The objects that a procedure names in its code and in contracts.
fn named(subject: &Subject, id: ProcId) -> FxHashSet<ObjectId> {
    let mut found = FxHashSet::default();
    let mut name = |expr: &Expr| {
        expr.walk(&mut |part| {
            if let Expr::Const(Const::Object(object, _)) = part {
                found.insert(*object);
            }
        });
    };
    let body = &subject.program.procedures[id];
    for (_, edge) in body.edges() {
        edge.action.for_each_expr(&mut name);
    }
    for contract in contracts(subject, id) {
        formulas(contract).for_each(|formula| formula.for_each_expr(&mut name));
    }
    found
}
