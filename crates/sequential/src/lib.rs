//! Is a sequential program correct?
//!
//! Bounded ([`unroll`], [`solve`]): loops are unrolled up to a bound, the rest becomes one formula
//! that is satisfiable exactly if there is a bad execution within the bound. If there is none, and
//! no execution can go beyond the bound, the program is correct.
//!
//! The bound grows until one of the two answers comes, or the limit is reached.
//!
//! By invariants ([`horn`]): a solver of Horn clauses looks for what holds at the head of each loop.
//! That proves programs correct whose loops have no bound, and finds no bugs.

mod address;
mod expr;
mod guard;
pub mod horn;
pub mod interleave;
mod invariants;
mod memory;
mod order;
pub mod program;
mod reads;
mod single;
mod solve;
mod state;
#[cfg(test)]
mod tests;
mod unroll;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use selvedge_budget::Moment;

use selvedge_exec::Stop;
use selvedge_ir::{LocalId, LocationId, Span};
use selvedge_smt::Limits;

pub use horn::{Certificate, Flaw, Invariant, Rejected, loop_heads};
pub use invariants::{Given, NotUsed, Part, prove_as_given};
pub use program::{Guess, Origin, Path, SequentialProgram, Step};
use solve::Found;
pub use unroll::Bounds;
use unroll::{Failure, Unrolled, Why};

/// For checking given invariants where nothing else is said.
const GIVEN: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub struct Options {
    /// The first bound.
    pub from: u32,
    /// The last bound; it doubles on the way. Without one, it grows until the time is over.
    pub to: Option<u32>,
    /// Whether to find out if executions go beyond the bound. Without that, nothing is `Correct`
    /// unless constants show that all loops end.
    pub prove: bool,
    /// How often a loop goes back where constants decide that; otherwise a multiple of the bound.
    pub counted: Option<u32>,
    /// Copies of locations.
    pub copies: usize,
    /// Whether to leave out of the assumptions that an answer needs what can be left out, and for
    /// how many proofs, none of which needs the assumptions of another.
    pub cores: Option<usize>,
    /// The time to look for invariants of loops before any bound is tried.
    pub invariants: Option<Duration>,
    /// Invariants of loops, by their heads, over the program's locals. They are checked before they
    /// are used ([`Run::rejected`]).
    pub given: BTreeMap<LocationId, Given>,
}

impl Options {
    /// One bound only.
    pub fn unwind(unwind: u32) -> Options {
        Options { from: unwind, to: Some(unwind), ..Options::default() }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            from: 1,
            to: None,
            prove: true,
            counted: None,
            copies: 300_000,
            cores: None,
            invariants: None,
            given: BTreeMap::new(),
        }
    }
}

/// What a check may use, and the record of what it did.
#[derive(Debug)]
pub struct Run {
    pub limits: Limits,
    /// The solver's memory limit in bytes, for messages.
    pub memory: u64,
    pub started: Moment,
    pub rounds: Vec<Round>,
    /// Given invariants that do not hold or are not shown to.
    pub rejected: Vec<Rejected>,
}

/// One bound tried.
#[derive(Clone, Debug)]
pub struct Round {
    pub unwind: u32,
    /// Copies of locations, and terms made.
    pub copies: usize,
    pub terms: usize,
    pub unrolling: Duration,
    pub solving: Duration,
}

impl Run {
    pub fn new(limits: Limits) -> Run {
        let started = limits.clock.now();
        Run { limits, memory: 0, started, rounds: Vec::new(), rejected: Vec::new() }
    }

    fn time_given(&self) -> Duration {
        let end = self.limits.deadline.unwrap_or_else(|| self.limits.clock.now());
        self.limits.time.unwrap_or_else(|| end.since(self.started))
    }
}

/// What is known of a sequential program.
#[derive(Clone, Debug)]
pub enum Answer {
    /// No execution is bad.
    Correct(Proof),
    /// No execution within the bound is bad.
    Bounded(Bounded),
    /// This one is.
    Wrong(Path),
}

#[derive(Clone, Debug)]
pub struct Proof {
    pub by: Reason,
    /// The assumptions that it needs.
    pub needs: Vec<LocalId>,
}

/// Why a program is correct.
#[derive(Clone, Debug)]
pub enum Reason {
    /// No execution exceeds this bound.
    Unwind(u32),
    /// Loops have invariants.
    Invariants(Certificate),
}

#[derive(Clone, Debug)]
pub struct Bounded {
    pub unwind: u32,
    pub beyond: Beyond,
    /// Other ways to leave it.
    pub also: Vec<Beyond>,
    /// The assumptions that it needs.
    pub needs: Vec<LocalId>,
}

