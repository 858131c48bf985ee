//! Thread transition systems: a shared state, and any number of threads each in a local state.
//!
//! One transition changes the shared state, takes some threads out of their local states and puts
//! threads into others, and may move all the remaining (passive) threads along. A thread that moves
//! is taken and given; a thread that is spawned is only given. Whatever the passive threads are, a
//! transition moves each of them somewhere: more threads never block one, and that is what makes
//! covering decidable (well quasi-ordered systems, §4 of the paper).

mod parse;
mod show;
mod threads;

pub use parse::{ParseError, parse, parse_initial, parse_target};
pub use threads::Threads;

/// A shared state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shared(pub u32);

/// A local state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(pub u32);

/// A thread transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The shared states are `0..shared`.
    pub shared: u32,
    /// The local states are `0..locals`.
    pub locals: u32,
    pub transitions: Vec<Transition>,
}

/// One way in which the system moves on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub from: Shared,
    pub to: Shared,
    /// The threads that act. Empty for a broadcast, which needs nobody.
    pub takes: Threads,
    /// Where they go, and who is new.
    pub gives: Threads,
    pub passive: Passive,
    /// Where it stands in its text, or 0.
    pub line: u32,
}

/// Where the passive threads go: each to one of the listed local states, independently of the
/// others. A local state that is not listed is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passive {
    /// Sorted by local state; the targets are sorted, and there is at least one.
    moves: Vec<(Local, Vec<Local>)>,
}

impl Passive {
    /// All pairs `(from, to)`, in any order.
    pub fn new(mut pairs: Vec<(Local, Local)>) -> Passive {
        pairs.sort_unstable();
        pairs.dedup();
        let mut moves: Vec<(Local, Vec<Local>)> = Vec::new();
        for (from, to) in pairs {
            match moves.last_mut() {
                Some((last, targets)) if *last == from => targets.push(to),
                _ => moves.push((from, vec![to])),
            }
        }
        moves.retain(|(from, targets)| targets.as_slice() != [*from]);
        Passive { moves }
    }

    /// Those that may or must move.
    pub fn moves(&self) -> &[(Local, Vec<Local>)] {
        &self.moves
    }

    /// Where a passive thread in `local` can be afterwards; `None` if it stays.
    pub fn targets(&self, local: Local) -> Option<&[Local]> {
        let at = self.moves.binary_search_by_key(&local, |(from, _)| *from).ok()?;
        Some(&self.moves[at].1)
    }

    pub fn can_move(&self, from: Local, to: Local) -> bool {
        match self.targets(from) {
            Some(targets) => targets.binary_search(&to).is_ok(),
            None => from == to,
        }
    }
}

/// Where everything starts: these threads, and any number of further ones in the unbounded states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    pub shared: Shared,
    pub bounded: Threads,
    /// Sorted, each once.
    pub unbounded: Vec<Local>,
}

impl Default for Initial {
    /// Any number of threads in local state 0, and shared state 0.
    fn default() -> Initial {
        Initial { shared: Shared(0), bounded: Threads::default(), unbounded: vec![Local(0)] }
    }
}

impl Initial {
    /// Whether some initial state has at least these threads.
    pub fn covers(&self, state: &State) -> bool {
        self.shared == state.shared && self.missing(state).is_some()
    }

    /// The unbounded threads that must be there so that an initial state covers this one, if any
    /// does; the shared state is not looked at.
    pub fn missing(&self, state: &State) -> Option<Threads> {
        let missing = state.threads.without(&self.bounded);
        let unbounded = |local: &Local| self.unbounded.binary_search(local).is_ok();
        missing.as_slice().iter().all(unbounded).then_some(missing)
    }
}

/// A shared state and some threads. As an element of a basis: all states with at least these.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    pub shared: Shared,
    pub threads: Threads,
}

impl State {
    pub fn covers(&self, other: &State) -> bool {
        self.shared == other.shared && self.threads.includes(&other.threads)
    }
}
