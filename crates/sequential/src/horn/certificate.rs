//! Loop invariants that prove a program correct.

use std::sync::Arc;

use selvedge_ir::LocationId;
use selvedge_smt::translate::Arithmetic;
use selvedge_smt::{Term, Terms};

/// Invariants of loops that together show that a program is correct.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub terms: Arc<Terms>,
    pub arithmetic: Arithmetic,
    pub invariants: Vec<Invariant>,
}

/// What holds whenever a loop's head is reached.
#[derive(Clone, Debug)]
pub struct Invariant {
    pub at: LocationId,
    /// The variables of the formula with what they stand for.
    pub parameters: Vec<(String, Term)>,
    pub formula: Term,
}
