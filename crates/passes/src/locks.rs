//! Locks certainly held at each location.
//!
//! The lockset of Savage et al. ("Eraser", 1997) as a static must-analysis: at a location a lock is
//! held if every path from the thread's start to it has locked it and not unlocked it since. Meant
//! to run after inlining; a procedure that is still called starts with none, and its callers keep
//! theirs.
//!
//! Only *disciplined* locks count: the cell is one scalar of a shared global variable, starts as
//! none, is written by `Lock` and `Unlock` only, and each `Unlock` stands where the analysis proves
//! the lock held. Then the cell holds thread t exactly while t is between its `Lock` and the next
//! `Unlock`, so two threads are never both at locations that hold it. A store of none while no other
//! thread exists (initialisation) is allowed: afterwards nobody holds the lock.
//!
//! Locking moves right and unlocking left only if nobody looks at the cell otherwise: such a lock is
//! *unobserved*. Looking while no other thread exists does no harm.

use std::fmt::Write;

use cranelift_entity::{PrimaryMap, SecondaryMap};
use selvedge_ir::{
    Action, Const, Edge, Expr, LocationId, ProcId, Procedure, Program, RegionId, Sharing, Type,
};

use crate::bits::BitSet;
use crate::graph::arrives;
use crate::limits::{Limits, Unprepared};
use crate::parallel::Parallel;
use crate::regions::Regions;

/// A lock is named by its region.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    disciplined: BitSet<RegionId>,
    unobserved: BitSet<RegionId>,
    /// None where the location is not reached.
    held: PrimaryMap<ProcId, SecondaryMap<LocationId, Option<BitSet<RegionId>>>>,
}

impl Locks {
    pub fn of(
        program: &Program,
        regions: &Regions,
        parallel: &Parallel,
        limits: &Limits,
    ) -> Result<Locks, Unprepared> {
        let (mut disciplined, observed) = candidates(program, regions, parallel);
        loop {
            let mut held: PrimaryMap<ProcId, _> = PrimaryMap::new();
            for procedure in program.procedures.values() {
                held.push(held_in(procedure, &disciplined, limits)?);
            }
            let broken = unlocked_unheld(program, &held, &disciplined);
            if broken.is_empty() {
                let unobserved = disciplined.iter().filter(|&l| !observed.contains(l)).collect();
                return Ok(Locks { disciplined, unobserved, held });
            }
            for lock in broken.iter() {
                disciplined.remove(lock);
            }
        }
    }

    /// The locks that a thread standing here certainly holds; none where no thread can stand.
    pub fn held(&self, procedure: ProcId, location: LocationId) -> Option<&BitSet<RegionId>> {
        self.held[procedure][location].as_ref()
    }

    /// Whether the region is a disciplined lock that nobody looks at but by locking.
    pub fn is_unobserved(&self, lock: RegionId) -> bool {
        self.unobserved.contains(lock)
    }
}

/// Regions that are cells of locks and written by nothing else; and those that are read.
fn candidates(
    program: &Program,
    regions: &Regions,
    parallel: &Parallel,
) -> (BitSet<RegionId>, BitSet<RegionId>) {
    let mut found: BitSet<RegionId> = regions
        .exact
        .iter()
        .filter(|(region, (object, offset))| {
            let data = &program.objects[*object];
            let starts_free = data
                .init
                .iter()
                .all(|(at, value)| i64::try_from(*at) != Ok(*offset) || *value == Const::NoThread);
            data.sharing == Sharing::Shared
                && program.regions[**region].ty == Some(Type::Thread)
                && starts_free
        })
        .map(|(region, _)| *region)
        .collect();
    let mut observed = BitSet::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            let alone = parallel.alone((id, at.from));
            match &edge.action {
                Action::Load { from, .. } if !alone => observed.extend(from.region),
                Action::Store { to, value, .. } => {
                    let initialises = alone && *value == Expr::Const(Const::NoThread);
                    if let (Some(region), false) = (to.region, initialises) {
                        found.remove(region);
                    }
                }
                _ => {}
            }
        }
    }
    (found, observed)
}

/// The locks held at each location of one procedure.
fn held_in(
    procedure: &Procedure,
    locks: &BitSet<RegionId>,
    limits: &Limits,
) -> Result<SecondaryMap<LocationId, Option<BitSet<RegionId>>>, Unprepared> {
    let mut held: SecondaryMap<LocationId, Option<BitSet<RegionId>>> = SecondaryMap::new();
    held[procedure.entry] = Some(BitSet::new());
    let mut work = vec![procedure.entry];
    while let Some(at) = work.pop() {
        let Some(before) = held[at].clone() else { continue };
        limits.spend(1)?;
        for edge in &procedure.locations[at].edges {
            if !arrives(edge) {
                continue;
            }
            let after = after(edge, &before, locks);
            let changed = match &mut held[edge.target] {
                Some(known) => known.intersect_with(&after),
                unreached => {
                    *unreached = Some(after);
                    true
                }
            };
            if changed {
                work.push(edge.target);
            }
        }
    }
    Ok(held)
}

fn after(edge: &Edge, before: &BitSet<RegionId>, locks: &BitSet<RegionId>) -> BitSet<RegionId> {
    let mut after = before.clone();
    match &edge.action {
        Action::Lock { lock } => {
            after.extend(lock.region.filter(|&region| locks.contains(region)));
        }
        Action::Unlock { lock: place } | Action::Store { to: place, .. } => {
            if let Some(region) = place.region {
                after.remove(region);
            }
        }
        _ => {}
    }
    after
}

/// Locks that some reachable `Unlock` releases without holding them for certain.
fn unlocked_unheld(
    program: &Program,
    held: &PrimaryMap<ProcId, SecondaryMap<LocationId, Option<BitSet<RegionId>>>>,
    locks: &BitSet<RegionId>,
) -> BitSet<RegionId> {
    let mut broken = BitSet::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            if let Action::Unlock { lock } = &edge.action
                && let (Some(region), Some(held)) = (lock.region, &held[id][at.from])
                && locks.contains(region)
                && !held.contains(region)
            {
                broken.insert(region);
            }
        }
    }
    broken
}

/// A listing: for each location where it changes, the locks held.
pub fn listing(program: &Program, locks: &Locks) -> String {
    let mut out = String::new();
    for lock in locks.disciplined.iter() {
        let _ = writeln!(out, "lock {}", program.regions[lock].name);
    }
    for (id, procedure) in &program.procedures {
        let _ = writeln!(out, "procedure {}", procedure.name);
        for location in procedure.locations.keys() {
            let Some(held) = locks.held(id, location).filter(|held| !held.is_empty()) else {
                continue;
            };
            let names: Vec<&str> =
                held.iter().map(|lock| program.regions[lock].name.as_str()).collect();
            let _ = writeln!(out, "  {location}: holds {}", names.join(", "));
        }
    }
    out
}
