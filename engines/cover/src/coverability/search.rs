//! The backward search itself: elements, their predecessors, and which of them are minimal. What the
//! state equation excludes is not followed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use selvedge_certify::evidence::{Basis, Bound};
use selvedge_certify::tts::{Initial, State, System, Threads};
use selvedge_verdict::{Run, Stop};

use super::equation::Equation;
use super::forward::Reach;
use super::order::Order;
use super::pre::Backward;

/// Units of work for a predecessor: it is computed, compared with the basis, and computed again when
/// the evidence is checked.
pub const PREDECESSOR: u64 = 5;

/// So many transitions that the state equation looks at weigh as much as a unit of work.
const EDGES_PER_UNIT: u64 = 20;

/// Units of work for a question to the state equation, beside the transitions that it looks at.
const EQUATION: u64 = 1_000;

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
    /// Bounds by which states were left out.
    pub bounds: u64,
}

impl Effort {
    /// Of two searches together.
    pub fn and(self, other: Effort) -> Effort {
        Effort {
            elements: self.elements + other.elements,
            predecessors: self.predecessors + other.predecessors,
            depth: self.depth.max(other.depth),
            bounds: self.bounds + other.bounds,
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

/// What the state equation says, and what it was asked.
struct Pruning<'a> {
    equation: Equation<'a>,
    bounds: Vec<Bound>,
    /// Questions since the last one that gave a bound; so many times as seldom it is asked again.
    in_vain: u32,
    /// Elements that are not asked about before the next question.
    pause: u64,
    spent: u64,
}

pub struct BackwardSearch<'a> {
    pub system: &'a System,
    pub initial: &'a Initial,
    reach: Reach,
    pruning: Pruning<'a>,
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
        let equation = Equation::new(system, initial, &reach);
        let pruning = Pruning { equation, bounds: Vec::new(), in_vain: 0, pause: 0, spent: 0 };
        BackwardSearch {
            system,
            initial,
            reach,
            pruning,
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
            self.within_limits()?;
            if !self.elements[index as usize].minimal || self.is_excluded(index)? {
                continue;
            }
            if let Some(found) = self.expand(index, &backward)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether no run reaches the element. The state equation is asked about the target, then as long
    /// as it takes no more work than the search itself, and the less often the less it has to say.
    fn is_excluded(&mut self, index: u32) -> Result<bool, Stop> {
        let state = &self.elements[index as usize].state;
        let pruning = &mut self.pruning;
        if pruning.bounds.iter().any(|bound| bound.excludes(state)) {
            return Ok(true);
        }
        if pruning.pause > 0 {
            pruning.pause -= 1;
            return Ok(false);
        }
        if pruning.spent > self.effort.predecessors * PREDECESSOR {
            return Ok(false);
        }
        let looked = pruning.equation.looked;
        let found = pruning.equation.bound(state, &self.run.limits(None));
        let units = EQUATION + (pruning.equation.looked - looked) / EDGES_PER_UNIT;
        pruning.spent += units;
        self.run.clock().spend(units);
        self.run.check()?;
        let Some(bound) = found.filter(|bound| bound.excludes(state)) else {
            pruning.in_vain = (pruning.in_vain + 1).min(16);
            pruning.pause = 1 << pruning.in_vain;
            return Ok(false);
        };
        pruning.in_vain = 0;
        pruning.bounds.push(bound);
        self.effort.bounds += 1;
        Ok(true)
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
        if !self.allows(&state) || self.minimal[place].below(&state.threads).is_some() {
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

    /// Whether the state may be reachable, as far as is known.
    fn allows(&self, state: &State) -> bool {
        self.reach.allows(state) && !self.pruning.bounds.iter().any(|bound| bound.excludes(state))
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
        let minimal = self.elements.iter().filter(|element| element.minimal);
        let minimal = minimal.filter(|element| self.allows(&element.state));
        let mut elements: Vec<State> = minimal.map(|element| element.state.clone()).collect();
        elements.sort();
        Basis { reachable: self.reach.lists(), bounds: self.pruning.bounds, elements }
    }
}

/// What an element takes, about: itself, its list, its part of the index, its place in the queue.
fn bytes_of(threads: &Threads, new_nodes: usize) -> u64 {
    (size_of::<Element>() + 8 * threads.len() + 96 * new_nodes + 16) as u64
}
