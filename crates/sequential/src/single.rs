//! Programs that have one thread from the start, as sequential programs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_exec::Stop;
use selvedge_ir::{
    Action, BinaryOp, Const, Edge, EdgeId, Expr, Grain, LocalId, LocationId, Mode, Multiplicity,
    Place, ProcId, Procedure, Property, Region, RegionId, Span, Type,
};
use selvedge_passes::Prepared;

use super::program::{Origin, SequentialProgram};

impl SequentialProgram {
    /// The program of a single thread. What it checks is what it was prepared for: `assert`,
    /// `overflow` and `memory`.
    pub fn from_single(
        prepared: &Prepared,
        properties: &[Property],
    ) -> Result<SequentialProgram, Stop> {
        let procedure = single_thread(prepared)?;
        let memory = properties.contains(&Property::Memory);
        let mut translation = Translation::new(prepared, procedure, memory);
        translation.run();
        Ok(translation.finish())
    }
}

/// The procedure that the only thread runs.
fn single_thread(prepared: &Prepared) -> Result<ProcId, Stop> {
    match &prepared.program.threads[..] {
        [thread] if thread.count == Multiplicity::Exactly(1) => Ok(thread.procedure),
        _ => {
            let what = "more than one thread in a sequential program".into();
            Err(Stop::Unsupported { what, span: Span::NONE })
        }
    }
}

struct Translation<'a> {
    prepared: &'a Prepared,
    procedure: ProcId,
    memory: bool,
    body: Procedure,
    error: LocalId,
    /// Where the error is set.
    wrong: LocationId,
    /// Which objects are freed, one bool for each.
    freed: RegionId,
    regions: cranelift_entity::PrimaryMap<RegionId, Region>,
    holder: LocalId,
    gone: LocalId,
    faults: FxHashMap<EdgeId, LocationId>,
    origins: FxHashMap<EdgeId, Origin>,
    invariants: Vec<(LocationId, Expr, Span)>,
}

