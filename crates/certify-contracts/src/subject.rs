//! The program as it is checked: calls of procedures without a contract inlined, and what the whole
//! program says about memory.
//!
//! The passes are those that engines use, too, and are trusted: devirtualisation, inlining, locals in
//! the place of private variables, and where pointers lead.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::{Binding, Contract, Formula, GhostAction};
use selvedge_ir::{
    Action, Callee, Const, EdgeId, Expr, LayoutId, Place, ProcId, Program, Property, Shape,
    Sharing, Span, Storage, Type,
};
use selvedge_passes::bits::BitSet;
use selvedge_passes::callgraph::{CallGraph, pointer};
use selvedge_passes::devirtualize::devirtualize;
use selvedge_passes::inline::inline_around;
use selvedge_passes::pointsto::{NodeId, Origin, PointsTo};
use selvedge_passes::promote::promote;
use selvedge_passes::simplify::{simplify, thread_entries};
use selvedge_passes::{Limits, Unprepared};
use selvedge_smt::Reason;

use crate::groups::Groups;
use crate::locks;
use crate::memory::Kept;
use crate::outsiders;
use crate::probes::Probed;
use crate::verdict::{Rejected, place};

/// Edges that one procedure may have after inlining.
const MOST_EDGES: usize = 100_000;

const ALL_THREADS: &str = "a set of all threads";

/// Where objects are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// From 1 on.
    pub number: u32,
    pub layout: LayoutId,
    /// In bytes, where it is a constant.
    pub size: Option<u64>,
    pub zeroed: bool,
    pub storage: Storage,
}

impl Site {
    /// What counts of the objects that it makes.
    fn kind(&self) -> (bool, LayoutId, Option<u64>) {
        (self.storage != Storage::Heap, self.layout, self.size)
    }
}

pub(crate) struct Subject {
    pub program: Program,
    pub points_to: PointsTo,
    pub sites: BTreeMap<(ProcId, EdgeId), Site>,
    /// One site of each kind, with the numbers of the first and the last one.
    pub kinds: Vec<(Site, u32, u32)>,
    freed: FxHashSet<NodeId>,
    /// What threads of the program may run.
    pub reached: BitSet<ProcId>,
    /// What threads start in.
    pub entries: BitSet<ProcId>,
    pub called: BitSet<ProcId>,
    /// Whether every procedure that is checked is run by threads of the program only. If not, what the
    /// whole program says of pointers does not count.
    pub closed: bool,
    /// The scalar types of memory, and with them the variables of the specification.
    pub types: Vec<Type>,
    pub kept: Vec<Kept>,
    /// What a thread that is new knows of sets: it is in none of these.
    pub outsides: Vec<Formula>,
    pub groups: Groups,
    /// Whether some assumption is about which objects live.
    pub speaks_of_life: bool,
    /// What is started by somebody; everything if a thread may start in what a pointer says.
    pub spawned: BitSet<ProcId>,
    /// By procedure, the number of its contract.
    contracts: FxHashMap<ProcId, usize>,
}

/// The program with calls inlined, all but those of procedures with a contract. What a procedure is
/// given to call or start is known only where that procedure is inlined, so this is done twice.
pub fn inlined(program: &Program, limits: &Limits) -> Result<Program, Unprepared> {
    let mut program = program.clone();
    let stay: BitSet<ProcId> = program.spec.contracts.iter().map(|c| c.procedure).collect();
    devirtualize(&mut program, false, limits)?;
    inline_around(&mut program, &stay, MOST_EDGES, limits)?;
    if starts_through_pointers(&program) {
        let every: Vec<Property> = Property::ALL.into_iter().chain([Property::Invariant]).collect();
        simplify(&mut program, &every, limits)?;
        devirtualize(&mut program, false, limits)?;
        inline_around(&mut program, &stay, MOST_EDGES, limits)?;
    }
    promote(&mut program, limits)?;
    Ok(program)
}

/// Whether threads that run may call or start something through a pointer.
fn starts_through_pointers(program: &Program) -> bool {
    let graph = CallGraph::of(program);
    let reached = graph.reachable(program.threads.iter().map(|thread| thread.procedure));
    let mut edges = reached.iter().flat_map(|id| program.procedures[id].edges());
    edges.any(|(_, edge)| pointer(&edge.action).is_some())
}

