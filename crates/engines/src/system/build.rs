//! Building a system from a prepared program.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_exec::Stop;
use selvedge_ir::{Action, Const, Expr, LocalId, ProcId, Program, Sharing, Span, Type};
use selvedge_passes::Prepared;
use selvedge_smt::translate::{Scope, Sym, Translator, Types};
use selvedge_smt::{Sort, Term, Terms};

use super::cuts::Cuts;
use super::keep::{Frame, Slot, live_cells};
use super::memory::{CellId, Keeper, Memory};
use super::roles::Roles;
use super::tids::Tids;
use super::walk::Walk;
use super::{At, Location, Options, System, Template, TemplateId, Variable, What};

impl System {
    pub fn build(prepared: &Prepared, options: &Options) -> Result<System, Stop> {
        let own = prepared.program.objects.values().find(|o| o.sharing == Sharing::PerThread);
        if let Some(object) = own {
            let what = format!("a variable that each thread has: {}", object.name);
            return Err(Stop::Unsupported { what, span: object.span });
        }
        let roles = Roles::of(&prepared.program);
        let mut builder = Builder::new(prepared, options, &roles);
        builder.shared_cells();
        builder.shared_ends();
        builder.token();
        builder.frames();
        Ok(builder.finish())
    }
}

pub(super) struct Builder<'a> {
    pub prepared: &'a Prepared,
    pub program: &'a Program,
    pub options: &'a Options,
    pub roles: &'a Roles,
    pub tids: Tids<'a>,
    pub memory: Memory,
    pub cuts: FxHashMap<ProcId, Cuts>,
    pub terms: Terms,
    pub types: Types,
    pub shared: Vec<Variable>,
    initial: Vec<Term>,
    ranges: Vec<Term>,
    pub cells: FxHashMap<CellId, Slot>,
    pub done: FxHashMap<TemplateId, u32>,
    pub results: FxHashMap<TemplateId, Slot>,
    pub token: Option<u32>,
    pub frames: Vec<Frame>,
    names: FxHashSet<String>,
}

