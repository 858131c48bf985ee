//! Certificates of safety, and their checker.
//!
//! A certificate says why no execution of a program goes wrong, in a form that can be checked
//! without trust in whoever found it: relations over the shared state and a few threads each, which
//! hold in the beginning, survive every step of every thread, and exclude every error
//! ([`certificate`] has the data, [`names`] what names stand for, `docs/certificates.md` the rules).
//!
//! The checker shares with the engines only the preparation of programs and the solver. It finds
//! the threads, the cut locations and the paths between them itself, and translates them itself.
//!
//! Besides: thread transition systems ([`tts`]), and the check of what is answered about them
//! ([`evidence`]).

mod ask;
pub mod certificate;
mod check;
mod cuts;
mod errors;
pub mod evidence;
mod expr;
mod facts;
mod family;
mod float;
mod flow;
mod induction;
mod memory;
mod mixed;
pub mod names;
mod objects;
mod outline;
mod place;
#[cfg(test)]
mod random;
mod settled;
mod space;
mod threads;
pub mod tts;
mod verdict;
mod walk;
mod word;

pub use certificate::{
    Arithmetic, Certificate, Changer, Counter, Entry, Exposed, FORMAT, Ghosts, Malformed,
    Preparation, Relation, VERSION,
};
pub use check::{check, check_alone, program_of};
pub use outline::outline;
pub use verdict::{Accepted, Assumption, Failure, Place, Rejected};
