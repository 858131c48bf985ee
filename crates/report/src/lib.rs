//! Results for people and for programs: traces as text, verdicts as JSON.
//!
//! What is reported comes from `exec` and `ir` alone; no engine and no front end is known here.

mod answer;
mod contracts;
mod cover;
mod json;
mod layout;
mod numbers;
mod page;
mod retell;
mod story;

pub use answer::hint;
pub use contracts::{
    ContractAnnotation, ContractChange, ContractLoop, ContractObligation, ContractOutcome,
    ContractPart, ContractsReport,
};
pub use cover::{CoverReport, CoverRun, CoverSearch, CoverStep};
pub use json::{
    Answer, Assumption, Attempt, PropertyAnswer, RacePair, RaceResult, Report, Supposing,
};
pub use layout::render;
pub use numbers::{counted, grouped};
pub use page::{Page, Tone};
pub use retell::{Sources, retell};
pub use story::{Actor, Effect, Failure, Place, Row, Story};
