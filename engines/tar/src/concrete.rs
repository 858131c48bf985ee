//! From an abstract error path to an interleaving of concrete threads.
//!
//! An abstract path names the steps of one thread and, traced back, the steps of its environment.
//! Each thread of a template becomes one concrete thread, each thread of a pool gets a number. A step
//! of the environment is given to a thread that is on the path already, if its own path allows that.
//! Then an order of all steps is searched, and the execution is replayed on the program as given.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Program, Property};
use selvedge_passes::Prepared;
use selvedge_smt::{Limits, Model as Values, Reason, Term};
use selvedge_verdict::{Counterexample, Options};

use super::derivation::NodeId;
use super::model::Model;
use super::path::Path;
use super::transitions::{Kind, Transitions};
use selvedge_system::concretize::search::{Order, search_with};
use selvedge_system::concretize::switches::race;
use selvedge_system::concretize::{Move, Name, Point, Run, trace};
use selvedge_system::{At, End, System, TemplateId};

/// Questions that the search for an order may ask, at first and if all depends on it.
pub const FEW_TRIES: usize = 250;
pub const MANY_TRIES: usize = 3_000;

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
    /// It happens; the execution if it goes wrong on the program as given.
    Real(Result<Box<Counterexample>, String>),
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
        tries: usize,
        limits: &Limits,
    ) -> Concretized {
        let mut last = Concretized::None;
        for disturbed in [Disturbed::Not, Disturbed::ByAnybody, Disturbed::ByOthers] {
            let Some(cast) = Cast::of(model, transitions, path, disturbed) else { continue };
            let (paths, hint) = (cast.moves(model), cast.hint());
            let kind = transitions.get(path.goal.transition).kind;
            let finally = |system: &mut System, end: &Point| cast.race(system, end, kind);
            let (system, standing) = (&mut self.system, cast.standing());
            match search_with(system, &paths, &standing, &hint, &finally, tries, limits) {
                Ok(Some(Order { run, model })) => {
                    return Concretized::Real(self.replay(&run, &model));
                }
                Ok(None) => {}
                Err(reason) => last = Concretized::Unknown(reason),
            }
        }
        last
    }

    /// The execution of a run, if it goes wrong on the program as given.
    pub fn replay(&self, run: &Run, model: &Values) -> Result<Box<Counterexample>, String> {
        let machine = selvedge_exec::Options::new(self.properties);
        let trace = trace(self.program, self.prepared, &machine, &self.system, run, model)?;
        let options: Options = Options::new(self.properties);
        let replayed = Counterexample::replayed(self.program, &options, &trace);
        replayed.map(Box::new).map_err(|stop| stop.to_string())
    }
}

/// Who takes the environment's steps. One of them may block the rest of the path although a step of
/// the threads themselves would have had the same effect; so the path is also tried without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disturbed {
    Not,
    /// Threads that are on the path already, where their paths allow it.
    ByAnybody,
    /// Threads that do nothing else.
    ByOthers,
}

/// An event in the history of a node.
enum Event {
    Step(u32),
    /// Another thread goes to this node and takes this step.
    Disturbed(NodeId, u32),
}

fn own_steps(events: &[Event]) -> impl Iterator<Item = u32> {
    events.iter().filter_map(|event| match event {
        Event::Step(step) => Some(*step),
        Event::Disturbed(..) => None,
    })
}

/// Concrete threads and their steps.
struct Cast<'a> {
    model: &'a Model,
    transitions: &'a Transitions,
    path: &'a Path,
    disturbed: Disturbed,
    steps: Vec<(Name, Vec<u32>)>,
    /// Who is started by which step of whom: the parent, the position in its path, the spawn.
    starts: FxHashMap<(Name, usize, u32), Name>,
    done: FxHashSet<(NodeId, Name)>,
    /// The steps, by position in the thread's path, in the order of the abstract path.
    order: Vec<(Name, usize)>,
    /// Those that are there at the end.
    ends: Vec<Name>,
}

