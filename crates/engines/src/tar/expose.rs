//! Private state made visible, step by step.
//!
//! Thread-modular proofs are incomplete (§2, Prop. 1b): they cannot relate the locations and locals
//! of two threads. Where a path to an error is possible for all that such a proof can say, but no
//! interleaving of the threads takes it, something private of a thread on the path becomes a ghost
//! variable that all may speak of: first where single threads stand, then their locals. With all of
//! it visible the proof is about the whole state. Threads of a pool cannot be told apart, so nothing
//! of theirs can be made visible.

use super::model::{Ghost, Model};
use super::refine::Path;
use super::transitions::Transitions;
use crate::system::TemplateId;

/// What to make visible next because of a path; none if there is nothing left.
pub fn next(model: &Model, transitions: &Transitions, path: &Path) -> Option<Ghost> {
    let singles = threads(model, transitions, path);
    let locations = singles.iter().map(|&id| Ghost::Location(id));
    let locals = singles.iter().flat_map(|&id| {
        let count = model.template(id).locals.len() as u32;
        (0..count).map(move |local| Ghost::Local(id, local))
    });
    locations.chain(locals).find(|ghost| !model.ghosts.contains(ghost))
}

/// The single threads on a path: those that disturb others first, the last ones foremost.
fn threads(model: &Model, transitions: &Transitions, path: &Path) -> Vec<TemplateId> {
    let mut found: Vec<TemplateId> = Vec::new();
    let mut add = |id: TemplateId| {
        if !model.template(id).pool && !found.contains(&id) {
            found.push(id);
        }
    };
    let goal = transitions.get(path.goal.transition);
    goal.mover.into_iter().for_each(&mut add);
    for (_, how) in path.nodes.iter().rev() {
        if how.observer.is_some() {
            transitions.get(how.transition).mover.into_iter().for_each(&mut add);
        }
    }
    path.nodes.iter().rev().for_each(|(place, _)| add(place.0));
    found
}
