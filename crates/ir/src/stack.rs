//! Recursion over what is nested deeply.

/// Enough for the deepest nesting that the parser allows.
const STACK_BYTES: usize = 128 << 20;

/// Runs what recurses over expressions and blocks nested as deeply as the parser allows.
pub(crate) fn with_deep_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_BYTES, STACK_BYTES, run)
}
