//! The program as the checks see it: calls of procedures without a contract are inlined, and what is
//! known of memory from the whole program.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::{Binding, Clause, Contract, Formula, GhostAction};
use selvedge_ir::{
    Action, Callee, Const, EdgeId, Expr, GhostId, LayoutId, ObjectId, Place, ProcId, Program,
    Sharing, Storage, Type,
};
use selvedge_passes::bits::BitSet;
use selvedge_passes::callgraph::CallGraph;
use selvedge_passes::pointsto::{NodeId, Origin, PointsTo};
use selvedge_passes::simplify::thread_entries;
use selvedge_verdict::{Run, Stop};

use crate::apart::apart;
use crate::components::Components;
use crate::implicit;
use crate::regions::{Region, elements};

/// Where objects are made: each site a number from 1 on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub number: u32,
    pub layout: LayoutId,
    /// In bytes, where it is a constant.
    pub size: Option<u64>,
    pub zeroed: bool,
    pub storage: Storage,
}

/// What is known of the whole program.
pub(crate) struct Subject {
    pub program: Program,
    pub points_to: PointsTo,
    pub sites: FxHashMap<(ProcId, EdgeId), Site>,
    /// The nodes of points-to of which some object is freed.
    pub freed: FxHashSet<NodeId>,
    /// What threads may run, by calls and spawns.
    pub reached: BitSet<ProcId>,
    /// What a thread may start in.
    pub entries: BitSet<ProcId>,
    /// What is called by somebody.
    pub called: BitSet<ProcId>,
    /// What is started by somebody, as far as the program itself says.
    pub spawned: BitSet<ProcId>,
    pub components: Components,
    /// Variables that every thread has.
    pub per_thread: Vec<ObjectId>,
    /// By procedure, the place of its contract.
    contracts: FxHashMap<ProcId, usize>,
    /// Of each layout the named objects that are such elements, and the sites that make them.
    elements: FxHashMap<LayoutId, (Vec<ObjectId>, Vec<Site>)>,
    /// The first site that is not on the heap.
    first_elsewhere: u32,
    /// The scalar types of memory, in the program and in its specification.
    pub types: Vec<Type>,
    /// Invariants that the author has not written.
    pub found: Vec<Clause>,
    /// Sets of threads that no thread adds others to than itself.
    pub own_sets: Vec<GhostId>,
    /// Globals that no pointer leads to.
    pub apart: FxHashSet<ObjectId>,
    /// Whether nobody outside of the program calls into it.
    is_closed: bool,
}

pub(crate) fn prepare(program: &Program, run: &Run<'_>) -> Result<Subject, Stop> {
    if let Some(&span) = program.weak_accesses().first() {
        let what = "orders weaker than sequential consistency in a program with contracts".into();
        return Err(Stop::Unsupported { what, span });
    }
    let mut program = inlined(program, run)?;
    let points_to = run.analyse(|limits| PointsTo::of(&program, limits))?;
    program.spec.environment.extend(implicit::locks(&program, &points_to));
    let graph = CallGraph::of(&program);
    let reached = graph.reachable(program.threads.iter().map(|thread| thread.procedure));
    let found = implicit::constants(&program, &points_to, &reached);
    program.spec.invariants.extend(found.iter().cloned());
    let called = called(&program);
    remaining_calls(&program, &reached)?;
    one_type_everywhere(&program, &points_to)?;
    let sites = sites(&program);
    let on_heap = sites.values().filter(|site| site.storage == Storage::Heap).count();
    let per_thread = program.objects.iter().filter(|(_, o)| o.sharing == Sharing::PerThread);
    let contracts_of = program.spec.contracts.iter();
    let is_closed = contracts_of.map(|contract| contract.procedure).all(|id| reached.contains(id));
    Ok(Subject {
        found,
        apart: apart(&program),
        is_closed,
        components: Components::of(&program),
        per_thread: per_thread.map(|(id, _)| id).collect(),
        contracts: contracts(&program),
        elements: elements_by_layout(&program, &sites),
        first_elsewhere: on_heap as u32 + 1,
        spawned: spawned(&program),
        sites,
        freed: freed(&program, &points_to),
        entries: thread_entries(&program),
        types: scalar_types(&program),
        own_sets: own_sets(&program),
        points_to,
        reached,
        called,
        program,
    })
}

