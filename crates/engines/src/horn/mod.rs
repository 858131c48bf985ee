//! `horn`: proofs for any number of threads, by Horn clauses that a solver finds an answer to.

pub mod clauses;
pub mod linear;
pub mod shapes;
#[cfg(test)]
mod tests;
pub mod view;
