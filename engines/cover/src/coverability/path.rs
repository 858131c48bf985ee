//! Turns the chain of elements that the search found, from the target back, into a run forwards.
//!
//! The run starts with as many threads as the first element asks for. Along the way, the threads
//! that the next element asks for are moved as the predecessor was computed; all others go wherever
//! they may.

use selvedge_certify::evidence::{Run, Step};
use selvedge_certify::tts::{Local, Passive, State, Threads, Transition};
use selvedge_verdict::Stop;

use super::search::BackwardSearch;

/// The run that starts where an initial state meets the element.
pub fn run_from(search: &BackwardSearch<'_>, element: u32) -> Result<Run, Stop> {
    let defect = |what: &str| Stop::Unconfirmed { what: what.to_string() };
    let first = &search.elements[element as usize];
    let missing = search.initial.missing(&first.state);
    let missing = missing.ok_or_else(|| defect("the first state is not initial"))?;
    let threads = search.initial.bounded.plus(&missing);
    let initial = State { shared: search.initial.shared, threads };
    let mut run = Run { initial: initial.clone(), steps: Vec::new() };
    let mut here = initial;
    let mut element = first;
    while let Some((next, transition)) = element.next {
        let next = &search.elements[next as usize];
        let taken = &search.system.transitions[transition as usize];
        let moved = assigned(&element.state.threads, taken, &next.state.threads)
            .ok_or_else(|| defect("a predecessor does not lead on"))?;
        let step = forwards(&here, transition, taken, &moved);
        here = step.after.clone();
        run.steps.push(step);
        element = next;
    }
    Ok(run)
}

/// Which passive thread of `before` becomes which of `after`, so that all of `after` is there.
fn assigned(
    before: &Threads,
    transition: &Transition,
    after: &Threads,
) -> Option<Vec<(Local, Local)>> {
    let sources = before.without(&transition.takes);
    let wanted = after.without(&transition.gives);
    let mut matching = Matching {
        passive: &transition.passive,
        sources: &sources,
        taken: vec![None; sources.len()],
    };
    for (index, want) in wanted.iter().enumerate() {
        let mut tried = vec![false; sources.len()];
        if !matching.augment(index, want, wanted.as_slice(), &mut tried) {
            return None;
        }
    }
    let pairs = sources.iter().zip(&matching.taken);
    Some(pairs.filter_map(|(from, to)| to.map(|to| (from, wanted.as_slice()[to]))).collect())
}

/// A maximum matching by augmenting paths.
struct Matching<'a> {
    passive: &'a Passive,
    sources: &'a Threads,
    /// For each source the position of what it becomes.
    taken: Vec<Option<usize>>,
}

impl Matching<'_> {
    fn augment(&mut self, index: usize, want: Local, wanted: &[Local], tried: &mut [bool]) -> bool {
        for source in 0..self.sources.len() {
            let from = self.sources.as_slice()[source];
            if tried[source] || !self.passive.can_move(from, want) {
                continue;
            }
            tried[source] = true;
            let free = match self.taken[source] {
                None => true,
                Some(other) => self.augment(other, wanted[other], wanted, tried),
            };
            if free {
                self.taken[source] = Some(index);
                return true;
            }
        }
        false
    }
}

/// The transition from `here`, with the given threads moved as said.
fn forwards(here: &State, index: u32, transition: &Transition, moved: &[(Local, Local)]) -> Step {
    let passive = here.threads.without(&transition.takes);
    let bound: Threads = moved.iter().map(|(from, _)| *from).collect();
    let mut moves = moved.to_vec();
    for local in passive.without(&bound).iter() {
        let stays = transition.passive.can_move(local, local);
        let to = transition.passive.targets(local).filter(|_| !stays).map_or(local, |to| to[0]);
        moves.push((local, to));
    }
    let arrived: Threads = moves.iter().map(|(_, to)| *to).collect();
    let after = State { shared: transition.to, threads: transition.gives.plus(&arrived) };
    moves.retain(|(from, to)| from != to);
    moves.sort_unstable();
    Step { transition: index, moves, after }
}
