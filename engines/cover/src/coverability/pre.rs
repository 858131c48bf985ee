//! The minimal predecessors of an upward-closed set.
//!
//! Before a transition into a state with at least the threads M', the threads that act are in their
//! old local states, and each other thread of M' was in some local state from which it could be
//! moved along. As many threads of M' as possible are taken for those that the transition gives:
//! leaving one out only asks for more threads before.

use std::ops::ControlFlow;

use selvedge_certify::tts::{Local, Shared, System, Threads, Transition};

/// The transitions of a system, reversed.
pub struct Backward<'a> {
    /// By the shared state that they lead to.
    arriving: Vec<Vec<(u32, Reversed<'a>)>>,
}

struct Reversed<'a> {
    transition: &'a Transition,
    /// For the local states that a passive thread may have come to from elsewhere, or that it
    /// cannot have stayed in: where it may have been. Sorted.
    sources: Vec<(Local, Vec<Local>)>,
}

impl<'a> Backward<'a> {
    pub fn new(system: &'a System) -> Backward<'a> {
        let mut arriving: Vec<Vec<(u32, Reversed)>> = Vec::new();
        arriving.resize_with(system.shared as usize, Vec::new);
        for (index, transition) in system.transitions.iter().enumerate() {
            let reversed = Reversed { transition, sources: sources(transition) };
            arriving[transition.to.0 as usize].push((index as u32, reversed));
        }
        Backward { arriving }
    }

    /// Calls `found` with each minimal predecessor: the transition, the shared state, the threads.
    pub fn predecessors(
        &self,
        shared: Shared,
        threads: &Threads,
        found: &mut dyn FnMut(u32, Shared, Threads) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (index, reversed) in &self.arriving[shared.0 as usize] {
            let from = reversed.transition.from;
            if from == shared && !reversed.concerns(threads) {
                continue;
            }
            reversed.predecessors(threads, &mut |before| found(*index, from, before))?;
        }
        ControlFlow::Continue(())
    }
}

impl Reversed<'_> {
    /// Whether a predecessor can be anything but the state itself with more threads.
    fn concerns(&self, threads: &Threads) -> bool {
        threads
            .iter()
            .any(|local| self.transition.gives.contains(local) || self.sources_of(local).is_some())
    }

    fn sources_of(&self, local: Local) -> Option<&[Local]> {
        let at = self.sources.binary_search_by_key(&local, |(to, _)| *to).ok()?;
        Some(&self.sources[at].1)
    }

    fn predecessors(
        &self,
        threads: &Threads,
        found: &mut dyn FnMut(Threads) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let rest = threads.without(&self.transition.gives);
        let mut before: Vec<Local> = self.transition.takes.iter().collect();
        self.choose(rest.as_slice(), &mut before, found)
    }

    /// Chooses for each thread of `rest` where it came from. Equal threads choose in ascending
    /// order, since only the number of each choice matters.
    fn choose(
        &self,
        rest: &[Local],
        before: &mut Vec<Local>,
        found: &mut dyn FnMut(Threads) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some((first, others)) = rest.split_first() else {
            return found(before.iter().copied().collect());
        };
        let group = 1 + others.iter().take_while(|other| *other == first).count();
        match self.sources_of(*first) {
            None => {
                before.extend(&rest[..group]);
                self.choose(&rest[group..], before, found)?;
                before.truncate(before.len() - group);
                ControlFlow::Continue(())
            }
            Some(sources) => self.choose_group(sources, group, &rest[group..], before, found),
        }
    }

    fn choose_group(
        &self,
        sources: &[Local],
        left: usize,
        rest: &[Local],
        before: &mut Vec<Local>,
        found: &mut dyn FnMut(Threads) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if left == 0 {
            return self.choose(rest, before, found);
        }
        for (index, source) in sources.iter().enumerate() {
            before.push(*source);
            self.choose_group(&sources[index..], left - 1, rest, before, found)?;
            before.pop();
        }
        ControlFlow::Continue(())
    }
}

fn sources(transition: &Transition) -> Vec<(Local, Vec<Local>)> {
    let passive = &transition.passive;
    let mut pairs: Vec<(Local, Option<Local>)> = Vec::new();
    for (from, targets) in passive.moves() {
        // The state itself is listed even if nobody can be in it afterwards.
        pairs.push((*from, None));
        pairs.extend(targets.iter().map(|to| (*to, Some(*from))));
        let stays = targets.iter().filter(|to| passive.targets(**to).is_none());
        pairs.extend(stays.map(|to| (*to, Some(*to))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut found: Vec<(Local, Vec<Local>)> = Vec::new();
    for (to, from) in pairs {
        if found.last().is_none_or(|(last, _)| *last != to) {
            found.push((to, Vec::new()));
        }
        if let Some((_, list)) = found.last_mut() {
            list.extend(from);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_certify::tts::{State, parse, parse_target};

    fn before(system: &str, state: &str) -> Vec<String> {
        let system = parse(system).unwrap();
        let State { shared, threads } = parse_target(state, &system).unwrap();
        let mut found = Vec::new();
        let _ = Backward::new(&system).predecessors(shared, &threads, &mut |_, shared, threads| {
            found.push(State { shared, threads }.to_string());
            ControlFlow::Continue(())
        });
        found
    }

    #[test]
    fn a_thread_moves() {
        assert_eq!(before("2 3\n0 0 -> 1 1\n", "1|1,1,2"), ["0|0,1,2"]);
        assert_eq!(before("2 3\n0 0 -> 1 1\n", "1|2"), ["0|0,2"]);
        assert_eq!(before("2 3\n0 0 -> 1 1\n", "0|1"), [""; 0]);
        assert_eq!(before("2 3\n1 0 -> 1 1\n", "1|2"), [""; 0]);
    }

    #[test]
    fn a_thread_is_spawned() {
        assert_eq!(before("2 3\n0 0 +> 1 1\n", "1|1"), ["0|0"]);
        assert_eq!(before("2 3\n0 0 +> 1 1\n", "1|0,1,1"), ["0|0,1"]);
        assert_eq!(before("2 3\n0 1 +> 1 1\n", "1|1,1,1"), ["0|1,1"]);
    }

    #[test]
    fn passive_threads_are_moved_along() {
        let system = "2 4\n0 0 -> 1 1 2 ~> 3 2 ~> 1\n";
        assert_eq!(before(system, "1|3"), ["0|0,2", "0|0,3"]);
        assert_eq!(before(system, "1|3,3"), ["0|0,2,2", "0|0,2,3", "0|0,3,3"]);
        assert_eq!(before(system, "1|1,1"), ["0|0,1", "0|0,2"]);
        assert_eq!(before(system, "1|2"), [""; 0]);
    }

    #[test]
    fn a_broadcast_needs_nobody() {
        assert_eq!(before("2 3\n0 0 ~> 1 1\n", "1|1"), ["0|0", "0|1"]);
        assert_eq!(before("2 3\n0 0 ~> 1 1\n", "1"), ["0"]);
        assert_eq!(before("2 3\n0 0 ~> 1 1\n", "1|0"), [""; 0]);
    }
}
