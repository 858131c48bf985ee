//! Atomic actions: what one edge of a control-flow graph does.

use serde::{Deserialize, Serialize};

use crate::spec::GhostAction;
use crate::{Check, Expr, LayoutId, LocalId, Place, ProcId};

/// What a thread does on one edge, without interruption. An action touches at most one shared
/// location (`Load`, `Store`, `Lock`, `Unlock`); everything else is local or about threads and
/// allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Action {
    Skip,
    /// Blocks unless the condition holds. A thread that blocks here for good is not deadlocked:
    /// the execution is one that the program's author excluded. Branches are `Assume` edges that
    /// leave one location.
    Assume(Expr),
    /// Blocks until the condition holds, and counts as waiting (deadlock). The condition is over
    /// locals, so it makes sense only inside an atomic block, behind the loads it depends on.
    Wait(Expr),
    /// Goes wrong unless the condition holds.
    Assert {
        cond: Expr,
        check: Check,
    },
    Assign {
        to: LocalId,
        value: Expr,
    },
    /// Any value of the local's type: an input of the program.
    Havoc {
        to: LocalId,
    },
    Load {
        to: LocalId,
        from: Place,
        mode: Mode,
    },
    Store {
        to: Place,
        value: Expr,
        mode: Mode,
    },
    /// Waits until the cell (of type `thread`) holds none, then puts the executing thread in it.
    /// A thread that holds the lock already waits for ever (deadlock).
    Lock {
        lock: Place,
    },
    /// Puts none into the cell. Goes wrong (`deadlock`, as lock misuse) where the cell does not
    /// hold the executing thread; where that is not checked, the cell becomes none all the same.
    Unlock {
        lock: Place,
    },
    /// Orders this thread's accesses that are weaker than sequentially consistent (C11 7.17.4).
    Fence(Fence),
    /// A fresh object of `size` bytes (an integer of `size_type`), its elements laid out as
    /// `layout`, one behind another; its content undefined, or zero. It never fails.
    Alloc {
        to: LocalId,
        storage: Storage,
        layout: LayoutId,
        size: Expr,
        zeroed: bool,
    },
    /// Ends an object's life; of null nothing. The address must be the object's start.
    Free {
        addr: Expr,
        storage: Storage,
    },
    /// Starts a thread in the procedure.
    Spawn {
        to: LocalId,
        entry: Callee,
        args: Vec<Expr>,
    },
    /// Waits until the thread has ended; `to` gets what its procedure returned.
    Join {
        thread: Expr,
        to: Option<LocalId>,
    },
    Call {
        to: Option<LocalId>,
        callee: Callee,
        args: Vec<Expr>,
    },
    /// Ends the executing thread from any depth of calls; the edge's target is never reached.
    EndThread {
        value: Option<Expr>,
    },
    /// Ends the program without error; the edge's target is never reached.
    Halt,
    /// What an annotation says here. The program does nothing.
    Ghost(Box<GhostAction>),
    /// What the front end could not express. Reaching it makes the verdict UNKNOWN.
    Unsupported {
        what: String,
    },
}

/// Whether an access may take part in a data race with any other (`Plain`), or only with plain
/// ones (all others), and how it is ordered. A plain access in a procedure that is called from
/// inside an atomic block counts as atomic.
///
/// The orders are those of C11. A load and a store of one atomic block are a read-modify-write: the
/// load reads the latest value, whatever its order. A load outside of blocks that is not
/// sequentially consistent may read an older value, as far as nothing forbids it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Mode {
    Plain,
    /// Gives no order between threads.
    Relaxed,
    /// Of a load: what came before the release that it reads from happens before what follows it.
    Acquire,
    /// Of a store.
    Release,
    /// Sequentially consistent.
    Atomic,
}

impl Mode {
    /// Atomic, but weaker than sequentially consistent.
    pub fn is_weak(self) -> bool {
        matches!(self, Mode::Relaxed | Mode::Acquire | Mode::Release)
    }
}

/// The order of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Fence {
    Acquire,
    Release,
    AcquireRelease,
    Sequential,
}

impl Fence {
    pub fn acquires(self) -> bool {
        self != Fence::Release
    }

