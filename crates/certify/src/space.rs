//! The state of a program as variables: what is shared, and what each thread has.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, EdgeId, Expr, LocalId, LocationId, ObjectId, ProcId, Procedure, Program, Type,
};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;
use selvedge_smt::{Op, Sort, Term, Terms};

use crate::certificate::Arithmetic;
use crate::cuts::{cuts, is_inside};
use crate::expr::Scope;
use crate::memory::{Array, ArrayId, CellId, Content, Half, Index, Keeper, Known, Memory};
use crate::names;
use crate::objects::Source;
use crate::threads::{ThreadId, Threads};
use crate::word::{Val, Words};

/// How variables are called that stand for any value.
pub const INPUT: &str = "input";

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
    /// Memory that only this thread has to do with.
    Own(CellId),
    Tid,
    Result,
}

/// A thread among those looked at together: an instance, or the so-manieth of a pool, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    pub thread: ThreadId,
    pub copy: usize,
}

/// What a variable can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Scalar(Type),
    /// Arrays.
    Sort(Sort),
}

impl Kind {
    pub fn ty(self) -> Option<Type> {
        match self {
            Kind::Scalar(ty) => Some(ty),
            Kind::Sort(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub value: Val,
    pub kind: Kind,
    pub initial: Option<Val>,
}

/// What a thread has: its variables by name, in the first copy.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub keys: Vec<(Key, String, Kind)>,
}

pub struct Space<'a> {
    pub prepared: &'a Prepared,
    pub program: &'a Program,
    pub words: Words,
    pub terms: Terms,
    pub threads: Threads,
    pub cuts: FxHashMap<ProcId, BitSet<LocationId>>,
    pub shared: Vec<Variable>,
    pub memory: Memory,
    /// Of what is shared: positions in [`Space::shared`].
    pub cells: FxHashMap<CellId, usize>,
    /// What each cell begins with; none if that may be anything.
    pub initials: FxHashMap<CellId, Option<Val>>,
    /// The number of the next object, and which have been freed.
    pub objects: Option<usize>,
    pub freed: Option<usize>,
    /// By instance.
    pub done: Vec<usize>,
    pub results: Vec<Option<usize>>,
    pub token: Option<usize>,
    pub frames: Vec<Frame>,
    /// What a thread's variables are sure to be where it stands.
    pub facts: FxHashMap<(ThreadId, LocationId), Vec<(Key, Val)>>,
    /// The thread that the program begins with, if it is one: what it knows of shared memory by
    /// location, and what all others find.
    pub first: Option<ThreadId>,
    pub settled: FxHashMap<LocationId, Known>,
    pub found: Known,
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
            memory: Memory::default(),
            cells: FxHashMap::default(),
            initials: FxHashMap::default(),
            objects: None,
            freed: None,
            done: Vec::new(),
            results: Vec::new(),
            token: None,
            frames: Vec::new(),
            facts: FxHashMap::default(),
            first: None,
            settled: FxHashMap::default(),
            found: Known::default(),
            copies: FxHashMap::default(),
            names: FxHashSet::default(),
        };
        space.memory = Memory::of(prepared, &space.threads);
        space.share_memory();
        space.share_objects();
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

    /// Any value of a type.
    pub fn fresh(&mut self, ty: Type) -> Val {
        let diff = self.words.int_sort(self.program.model.diff_type());
        let id = self.words.id_sort();
        match ty {
            Type::Bool => Val::One(self.terms.fresh(INPUT, Sort::Bool)),
            Type::Int(int) => Val::One(self.terms.fresh(INPUT, self.words.int_sort(int))),
            Type::Thread => Val::One(self.terms.fresh(INPUT, id)),
            Type::Ptr => Val::Two(self.terms.fresh(INPUT, id), self.terms.fresh(INPUT, diff)),
        }
    }

    fn share(&mut self, name: &str, kind: Kind, initial: Option<Val>) -> usize {
        let name = self.unique(name);
        let value = self.variable(&name, kind);
        self.shared.push(Variable { value, kind, initial });
        self.shared.len() - 1
    }

