//! How a property is violated, as data. The words for it stand here too, and nowhere else.

use std::fmt;

use selvedge_ir::{Check, CheckKind, Property, Storage};
use serde::{Deserialize, Serialize};

use crate::names::{property_name, storage_name};
use crate::value::ThreadId;

/// What exactly went wrong. Its text is one line, a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Fault {
    /// An assertion does not hold. It is known by its condition or by a label that the author gave
    /// it, or by neither.
    Assertion {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// A function that only a failure calls: `reach_error`.
    ErrorCall {
        function: String,
    },
    /// The result of an expression does not fit its signed type.
    SignedOverflow {
        expression: String,
    },
    /// A shift by a negative count, or by the operand's width or more.
    ShiftCount {
        expression: String,
    },
    /// What C leaves undefined, said in words.
    Undefined {
        #[serde(with = "property_name")]
        property: Property,
        what: String,
    },
    /// Another check, mostly by a library model: a mutex that is destroyed while it is locked.
    Check {
        #[serde(with = "property_name")]
        property: Property,
        message: String,
    },

    NullDereference,
    /// An access to memory that was allocated on the heap and freed.
    FreedAccess,
    /// An access to a local variable whose scope has ended.
    ScopeEnded,
    /// An access to a thread-local variable whose thread has ended.
    ThreadEnded,
    OutOfBounds {
        /// Of the access, in bytes.
        size: u64,
        offset: i64,
        /// Of the object, in bytes.
        object: u64,
    },
    /// An access through a pointer read from memory that nobody has written.
    UninitialisedPointer,
    /// An access through a pointer that is an input, or a variable without an initial value.
    InputPointer,
    /// An access through a pointer converted from an integer, which leads into no object.
    InvalidAddress {
        /// None where it depends on an input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<u64>,
    },
    /// An access through a pointer to a function, or through a thread's identifier.
    NotData,
    /// A truth value is read from bytes that are neither 0 nor 1.
    InvalidBool,

    DoubleFree,
    /// Free of a pointer that is not to the start of an object.
    FreeInside,
    /// Free of memory that was not allocated in this storage.
    FreeUnallocated {
        #[serde(with = "storage_name")]
        storage: Storage,
    },

    DivisionByZero,
    PointerComparison,
    PointerSubtraction,
    NullCall,
    /// A call through a pointer that is not to a function.
    CallOfData,
    TooFewArguments,
    JoinOfNoThread,

    /// Two accesses to the same memory that nothing orders.
    Race {
        place: String,
        first: RacingAccess,
        second: RacingAccess,
    },
    /// Threads wait for ever: for each other while the rest go on (`partial`), or all of them.
    Deadlock {
        waiting: Vec<Waiting>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
    },
    /// An unlock of a lock that nobody holds.
    UnlockFree,
    /// An unlock of a lock that another thread holds.
    UnlockOther,
}

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RacingAccess {
    /// Counted from 1 in order of creation.
    pub thread: u32,
    pub access: AccessKind,
    /// It took place before the other, but does not happen before it in C11's sense. Otherwise both
    /// are what their threads can do next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub earlier: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    Read,
    Write,
}

/// A thread of a deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Counted from 1 in order of creation.
    pub thread: u32,
    #[serde(rename = "for")]
    pub awaited: Awaited,
    /// The lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// The thread that holds the lock, or must end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    /// The line where the other thread took the lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u32>,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaited {
    Lock,
    /// That a condition holds.
    Condition,
    /// That another thread ends.
    Thread,
}

impl Fault {
    /// The failure of a check. It violates the check's property, so a kind that is usual for one
    /// property only is that of `Check` where it stands with another.
    pub fn of_check(check: &Check) -> Fault {
        match (check.property, check.kind.clone()) {
            (Property::Assert, CheckKind::Condition(condition)) => {
                Fault::Assertion { condition: Some(condition), label: None }
            }
            (Property::Assert, CheckKind::Label(label)) => {
                Fault::Assertion { condition: None, label: Some(label) }
            }
            (Property::Assert, CheckKind::Unnamed) => {
                Fault::Assertion { condition: None, label: None }
            }
            (Property::Assert, CheckKind::ErrorCall(function)) => Fault::ErrorCall { function },
            (Property::Overflow, CheckKind::SignedOverflow(expression)) => {
                Fault::SignedOverflow { expression }
            }
            (Property::Overflow, CheckKind::ShiftCount(expression)) => {
                Fault::ShiftCount { expression }
            }
            (property, CheckKind::Undefined(what)) => Fault::Undefined { property, what },
            (property, _) => Fault::Check { property, message: check.to_string() },
        }
    }

