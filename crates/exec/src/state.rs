//! States of a program: what all threads and all memory look like between two actions.

use std::sync::Arc;

use selvedge_ir::{LocalId, LocationId, ProcId};

use crate::memory::HeapObject;
use crate::symbol::Symbol;
use crate::value::{SymbolId, ThreadId, Value};
use crate::weak::Weak;

/// Everything that the future depends on.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// In order of creation; a thread that has ended keeps its place.
    pub threads: Vec<Thread>,
    /// The cells of the shared global variables that have a fixed division into scalars. Which
    /// cell is what stands in `Machine::statics`.
    pub statics: Vec<Value>,
    /// Global variables without fixed cells first, then what was allocated, in order of creation.
    /// Shared between states until written.
    pub heap: Vec<Arc<HeapObject>>,
    pub symbols: Vec<Symbol>,
    /// The program has ended.
    pub halted: bool,
    /// Only of programs with orders weaker than sequential consistency.
    pub weak: Option<Box<Weak>>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The outermost call first; empty once the thread has ended.
    pub frames: Vec<Frame>,
    /// The locals of all frames, one frame behind another.
    pub locals: Vec<Value>,
    /// This thread's instances of the variables kept per thread: places in `State::heap`, in the
    /// order of `Machine::per_thread`.
    pub own: Vec<u32>,
    /// What its procedure returned, once it has ended.
    pub result: Value,
    /// The program ends when this thread's procedure returns.
    pub main: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub procedure: ProcId,
    /// In a caller: where it goes on after the return.
    pub at: LocationId,
    /// Where its locals start in `Thread::locals`.
    pub base: u32,
    /// The caller's local that gets the result.
    pub to: Option<LocalId>,
}

impl Thread {
    pub fn ended(&self) -> bool {
        self.frames.is_empty()
    }

    /// The innermost frame of a thread that has not ended.
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a running thread has a frame")
    }

    pub fn local(&self, local: LocalId) -> Value {
        self.locals[self.top().base as usize + local.as_u32() as usize]
    }

    pub fn set_local(&mut self, local: LocalId, value: Value) {
        let index = self.top().base as usize + local.as_u32() as usize;
        self.locals[index] = value;
    }
}

impl State {
    /// The thread of this name, which must exist.
    pub fn thread(&self, id: ThreadId) -> &Thread {
        &self.threads[id.index().expect("a thread")]
    }

    pub fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        &mut self.threads[id.index().expect("a thread")]
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::from_index)
    }

    /// Brings what threads know of each other into a form of its own.
    pub fn normalise_weak(&mut self) {
        if let Some(weak) = &mut self.weak {
            let alive: Vec<bool> = self.threads.iter().map(|t| !t.ended()).collect();
            weak.normalise(&alive);
        }
    }

    /// Drops symbols that nothing refers to or that have one value, and numbers the others in
    /// order of their first use, each with an interval that starts at 0. Two states
    /// that differ only in names of symbols become equal.
    pub fn collect_symbols(&mut self) {
        if self.symbols.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.symbols);
        let mut renaming = Renaming { names: vec![None; old.len()], old, new: Vec::new() };
        for thread in &mut self.threads {
            thread.locals.iter_mut().for_each(|v| renaming.rename(v));
            renaming.rename(&mut thread.result);
        }
        self.statics.iter_mut().for_each(|v| renaming.rename(v));
        for object in &mut self.heap {
            if object.has_symbols() {
                Arc::make_mut(object).for_each_value_mut(|v| renaming.rename(v));
            }
        }
        if let Some(weak) = &mut self.weak {
            weak.values_mut().for_each(|v| renaming.rename(v));
        }
        self.symbols = renaming.new;
    }
}

struct Renaming {
    names: Vec<Option<SymbolId>>,
    old: Vec<Symbol>,
    new: Vec<Symbol>,
}

impl Renaming {
    fn rename(&mut self, value: &mut Value) {
        let Value::Symbol { id, width, plus } = *value else { return };
        let symbol = self.old[id.index()];
        if let Some(known) = symbol.single(width, plus) {
            *value = known;
            return;
        }
        let new = *self.names[id.index()].get_or_insert_with(|| {
            self.new.push(Symbol { lo: 0, hi: symbol.hi - symbol.lo, ..symbol });
            SymbolId(self.new.len() as u32 - 1)
        });
        *value = Value::Symbol { id: new, width, plus: plus.wrapping_add(symbol.lo as i64) };
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            threads: self.threads.clone(),
            statics: self.statics.clone(),
            heap: self.heap.clone(),
            symbols: self.symbols.clone(),
            halted: self.halted,
            weak: self.weak.clone(),
        }
    }

    /// Reuses the memory of the state that is overwritten.
    fn clone_from(&mut self, source: &State) {
        self.threads.clone_from(&source.threads);
        self.statics.clone_from(&source.statics);
        self.heap.clone_from(&source.heap);
        self.symbols.clone_from(&source.symbols);
        self.halted = source.halted;
        self.weak.clone_from(&source.weak);
    }
}

impl Clone for Thread {
    fn clone(&self) -> Thread {
        Thread {
            frames: self.frames.clone(),
            locals: self.locals.clone(),
            own: self.own.clone(),
            result: self.result,
            main: self.main,
        }
    }

    fn clone_from(&mut self, source: &Thread) {
        self.frames.clone_from(&source.frames);
        self.locals.clone_from(&source.locals);
        self.own.clone_from(&source.own);
        self.result = source.result;
        self.main = source.main;
    }
}
