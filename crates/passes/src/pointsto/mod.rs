//! Points-to analysis by unification.
//!
//! Steensgaard, "Points-to analysis in almost linear time" (POPL 1996), field-sensitive by byte
//! offset as in "Points-to analysis by type inference of programs with structures and unions"
//! (CC 1996); strides for arrays as in Lattner's data structure analysis. One pass over all actions
//! generates and solves the constraints; calls through pointers are bound to the procedures found
//! until nothing new comes up.
//!
//! Soundness. Every way in which a pointer can get from one place to another unifies the two:
//! assignment, load, store, parameters and results of calls and threads, initial values. Arithmetic
//! stays within the object (leaving it and accessing there is a fault), so only the offset changes:
//! by a constant, by multiples of a stride, or to anything (collapse). Integers as wide as a pointer
//! may carry one unchanged; what is computed from its bits, or put together from parts of it, is a
//! pointer into no object. A pointer read from undefined memory is an input, and an input pointer
//! points into no object in the concrete semantics. Nevertheless a `Havoc` of a pointer that is
//! live may here point to any object whose address is taken, so that engines with a more liberal
//! notion of input stay sound.

mod memory;
mod offset;

use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, Callee, Const, EdgeId, Expr, LocalId, ObjectId, Place, ProcId, Program, Type,
};

use crate::bits::BitSet;
use crate::limits::{Limits, Unprepared};
use crate::liveness::LiveLocals;
use crate::simplify::thread_entries;
use memory::{Accesses, Memory, ValueId};
pub use memory::{NodeId, Origin, Target};
pub(crate) use offset::{offset_of, offset_without_wrapping};

/// Constant offsets beyond this are taken as unknown, so that sums cannot overflow.
const FAR: i64 = 1 << 40;

/// What unification of what an edge mentions is worth, in units.
const UNIFICATION: usize = 3;

/// What each access, free and call through a pointer leads to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    memory: Memory,
    accesses: FxHashMap<(ProcId, EdgeId), Target>,
    frees: FxHashMap<(ProcId, EdgeId), Target>,
    callees: FxHashMap<(ProcId, EdgeId), Target>,
    /// Pointers that every thread may get hold of: arguments and results of threads.
    handed: Vec<ValueId>,
    objects: PrimaryMap<ObjectId, NodeId>,
    allocated: FxHashMap<(ProcId, EdgeId), NodeId>,
}

/// Where a cell lies in the memory of one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    pub origin: Origin,
    /// The first byte; where there is a stride, of any of the places.
    pub start: i64,
    pub length: i64,
    /// The distance between places where there may be several; 0 if there is one.
    pub stride: i64,
}

impl PointsTo {
    pub fn of(program: &Program, limits: &Limits) -> Result<PointsTo, Unprepared> {
        let mut solver = Solver::new(program);
        solver.initial_values();
        let joined = joins_a_result(program, limits)?;
        let called = called(program);
        for (id, procedure) in &program.procedures {
            limits.spend(UNIFICATION * procedure.locations.len())?;
            let seen = joined || called.contains(id);
            let result = procedure.result.filter(|_| seen);
            let live = LiveLocals::with_result(procedure, result, limits)?;
            for (at, edge) in procedure.edges() {
                let dead = |local: LocalId| !live.contains(edge.target, local);
                solver.action(id, at, &edge.action, dead);
            }
        }
        solver.bind_indirect(limits)?;
        solver.spread_anything();
        Ok(solver.found)
    }

    /// The cell that the action on this edge accesses.
    pub fn access(&self, procedure: ProcId, edge: EdgeId) -> Option<Target> {
        let target = self.accesses.get(&(procedure, edge))?;
        self.memory.cell_at(*target).map(|(start, _)| start)
    }

    /// Whether what the action on this edge accesses could also be a procedure, or anything at all.
    pub fn may_be_procedure(&self, procedure: ProcId, edge: EdgeId) -> bool {
        self.accesses.get(&(procedure, edge)).is_none_or(|target| {
            let node = self.memory.node(self.memory.resolve(*target).node);
            node.anything || !node.procedures.is_empty()
        })
    }

