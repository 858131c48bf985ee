//! What checking a certificate comes to.

use std::fmt;
use std::time::Duration;

use selvedge_ir::{Program, Property, Span};
use selvedge_smt::Reason;

/// Every obligation holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Obligations in all.
    pub obligations: usize,
    /// Those that needed a solver; the others are plain from the formulas.
    pub asked: usize,
    pub time: Duration,
    /// What the proof takes for granted beyond the program's semantics.
    pub assumptions: Vec<Assumption>,
}

/// What a proof may take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Integers have no bounds.
    UnboundedIntegers,
    /// Fewer than 2^31 threads exist at once.
    FewThreads,
}

impl Assumption {
    /// One word for the kind.
    pub fn kind(self) -> &'static str {
        match self {
            Assumption::UnboundedIntegers => "unbounded_integers",
            Assumption::FewThreads => "few_threads",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Assumption::UnboundedIntegers => "integers are taken to have no bounds",
            Assumption::FewThreads => "fewer than 2^31 threads exist at once",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It cannot be read, or says something that has no meaning.
    Malformed(String),
    /// It is about another program.
    OtherProgram(String),
    /// It claims a property whose checks the front end has left out of the program.
    Unchecked(Property),
    /// An obligation does not hold.
    Fails(Box<Failure>),
    /// An obligation could not be decided.
    Undecided { obligation: String, reason: Reason },
}

/// An obligation that does not hold, and a state that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which one, for people.
    pub obligation: String,
    /// The thread that moves, and where it stands before; none for an initial state.
    pub thread: Option<(String, String)>,
    /// Where in the source, if there is one.
    pub place: Option<Place>,
    /// Names and values before the step.
    pub state: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub fn of(program: &Program, span: Span) -> Option<Place> {
        let file = program.files.get(span.file).filter(|_| !span.is_none())?;
        Some(Place { file: file.name.clone(), line: span.line, column: span.column })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.obligation)?;
        if let Some((thread, location)) = &self.thread {
            write!(f, "\n  thread {thread} at {location}")?;
        }
        if let Some(place) = &self.place {
            write!(f, "\n  in the source: {place}")?;
        }
        if !self.state.is_empty() {
            let values: Vec<String> =
                self.state.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            write!(f, "\n  in a state with {}", values.join(", "))?;
        }
        Ok(())
    }
}

impl Rejected {
    /// The whole message without line breaks.
    pub fn on_a_line(&self) -> String {
        self.to_string().replace("\n ", ",")
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::Malformed(why) | Rejected::OtherProgram(why) => f.write_str(why),
            Rejected::Unchecked(property) => write!(
                f,
                "the certificate claims `{property}`, but the program was lowered without the checks of it"
            ),
            Rejected::Fails(failure) => failure.fmt(f),
            Rejected::Undecided { obligation, reason } => {
                write!(f, "{obligation}: not decided, {reason}")
            }
        }
    }
}
