//! Which engines there are.
