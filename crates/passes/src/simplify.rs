//! Simplification: what does nothing and what is known goes away.
//!
//! Constants are folded; locals with a single assignment of a constant or of another such local
//! are replaced by it (sparse constant and copy propagation; Wegman and Zadeck, "Constant
//! propagation with conditional branches", 1991, without the conditional part, which a second round
//! gives); assignments to dead locals, assertions that are not checked, `Skip` and unreachable
//! locations are removed.
//!
//! Why the meaning stays.
//! - *Propagation.* Let x have one assignment `x := v` and not be live at the entry. Then the
//!   assignment dominates every read of x. If v is a constant, x has that value at each read. If v is
//!   a local y with the same two properties, y's assignment dominates x's; y cannot have been
//!   assigned again between x's assignment and a read of x, because the path from that later
//!   assignment of y to the read would, behind y's first assignment, reach the read without passing
//!   x's.
//! - *Removal.* Assignments, assertions and conditions go only if their evaluation cannot go wrong.
//! - *Skip.* A location L with a single `Skip` to M is identified with M, if a thread may be
//!   interrupted at M or at neither. It is kept where M is the exit of a procedure that threads may
//!   start in: standing before the end of a thread differs from having ended.
//!   A location with a single `Skip` into an atomic block takes over the alternatives of the block's
//!   first location: the block is the same without it.
//! - *Choices.* Alternatives of a location keep their order and number; one whose condition is false
//!   goes only if it is the last or if a single one is left, so the number of a choice stays the
//!   same.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use selvedge_ir::{
    Action, Callee, Edge, Expr, Grain, LocalId, Location, LocationId, ProcId, Procedure, Program,
    Property,
};

use crate::bits::BitSet;
use crate::callgraph::address_taken;
use crate::fold::{fold, is_total};
use crate::graph::reverse_postorder;
use crate::limits::{Limits, Unprepared};
use crate::liveness::LiveLocals;

/// Simplifies every procedure; assertions of properties not in `checked` are dropped.
pub fn simplify(
    program: &mut Program,
    checked: &[Property],
    limits: &Limits,
) -> Result<(), Unprepared> {
    let entries = thread_entries(program);
    let mut procedures = std::mem::take(&mut program.procedures);
    for (id, procedure) in procedures.iter_mut() {
        drop_assertions(procedure, program, checked);
        // The second round sees the branches that the first has decided.
        for _ in 0..2 {
            // Each step goes over the procedure once, some of them twice.
            limits.spend(STEPS * procedure.locations.len())?;
            propagate(procedure, limits)?;
            fold_all(procedure);
            drop_dead_assignments(procedure, program, limits)?;
            drop_false_alternatives(procedure);
            enter_blocks(procedure, limits)?;
            contract_skips(procedure, entries.contains(id), limits)?;
            drop_unreachable(procedure);
        }
        drop_unused_locals(procedure);
    }
    program.procedures = procedures;
    Ok(())
}

/// How often a round of simplification goes over a procedure.
const STEPS: usize = 4;

/// The procedures that a thread may start in.
pub fn thread_entries(program: &Program) -> BitSet<ProcId> {
    let mut entries: BitSet<ProcId> = program.threads.iter().map(|t| t.procedure).collect();
    let mut indirect = false;
    for procedure in program.procedures.values() {
        for (_, edge) in procedure.edges() {
            match &edge.action {
                Action::Spawn { entry: Callee::Direct(p), .. } => {
                    entries.insert(*p);
                }
                Action::Spawn { entry: Callee::Indirect(_), .. } => indirect = true,
                _ => {}
            }
        }
    }
    if indirect {
        entries.union_with(&address_taken(program));
    }
    entries
}

fn drop_assertions(procedure: &mut Procedure, program: &Program, checked: &[Property]) {
    let dropped: Vec<_> = procedure
        .edges()
        .filter(|(_, edge)| match &edge.action {
            Action::Assert { cond, check } => {
                !check.is_asked(checked) && is_total(cond, program, procedure)
            }
            _ => false,
        })
        .map(|(id, _)| id)
        .collect();
    for id in dropped {
        procedure.locations[id.from].edges[id.index as usize].action = Action::Skip;
    }
}

/// Replaces locals with one assignment by the constant or local that they are assigned.
fn propagate(procedure: &mut Procedure, limits: &Limits) -> Result<(), Unprepared> {
    let known = known_values(procedure, limits)?;
    if known.is_empty() {
        return Ok(());
    }
    for location in procedure.locations.values_mut() {
        for edge in &mut location.edges {
            edge.action.for_each_expr_mut(&mut |expr| substitute(expr, &known));
        }
    }
    if let Some(result) = procedure.result
        && let Some(Expr::Local(other)) = known.get(&result)
    {
        procedure.result = Some(*other);
    }
    Ok(())
}

type Known = rustc_hash::FxHashMap<LocalId, Expr>;

