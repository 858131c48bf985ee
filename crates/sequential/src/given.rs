//! Loop invariants as they are given: claims that nobody has checked.

use selvedge_ir::{Action, Expr};

/// What is claimed to hold whenever a loop's head is reached.
#[derive(Clone, Debug)]
pub struct Given {
    pub parts: Vec<Part>,
}

/// After these actions, the condition holds.
#[derive(Clone, Debug)]
pub struct Part {
    /// Actions that only read and compute.
    pub before: Vec<Action>,
    pub holds: Expr,
}

impl From<Expr> for Given {
    fn from(holds: Expr) -> Given {
        Given { parts: vec![Part { before: Vec::new(), holds }] }
    }
}