    fn variable(&mut self, name: &str, kind: Kind) -> Val {
        match kind {
            Kind::Scalar(ty) => self.words.variable(&mut self.terms, name, ty),
            Kind::Sort(sort) => Val::One(self.terms.var(name, sort)),
        }
    }

    fn share_memory(&mut self) {
        for id in self.memory.ids() {
            let initial = self.cell_initial(id);
            let kind = self.cell_kind(id);
            let cell = self.memory.cell(id).clone();
            let initial = match (cell.keeper, initial) {
                // The same unknown value at every read.
                (Keeper::Constant, None) => {
                    let name = self.unique("initial content");
                    Some(self.variable(&name, kind))
                }
                _ => initial,
            };
            self.initials.insert(id, initial);
            if cell.keeper == Keeper::Shared {
                let at = self.share(&cell.name, kind, initial);
                self.cells.insert(id, at);
            }
        }
    }

    fn share_objects(&mut self) {
        if !self.memory.objects.has_sites() {
            return;
        }
        let first = self.memory.objects.first;
        let first = Val::One(self.words.id(&mut self.terms, first));
        self.objects = Some(self.share("objects", Kind::Scalar(Type::Thread), Some(first)));
        if self.memory.frees_sites {
            let no = self.terms.bool(false);
            let none = self.terms.const_array(self.words.id_sort(), no);
            let kind = Kind::Sort(self.terms.sort(none));
            self.freed = Some(self.share("freed", kind, Some(Val::One(none))));
        }
    }

    fn cell_kind(&mut self, id: CellId) -> Kind {
        match self.memory.cell(id).content {
            Content::Scalar(ty, _) => Kind::Scalar(ty),
            Content::Elements(array, half) => {
                let ty = self.memory.array(array).ty;
                let element = match (half, ty) {
                    (Half::Object, _) | (_, Type::Thread) => self.words.id_sort(),
                    (Half::Offset, _) | (_, Type::Ptr) => {
                        self.words.int_sort(self.program.model.diff_type())
                    }
                    (Half::Whole, Type::Bool) => Sort::Bool,
                    (Half::Whole, Type::Int(int)) => self.words.int_sort(int),
                };
                let index = self.index_sort(self.memory.array(array).index);
                Kind::Sort(self.terms.array_sort(index, element))
            }
            Content::Written(array) => {
                let index = self.index_sort(self.memory.array(array).index);
                Kind::Sort(self.terms.array_sort(index, Sort::Bool))
            }
        }
    }

    pub fn index_sort(&self, index: Index) -> Sort {
        let offset = u32::from(self.program.model.diff_type().width);
        match (self.words.arithmetic, index) {
            (Arithmetic::Bits, Index::Object) => Sort::BitVec(crate::word::ID_BITS),
            (Arithmetic::Bits, Index::Position) => Sort::BitVec(offset),
            (Arithmetic::Bits, Index::Both) => Sort::BitVec(crate::word::ID_BITS + offset),
            _ => Sort::Int,
        }
    }

    /// What a cell begins with; none if that may be anything.
    fn cell_initial(&mut self, id: CellId) -> Option<Val> {
        match self.memory.cell(id).content.clone() {
            Content::Scalar(ty, value) => self.constant(value?, ty),
            Content::Elements(array, half) => self.initial_elements(array, half),
            Content::Written(array) => Some(self.initially_written(array)),
        }
    }

    /// A constant of any thread.
    fn constant(&mut self, value: Const, ty: Type) -> Option<Val> {
        let any = self.program.procedures.values().next()?;
        let tid = self.terms.bool(true);
        let (words, program) = (self.words, self.program);
        let (locals, own) = (FxHashMap::default(), FxHashMap::default());
        let mut scope = Scope::new(&mut self.terms, words, program, any, &locals, tid, &own);
        let value = scope.eval(&Expr::cast(ty, Expr::Const(value)));
        scope.needs.is_empty().then_some(value)
    }

