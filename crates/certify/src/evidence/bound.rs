//! A bound on numbers of threads that holds in every reachable state.
//!
//! Each local state has a weight, and some shared states have a limit: in these, the weights of all
//! threads come to at most the limit. Of shared states without a limit nothing is said, and no
//! transition leads from one of them to one with a limit. Weights are not negative, so that a state
//! that exceeds its limit exceeds it with more threads, too: everything above it is unreachable.
//!
//! That the transitions keep a bound is linear arithmetic about single transitions. It is the dual of
//! the state equation (Farkas): a state exceeds some bound of this kind exactly if the equation, over
//! the rationals, has no solution that covers it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::tts::{Initial, Local, Shared, State, Threads, Transition};

/// What the threads weigh, and how much they may weigh together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// By local state; the others weigh nothing.
    pub weights: BTreeMap<u32, u32>,
    /// By shared state.
    pub limits: BTreeMap<u32, i64>,
}

impl Bound {
    /// The limit in a shared state, if it has one.
    pub fn limit(&self, shared: Shared) -> Option<i64> {
        self.limits.get(&shared.0).copied()
    }

    fn weight(&self, local: Local) -> i128 {
        self.weights.get(&local.0).map_or(0, |weight| i128::from(*weight))
    }

    fn weighs(&self, threads: &Threads) -> i128 {
        threads.iter().map(|local| self.weight(local)).sum()
    }

    /// Whether no reachable state has at least these threads.
    pub fn excludes(&self, state: &State) -> bool {
        let limit = self.limit(state.shared);
        limit.is_some_and(|limit| self.weighs(&state.threads) > i128::from(limit))
    }

    /// That all initial states keep to it.
    pub(super) fn check_initial(&self, initial: &Initial) -> Result<(), String> {
        let Some(limit) = self.limit(initial.shared) else { return Ok(()) };
        let heavy = initial.unbounded.iter().any(|local| self.weight(*local) > 0);
        if heavy || self.weighs(&initial.bounded) > i128::from(limit) {
            return Err("an initial state exceeds a bound".into());
        }
        Ok(())
    }

    /// That a transition leads from states that keep to it to such states, if the passive threads can
    /// be in these local states before.
    pub(super) fn check_step<'a>(
        &self,
        transition: &Transition,
        mut here: impl Iterator<Item = &'a Local>,
    ) -> Result<(), String> {
        let Some(after) = self.limit(transition.to) else { return Ok(()) };
        let kept = self.limit(transition.from).is_some_and(|before| {
            let more = self.weighs(&transition.gives) - self.weighs(&transition.takes);
            i128::from(before) + more <= i128::from(after)
        });
        let passive = here.all(|local| {
            let targets = transition.passive.targets(*local).unwrap_or_default();
            targets.iter().all(|target| self.weight(*target) <= self.weight(*local))
        });
        if kept && passive {
            return Ok(());
        }
        Err(format!("`{transition}` can exceed a bound"))
    }
}

/// `#1 + 2 #3 <= 0 in 0; <= 1 in 1, 2`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (local, weight)) in self.weights.iter().enumerate() {
            let plus = if index == 0 { "" } else { " + " };
            match weight {
                1 => write!(f, "{plus}#{local}")?,
                _ => write!(f, "{plus}{weight} #{local}")?,
            }
        }
        let mut groups: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for (shared, limit) in &self.limits {
            groups.entry(*limit).or_default().push(shared.to_string());
        }
        for (index, (limit, states)) in groups.iter().enumerate() {
            let comma = if index == 0 { "" } else { ";" };
            write!(f, "{comma} <= {limit} in {}", states.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tts::{parse, parse_target};

    /// At most `limits[s]` threads in local state 1 in shared state s.
    fn ones(limits: &[(u32, i64)]) -> Bound {
        Bound { weights: [(1, 1)].into(), limits: limits.iter().copied().collect() }
    }

    fn kept(bound: &Bound, system: &str) -> bool {
        let system = parse(system).unwrap();
        let locals: Vec<Local> = (0..system.locals).map(Local).collect();
        let kept = |transition| bound.check_step(transition, locals.iter()).is_ok();
        system.transitions.iter().all(kept)
    }

    #[test]
    fn a_lock_bounds_who_is_inside() {
        let lock = "2 2\n0 0 -> 1 1\n1 1 -> 0 0\n";
        let one = ones(&[(0, 0), (1, 1)]);
        assert!(kept(&one, lock) && one.check_initial(&Initial::default()).is_ok());
        assert!(!kept(&ones(&[(0, 0), (1, 0)]), lock));
        assert!(!kept(&ones(&[(1, 1)]), lock), "from without a limit to a limit");
        assert!(kept(&ones(&[(0, 0)]), "2 2\n0 0 -> 1 1\n"), "to where nothing is said");
        let state = |text| parse_target(text, &parse(lock).unwrap()).unwrap();
        assert!(one.excludes(&state("1|1,1")) && one.excludes(&state("0|0,1")));
        assert!(!one.excludes(&state("1|0,1")) && !ones(&[]).excludes(&state("1|1,1")));
    }

    #[test]
    fn a_bound_is_shown_by_its_limits() {
        let bound =
            Bound { weights: [(1, 1), (3, 2)].into(), limits: [(0, 0), (1, 1), (2, 1)].into() };
        assert_eq!(bound.to_string(), "#1 + 2 #3 <= 0 in 0; <= 1 in 1, 2");
    }

    #[test]
    fn passive_threads_count_and_so_do_initial_ones() {
        let one = ones(&[(0, 0), (1, 1)]);
        assert!(!kept(&one, "2 3\n0 0 -> 1 1 2 ~> 1\n"));
        assert!(kept(&one, "2 3\n0 0 -> 1 1 1 ~> 2\n"));
        let many = Initial { unbounded: vec![Local(1)], ..Initial::default() };
        let one_is_there = Initial { bounded: Threads::from([1]), ..Initial::default() };
        assert!(one.check_initial(&many).is_err() && one.check_initial(&one_is_there).is_err());
        assert!(ones(&[(0, 1)]).check_initial(&one_is_there).is_ok());
    }
}