impl<'a> Builder<'a> {
    fn new(prepared: &'a Prepared, options: &'a Options, roles: &'a Roles) -> Builder<'a> {
        let program = &prepared.program;
        let mut cuts = FxHashMap::default();
        for (_, role) in roles.iter() {
            let procedure = &program.procedures[role.procedure];
            cuts.entry(role.procedure).or_insert_with(|| Cuts::of(procedure));
        }
        Builder {
            prepared,
            program,
            options,
            roles,
            tids: Tids::of(program, roles),
            memory: Memory::of(prepared, roles),
            cuts,
            terms: Terms::new(),
            types: Types { arithmetic: options.arithmetic, model: program.model },
            shared: Vec::new(),
            initial: Vec::new(),
            ranges: Vec::new(),
            cells: FxHashMap::default(),
            done: FxHashMap::default(),
            results: FxHashMap::default(),
            token: None,
            frames: Vec::new(),
            names: FxHashSet::default(),
        }
    }

    /// The name, or the name with a number behind it that makes it unique.
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

    /// A constant that is no pointer into an instance of a variable that each thread has.
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

    fn shared_cells(&mut self) {
        let cells: Vec<_> = self.memory.iter().map(|(id, cell)| (id, cell.clone())).collect();
        for (id, cell) in cells {
            if cell.keeper == Keeper::Shared {
                let initial = self.constant(cell.initial, cell.ty);
                let what = What::Cell { region: cell.region, ty: cell.ty };
                let slot = self.share(&cell.name, cell.ty, &what, initial);
                self.cells.insert(id, slot);
            }
        }
    }

    /// The ends of the instances that may be waited for.
    fn shared_ends(&mut self) {
        let mut joined: BTreeSet<TemplateId> = BTreeSet::new();
        let mut asked: BTreeSet<TemplateId> = BTreeSet::new();
        for (_, role) in self.roles.iter() {
            for (_, edge) in self.program.procedures[role.procedure].edges() {
                let Action::Join { thread, to } = &edge.action else { continue };
                let threads = self.tids.of_expr(role.procedure, thread);
                if to.is_some() {
                    asked.extend(threads.iter());
                }
                joined.extend(threads);
            }
        }
        for id in joined.into_iter().filter(|id| !self.roles.get(*id).pool) {
            let name = self.roles.get(id).name.clone();
            let no = Sym::Scalar(self.terms.bool(false));
            let slot = self.share(&format!("{name}.done"), Type::Bool, &What::Done(id), no);
            self.done.insert(id, slot.first);
            if let (Some(ty), true) = (self.result_type(id), asked.contains(&id)) {
                let zero = self.zero(ty);
                let slot = self.share(&format!("{name}.result"), ty, &What::Result(id), zero);
                self.results.insert(id, slot);
            }
        }
    }

    /// The type of what a thread returns; none if it returns nothing.
    pub fn result_type(&self, id: TemplateId) -> Option<Type> {
        let procedure = &self.program.procedures[self.roles.get(id).procedure];
        let ends = procedure.edges().filter_map(|(_, edge)| match &edge.action {
            Action::EndThread { value: Some(value) } => Some(value.ty(self.program, procedure)),
            _ => None,
        });
        let result = procedure.result.map(|local| procedure.locals[local].ty);
        result.into_iter().chain(ends).next()
    }

    /// Only where a thread may stand inside an atomic block.
    fn token(&mut self) {
        let inside = self.cuts.iter().any(|(id, cuts)| {
            let procedure = &self.program.procedures[*id];
            cuts.iter().any(|location| super::walk::is_inside(procedure, location))
        });
        if inside {
            let nobody = Sym::Scalar(self.number(0));
            let slot = self.share("token", Type::Thread, &What::Token, nobody);
            self.token = Some(slot.first);
        }
    }

    fn frames(&mut self) {
        for (id, _) in self.roles.iter() {
            let frame = self.frame(id);
            self.frames.push(frame);
        }
    }

    fn frame(&mut self, id: TemplateId) -> Frame {
        let role = self.roles.get(id);
        let procedure = &self.program.procedures[role.procedure];
        let live_cells = live_cells(procedure, &self.memory, id);
        let mut wanted: BTreeSet<LocalId> = BTreeSet::new();
        let mut cells: BTreeSet<CellId> = BTreeSet::new();
        for location in self.cuts[&role.procedure].iter() {
            wanted.extend(self.prepared.liveness.live(role.procedure, location));
            cells.extend(live_cells.get(&location).into_iter().flatten());
        }
        let mut frame = Frame {
            variables: Vec::new(),
            locals: FxHashMap::default(),
            cells: FxHashMap::default(),
            tid: self.number(id.0 + 1),
            tid_slot: None,
            live_cells,
        };
        for local in wanted {
            let data = &procedure.locals[local];
            let name = format!("{}!{}", role.name, data.name);
            let what = What::Local { local, ty: data.ty };
            let (slot, _) = self.variables(&mut frame.variables, &name, data.ty, &what);
            frame.locals.insert(local, slot);
        }
        for cell in cells {
            let data = self.memory.cell(cell).clone();
            let what = What::Cell { region: data.region, ty: data.ty };
            let (slot, _) = self.variables(&mut frame.variables, &data.name, data.ty, &what);
            frame.cells.insert(cell, slot);
        }
        if role.pool {
            let name = format!("{}!tid", role.name);
            let (slot, _) = self.variables(&mut frame.variables, &name, Type::Thread, &What::Tid);
            frame.tid = slot.value.scalar();
            frame.tid_slot = Some(slot.first);
        }
        frame
    }

    fn finish(mut self) -> System {
        let templates = (0..self.roles.list.len()).map(TemplateId::at);
        let templates: Vec<Template> = templates.map(|id| self.template(id)).collect();
        let initial = self.terms.and(&self.initial);
        let ranges = self.terms.and(&self.ranges);
        System {
            terms: self.terms,
            arithmetic: self.options.arithmetic,
            model: self.program.model,
            shared: self.shared,
            templates,
            initial,
            ranges,
        }
    }

    fn template(&mut self, id: TemplateId) -> Template {
        let role = self.roles.get(id);
        let ranges = self.local_ranges(id);
        let begin = self.begin(id, &[]);
        let walked = Walk::new(self, id).run();
        let procedure = &self.program.procedures[role.procedure];
        let locations = walked.locations.iter().map(|&location| Location {
            location,
            atomic: super::walk::is_inside(procedure, location),
            live: self.live(id, location),
            span: procedure.locations[location].edges.first().map_or(Span::NONE, |e| e.span),
        });
        Template {
            name: role.name.clone(),
            procedure: role.procedure,
            pool: role.pool,
            initial: role.initial,
            begin,
            tid: self.frames[id.index()].tid,
            locations: locations.collect(),
            locals: self.frames[id.index()].variables.clone(),
            ranges,
            entry: At::Cut(0),
            steps: walked.steps,
            accesses: Vec::new(),
        }
    }

    fn local_ranges(&mut self, id: TemplateId) -> Term {
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
    fn live(&self, id: TemplateId, location: selvedge_ir::LocationId) -> Vec<u32> {
        let frame = &self.frames[id.index()];
        let procedure = self.roles.get(id).procedure;
        let locals = self.prepared.liveness.live(procedure, location).iter();
        let locals = locals.map(|local| frame.locals[local]);
        let cells = frame.live_cells.get(&location).into_iter().flatten();
        let cells = cells.map(|cell| frame.cells[cell]);
        let slots = locals.chain(cells);
        let positions = slots.flat_map(|slot| slot.positions().map(|(at, _)| at));
        positions.chain(frame.tid_slot).collect()
    }

    /// The values that the variables that matter at the entry have when a thread starts with these
    /// arguments; missing ones are zero.
    pub fn begin(&mut self, id: TemplateId, args: &[Sym]) -> Vec<(u32, Term)> {
        let procedure = &self.program.procedures[self.roles.get(id).procedure];
        let mut found = Vec::new();
        let live = self.prepared.liveness.live(self.roles.get(id).procedure, procedure.entry);
        for local in live {
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
        found
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

    fn own_object(&mut self, _object: selvedge_ir::ObjectId) -> Term {
        unreachable!("the initial content of shared memory names no thread's own")
    }
}
