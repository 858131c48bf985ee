//! What an assertion is for: the property that it belongs to, and what it is about.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an assertion stands there. Its text is a line for people: `assertion x == 2`,
/// `signed overflow in a + b`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    pub property: Property,
    pub kind: CheckKind,
}

/// What an assertion is about, with the words of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CheckKind {
    /// A condition that the source states: `x == 2`.
    Condition(String),
    /// A name or sentence that the author of the program or model gives it.
    Label(String),
    /// Neither its condition nor a label is known.
    Unnamed,
    /// The call of a function that only a failure calls: `reach_error`.
    ErrorCall(String),
    /// The result of this expression must fit its signed type.
    SignedOverflow(String),
    /// The count of this shift must be from zero to below the operand's width.
    ShiftCount(String),
    /// C leaves undefined what happens otherwise, so nothing holds of an execution that goes on:
    /// "memcpy of memory that overlaps".
    Undefined(String),
}

impl Check {
    pub fn new(property: Property, kind: CheckKind) -> Check {
        Check { property, kind }
    }

    /// Whether its failure is a violation where these properties are asked for. Undefined behaviour
    /// violates all of them.
    pub fn is_asked(&self, asked: &[Property]) -> bool {
        asked.contains(&self.property) || matches!(self.kind, CheckKind::Undefined(_))
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            CheckKind::Condition(condition) => write!(f, "assertion {condition}"),
            CheckKind::Label(label) => f.write_str(label),
            CheckKind::Unnamed => f.write_str("assertion failed"),
            CheckKind::ErrorCall(function) => write!(f, "{function} is called"),
            CheckKind::SignedOverflow(of) => write!(f, "signed overflow in {of}"),
            CheckKind::ShiftCount(of) => write!(f, "shift count out of range in {of}"),
            CheckKind::Undefined(what) => f.write_str(what),
        }
    }
}

/// What can go wrong. `Race`, null, freed and out-of-bounds accesses (`Memory`), and waiting for
/// ever (`Deadlock`) are part of the semantics; the others are explicit `Assert` actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Property {
    Assert,
    Race,
    Memory,
    Overflow,
    Deadlock,
    /// An exception that nothing catches, in languages that have exceptions.
    Exception,
    /// A loop invariant that somebody gives. It says nothing about whether a program is correct, so
    /// nobody asks for it; engines that can use it look for its assertions.
    Invariant,
}

impl Property {
    /// What can be asked for of a C program or a model.
    pub const ALL: [Property; 5] = [
        Property::Assert,
        Property::Race,
        Property::Memory,
        Property::Overflow,
        Property::Deadlock,
    ];

    /// What is asked of a Java program that nobody says more of. Its memory is safe by itself, and
    /// its arithmetic is defined.
    pub const JAVA: [Property; 4] =
        [Property::Assert, Property::Race, Property::Deadlock, Property::Exception];

    pub fn name(self) -> &'static str {
        match self {
            Property::Assert => "assert",
            Property::Race => "race",
            Property::Memory => "memory",
            Property::Overflow => "overflow",
            Property::Deadlock => "deadlock",
            Property::Exception => "exception",
            Property::Invariant => "invariant",
        }
    }

    pub fn from_name(name: &str) -> Option<Property> {
        let mut all = Property::ALL.into_iter().chain([Property::Exception, Property::Invariant]);
        all.find(|p| p.name() == name)
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
