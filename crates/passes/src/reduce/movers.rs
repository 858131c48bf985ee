//! Which actions are movers.
//!
//! Accesses to memory are both-movers if no other thread can do a conflicting access at the same
//! time: the region is private to the thread, or all conflicting accesses of threads that may exist
//! at the same time hold a common lock. Locking (of a disciplined, unobserved lock) is a right mover: until the
//! thread unlocks it, nobody can touch the cell. Unlocking is a left mover. Starting a thread and
//! ending one are left movers: they enable others, and nothing that others did before can hinder
//! them. A join is a right mover: a thread that has ended stays so. Allocation gives an object
//! that nobody else knows, a both-mover up to the names of objects. All else is local.

use std::ops::BitOr;

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, EdgeId, LocationId, Mode, ProcId, Program, Property, RegionId};

use super::Facts;
use crate::bits::BitSet;
use crate::callgraph::CallGraph;
use crate::graph;
use crate::limits::{Limits, Unprepared};
use crate::options::Options;
use crate::simplify::thread_entries;

/// What an action, or several in a row or as alternatives, may be; a set of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    pub const BOTH: Kind = Kind(0);
    /// Contains a right mover that is no left mover.
    pub const RIGHT: Kind = Kind(1);
    /// Contains a left mover that is no right mover.
    pub const LEFT: Kind = Kind(2);
    pub const NONE: Kind = Kind(3);
    /// The state before it must be seen by all: a possible race.
    pub const SEEN: Kind = Kind(7);
    /// Nothing known.
    pub const UNKNOWN: Kind = Kind(7);

    pub fn then(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    pub fn is_right(self) -> bool {
        self.0 & 2 == 0
    }

    pub fn is_left(self) -> bool {
        self.0 & 1 == 0
    }

    pub fn must_be_seen(self) -> bool {
        self.0 & 4 != 0
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::BOTH => "both",
            Kind::RIGHT => "right",
            Kind::LEFT => "left",
            Kind::NONE => "none",
            _ => "race",
        }
    }
}

impl BitOr for Kind {
    type Output = Kind;

    fn bitor(self, other: Kind) -> Kind {
        self.then(other)
    }
}

/// The kind of every action.
#[derive(Clone, Debug)]
pub struct Movers {
    /// All that are not both-movers.
    kinds: FxHashMap<(ProcId, EdgeId), Kind>,
}

impl Movers {
    pub fn of(
        program: &Program,
        facts: &Facts<'_>,
        options: &Options,
        limits: &Limits,
    ) -> Result<Movers, Unprepared> {
        let accesses = Accesses::of(program, facts, limits)?;
        let conflicts = accesses.conflicts(facts, limits)?;
        let entries = thread_entries(program);
        let mut kinds = FxHashMap::default();
        for (id, procedure) in &program.procedures {
            limits.spend_on(procedure)?;
            let entry = entries.contains(id);
            let main = program.threads.iter().any(|t| t.main && t.procedure == id);
            for (at, edge) in procedure.edges() {
                let mut kind = own_kind(facts, options, &edge.action)
                    | access_kind(&accesses, &conflicts, options, (id, at));
                if edge.target == procedure.exit && graph::arrives(edge) {
                    if main {
                        kind = kind | Kind::NONE;
                    } else if entry {
                        kind = kind | Kind::LEFT;
                    }
                }
                if kind != Kind::BOTH {
                    kinds.insert((id, at), kind);
                }
            }
        }
        Ok(Movers { kinds })
    }

    pub fn kind(&self, procedure: ProcId, from: LocationId, index: u32) -> Kind {
        self.kinds.get(&(procedure, EdgeId { from, index })).copied().unwrap_or(Kind::BOTH)
    }
}

/// What the action is apart from accesses to memory.
fn own_kind(facts: &Facts<'_>, options: &Options, action: &Action) -> Kind {
    match action {
        Action::Lock { lock } => match lock.region {
            Some(region)
                if facts.locks.is_unobserved(region) && !options.checks(Property::Deadlock) =>
            {
                Kind::RIGHT
            }
            _ => Kind::NONE,
        },
        Action::Unlock { lock } => match lock.region {
            Some(region) if facts.locks.is_unobserved(region) => Kind::LEFT,
            _ => Kind::NONE,
        },
        Action::Spawn { .. } | Action::EndThread { .. } => Kind::LEFT,
        Action::Join { .. } => Kind::RIGHT,
        Action::Halt | Action::Unsupported { .. } | Action::Ghost(_) => Kind::NONE,
        _ => Kind::BOTH,
    }
}

fn access_kind(
    accesses: &Accesses,
    conflicts: &FxHashMap<Class, Conflict>,
    options: &Options,
    at: (ProcId, EdgeId),
) -> Kind {
    let mut kind = Kind::BOTH;
    if accesses.unknown.contains(&at) {
        return Kind::UNKNOWN;
    }
    for class in accesses.by_edge.get(&at).into_iter().flatten() {
        let found = conflicts[class];
        if found.race && options.checks(Property::Race) {
            kind = kind | Kind::SEEN;
        } else if found.any {
            kind = kind | Kind::NONE;
        }
    }
    kind
}

