//! The variables of a system: shared ones, and the frame of each thread.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, Edge, Expr, LocalId, Mode, ObjectId, ProcId, Program, Property, RegionId, Type,
};
use selvedge_passes::Prepared;
use selvedge_passes::liveness::LiveLocals;
use selvedge_smt::translate::{Scope, Sym, Translator, Types};
use selvedge_smt::{Sort, Term, Terms};

use super::cuts::{Cuts, is_inside};
use super::keep::{ArraySlot, Contents, Frame, Keeping, Slot};
use super::memory::{Array, ArrayId, Cell, CellId, Keeper, Memory, Zeroed};
use super::roles::Roles;
use super::settled::Settled;
use super::sure::{Fixed, Known, Sure, View};
use super::tids::Tids;
use super::{Options, TemplateId, Variable, What};

/// A system being built.
pub(super) struct Builder<'a> {
    pub prepared: &'a Prepared,
    pub program: &'a Program,
    pub options: &'a Options,
    pub roles: &'a Roles,
    pub tids: Tids<'a>,
    pub memory: Memory,
    /// Shared scalars of one value.
    pub settled: Settled,
    pub cuts: FxHashMap<ProcId, Cuts>,
    pub terms: Terms,
    pub types: Types,
    pub shared: Vec<Variable>,
    pub initial: Vec<Term>,
    pub ranges: Vec<Term>,
    pub cells: FxHashMap<CellId, Slot>,
    pub arrays: FxHashMap<ArrayId, ArraySlot>,
    /// The number of the next object, and which have been freed.
    pub objects: Option<u32>,
    pub freed: Option<u32>,
    pub done: FxHashMap<TemplateId, u32>,
    pub results: FxHashMap<TemplateId, Slot>,
    pub token: Option<u32>,
    /// Regions whose accesses may race, where that is checked.
    pub races: FxHashSet<RegionId>,
    /// The templates whose results are used.
    pub asked: BTreeSet<TemplateId>,
    /// The live locals of each template.
    pub live: Vec<LiveLocals>,
    pub frames: Vec<Frame>,
    names: FxHashSet<String>,
}

