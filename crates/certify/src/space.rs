//! The state of a program as variables: what is shared, and what each thread has.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, EdgeId, LocalId, LocationId, ObjectId, ProcId, Procedure, Program, RegionId,
    Sharing, Type,
};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;
use selvedge_smt::{Sort, Term, Terms};

use crate::certificate::Arithmetic;
use crate::cuts::{cuts, is_inside};
use crate::expr::Scope;
use crate::names;
use crate::threads::{ThreadId, Threads};
use crate::word::{Val, Words};

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    Unstarted,
    Cut(LocationId),
    Ended,
}

impl At {
    pub fn name(self) -> String {
        match self {
            At::Unstarted => names::UNSTARTED.to_owned(),
            At::Cut(location) => names::location(location),
            At::Ended => names::ENDED.to_owned(),
        }
    }

    /// As an exposed location has it.
    pub fn code(self) -> i64 {
        match self {
            At::Unstarted => names::location_code(None, false),
            At::Cut(location) => names::location_code(Some(location), false),
            At::Ended => names::location_code(None, true),
        }
    }
}

/// A variable of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Local(LocalId),
    /// Memory that only this thread accesses.
    Own(RegionId),
    Tid,
    Result,
}

/// A thread among those looked at together: an instance, or the so-manieth of a pool, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    pub thread: ThreadId,
    pub copy: usize,
}

/// A scalar in memory.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub object: ObjectId,
    pub offset: i64,
    pub ty: Type,
    /// None if it may begin with any value.
    pub initial: Option<Val>,
    pub keeper: Keeper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// Nobody writes it.
    Constant,
    Own(ThreadId),
    /// A position in [`Space::shared`].
    Shared(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub value: Val,
    pub ty: Type,
    pub initial: Option<Val>,
}

/// What a thread has: its variables by name, in the first copy.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub keys: Vec<(Key, String, Type)>,
}

pub struct Space<'a> {
    pub prepared: &'a Prepared,
    pub program: &'a Program,
    pub words: Words,
    pub terms: Terms,
    pub threads: Threads,
    pub cuts: FxHashMap<ProcId, BitSet<LocationId>>,
    pub shared: Vec<Variable>,
    pub cells: FxHashMap<RegionId, Result<Cell, String>>,
    /// By instance.
    pub done: Vec<usize>,
    pub results: Vec<Option<usize>>,
    pub token: Option<usize>,
    pub frames: Vec<Frame>,
    copies: FxHashMap<(Slot, Key), Val>,
    names: FxHashSet<String>,
}

