//! Accesses in programs with orders weaker than sequential consistency: races by happens-before,
//! and loads of older values.

use selvedge_ir::{Grain, Mode, Property};

use super::Machine;
use super::eval::{Fallible, Wrong};
use super::step::Doing;
use crate::code::{Act, Address};
use crate::fault::{AccessKind, Fault, RacingAccess};
use crate::oracle::{Access, Choice, Oracle};
use crate::stop::Stop;
use crate::value::{Target, ThreadId, Value};
use crate::violation::Violation;
use crate::weak::{Past, Scalar, VALUES, Way};

impl<O: Oracle> Doing<'_, O> {
    /// What a load reads, where that is not what memory holds.
    pub(super) fn weak_load(
        &mut self,
        machine: &Machine<'_>,
        access: &Access,
    ) -> Fallible<Option<Value>> {
        let Some(way) = self.way(machine, access)? else { return Ok(None) };
        if way.mode == Mode::Plain {
            return Ok(None);
        }
        let older = self.older(&way, false);
        Ok(self.state.weak.as_mut().and_then(|weak| weak.load(&way, older)))
    }

    /// Whether what is stored becomes what memory holds.
    pub(super) fn weak_store(
        &mut self,
        machine: &Machine<'_>,
        access: &Access,
        value: Value,
        before: Option<Value>,
    ) -> Fallible<bool> {
        let Some(way) = self.way(machine, access)? else { return Ok(true) };
        let older = if way.mode == Mode::Plain { 0 } else { self.older(&way, true) };
        let Some(weak) = &mut self.state.weak else { return Ok(true) };
        if way.mode == Mode::Plain {
            weak.plain_store(&way.scalar);
            return Ok(true);
        }
        let latest = weak.store(&way, value, before, older);
        if weak.overflows() {
            self.state.normalise_weak();
        }
        if self.state.weak.as_ref().is_some_and(|weak| weak.overflows()) {
            let what = format!("{VALUES} values of one atomic object that loads may still read");
            return Err(Stop::bound(what).into());
        }
        Ok(latest)
    }

    /// A lock is taken: what its last holder did has happened.
    pub(super) fn acquire(&mut self, machine: &Machine<'_>, lock: &Address) -> Fallible<()> {
        if self.state.weak.is_none() {
            return Ok(());
        }
        let (mut context, memory) = self.context(machine);
        let spot = context.spot(memory.view(), lock)?;
        let access = context.accessed(spot, lock.ty, false, Mode::Atomic);
        if let (Some(way), Some(weak)) = (self.way(machine, &access)?, &mut self.state.weak) {
            weak.load(&Way { latest: true, ..way }, 0);
        }
        Ok(())
    }

    /// The end of an object is a write to all of it.
    pub(super) fn freed(&mut self, machine: &Machine<'_>, index: u32) -> Fallible<()> {
        let size = self.state.heap[index as usize].size;
        let (target, span) = (Target::Heap(index), self.edge.span);
        let access = Access { target, offset: 0, size, write: true, mode: Mode::Plain, span };
        self.oracle.access(access);
        self.happens(machine, &access)?;
        if let Some(weak) = &mut self.state.weak {
            weak.freed(target);
        }
        Ok(())
    }

    /// How the access is done; none in a program without weak orders.
    fn way(&mut self, machine: &Machine<'_>, access: &Access) -> Fallible<Option<Way>> {
        let Some(loads) = &machine.code.weak else { return Ok(None) };
        self.happens(machine, access)?;
        let scalar = Scalar::of(access);
        // Nobody reads an older holder of a lock.
        let lock = matches!(self.edge.act, Act::Lock { .. } | Act::Unlock { .. });
        let kept = !lock && loads.may_read(&scalar, &machine.code.heap_statics);
        let mixed = self.state.weak.as_ref().is_some_and(|weak| weak.is_mixed(&scalar));
        if mixed && access.mode != Mode::Plain {
            return Err(self.unsupported("atomic accesses of several sizes to one object"));
        }
        let (thread, mode) = (self.thread, access.mode);
        Ok(Some(Way { thread, scalar, mode, latest: self.in_block(machine), kept }))
    }

    /// Whether the action is part of an atomic block.
    fn in_block(&self, machine: &Machine<'_>) -> bool {
        let thread = self.state.thread(self.thread);
        let to = machine.code.location(thread.top().procedure, self.edge.target).grain;
        to == Grain::Atomic || machine.in_atomic(thread)
    }

    fn older(&mut self, way: &Way, store: bool) -> usize {
        let Some(weak) = &self.state.weak else { return 0 };
        let alternatives = weak.alternatives(way, store);
        let rank = match alternatives.len() {
            0 | 1 => 0,
            n => self.oracle.choose(n, Choice::Older),
        };
        self.older = (rank > 0).then_some(rank as u32);
        alternatives.get(rank).copied().unwrap_or(0)
    }

    /// Goes wrong where the access races with an earlier one.
    fn happens(&mut self, machine: &Machine<'_>, access: &Access) -> Fallible<()> {
        if !machine.options.checks(Property::Race) {
            return Ok(());
        }
        let Some(weak) = &mut self.state.weak else { return Ok(()) };
        match weak.race(self.thread, access) {
            Some(past) => Err(self.raced(machine, access, &past)),
            None => Ok(()),
        }
    }

    fn raced(&self, machine: &Machine<'_>, access: &Access, past: &Past) -> Wrong {
        let racing = |thread: ThreadId, write: bool, earlier: bool| {
            let access = if write { AccessKind::Write } else { AccessKind::Read };
            RacingAccess { thread: thread.0, access, earlier }
        };
        let fault = Fault::Race {
            place: machine.name_of(self.state, access.target, access.offset as i64),
            first: racing(self.thread, access.write, false),
            second: racing(past.thread, past.write, true),
        };
        let mut violation = Violation::new(fault, self.edge.span, self.thread);
        violation.others = vec![(past.thread, past.span)];
        Wrong::Error(Box::new(violation))
    }
}