    fn initial_elements(&mut self, id: ArrayId, half: Half) -> Option<Val> {
        let array = self.memory.array(id).clone();
        let sort = self.index_sort(array.index);
        let part = |value: Val| match (value, half) {
            (Val::Two(_, offset), Half::Offset) => offset,
            (value, _) => value.one(),
        };
        let zero = part(self.words.zero(&mut self.terms, array.ty));
        let mut elements = self.terms.const_array(sort, zero);
        let size = array.ty.size(self.program.model) as i64;
        for &thing in &array.things {
            let thing = self.memory.objects.thing(thing).clone();
            for (at, value) in thing.initial {
                let (at, length) = (at as i64, value.ty().size(self.program.model) as i64);
                if !touches(&array, at, length, size) {
                    continue;
                }
                let exact =
                    (at - array.start).checked_rem(array.stride).unwrap_or(at - array.start);
                if exact != 0 || value.ty() != array.ty {
                    return None;
                }
                let value = part(self.constant(value, array.ty)?);
                let object = self.words.id(&mut self.terms, thing.number);
                let offset = self.offset(at);
                let index = self.array_index(&array, object, offset);
                elements = self.terms.store(elements, index, value);
            }
        }
        Some(Val::One(elements))
    }

    fn initially_written(&mut self, id: ArrayId) -> Val {
        let array = self.memory.array(id).clone();
        let sort = self.index_sort(array.index);
        let rest = array.sites_zeroed;
        let all = self.terms.bool(rest);
        let mut written = self.terms.const_array(sort, all);
        for &(thing, zeroed) in array.zeroed.iter().filter(|(_, zeroed)| *zeroed != rest) {
            // Where objects differ in this, the index is the number of the object.
            let number = self.memory.objects.thing(thing).number;
            let object = self.words.id(&mut self.terms, number);
            let is = self.terms.bool(zeroed);
            written = self.terms.store(written, object, is);
        }
        Val::One(written)
    }

    pub fn offset(&mut self, bytes: i64) -> Term {
        let int = self.program.model.diff_type();
        self.words.number(&mut self.terms, i128::from(bytes), int).term
    }

    /// The index of the element at an object's offset, which is one of an element.
    pub fn array_index(&mut self, array: &Array, object: Term, offset: Term) -> Term {
        let bits = self.words.arithmetic == Arithmetic::Bits;
        match array.index {
            Index::Object => object,
            Index::Position if bits => offset,
            Index::Both if bits => self.terms.concat(object, offset),
            Index::Position => {
                let start = self.terms.int(array.start);
                let distance = self.terms.sub(offset, start);
                divided(&mut self.terms, distance, array.stride)
            }
            Index::Both => {
                let many = self.terms.int(1u64 << 32);
                let base = self.terms.mul(&[many, object]);
                self.terms.add(&[base, offset])
            }
        }
    }

    /// The numbers of a thread's instances of the variables that each thread has.
    pub fn own_objects(&self, thread: ThreadId) -> FxHashMap<ObjectId, u32> {
        let objects = &self.memory.objects;
        let pool = self.threads.get(thread).pool;
        let mut found = FxHashMap::default();
        for id in self.program.objects.keys() {
            if let Some(thing) = objects.find(Source::Own(thread, id))
                && !(pool && objects.told_apart.contains(&id))
            {
                found.insert(id, objects.thing(thing).number);
            }
        }
        found
    }

    fn ends(&mut self) {
        for id in (0..self.threads.instances).map(ThreadId) {
            let name = self.threads.get(id).name.clone();
            let no = Val::One(self.terms.bool(false));
            let done = self.share(&format!("{name}.done"), Kind::Scalar(Type::Bool), Some(no));
            self.done.push(done);
            let result = self.result_type(id).map(|ty| {
                let zero = self.words.zero(&mut self.terms, ty);
                self.share(&format!("{name}.result"), Kind::Scalar(ty), Some(zero))
            });
            self.results.push(result);
        }
    }