impl<'a> Builder<'a> {
    pub fn new(prepared: &'a Prepared, options: &'a Options, roles: &'a Roles) -> Builder<'a> {
        let program = &prepared.program;
        let mut cuts = FxHashMap::default();
        for (_, role) in roles.iter() {
            let procedure = &program.procedures[role.procedure];
            cuts.entry(role.procedure).or_insert_with(|| Cuts::of(procedure));
        }
        let memory = Memory::of(prepared, roles);
        Builder {
            prepared,
            program,
            options,
            roles,
            tids: Tids::of(program, roles),
            settled: Settled::of(program, roles, &memory),
            memory,
            cuts,
            terms: Terms::new(),
            types: Types { arithmetic: options.arithmetic, model: program.model },
            shared: Vec::new(),
            initial: Vec::new(),
            ranges: Vec::new(),
            cells: FxHashMap::default(),
            arrays: FxHashMap::default(),
            objects: None,
            freed: None,
            done: FxHashMap::default(),
            results: FxHashMap::default(),
            token: None,
            races: racing(prepared, options, roles),
            asked: BTreeSet::new(),
            live: Vec::new(),
            frames: Vec::new(),
            names: FxHashSet::default(),
        }
    }

    /// The name, with a number appended where it is taken.
    fn unique(&mut self, name: &str) -> String {
        let name = name.replace(['|', '\\'], "_");
        let mut unique = name.clone();
        let mut count = 1;
        while !self.names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        unique
    }

    /// Variables for a value, at the end of a list.
    fn variables(
        &mut self,
        list: &mut Vec<Variable>,
        name: &str,
        ty: Type,
        what: &What,
    ) -> (Slot, Term) {
        let name = self.unique(name);
        let value = self.types.variable(&mut self.terms, &name, ty);
        let slot = Slot { first: list.len() as u32, value, ty };
        for term in value.terms() {
            let name = self.terms.name(term).expect("a variable").to_owned();
            list.push(Variable { name, term, what: what.clone() });
        }
        let range = self.types.in_range(&mut self.terms, value, ty);
        (slot, range)
    }

    fn share(&mut self, name: &str, ty: Type, what: &What, initial: Sym) -> Slot {
        let mut shared = std::mem::take(&mut self.shared);
        let (slot, range) = self.variables(&mut shared, name, ty, what);
        self.shared = shared;
        let begin = slot.value.equal(&mut self.terms, initial);
        self.initial.push(begin);
        self.ranges.push(range);
        slot
    }

    /// A constant other than a pointer to a thread's own instance of a variable.
    pub fn constant(&mut self, value: Const, ty: Type) -> Sym {
        let any = self.program.procedures.values().next().expect("a program has procedures");
        let expr = Expr::Const(value);
        let expr = if value.ty() == ty { expr } else { Expr::cast(ty, expr) };
        let mut translator =
            Translator::new(&mut self.terms, self.program, any, self.options.arithmetic);
        translator.translate(&expr, &mut NoScope).value
    }

    pub fn zero(&mut self, ty: Type) -> Sym {
        self.constant(Const::zero(ty), ty)
    }

    pub fn number(&mut self, tid: u32) -> Term {
        match self.types.id_sort() {
            Sort::Int => self.terms.int(tid),
            _ => self.terms.bv(u128::from(tid), selvedge_smt::translate::ID_BITS),
        }
    }

    pub fn shared_cells(&mut self) {
        let cells: Vec<_> = self.memory.iter().map(|(id, cell)| (id, cell.clone())).collect();
        for (id, cell) in cells {
            if cell.keeper == Keeper::Shared {
                let initial = self.constant(cell.initial, cell.ty);
                let what = what_of(&cell);
                let slot = self.share(&cell.name, cell.ty, &what, initial);
                self.cells.insert(id, slot);
            }
        }
    }

    pub fn shared_arrays(&mut self) {
        let arrays: Vec<(ArrayId, Array)> =
            self.memory.iter_arrays().map(|(id, array)| (id, array.clone())).collect();
        for (id, array) in arrays {
            if array.keeper == Keeper::Shared {
                let mut shared = std::mem::take(&mut self.shared);
                let slot = self.array_variables(&mut shared, &array);
                self.shared = shared;
                let initial = self.initial_array(id);
                for (mine, first) in slot.value.terms().zip(initial.terms()) {
                    let begin = self.terms.eq(mine, first);
                    self.initial.push(begin);
                }
                self.arrays.insert(id, slot);
            }
        }
    }

    /// Variables for an array, at the end of a list.
    fn array_variables(&mut self, list: &mut Vec<Variable>, array: &Array) -> ArraySlot {
        let first = list.len() as u32;
        let index = self.index_sort(array);
        let name = self.unique(&array.name);
        let sorts = self.types.sorts(array.ty);
        let names: &[&str] = if sorts.len() == 2 { &[".object", ".offset"] } else { &[""] };
        let mut add = |builder: &mut Builder<'_>, name: &str, element: Sort, what: What| {
            let sort = builder.terms.array_sort(index, element);
            let term = builder.terms.var(name, sort);
            list.push(Variable { name: name.to_owned(), term, what });
            term
        };
        let mut halves = Vec::new();
        for (&sort, half) in sorts.iter().zip(names) {
            let what = What::Array { region: array.region };
            halves.push(add(self, &format!("{name}{half}"), sort, what));
        }
        let content = Sym::from_terms(&halves);
        let written = array.undefined.is_some().then(|| {
            let name = self.unique(&format!("{name}.written"));
            add(self, &name, Sort::Bool, What::Written { region: array.region })
        });
        ArraySlot { first, value: Contents { content, written } }
    }

    /// What an array holds at the beginning.
    pub fn initial_array(&mut self, id: ArrayId) -> Contents {
        let array = self.memory.array(id).clone();
        let sort = self.index_sort(&array);
        let zero = self.zero(array.ty);
        let mut halves: Vec<Term> =
            zero.terms().iter().map(|&zero| self.terms.const_array(sort, zero)).collect();
        for &thing in &array.things {
            let thing = self.memory.things.get(thing).clone();
            for (offset, value) in thing.initial {
                let offset = offset as i64;
                let among = match array.stride {
                    0 => offset == array.start,
                    stride => offset >= array.start && (offset - array.start) % stride == 0,
                };
                if !among {
                    continue;
                }
                let object = self.number(thing.number);
                let offset = self.offset(offset);
                let index = self.array_index(&array, object, offset);
                let value = self.constant(value, array.ty);
                for (half, value) in halves.iter_mut().zip(value.terms()) {
                    *half = self.terms.store(*half, index, value);
                }
            }
        }
        let written = array.undefined.as_ref().map(|zeroed| self.initially_written(sort, zeroed));
        Contents { content: Sym::from_terms(&halves), written }
    }

