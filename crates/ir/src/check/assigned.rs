//! Definite assignment: a forward analysis over sets of locals, meeting by intersection.

use super::{Site, Violations};
use crate::{Action, Const, Expr, LocalId, LocationId, ProcId, Procedure};

/// The locals that are assigned for certain.
#[derive(Clone, PartialEq)]
struct Locals(Vec<u64>);

impl Locals {
    fn none(count: usize) -> Locals {
        Locals(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, local: LocalId) {
        self.0[local.as_u32() as usize / 64] |= 1 << (local.as_u32() % 64);
    }

    fn has(&self, local: LocalId) -> bool {
        self.0[local.as_u32() as usize / 64] >> (local.as_u32() % 64) & 1 == 1
    }

    /// Keeps what the other has too; whether that changed anything.
    fn meet(&mut self, other: &Locals) -> bool {
        let mut changed = false;
        for (word, kept) in self.0.iter_mut().zip(&other.0) {
            changed |= *word & !kept != 0;
            *word &= kept;
        }
        changed
    }
}

pub fn check(id: ProcId, procedure: &Procedure, found: &mut Violations) {
    let assigned = fixpoint(procedure);
    for (edge, body) in procedure.edges() {
        let Some(before) = &assigned[edge.from.as_u32() as usize] else { continue };
        found.site = Site::Edge(id, edge);
        let mut missing: Vec<LocalId> = Vec::new();
        body.action.for_each_expr(&mut |e| {
            missing.extend(e.locals().into_iter().filter(|local| !before.has(*local)));
        });
        missing.sort();
        missing.dedup();
        for local in missing {
            let name = &procedure.locals[local].name;
            found.report(format!("`{name}` is read here but not assigned on every way here"));
        }
    }
    if let (Some(result), Some(at_exit)) =
        (procedure.result, &assigned[procedure.exit.as_u32() as usize])
        && !at_exit.has(result)
    {
        found.site = Site::Location(id, procedure.exit);
        let name = &procedure.locals[result].name;
        found.report(format!("the result `{name}` is not assigned on every way here"));
    }
}

/// What is assigned at each location; none where no way leads.
fn fixpoint(procedure: &Procedure) -> Vec<Option<Locals>> {
    let mut at: Vec<Option<Locals>> = vec![None; procedure.locations.len()];
    let mut start = Locals::none(procedure.locals.len());
    procedure.params.iter().for_each(|param| start.add(*param));
    at[procedure.entry.as_u32() as usize] = Some(start);
    let mut open: Vec<LocationId> = vec![procedure.entry];
    while let Some(from) = open.pop() {
        let Some(before) = at[from.as_u32() as usize].clone() else { continue };
        for edge in &procedure.locations[from].edges {
            if !goes_on(&edge.action) {
                continue;
            }
            let mut after = before.clone();
            edge.action.assigned().into_iter().for_each(|local| after.add(local));
            let target = &mut at[edge.target.as_u32() as usize];
            let changed = match target {
                Some(known) => known.meet(&after),
                None => {
                    *target = Some(after);
                    true
                }
            };
            if changed {
                open.push(edge.target);
            }
        }
    }
    at
}

/// Whether the edge's target can be reached by it.
fn goes_on(action: &Action) -> bool {
    !matches!(
        action,
        Action::EndThread { .. }
            | Action::Halt
            | Action::Unsupported { .. }
            | Action::Assume(Expr::Const(Const::Bool(false)))
    )
}