    /// The type of what a thread returns, if it returns anything that somebody can get: a return
    /// from main ends the program.
    pub fn result_type(&self, id: ThreadId) -> Option<Type> {
        let procedure = self.procedure(id);
        let ends = procedure.edges().filter_map(|(_, edge)| match &edge.action {
            Action::EndThread { value: Some(value) } => Some(value.ty(self.program, procedure)),
            _ => None,
        });
        let result = procedure.result.filter(|_| !self.threads.get(id).main);
        result.map(|local| procedure.locals[local].ty).into_iter().chain(ends).next()
    }

    fn make_token(&mut self) {
        let inside = self.cuts.iter().any(|(id, cuts)| {
            cuts.iter().any(|location| is_inside(&self.program.procedures[*id], location))
        });
        if inside {
            let nobody = Val::One(self.words.id(&mut self.terms, 0));
            self.token = Some(self.share("token", Kind::Scalar(Type::Thread), Some(nobody)));
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
            frame.keys.push((Key::Local(local), name, Kind::Scalar(data.ty)));
        }
        for cell in self.memory.ids() {
            if self.memory.cell(cell).keeper == Keeper::Own(id) {
                let name = self.memory.cell(cell).name.clone();
                let name = self.unique(&name);
                let kind = self.cell_kind(cell);
                frame.keys.push((Key::Own(cell), name, kind));
            }
        }
        if thread.pool {
            let name = self.unique(&names::local(&thread.name, 1, names::TID));
            frame.keys.push((Key::Tid, name, Kind::Scalar(Type::Thread)));
            if let Some(ty) = self.result_type(id) {
                let name = self.unique(&names::local(&thread.name, 1, names::RESULT));
                frame.keys.push((Key::Result, name, Kind::Scalar(ty)));
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
        let (_, first, kind) = frame.keys.iter().find(|(known, ..)| *known == key)?;
        let (first, kind) = (first.clone(), *kind);
        let name = match slot.copy {
            1 => first,
            copy => {
                let thread = self.threads.get(slot.thread).name.clone();
                let prefix = names::local(&thread, 1, "");
                let rest = first.strip_prefix(&prefix).unwrap_or(&first).to_owned();
                self.unique(&names::local(&thread, copy, &rest))
            }
        };
        let value = self.variable(&name, kind);
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
        frame.keys.iter().find(|(known, ..)| *known == key).and_then(|(_, _, kind)| kind.ty())
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

    /// All variables of a thread. Where one is not live, it keeps its last value.
    pub fn keys(&self, thread: ThreadId) -> Vec<Key> {
        self.frames[thread.index()].keys.iter().map(|(key, ..)| *key).collect()
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

/// Whether bytes touch a scalar of an array.
fn touches(array: &Array, at: i64, length: i64, size: i64) -> bool {
    match array.stride {
        0 => at < array.start + size && array.start < at + length,
        stride => {
            let from = (at - array.start).rem_euclid(stride);
            at + length > array.start && (from < size || from + length > stride)
        }
    }
}

/// A multiple of a number divided by it: read off the term where that can be.
fn divided(terms: &mut Terms, term: Term, by: i64) -> Term {
    match quotient(terms, term, by) {
        Some(exact) => exact,
        None => {
            let by = terms.int(by);
            terms.div(term, by)
        }
    }
}

fn quotient(terms: &mut Terms, term: Term, by: i64) -> Option<Term> {
    if let Some(value) = terms.constant(term) {
        let value = i64::try_from(value.as_int()?).ok()?;
        return (value % by == 0).then(|| terms.int(value / by));
    }
    let args = terms.args(term).to_vec();
    match terms.op(term) {
        Op::Add => {
            let parts: Option<Vec<Term>> =
                args.into_iter().map(|part| quotient(terms, part, by)).collect();
            Some(terms.add(&parts?))
        }
        Op::Mul => {
            let constant = args.iter().position(|&arg| terms.constant(arg).is_some())?;
            let mut parts = args;
            parts[constant] = quotient(terms, parts[constant], by)?;
            Some(terms.mul(&parts))
        }
        _ => None,
    }
}
