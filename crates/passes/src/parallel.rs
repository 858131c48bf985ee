//! May-happen-in-parallel: which threads can exist while a thread stands at a location.
//!
//! In the manner of Naumovich and Avrunin, "A conservative data flow algorithm for detecting all
//! pairs of statements that may happen in parallel" (1998), but coarse: the initial thread, if
//! it is the only one and runs once, is followed location by location; for each location the
//! threads that it may have started and not joined yet are known. A started thread counts with all
//! that it may start in turn. Two other threads can be alive together only if there is a location
//! of the initial thread at which both are (or behind which both stay).
//!
//! Soundness. Spawning adds; only a `Join` removes, and only where the joined thread is certain: a
//! spawn that is passed at most once, whose identifier reaches the join through locals and memory
//! cells that hold no other thread. Joining nothing is a fault, so behind the join the thread has
//! ended. What it started itself stays.

use std::fmt::Write;

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Callee, EdgeId, Expr, LocalId, LocationId, Multiplicity, ProcId, Procedure, Program,
    RegionId, Type,
};

use crate::callgraph::{CallGraph, address_taken};
use crate::limits::{Limits, Unprepared};
use crate::threads::{Cycles, Templates};

/// A set of templates by position in `Templates::list`.
type Set = Vec<bool>;

#[derive(Clone, Debug)]
pub struct Parallel {
    /// The position of the initial template, if it is the only initial thread.
    main: Option<usize>,
    main_procedure: Option<ProcId>,
    /// The templates that may be alive at each location of the initial thread.
    alive: SecondaryMap<LocationId, Set>,
    /// Which templates may be alive together, the initial thread left out.
    together: Vec<Set>,
}

impl Parallel {
    pub fn of(
        program: &Program,
        templates: &Templates,
        limits: &Limits,
    ) -> Result<Parallel, Unprepared> {
        let count = templates.list.len();
        let single = match program.threads.as_slice() {
            [thread] if thread.count == Multiplicity::Exactly(1) => templates
                .list
                .iter()
                .position(|t| t.procedure == thread.procedure && t.count == thread.count),
            _ => None,
        };
        let callable = is_called(program, single.map(|main| templates.list[main].procedure));
        match single.filter(|_| !callable) {
            Some(main) => follow(program, templates, main, limits),
            None => Ok(Parallel {
                main: None,
                main_procedure: None,
                alive: SecondaryMap::new(),
                together: (0..count)
                    .map(|a| (0..count).map(|b| a != b || templates.list[a].symmetric()).collect())
                    .collect(),
            }),
        }
    }

    /// Whether a thread of template `a` at this location and one of template `b` at that location
    /// may exist at the same time. Templates by position, locations with their procedures.
    pub fn may(
        &self,
        a: usize,
        at: (ProcId, LocationId),
        b: usize,
        there: (ProcId, LocationId),
    ) -> bool {
        match (Some(a) == self.main, Some(b) == self.main) {
            (true, true) => false,
            (true, false) => self.alive_at(at, b),
            (false, true) => self.alive_at(there, a),
            (false, false) => self.together[a][b],
        }
    }

    /// Whether a thread that stands here is the only one.
    pub fn alone(&self, (procedure, location): (ProcId, LocationId)) -> bool {
        Some(procedure) == self.main_procedure && !self.alive[location].contains(&true)
    }

    /// Whether the initial thread may stand here while one of the template is alive. Behind a call
    /// nothing is known.
    fn alive_at(&self, (procedure, location): (ProcId, LocationId), template: usize) -> bool {
        Some(procedure) != self.main_procedure
            || self.alive[location].get(template).copied().unwrap_or(false)
    }

    /// What distinguishes locations of one template for [`Parallel::may`]: equal keys give equal
    /// answers.
    pub fn key(&self, template: usize, (procedure, location): (ProcId, LocationId)) -> Vec<bool> {
        if Some(template) != self.main {
            Vec::new()
        } else if Some(procedure) == self.main_procedure {
            self.alive[location].clone()
        } else {
            vec![true; self.together.len()]
        }
    }
}

fn is_called(program: &Program, procedure: Option<ProcId>) -> bool {
    let graph = CallGraph::of(program);
    let called = |p: ProcId| {
        program
            .procedures
            .keys()
            .any(|q| graph.calls(q).contains(&p) || graph.spawns(q).contains(&p))
    };
    procedure.is_some_and(called)
}

/// What one spawn (or call that may spawn) of the initial thread brings to life.
struct Unit {
    /// The thread itself; none for a call.
    thread: Option<usize>,
    /// What may be started by it.
    others: Set,
    /// Whether the site may be passed more than once.
    repeated: bool,
}

