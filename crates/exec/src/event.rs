//! What one action did when it was executed, as data. The words for it stand here too, and nowhere
//! else.

use std::fmt;

use selvedge_ir::{Property, Storage};
use serde::{Deserialize, Serialize};

use crate::names::{property_name, storage_name};
use crate::value::ThreadId;

/// An action that was executed, with the values that it met. Places and values are text as the
/// source would have it: `list.head`, `node#2[3].key`; `-1`, `&x`, `null`, `T2`.
///
/// Its own text is one line for people: `read x = 0`, `lock m`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Event {
    /// One of several ways was taken.
    Choose,
    /// A condition was waited for, and holds.
    Wait,
    /// A check was passed.
    Check {
        #[serde(with = "property_name")]
        property: Property,
        message: String,
    },
    /// A local variable was given a value.
    Assign {
        variable: String,
        /// None where the variable is gone afterwards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A local variable was given an input.
    Input {
        variable: String,
        /// None where the variable is gone afterwards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    Read {
        place: String,
        /// None where it cannot be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// Nothing had been written there: the value is an input.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        uninitialised: bool,
        /// Another value has been written since, but nothing orders that write with this read.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        older: bool,
    },
    Write {
        place: String,
        /// None where the memory now holds no scalar of the size written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    Lock {
        place: String,
    },
    Unlock {
        place: String,
    },
    /// An object was made; on the stack, a local variable whose address is taken.
    Allocate {
        #[serde(with = "storage_name")]
        storage: Storage,
        place: String,
    },
    /// The life of an object ended.
    Free {
        #[serde(with = "storage_name")]
        storage: Storage,
        /// None for null, and where it cannot be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// A thread was started.
    Start {
        /// Counted from 1 in order of creation.
        thread: u32,
    },
    /// A thread was waited for, and has ended.
    Join {
        /// None where it cannot be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<u32>,
        /// What it returned, where that is wanted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<String>,
    },
    Call {
        procedure: String,
    },
    EndThread,
    Fence,
    EndProgram,
    /// Something that cannot be followed.
    Unsupported {
        what: String,
    },
    /// An action went wrong, or cannot be followed. The outcome says how.
    Fails {
        action: Attempt,
    },
}

/// What an action that failed was to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Attempt {
    Read,
    Write,
    Lock,
    Unlock,
    /// It does not hold, or its condition cannot be evaluated.
    Check {
        #[serde(with = "property_name")]
        property: Property,
        message: String,
    },
    Allocate,
    Free,
    Start,
    Join,
    Call,
    /// To find out which way to go.
    Branch,
    Compute,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Choose => f.write_str("choose"),
            Event::Wait => f.write_str("wait until the condition holds"),
            Event::Check { message, .. } => f.write_str(message),
            Event::Assign { variable, value } => with_value(f, "", variable, value),
            Event::Input { variable, value } => with_value(f, "input ", variable, value),
            Event::Read { place, value, uninitialised, older } => {
                with_value(f, "read ", place, value)?;
                f.write_str(if *older { " (an older value)" } else { "" })?;
                f.write_str(if *uninitialised { " (uninitialised)" } else { "" })
            }
            Event::Write { place, value } => {
                write!(f, "write {place} = {}", value.as_deref().unwrap_or("?"))
            }
            Event::Lock { place } => write!(f, "lock {place}"),
            Event::Unlock { place } => write!(f, "unlock {place}"),
            Event::Allocate { place, .. } => write!(f, "allocate {place}"),
            Event::Free { place, .. } => with_name(f, "free", place.as_deref()),
            Event::Start { thread } => write!(f, "start thread {}", ThreadId(*thread)),
            Event::Join { thread, result } => {
                let thread = thread.map(|thread| ThreadId(thread).to_string());
                with_name(f, "join", thread.as_deref())?;
                result.iter().try_for_each(|result| write!(f, ", result {result}"))
            }
            Event::Call { procedure } => write!(f, "call {procedure}"),
            Event::EndThread => f.write_str("end of the thread"),
            Event::Fence => f.write_str("fence"),
            Event::EndProgram => f.write_str("end of the program"),
            Event::Unsupported { what } => write!(f, "unsupported: {what}"),
            Event::Fails { action } => action.fmt(f),
        }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attempt::Read => "read",
            Attempt::Write => "write",
            Attempt::Lock => "lock",
            Attempt::Unlock => "unlock",
            Attempt::Check { message, .. } => message,
            Attempt::Allocate => "allocate",
            Attempt::Free => "free",
            Attempt::Start => "start thread",
            Attempt::Join => "join",
            Attempt::Call => "call",
            Attempt::Branch => "branch",
            Attempt::Compute => "compute",
        })
    }
}

fn with_value(
    f: &mut fmt::Formatter<'_>,
    verb: &str,
    name: &str,
    value: &Option<String>,
) -> fmt::Result {
    write!(f, "{verb}{name}")?;
    value.iter().try_for_each(|value| write!(f, " = {value}"))
}

fn with_name(f: &mut fmt::Formatter<'_>, verb: &str, name: Option<&str>) -> fmt::Result {
    f.write_str(verb)?;
    name.iter().try_for_each(|name| write!(f, " {name}"))
}
