//! Proofs for any number of threads by covering: after Kaiser, Kroening, Wahl, "Lost in
//! Abstraction: Monotonicity in Multi-Threaded Programs" (2014).
//!
//! A finite-state thread that is run by any number of identical threads is a *thread transition
//! system* ([`tts`]). Whether some number of threads can reach (cover) a set of local states is
//! decided by a backward search over upward-closed sets ([`coverability`]); what it answers is
//! checked by [`evidence`], which shares nothing with the search but the system.

pub mod abstraction;
pub mod coverability;
pub mod dual;
pub mod evidence;
pub mod predicate;
pub mod tts;