    fn initially_written(&mut self, sort: Sort, zeroed: &Zeroed) -> Term {
        let sites = self.terms.bool(zeroed.sites.unwrap_or(false));
        let mut written = self.terms.const_array(sort, sites);
        // Where these differ, the index is the number of the object.
        for &(thing, has) in &zeroed.things {
            if has != zeroed.sites.unwrap_or(false) {
                let index = self.number(self.memory.things.get(thing).number);
                let has = self.terms.bool(has);
                written = self.terms.store(written, index, has);
            }
        }
        written
    }

    /// The number of the next object, and which objects are freed, if objects are allocated by number.
    pub fn shared_objects(&mut self) {
        if !self.memory.things.any_sites() {
            return;
        }
        let first = Sym::Scalar(self.number(self.memory.things.first_free));
        let slot = self.share("objects", Type::Thread, &What::Objects, first);
        self.objects = Some(slot.first);
        if self.memory.frees_sites {
            let name = self.unique("freed");
            let no = self.terms.bool(false);
            let initial = self.terms.const_array(self.types.id_sort(), no);
            let term = self.terms.var(&name, self.terms.sort(initial));
            let begin = self.terms.eq(term, initial);
            self.initial.push(begin);
            self.freed = Some(self.shared.len() as u32);
            self.shared.push(Variable { name, term, what: What::Alive });
        }
    }

    /// Whether each instance that may be joined has ended, and its result.
    pub fn shared_ends(&mut self) {
        let mut joined: BTreeSet<TemplateId> = BTreeSet::new();
        for (_, role) in self.roles.iter() {
            for (_, edge) in self.program.procedures[role.procedure].edges() {
                let Action::Join { thread, .. } = &edge.action else { continue };
                let threads = self.tids.of_expr(role.procedure, thread);
                if self.takes_result(role.procedure, edge) {
                    self.asked.extend(threads.iter());
                }
                joined.extend(threads);
            }
        }
        self.liveness();
        for id in joined.into_iter().filter(|id| !self.roles.get(*id).pool) {
            let name = self.roles.get(id).name.clone();
            let no = Sym::Scalar(self.terms.bool(false));
            let slot = self.share(&format!("{name}.done"), Type::Bool, &What::Done(id), no);
            self.done.insert(id, slot.first);
            if let (Some(ty), true) = (self.result_type(id), self.asked.contains(&id)) {
                let zero = self.zero(ty);
                let slot = self.share(&format!("{name}.result"), ty, &What::Result(id), zero);
                self.results.insert(id, slot);
            }
        }
    }

    /// Whether the result of a join is used.
    pub fn takes_result(&self, procedure: ProcId, edge: &Edge) -> bool {
        match edge.action {
            Action::Join { to: Some(to), .. } => {
                self.prepared.liveness.is_live(procedure, edge.target, to)
            }
            _ => false,
        }
    }

    /// A result is live only if a join uses it.
    fn liveness(&mut self) {
        for (id, role) in self.roles.iter() {
            let procedure = &self.program.procedures[role.procedure];
            let live = match self.asked.contains(&id) {
                true => LiveLocals::of(procedure),
                false => LiveLocals::without_result(procedure),
            };
            self.live.push(live);
        }
    }

    /// The type of what a thread returns; none if it returns nothing. What main returns goes to
    /// nobody: the program ends.
    pub fn result_type(&self, id: TemplateId) -> Option<Type> {
        let role = self.roles.get(id);
        let procedure = &self.program.procedures[role.procedure];
        let ends = procedure.edges().filter_map(|(_, edge)| match &edge.action {
            Action::EndThread { value: Some(value) } => Some(value.ty(self.program, procedure)),
            _ => None,
        });
        let result = procedure.result.filter(|_| !role.main);
        let result = result.map(|local| procedure.locals[local].ty);
        result.into_iter().chain(ends).next()
    }

    /// Who is inside an atomic block, if a thread can stand inside one.
    pub fn token(&mut self) {
        let inside = self.cuts.iter().any(|(id, cuts)| {
            let procedure = &self.program.procedures[*id];
            cuts.iter().any(|location| is_inside(procedure, location))
        });
        if inside {
            let nobody = Sym::Scalar(self.number(0));
            let slot = self.share("token", Type::Thread, &What::Token, nobody);
            self.token = Some(slot.first);
        }
    }

    pub fn frames(&mut self) {
        for (id, _) in self.roles.iter() {
            let frame = self.frame(id);
            self.frames.push(frame);
        }
    }