impl<'a> Space<'a> {
    pub fn of(prepared: &'a Prepared, arithmetic: Arithmetic) -> Space<'a> {
        let program = &prepared.program;
        let threads = Threads::of(program);
        let used: BTreeSet<ProcId> = threads.list.iter().map(|t| t.procedure).collect();
        let cuts = used.into_iter().map(|id| (id, cuts(&program.procedures[id]))).collect();
        let mut space = Space {
            prepared,
            program,
            words: Words { arithmetic, model: program.model },
            terms: Terms::new(),
            threads,
            cuts,
            shared: Vec::new(),
            cells: FxHashMap::default(),
            done: Vec::new(),
            results: Vec::new(),
            token: None,
            frames: Vec::new(),
            copies: FxHashMap::default(),
            names: FxHashSet::default(),
        };
        space.memory();
        space.ends();
        space.make_token();
        for id in space.threads.ids() {
            let frame = space.frame(id);
            space.frames.push(frame);
        }
        space
    }

    /// A name that no other variable has.
    pub fn unique(&mut self, name: &str) -> String {
        let name = name.replace(['|', '\\'], "_");
        let mut unique = name.clone();
        let mut count = 1;
        while self.terms.lookup(&unique).is_some() || !self.names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        unique
    }

    fn share(&mut self, name: &str, ty: Type, initial: Option<Val>) -> usize {
        let name = self.unique(name);
        let value = self.words.variable(&mut self.terms, &name, ty);
        self.shared.push(Variable { value, ty, initial });
        self.shared.len() - 1
    }

    fn memory(&mut self) {
        let uses = Uses::of(self.program, &self.threads);
        let regions: Vec<RegionId> = self.program.regions.keys().collect();
        for region in regions {
            let cell = self.cell(region, &uses);
            self.cells.insert(region, cell);
        }
    }

    fn cell(&mut self, region: RegionId, uses: &Uses) -> Result<Cell, String> {
        let data = &self.program.regions[region];
        let exact = self.prepared.regions.exact.get(&region);
        let (Some(&(object, offset)), Some(ty)) = (exact, data.ty) else {
            return Err(format!("memory that is not one variable: {}", data.name));
        };
        if self.program.objects[object].sharing == Sharing::PerThread {
            return Err(format!("a variable that each thread has: {}", data.name));
        }
        let initial = self.initial(object, offset, ty);
        let keeper = match uses.keeper(region, &self.threads) {
            Some(keeper) => keeper,
            None => Keeper::Shared(self.share(&data.name.clone(), ty, initial)),
        };
        let initial = match keeper {
            // The same unknown value at every read.
            Keeper::Constant => initial.or_else(|| {
                let name = self.unique("initial content");
                Some(self.words.variable(&mut self.terms, &name, ty))
            }),
            _ => initial,
        };
        Ok(Cell { object, offset, ty, initial, keeper })
    }

    /// The initial content of a scalar; none where initial values cut it.
    fn initial(&mut self, object: ObjectId, offset: i64, ty: Type) -> Option<Val> {
        let model = self.program.model;
        let size = ty.size(model) as i64;
        let overlaps = |&&(at, value): &&(u64, Const)| {
            let at = at as i64;
            at < offset + size && offset < at + value.ty().size(model) as i64
        };
        let values: Vec<_> = self.program.objects[object].init.iter().filter(overlaps).collect();
        match values[..] {
            [] => Some(self.words.zero(&mut self.terms, ty)),
            [&(at, value)] if at as i64 == offset && value.ty() == ty => {
                let any = self.program.procedures.values().next()?;
                let tid = self.terms.bool(true);
                let (words, program) = (self.words, self.program);
                let locals = FxHashMap::default();
                let mut scope = Scope::new(&mut self.terms, words, program, any, &locals, tid);
                let value = scope.constant(value);
                scope.needs.is_empty().then_some(value)
            }
            _ => None,
        }
    }

    fn ends(&mut self) {
        for id in (0..self.threads.instances).map(ThreadId) {
            let name = self.threads.get(id).name.clone();
            let no = Val::One(self.terms.bool(false));
            let done = self.share(&format!("{name}.done"), Type::Bool, Some(no));
            self.done.push(done);
            let result = self.result_type(id).map(|ty| {
                let zero = self.words.zero(&mut self.terms, ty);
                self.share(&format!("{name}.result"), ty, Some(zero))
            });
            self.results.push(result);
        }
    }

    /// The type of what a thread returns, if it returns anything.
    pub fn result_type(&self, id: ThreadId) -> Option<Type> {
        let procedure = self.procedure(id);
        let ends = procedure.edges().filter_map(|(_, edge)| match &edge.action {
            Action::EndThread { value: Some(value) } => Some(value.ty(self.program, procedure)),
            _ => None,
        });
        procedure.result.map(|local| procedure.locals[local].ty).into_iter().chain(ends).next()
    }

    fn make_token(&mut self) {
        let inside = self.cuts.iter().any(|(id, cuts)| {
            cuts.iter().any(|location| is_inside(&self.program.procedures[*id], location))
        });
        if inside {
            let nobody = Val::One(self.words.id(&mut self.terms, 0));
            self.token = Some(self.share("token", Type::Thread, Some(nobody)));
        }
    }

    pub fn procedure(&self, id: ThreadId) -> &'a Procedure {
        &self.program.procedures[self.threads.get(id).procedure]
    }

    pub fn cuts_of(&self, id: ThreadId) -> &BitSet<LocationId> {
        &self.cuts[&self.threads.get(id).procedure]
    }

    fn frame(&mut self, id: ThreadId) -> Frame {
        let thread = self.threads.get(id).clone();
        let procedure = self.procedure(id);
        let mut live: BTreeSet<LocalId> = BTreeSet::new();
        for location in self.cuts_of(id).iter() {
            live.extend(self.prepared.liveness.live(thread.procedure, location));
        }
        let mut frame = Frame::default();
        for local in live {
            let data = &procedure.locals[local];
            let name = self.unique(&names::local(&thread.name, 1, &data.name));
            frame.keys.push((Key::Local(local), name, data.ty));
        }
        for (region, data) in &self.program.regions {
            if let Ok(Cell { ty, keeper: Keeper::Own(owner), .. }) = self.cells[&region]
                && owner == id
            {
                let name = self.unique(&data.name.clone());
                frame.keys.push((Key::Own(region), name, ty));
            }
        }
        if thread.pool {
            let name = self.unique(&names::local(&thread.name, 1, names::TID));
            frame.keys.push((Key::Tid, name, Type::Thread));
            if let Some(ty) = self.result_type(id) {
                let name = self.unique(&names::local(&thread.name, 1, names::RESULT));
                frame.keys.push((Key::Result, name, ty));
            }
        }
        frame
    }

