//! Points-to analysis by inclusion, with objects divided by bytes.
//!
//! Andersen, "Program Analysis and Specialization for the C Programming Language" (1994). What a
//! local or a place in memory may point to is a set of bytes of objects; every action that can
//! carry a pointer adds to the sets, until nothing is new. Elements of an array that is indexed by
//! what is not constant are one.

use std::collections::BTreeSet;

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, Callee, Const, EdgeId, Expr, LocalId, ObjectId, ProcId, Program, Type,
};

use super::parts::Outline;
use crate::limits::{Limits, Unprepared};
use crate::pointsto::{Origin, offset_of, offset_without_wrapping};
use crate::regions::Pointee;

/// More places of one object than this in a set become one array.
const PLACES: usize = 48;

/// What a pointer may point to: an object, or a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(pub u32);

/// A byte of an object.
pub type Spot = (Block, i64);

pub type Spots = BTreeSet<Spot>;

#[derive(Clone, Copy, Debug)]
pub enum What {
    Memory(Origin, Outline),
    Procedure(ProcId),
    /// A number, or a place that no access may use the pointer for.
    Elsewhere,
}

/// The elements of an array that count as one: those of the first stand for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    pub start: i64,
    pub end: i64,
    pub stride: i64,
}

#[derive(Clone, Debug)]
pub struct Found {
    pub blocks: Vec<What>,
    /// By block, the largest stride first.
    pub summaries: Vec<Vec<Summary>>,
    locals: FxHashMap<(ProcId, LocalId), Spots>,
    contents: FxHashMap<Spot, Spots>,
    results: Spots,
    /// What is handed over at the start and end of threads.
    handed: Spots,
    allocated: FxHashMap<(ProcId, EdgeId), Block>,
    /// A pointer was taken to stay in its part of an object.
    pub assumed: bool,
}

impl Found {
    /// `summaries` are by block, the largest stride first; more are added as needed.
    pub fn of(
        program: &Program,
        mut summaries: Vec<Vec<Summary>>,
        limits: &Limits,
    ) -> Result<Found, Unprepared> {
        loop {
            let mut solver = Solver::new(program, summaries);
            if solver.run(limits)? {
                return Ok(solver.found);
            }
            summaries = solver.found.summaries;
        }
    }

    /// The byte that stands for a byte.
    pub fn canonical(&self, (block, mut offset): Spot) -> Spot {
        for Summary { start, end, stride } in &self.summaries[block.0 as usize] {
            if (*start..*end).contains(&offset) {
                offset = start + (offset - start) % stride;
            }
        }
        (block, offset)
    }

    pub fn outline(&self, block: Block) -> Option<Outline> {
        match self.blocks[block.0 as usize] {
            What::Memory(_, outline) => Some(outline),
            What::Procedure(_) | What::Elsewhere => None,
        }
    }

    fn elsewhere(&self) -> Spot {
        (Block(self.blocks.len() as u32 - 1), 0)
    }

    /// What pointers in some bytes may point to, but for null; none if that is not known.
    pub fn pointees(&self, block: Block, start: i64) -> Option<Vec<Pointee>> {
        let spots = self.contents.get(&(block, start)).into_iter().flatten();
        let known = spots.map(|&(block, offset)| match self.blocks[block.0 as usize] {
            What::Memory(origin, _) => {
                let one = |s: &Summary| !(s.start..s.start + s.stride).contains(&offset);
                let plain = self.summaries[block.0 as usize].iter().all(one);
                plain.then_some(Pointee::Memory(origin, offset))
            }
            What::Procedure(procedure) => Some(Pointee::Procedure(procedure)),
            What::Elsewhere => None,
        });
        known.collect()
    }

    /// The procedures that an expression may name.
    pub fn callees(&self, program: &Program, id: ProcId, pointer: &Expr) -> Vec<ProcId> {
        let spots = self.reading(program).value(id, pointer);
        let procedures = spots.iter().filter_map(|spot| match self.blocks[spot.0.0 as usize] {
            What::Procedure(procedure) => Some(procedure),
            What::Memory(..) | What::Elsewhere => None,
        });
        procedures.collect()
    }

    /// What an address may lead to.
    pub fn targets(&self, program: &Program, id: ProcId, address: &Expr) -> Spots {
        self.reading(program).value(id, address)
    }

    fn reading<'a>(&'a self, program: &'a Program) -> Reading<'a> {
        Reading { program, found: self, wanted: Vec::new(), assumed: false }
    }