/// Locals whose value is a constant or another local's, the latter followed to its end.
fn known_values(procedure: &Procedure, limits: &Limits) -> Result<Known, Unprepared> {
    let single = single_assignments(procedure, limits)?;
    let mut known = Known::default();
    for (local, value) in single.iter() {
        let Some(mut value) = value.as_ref() else { continue };
        // Chains of copies end: a local cannot be copied from itself before it is assigned.
        let mut length = 0;
        while length < procedure.locals.len()
            && let Expr::Local(next) = value
            && let Some(further) = single.get(*next).and_then(Option::as_ref)
        {
            value = further;
            length += 1;
        }
        limits.spend(length)?;
        known.insert(local, value.clone());
    }
    Ok(known)
}

/// For each local with exactly one assignment that dominates its reads: the constant or the local
/// (with the same property) that is assigned.
fn single_assignments(
    procedure: &Procedure,
    limits: &Limits,
) -> Result<SecondaryMap<LocalId, Option<Expr>>, Unprepared> {
    let live = LiveLocals::within(procedure, limits)?;
    let mut count: SecondaryMap<LocalId, u32> = SecondaryMap::new();
    for &param in &procedure.params {
        count[param] += 1;
    }
    for (_, edge) in procedure.edges() {
        if let Some(to) = edge.action.assigned() {
            count[to] += 1;
        }
    }
    let single = |local: LocalId| {
        let param = procedure.params.contains(&local);
        count[local] == 1 && (param || !live.contains(procedure.entry, local))
    };
    let mut values = SecondaryMap::new();
    for (_, edge) in procedure.edges() {
        if let Action::Assign { to, value } = &edge.action
            && single(*to)
        {
            match value {
                Expr::Const(_) => values[*to] = Some(value.clone()),
                Expr::Local(from) if single(*from) => values[*to] = Some(value.clone()),
                _ => {}
            }
        }
    }
    Ok(values)
}

fn substitute(expr: &mut Expr, known: &Known) {
    match expr {
        Expr::Local(local) => {
            if let Some(value) = known.get(local) {
                *expr = value.clone();
            }
        }
        Expr::Const(_) | Expr::Tid => {}
        Expr::Unary(_, a) | Expr::Cast(_, a) => substitute(a, known),
        Expr::Binary(_, a, b) => {
            substitute(a, known);
            substitute(b, known);
        }
        Expr::Ite(a, b, c) => {
            substitute(a, known);
            substitute(b, known);
            substitute(c, known);
        }
    }
}

fn fold_all(procedure: &mut Procedure) {
    for location in procedure.locations.values_mut() {
        for edge in &mut location.edges {
            edge.action.for_each_expr_mut(&mut |expr| {
                if !matches!(expr, Expr::Const(_) | Expr::Local(_) | Expr::Tid) {
                    *expr = fold(std::mem::replace(expr, Expr::Tid));
                }
            });
            let always = match &edge.action {
                Action::Assume(cond) | Action::Assert { cond, .. } => *cond == Expr::TRUE,
                _ => false,
            };
            if always {
                edge.action = Action::Skip;
            }
        }
    }
}

fn drop_dead_assignments(
    procedure: &mut Procedure,
    program: &Program,
    limits: &Limits,
) -> Result<(), Unprepared> {
    let live = LiveLocals::within(procedure, limits)?;
    let dead: Vec<_> = procedure
        .edges()
        .filter(|(_, edge)| match &edge.action {
            Action::Assign { to, value } => {
                *value == Expr::Local(*to)
                    || (!live.contains(edge.target, *to) && is_total(value, program, procedure))
            }
            _ => false,
        })
        .map(|(id, _)| id)
        .collect();
    for id in dead {
        procedure.locations[id.from].edges[id.index as usize].action = Action::Skip;
    }
    Ok(())
}

fn drop_false_alternatives(procedure: &mut Procedure) {
    let is_false = |edge: &Edge| edge.action == Action::Assume(Expr::FALSE);
    for location in procedure.locations.values_mut() {
        let possible = location.edges.iter().filter(|edge| !is_false(edge)).count();
        if possible == 1 {
            location.edges.retain(|edge| !is_false(edge));
        } else {
            // The first stays, so that a location which blocks for ever is still one.
            while location.edges.len() > 1 && location.edges.last().is_some_and(is_false) {
                location.edges.pop();
            }
        }
    }
}

/// Lets a location that only skips into an atomic block start the block itself.
fn enter_blocks(procedure: &mut Procedure, limits: &Limits) -> Result<(), Unprepared> {
    let mut entering: SecondaryMap<LocationId, u32> = SecondaryMap::new();
    for (_, edge) in procedure.edges() {
        entering[edge.target] += 1;
    }
    let ids: Vec<LocationId> = procedure.locations.keys().collect();
    for &id in &ids {
        // A block may go round in skips for ever.
        for _ in &ids {
            let [Edge { action: Action::Skip, target, .. }] =
                procedure.locations[id].edges.as_slice()
            else {
                break;
            };
            let block = &procedure.locations[*target];
            // Alternatives are copied only if nobody else needs them.
            let copied = block.edges.len() == 1 || entering[*target] == 1;
            if procedure.locations[id].grain == Grain::Atomic
                || block.grain != Grain::Atomic
                || !copied
                || block.edges.iter().any(|edge| edge.target == *target)
            {
                break;
            }
            let edges = block.edges.clone();
            limits.spend(edges.len())?;
            for edge in &edges {
                entering[edge.target] += 1;
            }
            procedure.locations[id].edges = edges;
        }
    }
    Ok(())
}

