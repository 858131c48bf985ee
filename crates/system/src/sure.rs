//! Facts about a thread's own memory: which flags are surely set, and which locals and scalars have one
//! value wherever they are read.
//!
//! Forward must-analysis over one procedure, for scalars and flags that only its thread keeps. A
//! local that is assigned at one place, before every use, has the value of that place; a scalar
//! likewise that is stored at one place, before the load in question.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Const, EdgeId, Expr, LocalId, LocationId, Place, Procedure, Program, Sharing,
};
use selvedge_passes::bits::BitSet;
use selvedge_passes::fold::fold;
use selvedge_passes::graph;

use super::TemplateId;
use super::memory::{CellId, Home, Keeper, Memory, Scalar};
use super::objects::{Source, ThingId};
use super::roles::Role;
use super::settled::Settled;

/// For each location: flags that are set, and scalars that have been stored, on every way there.
#[derive(Clone, Debug, Default)]
pub(super) struct Sure {
    at: FxHashMap<LocationId, BitSet<CellId>>,
}

impl Sure {
    pub fn of(procedure: &Procedure, memory: &Memory, template: TemplateId) -> Sure {
        let order = graph::reverse_postorder(procedure);
        let mut sure = Sure::default();
        sure.at.insert(procedure.entry, BitSet::new());
        loop {
            let mut changed = false;
            for &from in &order {
                let Some(before) = sure.at.get(&from).cloned() else { continue };
                for (index, edge) in procedure.locations[from].edges.iter().enumerate() {
                    let at = EdgeId { from, index: index as u32 };
                    let mut after = before.clone();
                    transfer(memory, template, at, &edge.action, &mut after);
                    changed |= match sure.at.get_mut(&edge.target) {
                        Some(known) => known.intersect_with(&after),
                        None => sure.at.insert(edge.target, after).is_none(),
                    };
                }
            }
            if !changed {
                return sure;
            }
        }
    }

    pub fn holds(&self, at: LocationId, cell: CellId) -> bool {
        self.at.get(&at).is_some_and(|set| set.contains(cell))
    }
}

fn transfer(
    memory: &Memory,
    template: TemplateId,
    at: EdgeId,
    action: &Action,
    set: &mut BitSet<CellId>,
) {
    let own = |cell: &CellId| memory.cell(*cell).keeper == Keeper::Own(template);
    match action {
        Action::Store { to, .. } | Action::Lock { lock: to } | Action::Unlock { lock: to } => {
            if let Some(Scalar { content, written, .. }) = only_scalar(memory, template, to) {
                let cells = [Some(content), written].into_iter().flatten();
                cells.filter(own).for_each(|cell| {
                    set.insert(cell);
                });
            }
        }
        Action::Alloc { .. } => {
            let thing = memory.things.find(Source::Alloc(template, at));
            let alive = thing.and_then(|thing| memory.alive.get(&thing).copied());
            alive.iter().filter(|cell| own(cell)).for_each(|&cell| {
                set.insert(cell);
            });
        }
        Action::Free { .. } => {
            let frees = memory.freed.get(&(template, at)).into_iter();
            let things = frees.flat_map(|frees| &frees.things);
            for alive in things.filter_map(|thing| memory.alive.get(thing)) {
                set.remove(*alive);
            }
        }
        _ => {}
    }
}

/// The only scalar that a place can be.
pub(super) fn only_scalar(memory: &Memory, template: TemplateId, place: &Place) -> Option<Scalar> {
    match memory.home(place.region?, template) {
        Home::Scalars(scalars) => match scalars[..] {
            [only] => Some(only),
            _ => None,
        },
        _ => None,
    }
}

/// A value that is the same in every execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixed {
    Thing(ThingId),
    /// The number of an instance.
    Thread(TemplateId),
    Constant(Const),
}

/// Locals and scalars of one value.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub locals: FxHashMap<LocalId, Fixed>,
    pub cells: FxHashMap<CellId, Fixed>,
}

/// What the analysis looks at.
pub(super) struct View<'a> {
    pub procedure: &'a Procedure,
    pub memory: &'a Memory,
    pub template: TemplateId,
    pub role: &'a Role,
    /// Those that may be read before they are assigned.
    pub live_at_entry: &'a [LocalId],
    pub sure: &'a Sure,
    /// What is known of shared memory.
    pub settled: &'a Settled,
    pub program: &'a Program,
    /// Whether a template is a pool.
    pub pool: &'a dyn Fn(TemplateId) -> bool,
}

