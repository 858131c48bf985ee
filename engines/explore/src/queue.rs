//! The states still to be expanded.
//!
//! First found, first expanded. A program that can start any number of threads has infinitely many
//! states at a small depth; there, states with fewer running threads come first, and breadth-first
//! order holds among those with the same limit on threads. So everything that few threads can do is
//! seen, however deep, before more are let in.

use std::collections::{BTreeMap, VecDeque};

/// A state's index, and its distance from the start in macro-steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    pub index: u32,
    pub depth: u32,
}

pub struct Queue {
    now: VecDeque<Pending>,
    /// By number of running threads, all above `limit`.
    later: BTreeMap<usize, Vec<Pending>>,
    limit: usize,
    waiting: usize,
    /// By index, as bits.
    expanded: Vec<u64>,
}

impl Queue {
    /// With no limit, the order is that of discovery alone.
    pub fn new(limit: usize) -> Queue {
        Queue {
            now: VecDeque::new(),
            later: BTreeMap::new(),
            limit,
            waiting: 0,
            expanded: Vec::new(),
        }
    }

    /// Whether the numbers of threads given to [`Queue::push`] matter.
    pub fn counts_threads(&self) -> bool {
        self.limit != usize::MAX
    }

    pub fn push(&mut self, pending: Pending, threads: usize) {
        if threads <= self.limit {
            self.now.push_back(pending);
        } else {
            self.waiting += 1;
            self.later.entry(threads).or_default().push(pending);
        }
    }

    /// The next state; it counts as expanded from now on.
    pub fn pop(&mut self) -> Option<Pending> {
        if self.now.is_empty() {
            let (limit, states) = self.later.pop_first()?;
            self.limit = limit;
            self.waiting -= states.len();
            self.now.extend(states);
        }
        let pending = self.now.pop_front()?;
        let word = pending.index as usize / 64;
        if self.expanded.len() <= word {
            self.expanded.resize(word + 1, 0);
        }
        self.expanded[word] |= 1 << (pending.index % 64);
        Some(pending)
    }

    pub fn is_expanded(&self, index: u32) -> bool {
        self.expanded.get(index as usize / 64).is_some_and(|w| w >> (index % 64) & 1 == 1)
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        (self.now.capacity() + self.waiting) * size_of::<Pending>() + self.expanded.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(limit: usize, threads: &[usize]) -> Vec<u32> {
        let mut queue = Queue::new(limit);
        for (index, &threads) in threads.iter().enumerate() {
            queue.push(Pending { index: index as u32, depth: 0 }, threads);
        }
        std::iter::from_fn(|| queue.pop()).map(|p| p.index).collect()
    }

    #[test]
    fn without_limit_the_order_is_that_of_discovery() {
        assert_eq!(order(usize::MAX, &[3, 1, 2]), [0, 1, 2]);
    }

    #[test]
    fn fewer_threads_come_first() {
        assert_eq!(order(1, &[3, 1, 2, 3, 1]), [1, 4, 2, 0, 3]);
    }

    #[test]
    fn what_was_taken_out_is_expanded() {
        let mut queue = Queue::new(usize::MAX);
        queue.push(Pending { index: 70, depth: 0 }, 0);
        assert!(!queue.is_expanded(70));
        queue.pop();
        assert!(queue.is_expanded(70) && !queue.is_expanded(71) && !queue.is_expanded(6));
        assert!(queue.pop().is_none());
    }
}