    /// The objects that more than one thread may reach: shared variables, what is handed over at the
    /// start or end of a thread, and what pointers stored there lead to.
    pub fn escaping(&self, program: &Program) -> BTreeSet<Block> {
        let shared = |what: &What| match what {
            What::Memory(Origin::Object(object), _) => {
                program.objects[*object].sharing == selvedge_ir::Sharing::Shared
            }
            _ => false,
        };
        let all = (0..self.blocks.len()).filter(|&i| shared(&self.blocks[i]));
        let mut work: Vec<Block> = all.map(|i| Block(i as u32)).collect();
        work.extend(self.handed.iter().chain(&self.results).map(|spot| spot.0));
        let mut inside: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for ((block, _), content) in &self.contents {
            inside.entry(*block).or_default().extend(content.iter().map(|spot| spot.0));
        }
        let mut seen = BTreeSet::new();
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                work.extend(inside.get(&block).into_iter().flatten());
            }
        }
        seen
    }
}

/// Evaluates expressions over what is known so far.
struct Reading<'a> {
    program: &'a Program,
    found: &'a Found,
    /// Arrays whose elements should count as one.
    wanted: Vec<(Block, Summary)>,
    assumed: bool,
}

impl Reading<'_> {
    fn value(&mut self, id: ProcId, expr: &Expr) -> Spots {
        match expr {
            Expr::Const(constant) => self.constant(*constant).into_iter().collect(),
            Expr::Local(local) => self.found.locals.get(&(id, *local)).cloned().unwrap_or_default(),
            Expr::Binary(BinaryOp::PtrAdd, pointer, distance) => {
                let from = self.value(id, pointer);
                let distance = crate::fold::fold((**distance).clone());
                let procedure = &self.program.procedures[id];
                let by = offset_without_wrapping(&distance, self.program, procedure);
                // An index that is so large as to wrap leaves its array.
                self.assumed |= by != offset_of(&distance, self.program, procedure);
                let mut spots = Spots::new();
                for spot in from {
                    self.moved(spot, by, &mut spots);
                }
                spots
            }
            Expr::Cast(ty, a) if carries(self.program, *ty) => {
                let mut spots = self.value(id, a);
                let number = a.ty(self.program, &self.program.procedures[id]) != Type::Ptr;
                if number && *ty == Type::Ptr {
                    spots.insert(self.found.elsewhere());
                }
                spots
            }
            Expr::Ite(_, a, b) => {
                let mut both = self.value(id, a);
                both.extend(self.value(id, b));
                both
            }
            _ => Spots::new(),
        }
    }

    fn constant(&self, constant: Const) -> Option<Spot> {
        let objects = self.program.objects.len();
        match constant {
            Const::Object(object, offset) => {
                Some(self.found.canonical((Block(object.as_u32()), offset)))
            }
            Const::Proc(procedure) => Some((Block((objects + procedure.index()) as u32), 0)),
            _ => None,
        }
    }

    /// Adds where a pointer leads that is moved by a constant, or by that and multiples of a stride.
    fn moved(&mut self, (block, from): Spot, by: (i64, i64), spots: &mut Spots) {
        let (distance, stride) = by;
        let Some(outline) = self.found.outline(block) else {
            spots.insert((block, from));
            return;
        };
        if stride != 0 {
            let spot = self.along((block, from), outline, by);
            spots.insert(spot.unwrap_or(self.found.elsewhere()));
            return;
        }
        if self.stays_in_array((block, from), distance) {
            spots.insert((block, from));
            // The pointer may be one to what is around the array, too, and go back from there.
            if distance > 0 {
                return;
            }
            if let Some(spot) = self.apart((block, from), outline, distance) {
                spots.insert(spot);
            }
            return;
        }
        let spot = self.apart((block, from), outline, distance);
        let inside = (0..=outline.end()).contains(&from.saturating_add(distance));
        self.assumed |= spot.is_none() && inside;
        spots.insert(spot.unwrap_or(self.found.elsewhere()));
    }

    /// Along an array whose elements count as one from then on.
    fn along(
        &mut self,
        (block, from): Spot,
        outline: Outline,
        (distance, stride): (i64, i64),
    ) -> Option<Spot> {
        let to = from.checked_add(distance)?;
        let found = outline.array(self.program, from, to, stride);
        let found = found.map(|part| (part.start, part.end, part.stride.unwrap_or(1)));
        let (start, end, stride) = found.unwrap_or((0, outline.end(), 1));
        self.wanted.push((block, Summary { start, end, stride }));
        self.assumed |= start != 0 || end != outline.end();
        let first = start + (to - start).rem_euclid(stride);
        Some(self.found.canonical((block, first)))
    }

    /// Whether what stands for all elements of an array is moved from one element to another. An
    /// array has none as far from each other as it is long: then the pointer is one to what begins
    /// with the array, and leads to what comes behind.
    fn stays_in_array(&self, (block, from): Spot, distance: i64) -> bool {
        let summaries = self.found.summaries[block.0 as usize].iter();
        let around = summaries.rev().find(|s| (s.start..s.start + s.stride).contains(&from));
        around.is_some_and(|s| {
            let to = from.saturating_add(distance);
            let inside = distance.unsigned_abs() < s.end.abs_diff(s.start);
            !(s.start..s.start + s.stride).contains(&to) && distance % s.stride == 0 && inside
        })
    }

    /// To another part of the object, if a pointer may go there.
    fn apart(&self, (block, from): Spot, outline: Outline, distance: i64) -> Option<Spot> {
        let to = from.checked_add(distance)?;
        let there = (0..=outline.end()).contains(&to) && outline.may_move(self.program, from, to);
        there.then(|| self.found.canonical((block, to)))
    }
}

