//! Private state made visible, step by step.
//!
//! Thread-modular proofs are incomplete (§2, Prop. 1b): they cannot relate the locations and locals
//! of two threads. Where no thread-modular proof excludes an error path, and no interleaving takes it,
//! something private of a thread on the path becomes a ghost variable that all may speak of: first
//! where single threads stand, then their locals. With all of it visible the proof is about the whole
//! state.
//!
//! Threads of a pool cannot be told apart, so nothing of theirs can be made visible. But what one of
//! them has done to the shared state can: a flag that says that somebody is busy does not say who,
//! and its last changer does ([`changers`]). It is what the holder is for a lock.

use selvedge_smt::{Sort, Term};

use super::derivation::{How, NodeId};
use super::model::{Ghost, Model};
use super::path::{Path, relevant};
use super::transitions::{Kind, Transitions};
use selvedge_system::{At, End, Step, TemplateId};

/// A variable with at most so many values is a flag.
const FLAG: usize = 8;

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

/// The flags that matter on a path and that threads of pools raise or lower: whoever changed one last
/// is made visible. A flag has few values; of a number that threads count with, the last changer says
/// nothing.
pub fn changers(model: &Model, transitions: &Transitions, path: &Path) -> Vec<Ghost> {
    let matters = relevant(model, transitions, path);
    let mut written: Vec<u32> = Vec::new();
    for id in model.ids().filter(|&id| model.template(id).pool) {
        let steps = model.template(id).steps.iter().enumerate();
        let steps = steps.filter(|(index, _)| model.values.is_possible(id, *index as u32));
        written.extend(steps.flat_map(|(_, step)| step.shared.iter().map(|(to, _)| *to)));
    }
    written.sort_unstable();
    written.dedup();
    written.retain(|&variable| {
        let shared = &model.shared[variable as usize];
        let ghost = Ghost::Changer(variable);
        let new = shared.ghost.is_none() && !model.ghosts.contains(&ghost);
        new && matters.contains(&shared.term) && is_flag(model, shared.term)
    });
    written.into_iter().map(Ghost::Changer).collect()
}

fn is_flag(model: &Model, variable: Term) -> bool {
    let is_bool = model.terms.sort(variable) == Sort::Bool;
    is_bool || model.values.count(variable).is_some_and(|values| values <= FLAG)
}

/// That a thread of a template was the last to change what these ghosts are about, for all that change it.
pub fn changed_last(model: &mut Model, ghosts: &[Ghost]) -> Vec<(TemplateId, Term)> {
    let mut found = Vec::new();
    for &ghost in ghosts {
        let Ghost::Changer(variable) = ghost else { continue };
        let Some(changer) = model.shared.iter().find(|shared| shared.ghost == Some(ghost)) else {
            continue;
        };
        let changer = changer.term;
        for id in model.ids() {
            let changes = |step: &Step| step.shared.iter().any(|(to, _)| *to == variable);
            if model.template(id).steps.iter().any(changes) {
                let tid = model.template(id).tid;
                found.push((id, model.terms.eq(changer, tid)));
            }
        }
    }
    found
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

/// A single thread whose steps on a path contradict its own control flow: it disturbs another one by
/// a step that its control flow does not allow after the one before. Only its location shows that.
pub fn contradiction(model: &Model, transitions: &Transitions, path: &Path) -> Option<Ghost> {
    path.nodes.iter().find_map(|(_, how)| {
        let (mover, step) = disturbance(transitions, *how)?;
        let ghost = Ghost::Location(mover);
        if model.template(mover).pool || model.ghosts.contains(&ghost) {
            return None;
        }
        let before = earlier(transitions, path, how.observer?, mover)?;
        let End::To(after) = model.step(mover, before).end else { return None };
        let goal = model.step(mover, step).from;
        (!leads(model, mover, after, goal)).then_some(ghost)
    })
}

/// Who disturbs by which step.
fn disturbance(transitions: &Transitions, how: How) -> Option<(TemplateId, u32)> {
    let transition = transitions.get(how.transition);
    match transition.kind {
        Kind::Environment { step } => transition.mover.map(|mover| (mover, step)),
        _ => None,
    }
}

/// The last step by which the thread disturbed this one before.
fn earlier(transitions: &Transitions, path: &Path, node: NodeId, mover: TemplateId) -> Option<u32> {
    let mut at = Some(node);
    while let Some(node) = at {
        let how = path.nodes[node].1;
        match disturbance(transitions, how) {
            Some((known, step)) if known == mover => return Some(step),
            _ => at = how.observer,
        }
    }
    None
}

/// Whether a thread's control flow leads from one place to another.
fn leads(model: &Model, template: TemplateId, from: At, to: At) -> bool {
    reached_from(model, template, from).contains(&to)
}

/// Where a thread's control flow leads from a place, with the place itself.
pub fn reached_from(model: &Model, template: TemplateId, from: At) -> Vec<At> {
    let mut seen = vec![from];
    let mut next = 0;
    while next < seen.len() {
        let at = seen[next];
        next += 1;
        for step in model.template(template).steps.iter().filter(|step| step.from == at) {
            if let End::To(target) = step.end
                && !seen.contains(&target)
            {
                seen.push(target);
            }
        }
    }
    seen
}
