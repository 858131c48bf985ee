//! A basis as the proof that a state is not covered, and the check that it proves that.
//!
//! Two sets of states are given: F, by the local states that threads may be in at each shared
//! state and by bounds on their numbers ([`Bound`]), and B, the states above the basis. If F holds
//! initially and is kept by every transition, every reachable state is in F. If no initial state is in B, and no transition leads from F
//! outside B into B, no reachable state is in B. If every state that covers the target is in B or
//! outside F, the target is not covered.
//!
//! "No transition leads into B from outside" is checked for each element and transition: whatever
//! threads of the element the transition has given, and wherever the others came from, the state
//! before was in B or outside F.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_smt::Limits;

use super::above::Above;
use super::bound::Bound;
use super::{Unaccepted, Watch};
use crate::tts::{Initial, Local, Shared, State, System, Transition};

/// The evidence that a target cannot be covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// The shared states that may be reached, each with the local states that threads may be in.
    pub reachable: Vec<(Shared, Vec<Local>)>,
    /// What all reachable states keep to.
    pub bounds: Vec<Bound>,
    /// The minimal states from which the target could be covered.
    pub elements: Vec<State>,
}

impl Basis {
    /// Whether no reachable state from which the target could be covered, or none at all, has at
    /// least these threads.
    pub fn excludes(&self, state: &State) -> bool {
        self.elements.iter().any(|element| state.covers(element))
            || self.bounds.iter().any(|bound| bound.excludes(state))
    }

    /// Says what the basis fails to show.
    pub fn check(
        &self,
        system: &System,
        initial: &Initial,
        target: &State,
        limits: &Limits,
    ) -> Result<(), Unaccepted> {
        let watch = &mut Watch { limits, states: 0 };
        let reachable = Reachable::of(self);
        reachable.check(system, initial, watch)?;
        let above = Above::of(&self.elements);
        if reachable.contains(target) && !above.contains(target) {
            return Err(format!("the target {target} is not above the basis").into());
        }
        let mut into: BTreeMap<Shared, Vec<&Transition>> = BTreeMap::new();
        for transition in &system.transitions {
            into.entry(transition.to).or_default().push(transition);
        }
        for element in &self.elements {
            if meets_initial(element, initial) {
                return Err(format!("an initial state is above {element}").into());
            }
            for transition in into.get(&element.shared).into_iter().flatten() {
                let before = Before { element, transition, reachable: &reachable, above: &above };
                before.check(watch)?;
            }
        }
        Ok(())
    }
}

/// Whether an initial state has at least these threads.
fn meets_initial(element: &State, initial: &Initial) -> bool {
    let enough = |(local, count): (Local, usize)| {
        let bounded = initial.bounded.iter().filter(|other| *other == local).count();
        initial.unbounded.contains(&local) || count <= bounded
    };
    element.shared == initial.shared && element.threads.counts().all(enough)
}

/// The set F.
struct Reachable<'a> {
    locals: BTreeMap<Shared, BTreeSet<Local>>,
    bounds: &'a [Bound],
}

