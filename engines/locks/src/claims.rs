//! What is claimed of the program as a whole, guessed from what was seen.
//!
//! Every guess begins as the strongest and only ever gets weaker: a lock excludes until it is misused,
//! memory is a thread's own until others are seen to know or access it, a scalar is guarded by the
//! locks held at all accesses so far.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_certify_locks::{
    Access, Base, Cell, Certificate, Claims, Lock, Owner, State, Subject, Value, Why, owns,
};
use selvedge_ir::{LocationId, ProcId, Sharing};

use crate::join::{Thresholds, widened};

/// What has been seen in all iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Offsets of locks.
    locks: BTreeMap<Base, BTreeSet<u64>>,
    misused: FxHashSet<Lock>,
    told: FxHashSet<Base>,
    /// Procedures whose threads access some memory.
    by: FxHashMap<Base, BTreeSet<ProcId>>,
    /// Locks held at each access so far that was not made alone.
    held: FxHashMap<Cell, Arc<BTreeSet<Lock>>>,
    /// Scalars that were written while they were owned.
    kept: FxHashSet<Cell>,
}

/// The claims of one iteration.
pub struct Guess<'a> {
    subject: &'a Subject,
    thresholds: &'a Thresholds,
    /// What earlier iterations have seen: what is claimed.
    before: Seen,
    /// Likewise with this one.
    pub seen: Seen,
    pub contents: BTreeMap<Cell, Value>,
    /// How often each content has grown.
    grown: FxHashMap<Cell, u32>,
    /// Whether a content has grown since this was last unset.
    pub changed: bool,
    /// Threads that start, with their arguments.
    pub entered: Vec<(ProcId, Vec<Value>)>,
}

impl<'a> Guess<'a> {
    pub fn new(subject: &'a Subject, thresholds: &'a Thresholds, seen: Seen) -> Guess<'a> {
        Guess {
            subject,
            thresholds,
            before: seen.clone(),
            seen,
            contents: BTreeMap::new(),
            grown: FxHashMap::default(),
            changed: false,
            entered: Vec::new(),
        }
    }

    /// Whether this iteration has seen what its claims do not allow for.
    pub fn is_outdated(&self) -> bool {
        self.before != self.seen
    }

    /// Whether nothing was seen that a lock must not suffer.
    fn excludes(&self, lock: Lock) -> bool {
        !self.before.misused.contains(&lock)
    }

    /// The scalars that the first thread may set up, as they are at the start.
    pub fn to_set_up(&self, first: ProcId) -> BTreeMap<Cell, Value> {
        let start = State::default();
        let own = |cell: &&Cell| {
            matches!(cell.0, Base::Object(_))
                && self.subject.is_one(cell.0)
                && owns(self.subject, self, first, &start, **cell)
        };
        let kept = self.before.kept.iter().filter(own);
        kept.map(|cell| (*cell, self.subject.initial(*cell))).collect()
    }

    /// Scalars begin with nothing if they come into being owned.
    fn begins_owned(&self, cell: Cell) -> bool {
        match cell.0 {
            Base::Object(_) => self.subject.first.is_some() && self.before.kept.contains(&cell),
            Base::Made(_) => self.subject.cells(cell.0).is_some(),
        }
    }

    pub fn into_certificate(
        self,
        mut certificate: Certificate,
        states: FxHashMap<(ProcId, LocationId), State>,
    ) -> Certificate {
        let locks = self
            .seen
            .locks
            .iter()
            .flat_map(|(&base, offsets)| offsets.iter().map(move |&offset| (base, offset)));
        certificate.locks = locks.filter(|lock| self.excludes(*lock)).collect();
        let mut cells: Vec<Cell> = self.seen.held.keys().copied().collect();
        cells.sort_unstable();
        let guarded = |cell: Cell| self.guard(cell).map(|guard| (cell, guard));
        certificate.guards = cells.into_iter().filter_map(guarded).collect();
        let mut bases: BTreeSet<Base> = self.seen.by.keys().copied().collect();
        bases.extend(self.subject.made.keys().map(|site| Base::Made(*site)));
        let owned = |base: Base| self.owner(base).map(|owner| (base, owner));
        certificate.owners = bases.into_iter().filter_map(owned).collect();
        certificate.contents = self.contents.into_iter().collect();
        certificate.states =
            states.into_iter().map(|((procedure, at), state)| (procedure, at, state)).collect();
        certificate.states.sort_by_key(|(procedure, location, _)| (*procedure, *location));
        certificate
    }
}

