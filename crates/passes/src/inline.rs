//! Inlining: calls of non-recursive procedures are replaced by their bodies.
//!
//! Bottom-up over the call graph, so that each body is expanded once and then copied. A call
//! `L --to := f(args)--> T` becomes
//!
//! ```text
//! L --p1 := arg1--> . --p2 := arg2--> entry' ... exit' --to := result'--> T
//! ```
//!
//! Why the meaning stays. Parameters and locals of each copy are fresh, so the arguments, evaluated
//! one after another, see the caller's values as before. Entering, and returning on arrival at the
//! exit, take no step of their own in Plato; so the locations between the assignments and the one
//! behind the body are `Atomic`: the assignments happen together with the action before them. A
//! thread inside a call whose edge leads to an `Atomic` location must not be interrupted (`Grain`),
//! so all locations of such a copy become `Atomic`. A local that could be read before it is
//! assigned gets the value that a new frame gives it (zero) at each entry, because a copy inside a
//! loop would otherwise see the last round's value. Only `Assign` and `Skip` actions are added and
//! only `Call` actions go away: visible actions stay as they are.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use selvedge_ir::{
    Action, Callee, Const, Edge, Expr, Grain, LocalId, Location, LocationId, Mode, ProcId,
    Procedure, Program, Span,
};

use crate::bits::BitSet;
use crate::callgraph::{CallGraph, address_taken};
use crate::limits::{Limits, Unprepared};
use crate::liveness::LiveLocals;

/// Inlines what can be; gives notes on calls that stayed because one procedure would get more than
/// `most` edges.
pub fn inline(
    program: &mut Program,
    most: usize,
    limits: &Limits,
) -> Result<Vec<String>, Unprepared> {
    drop_unreferenced(program);
    let graph = CallGraph::of(program);
    let notes = expand_all(program, &graph, &BitSet::new(), most, limits)?;
    drop_unreferenced(program);
    Ok(notes)
}

/// Likewise, but calls of some procedures stay calls, and every procedure keeps its number. A cycle of
/// calls through one of them is no recursion. Calls that stay for other reasons are left to be found.
pub fn inline_around(
    program: &mut Program,
    stay: &BitSet<ProcId>,
    most: usize,
    limits: &Limits,
) -> Result<Vec<String>, Unprepared> {
    let mut cut = program.clone();
    for procedure in cut.procedures.values_mut() {
        for edge in procedure.locations.values_mut().flat_map(|location| &mut location.edges) {
            match edge.action {
                Action::Call { callee: Callee::Direct(callee), .. } if stay.contains(callee) => {
                    edge.action = Action::Skip;
                }
                _ => {}
            }
        }
    }
    let graph = CallGraph::of(&cut);
    expand_all(program, &graph, stay, most, limits)
}

/// Expands the calls of all procedures, bottom-up.
fn expand_all(
    program: &mut Program,
    graph: &CallGraph,
    stay: &BitSet<ProcId>,
    most: usize,
    limits: &Limits,
) -> Result<Vec<String>, Unprepared> {
    let mut notes = Vec::new();
    let mut total = 0;
    let mut bodies = std::mem::take(&mut program.procedures);
    let mut unset: SecondaryMap<ProcId, Vec<LocalId>> = SecondaryMap::new();
    for &id in graph.bottom_up() {
        notes.extend(expand(id, &mut bodies, &Chosen { graph, stay, most }, &unset, limits)?);
        total += bodies[id].edges().count();
        if total > limits.edges {
            let what = format!("more than {} edges after inlining", limits.edges);
            return Err(Unprepared::TooLarge { what });
        }
        unset[id] = read_unset(&bodies[id], limits)?;
    }
    program.procedures = bodies;
    Ok(notes)
}

/// Which calls are expanded.
struct Chosen<'a> {
    graph: &'a CallGraph,
    stay: &'a BitSet<ProcId>,
    /// Edges of a procedure, at most.
    most: usize,
}

impl Chosen<'_> {
    fn contains(&self, callee: ProcId) -> bool {
        !self.graph.is_recursive(callee) && !self.stay.contains(callee)
    }
}

/// The locals, other than parameters, that a call could read before it has assigned them.
fn read_unset(body: &Procedure, limits: &Limits) -> Result<Vec<LocalId>, Unprepared> {
    let live = LiveLocals::within(body, limits)?;
    let read = live.at(body.entry).iter().copied();
    Ok(read.filter(|local| !body.params.contains(local)).collect())
}