impl Subject {
    pub fn of(program: &Program, limits: &Limits) -> Result<Subject, Rejected> {
        refuse_orders(program)?;
        let mut program = inlined(program, limits).map_err(unprepared)?;
        let probed = Probed::of(&program);
        let points_to = PointsTo::of(&probed.program, limits).map_err(unprepared)?;
        program.spec.environment.extend(locks::assumptions(&program, &points_to));
        let graph = CallGraph::of(&program);
        let reached = graph.reachable(program.threads.iter().map(|thread| thread.procedure));
        let closed = program.spec.contracts.iter().all(|c| reached.contains(c.procedure));
        let sites = sites(&program);
        let types = scalar_types(&program);
        let ghosts = program.spec.ghosts.keys().map(Kept::Ghost);
        let subject = Subject {
            kinds: kinds(&sites),
            sites,
            freed: freed(&program, &points_to),
            entries: thread_entries(&program),
            called: called(&program),
            kept: types.iter().map(|&ty| Kept::Scalar(ty)).chain(ghosts).collect(),
            types,
            outsides: if closed { outsiders::outsides(&program) } else { Vec::new() },
            groups: Groups::of(&program),
            speaks_of_life: program.spec.environment.iter().any(|c| speaks_of_life(&c.formula)),
            spawned: spawned(&program),
            contracts: contracts(&program),
            points_to,
            reached,
            closed,
            program,
        };
        subject.refuse_formulas()?;
        subject.refuse_edges()?;
        subject.refuse_reads(&probed)?;
        Ok(subject)
    }

    pub fn contract_of(&self, procedure: ProcId) -> Option<&Contract> {
        self.contracts.get(&procedure).map(|&number| &self.program.spec.contracts[number])
    }

    /// Those with a contract, and those that threads start in.
    pub fn checked(&self) -> Vec<ProcId> {
        let started = |id: ProcId| self.entries.contains(id) && self.reached.contains(id);
        let has_contract = |id: ProcId| self.contract_of(id).is_some();
        self.program.procedures.keys().filter(|&id| started(id) || has_contract(id)).collect()
    }

    /// Whether what the whole program says about pointers holds in a procedure.
    pub fn is_known(&self, procedure: ProcId) -> bool {
        self.closed && self.reached.contains(procedure)
    }

    /// Whether what an access leads to may have been freed.
    pub fn may_be_freed(&self, procedure: ProcId, edge: EdgeId) -> bool {
        match self.points_to.access(procedure, edge) {
            Some(cell) if self.is_known(procedure) => self.freed.contains(&cell.node),
            _ => true,
        }
    }

    /// Whether an object of this layout is one or several elements of another.
    pub fn is_made_of(&self, layout: LayoutId, element: LayoutId) -> bool {
        layout == element
            || match self.program.layouts[layout].shape {
                Shape::Array { element: inner, .. } => self.is_made_of(inner, element),
                _ => false,
            }
    }

    pub fn refusal(&self, what: impl Into<String>, span: Span) -> Rejected {
        Rejected::NotUnderstood { what: what.into(), place: place(&self.program, span) }
    }

    /// What is believed beside the program.
    pub fn assumptions(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.reads_undefined(|a| matches!(a, Action::Lock { .. } | Action::Unlock { .. })) {
            found.push("locks in allocated memory are initialised before they are used".to_owned());
        }
        let pointers = |action: &Action| match action {
            Action::Load { from, .. } => from.ty == Type::Ptr,
            _ => false,
        };
        if self.reads_undefined(pointers) {
            found.push("pointers in allocated memory are written before they are read".to_owned());
        }
        if clauses(&self.program).iter().any(|(formula, _)| counts(formula)) {
            let bits = self.program.model.diff_type().width - 1;
            found.push(format!("no set of threads has 2^{bits} threads or more"));
        }
        if !self.closed {
            let what = "callers outside of the program pass null or pointers into objects, and access \
                        memory at the types that are declared";
            found.push(what.to_owned());
        }
        found
    }

