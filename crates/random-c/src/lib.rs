//! Random C programs, and what real compilers make of them.
//!
//! A program is generated, compiled by gcc (and clang, where it is installed) with sanitizers and
//! run; then the front end reads it, and it is executed by `exec` and searched by `explore`. Both
//! worlds must agree (`judge`): on the final state, as a checksum, and on whether the program goes
//! wrong. The programs are this crate's own (`generate`) or csmith's (`csmith`).
//!
//! A difference is shrunk: for our own programs by leaving out choices of the generator
//! (`choices`), for csmith's by leaving out lines.

mod campaign;
mod choices;
mod compilers;
mod csmith;
mod generate;
mod judge;
mod ours;
mod report;
mod work;

pub use campaign::{Campaign, own_programs};
pub use csmith::csmith_programs;
pub use report::{Difference, Report};