impl Reachable<'_> {
    fn of(basis: &Basis) -> Reachable<'_> {
        let lists = basis.reachable.iter();
        let sets = lists.map(|(shared, list)| (*shared, list.iter().copied().collect()));
        Reachable { locals: sets.collect(), bounds: &basis.bounds }
    }

    /// That it holds initially and is kept.
    fn check(
        &self,
        system: &System,
        initial: &Initial,
        watch: &mut Watch<'_>,
    ) -> Result<(), Unaccepted> {
        let mut first = initial.bounded.iter().chain(initial.unbounded.iter().copied());
        if !first.all(|local| self.has(initial.shared, local)) {
            return Err("the initial states are not among the reachable ones".to_owned().into());
        }
        if !self.locals.contains_key(&initial.shared) {
            return Err("the initial shared state is not among the reachable ones"
                .to_owned()
                .into());
        }
        self.bounds.iter().try_for_each(|bound| bound.check_initial(initial))?;
        for transition in &system.transitions {
            let Some(here) = self.before(transition) else { continue };
            if !self.kept_by(transition, here) {
                return Err(format!("`{transition}` leads out of the reachable states").into());
            }
            for bound in self.bounds {
                watch.tick()?;
                bound.check_step(transition, here.iter())?;
            }
        }
        Ok(())
    }

    /// The local states that threads may be in before the transition; none if it cannot happen.
    fn before(&self, transition: &Transition) -> Option<&BTreeSet<Local>> {
        let here = self.locals.get(&transition.from)?;
        transition.takes.iter().all(|local| here.contains(&local)).then_some(here)
    }

    fn has(&self, shared: Shared, local: Local) -> bool {
        self.locals.get(&shared).is_some_and(|locals| locals.contains(&local))
    }

    fn kept_by(&self, transition: &Transition, here: &BTreeSet<Local>) -> bool {
        let kept = |local: Local| self.has(transition.to, local);
        let passive = here.iter().all(|local| match transition.passive.targets(*local) {
            Some(targets) => targets.iter().all(|target| kept(*target)),
            None => kept(*local),
        });
        self.locals.contains_key(&transition.to) && transition.gives.iter().all(kept) && passive
    }

    fn contains(&self, state: &State) -> bool {
        self.locals.contains_key(&state.shared)
            && state.threads.iter().all(|local| self.has(state.shared, local))
            && !self.bounds.iter().any(|bound| bound.excludes(state))
    }
}

/// What a transition leads above an element from.
struct Before<'a> {
    element: &'a State,
    transition: &'a Transition,
    reachable: &'a Reachable<'a>,
    above: &'a Above,
}

impl Before<'_> {
    /// That every state before the transition that leads above the element is above the basis, or not
    /// reachable.
    fn check(&self, watch: &mut Watch<'_>) -> Result<(), Unaccepted> {
        let mut given = BTreeMap::new();
        for local in self.transition.gives.iter() {
            *given.entry(local).or_insert(0usize) += 1;
        }
        // A thread of the element that the transition gives asks for nothing before.
        let mut others = Vec::new();
        for local in self.element.threads.iter() {
            match given.get_mut(&local) {
                Some(left) if *left > 0 => *left -= 1,
                _ => others.push(local),
            }
        }
        let here = self.reachable.locals.get(&self.transition.from);
        let came_from = |to: Local| -> Vec<Local> {
            let candidates = here.into_iter().flatten().copied();
            candidates.filter(|from| self.transition.passive.can_move(*from, to)).collect()
        };
        let choices: Vec<Vec<Local>> = others.iter().map(|to| came_from(*to)).collect();
        let mut before: Vec<Local> = self.transition.takes.iter().collect();
        let check = &mut |threads: &[Local]| {
            watch.tick()?;
            self.check_state(threads)
        };
        each_choice(&others, &choices, &mut before, check)
    }

    fn check_state(&self, threads: &[Local]) -> Result<(), Unaccepted> {
        let Before { element, transition, .. } = self;
        let state = State { shared: transition.from, threads: threads.iter().copied().collect() };
        if !self.reachable.contains(&state) || self.above.contains(&state) {
            return Ok(());
        }
        let what = format!("`{transition}` leads from {state}, outside the basis, above {element}");
        Err(what.into())
    }
}

