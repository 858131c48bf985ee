//! Certificates for contracts, and their checker.
//!
//! A certificate says that a program keeps its specification, for any number of threads. It carries
//! the program with the specification, and what a prover found beside it: facts at the heads of loops.
//! The checker makes all obligations again from that, by code of its own, and asks a solver about each.
//!
//! # The rules
//!
//! After Flanagan, Freund, Qadeer, Seshia, "Modular verification of multithreaded programs" (§4 to §6).
//! E is the conjunction of all environment assumptions and of "nobody else releases a lock that I hold"
//! (`locks`), I that of all invariants.
//!
//! 1. *Specification* (`whole`). E is reflexive and transitive, so any number of steps of others are one
//!    step of E. I can hold. The initial memory satisfies I and what the first threads require.
//! 2. *Procedure* (`walk`). Each procedure with a contract, and each that a thread starts in, is gone
//!    through path by path. The first state is any that satisfies I and what is required. Before every
//!    step that looks at memory others take any number of steps (`others`).
//! 3. *Step* (`step`). It goes from one location where others may run to the next. It keeps I; it
//!    satisfies E for every other thread; and it is one that the contract allows: it changes no more
//!    than `modifies` names (K), or it is the next action (Y). Which numbers of actions may be done is
//!    followed as a set of conditions.
//! 4. *Action* (`action`). Assertions of the claimed properties hold, expressions are defined, accesses
//!    lead into objects, nothing unsupported is reached.
//! 5. *Objects* (`memory`, `others`). An object is its maker's own until its address is stored,
//!    passed on or returned. Others leave it alone; formulas about all objects do not speak of it. When
//!    it is told to others, I must hold of it.
//! 6. *Threads* (`threads`). A new thread has a number that is none of the thread's own and not that of the
//!    first; what its procedure requires holds at the end of the step that starts it. A thread that is
//!    joined gives any value.
//! 7. *Locks* (`action`). To lock is to wait until nobody holds the lock and to hold it.
//! 8. *Call* (`call`). What the callee requires holds; then come K*, Y1, K*, ..., Yn, K*, each a step of the
//!    caller for rule 3; then what it ensures holds. Over K* with steps of others remains what is left
//!    of E without what K changes, if that is transitive (`closure`). Objects that the callee makes are
//!    not known to keep anything during the call.
//! 9. *Exit* (`walk`). All actions are done, and what is ensured holds, whatever others do meanwhile.
//! 10. *Loop* (`heads`). On arrival at a head its facts hold; behind it they are assumed, of any
//!     values of the locals that the loop assigns, and of any memory that the loop's steps and those of
//!     others can leave (`closure`). Facts come from the certificate and are believed in no other way.
//! 11. *Meeting* (`meet`). Paths that meet may go on as one, of which holds what holds on each; if they
//!     have looked at memory, of any memory that the steps between and those of others can leave.
//! 12. *Variables of the specification* (`ghosts`, `outsiders`). They are maps beside those of memory. An
//!     update is a write of its step, of an object that the thread knows; a pointer that it keeps is told
//!     to others. A new thread is in no set that threads add only themselves to, where nobody from
//!     elsewhere calls in.
//!
//! By Theorem 1 of the paper nothing then goes wrong in any execution. Universal assumptions are used by
//! instances (`instances`), which can only make less provable. Whatever is not understood is refused.

mod action;
mod ask;
mod assumed;
mod call;
mod certificate;
mod check;
mod closure;
mod cvc5;
mod focus;
mod formula;
mod ghosts;
mod groups;
mod heads;
mod instances;
mod locks;
mod meet;
mod meetings;
mod memory;
pub mod names;
mod near;
mod objects;
mod oblige;
mod others;
mod outsiders;
mod passage;
mod path;
mod probes;
mod step;
mod store;
mod subject;
mod threads;
mod touched;
mod verdict;
mod view;
mod walk;
mod whole;
mod world;

pub use ask::Solvers;
pub use certificate::{Certificate, FORMAT, Fact, LoopFacts, VERSION, is_one};
pub use check::{check, check_alone, program_of};
pub use cvc5::is_installed as cvc5_is_installed;
pub use subject::inlined;
pub use verdict::{Accepted, Rejected};
