//! What each round of the search did: for the log, the progress display and the benchmark.

use std::fmt;
use std::time::Duration;

/// One round: one set of predicates, from empty assumptions until there is an error or a proof.
#[derive(Clone, Debug)]
pub struct Round {
    /// Counted from 1: how often the assumptions have been emptied.
    pub number: u32,
    /// How often the assumptions have grown in this round.
    pub inner: u32,
    pub predicates: usize,
    /// Nodes of decision diagrams.
    pub nodes: usize,
    /// Questions to the solver, all rounds together.
    pub queries: u64,
    pub end: End,
    /// The predicates that were found, for people.
    pub found: Vec<String>,
    pub time: Duration,
}

/// What a round led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Proof,
    /// Abstract errors: so many clauses learned, so many new predicates.
    Refined {
        clauses: usize,
        predicates: usize,
    },
    /// Made visible: a location or a local.
    Exposed(String),
    /// An execution that goes wrong.
    Violation,
    /// An operation that wraps around.
    Wraps,
    /// A pair of accesses that is neither proved nor shown to race.
    LeftOpen,
    Nothing,
}

impl Round {
    /// For a line on a terminal.
    pub fn brief(&self) -> String {
        let Round { number, predicates, nodes, queries, .. } = self;
        format!("round {number}, {predicates} predicates, {nodes} nodes, {queries} queries")
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Round { number, inner, predicates, nodes, queries, .. } = self;
        write!(
            f,
            "round {number}, inner {inner}, predicates {predicates}, nodes {nodes}, \
             queries {queries}: "
        )?;
        match &self.end {
            End::Proof => f.write_str("proof")?,
            End::Refined { clauses, predicates: 0 } => write!(f, "{clauses} clauses learned")?,
            End::Refined { clauses: 0, predicates } => write!(f, "{predicates} new predicates")?,
            End::Refined { clauses, predicates } => {
                write!(f, "{clauses} clauses learned, {predicates} new predicates")?;
            }
            End::Exposed(what) => write!(f, "{what} made visible")?,
            End::Violation => f.write_str("violation")?,
            End::Wraps => f.write_str("an operation wraps around")?,
            End::LeftOpen => f.write_str("a pair of accesses left open")?,
            End::Nothing => f.write_str("no answer")?,
        }
        write!(f, " ({:.2} s)", self.time.as_secs_f64())?;
        self.found.iter().try_for_each(|predicate| write!(f, "\n  {predicate}"))
    }
}
