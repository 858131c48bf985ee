//! The concrete semantics of Plato: an interpreter, random runs, traces and their replay.
//!
//! This is what "the program does" means. It knows no solver and no other engine, so that a trace
//! that replays here is evidence whoever found it.

mod alter;
mod arith;
pub mod code;
mod describe;
pub mod edges;
pub mod event;
pub mod fault;
pub mod machine;
pub mod memory;
mod names;
pub mod oracle;
pub mod race;
mod record;
pub mod replay;
pub mod rng;
pub mod run;
pub mod state;
pub mod stop;
pub mod switches;
pub mod symbol;
pub mod trace;
pub mod value;
pub mod violation;
mod weak;

pub use event::Event;
pub use fault::Fault;
pub use machine::{BlockKind, Machine, Options, Scratch, StepResult};
pub use oracle::{Access, Choice, Input, Oracle, Script, Visible};
pub use state::{Frame, State, Thread};
pub use stop::Stop;
pub use symbol::{Domain, Symbol};
pub use trace::Trace;
pub use value::{SymbolId, ThreadId, Value};
pub use violation::Violation;