/// The program with calls inlined, all but those of procedures with a contract: the same one that a
/// certificate is checked on.
pub fn inlined(program: &Program, run: &Run<'_>) -> Result<Program, Stop> {
    run.analyse(|limits| selvedge_certify_contracts::inlined(program, limits))
}

fn contracts(program: &Program) -> FxHashMap<ProcId, usize> {
    let mut found = FxHashMap::default();
    for (index, contract) in program.spec.contracts.iter().enumerate() {
        found.entry(contract.procedure).or_insert(index);
    }
    found
}

fn elements_by_layout(
    program: &Program,
    sites: &FxHashMap<(ProcId, EdgeId), Site>,
) -> FxHashMap<LayoutId, (Vec<ObjectId>, Vec<Site>)> {
    let mut found: FxHashMap<LayoutId, (Vec<ObjectId>, Vec<Site>)> = FxHashMap::default();
    let shared = program.objects.iter().filter(|(_, o)| o.sharing == Sharing::Shared);
    for (id, object) in shared {
        for layout in elements(program, object.layout) {
            found.entry(layout).or_default().0.push(id);
        }
    }
    let mut sites: Vec<&Site> = sites.values().collect();
    sites.sort_by_key(|site| site.number);
    for site in sites {
        for layout in elements(program, site.layout) {
            found.entry(layout).or_default().1.push(*site);
        }
    }
    found
}

/// What a thread is started in, by anybody.
fn spawned(program: &Program) -> BitSet<ProcId> {
    let edges = || program.procedures.values().flat_map(|procedure| procedure.edges());
    let anything = edges()
        .any(|(_, edge)| matches!(edge.action, Action::Spawn { entry: Callee::Indirect(_), .. }));
    if anything {
        return program.procedures.keys().collect();
    }
    edges()
        .filter_map(|(_, edge)| match edge.action {
            Action::Spawn { entry: Callee::Direct(entry), .. } => Some(entry),
            _ => None,
        })
        .collect()
}

fn called(program: &Program) -> BitSet<ProcId> {
    let edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    edges
        .filter_map(|(_, edge)| match edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } => Some(callee),
            _ => None,
        })
        .collect()
}

/// Only calls of procedures with a contract may be left.
fn remaining_calls(program: &Program, reached: &BitSet<ProcId>) -> Result<(), Stop> {
    let contracts: BitSet<ProcId> = program.spec.contracts.iter().map(|c| c.procedure).collect();
    let checked = |id: ProcId| reached.contains(id) || contracts.contains(id);
    for (_, procedure) in program.procedures.iter().filter(|(id, _)| checked(*id)) {
        for (_, edge) in procedure.edges() {
            let what = match &edge.action {
                Action::Call { callee: Callee::Direct(callee), .. } => {
                    if contracts.contains(*callee) {
                        continue;
                    }
                    let name = &program.procedures[*callee].name;
                    format!("{name} is recursive, or large, and has no contract")
                }
                Action::Call { callee: Callee::Indirect(_), .. }
                | Action::Spawn { entry: Callee::Indirect(_), .. } => {
                    "a call through a pointer that may be any procedure".to_owned()
                }
                _ => continue,
            };
            return Err(Stop::Unsupported { what, span: edge.span });
        }
    }
    Ok(())
}

/// Memory is a map for each scalar type, which is right only where each place in memory is accessed
/// at one type.
fn one_type_everywhere(program: &Program, points_to: &PointsTo) -> Result<(), Stop> {
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            let (Some(place), Some(cell)) = (edge.action.place(), points_to.access(id, at)) else {
                continue;
            };
            let size = place.ty.size(program.model) as i64;
            let one = points_to.cell_type(cell) == Some(place.ty);
            if !one || points_to.extents(cell).iter().any(|extent| extent.length != size) {
                let what = "memory that is accessed at several types".to_owned();
                return Err(Stop::Unsupported { what, span: edge.span });
            }
        }
    }
    types_of_reads(program)
}

/// What annotations say of a variable is at the type that the variable has.
fn types_of_reads(program: &Program) -> Result<(), Stop> {
    for formula in all_formulas(program) {
        for (_, place, _) in formula.reads() {
            let Some((object, offset)) = place.direct() else { continue };
            let layout = program.objects[object].layout;
            let found = u64::try_from(offset).ok().and_then(|at| program.scalar_at(layout, at));
            if found.is_some_and(|(ty, _)| ty != place.ty) {
                let name = &program.objects[object].name;
                let message = format!("an annotation reads {name} at another type than it has");
                return Err(Stop::Annotation { message, span: program.objects[object].span });
            }
        }
    }
    Ok(())
}

