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
//! **Objects.** Null is object 0, and an integer made a pointer is at that offset of it. Then come
//! the global variables (from 1, by `ObjectId`), the procedures, for each thread its instances of
//! the variables that each thread has (`worker!errno`), and for each thread the objects that it
//! allocates at an edge that lies on no cycle (in a pool: where only the thread that made the
//! object can reach it), called by the local that gets the address, without `#addr` (`main!v`).
//! All other objects are numbered from there on when they are allocated; `objects` is the next
//! number, and `freed` the array of those that have been freed, if any can be.
//!
//! **Memory.** A region of at most [`FEW`] scalars, all of objects with names, has a variable for
//! each scalar: the object's name and the path to it (`x`, `q.head`, `arr[3]`). A pointer is two
//! variables, with `.object` and `.offset` behind the name. Where nothing has been written there
//! may be no content yet: then there is a flag with `.written` behind the name. An object that may
//! be freed has a flag with `.alive` behind its name. Any other region is an array under the
//! region's name (two for pointers, `.written` likewise), indexed by the number of the object where
//! each object has one scalar of it, by position where there is one object, otherwise by the number
//! times 2^32 plus the offset (with bit-vectors: by the offset in place of the position, and by
//! both one behind the other). Regions that nobody writes are constants and have no variable.
//!
//! A region of several types, or whose places hold more than one scalar or begin with scalars of
//! other types, has a variable for each scalar that accesses can mean, in order of object, offset and
//! type: at constant addresses those that are accessed; for each type that is accessed in another
//! way those of the type in the objects' layouts (in bytes, and in objects of single-byte integers:
//! at every multiple of its size). There is a flag with `.written` behind the name as well where
//! others share bytes with the scalar or it begins with content of another type.
//!
//! **Threads' ends.** Of each instance, `worker.done` says whether it has ended, and
//! `worker.result` what it returned, if it returns anything. `token` is the thread inside an atomic
//! block that has cut locations, else 0.
//!
//! **Locals.** Local `i` of the thread of `worker` in a relation's shape is [`local`]: `worker!i`.
//! Where the shape has `worker` several times, the second is `worker@2!i`, the third `worker@3!i`.
//! Those that are live at some cut location have a variable; where one is not live, it keeps the
//! value that it had where it last was, and before that it may have any. The tid of a thread of a pool is the local [`TID`]: `worker!tid`; what it returned,
//! once it has ended, the local [`RESULT`]. What an instance alone has to do with, and what only
//! the thread that made it can reach, is the thread's as well, under the name that it has in
//! memory; it begins with its initial content when the thread starts.
//!
//! **Ghosts.** Where an instance stands is [`exposed_location`]: `$worker`. A local of it is
//! [`exposed_local`]: `$worker!i`. A counter is [`counter`]: `%readers`. The thread that last changed a
//! variable is [`changer`]: `^busy`.
//!
//! Two variables never have one name: where two would, the later gets `#2` behind it, the next
//! `#3`, in the order: shared memory, `objects`, `freed`, `done` and `result` of each instance,
//! `token`, then thread by thread its live locals, own memory, tid and result, then ghosts. The characters `|`
//! and `\`, which cannot be quoted, are `_` in names.

use selvedge_ir::LocationId;

/// Initial threads up to this many of one kind are instances.
pub const MANY: u32 = 4;

/// A region of at most so many scalars, all known by name, is held as variables.
pub const FEW: usize = 8;

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

/// The thread that was the last to change a shared variable.
pub fn changer(variable: &str) -> String {
    format!("^{variable}")
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
