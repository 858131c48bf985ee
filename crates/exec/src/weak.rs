//! What threads know of each other in programs with orders weaker than sequential consistency.
//!
//! An operational form of C11's axioms (Kang, Hur, Lahav, Vafeiadis, Dreyer, "A promising semantics
//! for relaxed-memory concurrency", 2017, sections 2 to 4, without promises; Dang, Jourdan, Kaiser,
//! Dreyer, "RustBelt meets relaxed memory", 2020, for races). Each atomic scalar has the values that
//! some thread may still read, in modification order. A value carries what a thread that acquires it
//! learns: a vector clock (what happens before, for races) and a view (which values are too old to be
//! read, for coherence). Fences of one total order, and sequentially consistent accesses, have a view
//! in common.
//!
//! Every execution here is one that C11 allows. What is left out: a load that reads from a store
//! that is executed later (load buffering).

mod loads;
mod normal;

use std::collections::BTreeMap;

use selvedge_ir::{Fence, Mode, Span};

pub use loads::WeakLoads;

use crate::oracle::Access;
use crate::value::{Target, ThreadId, Value};

/// The values of one scalar that may be kept. More is a bound that was reached.
pub const VALUES: usize = 64;

/// A scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scalar {
    pub target: Target,
    pub offset: u64,
    pub size: u64,
}

impl Scalar {
    pub fn of(access: &Access) -> Scalar {
        Scalar { target: access.target, offset: access.offset, size: access.size }
    }

    fn overlaps(&self, other: &Scalar) -> bool {
        self.target == other.target
            && self.offset < other.offset + other.size
            && other.offset < self.offset + self.size
    }
}

/// For each scalar the oldest value that may still be read, by its stamp.
type View = BTreeMap<Scalar, u32>;

/// What happens before some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Know {
    /// By thread. What it did at this time or before has happened.
    clock: Vec<u32>,
    view: View,
}

impl Know {
    fn join(&mut self, other: &Know) {
        if self.clock.len() < other.clock.len() {
            self.clock.resize(other.clock.len(), 0);
        }
        for (mine, theirs) in self.clock.iter_mut().zip(&other.clock) {
            *mine = (*mine).max(*theirs);
        }
        join_views(&mut self.view, &other.view);
    }

    fn time(&self, thread: usize) -> u32 {
        self.clock.get(thread).copied().unwrap_or(0)
    }

    fn tick(&mut self, thread: usize) {
        if self.clock.len() <= thread {
            self.clock.resize(thread + 1, 0);
        }
        self.clock[thread] += 1;
    }

    fn see(&mut self, scalar: Scalar, stamp: u32) {
        let seen = self.view.entry(scalar).or_default();
        *seen = (*seen).max(stamp);
    }
}

fn join_views(mine: &mut View, theirs: &View) {
    for (scalar, stamp) in theirs {
        let seen = mine.entry(*scalar).or_default();
        *seen = (*seen).max(*stamp);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Thread {
    now: Know,
    /// What an acquire fence would learn: from relaxed loads.
    acquirable: Know,
    /// At the last release fence: what relaxed stores pass on.
    released: Know,
}

/// A value in the modification order of a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Message {
    stamp: u32,
    value: Value,
    know: Know,
    /// The thread whose release heads the release sequence that this is part of.
    head: Option<ThreadId>,
    /// Written by a read-modify-write: nothing comes between it and the value before.
    modified: bool,
}

/// The last access of its kind by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Past {
    pub thread: ThreadId,
    pub write: bool,
    plain: bool,
    time: u32,
    pub span: Span,
}

/// Part of a state, in programs with weak orders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Weak {
    threads: Vec<Thread>,
    messages: BTreeMap<Scalar, Vec<Message>>,
    /// What was accessed, where races are checked.
    past: BTreeMap<Scalar, Vec<Past>>,
    /// What fences and accesses of the one total order have seen.
    sequential: View,
}

/// How an atomic access is done.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub thread: ThreadId,
    pub scalar: Scalar,
    pub mode: Mode,
    /// Inside an atomic block: it reads the latest value, and writes behind it.
    pub latest: bool,
    /// Whether some load may read older values of this scalar; otherwise only the latest is kept.
    pub kept: bool,
}

