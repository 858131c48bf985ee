//! The names of the variables that a check adds, which its traces mention.

/// Whether the abstract thread may be in a state.
pub fn at(state: &str) -> String {
    format!("at.{state}")
}

/// A cell of the vocabulary now.
pub fn now(cell: &str) -> String {
    format!("now.{cell}")
}

/// Likewise, before the step.
pub fn before(cell: &str) -> String {
    format!("before.{cell}")
}

/// Likewise, as the step before left it.
pub fn kept(cell: &str) -> String {
    format!("kept.{cell}")
}

/// A parameter as it was at the entry.
pub fn given(parameter: &str) -> String {
    format!("given.{parameter}")
}

/// What the assertion is called that fails where a procedure has not done all that its contract
/// says.
pub fn unfinished(procedure: &str) -> String {
    format!("`{procedure}` returns before all actions of its contract are done")
}

/// What the assertion is called that fails where a step has no match.
pub fn unmatched(thread: &str) -> String {
    format!("no step of {thread} matches")
}
