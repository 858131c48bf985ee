//! A basis as the proof that a state is not covered, and the check that it proves that.
//!
//! Two sets of states are given: F, by the local states that threads may be in at each shared
//! state, and B, the states above the basis. If F holds initially and is kept by every transition,
//! every reachable state is in F. If no initial state is in B, and no transition leads from F
//! outside B into B, no reachable state is in B. If every state that covers the target is in B or
//! outside F, the target is not covered.
//!
//! "No transition leads into B from outside" is checked for each element and transition: whatever
//! threads of the element the transition has given, and wherever the others came from, the state
//! before was in B or outside F.

use std::collections::{BTreeMap, BTreeSet};

use crate::tts::{Initial, Local, Shared, State, System, Threads, Transition};

/// The evidence that a target cannot be covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// The shared states that may be reached, each with the local states that threads may be in.
    pub reachable: Vec<(Shared, Vec<Local>)>,
    /// The minimal states from which the target could be covered.
    pub elements: Vec<State>,
}

impl Basis {
    /// Says what the basis fails to show.
    pub fn check(&self, system: &System, initial: &Initial, target: &State) -> Result<(), String> {
        let reachable = Reachable::of(&self.reachable);
        reachable.check(system, initial)?;
        let above = Above::of(&self.elements);
        if reachable.contains(target) && !above.contains(target) {
            return Err(format!("the target {target} is not above the basis"));
        }
        let mut into: BTreeMap<Shared, Vec<&Transition>> = BTreeMap::new();
        for transition in &system.transitions {
            into.entry(transition.to).or_default().push(transition);
        }
        for element in &self.elements {
            if meets_initial(element, initial) {
                return Err(format!("an initial state is above {element}"));
            }
            for transition in into.get(&element.shared).into_iter().flatten() {
                check_predecessors(element, transition, &reachable, &above)?;
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
struct Reachable(BTreeMap<Shared, BTreeSet<Local>>);

impl Reachable {
    fn of(lists: &[(Shared, Vec<Local>)]) -> Reachable {
        let sets = lists.iter().map(|(shared, list)| (*shared, list.iter().copied().collect()));
        Reachable(sets.collect())
    }

    /// That it holds initially and is kept.
    fn check(&self, system: &System, initial: &Initial) -> Result<(), String> {
        let mut first = initial.bounded.iter().chain(initial.unbounded.iter().copied());
        if !first.all(|local| self.has(initial.shared, local)) {
            return Err("the initial states are not among the reachable ones".into());
        }
        if !self.0.contains_key(&initial.shared) {
            return Err("the initial shared state is not among the reachable ones".into());
        }
        for transition in &system.transitions {
            if !self.kept_by(transition) {
                return Err(format!("`{transition}` leads out of the reachable states"));
            }
        }
        Ok(())
    }

    fn has(&self, shared: Shared, local: Local) -> bool {
        self.0.get(&shared).is_some_and(|locals| locals.contains(&local))
    }

    fn kept_by(&self, transition: &Transition) -> bool {
        let Some(here) = self.0.get(&transition.from) else { return true };
        if !transition.takes.iter().all(|local| here.contains(&local)) {
            return true;
        }
        let kept = |local: Local| self.has(transition.to, local);
        let passive = here.iter().all(|local| match transition.passive.targets(*local) {
            Some(targets) => targets.iter().all(|target| kept(*target)),
            None => kept(*local),
        });
        self.0.contains_key(&transition.to) && transition.gives.iter().all(kept) && passive
    }

    fn contains(&self, state: &State) -> bool {
        self.0.contains_key(&state.shared)
            && state.threads.iter().all(|local| self.has(state.shared, local))
    }
}

/// The set B. Elements are grouped by their smallest local state, which any state above has too.
struct Above<'a>(BTreeMap<(Shared, Option<Local>), Vec<&'a Threads>>);

impl<'a> Above<'a> {
    fn of(elements: &'a [State]) -> Above<'a> {
        let mut groups: BTreeMap<_, Vec<&Threads>> = BTreeMap::new();
        for element in elements {
            let smallest = element.threads.iter().next();
            groups.entry((element.shared, smallest)).or_default().push(&element.threads);
        }
        Above(groups)
    }

    fn contains(&self, state: &State) -> bool {
        let mut keys: Vec<Option<Local>> = state.threads.iter().map(Some).collect();
        keys.dedup();
        keys.push(None);
        let mut candidates =
            keys.iter().filter_map(|key| self.0.get(&(state.shared, *key))).flatten();
        candidates.any(|threads| included(threads, &state.threads))
    }
}

/// Whether the smaller multiset is contained in the larger, read from both sorted lists.
fn included(smaller: &Threads, larger: &Threads) -> bool {
    let mut rest = larger.iter();
    smaller.iter().all(|local| rest.any(|other| other == local))
}

/// That every state before the transition that leads above the element is above the basis, or not
/// reachable.
fn check_predecessors(
    element: &State,
    transition: &Transition,
    reachable: &Reachable,
    above: &Above,
) -> Result<(), String> {
    let mut given = BTreeMap::new();
    for local in transition.gives.iter() {
        *given.entry(local).or_insert(0usize) += 1;
    }
    // A thread of the element that the transition gives asks for nothing before.
    let mut others = Vec::new();
    for local in element.threads.iter() {
        match given.get_mut(&local) {
            Some(left) if *left > 0 => *left -= 1,
            _ => others.push(local),
        }
    }
    let here = reachable.0.get(&transition.from);
    let came_from = |to: Local| -> Vec<Local> {
        let candidates = here.into_iter().flatten().copied();
        candidates.filter(|from| transition.passive.can_move(*from, to)).collect()
    };
    let choices: Vec<Vec<Local>> = others.iter().map(|to| came_from(*to)).collect();
    let mut before: Vec<Local> = transition.takes.iter().collect();
    let check = &mut |threads: &[Local]| {
        let state = State { shared: transition.from, threads: threads.iter().copied().collect() };
        if !reachable.contains(&state) || above.contains(&state) {
            return Ok(());
        }
        Err(format!("`{transition}` leads from {state}, outside the basis, above {element}"))
    };
    each_choice(&others, &choices, &mut before, check)
}

/// Calls `check` for every way of choosing, the same for equal threads in another order left out.
fn each_choice(
    others: &[Local],
    choices: &[Vec<Local>],
    before: &mut Vec<Local>,
    check: &mut dyn FnMut(&[Local]) -> Result<(), String>,
) -> Result<(), String> {
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

    fn checked(reachable: &[(u32, &[u32])], elements: &[&str]) -> Result<(), String> {
        let system = parse(LOCK).unwrap();
        let list = |locals: &[u32]| locals.iter().map(|local| Local(*local)).collect();
        let basis = Basis {
            reachable: reachable.iter().map(|(s, locals)| (Shared(*s), list(locals))).collect(),
            elements: elements.iter().map(|text| parse_target(text, &system).unwrap()).collect(),
        };
        basis.check(&system, &Initial::default(), &parse_target("1|1,1", &system).unwrap())
    }

    const ALL: [(u32, &[u32]); 2] = [(0, &[0, 1]), (1, &[0, 1])];

    #[test]
    fn the_lock_is_proved() {
        assert_eq!(checked(&ALL, &["1|1,1", "0|1"]), Ok(()));
    }

    #[test]
    fn a_wrong_basis_is_not_believed() {
        let wrong = |result: Result<(), String>, words: &str| {
            let message = result.unwrap_err();
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
}
