//! A run of the abstract system as moves of named threads.
//!
//! The run has only numbers of threads in local states. Threads in the same local state are alike,
//! so any of them may be the one that moves; once chosen, each keeps its name.

use std::collections::BTreeSet;

use selvedge_certify::evidence::Run;
use selvedge_certify::tts::Local;
use selvedge_system::concretize::{Move, Name};

use crate::abstraction::{AbstractSystem, Cause, LocalState};

/// What threads do, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    pub moves: Vec<Move>,
    /// For each move the threads in the sink behind it.
    pub sunk: Vec<BTreeSet<Name>>,
    /// All threads of pools.
    pub threads: Vec<Name>,
}

/// The story of a run; none if the run speaks of a thread that is not there, a defect of the search.
pub fn story(found: &AbstractSystem, run: &Run) -> Option<Story> {
    let mut cast = Cast::of(found, run);
    let mut story = Story { moves: Vec::new(), sunk: Vec::new(), threads: cast.pools(found) };
    for step in &run.steps {
        let mut moved = BTreeSet::new();
        if let Cause::Step { step: number, actors: [before, after], .. } =
            &found.causes[step.transition as usize]
        {
            let mut names = Vec::new();
            for (index, &from) in before.iter().enumerate() {
                // A bad step leads nowhere.
                let to = after.get(index).copied().unwrap_or(from);
                names.push(cast.send(from, to, &mut moved)?);
            }
            let (&thread, starts) = names.split_first()?;
            story.moves.push(Move { thread, step: *number, starts: starts.to_vec() });
        }
        for &(from, to) in &step.moves {
            cast.send(from, to, &mut moved)?;
        }
        if story.sunk.len() < story.moves.len() {
            story.sunk.push(cast.sunk(found));
        }
    }
    Some(story)
}

/// The threads and their local states.
struct Cast {
    places: Vec<(Name, Local)>,
}

impl Cast {
    fn of(found: &AbstractSystem, run: &Run) -> Cast {
        let mut places: Vec<(Name, Local)> = Vec::new();
        for local in run.initial.threads.iter() {
            let LocalState::Waiting(template) = found.locals[local.0 as usize] else { continue };
            let same = places.iter().filter(|(name, _)| name.template == template);
            let number = same.count() as u32;
            places.push((Name { template, number }, local));
        }
        Cast { places }
    }

    fn pools(&self, found: &AbstractSystem) -> Vec<Name> {
        let unbounded = |local: &Local| found.initial.unbounded.contains(local);
        self.places.iter().filter(|(_, local)| unbounded(local)).map(|(name, _)| *name).collect()
    }

    /// Moves a thread that has not moved in this step from one local state to another.
    fn send(&mut self, from: Local, to: Local, moved: &mut BTreeSet<Name>) -> Option<Name> {
        let free = |(name, at): &&mut (Name, Local)| *at == from && !moved.contains(name);
        let chosen = self.places.iter_mut().find(free)?;
        chosen.1 = to;
        moved.insert(chosen.0);
        Some(chosen.0)
    }

    fn sunk(&self, found: &AbstractSystem) -> BTreeSet<Name> {
        let sunk = |local: &Local| found.locals[local.0 as usize] == LocalState::Sink;
        self.places.iter().filter(|(_, at)| sunk(at)).map(|(name, _)| *name).collect()
    }
}
