//! The backward search itself: elements, their predecessors, and which of them are minimal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use selvedge_certify::evidence::Basis;
use selvedge_certify::tts::{Initial, State, System, Threads};
use selvedge_verdict::{Run, Stop};

use super::forward::Reach;
use super::order::Order;
use super::pre::Backward;

/// Units of work for a predecessor: it is computed, compared with the basis, and computed again when
/// the evidence is checked.
pub const PREDECESSOR: u64 = 5;

/// How often the limits are looked at, in predecessors.
const LIMITS_EVERY: u64 = 1024;

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

impl Effort {
    /// Of two searches together.
    pub fn and(self, other: Effort) -> Effort {
        Effort {
            elements: self.elements + other.elements,
            predecessors: self.predecessors + other.predecessors,
            depth: self.depth.max(other.depth),
        }
    }
}

/// An upward-closed set of states from which the target can be covered.
pub struct Element {
    pub state: State,
    /// The element it is a predecessor of, and through which transition.
    pub next: Option<(u32, u32)>,
    depth: u32,
    /// Whether it is still minimal.
    minimal: bool,
}

pub struct BackwardSearch<'a> {
    pub system: &'a System,
    pub initial: &'a Initial,
    reach: Reach,
    pub elements: Vec<Element>,
    /// For each shared state, the minimal elements.
    minimal: Vec<Order>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    run: &'a Run<'a>,
    bytes: u64,
    pub effort: Effort,
}

impl<'a> BackwardSearch<'a> {
    pub fn new(
        system: &'a System,
        initial: &'a Initial,
        reach: Reach,
        run: &'a Run<'a>,
    ) -> BackwardSearch<'a> {
        BackwardSearch {
            system,
            initial,
            reach,
            elements: Vec::new(),
            minimal: vec![Order::default(); system.shared as usize],
            open: BinaryHeap::new(),
            run,
            bytes: 0,
            effort: Effort::default(),
        }
    }

    /// An element that an initial state is in, if there is one.
    pub fn covering(&mut self, target: &State) -> Result<Option<u32>, Stop> {
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
        let mut covering = Ok(None);
        let _ = backward.predecessors(shared, &threads, &mut |transition, shared, threads| {
            covering = self.found(State { shared, threads }, (index, transition));
            match covering {
                Ok(None) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        covering
    }

    fn found(&mut self, state: State, next: (u32, u32)) -> Result<Option<u32>, Stop> {
        self.effort.predecessors += 1;
        self.run.clock().spend(PREDECESSOR);
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
        self.run.check()?;
        match self.run.budget().memory {
            Some(limit_bytes) if self.bytes > limit_bytes => Err(Stop::Memory { limit_bytes }),
            _ => Ok(()),
        }
    }

    /// The minimal elements, once there are no more to be found.
    pub fn into_basis(self) -> Basis {
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