    pub fn releases(self) -> bool {
        self != Fence::Acquire
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Storage {
    Heap,
    Stack,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Callee {
    Direct(ProcId),
    /// Through a pointer to a procedure. Going through anything else is a memory fault.
    Indirect(Expr),
}

impl Action {
    /// Calls `f` on each expression that the action evaluates (not on the parts of each).
    pub fn for_each_expr<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        let callee = |c: &'a Callee, f: &mut dyn FnMut(&'a Expr)| {
            if let Callee::Indirect(e) = c {
                f(e);
            }
        };
        match self {
            Action::Skip
            | Action::Havoc { .. }
            | Action::Fence(_)
            | Action::Halt
            | Action::Unsupported { .. } => {}
            Action::Assume(e) | Action::Wait(e) => f(e),
            Action::Assert { cond, .. } => f(cond),
            Action::Assign { value, .. } => f(value),
            Action::Load { from, .. } => f(&from.addr),
            Action::Store { to, value, .. } => {
                f(&to.addr);
                f(value);
            }
            Action::Lock { lock } | Action::Unlock { lock } => f(&lock.addr),
            Action::Alloc { size, .. } => f(size),
            Action::Free { addr, .. } => f(addr),
            Action::Spawn { entry, args, .. } => {
                callee(entry, f);
                args.iter().for_each(f);
            }
            Action::Join { thread, .. } => f(thread),
            Action::Call { callee: c, args, .. } => {
                callee(c, f);
                args.iter().for_each(f);
            }
            Action::EndThread { value } => value.iter().for_each(f),
            Action::Ghost(ghost) => {
                ghost.formulas().into_iter().flat_map(|formula| formula.values()).for_each(f);
            }
        }
    }

    /// Likewise, to change them in place.
    pub fn for_each_expr_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        let callee = |c: &mut Callee, f: &mut dyn FnMut(&mut Expr)| {
            if let Callee::Indirect(e) = c {
                f(e);
            }
        };
        match self {
            Action::Skip
            | Action::Havoc { .. }
            | Action::Fence(_)
            | Action::Halt
            | Action::Unsupported { .. } => {}
            Action::Assume(e) | Action::Wait(e) => f(e),
            Action::Assert { cond, .. } => f(cond),
            Action::Assign { value, .. } => f(value),
            Action::Load { from, .. } => f(&mut from.addr),
            Action::Store { to, value, .. } => {
                f(&mut to.addr);
                f(value);
            }
            Action::Lock { lock } | Action::Unlock { lock } => f(&mut lock.addr),
            Action::Alloc { size, .. } => f(size),
            Action::Free { addr, .. } => f(addr),
            Action::Spawn { entry, args, .. } => {
                callee(entry, f);
                args.iter_mut().for_each(f);
            }
            Action::Join { thread, .. } => f(thread),
            Action::Call { callee: c, args, .. } => {
                callee(c, f);
                args.iter_mut().for_each(f);
            }
            Action::EndThread { value } => value.iter_mut().for_each(f),
            Action::Ghost(ghost) => {
                let formulas = ghost.formulas_mut().into_iter();
                formulas.flat_map(|formula| formula.values_mut()).for_each(f);
            }
        }
    }

    /// The local that it assigns.
    pub fn assigned(&self) -> Option<LocalId> {
        match self {
            Action::Assign { to, .. }
            | Action::Havoc { to }
            | Action::Load { to, .. }
            | Action::Alloc { to, .. }
            | Action::Spawn { to, .. } => Some(*to),
            Action::Join { to, .. } | Action::Call { to, .. } => *to,
            _ => None,
        }
    }

    pub fn assigned_mut(&mut self) -> Option<&mut LocalId> {
        match self {
            Action::Assign { to, .. }
            | Action::Havoc { to }
            | Action::Load { to, .. }
            | Action::Alloc { to, .. }
            | Action::Spawn { to, .. } => Some(to),
            Action::Join { to, .. } | Action::Call { to, .. } => to.as_mut(),
            _ => None,
        }
    }

    /// How it accesses memory, of a load or a store.
    pub fn mode(&self) -> Option<Mode> {
        match self {
            Action::Load { mode, .. } | Action::Store { mode, .. } => Some(*mode),
            _ => None,
        }
    }

    /// The place in memory that it reads or writes.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Action::Load { from: p, .. }
            | Action::Store { to: p, .. }
            | Action::Lock { lock: p }
            | Action::Unlock { lock: p } => Some(p),
            _ => None,
        }
    }

    pub fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Action::Load { from: p, .. }
            | Action::Store { to: p, .. }
            | Action::Lock { lock: p }
            | Action::Unlock { lock: p } => Some(p),
            _ => None,
        }
    }
}