/// Expands the calls of one procedure whose callees are expanded already.
fn expand(
    id: ProcId,
    bodies: &mut PrimaryMap<ProcId, Procedure>,
    chosen: &Chosen<'_>,
    unset: &SecondaryMap<ProcId, Vec<LocalId>>,
    limits: &Limits,
) -> Result<Option<String>, Unprepared> {
    let most = chosen.most;
    let calls: Vec<(LocationId, usize, ProcId)> = bodies[id]
        .edges()
        .filter_map(|(at, edge)| match edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } if chosen.contains(callee) => {
                Some((at.from, at.index as usize, callee))
            }
            _ => None,
        })
        .collect();
    if calls.is_empty() {
        return Ok(None);
    }
    let mut size = bodies[id].edges().count();
    let mut caller = bodies[id].clone();
    let mut names = Names::of(&caller);
    let mut kept = 0;
    for (from, index, callee) in calls {
        let body = &bodies[callee];
        let added = body.edges().count() + body.locals.len() + 1;
        if size + added > most {
            kept += 1;
            continue;
        }
        size += added;
        // A copy of an edge allocates, and so does a copy of a local.
        limits.spend(2 * added)?;
        inline_call(&mut caller, from, index, body, &unset[callee], &mut names);
    }
    let note = (kept > 0).then(|| {
        format!("{}: {kept} calls stay calls, beyond {most} edges nothing is inlined", caller.name)
    });
    bodies[id] = caller;
    Ok(note)
}

/// Replaces one call edge by a copy of the body.
fn inline_call(
    caller: &mut Procedure,
    from: LocationId,
    index: usize,
    body: &Procedure,
    unset: &[LocalId],
    names: &mut Names,
) {
    let call = caller.locations[from].edges[index].clone();
    let Action::Call { to, args, .. } = call.action else {
        panic!("invariant: only edges that carry a call are inlined");
    };
    let locals = copy_locals(caller, body, names);
    let mut entering: Vec<Action> = body
        .params
        .iter()
        .zip(args)
        .map(|(&param, value)| Action::Assign { to: locals[param], value })
        .collect();
    for &local in unset {
        let value = Expr::Const(Const::zero(body.locals[local].ty));
        entering.push(Action::Assign { to: locals[local], value });
    }
    let returning = match (to, body.result) {
        (Some(to), Some(result)) => Some(Action::Assign { to, value: Expr::Local(locals[result]) }),
        _ => None,
    };
    let exit = add_return(caller, returning, call.target, call.span);
    let atomic = caller.locations[call.target].grain == Grain::Atomic;
    let entry = copy_body(caller, body, &locals, exit, atomic);
    add_entry(caller, from, index, entering, entry, call.span);
}

fn copy_locals(
    caller: &mut Procedure,
    body: &Procedure,
    names: &mut Names,
) -> SecondaryMap<LocalId, LocalId> {
    let mut copies = SecondaryMap::with_default(LocalId::new(0));
    for (id, local) in &body.locals {
        let name = names.fresh(&body.name, &local.name);
        copies[id] = caller.add_local(name, local.ty, local.named);
    }
    copies
}

/// Where the copy's exit leads: to the call's target, by way of the result's assignment.
fn add_return(
    caller: &mut Procedure,
    returning: Option<Action>,
    target: LocationId,
    span: Span,
) -> LocationId {
    let Some(action) = returning else { return target };
    let location = caller.add_location(Grain::Atomic);
    caller.add_edge(location, action, target, span);
    location
}

/// Copies all locations but the exit, which becomes `exit`; gives the copy of the entry.
fn copy_body(
    caller: &mut Procedure,
    body: &Procedure,
    locals: &SecondaryMap<LocalId, LocalId>,
    exit: LocationId,
    atomic: bool,
) -> LocationId {
    let mut copies: SecondaryMap<LocationId, LocationId> = SecondaryMap::with_default(exit);
    for (id, location) in body.locations.iter().filter(|(id, _)| *id != body.exit) {
        let grain = if atomic { Grain::Atomic } else { location.grain };
        copies[id] = caller.add_location(grain);
    }
    for (id, location) in body.locations.iter().filter(|(id, _)| *id != body.exit) {
        caller.locations[copies[id]].edges = location
            .edges
            .iter()
            .map(|edge| Edge {
                action: rename(edge.action.clone(), locals),
                target: copies[edge.target],
                span: edge.span,
            })
            .collect();
        if atomic {
            let edges = &mut caller.locations[copies[id]].edges;
            edges.iter_mut().for_each(|edge| make_atomic(&mut edge.action));
        }
    }
    copies[body.entry]
}