impl<'a> Cast<'a> {
    fn of(
        model: &'a Model,
        transitions: &'a Transitions,
        path: &'a Path,
        disturbed: Disturbed,
    ) -> Option<Cast<'a>> {
        let mut cast = Cast {
            model,
            transitions,
            path,
            disturbed,
            steps: Vec::new(),
            starts: FxHashMap::default(),
            done: FxHashSet::default(),
            order: Vec::new(),
            ends: Vec::new(),
        };
        let goal = transitions.get(path.goal.transition);
        let last = match goal.kind {
            Kind::Bad { step } => Some(step),
            _ => None,
        };
        let observer = cast.act(path.goal.observer?, last, None)?;
        cast.ends.push(observer);
        if let Some(mover) = path.goal.mover {
            let mover = cast.act(mover, None, Some(observer))?;
            cast.ends.push(mover);
            // On the way to the other access, a thread may have passed its own.
            let places = [goal.from?, goal.mover_from?];
            for (name, place) in [observer, mover].into_iter().zip(places) {
                cast.go_on(name, place)?;
            }
        }
        Some(cast)
    }

    /// What leads to a node, and the thread's birth.
    fn history(&self, node: NodeId) -> (Vec<Event>, Option<NodeId>) {
        let mut events = Vec::new();
        let mut birth = None;
        let mut at = Some(node);
        while let Some(node) = at {
            let how = self.path.nodes[node].1;
            match (self.transitions.get(how.transition).kind, how.mover) {
                (Kind::Own { step }, _) => events.push(Event::Step(step)),
                (Kind::Environment { step }, Some(mover)) => {
                    events.push(Event::Disturbed(mover, step));
                }
                (Kind::Birth { .. }, Some(_)) => birth = Some(node),
                _ => {}
            }
            at = how.observer;
        }
        events.reverse();
        (events, birth)
    }

    /// A thread that goes to the node and takes one more step there.
    fn act(&mut self, node: NodeId, last: Option<u32>, not: Option<Name>) -> Option<Name> {
        let template = self.path.nodes[node].0.0;
        let (events, birth) = self.history(node);
        let steps: Vec<u32> = own_steps(&events).chain(last).collect();
        let name = self.assign(template, &steps, not)?;
        if self.done.insert((node, name)) {
            if let Some(birth) = birth {
                self.bear(birth, name)?;
            }
            let mut at = 0;
            for event in events {
                match event {
                    Event::Step(_) => {
                        self.take(name, at);
                        at += 1;
                    }
                    Event::Disturbed(..) if self.disturbed == Disturbed::Not => {}
                    Event::Disturbed(mover, step) => {
                        self.act(mover, Some(step), Some(name))?;
                    }
                }
            }
        }
        for at in 0..steps.len() {
            self.take(name, at);
        }
        Some(name)
    }

    /// A step happens now, unless it has happened.
    fn take(&mut self, name: Name, at: usize) {
        if !self.order.contains(&(name, at)) {
            self.order.push((name, at));
        }
    }

    /// Whose turn it is, in the order of the abstract path.
    fn hint(&self) -> Vec<usize> {
        let path = |name: &Name| self.steps.iter().position(|(known, _)| known == name);
        self.order.iter().filter_map(|(name, _)| path(name)).collect()
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
        let mut position = own_steps(&self.history(how.mover?).0).count();
        if self.starts.contains_key(&(parent, position, spawn)) {
            position = self.again(parent, step)?;
        }
        self.starts.insert((parent, position, spawn), child);
        Some(())
    }

    /// Lets a thread go on to the same step once more. Gives the step's position.
    fn again(&mut self, name: Name, step: u32) -> Option<usize> {
        self.go_on(name, self.model.step(name.template, step).from)?;
        let path = &mut self.steps.iter_mut().find(|(known, _)| *known == name)?.1;
        path.push(step);
        Some(path.len() - 1)
    }

    /// Lets a thread go on to a place, by as few steps as can be.
    fn go_on(&mut self, name: Name, goal: At) -> Option<()> {
        let template = self.model.template(name.template);
        let path = &mut self.steps.iter_mut().find(|(known, _)| *known == name)?.1;
        let start = match path.last() {
            Some(&last) => match template.steps[last as usize].end {
                End::To(at) => at,
                End::Bad(_) => return None,
            },
            None => template.entry,
        };
        let mut ways: FxHashMap<At, Vec<u32>> = FxHashMap::default();
        ways.insert(start, Vec::new());
        let mut open = VecDeque::from([start]);
        while let Some(at) = open.pop_front() {
            let way = ways[&at].clone();
            if at == goal {
                path.extend(way);
                return Some(());
            }
            for (index, next) in template.steps.iter().enumerate().filter(|(_, s)| s.from == at) {
                if let End::To(to) = next.end
                    && !ways.contains_key(&to)
                {
                    ways.insert(to, way.iter().copied().chain([index as u32]).collect());
                    open.push_back(to);
                }
            }
        }
        None
    }

    /// Threads of pools that are there from the beginning and race without having moved.
    fn standing(&self) -> Vec<Name> {
        let still = |name: &Name| {
            let template = self.model.template(name.template);
            let moves = self.steps.iter().any(|(known, steps)| known == name && !steps.is_empty());
            template.pool && template.initial && !moves
        };
        self.ends.iter().copied().filter(still).collect()
    }

    /// That the accesses of a race can both come next.
    fn race(&self, system: &mut System, end: &Point, kind: Kind) -> Term {
        let (Kind::Race { own, other }, &[a, b]) = (kind, self.ends.as_slice()) else {
            return system.terms.bool(true);
        };
        let access = |system: &System, name: Name, at: u32| {
            system.templates[name.template.index()].accesses[at as usize].clone()
        };
        let (own, other) = (access(system, a, own), access(system, b, other));
        let (mine, theirs) = (end.map(system, a), end.map(system, b));
        race(system, (&own, &mine), (&other, &theirs))
    }

    /// A thread whose path these steps are the beginning of, or can become the rest of.
    fn assign(&mut self, template: TemplateId, steps: &[u32], not: Option<Name>) -> Option<Name> {
        let pool = self.model.template(template).pool;
        let reuse = self.disturbed != Disturbed::ByOthers;
        let fits = |known: &[u32]| known.starts_with(steps) || steps.starts_with(known);
        let known = self.steps.iter_mut().find(|(name, known)| {
            name.template == template && Some(*name) != not && (!pool || reuse) && fits(known)
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
