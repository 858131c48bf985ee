//! What of the specification is assumed in the check of a procedure.
//!
//! To assume less is never wrong. A procedure is checked with the clauses of those groups (`groups`) whose
//! globals it names, in its code or in contracts, or gets at through pointers; and of the first group, with
//! those that have to do with it (`focus`). So a check costs what the procedure is about, not what the
//! program has beside that.

use std::collections::BTreeSet;

use selvedge_ir::spec::{Clause, Contract, Formula, GhostAction, Target};
use selvedge_ir::{Action, Callee, Const, Expr, ObjectId, ProcId};
use selvedge_passes::pointsto::Origin;

use crate::focus::{Focus, Topic};
use crate::groups::{FIRST, Group};
use crate::subject::Subject;

#[derive(Clone, Default)]
pub(crate) struct Assumed<'a> {
    pub environment: Vec<&'a Clause>,
    pub invariants: Vec<&'a Clause>,
    /// Globals whose sizes are known.
    pub objects: Vec<ObjectId>,
}

impl<'a> Assumed<'a> {
    /// All there is.
    pub fn whole(subject: &'a Subject) -> Assumed<'a> {
        let spec = &subject.program.spec;
        Assumed {
            environment: spec.environment.iter().collect(),
            invariants: spec.invariants.iter().collect(),
            objects: subject.program.objects.keys().collect(),
        }
    }

    /// One group.
    pub fn of_group(subject: &'a Subject, group: &Group) -> Assumed<'a> {
        let mut assumed = Assumed::default();
        assumed.add(subject, group);
        assumed
    }

    pub fn of_procedure(subject: &'a Subject, id: ProcId) -> Assumed<'a> {
        let named = named(subject, id);
        let groups = &subject.groups;
        let mut assumed = Assumed::of_group(subject, &groups.all[FIRST]);
        if subject.is_known(id) {
            let focus = focus(subject, id, &named);
            (assumed.environment, assumed.invariants) =
                focus.choose(assumed.environment, assumed.invariants);
            assumed.objects.clear();
            let clauses = assumed.environment.iter().chain(&assumed.invariants);
            let reads = clauses.flat_map(|clause| clause.formula.reads());
            assumed.objects.extend(reads.filter_map(|(_, place, _)| place.addr.base()));
            assumed.objects.sort_unstable();
            assumed.objects.dedup();
        }
        let of = named.iter().filter_map(|&object| groups.of_object(object));
        for number in of.filter(|&number| number != FIRST).collect::<BTreeSet<usize>>() {
            assumed.add(subject, &groups.all[number]);
        }
        let known: BTreeSet<ObjectId> = assumed.objects.iter().copied().collect();
        assumed.objects.extend(named.difference(&known));
        assumed
    }

    fn add(&mut self, subject: &'a Subject, group: &Group) {
        let spec = &subject.program.spec;
        self.environment.extend(group.environment.iter().map(|&number| &spec.environment[number]));
        self.invariants.extend(group.invariants.iter().map(|&number| &spec.invariants[number]));
        self.objects.extend(&group.objects);
    }
}

/// What a procedure is about, with the globals that it has to do with.
fn focus<'a>(subject: &'a Subject, id: ProcId, named: &BTreeSet<ObjectId>) -> Focus<'a> {
    let mut focus = Focus::new(&subject.program);
    named.iter().for_each(|&object| focus.add(Topic::Global(object)));
    let body = &subject.program.procedures[id];
    for (at, edge) in body.edges() {
        match &edge.action {
            Action::Alloc { layout, .. } => focus.add_layout(*layout),
            Action::Ghost(ghost) => {
                ghost.formulas().into_iter().for_each(|formula| focus.add_formula(formula));
                if let GhostAction::Update { ghost, .. } = **ghost {
                    focus.add(Topic::Ghost(ghost));
                }
            }
            _ => {}
        }
        if let Some(cell) = subject.points_to.access(id, at) {
            for extent in subject.points_to.extents(cell) {
                if let Origin::Alloc(procedure, edge) = extent.origin {
                    focus.add_layout(subject.sites[&(procedure, edge)].layout);
                }
            }
        }
    }
    for contract in contracts(subject, id) {
        formulas(contract).for_each(|formula| focus.add_formula(formula));
        targets(contract)
            .filter_map(|target| target.ghost)
            .for_each(|ghost| focus.add(Topic::Ghost(ghost)));
    }
    focus
}

/// The globals that a procedure has to do with.
fn named(subject: &Subject, id: ProcId) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::new();
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
        if let Action::Ghost(ghost) = &edge.action {
            ghost.formulas().into_iter().for_each(|f| f.for_each_expr(&mut |e| name(e)));
        }
    }
    for contract in contracts(subject, id) {
        formulas(contract).for_each(|formula| formula.for_each_expr(&mut |expr| name(expr)));
    }
    if subject.is_known(id) {
        let cells = body.edges().filter_map(|(at, _)| subject.points_to.access(id, at));
        let extents = cells.flat_map(|cell| subject.points_to.extents(cell));
        found.extend(extents.filter_map(|extent| match extent.origin {
            Origin::Object(object) => Some(object),
            Origin::Alloc(..) => None,
        }));
    }
    found
}

/// Its own contract, and those of what it calls and starts.
fn contracts(subject: &Subject, id: ProcId) -> Vec<&Contract> {
    let mut used = vec![id];
    for (_, edge) in subject.program.procedures[id].edges() {
        if let Action::Call { callee: Callee::Direct(other), .. }
        | Action::Spawn { entry: Callee::Direct(other), .. } = &edge.action
        {
            used.push(*other);
        }
    }
    used.sort_unstable();
    used.dedup();
    used.into_iter().filter_map(|id| subject.contract_of(id)).collect()
}

fn targets(contract: &Contract) -> impl Iterator<Item = &Target> {
    contract.modifies.iter().chain(contract.actions.iter().flat_map(|a| &a.modifies))
}

fn formulas(contract: &Contract) -> impl Iterator<Item = &Formula> {
    let ensured = contract.actions.iter().flat_map(|action| &action.ensures);
    let clauses = contract.requires.iter().chain(&contract.ensures).chain(ensured);
    clauses.map(|c| &c.formula).chain(targets(contract).map(|target| &target.address))
}
