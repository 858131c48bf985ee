//! What a formula is about: one memory or two, and who looks at them.

use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::Memory;

/// What a formula is about.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub before: Memory,
    pub after: Memory,
    pub tid: Term,
    pub params: Vec<Sym>,
    pub result: Option<Sym>,
    /// Values of the procedure in whose body the formula stands.
    pub values: Vec<Sym>,
}