impl Bounded {
    /// All ways to leave it.
    pub fn ways(&self) -> impl Iterator<Item = Beyond> + '_ {
        [self.beyond].into_iter().chain(self.also.iter().copied())
    }
}

/// How an execution can leave what is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// A loop goes on; a larger bound covers more.
    Unwind,
    /// The program is too large at this bound.
    Size,
    /// An access to memory or an operation goes wrong, and that is not checked.
    Undefined(Span),
    /// An action has no meaning here.
    Unsupported(Span),
    /// Likewise, but it is not known whether an execution comes to it.
    Perhaps(Span),
}

/// Decides the program, with growing bounds.
pub fn check(
    program: &SequentialProgram,
    options: &Options,
    run: &mut Run,
) -> Result<Answer, Stop> {
    if let Some(time) = options.invariants
        && let Some(proof) = prove(program, &run.limits, time)
    {
        return Ok(Answer::Correct(proof));
    }
    if !options.given.is_empty() {
        let time = options.invariants.unwrap_or(GIVEN);
        let (proof, rejected) = horn::prove_with(program, &options.given, &run.limits, time);
        run.rejected = rejected;
        if let Some(certificate) = proof {
            return Ok(Answer::Correct(by_invariants(program, certificate)));
        }
    }
    let mut unwind = options.from;
    let mut covered: Option<Bounded> = None;
    loop {
        match within(program, options, unwind, run) {
            Ok(Answer::Bounded(bounded)) => {
                let last = options.to.is_some_and(|to| unwind >= to);
                if last || bounded.beyond != Beyond::Unwind {
                    return Ok(Answer::Bounded(bounded));
                }
                covered = Some(bounded);
            }
            Ok(answer) => return Ok(answer),
            // What was covered before the time was over is an answer.
            Err(stop) => return covered.map(Answer::Bounded).ok_or(stop),
        }
        unwind = unwind.saturating_mul(2).max(1);
        unwind = options.to.map_or(unwind, |to| unwind.min(to));
    }
}

/// Proves the program correct by invariants of its loops, if it can within the time.
pub fn prove(program: &SequentialProgram, limits: &Limits, time: Duration) -> Option<Proof> {
    horn::prove(program, limits, time).map(|certificate| by_invariants(program, certificate))
}

fn by_invariants(program: &SequentialProgram, certificate: Certificate) -> Proof {
    Proof { by: Reason::Invariants(certificate), needs: program.assumptions.clone() }
}

/// Decides the program for one bound.
fn within(
    program: &SequentialProgram,
    options: &Options,
    unwind: u32,
    run: &mut Run,
) -> Result<Answer, Stop> {
    let started = Instant::now();
    let usual = Bounds::unwind(unwind);
    let counted = options.counted.unwrap_or(usual.counted);
    let bounds = Bounds { copies: options.copies, counted, ..usual };
    let limits = run.limits.clone();
    let mut unrolled = unroll::unroll(program, bounds, &|| solve::expired(&limits))
        .map_err(|failure| stopped(failure, run))?;
    let unrolling = started.elapsed();
    let result = decide(&mut unrolled, options, unwind, run);
    run.rounds.push(Round {
        unwind,
        copies: unrolled.copies.len(),
        terms: unrolled.terms.len(),
        unrolling,
        solving: started.elapsed() - unrolling,
    });
    result
}

fn decide(
    unrolled: &mut Unrolled,
    options: &Options,
    unwind: u32,
    run: &Run,
) -> Result<Answer, Stop> {
    let needs = match solve::bad_execution(unrolled, options, run)? {
        Found::Bad(path) => return Ok(Answer::Wrong(path)),
        Found::Nothing(needs) => needs,
    };
    let gaps = match options.prove {
        true => solve::gaps(unrolled, run),
        false => unrolled.gaps.first().map(|gap| gap.why).into_iter().collect(),
    };
    let mut ways = gaps.into_iter().map(Beyond::from);
    Ok(match ways.next() {
        None => Answer::Correct(Proof { by: Reason::Unwind(unwind), needs }),
        Some(beyond) => Answer::Bounded(Bounded { unwind, beyond, also: ways.collect(), needs }),
    })
}

impl From<Why> for Beyond {
    fn from(why: Why) -> Beyond {
        match why {
            Why::Unwind => Beyond::Unwind,
            Why::Size => Beyond::Size,
            Why::Undefined(span) => Beyond::Undefined(span),
            Why::Unsupported(span) => Beyond::Unsupported(span),
            Why::Perhaps(span) => Beyond::Perhaps(span),
        }
    }
}

fn stopped(failure: Failure, run: &Run) -> Stop {
    match failure {
        Failure::Addresses => Stop::TooLarge { what: "more memory objects than addresses".into() },
        Failure::Time => Stop::Time { limit: run.time_given() },
    }
}