    fn frame(&mut self, id: TemplateId) -> Frame {
        let role = self.roles.get(id);
        let procedure = &self.program.procedures[role.procedure];
        let sure = Sure::of(procedure, &self.memory, id);
        let known = Known::of(&View {
            procedure,
            memory: &self.memory,
            template: id,
            role,
            live_at_entry: self.live[id.index()].at(procedure.entry),
            sure: &sure,
            settled: &self.settled,
            program: self.program,
            pool: &|id| self.roles.get(id).pool,
        });
        let keeping =
            Keeping { procedure, memory: &self.memory, template: id, sure: &sure, known: &known };
        let live_cells = keeping.live_cells();
        let mut frame = Frame {
            variables: Vec::new(),
            locals: FxHashMap::default(),
            cells: FxHashMap::default(),
            arrays: FxHashMap::default(),
            tid: self.number(id.0 + 1),
            tid_slot: None,
            live_cells,
            sure,
            fixed: FxHashMap::default(),
            known,
            own: FxHashMap::default(),
        };
        for (&local, &fixed) in &frame.known.locals {
            let value = self.fixed(fixed, procedure.locals[local].ty);
            frame.fixed.insert(local, value);
        }
        let own: Vec<(ObjectId, u32)> = self.memory.things.own_of(id).collect();
        for (object, number) in own {
            let number = self.number(number);
            frame.own.insert(object, number);
        }
        self.frame_variables(id, &mut frame);
        frame
    }

    fn frame_variables(&mut self, id: TemplateId, frame: &mut Frame) {
        let role = self.roles.get(id);
        let procedure = &self.program.procedures[role.procedure];
        let mut wanted: BTreeSet<LocalId> = BTreeSet::new();
        let mut cells: BTreeSet<CellId> = BTreeSet::new();
        for location in self.cuts[&role.procedure].iter() {
            wanted.extend(self.live[id.index()].at(location));
            cells.extend(frame.live_cells.get(&location).into_iter().flatten());
        }
        wanted.retain(|local| !frame.fixed.contains_key(local));
        for local in wanted {
            let data = &procedure.locals[local];
            let name = format!("{}!{}", role.name, data.name);
            let what = What::Local { local, ty: data.ty };
            let (slot, _) = self.variables(&mut frame.variables, &name, data.ty, &what);
            frame.locals.insert(local, slot);
        }
        for cell in cells {
            let data = self.memory.cell(cell).clone();
            let what = what_of(&data);
            let (slot, _) = self.variables(&mut frame.variables, &data.name, data.ty, &what);
            frame.cells.insert(cell, slot);
        }
        let own = self.memory.iter_arrays().filter(|(_, array)| array.keeper == Keeper::Own(id));
        let own: Vec<(ArrayId, Array)> = own.map(|(id, array)| (id, array.clone())).collect();
        for (array, data) in own {
            let slot = self.array_variables(&mut frame.variables, &data);
            frame.arrays.insert(array, slot);
        }
        if role.pool {
            let name = format!("{}!tid", role.name);
            let (slot, _) = self.variables(&mut frame.variables, &name, Type::Thread, &What::Tid);
            frame.tid = slot.value.scalar();
            frame.tid_slot = Some(slot.first);
        }
    }

    /// A value that is the same in every execution.
    pub fn fixed(&mut self, fixed: Fixed, ty: Type) -> Sym {
        match fixed {
            Fixed::Thing(thing) => self.pointer(self.memory.things.get(thing).number, 0),
            Fixed::Thread(id) => Sym::Scalar(self.number(id.0 + 1)),
            Fixed::Constant(value) => self.constant(value, ty),
        }
    }

    pub fn local_ranges(&mut self, id: TemplateId) -> Term {
        let frame = &self.frames[id.index()];
        let (tid, pool) = (frame.tid, frame.tid_slot.is_some());
        let slots: Vec<Slot> = frame.locals.values().chain(frame.cells.values()).copied().collect();
        let mut ranges: Vec<Term> = slots
            .iter()
            .map(|slot| self.types.in_range(&mut self.terms, slot.value, slot.ty))
            .collect();
        if pool {
            ranges.push(self.of_pool(tid));
        }
        ranges.sort();
        self.terms.and(&ranges)
    }

    /// That a number is greater than that of any instance.
    pub fn of_pool(&mut self, tid: Term) -> Term {
        let last = self.number(self.roles.instances);
        match self.types.id_sort() {
            Sort::Int => self.terms.lt(last, tid),
            _ => self.terms.bv_ult(last, tid),
        }
    }

