//! A state from its canonical bytes.

use std::sync::Arc;

use cranelift_entity::EntityRef;
use selvedge_ir::{LayoutId, LocalId, LocationId, ObjectId, ProcId, Storage};

use selvedge_exec::memory::{Cell, Fill, HeapObject, Origin};
use selvedge_exec::{Domain, Frame, State, Symbol, Thread, Value};

use super::bytes::Reader;
use super::encode::{Codec, END, OBJECT, live};

impl Codec<'_> {
    /// Overwrites `state`, whose number of statics must be the program's.
    pub fn decode(&self, bytes: &[u8], state: &mut State) {
        let mut reader = Reader::new(bytes);
        let running = reader.number() as usize;
        for value in &mut state.statics {
            *value = reader.value();
        }
        state.threads.truncate(running);
        for index in 0..running {
            if index == state.threads.len() {
                state.threads.push(no_thread());
            }
            self.thread(&mut reader, &mut state.threads[index]);
        }
        state.heap.clear();
        loop {
            match reader.byte() {
                END => break,
                OBJECT => state.heap.push(Arc::new(object(&mut reader))),
                _ => state.threads.push(ended(&mut reader)),
            }
        }
        state.symbols.clear();
        while !reader.at_end() {
            state.symbols.push(symbol(&mut reader));
        }
        state.halted = false;
    }

    fn thread(&self, reader: &mut Reader, thread: &mut Thread) {
        thread.frames.clear();
        thread.locals.clear();
        thread.own.clear();
        thread.result = Value::Int(0);
        let head = reader.number();
        thread.main = head & 1 == 1;
        if head >> 1 == 0 {
            thread.result = reader.value();
            return;
        }
        let depth = (head >> 1) as usize;
        for _ in 0..depth {
            self.frame(reader, thread, depth);
        }
        for index in 0..depth {
            let base = thread.frames[index].base;
            for &local in live(self, thread, index) {
                thread.locals[(base + local) as usize] = reader.value();
            }
        }
        for _ in 0..self.own {
            thread.own.push(reader.number() as u32);
        }
    }

    fn frame(&self, reader: &mut Reader, thread: &mut Thread, depth: usize) {
        let place = &self.places[reader.number() as usize];
        let to = if depth > 1 { reader.number().checked_sub(1) } else { None };
        let base = thread.locals.len();
        let count = self.locals[place.procedure as usize] as usize;
        thread.locals.resize(base + count, Value::Int(0));
        thread.frames.push(Frame {
            procedure: ProcId::from_u32(place.procedure),
            at: LocationId::from_u32(place.location),
            base: base as u32,
            to: to.map(|local| LocalId::from_u32(local as u32)),
        });
    }
}

fn no_thread() -> Thread {
    Thread {
        frames: Vec::new(),
        locals: Vec::new(),
        own: Vec::new(),
        result: Value::Int(0),
        main: false,
    }
}

fn ended(reader: &mut Reader) -> Thread {
    let main = reader.byte() == 1;
    Thread { result: reader.value(), main, ..no_thread() }
}

fn object(reader: &mut Reader) -> HeapObject {
    let size = reader.number();
    let layout = LayoutId::new(reader.number() as usize);
    let origin = match reader.number() {
        0 => Origin::Allocated(Storage::Heap),
        1 => Origin::Allocated(Storage::Stack),
        n => Origin::Global(ObjectId::new(n as usize - 2)),
    };
    let flags = reader.byte();
    let fill = if flags & 2 == 0 { Fill::Zero } else { Fill::Undefined };
    let mut object = HeapObject::new(size, layout, origin, fill);
    object.live = flags & 1 == 1;
    let count = reader.number();
    let mut offset = 0;
    for _ in 0..count {
        offset += reader.number();
        let ty = reader.ty();
        object.cells.push(Cell { offset, ty, value: reader.value() });
    }
    object
}

fn symbol(reader: &mut Reader) -> Symbol {
    let domain = match reader.byte() {
        0 => Domain::Int,
        1 => Domain::Pointer,
        _ => Domain::Thread,
    };
    let lo = reader.i128();
    let hi = reader.i128();
    Symbol { domain, lo, hi, site: reader.number() as u32 }
}
