//! Certificates of safety, and their checker.
//!
//! A certificate says why no execution of a program goes wrong, in a form that can be checked
//! without trust in whoever found it: relations over the shared state and a few threads each, which
//! hold in the beginning, survive every step of every thread, and exclude every error
//! ([`certificate`] has the data, `docs/certificates.md` the rules).

pub mod certificate;
pub mod names;

pub use certificate::{
    Arithmetic, Certificate, Counter, Entry, Exposed, FORMAT, Ghosts, Malformed, Preparation,
    Relation, VERSION,
};
