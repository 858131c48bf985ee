//! What the names in a certificate stand for, and how they are made.
//!
//! **Threads.** The program's threads are *instances*, one thread each, and *pools* of any number.
//! They are found from the prepared program in this order:
//! 1. The initial threads, in the order of `Program::threads`: one of count at most
//!    [`MANY`] gives that many instances, any other a pool.
//! 2. For each instance and pool found so far, in the order in which they were found, the `Spawn`
//!    edges of its procedure that the entry reaches, in the order of `Procedure::edges`. An edge of
//!    an instance that lies on no cycle gives a new instance (of that edge); every other edge
//!    gives the pool of the procedure that it starts, unless there is that pool already. There is
//!    at most one pool for a procedure, whatever starts its threads.
//!
//! The first instance or pool of a procedure has the procedure's name, further ones have `#2`,
//! `#3`, ... behind it. Instances have the numbers 1, 2, ... as tid, in the order found; a thread
//! of a pool has a tid greater than all of these. 0 is no thread.
//!
//! **Locations.** `unstarted`, the cut locations of the prepared procedure (`L12`), `ended`.
//! [`crate::certificate::Exposed`] numbers them by [`location_code`].
//!
//! **Shared variables.** Each has the name of its region in the prepared program, with
//! - nothing behind it, where the region is one scalar (`x`, `q.head`, `m`),
//! - the address in brackets, where it is spread over few places of one object (`a[2]`),
//! - nothing, as an array from addresses to scalars, otherwise.
//!
//! All memory is shared, also what only one thread touches. A pointer is two variables, with
//! `.object` and `.offset` behind the name. See `docs/certificates.md` for the others: `done`,
//! `result`, `over`, `token`, `objects`.
//!
//! **Locals.** Local `i` of the thread of `worker` in a relation's shape is [`local`]: `worker!i`.
//! Where the shape has `worker` several times, the second is `worker@2!i`, the third `worker@3!i`.
//! The tid of a thread of a pool is the local [`TID`]: `worker!@tid`.
//!
//! **Ghosts.** Where an instance stands is [`exposed_location`]: `$worker`. A local of it is
//! [`exposed_local`]: `$worker!i`. A counter is [`counter`]: `%readers`.
//!
//! Two variables never have one name: where two would, the later gets `~2` behind it, the next
//! `~3`. The characters `|` and `\`, which cannot be quoted, are `_` in names.

use selvedge_ir::LocationId;

/// Initial threads up to this many of one kind are instances.
pub const MANY: u32 = 4;

pub const UNSTARTED: &str = "unstarted";
pub const ENDED: &str = "ended";

/// The local that a thread of a pool keeps its number in.
pub const TID: &str = "@tid";

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
