//! What one procedure has to do with: the objects that it names, and the clauses about them.

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Clause, Contract, Formula};
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
        let named = named(subject, id);
        let components = subject.components.of_objects(&named);
        let mut chosen: Vec<u32> = components.into_iter().collect();
        chosen.sort_unstable();
        let chosen = || chosen.iter().map(|&number| &subject.components.all[number as usize]);
        let mut environment: Vec<usize> =
            chosen().flat_map(|component| component.environment.iter().copied()).collect();
        let mut invariants: Vec<usize> =
            chosen().flat_map(|component| component.invariants.iter().copied()).collect();
        environment.sort_unstable();
        invariants.sort_unstable();
        let about =
            chosen().flat_map(|component| &component.scalars).map(|((object, _), _)| *object);
        let mut objects: Vec<ObjectId> = named.iter().copied().chain(about).collect();
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
    (subject.components.component(&subject.program, place) != Some(HEAP))
        .then_some(Some((scalar, place.ty)))
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
        let heap = subject.components.component(&subject.program, place) == Some(HEAP);
        (!heap).then_some((scalar, place.ty))
    };
    formula.reads().map(|(_, place, _)| scalar(place)).collect()
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

/// The objects that a procedure names: in its code, in contracts, and where its pointers may lead.
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
    if subject.reached.contains(id) {
        for (at, _) in body.edges() {
            let Some(cell) = subject.points_to.access(id, at) else { continue };
            for extent in subject.points_to.extents(cell) {
                if let Origin::Object(object) = extent.origin {
                    found.insert(object);
                }
            }
        }
    }
    found
}
