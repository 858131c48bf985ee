//! The contract of all engines.
//!
//! An engine is a function
//!
//! ```text
//! verify(&Program, &Options<Own>, &mut Run) -> Result<Verdict, Stop>
//! ```
//!
//! [`Options`] say what is asked, [`Run`] is the budget and the ear of whoever waits. The answer is a
//! [`Verdict`] with its evidence, or a [`Stop`], which says why there is none.
//!
//! A verdict cannot be made without its evidence having been checked. The fields of [`Proof`] and
//! [`Counterexample`] are private, and the only ways to one go through here: the checker of
//! certificates accepts ([`Proof::checked`]), every state that was found has been expanded
//! ([`Proof::exhausted`]), each part of the program has such a proof ([`Proof::in_parts`]), the checker of contracts accepts
//! ([`Proof::by_contracts`]), or the program as it was given goes wrong along the trace
//! ([`Counterexample::replayed`]).

mod abilities;
mod confirm;
mod division;
mod evidence;
mod exhaust;
mod options;
mod races;
mod round;
mod run;
mod subject;

pub use abilities::Abilities;
pub use division::{Obligation, obligations, part, stopped};
pub use evidence::{Conformance, Counterexample, Evidence, Explanation, Proof, Verdict};
pub use exhaust::{Exhausted, Ledger};
pub use options::{Integers, Options};
pub use races::{RacePair, RaceResult};
pub use round::{Measure, Round, RoundResult};
pub use run::{Event, Run};
pub use selvedge_budget::{Budget, Clock, Moment, UNITS_PER_SECOND};
pub use selvedge_exec::{Stop, Trace, Violation};
