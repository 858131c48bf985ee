//! Formulas and the solver that decides them. This is the only crate that links Z3.
//!
//! [`Terms`] holds hash-consed typed terms; they know nothing of Z3 and can be printed, evaluated,
//! substituted and moved between threads. [`Solver`] answers questions about them, [`qe`] removes
//! quantifiers, [`horn`] solves Horn clauses, [`translate`] turns Plato's expressions into terms.
//! What comes back is terms and values again, and an answer is [`Answer::Unknown`] with the reason
//! wherever Z3 does not decide, is stopped, or says something that cannot be read.
//!
//! Z3's objects belong to the thread that made them, so a [`Solver`] does too; several threads
//! work side by side with a solver and an arena each.

mod answer;
mod build;
mod decode;
mod dump;
mod encode;
mod fold;
pub mod horn;
mod limits;
mod meter;
mod opaque;
mod print;
pub mod qe;
mod read;
mod sexpr;
mod solver;
mod sort;
mod term;
pub mod translate;
mod value;
mod version;
mod walk;

pub use answer::{Answer, Core, Model, Reason};
pub use dump::{Dump, check_script};
pub use limits::{Interrupt, Limits, set_memory_limit};
pub use opaque::Replaced;
pub use print::{ShowSort, ShowTerm};
pub use read::ReadError;
pub use solver::{Logic, Solver};
pub use sort::{ArraySort, MAX_WIDTH, Sort};
pub use term::{Node, Op, Term, Terms};
pub use value::{ArrayValue, Bits, Value};
pub use version::version_check;