    /// A variable of a thread.
    pub fn value(&mut self, slot: Slot, key: Key) -> Option<Val> {
        if let Some(&known) = self.copies.get(&(slot, key)) {
            return Some(known);
        }
        let frame = &self.frames[slot.thread.index()];
        let (_, first, ty) = frame.keys.iter().find(|(known, ..)| *known == key)?;
        let (first, ty) = (first.clone(), *ty);
        let name = match slot.copy {
            1 => first,
            copy => {
                let thread = self.threads.get(slot.thread).name.clone();
                let prefix = names::local(&thread, 1, "");
                let rest = first.strip_prefix(&prefix).unwrap_or(&first).to_owned();
                self.unique(&names::local(&thread, copy, &rest))
            }
        };
        let value = self.words.variable(&mut self.terms, &name, ty);
        self.copies.insert((slot, key), value);
        Some(value)
    }

    /// The thread's number.
    pub fn tid(&mut self, slot: Slot) -> Term {
        match self.threads.get(slot.thread).pool {
            true => self.value(slot, Key::Tid).expect("threads of pools have a number").one(),
            false => self.words.id(&mut self.terms, slot.thread.number()),
        }
    }

    pub fn ty(&self, thread: ThreadId, key: Key) -> Option<Type> {
        let frame = &self.frames[thread.index()];
        frame.keys.iter().find(|(known, ..)| *known == key).map(|(_, _, ty)| *ty)
    }

    /// The variables that a thread has at a place.
    pub fn live(&self, thread: ThreadId, at: At) -> Vec<Key> {
        let procedure = self.threads.get(thread).procedure;
        let alive = |key: &Key| match (key, at) {
            (Key::Tid, _) => true,
            (Key::Result, _) => at == At::Ended,
            (Key::Own(_), _) => matches!(at, At::Cut(_)),
            (Key::Local(local), At::Cut(location)) => {
                self.prepared.liveness.is_live(procedure, location, *local)
            }
            (Key::Local(_), _) => false,
        };
        self.frames[thread.index()].keys.iter().map(|(key, ..)| *key).filter(alive).collect()
    }

    /// Where a thread stands once it is started.
    pub fn start(&self, thread: ThreadId) -> At {
        let procedure = self.procedure(thread);
        if procedure.entry == procedure.exit { At::Ended } else { At::Cut(procedure.entry) }
    }

    pub fn is_location(&self, thread: ThreadId, at: At) -> bool {
        match at {
            At::Cut(location) => {
                (location.as_u32() as usize) < self.procedure(thread).locations.len()
                    && self.cuts_of(thread).contains(location)
            }
            At::Unstarted | At::Ended => true,
        }
    }

    /// The location of this name.
    pub fn location(&self, thread: ThreadId, name: &str) -> Option<At> {
        let at = match name {
            names::UNSTARTED => At::Unstarted,
            names::ENDED => At::Ended,
            _ => At::Cut(LocationId::from_u32(name.strip_prefix('L')?.parse().ok()?)),
        };
        (self.is_location(thread, at) && at.name() == name).then_some(at)
    }

    pub fn is_inside(&self, thread: ThreadId, at: At) -> bool {
        matches!(at, At::Cut(location) if is_inside(self.procedure(thread), location))
    }

    /// An integer for what is no machine word: locations, counts.
    pub fn plain(&mut self, name: &str) -> Term {
        let name = self.unique(name);
        self.terms.var(&name, Sort::Int)
    }

    pub fn started(&self, thread: ThreadId, at: EdgeId) -> Option<ThreadId> {
        self.threads.get(thread).starts.get(&at).copied()
    }
}

/// Who accesses each region, and whether anybody writes it.
#[derive(Default)]
struct Uses {
    users: FxHashMap<RegionId, BTreeSet<ThreadId>>,
    written: FxHashSet<RegionId>,
}

impl Uses {
    fn of(program: &Program, threads: &Threads) -> Uses {
        let mut uses = Uses::default();
        for id in threads.ids() {
            for (_, edge) in program.procedures[threads.get(id).procedure].edges() {
                let place = edge.action.place().and_then(|place| place.region);
                let Some(region) = place else { continue };
                uses.users.entry(region).or_default().insert(id);
                if !matches!(edge.action, Action::Load { .. }) {
                    uses.written.insert(region);
                }
            }
        }
        uses
    }

    /// None for what is shared.
    fn keeper(&self, region: RegionId, threads: &Threads) -> Option<Keeper> {
        if !self.written.contains(&region) {
            return Some(Keeper::Constant);
        }
        let mut users = self.users.get(&region).into_iter().flatten();
        match (users.next(), users.next()) {
            (Some(&only), None) if !threads.get(only).pool => Some(Keeper::Own(only)),
            _ => None,
        }
    }
}
