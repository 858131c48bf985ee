//! Canonical bytes of a state.
//!
//! Two states get the same bytes only if they differ in nothing that the future can show:
//!
//! - a local that is not live is left out, and so is a global cell that no one will read ([`super::dead`]);
//! - allocated objects are numbered in the order in which they are first referred to, and what
//!   nothing refers to is left out;
//! - so are open inputs, each with its interval moved to start at 0;
//! - threads are sorted by their local states (names of threads, objects and inputs left out of the
//!   comparison), and identifiers in all values are renamed accordingly. A thread's number has no
//!   meaning in Plato (comparison tells only whether two are the same), so every permutation of
//!   threads is an automorphism of the transition system (Ip, Dill, "Better verification through
//!   symmetry", 1996; Emerson, Sistla, "Symmetry and model checking", 1996). Where threads compare
//!   equal but are referred to differently, the order is arbitrary: two symmetric states may then
//!   both be kept, which costs time but no soundness;
//! - a thread that has ended is kept only while something refers to it.
//!
//! The bytes are a full description: decoding gives one state of the class.

use cranelift_entity::EntityRef;
use selvedge_ir::{Program, Sharing, Storage, Type};
use selvedge_passes::Prepared;

use selvedge_exec::code::Code;
use selvedge_exec::memory::{Fill, HeapObject, Origin};
use selvedge_exec::{Domain, Frame, State, Symbol, SymbolId, Thread, ThreadId, Value};

use super::bytes::{put_i128, put_number, put_type, put_value};
use super::dead::DeadCells;

pub(super) const END: u8 = 0;
pub(super) const OBJECT: u8 = 1;
pub(super) const ENDED: u8 = 2;

/// What encoding and decoding need to know of the program.
pub struct Codec<'p> {
    dead: Option<DeadCells<'p>>,
    /// What is written for a cell that no one will read.
    zeros: Vec<Value>,
    /// For each procedure, its first number in `places`.
    first_place: Vec<u32>,
    pub(super) places: Vec<Place>,
    pub(super) locals: Vec<u32>,
    /// Objects at the start of the heap that keep their places: global variables.
    pub(super) fixed_objects: usize,
    /// How many variables each thread has an instance of.
    pub(super) own: usize,
    symmetry: bool,
}

/// A location of a procedure.
pub(super) struct Place {
    pub procedure: u32,
    pub location: u32,
    /// The live locals.
    pub live: Vec<u32>,
}

/// Names given so far, and memory that is used again.
#[derive(Default)]
pub struct Encoder {
    pub bytes: Vec<u8>,
    keys: Vec<u8>,
    /// For each thread: its key's range, and whether the key is its final form.
    ranges: Vec<(u32, u32, bool)>,
    /// Likewise for the state remembered, and how much of `keys` is about it.
    known_ranges: Vec<(u32, u32, bool)>,
    known: usize,
    /// The new order: the old place of each thread that is kept. Ended threads come last.
    pub order: Vec<u32>,
    threads: Vec<u32>,
    objects: Vec<u32>,
    symbols: Vec<u32>,
    /// Objects and ended threads to be written, by old place.
    queue: Vec<(u8, u32)>,
    objects_named: u32,
    symbols_named: Vec<u32>,
    /// Bits of the cells that may be read again.
    live: Vec<u64>,
}

const UNNAMED: u32 = u32::MAX;