    /// The type of all accesses to a cell, if there is one.
    pub fn cell_type(&self, cell: Target) -> Option<Type> {
        match self.memory.cell_at(cell)?.1.accesses {
            Accesses::All(ty) => Some(ty),
            _ => None,
        }
    }

    /// The node that the action on this edge may free an object of.
    pub fn freed(&self, procedure: ProcId, edge: EdgeId) -> Option<NodeId> {
        let target = self.frees.get(&(procedure, edge))?;
        Some(self.memory.resolve(*target).node)
    }

    /// The procedures that a call or spawn through a pointer may reach; none if it could be any.
    pub fn callees(&self, procedure: ProcId, edge: EdgeId) -> Option<&[ProcId]> {
        let target = self.callees.get(&(procedure, edge))?;
        let node = self.memory.node(self.memory.resolve(*target).node);
        (!node.anything).then_some(node.procedures.as_slice())
    }

    /// Where the memory of a node comes from.
    pub fn origins(&self, node: NodeId) -> &[Origin] {
        &self.memory.node(node).origins
    }

    /// The object and offset of a cell, if its node stands for one global variable only; the offset
    /// is none where the cell stands for several places of it.
    pub fn only_object(&self, cell: Target) -> Option<(ObjectId, Option<i64>)> {
        let cell = self.memory.resolve(cell);
        let [Origin::Object(object)] = self.origins(cell.node) else { return None };
        let start = Target { node: self.objects[*object], offset: 0 };
        let exact = self.memory.node(cell.node).is_exact();
        Some((*object, exact.then(|| cell.offset - self.memory.resolve(start).offset)))
    }

    /// All memory that a cell stands for.
    pub fn extents(&self, cell: Target) -> Vec<Extent> {
        let Some((start, data)) = self.memory.cell_at(cell) else { return Vec::new() };
        let node = self.memory.node(start.node);
        let extent = |&origin: &Origin| {
            let own = match origin {
                Origin::Object(object) => self.objects[object],
                Origin::Alloc(procedure, edge) => self.allocated[&(procedure, edge)],
            };
            let shift = self.memory.resolve(Target { node: own, offset: 0 }).offset;
            let start = start.offset - shift;
            Extent { origin, start, length: data.size, stride: node.stride() }
        };
        node.origins.iter().map(extent).collect()
    }

    /// The cells of a node, in order of offset.
    pub fn cells(&self, node: NodeId) -> impl Iterator<Item = Target> + '_ {
        self.memory.node(node).cells.keys().map(move |&offset| Target { node, offset })
    }

    /// The nodes whose objects more than one thread may reach: shared globals, what is handed over
    /// at the start or end of a thread, and what pointers stored in such nodes lead to. All others
    /// hold objects of which a thread can reach only those that it made itself.
    pub fn escaping(&self, program: &Program) -> Vec<NodeId> {
        let mut seen: rustc_hash::FxHashSet<NodeId> = Default::default();
        let mut work: Vec<NodeId> = Vec::new();
        for root in self.memory.roots() {
            let node = self.memory.node(root);
            let shared = node.origins.iter().any(|origin| match origin {
                Origin::Object(object) => {
                    program.objects[*object].sharing == selvedge_ir::Sharing::Shared
                }
                Origin::Alloc(..) => false,
            });
            if shared || node.anything {
                work.push(root);
            }
        }
        work.extend(self.handed.iter().filter_map(|&v| self.memory.target(v)).map(|t| t.node));
        while let Some(node) = work.pop() {
            if seen.insert(node) {
                let contents = self.memory.node(node).cells.values().map(|cell| cell.content);
                work.extend(contents.filter_map(|v| self.memory.target(v)).map(|t| t.node));
            }
        }
        let mut list: Vec<NodeId> = seen.into_iter().collect();
        list.sort_unstable();
        list
    }
}

