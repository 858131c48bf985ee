//! Private variables in memory become locals.
//!
//! A variable whose address is taken lives in memory, an object of its own. Once calls are inlined,
//! the address often goes nowhere: it is only loaded from, stored to and freed. Such an object is
//! invisible to other threads and to every other pointer, so a local can take its place (promotion of
//! memory to registers, as compilers do it; Lattner, "LLVM", 2002, section 2.3 of the thesis on
//! `mem2reg`). Provers then need no arrays and no lifetimes for it.
//!
//! Why the meaning stays. Let p be a local that only `Alloc` assigns. If the address is used by loads,
//! stores and frees of p alone, nothing else can know the object. If on every path each access comes
//! behind an allocation and before a `Free`, and each load behind a store since that allocation (or the
//! object starts as zero), then no access goes wrong and a load gives what was stored last. So does the
//! local.
//!
//! Loads and stores that are visible in the program as it was lowered are assignments then. Edges keep
//! their places, so a trace is told by the same edges of the program prepared without this pass.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Const, Expr, LocalId, LocationId, Procedure, Program, Storage, Type};

use crate::graph::arrives;
use crate::limits::{Limits, Unprepared};

/// Promotes what can be promoted, in every procedure.
pub fn promote(program: &mut Program, limits: &Limits) -> Result<(), Unprepared> {
    let mut procedures = std::mem::take(&mut program.procedures);
    for procedure in procedures.values_mut() {
        let made = procedure.edges().filter_map(|(_, edge)| match edge.action {
            Action::Alloc { to, storage: Storage::Stack, .. } => Some(to),
            _ => None,
        });
        for pointer in made.collect::<BTreeSet<LocalId>>() {
            limits.spend_on(procedure)?;
            if let Some(ty) = private(program, procedure, pointer)
                && always_ready(procedure, pointer)
            {
                replace(procedure, pointer, ty);
            }
        }
    }
    program.procedures = procedures;
    Ok(())
}

/// The type that all accesses through the pointer have, if nobody learns of the address and each
/// object is one scalar of that type.
fn private(program: &Program, procedure: &Procedure, pointer: LocalId) -> Option<Type> {
    let own = Expr::Local(pointer);
    if procedure.params.contains(&pointer) || procedure.result == Some(pointer) {
        return None;
    }
    let mut types = BTreeSet::new();
    let mut sizes = BTreeSet::new();
    for (_, edge) in procedure.edges() {
        let known = match &edge.action {
            Action::Load { from: place, .. } | Action::Store { to: place, .. }
                if place.addr == own =>
            {
                types.insert(place.ty);
                1
            }
            Action::Free { addr, .. } if *addr == own => 1,
            _ => 0,
        };
        let mut mentions = 0;
        edge.action.for_each_expr(&mut |expr| {
            mentions += expr.locals().into_iter().filter(|&local| local == pointer).count();
        });
        if mentions != known {
            return None;
        }
        match &edge.action {
            Action::Alloc { to, size, layout, .. } if *to == pointer => {
                let Expr::Const(Const::Int(size, _)) = size else { return None };
                sizes.extend([*size, program.layouts[*layout].size]);
            }
            action if action.assigned() == Some(pointer) => return None,
            _ => {}
        }
    }
    let (ty, size) = (types.pop_first()?, sizes.pop_first()?);
    (types.is_empty() && sizes.is_empty() && ty.size(program.model) == size).then_some(ty)
}

/// What is certain about the object at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Certain {
    alive: bool,
    written: bool,
}

impl Certain {
    fn and(self, other: Certain) -> Certain {
        Certain { alive: self.alive && other.alive, written: self.written && other.written }
    }

    /// Behind an action; none if the action might go wrong.
    fn after(self, pointer: LocalId, action: &Action) -> Option<Certain> {
        let own = Expr::Local(pointer);
        match action {
            Action::Alloc { to, zeroed, .. } if *to == pointer => {
                Some(Certain { alive: true, written: *zeroed })
            }
            Action::Free { addr, .. } if *addr == own => {
                self.alive.then_some(Certain { alive: false, written: false })
            }
            Action::Load { from, .. } if from.addr == own => self.written.then_some(self),
            Action::Store { to, .. } if to.addr == own => {
                self.alive.then_some(Certain { written: true, ..self })
            }
            _ => Some(self),
        }
    }
}

/// Whether every access finds the object alive, and every load finds it written.
fn always_ready(procedure: &Procedure, pointer: LocalId) -> bool {
    let mut known: FxHashMap<LocationId, Certain> = FxHashMap::default();
    known.insert(procedure.entry, Certain { alive: false, written: false });
    let mut open = vec![procedure.entry];
    while let Some(at) = open.pop() {
        for edge in procedure.locations[at].edges.iter().filter(|edge| arrives(edge)) {
            let Some(after) = known[&at].after(pointer, &edge.action) else { return false };
            let before = known.get(&edge.target).copied();
            let now = before.map_or(after, |before| before.and(after));
            if before != Some(now) {
                known.insert(edge.target, now);
                open.push(edge.target);
            }
        }
    }
    true
}

/// Puts a local in the place of the object.
fn replace(procedure: &mut Procedure, pointer: LocalId, ty: Type) {
    let own = Expr::Local(pointer);
    let name = unused_name(procedure, pointer);
    let value = procedure.add_local(name, ty, true);
    for location in procedure.locations.values_mut() {
        for edge in &mut location.edges {
            edge.action = match std::mem::replace(&mut edge.action, Action::Skip) {
                Action::Alloc { to, zeroed: true, .. } if to == pointer => {
                    Action::Assign { to: value, value: Expr::Const(Const::zero(ty)) }
                }
                Action::Alloc { to, .. } if to == pointer => Action::Skip,
                Action::Free { addr, .. } if addr == own => Action::Skip,
                Action::Load { to, from, .. } if from.addr == own => {
                    Action::Assign { to, value: Expr::Local(value) }
                }
                Action::Store { to, value: new, .. } if to.addr == own => {
                    Action::Assign { to: value, value: new }
                }
                other => other,
            };
        }
    }
}

/// The pointer's name without what marks it as one.
fn unused_name(procedure: &Procedure, pointer: LocalId) -> String {
    let name = &procedure.locals[pointer].name;
    let mut short = name.trim_end_matches("#addr").to_owned();
    while procedure.locals.values().any(|local| local.name == short) {
        short.push_str("#value");
    }
    short
}