impl Known {
    pub fn of(view: &View<'_>) -> Known {
        let mut assigning: FxHashMap<LocalId, Vec<EdgeId>> = FxHashMap::default();
        let mut storing: FxHashMap<CellId, Vec<EdgeId>> = FxHashMap::default();
        for (at, edge) in view.procedure.edges() {
            if let Some(to) = edge.action.assigned() {
                assigning.entry(to).or_default().push(at);
            }
            for cell in stored(view, &edge.action) {
                storing.entry(cell).or_default().push(at);
            }
        }
        assigning.retain(|local, edges| {
            let early = view.live_at_entry.contains(local);
            edges.len() == 1 && !early && !view.procedure.params.contains(local)
        });
        storing.retain(|_, edges| edges.len() == 1);
        let mut known = Known::default();
        loop {
            let before = known.locals.len() + known.cells.len();
            for (&local, edges) in &assigning {
                let value = known.assigned(view, edges[0]);
                known.locals.extend(value.map(|value| (local, value)));
            }
            for (&cell, edges) in &storing {
                let value = known.stored(view, cell, edges[0]);
                known.cells.extend(value.map(|value| (cell, value)));
            }
            if known.locals.len() + known.cells.len() == before {
                return known;
            }
        }
    }

    fn assigned(&self, view: &View<'_>, at: EdgeId) -> Option<Fixed> {
        match &view.procedure.edge(at).action {
            Action::Alloc { .. } => {
                view.memory.things.find(Source::Alloc(view.template, at)).map(Fixed::Thing)
            }
            Action::Spawn { .. } => {
                let new = view.role.spawns.get(&at).copied();
                new.filter(|new| !(view.pool)(*new)).map(Fixed::Thread)
            }
            Action::Assign { value, .. } => self.value(view, value),
            Action::Load { from, .. } => {
                if let Some(scalar) = only_scalar(view.memory, view.template, from)
                    && let Some(known) = self.loaded(view.sure, at.from, &scalar)
                {
                    return Some(known);
                }
                let scalar = self.scalar_at(view, from)?;
                let value = view.settled.value(view.template, at.from, scalar.content)?;
                (value.ty() == from.ty).then_some(Fixed::Constant(value))
            }
            _ => None,
        }
    }

    /// The value that a load of a scalar gives, if it is known.
    pub fn loaded(&self, sure: &Sure, at: LocationId, scalar: &Scalar) -> Option<Fixed> {
        let known = self.cells.get(&scalar.content)?;
        sure.holds(at, scalar.content).then_some(*known)
    }

    fn stored(&self, view: &View<'_>, cell: CellId, at: EdgeId) -> Option<Fixed> {
        let Action::Store { to, value, .. } = &view.procedure.edge(at).action else { return None };
        let only = only_scalar(view.memory, view.template, to)?;
        (only.content == cell).then(|| self.value(view, value)).flatten()
    }

    /// The scalar at an address that is the same in every execution.
    fn scalar_at(&self, view: &View<'_>, place: &Place) -> Option<Scalar> {
        let (object, offset) = match self.value(view, &place.addr)? {
            Fixed::Constant(Const::Object(object, offset)) => (object, offset),
            _ => return None,
        };
        let Home::Scalars(scalars) = view.memory.home(place.region?, view.template) else {
            return None;
        };
        let there = view.memory.things.find(Source::Global(object))?;
        let is = |scalar: &&Scalar| {
            let same = scalar.thing == there && scalar.offset == offset;
            same && view.memory.cell(scalar.content).ty == place.ty
        };
        scalars.iter().find(is).copied()
    }

    fn value(&self, view: &View<'_>, expr: &Expr) -> Option<Fixed> {
        if let Expr::Local(local) = expr {
            return self.locals.get(local).copied();
        }
        let known = expr.clone().map(&mut |part| match part {
            Expr::Local(local) => match self.locals.get(&local) {
                Some(Fixed::Constant(value)) => Expr::Const(*value),
                _ => part,
            },
            _ => part,
        });
        match fold(known) {
            Expr::Const(Const::Object(object, offset)) => {
                let shared = view.program.objects[object].sharing == Sharing::Shared;
                shared.then_some(Fixed::Constant(Const::Object(object, offset)))
            }
            Expr::Const(constant) => Some(Fixed::Constant(constant)),
            _ => None,
        }
    }
}

/// The scalars of the thread's own that an action may store to.
fn stored(view: &View<'_>, action: &Action) -> Vec<CellId> {
    let place = match action {
        Action::Store { to, .. } => to,
        Action::Lock { lock } | Action::Unlock { lock } => lock,
        _ => return Vec::new(),
    };
    let Some(region) = place.region else { return Vec::new() };
    match view.memory.home(region, view.template) {
        Home::Scalars(scalars) => {
            let own = |cell: &CellId| view.memory.cell(*cell).keeper == Keeper::Own(view.template);
            scalars.iter().map(|s| s.content).filter(own).collect()
        }
        _ => Vec::new(),
    }
}
