//! The figures of one round: one set of predicates, from empty assumptions until there is an error or
//! a proof.

use std::time::Duration;

use selvedge_verdict::{Round, RoundResult, Stop};

#[derive(Clone, Debug)]
pub struct Figures {
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
    /// A number of threads that a variable may not be able to hold.
    Few,
    /// A pair of accesses that is neither proved nor shown to race.
    LeftOpen,
    Stopped(Stop),
    Nothing,
}

impl Figures {
    pub fn new(number: u32, predicates: usize) -> Figures {
        Figures {
            number,
            inner: 0,
            predicates,
            nodes: 0,
            queries: 0,
            end: End::Nothing,
            found: Vec::new(),
            time: Duration::ZERO,
        }
    }

    /// For a line on a terminal.
    pub fn brief(&self) -> String {
        let Figures { number, predicates, nodes, queries, .. } = self;
        format!("round {number}, {predicates} predicates, {nodes} nodes, {queries} queries")
    }

    pub fn round(self) -> Round {
        let round = Round::new(self.end.result(), self.time.as_secs_f64())
            .count("round", self.number.into())
            .count("inner", self.inner.into())
            .count("predicates", self.predicates as u64)
            .count("nodes", self.nodes as u64)
            .count("queries", self.queries);
        let round = match self.end {
            End::Refined { clauses, predicates } => round
                .count("new clauses", clauses as u64)
                .count("new predicates", predicates as u64),
            _ => round,
        };
        if self.found.is_empty() { round } else { round.names("found", self.found) }
    }
}

impl End {
    fn result(&self) -> RoundResult {
        let spurious = |why: String| RoundResult::Spurious { why };
        let open = |why: &str| RoundResult::Open { why: why.to_owned() };
        match self {
            End::Proof => RoundResult::Proof,
            End::Refined { .. } => spurious("excluded by refinement".into()),
            End::Exposed(what) => spurious(format!("{what} made visible")),
            End::Few => spurious("fewer than 2^31 threads are assumed from here on".into()),
            End::Violation => RoundResult::Violation,
            End::LeftOpen => open("a pair of accesses is left open"),
            End::Stopped(Stop::Time { .. } | Stop::Work { .. }) => RoundResult::OutOfTime,
            End::Stopped(stop) => open(&stop.to_string()),
            End::Nothing => open("nothing was learned"),
        }
    }
}