impl Weak {
    /// A thread starts, by another one or in the beginning.
    pub fn start(&mut self, parent: Option<ThreadId>) {
        let mut new = Thread::default();
        if let Some(parent) = parent.and_then(ThreadId::index) {
            new.now = self.threads[parent].now.clone();
            self.threads[parent].now.tick(parent);
        }
        new.now.tick(self.threads.len());
        self.threads.push(new);
    }

    pub fn join(&mut self, thread: ThreadId, joined: ThreadId) {
        let (Some(thread), Some(joined)) = (thread.index(), joined.index()) else { return };
        let know = self.threads[joined].now.clone();
        self.threads[thread].now.join(&know);
    }

    pub fn fence(&mut self, thread: ThreadId, fence: Fence) {
        let Some(index) = thread.index() else { return };
        let this = &mut self.threads[index];
        if fence.acquires() {
            let learnt = std::mem::take(&mut this.acquirable);
            this.now.join(&learnt);
        }
        if fence == Fence::Sequential {
            join_views(&mut this.now.view, &self.sequential);
            self.sequential = this.now.view.clone();
        }
        if fence.releases() {
            this.released = this.now.clone();
            this.now.tick(index);
        }
    }

    /// An earlier access of another thread that races with this one; else this one is noted.
    pub fn race(&mut self, thread: ThreadId, access: &Access) -> Option<Past> {
        let index = thread.index()?;
        let scalar = Scalar::of(access);
        let (write, plain) = (access.write, access.mode == Mode::Plain);
        let now = &self.threads[index].now;
        let conflicts = |past: &&Past| {
            past.thread != thread
                && (past.write || write)
                && (past.plain || plain)
                && past.thread.index().is_some_and(|other| now.time(other) < past.time)
        };
        let overlapping = self.past.iter().filter(|(other, _)| other.overlaps(&scalar));
        if let Some(past) = overlapping.flat_map(|(_, list)| list).find(conflicts) {
            return Some(*past);
        }
        let past = Past { thread, write, plain, time: now.time(index), span: access.span };
        let list = self.past.entry(scalar).or_default();
        list.retain(|p| (p.thread, p.write, p.plain) != (thread, write, plain));
        list.push(past);
        list.sort_unstable();
        None
    }

    /// An object has ended.
    pub fn freed(&mut self, target: Target) {
        self.messages.retain(|scalar, _| scalar.target != target);
        self.past.retain(|scalar, _| scalar.target != target);
    }

    /// Whether another scalar that overlaps this one has values of its own.
    pub fn is_mixed(&self, scalar: &Scalar) -> bool {
        self.messages.keys().any(|other| other != scalar && other.overlaps(scalar))
    }

    /// Which values a load may read, or before which a store may go: how many newer ones there are.
    pub fn alternatives(&self, way: &Way, store: bool) -> Vec<usize> {
        let (Some(list), Some(index)) = (self.messages.get(&way.scalar), way.thread.index()) else {
            return vec![0];
        };
        if way.latest || !way.kept || (store && way.mode == Mode::Atomic) {
            return vec![0];
        }
        let seen = |view: &View| view.get(&way.scalar).copied().unwrap_or(0);
        let mut floor = seen(&self.threads[index].now.view);
        if way.mode == Mode::Atomic {
            floor = floor.max(seen(&self.sequential));
        }
        let newest_first = list.iter().rev().enumerate();
        if store {
            let unseen = newest_first.filter(|(_, m)| m.stamp > floor && !m.modified);
            return std::iter::once(0).chain(unseen.map(|(newer, _)| newer + 1)).collect();
        }
        let readable = newest_first.filter(|(newer, m)| *newer == 0 || m.stamp >= floor);
        readable.map(|(newer, _)| newer).collect()
    }

