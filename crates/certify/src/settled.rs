//! Shared memory that is set up by the first thread while it is alone, and stays as it is.
//!
//! Where the program begins with one thread, its edges are executed one by one, with constants for
//! the shared scalars of which the value is known. Nobody else is there to change them. An edge that
//! starts a thread ends that: from there on only scalars count that no edge can store to which may
//! be taken later, by the first thread or another. Their values at the first start are those that
//! all other threads find.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, EdgeId, LocationId, Procedure};
use selvedge_smt::{Op, Reason};

use crate::memory::{CellId, Home, Keeper, Known};
use crate::objects::Source;
use crate::space::Space;
use crate::threads::ThreadId;
use crate::walk::{Next, Walk, Walked};
use crate::word::Val;

impl Walk<'_, '_> {
    /// Finds what the first thread leaves behind, if it is this one and begins alone.
    pub fn find_settled(&mut self) -> Result<(), Reason> {
        let initial: Vec<ThreadId> =
            self.space.threads.ids().filter(|id| self.space.threads.get(*id).initial).collect();
        if initial != [self.thread] || self.space.threads.get(self.thread).pool {
            return Ok(());
        }
        let together = after_starts(self.procedure);
        let stored = stored_later(self.space, self.thread, &together);
        let mut at: FxHashMap<LocationId, Known> = FxHashMap::default();
        at.insert(self.procedure.entry, beginning(self.space));
        let plain: FxHashSet<CellId> = plain_cells(self.space);
        let mut work = vec![self.procedure.entry];
        while let Some(from) = work.pop() {
            for index in 0..self.procedure.locations[from].edges.len() {
                // Each edge is taken with all locals and all that is known.
                self.spend(5 + self.procedure.locals.len() + at[&from].len() / 8)?;
                let id = EdgeId { from, index: index as u32 };
                let edge = self.procedure.edge(id);
                let alone = !together.contains(&from);
                for mut after in self.effects(&at[&from], id, alone, &plain) {
                    if matches!(edge.action, Action::Spawn { .. }) {
                        after.retain(|cell, _| !stored.contains(cell));
                    }
                    let changed = match at.get_mut(&edge.target) {
                        None => at.insert(edge.target, after).is_none(),
                        Some(there) => {
                            let before = there.len();
                            there.retain(|cell, value| after.get(cell) == Some(&*value));
                            there.len() != before
                        }
                    };
                    if changed {
                        work.push(edge.target);
                    }
                }
            }
        }
        self.found = Walked::default();
        let mut others: Option<Known> = None;
        for (id, edge) in self.procedure.edges() {
            let (Action::Spawn { .. }, Some(here)) = (&edge.action, at.get(&id.from)) else {
                continue;
            };
            let mut here = here.clone();
            here.retain(|cell, value| {
                let same = others.as_ref().is_none_or(|known| known.get(cell) == Some(&*value));
                same && !stored.contains(cell)
            });
            others = Some(here);
        }
        self.space.settled = at;
        self.space.found = others.unwrap_or_default();
        self.space.first = Some(self.thread);
        Ok(())
    }

    /// What is known behind an edge, for each way to take it.
    fn effects(
        &mut self,
        before: &Known,
        id: EdgeId,
        alone: bool,
        plain: &FxHashSet<CellId>,
    ) -> Vec<Known> {
        let mut path = self.begin(id.from);
        path.known = before.clone();
        // Locals may have any value.
        for (local, data) in &self.procedure.locals {
            if !path.locals.contains_key(&local) {
                let any = self.input(&mut path, data.ty);
                path.locals.insert(local, any);
            }
        }
        let mut found = Vec::new();
        for next in self.edge(&path, id) {
            let Next::Goes(path) = next else { continue };
            if self.is_never(&path) {
                continue;
            }
            let mut after = before.clone();
            for (cell, value) in path.cells.iter().filter(|(cell, _)| plain.contains(cell)) {
                let constant = |term| matches!(self.space.terms.op(term), Op::Const(_));
                match alone && value.terms().into_iter().all(constant) {
                    true => after.insert(*cell, *value),
                    false => after.remove(cell),
                };
            }
            found.push(after);
        }
        found
    }
}

/// Where the thread may have started another.
fn after_starts(procedure: &Procedure) -> FxHashSet<LocationId> {
    let mut found: FxHashSet<LocationId> = FxHashSet::default();
    let starts = procedure.edges().filter(|(_, e)| matches!(e.action, Action::Spawn { .. }));
    let mut work: Vec<LocationId> = starts.map(|(_, edge)| edge.target).collect();
    while let Some(at) = work.pop() {
        if found.insert(at) {
            work.extend(procedure.locations[at].edges.iter().map(|edge| edge.target));
        }
    }
    found
}

/// Scalars that all threads share, with content from the start, and bytes of their own.
fn plain_cells(space: &Space<'_>) -> FxHashSet<CellId> {
    let memory = &space.memory;
    let scalars = memory.seen_by_all();
    let plain = scalars.filter(|scalar| {
        let apart = memory.sharing.get(&scalar.content).is_none_or(Vec::is_empty);
        let shared = memory.cell(scalar.content).keeper == Keeper::Shared;
        scalar.written.is_none() && apart && shared
    });
    plain.map(|scalar| scalar.content).collect()
}

fn beginning(space: &Space<'_>) -> Known {
    let value = |cell: CellId| Some((cell, space.initials.get(&cell).copied().flatten()?));
    let constant = |value: &Val| {
        value.terms().into_iter().all(|term| matches!(space.terms.op(term), Op::Const(_)))
    };
    plain_cells(space).into_iter().filter_map(value).filter(|(_, v)| constant(v)).collect()
}

/// What edges may store to that can be taken when there are other threads.
fn stored_later(
    space: &Space<'_>,
    first: ThreadId,
    together: &FxHashSet<LocationId>,
) -> FxHashSet<CellId> {
    let mut stored = FxHashSet::default();
    for thread in space.threads.ids() {
        for (id, edge) in space.procedure(thread).edges() {
            let place = match &edge.action {
                Action::Store { to, .. } => to,
                Action::Lock { lock } | Action::Unlock { lock } => lock,
                _ => continue,
            };
            if thread == first && !together.contains(&id.from) {
                continue;
            }
            let home = place.region.and_then(|region| space.memory.home(region, thread));
            let Some(Home::Scalars(scalars)) = home else { continue };
            for scalar in scalars {
                let source = space.memory.objects.thing(scalar.thing).source;
                let here = match place.direct() {
                    None => true,
                    Some((object, at)) => match source {
                        Source::Global(o) | Source::Own(_, o) => o == object && at == scalar.offset,
                        Source::Alloc(..) => false,
                    },
                };
                if here {
                    stored.insert(scalar.content);
                }
            }
        }
    }
    stored
}