impl<'a> Translation<'a> {
    fn new(prepared: &'a Prepared, procedure: ProcId, memory: bool) -> Translation<'a> {
        let source = &prepared.program.procedures[procedure];
        let mut body = Procedure {
            params: Vec::new(),
            result: None,
            locations: Default::default(),
            ..source.clone()
        };
        for location in source.locations.values() {
            body.add_location(location.grain);
        }
        let mut unused = |name: &str, ty| {
            let taken = |name: &String| source.locals.values().any(|local| local.name == *name);
            let mut name = name.to_owned();
            while taken(&name) {
                name.push('\'');
            }
            body.add_local(name, ty, false)
        };
        let error = unused("error", Type::Bool);
        let holder = unused("holder", Type::Thread);
        let gone = unused("gone", Type::Bool);
        let wrong = body.add_location(Grain::Yield);
        let mut regions = prepared.program.regions.clone();
        let freed = regions.push(Region { name: "freed".into(), ty: Some(Type::Bool) });
        let faults = FxHashMap::default();
        let origins = FxHashMap::default();
        Translation {
            prepared,
            procedure,
            memory,
            body,
            error,
            wrong,
            freed,
            regions,
            holder,
            gone,
            faults,
            origins,
            invariants: Vec::new(),
        }
    }

    fn run(&mut self) {
        let source = &self.prepared.program.procedures[self.procedure];
        for (at, edge) in source.edges() {
            self.edge(at, edge);
        }
        let set = Action::Assign { to: self.error, value: Expr::TRUE };
        self.body.add_edge(self.wrong, set, self.body.exit, Span::NONE);
        // Before all else: no error yet, and parameters are zero.
        let zeros = source.params.iter().map(|&p| (p, Const::zero(source.locals[p].ty)));
        let first = std::iter::once((self.error, Const::Bool(false)));
        let mut next = self.body.entry;
        for (to, value) in first.chain(zeros) {
            let from = self.body.add_location(Grain::Yield);
            let action = Action::Assign { to, value: Expr::Const(value) };
            self.body.add_edge(from, action, next, Span::NONE);
            next = from;
        }
        self.body.entry = next;
    }

    fn finish(self) -> SequentialProgram {
        let mut program = self.prepared.program.clone();
        program.procedures[self.procedure] = self.body;
        program.regions = self.regions;
        let exact = &self.prepared.regions.exact;
        SequentialProgram {
            program,
            procedure: self.procedure,
            error: self.error,
            faults: self.faults,
            arbitrary: Default::default(),
            matches: Vec::new(),
            exact: exact.iter().map(|(&region, &place)| (region, place)).collect(),
            extents: self.prepared.regions.extents.clone().into_iter().collect(),
            contents: BTreeMap::new(),
            choices: FxHashMap::default(),
            per_object: [self.freed].into(),
            assumptions: Vec::new(),
            invariants: self.invariants,
            origins: self.origins,
        }
    }

    /// An edge of the thread, as one edge or a chain of them.
    fn edge(&mut self, at: EdgeId, edge: &Edge) {
        let mut here = at.from;
        if let Some(place) = edge.action.place() {
            let Some(region) = place.region else {
                let what = "an access that leads to no known memory".to_owned();
                return self.last(here, Action::Unsupported { what }, at, edge);
            };
            if !self.prepared.regions.lasting.contains(region) {
                here = self.not_freed(here, &place.addr, at, edge);
            }
        }
        match &edge.action {
            Action::Assert { cond, check } if check.property == Property::Invariant => {
                self.invariants.push((here, cond.clone(), edge.span));
                self.last(here, Action::Skip, at, edge);
            }
            Action::Assert { cond, .. } => {
                self.add(here, Action::Assume(cond.clone().not()), self.wrong, at, edge);
                self.last(here, Action::Assume(cond.clone()), at, edge);
            }
            Action::Wait(cond) => self.last(here, Action::Assume(cond.clone()), at, edge),
            Action::Lock { lock } => {
                let none = Expr::Const(Const::NoThread);
                let free = Expr::binary(BinaryOp::Eq, Expr::Local(self.holder), none);
                let (to, mode) = (self.holder, Mode::Atomic);
                let load = Action::Load { to, from: lock.clone(), mode };
                here = self.then(here, load, at, edge);
                here = self.then(here, Action::Assume(free), at, edge);
                self.last(
                    here,
                    Action::Store { to: lock.clone(), value: Expr::Tid, mode },
                    at,
                    edge,
                );
            }
            Action::Unlock { lock } => {
                let (to, value) = (lock.clone(), Expr::Const(Const::NoThread));
                self.last(here, Action::Store { to, value, mode: Mode::Atomic }, at, edge);
            }
            Action::Free { addr, .. } => self.free(here, addr, at, edge),
            Action::EndThread { .. } => self.last(here, Action::Halt, at, edge),
            other => self.last(here, other.clone(), at, edge),
        }
    }

    fn add(&mut self, from: LocationId, action: Action, to: LocationId, at: EdgeId, edge: &Edge) {
        let index = self.body.locations[from].edges.len() as u32;
        let id = EdgeId { from, index };
        self.body.add_edge(from, action, to, edge.span);
        if self.memory {
            self.faults.insert(id, self.body.exit);
        }
        // Whether the whole edge was taken shows at its last part, or where it goes wrong.
        let ends = to == edge.target || to == self.wrong;
        if ends {
            let (slot, procedure) = (0, self.procedure);
            self.origins.insert(id, Origin::Edge { slot, procedure, edge: at, spawns: None });
        }
    }

    fn last(&mut self, from: LocationId, action: Action, at: EdgeId, edge: &Edge) {
        self.add(from, action, edge.target, at, edge);
    }

    fn then(&mut self, from: LocationId, action: Action, at: EdgeId, edge: &Edge) -> LocationId {
        let to = self.body.add_location(Grain::Yield);
        self.add(from, action, to, at, edge);
        to
    }

    /// Goes on only if the object of an address is not freed.
    fn not_freed(&mut self, from: LocationId, addr: &Expr, at: EdgeId, edge: &Edge) -> LocationId {
        let load = Action::Load { to: self.gone, from: self.mark(addr), mode: Mode::Plain };
        let here = self.then(from, load, at, edge);
        let gone = Expr::Local(self.gone);
        if self.memory {
            self.add(here, Action::Assume(gone.clone()), self.wrong, at, edge);
        } else {
            let what = "access to freed memory".to_owned();
            let there = self.then(here, Action::Assume(gone.clone()), at, edge);
            self.last(there, Action::Unsupported { what }, at, edge);
        }
        self.then(here, Action::Assume(gone.not()), at, edge)
    }

    /// The mark that says whether an address's object is freed.
    fn mark(&self, addr: &Expr) -> Place {
        Place { addr: addr.clone(), ty: Type::Bool, region: Some(self.freed) }
    }

    fn free(&mut self, from: LocationId, addr: &Expr, at: EdgeId, edge: &Edge) {
        let null = Expr::binary(BinaryOp::Eq, addr.clone(), Expr::NULL);
        self.last(from, Action::Assume(null.clone()), at, edge);
        let some = self.then(from, Action::Assume(null.not()), at, edge);
        let fine = self.not_freed(some, addr, at, edge);
        let freed = self.then(fine, edge.action.clone(), at, edge);
        let (to, value) = (self.mark(addr), Expr::TRUE);
        self.last(freed, Action::Store { to, value, mode: Mode::Plain }, at, edge);
    }
}
