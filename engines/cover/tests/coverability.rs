//! Covering against forward exploration with a fixed number of threads, on random systems.
//!
//! What the search finds covered must be reached by as many threads as its run starts with; what
//! it finds not covered must not be reached by a few threads. A few hundred systems by default;
//! `SELVEDGE_RANDOM=5000` for more, `SELVEDGE_SEED` to start elsewhere.

use std::collections::{BTreeMap, HashSet};

use selvedge_cover::coverability::{Coverage, Effort, cover};
use selvedge_cover::tts::{Initial, Local, Passive, Shared, State, System, Threads, Transition};
use selvedge_random::Rng;
use selvedge_verdict::{Budget, Run};

/// Threads beyond the bounded ones that forward exploration starts with.
const MORE_THREADS: usize = 4;

/// What forward exploration gives up at.
const MOST_STATES: usize = 20_000;

/// Spawning must end somewhere.
const MOST_THREADS: usize = 7;

struct Question {
    system: System,
    initial: Initial,
    target: State,
}

fn question(seed: u64) -> Question {
    let mut rng = Rng::new(seed);
    let shared = 1 + rng.below(4) as u32;
    let locals = 1 + rng.below(5) as u32;
    let count = rng.below(13);
    let transitions = (0..count).map(|_| transition(&mut rng, shared, locals)).collect();
    let system = System { shared, locals, transitions };
    let some = |rng: &mut Rng, most| -> Threads {
        let length = rng.below(most);
        (0..length).map(|_| Local(rng.below(locals.into()) as u32)).collect()
    };
    let mut unbounded: Vec<Local> = some(&mut rng, 3).iter().collect();
    unbounded.dedup();
    let bounded = some(&mut rng, 3);
    let initial = Initial { shared: Shared(rng.below(shared.into()) as u32), bounded, unbounded };
    let target =
        State { shared: Shared(rng.below(shared.into()) as u32), threads: some(&mut rng, 4) };
    Question { system, initial, target }
}

fn transition(rng: &mut Rng, shared: u32, locals: u32) -> Transition {
    let local = |rng: &mut Rng| Local(rng.below(locals.into()) as u32);
    let (before, after) = (local(rng), local(rng));
    let mut moves = Vec::new();
    let (takes, gives) = match rng.below(6) {
        0 => (vec![before], vec![before, after]),
        1 => {
            moves.push((before, after));
            (vec![], vec![])
        }
        2 | 3 => {
            let count = 1 + rng.below(3);
            moves.extend((0..count).map(|_| (local(rng), local(rng))));
            (vec![before], vec![after])
        }
        _ => (vec![before], vec![after]),
    };
    Transition {
        from: Shared(rng.below(shared.into()) as u32),
        to: Shared(rng.below(shared.into()) as u32),
        takes: takes.into_iter().collect(),
        gives: gives.into_iter().collect(),
        passive: Passive::new(moves),
        line: 0,
    }
}

/// A global state as counters, from scratch: nothing of the search is used here.
type Counters = (u32, BTreeMap<u32, usize>);

/// Whether exactly these threads can reach the target; `None` if there are too many states.
fn explored(question: &Question, first: Counters) -> Option<bool> {
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        if covers(&state, &question.target) {
            return Some(true);
        }
        for transition in &question.system.transitions {
            for next in successors(&state, transition) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(false)
}

fn covers((shared, counters): &Counters, target: &State) -> bool {
    let enough = |(local, count): (Local, usize)| {
        counters.get(&local.0).is_some_and(|there| *there >= count)
    };
    *shared == target.shared.0 && target.threads.counts().all(enough)
}

fn successors((shared, counters): &Counters, transition: &Transition) -> Vec<Counters> {
    let mut passive = counters.clone();
    let there = transition.takes.iter().all(|local| match passive.get_mut(&local.0) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    if *shared != transition.from.0 || !there {
        return Vec::new();
    }
    let mut arrived: BTreeMap<u32, usize> = BTreeMap::new();
    for local in transition.gives.iter() {
        *arrived.entry(local.0).or_default() += 1;
    }
    let mut partial = vec![arrived];
    for (local, count) in passive {
        for _ in 0..count {
            let stay = [Local(local)];
            let targets = transition.passive.targets(Local(local)).unwrap_or(&stay);
            let mut next: Vec<BTreeMap<u32, usize>> = Vec::new();
            for counters in &partial {
                for target in targets {
                    let mut counters = counters.clone();
                    *counters.entry(target.0).or_default() += 1;
                    next.push(counters);
                }
            }
            next.sort();
            next.dedup();
            partial = next;
        }
    }
    partial.retain(|counters| counters.values().sum::<usize>() <= MOST_THREADS);
    partial.into_iter().map(|counters| (transition.to.0, counters)).collect()
}

/// All initial states with at most so many unbounded threads.
fn initial_states(initial: &Initial, most: usize) -> Vec<Counters> {
    let mut counters: BTreeMap<u32, usize> = BTreeMap::new();
    for local in initial.bounded.iter() {
        *counters.entry(local.0).or_default() += 1;
    }
    let mut found = vec![(counters, most)];
    for local in &initial.unbounded {
        let mut next = Vec::new();
        for (counters, left) in found {
            for more in 0..=left {
                let mut counters = counters.clone();
                if more > 0 {
                    *counters.entry(local.0).or_default() += more;
                }
                next.push((counters, left - more));
            }
        }
        found = next;
    }
    found.into_iter().map(|(counters, _)| (initial.shared.0, counters)).collect()
}

#[derive(Default)]
struct Tally {
    covered: u64,
    not_covered: u64,
    open: u64,
}

fn compare(question: &Question, tally: &mut Tally) -> Result<(), String> {
    let Question { system, initial, target } = question;
    let run = Run::silent(Budget::unlimited());
    let coverage = cover(system, initial, target, &run, &mut Effort::default());
    match coverage.map_err(|stop| stop.to_string())? {
        Coverage::Covered(run) => {
            tally.covered += 1;
            let mut counters: BTreeMap<u32, usize> = BTreeMap::new();
            for local in run.initial.threads.iter() {
                *counters.entry(local.0).or_default() += 1;
            }
            if run.initial.threads.len() > 5 {
                tally.open += 1;
                return Ok(());
            }
            match explored(question, (initial.shared.0, counters)) {
                Some(false) if run.steps.iter().all(|s| s.after.threads.len() <= MOST_THREADS) => {
                    Err(format!("{run:?} is not reached"))
                }
                Some(_) => Ok(()),
                None => {
                    tally.open += 1;
                    Ok(())
                }
            }
        }
        Coverage::NotCovered(_) => {
            tally.not_covered += 1;
            for first in initial_states(initial, MORE_THREADS) {
                if explored(question, first.clone()) == Some(true) {
                    return Err(format!("reached from {first:?}"));
                }
            }
            Ok(())
        }
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn covering_agrees_with_forward_exploration() {
    let (from, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 400));
    let mut tally = Tally::default();
    for seed in from..from + count {
        let question = question(seed);
        if let Err(what) = compare(&question, &mut tally) {
            let Question { system, initial, target } = &question;
            panic!("seed {seed}: {what}\n{system}from {initial} to {target}");
        }
    }
    let Tally { covered, not_covered, open } = tally;
    println!("{count} systems: {covered} covered, {not_covered} not; {open} with too many states");
    assert!(covered > count / 5 && not_covered > count / 5, "the systems test nothing");
    assert!(open < count / 20);
}
