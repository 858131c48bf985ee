//! What of the specification is assumed in the check of a procedure.
//!
//! To assume less is never wrong. A procedure is checked with the clauses of the first group and of those
//! groups (`groups`) whose globals it names, in its code or in contracts, or gets at through pointers. So
//! a check costs what the procedure is about, not what the program has beside that.

use std::collections::BTreeSet;

use selvedge_ir::spec::{Clause, Contract};
use selvedge_ir::{Action, Callee, Const, Expr, ObjectId, ProcId};
use selvedge_passes::pointsto::Origin;

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
        let of = named.iter().filter_map(|&object| groups.of_object(object));
        let chosen: BTreeSet<usize> = of.chain([FIRST]).collect();
        let mut assumed = Assumed::default();
        for number in chosen {
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
    let mut used = vec![id];
    for (_, edge) in body.edges() {
        edge.action.for_each_expr(&mut name);
        if let Action::Ghost(ghost) = &edge.action {
            ghost.formulas().into_iter().for_each(|f| f.for_each_expr(&mut |e| name(e)));
        }
        if let Action::Call { callee: Callee::Direct(other), .. }
        | Action::Spawn { entry: Callee::Direct(other), .. } = &edge.action
        {
            used.push(*other);
        }
    }
    used.sort_unstable();
    used.dedup();
    for contract in used.into_iter().filter_map(|id| subject.contract_of(id)) {
        for_each_expr(contract, &mut name);
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

fn for_each_expr(contract: &Contract, f: &mut impl FnMut(&Expr)) {
    let actions = &contract.actions;
    let ensured = actions.iter().flat_map(|action| &action.ensures);
    let clauses = contract.requires.iter().chain(&contract.ensures).chain(ensured);
    let targets = contract.modifies.iter().chain(actions.iter().flat_map(|a| &a.modifies));
    let formulas = clauses.map(|c| &c.formula).chain(targets.map(|target| &target.address));
    formulas.for_each(|formula| formula.for_each_expr(&mut |expr| f(expr)));
}