/// Sites of one kind of memory, and among these such that make the same objects, have numbers that
/// follow each other, so that formulas can speak of ranges.
fn sites(program: &Program) -> FxHashMap<(ProcId, EdgeId), Site> {
    let mut found: Vec<((ProcId, EdgeId), Site)> = Vec::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            if let Action::Alloc { layout, size, zeroed, storage, .. } = &edge.action {
                let size = match selvedge_passes::fold::fold(size.clone()) {
                    Expr::Const(Const::Int(bytes, _)) => Some(bytes),
                    _ => None,
                };
                let (layout, zeroed, storage) = (*layout, *zeroed, *storage);
                found.push(((id, at), Site { number: 0, layout, size, zeroed, storage }));
            }
        }
    }
    found.sort_by_key(|(_, site)| (site.storage != Storage::Heap, site.layout, site.size));
    let numbered = found.into_iter().zip(1..);
    numbered.map(|((at, site), number)| (at, Site { number, ..site })).collect()
}

fn freed(program: &Program, points_to: &PointsTo) -> FxHashSet<NodeId> {
    let edges = program
        .procedures
        .iter()
        .flat_map(|(id, procedure)| procedure.edges().map(move |(at, edge)| (id, at, edge)));
    edges
        .filter(|(_, _, edge)| matches!(edge.action, Action::Free { .. }))
        .filter_map(|(id, at, _)| points_to.freed(id, at))
        .collect()
}

/// The formulas of the specification, and those in bodies.
fn all_formulas(program: &Program) -> impl Iterator<Item = &Formula> {
    let edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    let inside = edges.flat_map(|(_, edge)| match &edge.action {
        Action::Ghost(ghost) => ghost.formulas(),
        _ => Vec::new(),
    });
    program.spec.formulas().chain(inside)
}

