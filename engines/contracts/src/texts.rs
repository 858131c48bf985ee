//! What kinds of obligations are called, and what they say before they are decided and if they are
//! proved. What they say if they fail is how they are displayed.

use crate::report::Kind;

impl Kind {
    /// One word for programs that read reports.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Reflexive => "reflexive",
            Kind::Transitive => "transitive",
            Kind::Consistent(_) => "consistent",
            Kind::Initial => "initial",
            Kind::Requires(_) => "requires",
            Kind::Starts(_) => "starts",
            Kind::Assertion(_) => "assertion",
            Kind::Access(_) => "access",
            Kind::Defined(_) => "defined",
            Kind::Known => "known",
            Kind::Supported(_) => "supported",
            Kind::Invariant => "invariant",
            Kind::Guarantee => "guarantee",
            Kind::Allowed => "allowed",
            Kind::Finished => "finished",
            Kind::Ensures => "ensures",
            Kind::LoopInvariant => "loop_invariant",
            Kind::Unfinished(_) => "unfinished",
        }
    }

    /// What is to hold.
    pub fn to_hold(&self) -> String {
        match self {
            Kind::Reflexive => "the assumption allows an environment that does nothing".to_owned(),
            Kind::Transitive => "what two steps of the environment do, one may do".to_owned(),
            Kind::Consistent(what) => format!("{what} can hold"),
            Kind::Initial => "the invariant holds in the initial memory".to_owned(),
            Kind::Requires(callee) => format!("what {callee} requires holds where it is called"),
            Kind::Starts(entry) => {
                format!("what {entry} requires holds where a thread starts in it")
            }
            Kind::Assertion(check) => format!("this does not fail: {check}"),
            Kind::Access(what) => format!("this does not happen: {what}"),
            Kind::Defined(what) => format!("this is excluded: {what}"),
            Kind::Known => "no value depends on the address of an object".to_owned(),
            Kind::Supported(what) => format!("this is not reached: {what}"),
            Kind::Invariant => "the step keeps the invariant".to_owned(),
            Kind::Guarantee => "the step does what other threads assume of it".to_owned(),
            Kind::Allowed => "the step is one that the contract allows".to_owned(),
            Kind::Finished => "all actions of the contract are done at the exit".to_owned(),
            Kind::Ensures => "the postcondition holds at the exit".to_owned(),
            Kind::LoopInvariant => {
                "the invariant holds whenever the loop's head is reached".to_owned()
            }
            Kind::Unfinished(_) => "all that is asked of the function holds".to_owned(),
        }
    }

    /// What is known if it is proved.
    pub fn if_proved(&self) -> String {
        match self {
            Kind::Reflexive => "others may do nothing".to_owned(),
            Kind::Transitive => "any number of steps of others are one step".to_owned(),
            Kind::Consistent(what) => format!("some state satisfies {what}"),
            Kind::Initial => "the program begins with the invariant".to_owned(),
            Kind::Requires(callee) => format!("{callee} is called only where it may be"),
            Kind::Starts(entry) => format!("threads start in {entry} only where they may"),
            Kind::Assertion(check) => format!("in no execution: {check}"),
            Kind::Access(_) => "the access leads into an object that is there".to_owned(),
            Kind::Defined(_) => "the step is defined in every execution".to_owned(),
            Kind::Known => "the value is the same wherever objects stand".to_owned(),
            Kind::Supported(_) => "no execution comes here".to_owned(),
            Kind::Invariant => "the invariant holds after the step".to_owned(),
            Kind::Guarantee => "other threads see nothing that they exclude".to_owned(),
            Kind::Allowed => "callers see no step but those of the contract".to_owned(),
            Kind::Finished => "callers can rely on every action of the contract".to_owned(),
            Kind::Ensures => "callers can rely on the postcondition".to_owned(),
            Kind::LoopInvariant => "the invariant holds in every round of the loop".to_owned(),
            Kind::Unfinished(_) => "the function keeps its contract".to_owned(),
        }
    }
}
