//! One execution of an abstract program, looked at with all fields (Fig. 3, line 9).
//!
//! The path becomes a sequential program of its own: each thread takes the edges that it took,
//! in the contexts that it took them in, and nothing else but detours: where a branch makes no
//! difference to the fields that matter, all ways to where they meet are left open ([`detour`]),
//! since the path has no reason for the one that it took. For the same reason a thread that does
//! not end stops where it has done the last thing that matters. There are no choices left but these
//! and inputs, and each access goes to one map. The content of a field that was not
//! tracked counts only under an assumption, so that a proof of infeasibility tells which fields it
//! needs.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Check, CheckKind, Edge, EdgeId, Expr, Grain, LocationId, ProcId, Procedure, Property,
    RegionId, Span,
};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;
use selvedge_sequential::{Origin, Path, SequentialProgram};

use super::bounds::Bounds;
use super::bypass::{Bypass, Bypasses};
use super::detour::{self, Detour, Detours, Loops};
use super::flatten::Flat;
use super::plan::Plan;
use super::points::Points;
use super::route::Route;
use super::sequentialize::{Translated, translate};
use super::sharing::Sharing;
use super::slots::{Cut, Slot, Slots};

/// An edge of a thread's code that was taken.
struct Taken {
    context: u32,
    /// The edge of the slot's code.
    at: EdgeId,
    /// It went wrong.
    wrong: bool,
    spawns: Option<u32>,
}

/// A path of a program that leaves something out.
#[derive(Clone, Copy)]
pub struct Abstract<'a> {
    pub program: &'a SequentialProgram,
    /// By slot: what is left out of its code.
    pub bypasses: &'a [Bypasses],
    pub path: &'a Path,
}

/// What the threads do on a path.
pub struct TakenPath<'a> {
    slots: Slots,
    bypasses: &'a [Bypasses],
    taken: Vec<Vec<Taken>>,
}

/// What becomes of the detours that the path's program has left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// They stay out, and what they compute can be anything.
    Past,
    /// The threads go through them.
    Through,
}

impl<'a> TakenPath<'a> {
    pub fn new(prepared: &Prepared, bounds: &Bounds, of: &Abstract<'a>) -> TakenPath<'a> {
        let slots = Slots::of(prepared, bounds);
        let taken = taken(&slots, of);
        TakenPath { slots, bypasses: of.bypasses, taken }
    }

    pub fn follow(&self, matters: &dyn Fn(RegionId) -> bool, left_out: LeftOut) -> Followed {
        let (mut list, mut routes) = (Vec::new(), Vec::new());
        let mut noticed = BitSet::new();
        let threads = self.slots.list.iter().zip(self.bypasses).zip(&self.taken);
        for ((slot, bypasses), taken) in threads {
            let way = Way { source: &slot.code, bypasses };
            let (slot, given) = straight(slot, way, left_out, taken, matters, &mut noticed);
            list.push(slot);
            routes.push(Route { points: given, ..Route::default() });
        }
        Followed { slots: Slots { list, cut: Cut::default() }, routes, noticed }
    }
}

/// The code of the path's threads, which do nothing else.
pub struct Followed {
    slots: Slots,
    routes: Vec<Route>,
    /// The regions whose content the threads take notice of, detours aside.
    pub noticed: BitSet<RegionId>,
}

impl Followed {
    /// The sequential program of this path only, in which the content of `optional` regions counts
    /// under an assumption.
    pub fn program(
        &self,
        prepared: &Prepared,
        plan: &Plan<'_>,
        optional: &BitSet<RegionId>,
    ) -> Translated {
        let sharing = Sharing::of(prepared, &self.slots);
        translate(prepared, plan, &self.slots, &sharing, &self.routes, optional)
    }
}

/// What each slot's thread did.
fn taken(slots: &Slots, of: &Abstract<'_>) -> Vec<Vec<Taken>> {
    let Abstract { program: of, bypasses, path } = *of;
    let mut all: Vec<Vec<Taken>> = slots.list.iter().map(|_| Vec::new()).collect();
    let threads = slots.list.iter().zip(bypasses);
    let mut walks: Vec<Walk> = threads.map(|(slot, bypasses)| Walk::new(slot, bypasses)).collect();
    let mut context = 1;
    for step in &path.steps {
        match of.origins.get(&step.edge) {
            // Where it leads stands for the edge.
            _ if step.fault => {}
            Some(Origin::Context { .. }) => {
                context = step.value.map_or(context, |value| value as u32);
            }
            Some(&Origin::Edge { slot, procedure, edge, spawns }) => {
                let at = walks[slot as usize].take((procedure, edge));
                let action = &of.body().edge(step.edge).action;
                let wrong = action.assigned() == Some(of.error);
                all[slot as usize].push(Taken { context, at, wrong, spawns });
            }
            Some(Origin::Like { .. }) | None => {}
        }
    }
    all
}

/// A thread on its way through its code. Calls that were copied give several edges one origin, so
/// the way decides which of them is meant.
struct Walk<'a> {
    way: Way<'a>,
    at: LocationId,
}

