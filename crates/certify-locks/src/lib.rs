//! Certificates of programs whose threads share memory by locks alone, and their checker.
//!
//! A certificate says, for each location where ways meet, which locks a thread certainly holds there
//! (Savage et al., "Eraser", 1997, as a static analysis), which other threads may exist, and what its
//! locals may be: integers as strided intervals, pointers as sets of objects with offsets. Of memory it
//! says what each scalar holds whenever nobody owns it. It is checked in one walk over the program,
//! without a solver: what is known at a location is followed along each edge to the next location that
//! the certificate speaks of (`step`), and must be covered by what stands there (`check`). So the cost
//! is linear in the program, whatever the number of threads, but for the accesses to one scalar, which
//! are compared pair by pair where no lock is common to all of them (`races`).
//!
//! # Why it is sound
//!
//! The claims together are an invariant of all reachable states, by induction over steps.
//! - *Locks.* A lock is a scalar that there is once. It is written by locking, by unlocking where it
//!   is certainly held, and by stores where no other thread exists. So the thread that has locked it
//!   holds it until it unlocks it, and no two threads are at locations that hold it.
//! - *Company.* If the program begins with one thread, that thread's states say which threads it has
//!   started and not joined. Others exist only together with what has started them.
//! - *Owned memory.* A scalar is owned by a thread that alone knows or accesses it, by the only thread
//!   there is, or by the holder of its guard, without which nobody accesses it while there are
//!   several threads. Nobody else changes what is owned. When ownership ends, the scalar must hold
//!   what is claimed of it at all times.
//! - *Addresses.* An address is a set of objects with offsets. An access that cannot be shown to lie
//!   within a live object, at a scalar of its type, is refused; so no two accesses to different
//!   scalars overlap.
//! - *Races.* Two accesses to one scalar by different threads, one of them a write and one plain,
//!   have a lock in common, or their threads never exist together, or their offsets differ.
//!
//! Atomic blocks are taken for sequences of single steps: that allows more than happens. Checks of
//! the claimed properties and of undefined behaviour must be certain; whatever is not understood
//! (calls that are not inlined, indirect starts of threads, unions, objects whose size is not constant)
//! is refused where a thread may reach it.
//!
//! Shared with the engines are the preparation of programs and what runs once over control flow
//! graphs ([`selvedge_passes::graph`]). [`step()`], on which all rests, is shared with the engine that looks
//! for certificates by design: what it does not follow can be neither found nor checked.

pub mod certificate;
mod check;
mod eval;
mod races;
mod range;
mod state;
mod step;
mod subject;
mod value;

pub use certificate::{Certificate, FORMAT, VERSION, is_one};
pub use check::{Accepted, Rejected, check, check_alone, options, prepared, program_of};
pub use eval::{Locals, Why};
pub use range::Range;
pub use state::{Beside, Lock, State};
pub use step::{Access, Claims, Owner, Stuck, edges, owns, step};
pub use subject::{Cell, Subject};
pub use value::{Base, Pointer, Site, Thread, Value};
