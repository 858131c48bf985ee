//! Thread-modular Horn clauses of a system, and cheap ways to solutions of them.
//!
//! Thread-modular reasoning at a level k asks for a relation over the shared state and the local
//! states of k threads that every step of these threads and of any other thread preserves, where the
//! other thread is known to be related to the k threads in the same way. Such relations are solutions
//! of Horn clauses ([`rules`]). The engine `horn` looks for solutions until it has a proof; `cover`
//! takes the atoms of a solution for predicates ([`formulas`]) and what variables say about numbers
//! of threads ([`counts`]).
//!
//! Simple solutions are not left to chance: the strongest one that comparisons of the program can say
//! is computed ([`guess`], [`features`]).

pub mod attempts;
pub mod counts;
pub mod evidence;
pub mod features;
pub mod formulas;
pub mod frame;
pub mod guess;
pub mod languages;
pub mod linear;
pub mod load;
pub mod races;
pub mod reach;
pub mod rules;
pub mod thread;
pub mod view;
pub mod wrapping;

pub use counts::{Counters, Counts};
pub use formulas::{Formulas, formulas};
pub use frame::Level;