fn follow(
    program: &Program,
    templates: &Templates,
    main: usize,
    limits: &Limits,
) -> Result<Parallel, Unprepared> {
    let count = templates.list.len();
    let id = templates.list[main].procedure;
    let procedure = &program.procedures[id];
    let units = units(program, templates, procedure, limits)?;
    let states = outstanding(program, id, &units, limits)?;
    let mut alive: SecondaryMap<LocationId, Set> = SecondaryMap::with_default(vec![false; count]);
    let mut together = vec![vec![false; count]; count];
    for (location, state) in states.iter() {
        limits.spend(pieces(units.len()) + pieces(count * count))?;
        let mut times = vec![0u32; count];
        for (index, unit) in units.iter().map(|(_, unit)| unit).enumerate() {
            let present = |part: usize| state.get(index * 2 + part).copied().unwrap_or(false);
            let weight = if unit.repeated { 2 } else { 1 };
            if let (Some(thread), true) = (unit.thread, present(0)) {
                times[thread] += weight;
            }
            for (other, _) in unit.others.iter().enumerate().filter(|(_, o)| **o && present(1)) {
                // How many there are is not followed.
                times[other] += 2;
            }
        }
        alive[location] = times.iter().map(|&n| n > 0).collect();
        for a in 0..count {
            for b in 0..count {
                together[a][b] |= times[a] > 0 && times[b] > 0 && (a != b || times[a] > 1);
            }
        }
    }
    Ok(Parallel { main: Some(main), main_procedure: Some(id), alive, together })
}

/// The units of work that go into looking at so many flags.
fn pieces(flags: usize) -> usize {
    1 + flags / 64
}

/// The edges of the initial thread that bring threads to life.
fn units(
    program: &Program,
    templates: &Templates,
    procedure: &Procedure,
    limits: &Limits,
) -> Result<Vec<(EdgeId, Unit)>, Unprepared> {
    let graph = CallGraph::of(program);
    let taken = address_taken(program);
    let cycles = Cycles::of(procedure);
    let started_by = |roots: Vec<ProcId>| -> Set {
        let reached = graph.reachable(roots);
        let mut set = vec![false; templates.list.len()];
        for caller in reached.iter() {
            for &spawned in graph.spawns(caller) {
                if let Some(position) = templates.position(spawned) {
                    set[position] = true;
                }
            }
        }
        set
    };
    let mut units = Vec::new();
    for (at, edge) in procedure.edges() {
        let repeated = cycles.contains(procedure, at);
        let unit = match &edge.action {
            Action::Spawn { entry: Callee::Direct(target), .. } => Unit {
                thread: templates.position(*target),
                others: started_by(vec![*target]),
                repeated,
            },
            Action::Spawn { entry: Callee::Indirect(_), .. } => {
                let mut others = started_by(taken.iter().collect());
                for position in taken.iter().filter_map(|p| templates.position(p)) {
                    others[position] = true;
                }
                Unit { thread: None, others, repeated }
            }
            Action::Call { callee, .. } => {
                let roots = match callee {
                    Callee::Direct(target) => vec![*target],
                    Callee::Indirect(_) => taken.iter().collect(),
                };
                Unit { thread: None, others: started_by(roots), repeated }
            }
            _ => continue,
        };
        limits.spend(program.procedures.len() + templates.list.len())?;
        units.push((at, unit));
    }
    Ok(units)
}

/// For each location, which units may be alive: the thread itself at 2i, what it started at 2i+1.
fn outstanding(
    program: &Program,
    id: ProcId,
    units: &[(EdgeId, Unit)],
    limits: &Limits,
) -> Result<SecondaryMap<LocationId, Set>, Unprepared> {
    let procedure = &program.procedures[id];
    let by_edge: FxHashMap<EdgeId, usize> =
        units.iter().enumerate().map(|(index, (at, _))| (*at, index)).collect();
    let joins = Joins::of(program, id, limits)?;
    let empty = vec![false; units.len() * 2];
    let mut states: SecondaryMap<LocationId, Set> = SecondaryMap::new();
    states[procedure.entry] = empty;
    let mut work = vec![procedure.entry];
    while let Some(from) = work.pop() {
        for (index, edge) in procedure.locations[from].edges.iter().enumerate() {
            limits.spend(pieces(units.len()))?;
            let at = EdgeId { from, index: index as u32 };
            let mut after = states[from].clone();
            if let Some(&unit) = by_edge.get(&at) {
                after[unit * 2] |= units[unit].1.thread.is_some();
                after[unit * 2 + 1] = true;
            }
            if let Action::Join { thread: Expr::Local(local), .. } = &edge.action
                && let Some(spawn) = joins.spawn_of(*local)
                && let Some(&unit) = by_edge.get(&spawn)
                && !units[unit].1.repeated
            {
                after[unit * 2] = false;
            }
            if join(&mut states[edge.target], &after) {
                work.push(edge.target);
            }
        }
    }
    Ok(states)
}

/// Whether anything was new; an empty set stands for "not reached".
fn join(known: &mut Set, more: &Set) -> bool {
    if known.is_empty() && !more.is_empty() {
        *known = more.clone();
        return true;
    }
    let mut new = false;
    for (old, more) in known.iter_mut().zip(more) {
        new |= *more && !*old;
        *old |= more;
    }
    new
}

/// Which spawn a thread identifier comes from.
struct Joins {
    by_local: FxHashMap<LocalId, Option<EdgeId>>,
}

