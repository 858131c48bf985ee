//! Definite assignment, one local at a time: backward from where it is read, over edges that do not
//! assign it. Most locals are read soon behind their assignment, so most searches are short; sets
//! of locals at every location would be far larger than all of them together.

use std::collections::BTreeMap;

use super::{Site, Violations};
use crate::{Action, Const, Expr, LocalId, LocationId, ProcId, Procedure};

pub fn check(id: ProcId, procedure: &Procedure, found: &mut Violations) {
    let mut search = Search::new(procedure);
    let readers = readers(procedure);
    for (local, at) in readers {
        if !procedure.params.contains(&local) && search.unassigned_from_entry(local, &at) {
            report(id, procedure, local, found);
        }
    }
}

/// Where each local is read: the locations whose edges read it, and the exit for the result.
fn readers(procedure: &Procedure) -> BTreeMap<LocalId, Vec<LocationId>> {
    let mut readers: BTreeMap<LocalId, Vec<LocationId>> = BTreeMap::new();
    for (edge, body) in procedure.edges() {
        body.action.for_each_expr(&mut |e| {
            for local in e.locals() {
                readers.entry(local).or_default().push(edge.from);
            }
        });
    }
    if let Some(result) = procedure.result {
        readers.entry(result).or_default().push(procedure.exit);
    }
    readers
}

struct Search {
    entry: LocationId,
    /// The edges into each location: where from, and the local assigned.
    into: Vec<Vec<(LocationId, Option<LocalId>)>>,
    /// The local whose search came to each location last.
    seen: Vec<Option<LocalId>>,
}

impl Search {
    fn new(procedure: &Procedure) -> Search {
        let mut into = vec![Vec::new(); procedure.locations.len()];
        for (edge, body) in procedure.edges() {
            if goes_on(&body.action) {
                into[index(body.target)].push((edge.from, body.action.assigned()));
            }
        }
        Search { entry: procedure.entry, into, seen: vec![None; procedure.locations.len()] }
    }

    /// Whether a way leads from the entry to one of the readers without assigning the local.
    fn unassigned_from_entry(&mut self, local: LocalId, readers: &[LocationId]) -> bool {
        let mut open = readers.to_vec();
        while let Some(at) = open.pop() {
            if at == self.entry {
                return true;
            }
            if self.seen[index(at)] == Some(local) {
                continue;
            }
            self.seen[index(at)] = Some(local);
            let unassigning = self.into[index(at)].iter().filter(|(_, to)| *to != Some(local));
            open.extend(unassigning.map(|(from, _)| *from));
        }
        false
    }
}

fn index(at: LocationId) -> usize {
    at.as_u32() as usize
}

/// Names each edge that can read the local before it is assigned.
fn report(id: ProcId, procedure: &Procedure, local: LocalId, found: &mut Violations) {
    let name = &procedure.locals[local].name;
    let mut seen = vec![false; procedure.locations.len()];
    let mut open = vec![procedure.entry];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[index(at)], true) {
            continue;
        }
        let edges = &procedure.locations[at].edges;
        let on = edges.iter().filter(|e| goes_on(&e.action) && e.action.assigned() != Some(local));
        open.extend(on.map(|e| e.target));
    }
    for (edge, body) in procedure.edges() {
        let mut reads = false;
        body.action.for_each_expr(&mut |e| reads |= e.locals().contains(&local));
        if reads && seen[index(edge.from)] {
            found.site = Site::Edge(id, edge);
            found.report(format!("`{name}` is read here but not assigned on every way here"));
        }
    }
    if procedure.result == Some(local) && seen[index(procedure.exit)] {
        found.site = Site::Location(id, procedure.exit);
        found.report(format!("the result `{name}` is not assigned on every way here"));
    }
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
