//! Data races.