/// Calls `check` for every way of choosing, the same for equal threads in another order left out.
fn each_choice(
    others: &[Local],
    choices: &[Vec<Local>],
    before: &mut Vec<Local>,
    check: &mut dyn FnMut(&[Local]) -> Result<(), Unaccepted>,
) -> Result<(), Unaccepted> {
    let chosen = before.len();
    let Some((list, rest)) = choices.split_first() else { return check(before) };
    let equal_to_last = others.len() > choices.len()
        && others[others.len() - choices.len() - 1] == others[others.len() - choices.len()];
    let least = if equal_to_last { before[chosen - 1] } else { Local(0) };
    for from in list.iter().filter(|from| **from >= least) {
        before.push(*from);
        each_choice(others, rest, before, check)?;
        before.pop();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tts::{parse, parse_target};

    /// A lock: 0 is free, 1 is taken; local 1 is inside.
    const LOCK: &str = "2 2\n0 0 -> 1 1\n1 1 -> 0 0\n";

    fn checked(reachable: &[(u32, &[u32])], elements: &[&str]) -> Result<(), Unaccepted> {
        checked_with(reachable, &[], elements)
    }

    fn checked_with(
        reachable: &[(u32, &[u32])],
        bounds: &[Bound],
        elements: &[&str],
    ) -> Result<(), Unaccepted> {
        let system = parse(LOCK).unwrap();
        let list = |locals: &[u32]| locals.iter().map(|local| Local(*local)).collect();
        let basis = Basis {
            reachable: reachable.iter().map(|(s, locals)| (Shared(*s), list(locals))).collect(),
            bounds: bounds.to_vec(),
            elements: elements.iter().map(|text| parse_target(text, &system).unwrap()).collect(),
        };
        let target = parse_target("1|1,1", &system).unwrap();
        basis.check(&system, &Initial::default(), &target, &Limits::none())
    }

    const ALL: [(u32, &[u32]); 2] = [(0, &[0, 1]), (1, &[0, 1])];

    #[test]
    fn the_lock_is_proved() {
        assert_eq!(checked(&ALL, &["1|1,1", "0|1"]), Ok(()));
    }

    #[test]
    fn a_wrong_basis_is_not_believed() {
        let wrong = |result: Result<(), Unaccepted>, words: &str| {
            let message = result.unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        };
        wrong(checked(&ALL, &["0|1"]), "target 1|1,1 is not above");
        wrong(checked(&ALL, &["1|1,1"]), "leads from 0|0,1");
        wrong(checked(&ALL, &["1|1,1", "0|1", "0|0"]), "initial state is above 0|0");
        wrong(checked(&[(0, &[0])], &["1|1,1", "0|1"]), "leads out");
        wrong(checked(&[(0, &[0]), (1, &[0, 1])], &["1|1,1"]), "leads out");
        wrong(checked(&[], &[]), "initial");
        wrong(checked(&[(1, &[0, 1])], &[]), "initial");
    }

    #[test]
    fn a_bound_stands_for_elements() {
        let one = |free, taken| Bound {
            weights: [(1, 1)].into(),
            limits: [(0, free), (1, taken)].into(),
        };
        assert_eq!(checked_with(&ALL, &[one(0, 1)], &[]), Ok(()));
        let wrong = checked_with(&ALL, &[one(1, 2)], &[]).unwrap_err().to_string();
        assert!(wrong.contains("target 1|1,1 is not above"), "{wrong}");
        let wrong = checked_with(&ALL, &[one(0, 0)], &[]).unwrap_err().to_string();
        assert!(wrong.contains("`0 0 -> 1 1` can exceed a bound"), "{wrong}");
        let wrong = checked_with(&ALL, &[one(-1, 0)], &[]).unwrap_err().to_string();
        assert!(wrong.contains("initial"), "{wrong}");
    }

    /// Thousands of threads that each may come from two local states.
    #[test]
    fn a_long_check_ends_with_its_limits() {
        let system = parse("1 3\n0 0 -> 0 0 1 ~> 1 1 ~> 2\n").unwrap();
        let state = |threads: &[u32]| {
            let threads = threads.iter().map(|local| Local(*local)).collect();
            State { shared: Shared(0), threads }
        };
        let many = state(&[2; 4000]);
        let basis = Basis {
            reachable: vec![(Shared(0), vec![Local(0), Local(1), Local(2)])],
            bounds: Vec::new(),
            elements: vec![state(&[1]), state(&[2]), many.clone()],
        };
        let none = Limits::none();
        let limits = Limits { deadline: Some(none.clock.now()), ..none };
        let checked = basis.check(&system, &Initial::default(), &many, &limits);
        assert_eq!(checked, Err(Unaccepted::Unfinished(selvedge_smt::Reason::Time)));
    }
}
