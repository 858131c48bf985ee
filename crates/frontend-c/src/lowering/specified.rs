//! What is known of a specification while it is lowered.

use std::collections::HashMap;

use selvedge_c_syntax::ast::{self, Expr};
use selvedge_c_syntax::specification as said;
use selvedge_ir::LocalId;
use selvedge_ir::spec::{Binding, When};

use crate::types::{RecordId, Ty};

/// For each quantifier, by the address of its argument, whether it stands under an even number of negations.
pub(crate) type Polarities = HashMap<*const Expr, bool>;

/// A formula that is being lowered.
#[derive(Debug, Default)]
pub(crate) struct Formulating {
    /// What locals stand for that no action computes.
    pub bindings: HashMap<LocalId, Binding>,
    pub polarities: Polarities,
    /// The state that names speak of, and the one that `'` or `\old` speaks of.
    pub plain: Option<When>,
    /// Locations of the body from which the other state is read: from the first up to the second.
    pub other: Vec<(usize, usize)>,
    /// The function's result, where it can be spoken of.
    pub result: Option<Ty>,
}

/// A member that others must not write under a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protecting<'a> {
    pub record: RecordId,
    pub member: &'a ast::Ident,
    pub condition: &'a said::Clause,
    pub unit: usize,
}