    /// A load; what it reads, where that is not what memory holds.
    pub fn load(&mut self, way: &Way, older: usize) -> Option<Value> {
        let list = self.messages.get(&way.scalar)?;
        let message = &list[list.len().checked_sub(older + 1)?];
        let this = &mut self.threads[way.thread.index()?];
        match way.mode {
            Mode::Relaxed | Mode::Release => this.acquirable.join(&message.know),
            Mode::Acquire | Mode::Atomic => this.now.join(&message.know),
            Mode::Plain => return None,
        }
        this.now.see(way.scalar, message.stamp);
        (older > 0).then_some(message.value)
    }

    /// A store of a value, where memory held another before. Whether it becomes the latest.
    pub fn store(&mut self, way: &Way, value: Value, before: Option<Value>, older: usize) -> bool {
        let Some(index) = way.thread.index() else { return true };
        let list = self.messages.entry(way.scalar).or_default();
        if let (true, Some(value)) = (list.is_empty() && way.kept, before) {
            let know = Know::default();
            list.push(Message { stamp: 0, value, know, head: None, modified: false });
        }
        let at = list.len().saturating_sub(older);
        let stamp = match at.checked_sub(1).map(|before| &list[before]) {
            Some(before) => before.stamp + 1,
            None => 1,
        };
        if at < list.len() {
            self.shift(way.scalar, stamp);
        }
        let message = self.message(way, index, stamp, at, value);
        let list = self.messages.entry(way.scalar).or_default();
        if !way.kept {
            list.clear();
        }
        list.insert(at.min(list.len()), message);
        if way.mode == Mode::Atomic {
            let seen = self.sequential.entry(way.scalar).or_default();
            *seen = (*seen).max(stamp);
        }
        older == 0
    }

    /// What a plain store, which races with every access that it is not ordered with, leaves.
    pub fn plain_store(&mut self, scalar: &Scalar) {
        self.messages.retain(|other, _| !other.overlaps(scalar));
        for view in self.views() {
            view.retain(|other, _| !other.overlaps(scalar));
        }
    }

    fn message(&mut self, way: &Way, index: usize, stamp: u32, at: usize, value: Value) -> Message {
        let this = &mut self.threads[index];
        this.now.see(way.scalar, stamp);
        let before = at.checked_sub(1).and_then(|before| self.messages[&way.scalar].get(before));
        let releases = matches!(way.mode, Mode::Release | Mode::Atomic);
        let mut know = if releases { this.now.clone() } else { this.released.clone() };
        let mut head = releases.then_some(way.thread);
        if let Some(before) = before.filter(|b| way.latest || b.head == Some(way.thread)) {
            know.join(&before.know);
            head = head.or(before.head);
        }
        if releases {
            this.now.tick(index);
        }
        Message { stamp, value, know, head, modified: way.latest }
    }

    /// Makes room for a value before others.
    fn shift(&mut self, scalar: Scalar, from: u32) {
        for view in self.views() {
            if let Some(stamp) = view.get_mut(&scalar)
                && *stamp >= from
            {
                *stamp += 1;
            }
        }
        for message in self.messages.get_mut(&scalar).into_iter().flatten() {
            if message.stamp >= from {
                message.stamp += 1;
            }
        }
    }

    fn knows(&mut self) -> impl Iterator<Item = &mut Know> {
        let threads = self.threads.iter_mut();
        let threads = threads.flat_map(|t| [&mut t.now, &mut t.acquirable, &mut t.released]);
        threads.chain(self.messages.values_mut().flatten().map(|m| &mut m.know))
    }

    fn views(&mut self) -> impl Iterator<Item = &mut View> {
        let threads = self.threads.iter_mut();
        let threads = threads.flat_map(|t| [&mut t.now, &mut t.acquirable, &mut t.released]);
        let messages = self.messages.values_mut().flatten().map(|m| &mut m.know);
        let views = threads.chain(messages).map(|know| &mut know.view);
        views.chain([&mut self.sequential])
    }

    /// The values of all messages, to rename what they refer to.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.messages.values_mut().flatten().map(|m| &mut m.value)
    }

    /// Whether some scalar has more values than are kept.
    pub fn overflows(&self) -> bool {
        self.messages.values().any(|list| list.len() > VALUES)
    }
}