/// Sets that begin empty and that every update adds at most the executing thread to.
fn own_sets(program: &Program) -> Vec<GhostId> {
    let edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    let updates: Vec<(GhostId, &Formula)> = edges
        .filter_map(|(_, edge)| match &edge.action {
            Action::Ghost(ghost) => match &**ghost {
                GhostAction::Update { ghost, value, .. } => Some((*ghost, value)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let sets = program.spec.ghosts.iter().filter(|(_, ghost)| {
        ghost.map && ghost.ty == Type::Bool && ghost.init == Const::Bool(false)
    });
    let own = sets.filter(|(id, _)| {
        let mut about = updates.iter().filter(|(ghost, _)| ghost == id);
        about.all(|(_, value)| adds_only_itself(*id, value))
    });
    own.map(|(id, _)| id).collect()
}

fn adds_only_itself(set: GhostId, value: &Formula) -> bool {
    value.variables.values().all(|variable| match &variable.binding {
        Binding::Ghost { ghost, .. } => *ghost == set,
        Binding::Everywhere(value) => *value == Const::Bool(false),
        Binding::Update { thread, value, .. } => *thread == Expr::Tid || *value == Expr::FALSE,
        Binding::Value(_) | Binding::Read { .. } => true,
        _ => false,
    })
}

fn scalar_types(program: &Program) -> Vec<Type> {
    let mut types: Vec<Type> = vec![Type::Thread];
    for (_, edge) in program.procedures.values().flat_map(|procedure| procedure.edges()) {
        types.extend(edge.action.place().map(|place| place.ty));
    }
    for formula in all_formulas(program) {
        types.extend(formula.reads().map(|(_, place, _)| place.ty));
    }
    let contracts = &program.spec.contracts;
    let actions = contracts.iter().flat_map(|contract| &contract.actions);
    let targets = actions.flat_map(|action| &action.modifies);
    let targets = targets.chain(contracts.iter().flat_map(|c| &c.modifies));
    types.extend(targets.filter(|t| t.ghost.is_none()).map(|t| t.ty));
    types.sort_unstable();
    types.dedup();
    types
}

impl Subject {
    pub fn contract_of(&self, procedure: ProcId) -> Option<&Contract> {
        self.contracts.get(&procedure).map(|&index| &self.program.spec.contracts[index])
    }

    /// The named objects that are one or several elements of a layout, and the sites that make such.
    pub fn elements_of(&self, layout: LayoutId) -> (&[ObjectId], &[Site]) {
        let found = self.elements.get(&layout);
        found.map_or((&[], &[]), |(objects, sites)| (objects, sites))
    }

    /// The numbers of the sites that make objects in such memory: from the first to before the second.
    pub fn sites_on(&self, storage: Storage) -> (u32, u32) {
        match storage {
            Storage::Heap => (1, self.first_elsewhere),
            _ => (self.first_elsewhere, self.sites.len() as u32 + 1),
        }
    }

    /// Locks in memory that starts undefined, of which it is not known that they were initialised.
    pub fn has_locks_in_undefined_memory(&self) -> bool {
        self.reads_undefined(|action| matches!(action, Action::Lock { .. } | Action::Unlock { .. }))
    }

    /// Likewise for loads of pointers.
    pub fn reads_undefined_pointers(&self) -> bool {
        let is_pointer = |place: &Place| place.ty == Type::Ptr;
        self.reads_undefined(
            |action| matches!(action, Action::Load { from, .. } if is_pointer(from)),
        )
    }

    /// Whether some of these actions may find memory that nobody has written.
    fn reads_undefined(&self, chosen: impl Fn(&Action) -> bool) -> bool {
        let undefined = |origin: &Origin| match origin {
            Origin::Object(_) => false,
            Origin::Alloc(procedure, at) => !self.sites[&(*procedure, *at)].zeroed,
        };
        self.program.procedures.iter().any(|(id, procedure)| {
            let edges = procedure.edges().filter(|(_, edge)| chosen(&edge.action));
            edges.into_iter().any(|(at, _)| self.origins(id, at).iter().any(undefined))
        })
    }

    /// Where the pointer of an access leads, as far as the whole program says; none if that is not
    /// known, or if callers outside of the program may pass others. Nothing for other actions.
    pub fn led_to(&self, procedure: ProcId, at: EdgeId) -> Option<Vec<Origin>> {
        let action = &self.program.procedures[procedure].edge(at).action;
        let Some(place) = action.place() else { return Some(Vec::new()) };
        if let Some((object, _)) = place.direct() {
            return Some(vec![Origin::Object(object)]);
        }
        let sure = self.is_closed
            && self.reached.contains(procedure)
            && !self.points_to.may_be_procedure(procedure, at);
        sure.then(|| self.origins(procedure, at)).filter(|origins| !origins.is_empty())
    }

    /// What a procedure may write, by itself and by calls: at which type, in objects from where. None
    /// if that is not known.
    pub fn written_by(&self, procedure: ProcId) -> Option<FxHashSet<(Type, Origin)>> {
        let mut found = FxHashSet::default();
        let mut seen: BitSet<ProcId> = [procedure].into_iter().collect();
        let mut work = vec![procedure];
        while let Some(id) = work.pop() {
            for (at, edge) in self.program.procedures[id].edges() {
                match &edge.action {
                    Action::Store { to: place, .. }
                    | Action::Lock { lock: place }
                    | Action::Unlock { lock: place } => {
                        let origins = self.led_to(id, at)?;
                        found.extend(origins.into_iter().map(|origin| (place.ty, origin)));
                    }
                    Action::Call { callee: Callee::Indirect(_), .. } | Action::Free { .. } => {
                        return None;
                    }
                    Action::Call { callee: Callee::Direct(callee), .. }
                        if !seen.contains(*callee) =>
                    {
                        seen.insert(*callee);
                        work.push(*callee);
                    }
                    _ => {}
                }
            }
        }
        Some(found)
    }

    /// The regions of objects that are named or made somewhere.
    pub fn regions_of(&self, origin: &Origin) -> Vec<Region> {
        let regions = &self.components.regions;
        match origin {
            Origin::Object(object) => regions.of_object(&self.program, *object),
            Origin::Alloc(procedure, at) => {
                regions.of_layout(&self.program, self.sites[&(*procedure, *at)].layout)
            }
        }
    }

    fn origins(&self, procedure: ProcId, at: EdgeId) -> Vec<Origin> {
        let cell = self.points_to.access(procedure, at);
        let extents = cell.map(|cell| self.points_to.extents(cell)).unwrap_or_default();
        extents.into_iter().map(|extent| extent.origin).collect()
    }
}