impl<'p> Codec<'p> {
    pub fn new(prepared: &'p Prepared, code: &Code, initial: &State, symmetry: bool) -> Codec<'p> {
        let Prepared { program, liveness, .. } = prepared;
        let mut codec = Codec {
            // Without regions nothing is known about who reads what.
            dead: (!program.regions.is_empty()).then(|| DeadCells::new(prepared, code)),
            zeros: code.static_cells.iter().map(|cell| zero(cell.ty)).collect(),
            first_place: Vec::new(),
            places: Vec::new(),
            locals: Vec::new(),
            fixed_objects: fixed_objects(program, initial),
            own: program.objects.values().filter(|o| o.sharing == Sharing::PerThread).count(),
            symmetry,
        };
        for (id, procedure) in &program.procedures {
            codec.first_place.push(codec.places.len() as u32);
            codec.locals.push(procedure.locals.len() as u32);
            codec.places.extend(procedure.locations.keys().map(|location| Place {
                procedure: id.as_u32(),
                location: location.as_u32(),
                live: liveness.live(id, location).iter().map(|l| l.as_u32()).collect(),
            }));
        }
        codec
    }

    pub(super) fn place(&self, frame: &Frame) -> u32 {
        self.first_place[frame.procedure.index()] + frame.at.as_u32()
    }

    /// The state's canonical bytes are in `encoder.bytes` afterwards.
    pub fn encode(&self, state: &State, encoder: &mut Encoder) {
        self.remember(&State::default(), encoder);
        self.encode_successor(state, usize::MAX, encoder);
    }

    /// Prepares for the successors of a state: what its threads are sorted by is found out once.
    pub fn remember(&self, state: &State, encoder: &mut Encoder) {
        encoder.keys.clear();
        encoder.ranges.clear();
        for index in 0..state.threads.len() {
            encoder.key(self, state, index);
        }
        encoder.known = encoder.keys.len();
        encoder.known_ranges.clone_from(&encoder.ranges);
    }

    /// The threads of the state remembered that stand for the one before them, too: both have the
    /// same local state, and nothing refers to either, so what one can do the other can.
    pub fn twins(&self, state: &State, encoder: &mut Encoder, twins: &mut Vec<bool>) {
        twins.clear();
        twins.resize(state.threads.len(), false);
        if !self.symmetry {
            return;
        }
        let of = |index: usize| {
            let (start, end, last) = encoder.ranges[index];
            (last && start < end).then(|| &encoder.keys[start as usize..end as usize])
        };
        for (index, twin) in twins.iter_mut().enumerate().skip(1) {
            *twin = of(index).is_some_and(|key| of(index - 1) == Some(key));
        }
        if twins.contains(&true) {
            for_each_thread_named(state, |named| {
                twins[named] = false;
                if let Some(next) = twins.get_mut(named + 1) {
                    *next = false;
                }
            });
        }
    }

    /// [`Codec::encode`] for a state that differs from the one remembered in one thread, in memory, and in
    /// threads that were added.
    pub fn encode_successor(&self, state: &State, moved: usize, encoder: &mut Encoder) {
        encoder.start(self, state, moved);
        put_number(&mut encoder.bytes, encoder.order.len() as u64);
        self.statics(state, encoder);
        for index in 0..encoder.order.len() {
            let old = encoder.order[index] as usize;
            let (start, end, last) = encoder.ranges[old];
            if last {
                encoder.bytes.extend_from_slice(&encoder.keys[start as usize..end as usize]);
            } else {
                encoder.thread(self, state, &state.threads[old]);
            }
        }
        let mut next = 0;
        while let Some(&(kind, old)) = encoder.queue.get(next) {
            next += 1;
            encoder.bytes.push(kind);
            match kind {
                OBJECT => encoder.object(state, &state.heap[old as usize]),
                _ => encoder.ended(state, &state.threads[old as usize]),
            }
        }
        encoder.bytes.push(END);
        for index in 0..encoder.symbols_named.len() {
            encoder.symbol(&state.symbols[encoder.symbols_named[index] as usize]);
        }
    }
}

impl Codec<'_> {
    fn statics(&self, state: &State, encoder: &mut Encoder) {
        let Some(dead) = &self.dead else {
            return state.statics.iter().for_each(|&value| encoder.value(state, value));
        };
        let mut live = std::mem::take(&mut encoder.live);
        dead.live(state, &mut live);
        for (cell, &value) in state.statics.iter().enumerate() {
            let read = live[cell / 64] >> (cell % 64) & 1 == 1;
            encoder.value(state, if read { value } else { self.zeros[cell] });
        }
        encoder.live = live;
    }
}

/// Calls `f` with the place of each thread that some value names.
fn for_each_thread_named(state: &State, mut f: impl FnMut(usize)) {
    let mut look = |value: &Value| {
        if let Value::Thread(id) = value
            && let Some(index) = id.index()
        {
            f(index);
        }
    };
    state.statics.iter().for_each(&mut look);
    state.threads.iter().for_each(|thread| {
        thread.locals.iter().for_each(&mut look);
        look(&thread.result);
    });
    state.heap.iter().flat_map(|object| &object.cells).for_each(|cell| look(&cell.value));
}

fn zero(ty: Type) -> Value {
    match ty {
        Type::Bool | Type::Int(_) => Value::Int(0),
        Type::Ptr => Value::Null,
        Type::Thread => Value::NO_THREAD,
    }
}