/// Whether any `Join` looks at what the thread returned.
fn joins_a_result(program: &Program, limits: &Limits) -> Result<bool, Unprepared> {
    for procedure in program.procedures.values() {
        let live = LiveLocals::within(procedure, limits)?;
        let looks = procedure.edges().any(|(_, edge)| match edge.action {
            Action::Join { to: Some(to), .. } => live.contains(edge.target, to),
            _ => false,
        });
        if looks {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The procedures that may run as a call.
fn called(program: &Program) -> BitSet<ProcId> {
    let mut called = BitSet::new();
    for (_, edge) in program.procedures.values().flat_map(|procedure| procedure.edges()) {
        match edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } => {
                called.insert(callee);
            }
            Action::Call { callee: Callee::Indirect(_), .. } => {
                return program.procedures.keys().collect();
            }
            _ => {}
        }
    }
    called
}

struct Solver<'a> {
    program: &'a Program,
    found: PointsTo,
    locals: PrimaryMap<ProcId, SecondaryMap<LocalId, Option<ValueId>>>,
    /// What `Join` gives: the results of all threads.
    results: ValueId,
    indirect: Vec<Indirect<'a>>,
    /// Objects whose address occurs as a value, other than as the address of an access.
    taken: BitSet<ObjectId>,
}

/// A call or spawn through a pointer, to be bound to procedures as they are found.
struct Indirect<'a> {
    at: (ProcId, EdgeId),
    args: &'a [Expr],
    to: Option<LocalId>,
    spawn: bool,
    bound: BitSet<ProcId>,
}

