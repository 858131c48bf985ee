//! What a check finds: obligations as values.

use std::fmt;

use selvedge_certify_contracts::{Certificate, LoopFacts};
use selvedge_ir::spec::Clause;
use selvedge_ir::{ProcId, Program, Property, Span};
use selvedge_verdict::Stop;

/// All that was asked about a program's contracts.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// First what is asked of the specification itself, then each procedure.
    pub parts: Vec<Part>,
    /// What is believed beside the program, one sentence each.
    pub assumptions: Vec<String>,
    /// Invariants that the author has not written, and that are proved like the others.
    pub found: Vec<Clause>,
}

/// The obligations of one procedure, or of the specification as a whole.
#[derive(Clone, Debug)]
pub struct Part {
    pub procedure: Option<ProcId>,
    pub name: String,
    pub obligations: Vec<Obligation>,
    /// The invariants found for its loops, in words.
    pub invariants: Vec<LoopInvariants>,
    /// The same, for a certificate.
    pub loops: Vec<LoopFacts>,
    pub seconds: f64,
    /// Whether the solver was left alone, since it has answered the same questions before.
    pub recalled: bool,
    /// Questions about the obligations, those about guesses not counted.
    pub questions: usize,
    /// Units of work; of the solver only where work is counted.
    pub work: u64,
}

/// What holds at the head of a loop.
#[derive(Clone, Debug)]
pub struct LoopInvariants {
    pub head: Span,
    pub facts: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Obligation {
    pub kind: Kind,
    /// The step that it is about; none for what is asked of the specification.
    pub at: Span,
    /// The words of the author that it comes from.
    pub annotation: Option<Annotation>,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub text: String,
    pub span: Span,
}

/// What has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An environment that does nothing satisfies the assumption.
    Reflexive,
    /// Two steps of the environment are one.
    Transitive,
    /// What is assumed can hold at all; with what it is.
    Consistent(String),
    /// The initial memory.
    Initial,
    /// What a procedure requires where it is called or started.
    Requires(String),
    Starts(String),
    /// A check of the program.
    Assertion(String),
    /// An access to memory.
    Access(String),
    /// A divisor is not zero, pointers that are compared are of one object.
    Defined(String),
    /// A value depends on nothing that the semantics leaves open.
    Known,
    /// Nothing that is not supported is reached.
    Supported(String),
    /// A step keeps a global invariant.
    Invariant,
    /// A step does to others what they assume of their environment.
    Guarantee,
    /// A step is one of those that the contract allows.
    Allowed,
    /// At the exit all actions of the contract are done.
    Finished,
    Ensures,
    /// A loop keeps what its author says of it, or what was guessed.
    LoopInvariant,
    /// All that is asked of a procedure: the budget ended before.
    Unfinished(Stop),
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Proved,
    Failed(Vec<Change>),
    Unknown(String),
}

/// A part of the state in which an obligation fails: its value before the step, and after it where
/// the obligation is about two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub before: String,
    pub after: Option<String>,
}

impl Outcome {
    pub fn is_proved(&self) -> bool {
        matches!(self, Outcome::Proved)
    }
}

impl Report {
    pub fn obligations(&self) -> impl Iterator<Item = &Obligation> {
        self.parts.iter().flat_map(|part| &part.obligations)
    }

    /// What somebody else needs to prove the same again.
    pub fn certificate(&self, program: &Program, properties: &[Property]) -> Certificate {
        let loops = self.parts.iter().flat_map(|part| part.loops.clone()).collect();
        Certificate::new(program, properties, self.found.clone(), loops)
    }

    /// The parts that were checked, and those whose answers were in the cache.
    pub fn checked_and_recalled(&self) -> (usize, usize) {
        let recalled = self.parts.iter().filter(|part| part.recalled).count();
        (self.parts.len() - recalled, recalled)
    }

    /// The report, unless a part is not finished.
    pub fn finished(self) -> Result<Report, Stop> {
        let stop = self.obligations().find_map(|obligation| match &obligation.kind {
            Kind::Unfinished(stop) => Some(stop.clone()),
            _ => None,
        });
        stop.map_or(Ok(self), Err)
    }

    pub fn is_proved(&self) -> bool {
        self.obligations().all(|obligation| obligation.outcome.is_proved())
    }
}

impl fmt::Display for Kind {
    /// What is wrong where it does not hold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Reflexive => {
                f.write_str("the assumption excludes an environment that does nothing")
            }
            Kind::Transitive => f.write_str("two steps of the environment may do what one may not"),
            Kind::Consistent(what) => {
                write!(f, "{what} cannot hold: whatever follows is proved of nothing")
            }
            Kind::Initial => f.write_str("the invariant may not hold in the initial memory"),
            Kind::Requires(callee) => write!(f, "{callee} is called where it must not be"),
            Kind::Starts(entry) => write!(f, "a thread is started in {entry} where it must not be"),
            Kind::Assertion(check) => write!(f, "{check} may fail"),
            Kind::Access(what) => f.write_str(what),
            Kind::Defined(what) => f.write_str(what),
            Kind::Known => f.write_str("a value depends on the address of an object"),
            Kind::Supported(what) => write!(f, "unsupported: {what}"),
            Kind::Invariant => f.write_str("the step may break an invariant"),
            Kind::Guarantee => {
                f.write_str("write when not allowed: other threads assume that nobody does this")
            }
            Kind::Allowed => f.write_str("the step is none that the contract allows"),
            Kind::Finished => {
                f.write_str("the procedure may return before all actions of its contract are done")
            }
            Kind::Ensures => f.write_str("the postcondition may not hold at the exit"),
            Kind::LoopInvariant => f.write_str("the loop invariant may not hold"),
            Kind::Unfinished(_) => f.write_str("the check of this function is not finished"),
        }
    }
}

/// `file.c:12`, or the program's name where there is no place.
pub fn place(program: &Program, span: Span) -> String {
    match program.files.get(span.file) {
        Some(file) if !span.is_none() => format!("{}:{}", file.name, span.line),
        _ if !span.is_none() => format!("{}:{}", program.name, span.line),
        _ => program.name.clone(),
    }
}
