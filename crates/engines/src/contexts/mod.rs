//! Context-bounded analysis.
