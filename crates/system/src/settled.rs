//! Shared scalars that the first thread sets up before it starts others, and nobody changes later.
//!
//! As long as there is one thread, shared memory holds what that thread stored. Constants are
//! followed through its procedure; when it starts another thread, what may be stored to from then on
//! is forgotten. What is left has the same value for all other threads, wherever they stand.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, Const, EdgeId, Expr, LocationId, Place, Program, Sharing};
use selvedge_passes::graph;

use super::TemplateId;
use super::memory::{CellId, Home, Keeper, Memory, Scalar};
use super::objects::Source;
use super::roles::Roles;

type Values = FxHashMap<CellId, Const>;

/// Scalars of one value.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    first: Option<TemplateId>,
    /// Where the first thread stands.
    at: FxHashMap<LocationId, Values>,
    /// For all others.
    others: Values,
}

impl Settled {
    pub fn of(program: &Program, roles: &Roles, memory: &Memory) -> Settled {
        let mut initial = roles.iter().filter(|(_, role)| role.initial);
        let (Some((first, role)), None) = (initial.next(), initial.next()) else {
            return Settled::default();
        };
        if role.pool {
            return Settled::default();
        }
        let looking = Looking { program, memory, roles, first };
        let behind = looking.behind(first);
        let late = looking.late(&behind);
        let at = looking.values(&late, &behind);
        let procedure = &program.procedures[role.procedure];
        let starts = procedure.edges().filter(|(_, e)| matches!(e.action, Action::Spawn { .. }));
        let starts: Vec<&Values> = starts.filter_map(|(edge, _)| at.get(&edge.from)).collect();
        let mut others = starts.first().map_or(Values::default(), |values| (*values).clone());
        others.retain(|cell, value| {
            !late.contains(cell) && starts.iter().all(|values| values.get(cell) == Some(value))
        });
        Settled { first: Some(first), at, others }
    }

    /// The value of a scalar where a thread stands.
    pub fn value(&self, template: TemplateId, at: LocationId, cell: CellId) -> Option<Const> {
        match self.first == Some(template) {
            true => self.at.get(&at)?.get(&cell).copied(),
            false => self.others.get(&cell).copied(),
        }
    }
}

struct Looking<'a> {
    program: &'a Program,
    memory: &'a Memory,
    roles: &'a Roles,
    first: TemplateId,
}

impl Looking<'_> {
    /// Where a thread may have started another.
    fn behind(&self, template: TemplateId) -> FxHashSet<LocationId> {
        let procedure = &self.program.procedures[self.roles.get(template).procedure];
        let starts = procedure.edges().filter(|(_, e)| matches!(e.action, Action::Spawn { .. }));
        let mut open: Vec<LocationId> = starts.map(|(_, edge)| edge.target).collect();
        let mut behind = FxHashSet::default();
        while let Some(location) = open.pop() {
            if behind.insert(location) {
                open.extend(procedure.locations[location].edges.iter().map(|e| e.target));
            }
        }
        behind
    }

    /// What may be stored to once there are other threads.
    fn late(&self, behind: &FxHashSet<LocationId>) -> FxHashSet<CellId> {
        let mut late = FxHashSet::default();
        for (id, role) in self.roles.iter() {
            for (at, edge) in self.program.procedures[role.procedure].edges() {
                if id != self.first || behind.contains(&at.from) {
                    late.extend(self.stored(id, &edge.action).iter().map(|s| s.content));
                }
            }
        }
        late
    }

    /// The scalars that an action may store to.
    fn stored(&self, template: TemplateId, action: &Action) -> Vec<Scalar> {
        match action {
            Action::Store { to: place, .. } => self.scalars(template, place),
            Action::Lock { lock: place } | Action::Unlock { lock: place } => {
                self.scalars(template, place)
            }
            _ => Vec::new(),
        }
    }

    fn scalars(&self, template: TemplateId, place: &Place) -> Vec<Scalar> {
        let Some(region) = place.region else { return Vec::new() };
        let Home::Scalars(scalars) = self.memory.home(region, template) else { return Vec::new() };
        let is = |scalar: &&Scalar| match place.direct() {
            None => true,
            Some((object, offset)) => {
                let source = self.memory.things.get(scalar.thing).source;
                let named = matches!(source, Source::Global(o) | Source::Own(_, o) if o == object);
                named && scalar.offset == offset
            }
        };
        scalars.iter().filter(is).copied().collect()
    }

    /// The known values at each location of the first thread.
    fn values(
        &self,
        late: &FxHashSet<CellId>,
        behind: &FxHashSet<LocationId>,
    ) -> FxHashMap<LocationId, Values> {
        let procedure = &self.program.procedures[self.roles.get(self.first).procedure];
        let mut begin = Values::default();
        for scalar in self.memory.all_scalars() {
            let initial = self.memory.cell(scalar.content).initial;
            if self.may_settle(&scalar, initial) {
                begin.insert(scalar.content, initial);
            }
        }
        let mut known: FxHashMap<LocationId, Values> = FxHashMap::default();
        known.insert(procedure.entry, begin);
        let order = graph::reverse_postorder(procedure);
        loop {
            let mut changed = false;
            for &from in &order {
                let Some(before) = known.get(&from).cloned() else { continue };
                for index in 0..procedure.locations[from].edges.len() {
                    let at = EdgeId { from, index: index as u32 };
                    let edge = procedure.edge(at);
                    let alone = !behind.contains(&from);
                    let mut after = self.after(before.clone(), &edge.action, alone);
                    if matches!(edge.action, Action::Spawn { .. }) {
                        after.retain(|cell, _| !late.contains(cell));
                    }
                    changed |= match known.get_mut(&edge.target) {
                        None => known.insert(edge.target, after).is_none(),
                        Some(there) => {
                            let size = there.len();
                            there.retain(|cell, value| after.get(cell) == Some(value));
                            there.len() < size
                        }
                    };
                }
            }
            if !changed {
                return known;
            }
        }
    }

    fn after(&self, mut values: Values, action: &Action, alone: bool) -> Values {
        let stored = self.stored(self.first, action);
        let fresh = match action {
            Action::Store { value: Expr::Const(value), .. } => Some(*value),
            _ => None,
        };
        match (&stored[..], fresh) {
            ([only], Some(value)) if alone && self.may_settle(only, value) => {
                values.insert(only.content, value);
            }
            _ => values.retain(|cell, _| stored.iter().all(|scalar| scalar.content != *cell)),
        }
        values
    }

    /// Whether a value can be that of a scalar: one that all threads see, that has content from the
    /// start, and that nothing overlaps.
    fn may_settle(&self, scalar: &Scalar, value: Const) -> bool {
        let data = self.memory.cell(scalar.content);
        let lonely = self.memory.overlapped.get(&scalar.content).is_none_or(Vec::is_empty);
        let own = |o| self.program.objects[o].sharing == Sharing::PerThread;
        let of_thread = matches!(value, Const::Object(o, _) if own(o));
        let fits = value.ty() == data.ty && !of_thread;
        data.keeper == Keeper::Shared && scalar.written.is_none() && lonely && fits
    }
}