    /// Whether some of these actions may find memory that nobody has written.
    fn reads_undefined(&self, chosen: impl Fn(&Action) -> bool) -> bool {
        let undefined = |origin: &Origin| match origin {
            Origin::Object(_) => false,
            Origin::Alloc(procedure, at) => !self.sites[&(*procedure, *at)].zeroed,
        };
        self.edges().filter(|(_, _, action)| chosen(action)).any(|(id, at, _)| {
            let cell = self.points_to.access(id, at);
            let extents = cell.map(|cell| self.points_to.extents(cell)).unwrap_or_default();
            extents.iter().any(|extent| undefined(&extent.origin))
        })
    }

    fn edges(&self) -> impl Iterator<Item = (ProcId, EdgeId, &Action)> {
        edges(&self.program)
    }

    /// What formulas may not be about.
    fn refuse_formulas(&self) -> Result<(), Rejected> {
        for (formula, span) in clauses(&self.program) {
            if let Some(what) = not_understood(&self.program, formula) {
                return Err(self.refusal(what, span));
            }
        }
        for (ghost, span) in annotations(&self.program) {
            if let Some(what) = annotation_not_understood(ghost) {
                return Err(self.refusal(what, span));
            }
        }
        for ghost in self.program.spec.ghosts.values() {
            if ghost.map && ghost.init == Const::Bool(true) {
                return Err(self.refusal(ALL_THREADS, ghost.span));
            }
        }
        let contracts = &self.program.spec.contracts;
        let steps = contracts.iter().flat_map(|contract| &contract.actions);
        let targets = steps.flat_map(|action| &action.modifies);
        for target in targets.chain(contracts.iter().flat_map(|contract| &contract.modifies)) {
            if target.address.has_two_states() {
                let what = "a place to modify that depends on the state after the step";
                return Err(self.refusal(what, target.span));
            }
        }
        Ok(())
    }

    /// Calls that are left, memory at several types, variables that every thread has.
    fn refuse_edges(&self) -> Result<(), Rejected> {
        for (id, at, action) in self.edges() {
            let has_contract = self.contract_of(id).is_some();
            if !self.reached.contains(id) && !has_contract {
                continue;
            }
            let span = self.program.procedures[id].edge(at).span;
            if let Some(what) = self.left_call(action) {
                return Err(self.refusal(what, span));
            }
            if mentions_own(&self.program, action) {
                return Err(self.refusal("a variable that every thread has", span));
            }
        }
        // Every procedure counts here: memory is one for all of them.
        for (id, at, action) in self.edges() {
            if let Some(place) = action.place()
                && !self.has_one_type(id, at, place)
            {
                let span = self.program.procedures[id].edge(at).span;
                return Err(self.refusal("memory that is accessed at several types", span));
            }
        }
        Ok(())
    }

    /// Formulas that read memory at another type than the program, or who knows where.
    fn refuse_reads(&self, probed: &Probed) -> Result<(), Rejected> {
        if let Some(&span) = probed.lost.first() {
            let what = "an annotation in a body that reads memory through a quantified pointer";
            return Err(self.refusal(what, span));
        }
        match probed.loads.iter().find(|(id, at, place, _)| !self.has_one_type(*id, *at, place)) {
            Some((.., span)) => {
                Err(self.refusal("a formula about memory that is accessed at several types", *span))
            }
            None => Ok(()),
        }
    }

    fn left_call(&self, action: &Action) -> Option<String> {
        match action {
            Action::Call { callee: Callee::Direct(callee), .. } => {
                let name = &self.program.procedures[*callee].name;
                let open = self.contract_of(*callee).is_none();
                open.then(|| format!("{name} is recursive, or large, and has no contract"))
            }
            Action::Call { .. } | Action::Spawn { entry: Callee::Indirect(_), .. } => {
                Some("a call through a pointer that may be any procedure".to_owned())
            }
            _ => None,
        }
    }

    /// Memory is a map for each type, which is right only where each place is accessed at one type.
    fn has_one_type(&self, id: ProcId, at: EdgeId, place: &Place) -> bool {
        let Some(cell) = self.points_to.access(id, at) else { return true };
        let size = place.ty.size(self.program.model) as i64;
        self.points_to.cell_type(cell) == Some(place.ty)
            && self.points_to.extents(cell).iter().all(|extent| extent.length == size)
    }
}