/// Global variables without fixed cells stand first in the heap, and are known by their places.
fn fixed_objects(program: &Program, initial: &State) -> usize {
    let fixed = |object: &HeapObject| match object.origin {
        Origin::Global(id) => program.objects[id].sharing == Sharing::Shared,
        Origin::Allocated(_) => false,
    };
    initial.heap.iter().take_while(|object| fixed(object)).count()
}

impl Encoder {
    fn start(&mut self, codec: &Codec<'_>, state: &State, moved: usize) {
        self.bytes.clear();
        self.order.clear();
        self.queue.clear();
        self.symbols_named.clear();
        reset(&mut self.threads, state.threads.len());
        reset(&mut self.objects, state.heap.len());
        reset(&mut self.symbols, state.symbols.len());
        self.objects_named = codec.fixed_objects as u32;
        for index in 0..codec.fixed_objects {
            self.objects[index] = index as u32;
            self.queue.push((OBJECT, index as u32));
        }
        self.update_keys(codec, state, moved);
        self.sort_threads(codec, state);
    }

    /// Brings what threads are sorted by up to date.
    fn update_keys(&mut self, codec: &Codec<'_>, state: &State, moved: usize) {
        self.keys.truncate(self.known);
        self.ranges.clone_from(&self.known_ranges);
        let known = self.ranges.len();
        if moved < known {
            self.key(codec, state, moved);
            self.ranges.swap_remove(moved);
        }
        for index in known..state.threads.len() {
            self.key(codec, state, index);
        }
    }

    fn key(&mut self, codec: &Codec<'_>, state: &State, index: usize) {
        let start = self.keys.len() as u32;
        // Ended threads keep their places where there is no symmetry, and are written in order.
        let last = if state.threads[index].ended() {
            codec.symmetry
        } else {
            key(codec, state, index, &mut self.keys)
        };
        self.ranges.push((start, self.keys.len() as u32, last));
    }

    /// Decides the order of the threads and names them.
    fn sort_threads(&mut self, codec: &Codec<'_>, state: &State) {
        let kept = |index: &usize| !codec.symmetry || !state.threads[*index].ended();
        self.order.extend((0..state.threads.len()).filter(kept).map(|index| index as u32));
        if codec.symmetry {
            let (keys, ranges) = (&self.keys, &self.ranges);
            let of = |index: u32| {
                let (start, end, _) = ranges[index as usize];
                &keys[start as usize..end as usize]
            };
            self.order.sort_by(|&a, &b| of(a).cmp(of(b)));
        }
        for (new, &old) in self.order.iter().enumerate() {
            self.threads[old as usize] = new as u32;
        }
    }

    fn thread(&mut self, codec: &Codec<'_>, state: &State, thread: &Thread) {
        put_head(&mut self.bytes, thread);
        if thread.ended() {
            return self.value(state, thread.result);
        }
        put_frames(&mut self.bytes, codec, thread);
        for (depth, frame) in thread.frames.iter().enumerate() {
            for &local in live(codec, thread, depth) {
                self.value(state, thread.locals[(frame.base + local) as usize]);
            }
        }
        for &object in &thread.own {
            let name = self.object_name(object);
            put_number(&mut self.bytes, name.into());
        }
    }

    fn ended(&mut self, state: &State, thread: &Thread) {
        self.bytes.push(thread.main.into());
        self.value(state, thread.result);
    }

    fn object(&mut self, state: &State, object: &HeapObject) {
        put_number(&mut self.bytes, object.size);
        put_number(&mut self.bytes, object.layout.index() as u64);
        let origin = match object.origin {
            Origin::Allocated(Storage::Heap) => 0,
            Origin::Allocated(Storage::Stack) => 1,
            Origin::Global(id) => 2 + id.index() as u64,
        };
        put_number(&mut self.bytes, origin);
        let undefined = object.fill == Fill::Undefined;
        self.bytes.push(u8::from(object.live) | u8::from(undefined) << 1);
        put_number(&mut self.bytes, object.cells.len() as u64);
        let mut last = 0;
        for cell in &object.cells {
            put_number(&mut self.bytes, cell.offset - last);
            last = cell.offset;
            put_type(&mut self.bytes, cell.ty);
            self.value(state, cell.value);
        }
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let lo = if symbol.domain == Domain::Int { 0 } else { symbol.lo };
        self.bytes.push(symbol.domain as u8);
        put_i128(&mut self.bytes, lo);
        put_i128(&mut self.bytes, symbol.hi - symbol.lo + lo);
        put_number(&mut self.bytes, symbol.site.into());
    }

