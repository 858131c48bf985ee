//! Objects that must not be written: string literals and objects of `const` types (C11 6.4.5 and
//! 6.7.3).
//!
//! Whoever writes does so through a pointer that has lost the `const`. So the finished program is
//! asked which stores may reach such an object, and an assertion in front of those says that they
//! do not.

use std::collections::HashSet;

use selvedge_ir::{
    Action, BinaryOp, Check, CheckKind, Edge, EdgeId, Expr, Grain, LocalId, ObjectId, ProcId,
    Program, Property, Storage, Type,
};
use selvedge_passes::Limits;
use selvedge_passes::pointsto::{Origin, PointsTo};

use crate::lowering::Fixed;

/// An object with more places for a store than this is compared with at any place.
const PLACES: u64 = 16;

/// A store that may write what must not be written.
struct Suspect {
    procedure: ProcId,
    edge: EdgeId,
    targets: Vec<Target>,
}

/// An object that a store must not reach.
enum Target {
    Object(ObjectId, &'static str, u64),
    /// A local of the same procedure, by its address.
    Local(LocalId, u64),
    /// A local of another procedure.
    Elsewhere,
}

impl Fixed {
    /// With the numbers of a program that has just these objects, in this order.
    pub fn renumbered(&self, objects: &[ObjectId]) -> Fixed {
        let new = |(index, old): (usize, &ObjectId)| {
            Some((ObjectId::from_u32(index as u32), *self.objects.get(old)?))
        };
        Fixed {
            objects: objects.iter().enumerate().filter_map(new).collect(),
            literals: objects
                .iter()
                .enumerate()
                .filter_map(|(index, old)| {
                    Some((ObjectId::from_u32(index as u32), self.literals.get(old)?.clone()))
                })
                .collect(),
            allocated: self.allocated.clone(),
            initialised: self.initialised.clone(),
        }
    }

    /// Puts assertions in front of stores. The objects are numbered as in the program; `starting`
    /// actions at its start set initial values.
    pub fn guard(&self, program: &mut Program, starting: usize) {
        if self.objects.is_empty() && self.allocated.is_empty() {
            return;
        }
        let Ok(points_to) = PointsTo::of(program, &Limits::none()) else { return };
        for suspect in self.suspects(program, &points_to, starting) {
            guard_store(program, suspect);
        }
    }

    fn suspects(&self, program: &Program, points_to: &PointsTo, starting: usize) -> Vec<Suspect> {
        let initial = initial_edges(program, starting);
        let mut found = Vec::new();
        for (procedure, body) in &program.procedures {
            for (edge, Edge { action, span, .. }) in body.edges() {
                let skipped =
                    initial.contains(&(procedure, edge)) || self.initialised.contains(span);
                let Action::Store { .. } = action else { continue };
                let Some(cell) = points_to.access(procedure, edge).filter(|_| !skipped) else {
                    continue;
                };
                let origins = points_to.origins(cell.node).iter();
                let targets: Vec<Target> =
                    origins.filter_map(|o| self.target(program, procedure, *o)).collect();
                if !targets.is_empty() {
                    found.push(Suspect { procedure, edge, targets });
                }
            }
        }
        found
    }

    fn target(&self, program: &Program, at: ProcId, origin: Origin) -> Option<Target> {
        match origin {
            Origin::Object(object) => {
                let what = self.objects.get(&object)?;
                let size = program.layouts[program.objects[object].layout].size;
                Some(Target::Object(object, what, size))
            }
            Origin::Alloc(procedure, edge) => {
                let edge = program.procedures[procedure].edge(edge);
                let Action::Alloc { to, storage: Storage::Stack, layout, .. } = &edge.action else {
                    return None;
                };
                if !self.allocated.contains(&edge.span) {
                    return None;
                }
                Some(match procedure == at {
                    true => Target::Local(*to, program.layouts[*layout].size),
                    false => Target::Elsewhere,
                })
            }
        }
    }
}

/// The first actions of the program, which set initial values.
fn initial_edges(program: &Program, count: usize) -> HashSet<(ProcId, EdgeId)> {
    let Some(main) = program.threads.iter().find(|t| t.main).map(|t| t.procedure) else {
        return HashSet::new();
    };
    let procedure = &program.procedures[main];
    let mut at = procedure.entry;
    let mut found = HashSet::new();
    for _ in 0..count {
        found.insert((main, EdgeId { from: at, index: 0 }));
        let Some(edge) = procedure.locations[at].edges.first() else { break };
        at = edge.target;
    }
    found
}

fn guard_store(program: &mut Program, Suspect { procedure, edge, targets }: Suspect) {
    let Action::Store { to, .. } = &program.procedures[procedure].edge(edge).action else { return };
    let to = to.clone();
    for target in targets {
        let size = to.ty.size(program.model);
        let (base, what, bytes) = match target {
            Target::Object(object, what, bytes) => (Expr::object(object), what, bytes),
            Target::Local(local, bytes) => (Expr::Local(local), "a const variable", bytes),
            Target::Elsewhere => {
                let what = "a write that may reach a const variable of another function";
                put_before(program, procedure, edge, Action::Unsupported { what: what.to_owned() });
                continue;
            }
        };
        let int = program.model.diff_type();
        let differs = |offset: Expr| {
            let at = Expr::binary(BinaryOp::PtrAdd, base.clone(), offset);
            Expr::binary(BinaryOp::Ne, to.addr.clone(), at)
        };
        let last = bytes.saturating_sub(size);
        // Any number at all: what holds for it holds for every place.
        let any = (last >= PLACES)
            .then(|| program.procedures[procedure].add_local("place", Type::Int(int), false));
        let cond = match any {
            Some(any) => differs(Expr::Local(any)),
            None => (0..=last)
                .map(|offset| differs(Expr::int(i128::from(offset), int)))
                .reduce(|a, b| Expr::binary(BinaryOp::And, a, b))
                .unwrap_or(Expr::TRUE),
        };
        let kind = CheckKind::Undefined(format!("write to {what}"));
        let check = Check::new(Property::Memory, kind);
        put_before(program, procedure, edge, Action::Assert { cond, check });
        if let Some(to) = any {
            put_before(program, procedure, edge, Action::Havoc { to });
        }
    }
}

/// Does something in front of an edge. Nobody else runs between the two.
fn put_before(program: &mut Program, procedure: ProcId, edge: EdgeId, action: Action) {
    let body = &mut program.procedures[procedure];
    let between = body.add_location(Grain::Atomic);
    let old = body.edge(edge).clone();
    let span = old.span;
    body.locations[between].edges.push(old);
    body.locations[edge.from].edges[edge.index as usize] = Edge { action, target: between, span };
}