    /// The positions of the variables that matter at a location.
    pub fn live(&self, id: TemplateId, location: selvedge_ir::LocationId) -> Vec<u32> {
        let frame = &self.frames[id.index()];
        let locals = self.live[id.index()].at(location).iter();
        let locals = locals.filter_map(|local| frame.locals.get(local).copied());
        let cells = frame.live_cells.get(&location).into_iter().flatten();
        let cells = cells.map(|cell| frame.cells[cell]);
        let slots = locals.chain(cells);
        let positions = slots.flat_map(|slot| slot.positions().map(|(at, _)| at));
        let mut arrays: Vec<u32> =
            frame.arrays.values().flat_map(|slot| slot.positions().map(|(at, _)| at)).collect();
        arrays.sort_unstable();
        positions.chain(arrays).chain(frame.tid_slot).collect()
    }

    /// The values that the variables that matter at the entry have when a thread starts with these
    /// arguments; missing ones are zero.
    pub fn begin(&mut self, id: TemplateId, args: &[Sym]) -> Vec<(u32, Term)> {
        let procedure = &self.program.procedures[self.roles.get(id).procedure];
        let mut found = Vec::new();
        let live = self.live[id.index()].at(procedure.entry).to_vec();
        for local in &live {
            let slot = self.frames[id.index()].locals[local];
            let arg = procedure.params.iter().position(|param| param == local);
            let value = match arg.and_then(|position| args.get(position)) {
                Some(value) => *value,
                None => self.zero(slot.ty),
            };
            found.extend(slot.positions().map(|(at, _)| at).zip(value.terms()));
        }
        let frame = &self.frames[id.index()];
        let cells = frame.live_cells.get(&procedure.entry).cloned().unwrap_or_default();
        for cell in cells {
            let slot = self.frames[id.index()].cells[&cell];
            let initial = self.memory.cell(cell).initial;
            let value = self.constant(initial, slot.ty);
            found.extend(slot.positions().map(|(at, _)| at).zip(value.terms()));
        }
        let mut arrays: Vec<(ArrayId, ArraySlot)> =
            self.frames[id.index()].arrays.iter().map(|(id, slot)| (*id, *slot)).collect();
        arrays.sort_by_key(|(id, _)| *id);
        for (array, slot) in arrays {
            let initial = self.initial_array(array);
            found.extend(slot.positions().map(|(at, _)| at).zip(initial.terms()));
        }
        found
    }
}

/// Regions that several threads access, at least one of them by a write, at least one not atomically.
fn racing(prepared: &Prepared, options: &Options, roles: &Roles) -> FxHashSet<RegionId> {
    let mut users: FxHashMap<RegionId, (BTreeSet<TemplateId>, bool, bool)> = FxHashMap::default();
    if !options.checks(Property::Race) {
        return FxHashSet::default();
    }
    for (id, role) in roles.iter() {
        for (_, edge) in prepared.program.procedures[role.procedure].edges() {
            let Some(region) = edge.action.place().and_then(|place| place.region) else { continue };
            let (write, mode) = match &edge.action {
                Action::Load { mode, .. } => (false, *mode),
                Action::Store { mode, .. } => (true, *mode),
                _ => (true, Mode::Atomic),
            };
            let (by, writes, plain) = users.entry(region).or_default();
            by.insert(id);
            *writes |= write;
            *plain |= mode == Mode::Plain;
        }
    }
    let several =
        |by: &BTreeSet<TemplateId>| by.len() > 1 || by.iter().any(|id| roles.get(*id).pool);
    let racing = users.into_iter().filter(|(region, (by, writes, plain))| {
        several(by) && *writes && *plain && !prepared.regions.private.contains(*region)
    });
    racing.map(|(region, _)| region).collect()
}

fn what_of(cell: &Cell) -> What {
    match cell.region {
        None => What::Alive,
        Some(region) if cell.flag => What::Written { region },
        Some(region) => What::Cell { region, ty: cell.ty },
    }
}

/// Constants read nothing.
struct NoScope;

impl Scope for NoScope {
    fn local(&mut self, _local: LocalId) -> Sym {
        unreachable!("a constant has no locals")
    }

    fn thread(&mut self) -> Term {
        unreachable!("a constant does not depend on the thread")
    }

    fn own_object(&mut self, _object: ObjectId) -> Term {
        unreachable!("the initial content of shared memory names no thread's own")
    }
}