fn unprepared(why: Unprepared) -> Rejected {
    let reason = match why {
        Unprepared::OutOfBudget => Reason::Time,
        Unprepared::TooLarge { what } => Reason::Incomplete(what),
    };
    Rejected::Undecided { obligation: "the preparation of the program".to_owned(), reason }
}

fn refuse_orders(program: &Program) -> Result<(), Rejected> {
    match program.weak_accesses().first() {
        None => Ok(()),
        Some(&span) => Err(Rejected::NotUnderstood {
            what: "orders weaker than sequential consistency".to_owned(),
            place: place(program, span),
        }),
    }
}

fn edges(program: &Program) -> impl Iterator<Item = (ProcId, EdgeId, &Action)> {
    let procedures = program.procedures.iter();
    procedures.flat_map(|(id, body)| body.edges().map(move |(at, edge)| (id, at, &edge.action)))
}

fn called(program: &Program) -> BitSet<ProcId> {
    let callee = |action: &Action| match action {
        Action::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
        _ => None,
    };
    edges(program).filter_map(|(_, _, action)| callee(action)).collect()
}

fn spawned(program: &Program) -> BitSet<ProcId> {
    let mut found = BitSet::new();
    for (_, _, action) in edges(program) {
        match action {
            Action::Spawn { entry: Callee::Direct(entry), .. } => {
                found.insert(*entry);
            }
            Action::Spawn { .. } => return program.procedures.keys().collect(),
            _ => {}
        }
    }
    found
}

/// The first contract of each procedure.
fn contracts(program: &Program) -> FxHashMap<ProcId, usize> {
    let mut found = FxHashMap::default();
    for (number, contract) in program.spec.contracts.iter().enumerate() {
        found.entry(contract.procedure).or_insert(number);
    }
    found
}

/// Every formula with its place. Abstract threads are not what is proved here.
fn clauses(program: &Program) -> Vec<(&Formula, Span)> {
    let spec = &program.spec;
    let mut found: Vec<(&Formula, Span)> = Vec::new();
    let mut clauses = spec.environment.iter().chain(&spec.invariants).collect::<Vec<_>>();
    let mut targets = Vec::new();
    for contract in &spec.contracts {
        clauses.extend(contract.requires.iter().chain(&contract.ensures));
        targets.extend(&contract.modifies);
        for action in &contract.actions {
            clauses.extend(&action.ensures);
            targets.extend(&action.modifies);
        }
    }
    found.extend(clauses.into_iter().map(|clause| (&clause.formula, clause.span)));
    found.extend(targets.into_iter().map(|target| (&target.address, target.span)));
    let inside = annotations(program)
        .flat_map(|(ghost, span)| ghost.formulas().into_iter().map(move |formula| (formula, span)));
    found.extend(inside);
    found
}

fn counts(formula: &Formula) -> bool {
    formula.variables.values().any(|variable| matches!(variable.binding, Binding::Count(_)))
}

/// What annotations in bodies do.
fn annotations(program: &Program) -> impl Iterator<Item = (&GhostAction, Span)> {
    let edges = program.procedures.values().flat_map(|body| body.edges());
    edges.filter_map(|(_, edge)| match &edge.action {
        Action::Ghost(ghost) => Some((&**ghost, edge.span)),
        _ => None,
    })
}

fn annotation_not_understood(action: &GhostAction) -> Option<&'static str> {
    let formulas = action.formulas();
    if formulas.iter().any(|formula| formula.has_two_states()) {
        return Some("an annotation in a body about two states");
    }
    let update = matches!(action, GhostAction::Update { .. });
    let quantified = formulas.iter().any(|formula| formula.is_quantified());
    (update && quantified).then_some("an update of a specification variable with quantifiers")
}

