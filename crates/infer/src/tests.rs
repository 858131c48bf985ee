//! Tests on programs with a reader of its own.