    /// Writes a value under its new names.
    fn value(&mut self, state: &State, value: Value) {
        let renamed = match value {
            Value::Int(n) if n < 128 => return self.bytes.push(n as u8),
            Value::Heap(index, offset) => Value::Heap(self.object_name(index), offset),
            Value::Thread(id) => Value::Thread(self.thread_name(id)),
            Value::Symbol { id, width, plus } => self.symbol_value(state, id, width, plus),
            other => other,
        };
        put_value(&mut self.bytes, renamed);
    }

    fn object_name(&mut self, old: u32) -> u32 {
        let name = &mut self.objects[old as usize];
        if *name == UNNAMED {
            *name = self.objects_named;
            self.objects_named += 1;
            self.queue.push((OBJECT, old));
        }
        *name
    }

    fn thread_name(&mut self, id: ThreadId) -> ThreadId {
        let Some(old) = id.index() else { return id };
        let name = &mut self.threads[old];
        if *name == UNNAMED {
            *name = self.order.len() as u32;
            self.order.push(old as u32);
            self.queue.push((ENDED, old as u32));
        }
        ThreadId::from_index(*name as usize)
    }

    fn symbol_value(&mut self, state: &State, id: SymbolId, width: u8, plus: i64) -> Value {
        let symbol = &state.symbols[id.index()];
        if let Some(known) = symbol.single(width, plus) {
            return known;
        }
        let name = &mut self.symbols[id.index()];
        if *name == UNNAMED {
            *name = self.symbols_named.len() as u32;
            self.symbols_named.push(id.0);
        }
        let moved = if symbol.domain == Domain::Int { symbol.lo as i64 } else { 0 };
        Value::Symbol { id: SymbolId(*name), width, plus: plus.wrapping_add(moved) }
    }
}

fn reset(names: &mut Vec<u32>, len: usize) {
    names.clear();
    names.resize(len, UNNAMED);
}

fn put_head(out: &mut Vec<u8>, thread: &Thread) {
    put_number(out, (thread.frames.len() as u64) << 1 | u64::from(thread.main));
}

fn put_frames(out: &mut Vec<u8>, codec: &Codec<'_>, thread: &Thread) {
    for frame in &thread.frames {
        put_number(out, codec.place(frame).into());
        if thread.frames.len() > 1 {
            put_number(out, frame.to.map_or(0, |to| u64::from(to.as_u32()) + 1));
        }
    }
}

/// The live locals of a frame. In a caller, what the call will assign is not.
pub(super) fn live<'a>(
    codec: &'a Codec<'_>,
    thread: &Thread,
    depth: usize,
) -> impl Iterator<Item = &'a u32> + use<'a> {
    let place = codec.place(&thread.frames[depth]);
    let assigned = thread.frames.get(depth + 1).and_then(|callee| callee.to).map(|l| l.as_u32());
    codec.places[place as usize].live.iter().filter(move |&&local| Some(local) != assigned)
}

/// What a running thread is sorted by: its bytes with names left out. Whether that is also how it
/// is written, because it refers to nothing by name.
fn key(codec: &Codec<'_>, state: &State, index: usize, out: &mut Vec<u8>) -> bool {
    let thread = &state.threads[index];
    let mut last = thread.own.is_empty();
    put_head(out, thread);
    put_frames(out, codec, thread);
    for (depth, frame) in thread.frames.iter().enumerate() {
        for &local in live(codec, thread, depth) {
            let value = thread.locals[(frame.base + local) as usize];
            last &= put_nameless(out, index, value);
        }
    }
    last
}

fn put_nameless(out: &mut Vec<u8>, index: usize, value: Value) -> bool {
    let nameless = match value {
        Value::Int(n) if n < 128 => {
            out.push(n as u8);
            return true;
        }
        Value::Heap(_, offset) => Value::Heap(0, offset),
        Value::Thread(id) if id.index() == Some(index) => Value::Thread(ThreadId(1)),
        Value::Thread(id) if id != ThreadId::NONE => Value::Thread(ThreadId(2)),
        Value::Symbol { width, .. } => Value::Symbol { id: SymbolId(0), width, plus: 0 },
        other => {
            put_value(out, other);
            return true;
        }
    };
    put_value(out, nameless);
    false
}