/// An access made for a caller's atomic block is part of the block.
fn make_atomic(action: &mut Action) {
    if let Action::Load { mode: mode @ Mode::Plain, .. }
    | Action::Store { mode: mode @ Mode::Plain, .. } = action
    {
        *mode = Mode::Atomic;
    }
}

/// The same action over the copy's locals.
fn rename(mut action: Action, locals: &SecondaryMap<LocalId, LocalId>) -> Action {
    if let Some(to) = action.assigned_mut() {
        *to = locals[*to];
    }
    action.for_each_expr_mut(&mut |expr| {
        let old = std::mem::replace(expr, Expr::Tid);
        *expr = old.map(&mut |e| match e {
            Expr::Local(local) => Expr::Local(locals[local]),
            other => other,
        });
    });
    action
}

/// Puts the entering assignments in the place of the call's edge.
fn add_entry(
    caller: &mut Procedure,
    from: LocationId,
    index: usize,
    entering: Vec<Action>,
    entry: LocationId,
    span: Span,
) {
    let mut actions = entering.into_iter();
    let first = actions.next().unwrap_or(Action::Skip);
    let edge = &mut caller.locations[from].edges[index];
    edge.action = first;
    edge.target = entry;
    let (mut last, mut last_index) = (from, index);
    for action in actions {
        let between = caller.add_location(Grain::Atomic);
        caller.locations[last].edges[last_index].target = between;
        caller.add_edge(between, action, entry, span);
        (last, last_index) = (between, 0);
    }
}

/// Fresh names for locals: `callee.local`, numbered from the second on.
struct Names {
    used: rustc_hash::FxHashMap<String, u32>,
}

impl Names {
    fn of(procedure: &Procedure) -> Names {
        Names { used: procedure.locals.values().map(|l| (l.name.clone(), 1)).collect() }
    }

    fn fresh(&mut self, procedure: &str, local: &str) -> String {
        let base = format!("{procedure}.{local}");
        let mut name = base.clone();
        while self.used.contains_key(&name) {
            let count = self.used.entry(base.clone()).or_insert(1);
            *count += 1;
            name = format!("{base}.{count}");
        }
        self.used.insert(name.clone(), 1);
        name
    }
}

/// Removes procedures that no thread, call, spawn or address mentions, and renumbers the rest.
pub fn drop_unreferenced(program: &mut Program) {
    let graph = CallGraph::of(program);
    let mut roots = address_taken(program);
    roots.extend(program.threads.iter().map(|thread| thread.procedure));
    let needed = graph.reachable(roots.iter());
    renumber(program, &needed);
}

fn renumber(program: &mut Program, needed: &BitSet<ProcId>) {
    let mut new_ids: SecondaryMap<ProcId, Option<ProcId>> = SecondaryMap::new();
    let mut kept: PrimaryMap<ProcId, Procedure> = PrimaryMap::new();
    for (id, procedure) in std::mem::take(&mut program.procedures) {
        if needed.contains(id) {
            new_ids[id] = Some(kept.push(procedure));
        }
    }
    let new_id = |old: ProcId| new_ids[old].expect("invariant: referenced procedures are kept");
    for thread in &mut program.threads {
        thread.procedure = new_id(thread.procedure);
    }
    for object in program.objects.values_mut() {
        for (_, value) in &mut object.init {
            if let Const::Proc(procedure) = value {
                *procedure = new_id(*procedure);
            }
        }
    }
    for procedure in kept.values_mut() {
        for location in procedure.locations.values_mut() {
            renumber_location(location, &new_id);
        }
    }
    program.procedures = kept;
}

fn renumber_location(location: &mut Location, new_id: &impl Fn(ProcId) -> ProcId) {
    for edge in &mut location.edges {
        if let Action::Call { callee: Callee::Direct(p), .. }
        | Action::Spawn { entry: Callee::Direct(p), .. } = &mut edge.action
        {
            *p = new_id(*p);
        }
        edge.action.for_each_expr_mut(&mut |expr| {
            let old = std::mem::replace(expr, Expr::Tid);
            *expr = old.map(&mut |e| match e {
                Expr::Const(Const::Proc(p)) => Expr::Const(Const::Proc(new_id(p))),
                other => other,
            });
        });
    }
}