struct Solver<'a> {
    program: &'a Program,
    found: Found,
    changed: bool,
    /// How many places an action has carried from set to set: its work.
    carried: usize,
}

impl<'a> Solver<'a> {
    fn new(program: &'a Program, mut summaries: Vec<Vec<Summary>>) -> Solver<'a> {
        let mut blocks = Vec::new();
        for (id, object) in &program.objects {
            let size = Some(program.layouts[object.layout].size as i64);
            let outline = Outline { layout: object.layout, size };
            blocks.push(What::Memory(Origin::Object(id), outline));
        }
        blocks.extend(program.procedures.keys().map(What::Procedure));
        let mut allocated = FxHashMap::default();
        for (id, procedure) in &program.procedures {
            for (at, edge) in procedure.edges() {
                let Action::Alloc { layout, size, .. } = &edge.action else { continue };
                let size = match crate::fold::fold(size.clone()) {
                    Expr::Const(Const::Int(bits, _)) => i64::try_from(bits).ok(),
                    _ => None,
                };
                allocated.insert((id, at), Block(blocks.len() as u32));
                let outline = Outline { layout: *layout, size };
                blocks.push(What::Memory(Origin::Alloc(id, at), outline));
            }
        }
        blocks.push(What::Elsewhere);
        summaries.resize(blocks.len(), Vec::new());
        let found = Found {
            blocks,
            summaries,
            locals: FxHashMap::default(),
            contents: FxHashMap::default(),
            results: Spots::new(),
            handed: Spots::new(),
            allocated,
            assumed: false,
        };
        Solver { program, found, changed: false, carried: 0 }
    }

    /// Adds to the sets until nothing is new; false if it turned out that more elements of arrays
    /// count as one.
    fn run(&mut self, limits: &Limits) -> Result<bool, Unprepared> {
        let program = self.program;
        self.initial_values();
        loop {
            self.changed = false;
            let mut wanted = Vec::new();
            for (id, procedure) in &program.procedures {
                for (at, edge) in procedure.edges() {
                    self.carried = 0;
                    wanted.extend(self.action(id, at, &edge.action));
                    limits.spend(1 + self.carried)?;
                }
            }
            wanted.extend(self.crowded());
            limits.spend(self.found.locals.len() + self.found.contents.len())?;
            if self.summarise(wanted) {
                return Ok(false);
            }
            if !self.changed {
                return Ok(true);
            }
        }
    }

    /// Arrays that sets hold many places of.
    fn crowded(&self) -> Vec<(Block, Summary)> {
        let mut wanted = Vec::new();
        for spots in self.found.locals.values().chain(self.found.contents.values()) {
            let mut counts: FxHashMap<Block, (usize, i64)> = FxHashMap::default();
            for (block, offset) in spots {
                counts.entry(*block).or_insert((0, *offset)).0 += 1;
            }
            for (block, (count, offset)) in counts {
                let Some(outline) = self.found.outline(block) else { continue };
                if count <= PLACES {
                    continue;
                }
                let parts = outline.parts_at(self.program, offset);
                let array = parts.iter().find(|part| part.stride.is_some());
                let array = array.map(|part| (part.start, part.end, part.stride.unwrap_or(1)));
                let (start, end, mut stride) = array.unwrap_or((0, outline.end(), 1));
                if self.found.summaries[block.0 as usize].iter().any(|s| s.stride == stride) {
                    stride = 1;
                }
                wanted.push((block, Summary { start, end, stride }));
            }
        }
        wanted
    }

    fn summarise(&mut self, wanted: Vec<(Block, Summary)>) -> bool {
        let mut new = false;
        for (block, summary) in wanted {
            let known = &mut self.found.summaries[block.0 as usize];
            if !known.contains(&summary) {
                known.push(summary);
                known.sort_by_key(|s| std::cmp::Reverse(s.stride));
                new = true;
            }
        }
        new
    }

    fn initial_values(&mut self) {
        for (object, data) in &self.program.objects {
            for (offset, value) in &data.init {
                let spot = self.found.reading(self.program).constant(*value);
                let at = self.found.canonical((Block(object.as_u32()), *offset as i64));
                self.found.contents.entry(at).or_default().extend(spot);
            }
        }
    }

    fn value(&mut self, id: ProcId, expr: &Expr, wanted: &mut Vec<(Block, Summary)>) -> Spots {
        let mut reading = self.found.reading(self.program);
        let spots = reading.value(id, expr);
        let Reading { wanted: more, assumed, .. } = reading;
        wanted.extend(more);
        self.found.assumed |= assumed;
        self.carried += spots.len();
        spots
    }

    fn add_to(known: &mut Spots, spots: Spots) -> bool {
        spots.into_iter().fold(false, |new, spot| known.insert(spot) | new)
    }

    fn assign(&mut self, id: ProcId, to: LocalId, spots: Spots) {
        self.carried += spots.len();
        if !spots.is_empty() && carries(self.program, self.program.procedures[id].locals[to].ty) {
            let known = self.found.locals.entry((id, to)).or_default();
            self.changed |= Solver::add_to(known, spots);
        }
    }

    /// What an action carries; also the arrays whose elements should count as one.
    fn action(&mut self, id: ProcId, at: EdgeId, action: &Action) -> Vec<(Block, Summary)> {
        let mut wanted = Vec::new();
        match action {
            Action::Assign { to, value } => {
                let value = self.value(id, value, &mut wanted);
                self.assign(id, *to, value);
            }
            Action::Load { to, from, .. } => {
                let from = self.value(id, &from.addr, &mut wanted);
                let contents = from.iter().filter_map(|spot| self.found.contents.get(spot));
                let spots = contents.flatten().copied().collect();
                self.assign(id, *to, spots);
            }
            Action::Store { to, value, .. } => {
                let to = self.value(id, &to.addr, &mut wanted);
                let value = self.value(id, value, &mut wanted);
                self.carried += to.len() * value.len();
                for spot in to.iter().filter(|_| !value.is_empty()) {
                    let known = self.found.contents.entry(*spot).or_default();
                    self.changed |= Solver::add_to(known, value.clone());
                }
            }
            Action::Lock { lock } | Action::Unlock { lock } => {
                self.value(id, &lock.addr, &mut wanted);
            }
            Action::Alloc { to, .. } => {
                let made = (self.found.allocated[&(id, at)], 0);
                let made = self.found.canonical(made);
                self.assign(id, *to, Spots::from([made]));
            }
            Action::Spawn { entry, args, .. } => {
                self.call(id, entry, args, None, true, &mut wanted);
            }
            Action::Call { callee, args, to } => {
                self.call(id, callee, args, *to, false, &mut wanted);
            }
            Action::Join { to: Some(to), .. } => {
                let results = self.found.results.clone();
                self.assign(id, *to, results);
            }
            Action::EndThread { value: Some(value) } => {
                let value = self.value(id, value, &mut wanted);
                self.changed |= Solver::add_to(&mut self.found.results, value);
            }
            _ => {}
        }
        wanted
    }

    fn call(
        &mut self,
        id: ProcId,
        callee: &Callee,
        args: &[Expr],
        to: Option<LocalId>,
        spawn: bool,
        wanted: &mut Vec<(Block, Summary)>,
    ) {
        let callees = match callee {
            Callee::Direct(callee) => vec![*callee],
            Callee::Indirect(pointer) => self.found.callees(self.program, id, pointer),
        };
        for callee in callees {
            let procedure = &self.program.procedures[callee];
            for (param, arg) in procedure.params.iter().zip(args) {
                let value = self.value(id, arg, wanted);
                if spawn {
                    self.changed |= Solver::add_to(&mut self.found.handed, value.clone());
                }
                self.assign(callee, *param, value);
            }
            let Some(result) = procedure.result else { continue };
            let value = self.found.locals.get(&(callee, result)).cloned().unwrap_or_default();
            if spawn {
                self.changed |= Solver::add_to(&mut self.found.results, value.clone());
            }
            if let Some(to) = to {
                self.assign(id, to, value);
            }
        }
    }
}

/// Whether a scalar of the type may hold a pointer.
fn carries(program: &Program, ty: Type) -> bool {
    match ty {
        Type::Ptr => true,
        Type::Int(int) => int.width >= program.model.size_type().width,
        Type::Bool | Type::Thread => false,
    }
}

/// The variable of a block.
pub fn object_of(what: &What) -> Option<ObjectId> {
    match what {
        What::Memory(Origin::Object(object), _) => Some(*object),
        _ => None,
    }
}