/// Redirects edges past locations that only skip.
fn contract_skips(
    procedure: &mut Procedure,
    thread_entry: bool,
    limits: &Limits,
) -> Result<(), Unprepared> {
    let mut past: SecondaryMap<LocationId, Option<LocationId>> = SecondaryMap::new();
    for (id, location) in &procedure.locations {
        if let [Edge { action: Action::Skip, target, .. }] = location.edges.as_slice() {
            let interruptible = procedure.locations[*target].grain != Grain::Atomic;
            let both_atomic = location.grain == Grain::Atomic;
            let ends_thread = thread_entry && *target == procedure.exit && !both_atomic;
            if (interruptible || both_atomic) && !ends_thread {
                past[id] = Some(*target);
            }
        }
    }
    let mut ends: SecondaryMap<LocationId, Option<LocationId>> = SecondaryMap::new();
    for id in procedure.locations.keys() {
        ends[id] = Some(follow(id, &past, limits)?);
    }
    let end = |id: LocationId| ends[id].expect("invariant: every location has an end");
    procedure.entry = end(procedure.entry);
    for location in procedure.locations.values_mut() {
        for edge in &mut location.edges {
            edge.target = end(edge.target);
        }
    }
    Ok(())
}

/// The end of a chain of skips; in a cycle of skips, its least location.
fn follow(
    start: LocationId,
    past: &SecondaryMap<LocationId, Option<LocationId>>,
    limits: &Limits,
) -> Result<LocationId, Unprepared> {
    let (mut slow, mut fast) = (start, start);
    loop {
        match past[fast] {
            None => return Ok(fast),
            Some(next) => fast = next,
        }
        match past[fast] {
            None => return Ok(fast),
            Some(next) => fast = next,
        }
        limits.spend(1)?;
        slow = past[slow].unwrap_or(slow);
        if slow == fast {
            return Ok(least_of_cycle(slow, past));
        }
    }
}

fn least_of_cycle(
    on_cycle: LocationId,
    past: &SecondaryMap<LocationId, Option<LocationId>>,
) -> LocationId {
    let mut least = on_cycle;
    let mut at = on_cycle;
    while let Some(next) = past[at] {
        if next == on_cycle {
            break;
        }
        least = least.min(next);
        at = next;
    }
    least
}

/// Removes locations that no path from the entry reaches (the exit stays), and numbers the others
/// in the order of control flow.
fn drop_unreachable(procedure: &mut Procedure) {
    let mut order = reverse_postorder(procedure);
    if !order.contains(&procedure.exit) {
        order.push(procedure.exit);
    }
    let mut old = std::mem::take(&mut procedure.locations);
    let mut new_ids: SecondaryMap<LocationId, LocationId> =
        SecondaryMap::with_default(LocationId::new(0));
    for &id in &order {
        let edges = std::mem::take(&mut old[id].edges);
        new_ids[id] = procedure.locations.push(Location { grain: old[id].grain, edges });
    }
    for location in procedure.locations.values_mut() {
        for edge in &mut location.edges {
            edge.target = new_ids[edge.target];
        }
    }
    procedure.entry = new_ids[procedure.entry];
    procedure.exit = new_ids[procedure.exit];
}

/// Removes locals that nothing mentions, and renumbers.
fn drop_unused_locals(procedure: &mut Procedure) {
    let mut used: BitSet<LocalId> = procedure.params.iter().copied().collect();
    used.extend(procedure.result);
    for (_, edge) in procedure.edges() {
        used.extend(edge.action.assigned());
        edge.action.for_each_expr(&mut |expr| used.extend(expr.locals()));
    }
    let mut new_ids: Known = Known::default();
    let mut kept = PrimaryMap::new();
    for (id, local) in std::mem::take(&mut procedure.locals) {
        if used.contains(id) {
            new_ids.insert(id, Expr::Local(kept.push(local)));
        }
    }
    let renamed = |local: LocalId| match new_ids[&local] {
        Expr::Local(new) => new,
        _ => panic!("invariant: locals are renamed to locals"),
    };
    for location in procedure.locations.values_mut() {
        for edge in &mut location.edges {
            if let Some(to) = edge.action.assigned_mut() {
                *to = renamed(*to);
            }
            edge.action.for_each_expr_mut(&mut |expr| substitute(expr, &new_ids));
        }
    }
    for param in &mut procedure.params {
        *param = renamed(*param);
    }
    procedure.result = procedure.result.map(renamed);
    procedure.locals = kept;
}
