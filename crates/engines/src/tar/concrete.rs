//! Is there an interleaving of the threads' paths?
//!
//! An abstract path names the steps of one thread and, traced back, the steps of those that disturb
//! it. Each becomes the path of a concrete thread: single threads are themselves, threads of a pool
//! get numbers. Where a disturbance can be the work of a thread that is on the way already, it is.
//! The order of the steps is then searched, and what is found is replayed on the program as given.

use rustc_hash::FxHashMap;
use selvedge_exec::Trace;
use selvedge_ir::{Program, Property};
use selvedge_passes::Prepared;
use selvedge_smt::{Limits, Reason};

use super::derivation::NodeId;
use super::model::Model;
use super::refine::Path;
use super::transitions::{Kind, TransitionId, Transitions};
use crate::concretize::search::{Order, search};
use crate::concretize::{Move, Name, trace};
use crate::system::{System, TemplateId};

/// Questions that the search for an order may ask.
const TRIES: usize = 3_000;

/// The program and its system as it is without ghosts.
pub struct Concrete<'a> {
    pub program: &'a Program,
    pub prepared: &'a Prepared,
    pub system: System,
    pub properties: &'a [Property],
}

/// What became of a path.
#[derive(Debug)]
pub enum Concretized {
    /// It happens; the trace if it goes wrong on the program as given.
    Real(Result<Box<Trace>, String>),
    /// No interleaving of the paths was found.
    None,
    Unknown(Reason),
}

impl Concrete<'_> {
    /// Looks for an interleaving.
    pub fn interleave(
        &mut self,
        model: &Model,
        transitions: &Transitions,
        path: &Path,
        limits: &Limits,
    ) -> Concretized {
        let mut last = Concretized::None;
        for reuse in [true, false] {
            let Some(cast) = Cast::of(model, transitions, path, reuse) else { continue };
            let paths = cast.moves(model);
            match search(&mut self.system, &paths, TRIES, limits) {
                Ok(Some(order)) => return Concretized::Real(self.replay(&order)),
                Ok(None) => {}
                Err(reason) => last = Concretized::Unknown(reason),
            }
        }
        last
    }

    fn replay(&self, order: &Order) -> Result<Box<Trace>, String> {
        let options = selvedge_exec::Options::new(self.properties);
        let Order { run, model } = order;
        trace(self.program, self.prepared, &options, &self.system, run, model).map(Box::new)
    }
}

/// Concrete threads and their steps.
struct Cast<'a> {
    model: &'a Model,
    transitions: &'a Transitions,
    path: &'a Path,
    /// Whether a disturbance may be the work of a thread that has others.
    reuse: bool,
    steps: Vec<(Name, Vec<u32>)>,
    /// Who is started by which step of whom: the parent, the position in its path, the spawn.
    starts: FxHashMap<(Name, usize, u32), Name>,
    done: FxHashMap<(NodeId, Name), ()>,
}

impl<'a> Cast<'a> {
    fn of(
        model: &'a Model,
        transitions: &'a Transitions,
        path: &'a Path,
        reuse: bool,
    ) -> Option<Cast<'a>> {
        let mut cast = Cast {
            model,
            transitions,
            path,
            reuse,
            steps: Vec::new(),
            starts: FxHashMap::default(),
            done: FxHashMap::default(),
        };
        let goal = transitions.get(path.goal.transition);
        let last = match goal.kind {
            Kind::Bad { step } => Some(step),
            _ => None,
        };
        let observer = cast.act(path.goal.observer?, last, None)?;
        if let Some(mover) = path.goal.mover {
            cast.act(mover, None, Some(observer))?;
        }
        Some(cast)
    }

    /// The own steps that lead to a node, the nodes at which the thread was disturbed, and its birth.
    fn history(&self, node: NodeId) -> (Vec<u32>, Vec<(TransitionId, NodeId)>, Option<NodeId>) {
        let mut steps = Vec::new();
        let mut disturbed = Vec::new();
        let mut birth = None;
        let mut at = Some(node);
        while let Some(node) = at {
            let how = self.path.nodes[node].1;
            match (self.transitions.get(how.transition).kind, how.mover) {
                (Kind::Own { step }, _) => steps.push(step),
                (Kind::Environment { .. }, Some(mover)) => {
                    disturbed.push((how.transition, mover));
                }
                (Kind::Birth { .. }, Some(_)) => birth = Some(node),
                _ => {}
            }
            at = how.observer;
        }
        steps.reverse();
        disturbed.reverse();
        (steps, disturbed, birth)
    }

    /// A thread that goes to the node and takes one more step there.
    fn act(&mut self, node: NodeId, last: Option<u32>, not: Option<Name>) -> Option<Name> {
        let template = self.path.nodes[node].0.0;
        let (mut steps, disturbed, birth) = self.history(node);
        steps.extend(last);
        let name = self.assign(template, &steps, not)?;
        if self.done.insert((node, name), ()).is_some() {
            return Some(name);
        }
        if let Some(birth) = birth {
            self.bear(birth, name)?;
        }
        for (transition, mover) in disturbed {
            let Kind::Environment { step } = self.transitions.get(transition).kind else {
                continue;
            };
            self.act(mover, Some(step), Some(name))?;
        }
        Some(name)
    }

    /// Somebody starts the thread.
    fn bear(&mut self, birth: NodeId, child: Name) -> Option<()> {
        let how = self.path.nodes[birth].1;
        let Kind::Birth { step, spawn } = self.transitions.get(how.transition).kind else {
            return None;
        };
        if self.starts.values().any(|known| *known == child) {
            return Some(());
        }
        let parent = self.act(how.mover?, Some(step), Some(child))?;
        let position = self.history(how.mover?).0.len();
        self.starts.insert((parent, position, spawn), child);
        Some(())
    }

    /// A thread whose path these steps are the beginning of, or can become the rest of.
    fn assign(&mut self, template: TemplateId, steps: &[u32], not: Option<Name>) -> Option<Name> {
        let pool = self.model.template(template).pool;
        let fits = |known: &[u32]| known.starts_with(steps) || steps.starts_with(known);
        let known = self.steps.iter_mut().find(|(name, known)| {
            name.template == template && Some(*name) != not && (!pool || self.reuse) && fits(known)
        });
        if let Some((name, known)) = known {
            if known.len() < steps.len() {
                *known = steps.to_vec();
            }
            return Some(*name);
        }
        let others = self.steps.iter().filter(|(name, _)| name.template == template).count();
        if !pool && others > 0 {
            return None;
        }
        let number = if pool { others as u32 + 1 } else { 0 };
        let name = Name { template, number };
        self.steps.push((name, steps.to_vec()));
        Some(name)
    }

    /// The paths, with names for all that start on them.
    fn moves(&self, model: &Model) -> Vec<Vec<Move>> {
        let mut unnamed = 1_000;
        let mut paths = Vec::new();
        for (name, steps) in &self.steps {
            let mut path = Vec::new();
            for (position, &step) in steps.iter().enumerate() {
                let spawns = &model.step(name.template, step).spawns;
                let starts = spawns.iter().enumerate().map(|(spawn, started)| {
                    let known = self.starts.get(&(*name, position, spawn as u32));
                    known.copied().unwrap_or_else(|| {
                        let pool = model.template(started.template).pool;
                        unnamed += u32::from(pool);
                        let number = if pool { unnamed } else { 0 };
                        Name { template: started.template, number }
                    })
                });
                let starts = starts.collect();
                path.push(Move { thread: *name, step: step as usize, starts });
            }
            paths.push(path);
        }
        paths
    }
}
