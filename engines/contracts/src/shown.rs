//! What to show of an obligation that fails.

use selvedge_ir::spec::Formula;

use crate::state::State;
use crate::world::View;

/// What to show of a failure.
pub(crate) struct Shown<'v> {
    pub state: &'v State,
    /// Whether the step, with its states before and after, is what fails.
    pub step: bool,
    pub clause: Option<(&'v Formula, &'v View)>,
}

impl<'v> Shown<'v> {
    pub fn state(state: &'v State) -> Shown<'v> {
        Shown { state, step: false, clause: None }
    }

    pub fn step(state: &'v State) -> Shown<'v> {
        Shown { state, step: true, clause: None }
    }

    pub fn clause(state: &'v State, formula: &'v Formula, view: &'v View) -> Shown<'v> {
        Shown { state, step: true, clause: Some((formula, view)) }
    }
}