/// Accesses that no analysis tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Class(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Access {
    region: RegionId,
    template: usize,
    write: bool,
    mode: Mode,
    locks: BitSet<RegionId>,
    /// What [`crate::parallel::Parallel`] knows about the place.
    key: Vec<bool>,
}

/// Whether other threads have conflicting accesses at the same time, and one of the two is plain.
#[derive(Clone, Copy, Debug, Default)]
struct Conflict {
    any: bool,
    race: bool,
}

#[derive(Default)]
struct Accesses {
    classes: FxHashMap<Access, Class>,
    /// One place of each class.
    samples: Vec<(Access, (ProcId, LocationId))>,
    by_edge: FxHashMap<(ProcId, EdgeId), Vec<Class>>,
    by_region: FxHashMap<RegionId, Vec<Class>>,
    /// Accesses that no region describes, and frees of what others may reach unseen.
    unknown: rustc_hash::FxHashSet<(ProcId, EdgeId)>,
}

impl Accesses {
    fn of(program: &Program, facts: &Facts<'_>, limits: &Limits) -> Result<Accesses, Unprepared> {
        let graph = CallGraph::of(program);
        let mut accesses = Accesses::default();
        for (template, data) in facts.templates.list.iter().enumerate() {
            for id in called_from(&graph, data.procedure).iter() {
                limits.spend_on(&program.procedures[id])?;
                for (at, edge) in program.procedures[id].edges() {
                    accesses.add_action(facts, template, id, at, &edge.action);
                }
            }
        }
        Ok(accesses)
    }

    fn add_action(
        &mut self,
        facts: &Facts<'_>,
        template: usize,
        id: ProcId,
        at: EdgeId,
        action: &Action,
    ) {
        let (place, write, mode) = match action {
            Action::Load { from, mode, .. } => (from, false, *mode),
            Action::Store { to, mode, .. } => (to, true, *mode),
            Action::Lock { lock } | Action::Unlock { lock } => {
                // Nobody else looks at an unobserved lock, and it has its own rule.
                if lock.region.is_some_and(|region| facts.locks.is_unobserved(region)) {
                    return;
                }
                (lock, true, Mode::Atomic)
            }
            Action::Free { .. } => {
                let Some(freed) = facts.regions.freed.get(&(id, at)) else { return };
                if !freed.private && freed.regions.is_empty() {
                    self.unknown.insert((id, at));
                }
                for &region in &freed.regions {
                    self.add(facts, template, (id, at), region, true, Mode::Plain);
                }
                return;
            }
            _ => return,
        };
        match place.region {
            Some(region) => self.add(facts, template, (id, at), region, write, mode),
            None => {
                self.unknown.insert((id, at));
            }
        }
    }

    fn add(
        &mut self,
        facts: &Facts<'_>,
        template: usize,
        (id, at): (ProcId, EdgeId),
        region: RegionId,
        write: bool,
        mode: Mode,
    ) {
        if facts.regions.private.contains(region) {
            return;
        }
        let place = (id, at.from);
        // Where no thread can stand, nothing is done.
        let Some(locks) = facts.locks.held(id, at.from).cloned() else { return };
        let key = facts.parallel.key(template, place);
        let access = Access { region, template, write, mode, locks, key };
        let class = match self.classes.get(&access) {
            Some(&class) => class,
            None => {
                let class = Class(self.samples.len() as u32);
                self.classes.insert(access.clone(), class);
                self.samples.push((access, place));
                self.by_region.entry(region).or_default().push(class);
                class
            }
        };
        self.by_edge.entry((id, at)).or_default().push(class);
    }

    fn conflicts(
        &self,
        facts: &Facts<'_>,
        limits: &Limits,
    ) -> Result<FxHashMap<Class, Conflict>, Unprepared> {
        let mut conflicts: FxHashMap<Class, Conflict> = FxHashMap::default();
        for classes in self.by_region.values() {
            for &class in classes {
                // A pair takes a good deal less than a unit.
                limits.spend(1 + classes.len() / 16)?;
                let mut found = Conflict::default();
                for &other in classes {
                    let (a, here) = &self.samples[class.0 as usize];
                    let (b, there) = &self.samples[other.0 as usize];
                    if (a.write || b.write)
                        && !a.locks.intersects(&b.locks)
                        && facts.parallel.may(a.template, *here, b.template, *there)
                    {
                        found.any = true;
                        found.race |= a.mode == Mode::Plain || b.mode == Mode::Plain;
                    }
                }
                conflicts.insert(class, found);
            }
        }
        Ok(conflicts)
    }
}

/// The procedures that a thread of the template may be in.
fn called_from(graph: &CallGraph, entry: ProcId) -> BitSet<ProcId> {
    let mut seen: BitSet<ProcId> = BitSet::new();
    let mut work = vec![entry];
    while let Some(procedure) = work.pop() {
        if seen.insert(procedure) {
            work.extend(graph.calls(procedure));
        }
    }
    seen
}