impl<'a> Walk<'a> {
    fn new(slot: &'a Slot, bypasses: &'a Bypasses) -> Walk<'a> {
        Walk { way: Way { source: &slot.code, bypasses }, at: slot.code.body.entry }
    }

    fn take(&mut self, origin: (ProcId, EdgeId)) -> EdgeId {
        let Way { source, bypasses } = self.way;
        loop {
            let edges = 0..source.body.locations[self.at].edges.len() as u32;
            let mut ids = edges.map(|index| EdgeId { from: self.at, index });
            let named = ids.find(|id| source.origins.get(id) == Some(&origin));
            if let Some(id) = named.filter(|_| bypasses.from(self.at).is_none()) {
                self.at = source.body.edge(id).target;
                return id;
            }
            self.at = self.way.next(self.at).expect("a path follows the code").end();
        }
    }
}

/// The code that a thread goes through, and what has no steps of its own there.
#[derive(Clone, Copy)]
struct Way<'a> {
    source: &'a Flat,
    bypasses: &'a Bypasses,
}

/// What lies between a thread's steps.
enum Between<'a> {
    Bypass(&'a Bypass),
    /// It leaves a call.
    Return(&'a Edge),
}

impl Between<'_> {
    fn end(&self) -> LocationId {
        match self {
            Between::Bypass(bypass) => bypass.detour.end,
            Between::Return(edge) => edge.target,
        }
    }
}

impl<'a> Way<'a> {
    /// What lies before the next step, if the thread goes on from here.
    fn next(&self, at: LocationId) -> Option<Between<'a>> {
        if let Some(bypass) = self.bypasses.from(at) {
            return Some(Between::Bypass(bypass));
        }
        let leaves = at != self.source.body.exit && returns(self.source, at);
        leaves.then(|| Between::Return(&self.source.body.locations[at].edges[0]))
    }

    /// All that can be passed from here without a step.
    fn ahead(&self, from: LocationId) -> impl Iterator<Item = Between<'a>> {
        let mut at = from;
        std::iter::from_fn(move || {
            let next = self.next(at)?;
            at = next.end();
            Some(next)
        })
    }

    /// Where it ends, if there are no more steps.
    fn last(&self, from: LocationId) -> LocationId {
        self.ahead(from).last().map_or(from, |between| between.end())
    }
}

/// A slot whose thread does only this.
fn straight(
    slot: &Slot,
    way: Way<'_>,
    left_out: LeftOut,
    taken: &[Taken],
    matters: &dyn Fn(RegionId) -> bool,
    noticed: &mut BitSet<RegionId>,
) -> (Slot, Points) {
    let source = way.source;
    let mut line = Line {
        body: Procedure { locations: Default::default(), ..source.body.clone() },
        origins: FxHashMap::default(),
        points: Points::default(),
        spawns: FxHashMap::default(),
        at: LocationId::from_u32(0),
        context: 1,
        left_out,
    };
    line.at = line.body.add_location(Grain::Yield);
    line.body.entry = line.at;
    line.body.exit = line.body.add_location(Grain::Yield);
    let mut from = source.body.entry;
    let taken = what_matters(way, taken, matters);
    let detours = Detours::of(&source.body, Loops::Without, matters);
    let mut next = 0;
    while let Some(step) = taken.get(next) {
        while from != step.at.from {
            let between = way.next(from).expect("a path follows the code");
            line.between(source, &between);
            from = between.end();
        }
        line.context = step.context;
        let detour = detours.from(step.at.from);
        if let Some(detour) = detour
            && let Some(behind) = passed(&taken[next..], detour)
        {
            line.detour(source, detour);
            from = detour.end;
            next += behind;
            continue;
        }
        line.take(source, step);
        noticed.extend(content(&source.body.edge(step.at).action));
        from = source.body.edge(step.at).target;
        next += 1;
    }
    let ends = way.last(from) == source.body.exit;
    if ends {
        way.ahead(from).for_each(|between| line.between(source, &between));
    }
    line.finish(ends && !slot.main);
    let Line { body, origins, points, spawns, .. } = line;
    let code = Rc::new(Flat { body, origins, cut: false, too_large: false });
    (Slot { code, spawns, ..slot.clone() }, points)
}

/// What a thread did, up to the last step that matters if it does not end there.
fn what_matters<'t>(
    way: Way<'_>,
    taken: &'t [Taken],
    matters: &dyn Fn(RegionId) -> bool,
) -> &'t [Taken] {
    let body = &way.source.body;
    let Some(last) = taken.last() else { return taken };
    let stops = body.edge(last.at).target;
    if way.last(stops) == body.exit {
        return taken;
    }
    let counts =
        |step: &Taken| step.wrong || !detour::harmless(&body.edge(step.at).action, matters);
    let done = taken.iter().rposition(counts).map_or(0, |last| last + 1);
    // Nobody else goes on while it is inside an atomic block.
    let may_stop = |steps: usize| {
        let at = taken.get(steps).map_or(stops, |next| next.at.from);
        body.locations[at].grain == Grain::Yield
    };
    &taken[..(done..taken.len()).find(|&steps| may_stop(steps)).unwrap_or(taken.len())]
}

