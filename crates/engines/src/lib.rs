//! Engines that decide programs with a solver. Each takes a Plato program and gives a verdict with
//! evidence, or a reason why there is none ([`selvedge_exec::Stop`]).
//!
//! An engine knows neither C nor how answers are shown.

mod algebra;
pub mod concretize;
pub mod contexts;
pub mod cover;
mod edges;
pub mod horn;
pub mod interpolate;
pub mod sequential;
pub mod system;
pub mod tar;
