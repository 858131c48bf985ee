//! What the names in a certificate stand for, and how they are made.
//!
//! **Threads.** The program's threads are *instances*, one thread each, and *pools* of any number.
//! They are found from the prepared program in this order:
//! 1. The initial threads, in the order of `Program::threads`: one of count at most
//!    [`MANY`] gives that many instances, any other a pool.
//! 2. For each instance and pool found so far, in the order in which they were found, the `Spawn`
//!    edges of its procedure, in the order of `Procedure::edges`. An edge of an instance gives a
//!    new instance (of that edge), unless it lies on a cycle, or an instance that this one descends
//!    from (or it itself) runs the procedure that the edge starts, or there are [`INSTANCES`]
//!    already; every other edge gives the pool of the procedure that it starts. There is at most
//!    one pool for a procedure, whatever starts its threads.
//!
//! Then the instances are put before the pools. The first with a procedure has the procedure's
//! name, further ones have `#2`, `#3`, ... behind it. Instances have the numbers 1, 2, ... as tid,
//! in this order; a thread of a pool has a tid greater than all of these. 0 is no thread.
//!
//! **Locations.** `unstarted`, the cut locations of the prepared procedure (`L12`), `ended`.
//! [`crate::certificate::Exposed`] numbers them by [`location_code`].
//!
//! **Shared variables.** A region that is one scalar of one global variable has the region's name
//! (`x`, `q.head`, `m.holder`); a pointer is two variables, with `.object` and `.offset` behind the
//! name. Regions that nobody writes are constants and have no variable. Of each instance,
//! `worker.done` says whether it has ended, and `worker.result` what it returned, if it returns
//! anything. `token` is the thread inside an atomic block that has cut locations, else 0.
//!
//! **Locals.** Local `i` of the thread of `worker` in a relation's shape is [`local`]: `worker!i`.
//! Where the shape has `worker` several times, the second is `worker@2!i`, the third `worker@3!i`.
//! A formula may speak of the locals that are live where the thread stands. A region that only one
//! instance accesses is a local of it, under the region's name alone, everywhere but at
//! `unstarted`. The tid of a thread of a pool is the local [`TID`]: `worker!tid`; what it returned,
//! once it has ended, the local [`RESULT`].
//!
//! **Ghosts.** Where an instance stands is [`exposed_location`]: `$worker`. A local of it is
//! [`exposed_local`]: `$worker!i`. A counter is [`counter`]: `%readers`.
//!
//! Two variables never have one name: where two would, the later gets `#2` behind it, the next
//! `#3`, in the order: shared regions, then `done` and `result` of each instance, `token`, then
//! thread by thread its live locals, own regions, tid and result, then ghosts. The characters `|`
//! and `\`, which cannot be quoted, are `_` in names.

use selvedge_ir::LocationId;

/// Initial threads up to this many of one kind are instances.
pub const MANY: u32 = 4;

/// So many instances at most, unless there are more initial threads.
pub const INSTANCES: usize = 40;

pub const UNSTARTED: &str = "unstarted";
pub const ENDED: &str = "ended";

/// The local that a thread of a pool keeps its number in.
pub const TID: &str = "tid";

/// The local that a thread of a pool keeps what it returned in.
pub const RESULT: &str = "@result";

/// A local of a thread of a shape: of the `copy`-th of its kind there, counted from 1.
pub fn local(thread: &str, copy: usize, local: &str) -> String {
    match copy {
        1 => format!("{thread}!{local}"),
        _ => format!("{thread}@{copy}!{local}"),
    }
}

pub fn exposed_location(instance: &str) -> String {
    format!("${instance}")
}

pub fn exposed_local(instance: &str, local: &str) -> String {
    format!("${instance}!{local}")
}

pub fn counter(name: &str) -> String {
    format!("%{name}")
}

/// A cut location.
pub fn location(id: LocationId) -> String {
    id.to_string()
}

/// The number of a location in an exposed one: -1 unstarted, -2 ended, otherwise the location's.
pub fn location_code(location: Option<LocationId>, ended: bool) -> i64 {
    match location {
        Some(id) => i64::from(id.as_u32()),
        None if ended => -2,
        None => -1,
    }
}