impl<'a> Solver<'a> {
    fn new(program: &'a Program) -> Solver<'a> {
        let mut memory = Memory::default();
        let objects = program
            .objects
            .keys()
            .map(|object| {
                let node = memory.new_node();
                memory.node_mut(node).origins.push(Origin::Object(object));
                node
            })
            .collect();
        let results = memory.new_value();
        let found = PointsTo {
            memory,
            accesses: FxHashMap::default(),
            frees: FxHashMap::default(),
            callees: FxHashMap::default(),
            handed: vec![results],
            objects,
            allocated: FxHashMap::default(),
        };
        let locals = program.procedures.keys().map(|_| SecondaryMap::new()).collect();
        let mut solver =
            Solver { program, found, locals, results, indirect: Vec::new(), taken: BitSet::new() };
        for entry in thread_entries(program).iter() {
            if let Some(result) = program.procedures[entry].result {
                solver.assign(entry, result, Some(results));
            }
        }
        solver
    }

    fn initial_values(&mut self) {
        let pointer = self.program.model.pointer_bytes() as i64;
        for (object, data) in &self.program.objects {
            for (offset, value) in &data.init {
                let Some(value) = self.constant(*value) else { continue };
                let target = Target { node: self.found.objects[object], offset: *offset as i64 };
                let cell = self.found.memory.access(target, pointer, Accesses::None);
                self.unify_content(cell, value);
            }
        }
    }

    fn action(
        &mut self,
        id: ProcId,
        at: EdgeId,
        action: &'a Action,
        dead: impl Fn(LocalId) -> bool,
    ) {
        match action {
            Action::Assign { to, value } => {
                let value = self.expr(id, value);
                self.assign(id, *to, value);
            }
            Action::Havoc { to }
                if self.program.procedures[id].locals[*to].ty == Type::Ptr && !dead(*to) =>
            {
                let local = self.local(id, *to);
                let target = self.found.memory.target_or_new(local);
                self.found.memory.node_mut(target.node).anything = true;
            }
            Action::Load { to, from, .. } => {
                let cell = self.access(id, at, from);
                if self.local_carries(id, *to) {
                    let local = self.local(id, *to);
                    self.unify_content(cell, local);
                }
            }
            Action::Store { to, value, .. } => {
                let cell = self.access(id, at, to);
                if let Some(value) = self.expr(id, value) {
                    self.unify_content(cell, value);
                }
            }
            Action::Lock { lock } | Action::Unlock { lock } => {
                self.access(id, at, lock);
            }
            Action::Alloc { to, .. } => {
                let node = self.found.memory.new_node();
                self.found.memory.node_mut(node).origins.push(Origin::Alloc(id, at));
                self.found.allocated.insert((id, at), node);
                let value = self.found.memory.value_of(Target { node, offset: 0 });
                self.assign(id, *to, Some(value));
            }
            Action::Free { addr, .. } => {
                if let Some(value) = self.expr(id, addr) {
                    let target = self.found.memory.target_or_new(value);
                    self.found.frees.insert((id, at), target);
                }
            }
            Action::Spawn { entry, args, .. } => self.call(id, at, entry, args, None, true),
            Action::Call { callee, args, to } => self.call(id, at, callee, args, *to, false),
            Action::Join { to: Some(to), .. } => {
                let results = self.results;
                self.assign(id, *to, Some(results));
            }
            Action::EndThread { value: Some(value) } => {
                if let Some(value) = self.expr(id, value) {
                    self.found.memory.unify_values(self.results, value);
                }
            }
            _ => {}
        }
    }

    fn access(&mut self, id: ProcId, at: EdgeId, place: &Place) -> Target {
        let target = match place.direct() {
            // Not a use of the address as a value.
            Some((object, offset)) => self.object(object, offset),
            None => match self.expr(id, &place.addr) {
                Some(value) => self.found.memory.target_or_new(value),
                None => Target { node: self.found.memory.new_node(), offset: 0 },
            },
        };
        let size = place.ty.size(self.program.model) as i64;
        let cell = self.found.memory.access(target, size, Accesses::All(place.ty));
        self.found.accesses.insert((id, at), cell);
        cell
    }

    fn unify_content(&mut self, cell: Target, value: ValueId) {
        if let Some((_, cell)) = self.found.memory.cell_at(cell) {
            let content = cell.content;
            self.found.memory.unify_values(content, value);
        }
    }

    fn call(
        &mut self,
        id: ProcId,
        at: EdgeId,
        callee: &'a Callee,
        args: &'a [Expr],
        to: Option<LocalId>,
        spawn: bool,
    ) {
        match callee {
            Callee::Direct(callee) => self.bind(id, *callee, args, to, spawn),
            Callee::Indirect(pointer) => {
                let Some(value) = self.expr(id, pointer) else { return };
                let target = self.found.memory.target_or_new(value);
                self.found.callees.insert((id, at), target);
                let bound = BitSet::new();
                self.indirect.push(Indirect { at: (id, at), args, to, spawn, bound });
            }
        }
    }

    /// Passes arguments and result.
    fn bind(
        &mut self,
        id: ProcId,
        callee: ProcId,
        args: &[Expr],
        to: Option<LocalId>,
        spawn: bool,
    ) {
        let procedure = &self.program.procedures[callee];
        for (param, arg) in procedure.params.iter().zip(args) {
            let value = self.expr(id, arg);
            if let (true, Some(value)) = (spawn, value) {
                self.found.handed.push(value);
            }
            self.assign(callee, *param, value);
        }
        if let (Some(to), Some(result)) = (to, procedure.result)
            && self.local_carries(callee, result)
        {
            let result = self.local(callee, result);
            self.assign(id, to, Some(result));
        }
    }

    fn bind_indirect(&mut self, limits: &Limits) -> Result<(), Unprepared> {
        let taken: Vec<ProcId> = crate::callgraph::address_taken(self.program).iter().collect();
        let mut indirect = std::mem::take(&mut self.indirect);
        loop {
            let mut changed = false;
            for call in &mut indirect {
                let (id, at) = call.at;
                let candidates: Vec<ProcId> = match self.found.callees(id, at) {
                    Some(found) => found.to_vec(),
                    None => taken.clone(),
                };
                limits.spend(candidates.len())?;
                for callee in candidates {
                    if call.bound.insert(callee) {
                        changed = true;
                        self.bind(id, callee, call.args, call.to, call.spawn);
                    }
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// Merges all objects whose address is taken, if an input pointer may lead anywhere.
    fn spread_anything(&mut self) {
        let memory = &mut self.found.memory;
        let anything: Vec<NodeId> = memory.roots().filter(|&r| memory.node(r).anything).collect();
        let Some(&first) = anything.first() else { return };
        let all: Vec<NodeId> = memory
            .roots()
            .filter(|&root| {
                let node = memory.node(root);
                node.anything
                    || node.origins.iter().any(|origin| match origin {
                        Origin::Object(object) => self.taken.contains(*object),
                        Origin::Alloc(..) => true,
                    })
            })
            .collect();
        for node in all {
            memory.unify_targets(Target { node: first, offset: 0 }, Target { node, offset: 0 });
        }
        let Target { node, .. } = memory.resolve(Target { node: first, offset: 0 });
        memory.fold(node, 1);
    }

    /// Whether a scalar of the type may hold a pointer.
    fn carries(&self, ty: Type) -> bool {
        match ty {
            Type::Ptr => true,
            Type::Int(int) => int.width >= self.program.model.size_type().width,
            Type::Bool | Type::Thread => false,
        }
    }

    fn local_carries(&self, id: ProcId, local: LocalId) -> bool {
        self.carries(self.program.procedures[id].locals[local].ty)
    }

    fn local(&mut self, id: ProcId, local: LocalId) -> ValueId {
        match self.locals[id][local] {
            Some(value) => value,
            None => {
                let value = self.found.memory.new_value();
                self.locals[id][local] = Some(value);
                value
            }
        }
    }

    fn assign(&mut self, id: ProcId, to: LocalId, value: Option<ValueId>) {
        if let (Some(value), true) = (value, self.local_carries(id, to)) {
            let local = self.local(id, to);
            self.found.memory.unify_values(local, value);
        }
    }

    fn object(&mut self, object: ObjectId, offset: i64) -> Target {
        let node = self.found.objects[object];
        if offset.abs() < FAR {
            return Target { node, offset };
        }
        let Target { node, .. } = self.found.memory.resolve(Target { node, offset: 0 });
        self.found.memory.fold(node, 1);
        Target { node, offset: 0 }
    }

    fn constant(&mut self, constant: Const) -> Option<ValueId> {
        match constant {
            Const::Object(object, offset) => {
                self.taken.insert(object);
                let target = self.object(object, offset);
                Some(self.found.memory.value_of(target))
            }
            Const::Proc(procedure) => {
                let node = self.found.memory.new_node();
                self.found.memory.node_mut(node).procedures.push(procedure);
                Some(self.found.memory.value_of(Target { node, offset: 0 }))
            }
            _ => None,
        }
    }

    /// The value of a pointer expression; none for null and for what is no pointer.
    fn expr(&mut self, id: ProcId, expr: &Expr) -> Option<ValueId> {
        match expr {
            Expr::Const(c) => self.constant(*c),
            Expr::Local(local) => self.local_carries(id, *local).then(|| self.local(id, *local)),
            Expr::Binary(BinaryOp::PtrAdd, pointer, distance) => {
                let pointer = self.expr(id, pointer)?;
                let procedure = &self.program.procedures[id];
                let distance = crate::fold::fold((**distance).clone());
                let (distance, stride) = offset_of(&distance, self.program, procedure);
                let target = self.found.memory.target_or_new(pointer);
                if stride != 0 || distance.abs() >= FAR {
                    let stride = if distance.abs() >= FAR { 1 } else { stride };
                    self.found.memory.fold(target.node, stride);
                }
                let distance = if distance.abs() >= FAR { 0 } else { distance };
                let Target { node, offset } = self.found.memory.resolve(target);
                Some(self.found.memory.value_of(Target { node, offset: offset + distance }))
            }
            Expr::Cast(ty, a) if self.carries(*ty) => self.expr(id, a),
            Expr::Ite(_, a, b) => match (self.expr(id, a), self.expr(id, b)) {
                (Some(a), Some(b)) => {
                    self.found.memory.unify_values(a, b);
                    Some(a)
                }
                (a, b) => a.or(b),
            },
            _ => None,
        }
    }
}