/// The region whose content an action depends on.
fn content(action: &Action) -> Option<RegionId> {
    match action {
        Action::Store { .. } => None,
        _ => action.place().and_then(|place| place.region),
    }
}

/// How many steps it takes to get through a detour, if that happens in one context.
fn passed(taken: &[Taken], detour: &Detour) -> Option<usize> {
    let inside = |step: &Taken| detour.locations.contains(&step.at.from);
    let count = taken.iter().take_while(|step| inside(step)).count();
    let end = taken.get(count)?;
    let arrives = end.at.from == detour.end;
    let same = taken[..count].iter().all(|step| step.context == taken[0].context && !step.wrong);
    (arrives && same).then_some(count)
}

/// Whether a call is left from here.
fn returns(source: &Flat, at: LocationId) -> bool {
    source.body.locations[at].edges.len() == 1
        && !source.origins.contains_key(&EdgeId { from: at, index: 0 })
        && !matches!(source.body.locations[at].edges[0].action, Action::Assume(_))
}

/// Code without branches, as it grows.
struct Line {
    body: Procedure,
    origins: FxHashMap<EdgeId, (ProcId, EdgeId)>,
    points: Points,
    spawns: FxHashMap<EdgeId, Vec<u32>>,
    at: LocationId,
    context: u32,
    left_out: LeftOut,
}

impl Line {
    fn take(&mut self, source: &Flat, step: &Taken) {
        let edge = source.body.edge(step.at);
        let origin = source.origins.get(&step.at).copied();
        match &edge.action {
            Action::Assert { cond, .. } if step.wrong => {
                self.add(Action::Assume(cond.clone().not()), edge.span, None);
                let check = Check::new(Property::Assert, CheckKind::Unnamed);
                self.add(Action::Assert { cond: Expr::FALSE, check }, edge.span, origin);
            }
            Action::Assert { cond, .. } => {
                self.add(Action::Assume(cond.clone()), edge.span, origin);
            }
            action => {
                let id = self.add(action.clone(), edge.span, origin);
                if let Some(slot) = step.spawns {
                    self.spawns.insert(id, vec![slot]);
                }
                if step.wrong {
                    self.add(Action::Assume(Expr::FALSE), edge.span, None);
                }
            }
        }
    }

    fn between(&mut self, source: &Flat, between: &Between<'_>) {
        match (between, self.left_out) {
            (Between::Return(edge), _) => {
                self.add(edge.action.clone(), edge.span, None);
            }
            (Between::Bypass(bypass), LeftOut::Past) => {
                for &to in &bypass.unknown {
                    self.add(Action::Havoc { to }, Span::NONE, None);
                }
            }
            (Between::Bypass(bypass), LeftOut::Through) => self.detour(source, &bypass.detour),
        }
    }

    /// All ways of a detour, up to where they meet. Which is taken is no part of the path where
    /// others are left out.
    fn detour(&mut self, source: &Flat, detour: &Detour) {
        let mut copies: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        for (i, &at) in detour.locations.iter().enumerate() {
            let copy = if i == 0 { self.at } else { self.body.add_location(Grain::Yield) };
            copies.insert(at, copy);
            self.points.given.insert(copy, self.context);
        }
        let end = self.body.add_location(Grain::Yield);
        copies.insert(detour.end, end);
        for &at in &detour.locations {
            for (index, edge) in source.body.locations[at].edges.iter().enumerate() {
                let (from, to) = (copies[&at], copies[&edge.target]);
                let id = EdgeId { from, index: index as u32 };
                let origin = source.origins.get(&EdgeId { from: at, index: index as u32 });
                let origin = origin.filter(|_| self.left_out == LeftOut::Through);
                self.origins.extend(origin.map(|origin| (id, *origin)));
                self.body.add_edge(from, edge.action.clone(), to, edge.span);
            }
        }
        self.at = end;
    }

    fn add(&mut self, action: Action, span: Span, origin: Option<(ProcId, EdgeId)>) -> EdgeId {
        let id = EdgeId { from: self.at, index: 0 };
        let next = self.body.add_location(Grain::Yield);
        self.body.add_edge(self.at, action, next, span);
        self.origins.extend(origin.map(|origin| (id, origin)));
        self.points.given.insert(self.at, self.context);
        self.at = next;
        id
    }

    /// The thread ends here, or stops for good.
    fn finish(&mut self, ends: bool) {
        let exit = self.body.exit;
        let action = if ends { Action::Skip } else { Action::Assume(Expr::FALSE) };
        if !ends {
            self.points.stops.insert(self.at);
        }
        self.body.add_edge(self.at, action, exit, Span::NONE);
    }
}