impl Joins {
    /// A local or a region is of spawn s if each assignment of it is s, or copies from such a one,
    /// or is an input or none (joining which is a fault). Found by iteration from below.
    fn of(program: &Program, id: ProcId, limits: &Limits) -> Result<Joins, Unprepared> {
        let mut sources: FxHashMap<Holder, Source> = FxHashMap::default();
        for (owner, procedure) in &program.procedures {
            for &param in &procedure.params {
                sources.insert(Holder::Local(owner, param), Source::Any);
            }
        }
        loop {
            let mut changed = false;
            for (owner, procedure) in &program.procedures {
                limits.spend_on(procedure)?;
                for (at, edge) in procedure.edges() {
                    changed |= flow(&mut sources, program, owner, id, at, &edge.action);
                }
            }
            if !changed {
                break;
            }
        }
        let by_local = sources
            .iter()
            .filter_map(|(holder, source)| match (holder, source) {
                (Holder::Local(owner, local), Source::Spawn(at)) if *owner == id => {
                    Some((*local, Some(*at)))
                }
                _ => None,
            })
            .collect();
        Ok(Joins { by_local })
    }

    fn spawn_of(&self, local: LocalId) -> Option<EdgeId> {
        self.by_local.get(&local).copied().flatten()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Local(ProcId, LocalId),
    Region(RegionId),
}

/// What a holder may hold: nothing yet, threads of one spawn of the initial thread, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Spawn(EdgeId),
    Any,
}

fn flow(
    sources: &mut FxHashMap<Holder, Source>,
    program: &Program,
    owner: ProcId,
    main: ProcId,
    at: EdgeId,
    action: &Action,
) -> bool {
    let is_thread = |local: LocalId| program.procedures[owner].locals[local].ty == Type::Thread;
    let region = |place: &selvedge_ir::Place| place.region.map(Holder::Region);
    match action {
        Action::Spawn { to, .. } => {
            let source = if owner == main { Source::Spawn(at) } else { Source::Any };
            add(sources, Holder::Local(owner, *to), source)
        }
        Action::Store { to, value, .. } => match region(to) {
            Some(holder) => add_expr(sources, holder, owner, value, to.ty),
            None => false,
        },
        Action::Load { to, from, .. } if is_thread(*to) => {
            let known_type =
                from.region.is_some_and(|r| program.regions[r].ty == Some(Type::Thread));
            let source = match region(from) {
                Some(holder) if known_type => sources.get(&holder).copied(),
                _ => Some(Source::Any),
            };
            source.is_some_and(|source| add(sources, Holder::Local(owner, *to), source))
        }
        Action::Assign { to, value } if is_thread(*to) => {
            add_expr(sources, Holder::Local(owner, *to), owner, value, Type::Thread)
        }
        // A lock's holder is some thread.
        Action::Lock { lock } | Action::Unlock { lock } => match region(lock) {
            Some(holder) => add(sources, holder, Source::Any),
            None => false,
        },
        Action::Join { to: Some(to), .. } | Action::Call { to: Some(to), .. } => {
            add(sources, Holder::Local(owner, *to), Source::Any)
        }
        _ => false,
    }
}

fn add_expr(
    sources: &mut FxHashMap<Holder, Source>,
    holder: Holder,
    owner: ProcId,
    value: &Expr,
    ty: Type,
) -> bool {
    match value {
        _ if ty != Type::Thread => add(sources, holder, Source::Any),
        Expr::Const(_) => false,
        Expr::Local(from) => match sources.get(&Holder::Local(owner, *from)).copied() {
            Some(source) => add(sources, holder, source),
            None => false,
        },
        _ => add(sources, holder, Source::Any),
    }
}

fn add(sources: &mut FxHashMap<Holder, Source>, holder: Holder, source: Source) -> bool {
    match sources.get(&holder) {
        None => {
            sources.insert(holder, source);
            true
        }
        Some(known) if *known == source || *known == Source::Any => false,
        Some(_) => {
            sources.insert(holder, Source::Any);
            true
        }
    }
}

/// A listing: what may be alive at the locations of the initial thread, and together elsewhere.
pub fn listing(program: &Program, templates: &Templates, parallel: &Parallel) -> String {
    let name =
        |position: usize| program.procedures[templates.list[position].procedure].name.as_str();
    let names = |set: &Set| {
        let names: Vec<&str> =
            set.iter().enumerate().filter(|(_, alive)| **alive).map(|(t, _)| name(t)).collect();
        if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
    };
    let mut out = String::new();
    if let Some(id) = parallel.main_procedure {
        let _ = writeln!(out, "procedure {}", program.procedures[id].name);
        let mut last = None;
        for location in program.procedures[id].locations.keys() {
            let alive = &parallel.alive[location];
            if last.replace(alive) != Some(alive) {
                let _ = writeln!(out, "  {location}: beside {}", names(alive));
            }
        }
    }
    for (position, set) in parallel.together.iter().enumerate() {
        let _ = writeln!(out, "thread {}: beside {}", name(position), names(set));
    }
    out
}