    /// The property that it violates.
    pub fn property(&self) -> Property {
        match self {
            Fault::Assertion { .. } | Fault::ErrorCall { .. } => Property::Assert,
            Fault::SignedOverflow { .. } | Fault::ShiftCount { .. } => Property::Overflow,
            Fault::Check { property, .. } | Fault::Undefined { property, .. } => *property,
            Fault::Race { .. } => Property::Race,
            Fault::Deadlock { .. } | Fault::UnlockFree | Fault::UnlockOther => Property::Deadlock,
            _ => Property::Memory,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Assertion { label: Some(label), .. } => write!(f, "assertion fails: {label}"),
            Fault::Assertion { condition: Some(condition), .. } => {
                write!(f, "assertion {condition} fails")
            }
            Fault::ErrorCall { function } => write!(f, "{function} is called"),
            Fault::SignedOverflow { expression } => write!(f, "signed overflow in {expression}"),
            Fault::ShiftCount { expression } => {
                write!(f, "shift count out of range in {expression}")
            }
            Fault::Check { message, .. } => f.write_str(message),
            Fault::Undefined { what, .. } => f.write_str(what),
            Fault::OutOfBounds { size, offset, object } => write!(
                f,
                "access out of bounds: {size} bytes at offset {offset} of an object of {object}"
            ),
            Fault::InvalidAddress { address: Some(address) } => {
                write!(f, "access to address {address:#x}, which is in no object")
            }
            Fault::FreeUnallocated { storage } => {
                let storage = match storage {
                    Storage::Heap => "heap",
                    Storage::Stack => "stack",
                };
                write!(f, "free of memory that was not allocated on the {storage}")
            }
            Fault::Race { place, first, second } => {
                write!(f, "data race on {place}: {first} and {second}")
            }
            Fault::Deadlock { waiting, partial } => {
                f.write_str("deadlock: ")?;
                for thread in waiting {
                    write!(f, "{thread}, ")?;
                }
                f.write_str(match partial {
                    true => "and none of these can ever move",
                    false => "and no thread can move",
                })
            }
            Fault::Assertion { .. } => f.write_str("assertion fails"),
            Fault::NullDereference => f.write_str("null pointer dereferenced"),
            Fault::FreedAccess => f.write_str("access to freed memory"),
            Fault::ScopeEnded => f.write_str("access to a variable out of scope"),
            Fault::ThreadEnded => f.write_str("access to a variable of a thread that has ended"),
            Fault::UninitialisedPointer => f.write_str("access through an uninitialised pointer"),
            Fault::InputPointer => {
                f.write_str("access through a pointer that is an input or was never initialised")
            }
            Fault::InvalidAddress { .. } => {
                f.write_str("access through a pointer made from an input number")
            }
            Fault::NotData => f.write_str("access through a pointer that is not to data"),
            Fault::InvalidBool => f.write_str("a `_Bool` is read whose value is neither 0 nor 1"),
            Fault::DoubleFree => f.write_str("memory freed twice"),
            Fault::FreeInside => f.write_str("free of a pointer into the middle of an object"),
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::PointerComparison => {
                f.write_str("comparison of pointers into different objects")
            }
            Fault::PointerSubtraction => {
                f.write_str("subtraction of pointers into different objects")
            }
            Fault::NullCall => f.write_str("call through a null pointer"),
            Fault::CallOfData => f.write_str("call through a pointer that is not to a function"),
            Fault::TooFewArguments => f.write_str("call with too few arguments"),
            Fault::JoinOfNoThread => f.write_str("join of something that is not a thread"),
            Fault::UnlockFree => f.write_str("unlock of a lock that is free"),
            Fault::UnlockOther => f.write_str("unlock of a lock that another thread holds"),
        }
    }
}

impl fmt::Display for RacingAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = match self.access {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
        };
        let earlier = if self.earlier { "an earlier " } else { "" };
        write!(f, "{earlier}{access} by {}", ThreadId(self.thread))
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for ", ThreadId(self.thread))?;
        match (self.awaited, &self.lock, self.of.map(ThreadId)) {
            (Awaited::Lock, Some(lock), Some(holder)) => {
                // The mutexes of library models are structures with a member for the holder.
                let lock = lock.strip_suffix(".holder").unwrap_or(lock);
                write!(f, "lock {lock} (held by {holder}")?;
                if let Some(line) = self.since {
                    write!(f, " since line {line}")?;
                }
                f.write_str(")")
            }
            (Awaited::Lock, ..) => f.write_str("a lock"),
            (Awaited::Condition, ..) => f.write_str("a condition"),
            (Awaited::Thread, _, Some(thread)) => write!(f, "{thread} to end"),
            (Awaited::Thread, ..) => f.write_str("a thread to end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CheckKind::{Condition, ErrorCall, Label, ShiftCount, SignedOverflow, Unnamed};

    #[track_caller]
    fn check(property: Property, kind: CheckKind, expected: &str) {
        let fault = Fault::of_check(&Check { property, kind });
        assert_eq!(fault.to_string(), expected);
        assert_eq!(fault.property(), property);
        let json = serde_json::to_string(&fault).expect("plain data");
        assert_eq!(serde_json::from_str::<Fault>(&json).expect("what was written"), fault);
    }

    #[test]
    fn checks_as_sentences() {
        check(Property::Assert, Condition("x == 2".into()), "assertion x == 2 fails");
        check(Property::Assert, Unnamed, "assertion fails");
        check(Property::Assert, ErrorCall("reach_error".into()), "reach_error is called");
        check(Property::Assert, Label("both counted".into()), "assertion fails: both counted");
        check(Property::Overflow, SignedOverflow("a + b".into()), "signed overflow in a + b");
        check(
            Property::Overflow,
            ShiftCount("a << b".into()),
            "shift count out of range in a << b",
        );
        let destroyed = "a locked mutex is destroyed";
        check(Property::Deadlock, Label(destroyed.into()), destroyed);
    }

    #[test]
    fn a_kind_with_another_property_keeps_the_property() {
        check(Property::Overflow, Condition("x == 2".into()), "assertion x == 2");
        check(Property::Assert, SignedOverflow("a + b".into()), "signed overflow in a + b");
    }

    #[test]
    fn labels_are_not_read() {
        check(Property::Assert, Label("assertion x".into()), "assertion fails: assertion x");
        check(Property::Assert, Label("f is called".into()), "assertion fails: f is called");
    }
}