fn not_understood(program: &Program, formula: &Formula) -> Option<&'static str> {
    for variable in formula.variables.values() {
        if !matches!(variable.ty, Type::Bool | Type::Int(_) | Type::Ptr | Type::Thread) {
            return Some("a formula about values of another kind");
        }
        match &variable.binding {
            Binding::Forall(None) | Binding::Exists(None) if variable.ty == Type::Ptr => {
                return Some("a formula about all pointers");
            }
            Binding::Parameter(_) | Binding::Result | Binding::Main | Binding::Runs(_) => {}
            Binding::Forall(_) | Binding::Exists(_) | Binding::Read { .. } => {}
            Binding::Size(_) | Binding::Alive { .. } | Binding::Value(_) => {}
            Binding::Everywhere(Const::Bool(true)) => return Some(ALL_THREADS),
            Binding::Ghost { .. } | Binding::Everywhere(_) | Binding::Update { .. } => {}
            Binding::Entry { .. } | Binding::Same(..) | Binding::Count(_) => {}
        }
    }
    let mut own = false;
    formula.for_each_expr(&mut |expr| own |= is_own(program, expr));
    own.then_some("a formula about a variable that every thread has")
}

fn is_own(program: &Program, expr: &Expr) -> bool {
    let mut own = false;
    expr.walk(&mut |part| {
        if let Expr::Const(Const::Object(object, _)) = part {
            own |= program.objects[*object].sharing == Sharing::PerThread;
        }
    });
    own
}

fn mentions_own(program: &Program, action: &Action) -> bool {
    let mut own = false;
    action.for_each_expr(&mut |expr| own |= is_own(program, expr));
    own
}

/// Sites that make the same objects have numbers that follow each other.
fn sites(program: &Program) -> BTreeMap<(ProcId, EdgeId), Site> {
    let mut sites = Vec::new();
    for (id, at, action) in edges(program) {
        if let Action::Alloc { layout, size, zeroed, storage, .. } = action {
            let size = match selvedge_passes::fold::fold(size.clone()) {
                Expr::Const(Const::Int(bytes, _)) => Some(bytes),
                _ => None,
            };
            let (layout, zeroed, storage) = (*layout, *zeroed, *storage);
            sites.push(((id, at), Site { number: 0, layout, size, zeroed, storage }));
        }
    }
    sites.sort_by_key(|(_, site)| site.kind());
    let numbered = sites.into_iter().zip(1..);
    numbered.map(|((at, site), number)| (at, Site { number, ..site })).collect()
}

/// The kinds of sites, each with the numbers of its first and last.
fn kinds(sites: &BTreeMap<(ProcId, EdgeId), Site>) -> Vec<(Site, u32, u32)> {
    let mut sorted: Vec<Site> = sites.values().copied().collect();
    sorted.sort_by_key(|site| site.number);
    let mut kinds: Vec<(Site, u32, u32)> = Vec::new();
    for site in sorted {
        match kinds.last_mut().filter(|(known, ..)| known.kind() == site.kind()) {
            Some((_, _, last)) => *last = site.number,
            None => kinds.push((site, site.number, site.number)),
        }
    }
    kinds
}

fn freed(program: &Program, points_to: &PointsTo) -> FxHashSet<NodeId> {
    let frees = edges(program).filter(|(_, _, action)| matches!(action, Action::Free { .. }));
    frees.filter_map(|(id, at, _)| points_to.freed(id, at)).collect()
}

fn scalar_types(program: &Program) -> Vec<Type> {
    let mut types = vec![Type::Thread];
    types.extend(edges(program).filter_map(|(_, _, action)| action.place()).map(|p| p.ty));
    let inside = annotations(program).flat_map(|(ghost, _)| ghost.formulas());
    for formula in program.spec.formulas().chain(inside) {
        types.extend(formula.reads().map(|(_, place, _)| place.ty));
    }
    for contract in &program.spec.contracts {
        let steps = contract.actions.iter().flat_map(|action| &action.modifies);
        let targets = steps.chain(&contract.modifies);
        types.extend(targets.filter(|t| t.ghost.is_none()).map(|target| target.ty));
    }
    types.sort_unstable();
    types.dedup();
    types
}

/// Whether a formula is about which objects live.
pub(crate) fn speaks_of_life(formula: &Formula) -> bool {
    formula.variables.values().any(|v| matches!(v.binding, Binding::Alive { .. }))
}
