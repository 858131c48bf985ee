//! Results for people and for programs: traces as text, verdicts as JSON.
//!
//! What is reported comes from `exec` and `ir` alone; no engine and no front end is known here.

mod cover;
mod json;
mod layout;
mod page;
mod retell;
mod story;

pub use cover::{CoverReport, CoverRun, CoverSearch, CoverStep};
pub use json::{Attempt, RacePair, Report, Round, Search};
pub use layout::render;
pub use page::{Page, Tone};
pub use retell::{Sources, retell};
pub use story::{Actor, Effect, Failure, Place, Row, Story};
