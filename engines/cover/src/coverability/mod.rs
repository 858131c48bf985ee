//! Can some number of threads cover a state? Backward search over upward-closed sets.
//!
//! The states from which the target can be covered form an upward-closed set, and such a set has
//! finitely many minimal elements: its *basis*. The search starts with the target and adds minimal
//! predecessors until there is nothing new, or until an initial state is met (Abdulla, Čerāns,
//! Jonsson, Tsay, "General decidability theorems for infinite-state systems", 1996; §4 of the paper).
//! Elements above others are dropped, found through an index ([`order`]); small elements come first,
//! because they drop most. What cannot be reached from the initial states ([`forward`]) is not
//! followed.
//!
//! Both answers carry evidence, which is checked before it is given: a run from an initial state, or
//! a basis that is closed under predecessors and misses the initial states.

mod forward;
mod order;
mod path;
mod pre;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use selvedge_exec::Stop;

use super::evidence::{Basis, Run};
use super::tts::{Initial, State, System, Threads};
use forward::Reach;
use order::Order;
use pre::Backward;

#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub time: Option<Duration>,
    pub memory: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Covered(Run),
    NotCovered(Basis),
}

/// What the search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Elements that were minimal when they were found.
    pub elements: u64,
    /// Predecessors that were computed.
    pub predecessors: u64,
    /// The longest way back to the target.
    pub depth: u64,
}

/// Decides whether the target can be covered from the initial states.
pub fn cover(
    system: &System,
    initial: &Initial,
    target: &State,
    limits: &Limits,
    effort: &mut Effort,
) -> Result<Answer, Stop> {
    let reach = Reach::of(system, initial);
    let mut search = Search::new(system, initial, reach, limits);
    let outcome = search.run(target);
    *effort = search.effort;
    let answer = match outcome? {
        Some(element) => Answer::Covered(search.path_from(element)?),
        None => Answer::NotCovered(search.into_basis()),
    };
    confirm(system, initial, target, &answer)?;
    Ok(answer)
}

/// Evidence that does not convince its checker is a defect of the search, and no answer.
fn confirm(
    system: &System,
    initial: &Initial,
    target: &State,
    answer: &Answer,
) -> Result<(), Stop> {
    let checked = match answer {
        Answer::Covered(run) => run.check(system, initial, target),
        Answer::NotCovered(basis) => basis.check(system, initial, target),
    };
    checked.map_err(|what| Stop::Unconfirmed { what })
}

/// An upward-closed set of states from which the target can be covered.
struct Element {
    state: State,
    /// The element it is a predecessor of, and through which transition.
    next: Option<(u32, u32)>,
    depth: u32,
    /// Whether it is still minimal.
    minimal: bool,
}

struct Search<'a> {
    system: &'a System,
    initial: &'a Initial,
    reach: Reach,
    elements: Vec<Element>,
    /// For each shared state, the minimal elements.
    minimal: Vec<Order>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    limits: &'a Limits,
    start: Instant,
    bytes: u64,
    effort: Effort,
}

/// How often the limits are looked at, in predecessors.
const LIMITS_EVERY: u64 = 1024;

impl<'a> Search<'a> {
    fn new(
        system: &'a System,
        initial: &'a Initial,
        reach: Reach,
        limits: &'a Limits,
    ) -> Search<'a> {
        Search {
            system,
            initial,
            reach,
            elements: Vec::new(),
            minimal: vec![Order::default(); system.shared as usize],
            open: BinaryHeap::new(),
            limits,
            start: Instant::now(),
            bytes: 0,
            effort: Effort::default(),
        }
    }

    /// An element that an initial state is in, if there is one.
    fn run(&mut self, target: &State) -> Result<Option<u32>, Stop> {
        let backward = Backward::new(self.system);
        if self.add(target.clone(), None) {
            return Ok(Some(0));
        }
        while let Some(Reverse((_, index))) = self.open.pop() {
            if !self.elements[index as usize].minimal {
                continue;
            }
            if let Some(found) = self.expand(index, &backward)? {
                return Ok(Some(found));
            }
            self.within_limits()?;
        }
        Ok(None)
    }

    /// Adds the predecessors of an element.
    fn expand(&mut self, index: u32, backward: &Backward) -> Result<Option<u32>, Stop> {
        let State { shared, threads } = self.elements[index as usize].state.clone();
        let mut outcome = Ok(None);
        let _ = backward.predecessors(shared, &threads, &mut |transition, shared, threads| {
            outcome = self.found(State { shared, threads }, (index, transition));
            match outcome {
                Ok(None) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        outcome
    }

    fn found(&mut self, state: State, next: (u32, u32)) -> Result<Option<u32>, Stop> {
        self.effort.predecessors += 1;
        if self.effort.predecessors.is_multiple_of(LIMITS_EVERY) {
            self.within_limits()?;
        }
        let initial = self.add(state, Some(next));
        Ok(initial.then_some(self.elements.len() as u32 - 1))
    }

    /// Adds an element unless it is above another or cannot be reached; whether it is initial.
    fn add(&mut self, state: State, next: Option<(u32, u32)>) -> bool {
        let place = state.shared.0 as usize;
        if !self.reach.allows(&state) || self.minimal[place].below(&state.threads).is_some() {
            return false;
        }
        let index = self.elements.len() as u32;
        let nodes = self.minimal[place].nodes();
        for above in self.minimal[place].remove_above(&state.threads) {
            self.elements[above as usize].minimal = false;
        }
        self.minimal[place].insert(&state.threads, index);
        let new_nodes = self.minimal[place].nodes().saturating_sub(nodes);
        self.bytes += bytes_of(&state.threads, new_nodes);
        let depth = next.map_or(0, |(next, _)| self.elements[next as usize].depth + 1);
        self.effort.elements += 1;
        self.effort.depth = self.effort.depth.max(depth.into());
        self.open.push(Reverse((state.threads.len() as u32, index)));
        let initial = self.initial.covers(&state);
        self.elements.push(Element { state, next, depth, minimal: true });
        initial
    }

    fn within_limits(&self) -> Result<(), Stop> {
        if let Some(limit) = self.limits.time
            && self.start.elapsed() > limit
        {
            return Err(Stop::Time { limit });
        }
        match self.limits.memory {
            Some(limit_bytes) if self.bytes > limit_bytes => Err(Stop::Memory { limit_bytes }),
            _ => Ok(()),
        }
    }

    fn into_basis(self) -> Basis {
        let minimal = self.elements.into_iter().filter(|element| element.minimal);
        let mut elements: Vec<State> = minimal.map(|element| element.state).collect();
        elements.sort();
        Basis { reachable: self.reach.lists(), elements }
    }
}

/// What an element takes, about: itself, its list, its part of the index, its place in the queue.
fn bytes_of(threads: &Threads, new_nodes: usize) -> u64 {
    (size_of::<Element>() + 8 * threads.len() + 96 * new_nodes + 16) as u64
}

#[cfg(test)]
mod tests;
