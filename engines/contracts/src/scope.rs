//! What one procedure has to do with: the objects that it names, and the clauses about them.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Binding, Clause, Contract, Formula, GhostAction, Target};
use selvedge_ir::{
    Action, Callee, Const, Expr, Grain, LocationId, ObjectId, ProcId, Procedure, Type,
};
use selvedge_passes::pointsto::Origin;

use crate::components::{HEAP, Location};
use crate::prepare::Subject;

/// The clauses that one check assumes, and the objects whose sizes it knows.
pub(crate) struct Scope<'a> {
    pub environment: Vec<&'a Clause>,
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
            return Scope { environment, invariants, objects, contract };
        }
        let (named, chosen) = mentioned(subject, id);
        let chosen = || chosen.iter().map(|&number| &subject.components.all[number as usize]);
        let mut environment: Vec<usize> =
            chosen().flat_map(|component| component.environment.iter().copied()).collect();
        let mut invariants: Vec<usize> =
            chosen().flat_map(|component| component.invariants.iter().copied()).collect();
        environment.sort_unstable();
        invariants.sort_unstable();
        let about = chosen().flat_map(|component| component.objects.iter().copied());
        let mut objects: Vec<ObjectId> = named.into_iter().chain(about).collect();
        objects.sort_unstable();
        objects.dedup();
        Scope {
            environment: environment.into_iter().map(|number| &spec.environment[number]).collect(),
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

/// The objects and the components that a procedure mentions: in its code, in contracts, and where its
/// pointers may lead; all that its pointers may lead to, if that is not known.
fn mentioned(subject: &Subject, id: ProcId) -> (FxHashSet<ObjectId>, BTreeSet<u32>) {
    let components = &subject.components;
    let mut objects = named(subject, id);
    let mut chosen: BTreeSet<u32> = BTreeSet::from([HEAP]);
    let body = &subject.program.procedures[id];
    for (at, edge) in body.edges() {
        match subject.led_to(id, at) {
            Some(origins) => origins.iter().for_each(|origin| match origin {
                Origin::Object(object) => {
                    objects.insert(*object);
                }
                Origin::Alloc(procedure, at) => {
                    let layout = subject.sites[&(*procedure, *at)].layout;
                    chosen.extend(components.of_layout(&subject.program, layout));
                }
            }),
            None => chosen.extend(components.tied()),
        }
        if let Action::Ghost(ghost) = &edge.action {
            ghost.formulas().into_iter().for_each(|f| chosen.extend(spoken_of(subject, f)));
            if let GhostAction::Update { ghost, .. } = **ghost {
                chosen.extend(components.of_ghost(ghost));
            }
        }
    }
    chosen.extend(made(subject, id));
    for contract in contracts(subject, id) {
        formulas(contract).for_each(|formula| chosen.extend(spoken_of(subject, formula)));
        let ghosts = targets(contract).filter_map(|target| target.ghost);
        chosen.extend(ghosts.filter_map(|ghost| components.of_ghost(ghost)));
    }
    chosen.extend(objects.iter().flat_map(|&object| components.of_object(&subject.program, object)));
    (objects, chosen)
}

/// The components that a formula speaks of beside those of the objects that it names.
fn spoken_of(subject: &Subject, formula: &Formula) -> Vec<u32> {
    let components = &subject.components;
    let mut found = Vec::new();
    for variable in formula.variables.values() {
        match variable.binding {
            Binding::Ghost { ghost, .. } => found.extend(components.of_ghost(ghost)),
            Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
                found.extend(components.of_layout(&subject.program, layout));
            }
            _ => {}
        }
    }
    found
}

/// The components of objects that a procedure makes: only these can stop being its own in it.
pub(crate) fn made(subject: &Subject, id: ProcId) -> BTreeSet<u32> {
    let edges = subject.program.procedures[id].edges();
    let layouts = edges.filter_map(|(_, edge)| match edge.action {
        Action::Alloc { layout, .. } => Some(layout),
        _ => None,
    });
    let of = |layout| subject.components.of_layout(&subject.program, layout);
    layouts.flat_map(of).chain([HEAP]).collect()
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