impl Claims for Guess<'_> {
    fn is_lock(&mut self, lock: Lock) -> bool {
        self.seen.locks.entry(lock.0).or_default().insert(lock.1);
        self.excludes(lock)
    }

    fn locks_in(&self, base: Base) -> Vec<Lock> {
        let offsets = self.seen.locks.get(&base).into_iter().flatten();
        offsets.map(|&offset| (base, offset)).filter(|lock| self.excludes(*lock)).collect()
    }

    fn owner(&self, base: Base) -> Option<Owner> {
        let told = self.before.told.contains(&base);
        let own = match base {
            Base::Object(id) => self.subject.program.objects[id].sharing == Sharing::PerThread,
            Base::Made(_) => true,
        };
        if own && !told {
            return Some(Owner::Each);
        }
        let by = self.before.by.get(&base)?;
        let [procedure] = by.iter().copied().collect::<Vec<_>>()[..] else { return None };
        let one = self.subject.single.contains(&procedure) && self.subject.is_one(base);
        let made = match base {
            Base::Made(site) => site.procedure == procedure,
            Base::Object(_) => true,
        };
        (one && made).then_some(Owner::One(procedure))
    }

    fn guard(&self, cell: Cell) -> Option<Lock> {
        let held = self.before.held.get(&cell)?;
        let shared = self.owner(cell.0).is_none() && self.subject.is_one(cell.0);
        held.iter().find(|lock| shared && self.excludes(**lock)).copied()
    }

    fn content(&self, cell: Cell) -> Value {
        let known = self.contents.get(&cell).cloned();
        known.unwrap_or_else(|| self.subject.initial(cell))
    }

    fn publish(&mut self, cell: Cell, value: &Value) -> Result<(), Why> {
        let joined = match self.contents.get(&cell) {
            Some(known) if known.covers(value) => return Ok(()),
            Some(known) => {
                let times = self.grown.entry(cell).or_default();
                *times += 1;
                match (*times > PATIENCE, self.subject.ty(cell)) {
                    (true, Some(ty)) => widened(known, value, ty, self.thresholds),
                    _ => known.join(value),
                }
            }
            None if self.begins_owned(cell) => value.clone(),
            None => {
                let initial = self.subject.initial(cell);
                if initial.covers(value) {
                    return Ok(());
                }
                initial.join(value)
            }
        };
        self.contents.insert(cell, joined);
        self.changed = true;
        Ok(())
    }

    fn enter(&mut self, procedure: ProcId, arguments: &[Value]) -> Result<(), Why> {
        self.entered.push((procedure, arguments.to_vec()));
        Ok(())
    }

    fn misuse(&mut self, lock: Lock) -> Result<(), Why> {
        self.seen.misused.insert(lock);
        Ok(())
    }

    fn tell(&mut self, base: Base) -> Result<(), Why> {
        let own = match base {
            Base::Object(id) => self.subject.program.objects[id].sharing == Sharing::PerThread,
            Base::Made(_) => true,
        };
        if own {
            self.seen.told.insert(base);
        }
        Ok(())
    }

    fn access(&mut self, access: Access) -> Result<(), Why> {
        let Access { procedure, cell, held, beside, .. } = access;
        self.seen.by.entry(cell.0).or_default().insert(procedure);
        if self.subject.first == Some(procedure) && beside.is_empty() {
            return Ok(());
        }
        match self.seen.held.get_mut(&cell) {
            Some(known) if known.is_subset(&held) => {}
            Some(known) => {
                let both = known.intersection(&held).copied().collect();
                *known = Arc::new(both);
            }
            None => {
                self.seen.held.insert(cell, held);
            }
        }
        Ok(())
    }

    fn keep(&mut self, cell: Cell) {
        self.seen.kept.insert(cell);
    }
}

/// A content that has grown so often is widened.
const PATIENCE: u32 = 4;
