//! A run of a thread transition system, and the check that it is one.

use crate::tts::{Initial, Local, State, System, Threads, Transition};

/// From an initial state to one that covers the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub initial: State,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// A position in [`System::transitions`].
    pub transition: u32,
    /// The passive threads that change their local state: from where to where.
    pub moves: Vec<(Local, Local)>,
    pub after: State,
}

impl Run {
    /// Follows the run; says what is wrong with it.
    pub fn check(&self, system: &System, initial: &Initial, target: &State) -> Result<(), String> {
        check_initial(&self.initial, initial)?;
        let mut here = &self.initial;
        for (number, step) in self.steps.iter().enumerate() {
            let transition = system.transitions.get(step.transition as usize);
            let transition = transition.ok_or("there is no such transition")?;
            check_step(here, transition, step)
                .map_err(|what| format!("step {}: {what}", number + 1))?;
            here = &step.after;
        }
        if count_covers(here, target) {
            Ok(())
        } else {
            Err(format!("the run ends in {here}, which does not cover {target}"))
        }
    }
}

/// The bounded threads are there, and everybody else is in an unbounded state.
fn check_initial(state: &State, initial: &Initial) -> Result<(), String> {
    let mut counts = Counts::of(&state.threads);
    let bounded = counts.take_all(&initial.bounded);
    let others = counts.locals().all(|local| initial.unbounded.contains(&local));
    if state.shared == initial.shared && bounded && others {
        Ok(())
    } else {
        Err(format!("the run starts in {state}, which is not initial"))
    }
}

fn check_step(before: &State, transition: &Transition, step: &Step) -> Result<(), String> {
    if before.shared != transition.from || step.after.shared != transition.to {
        return Err("the shared state does not fit".into());
    }
    let mut passive = Counts::of(&before.threads);
    if !passive.take_all(&transition.takes) {
        return Err("the acting thread is not there".into());
    }
    let mut arrived = Counts::of(&transition.gives);
    for (from, to) in &step.moves {
        let allowed = transition.passive.targets(*from).is_some_and(|list| list.contains(to));
        if !allowed || !passive.take(*from) {
            return Err(format!("no passive thread goes from {from} to {to}"));
        }
        arrived.add(*to);
    }
    for local in passive.locals() {
        if transition.passive.targets(local).is_some_and(|list| !list.contains(&local)) {
            return Err(format!("a passive thread cannot stay in {local}"));
        }
        arrived.add(local);
    }
    if arrived == Counts::of(&step.after.threads) { Ok(()) } else { Err("another state".into()) }
}

fn count_covers(state: &State, target: &State) -> bool {
    state.shared == target.shared && Counts::of(&state.threads).take_all(&target.threads)
}

/// How many threads stand where.
#[derive(Debug, PartialEq, Eq)]
struct Counts(std::collections::BTreeMap<Local, usize>);

impl Counts {
    fn of(threads: &Threads) -> Counts {
        let mut counts = Counts(Default::default());
        threads.iter().for_each(|local| counts.add(local));
        counts
    }

    fn add(&mut self, local: Local) {
        *self.0.entry(local).or_default() += 1;
    }

    /// Takes one away; false if there is none.
    fn take(&mut self, local: Local) -> bool {
        match self.0.get_mut(&local) {
            Some(1) => self.0.remove(&local).is_some(),
            Some(count) => {
                *count -= 1;
                true
            }
            None => false,
        }
    }

    fn take_all(&mut self, threads: &Threads) -> bool {
        threads.iter().all(|local| self.take(local))
    }

    /// Each as often as it is there.
    fn locals(&self) -> impl Iterator<Item = Local> {
        self.0.iter().flat_map(|(local, count)| std::iter::repeat_n(*local, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tts::{parse, parse_target};

    const SYSTEM: &str = "2 3\n0 0 -> 1 1 0 ~> 2 0 ~> 1\n";

    fn checked(initial: &str, moves: &[(u32, u32)], after: &str) -> Result<(), String> {
        let system = parse(SYSTEM).unwrap();
        let state = |text| parse_target(text, &system).unwrap();
        let moves = moves.iter().map(|(from, to)| (Local(*from), Local(*to))).collect();
        let step = Step { transition: 0, moves, after: state(after) };
        let run = Run { initial: state(initial), steps: vec![step] };
        run.check(&system, &Initial::default(), &state("1|1,2"))
    }

    #[test]
    fn a_run_is_followed() {
        assert_eq!(checked("0|0,0", &[(0, 2)], "1|1,2"), Ok(()));
        assert_eq!(checked("0|0,0,0", &[(0, 2), (0, 1)], "1|1,1,2"), Ok(()));
    }

    #[test]
    fn a_broken_run_is_not_believed() {
        let wrong = |result: Result<(), String>, words: &str| {
            let message = result.unwrap_err();
            assert!(message.contains(words), "{message}");
        };
        wrong(checked("0|0,1", &[], "1|1,1"), "not initial");
        wrong(checked("1|0,0", &[], "1|1,1"), "not initial");
        wrong(checked("0|0,0", &[], "1|0,1"), "cannot stay in 0");
        wrong(checked("0|0,0", &[(0, 0)], "1|0,1"), "from 0 to 0");
        wrong(checked("0|0,0", &[(0, 1)], "1|1,1"), "does not cover 1|1,2");
        wrong(checked("0|0,0", &[(0, 2)], "1|1,2,2"), "another state");
        wrong(checked("0|0", &[(0, 2)], "1|1,2"), "from 0 to 2");
        wrong(checked("0", &[], "1|1"), "not there");
        wrong(checked("0|0,0", &[(0, 2)], "0|1,2"), "shared state");
    }
}
