//! The threads of an execution that a refutation tells of, with their paths.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use selvedge_clauses::Conflict;
use selvedge_clauses::races::own_inputs;
use selvedge_clauses::view::{Move as ViewMove, View};
use selvedge_smt::Term;
use selvedge_system::concretize::{Move, Name, Point};
use selvedge_system::{At, System, TemplateId, overlap};

/// The threads of an execution that is looked for.
#[derive(Clone, Debug)]
pub struct Cast {
    actors: Vec<Actor>,
    reuse: bool,
    /// In a race: who accesses, as places among the actors, and what.
    pub racing: Option<([usize; 2], Conflict)>,
}

#[derive(Clone, Debug)]
struct Actor {
    thread: usize,
    steps: Vec<usize>,
    tracked: bool,
}

impl Cast {
    /// Nobody yet. With `reuse`, a thread of a pool may go on where another one's path ends.
    pub fn new(reuse: bool) -> Cast {
        Cast { actors: Vec::new(), reuse, racing: None }
    }

    pub fn race(&self, view: &View) -> Option<Race> {
        let (actors, conflict) = self.racing?;
        let names = self.names(view);
        Some(Race { names: actors.map(|actor| names[actor]), conflict })
    }

    /// Threads of pools that are there from the beginning and do not move.
    pub fn standing(&self, view: &View) -> Vec<Name> {
        let numbered = self.actors.iter().zip(self.names(view));
        let still = numbered.filter(|(actor, _)| {
            let pool = view.threads[actor.thread].pool;
            pool && actor.steps.is_empty() && !needs_start(view, actor.thread)
        });
        still.map(|(_, name)| name).collect()
    }

    /// Adds a thread with its path. The place of the actor; none if one instance would have to go two
    /// ways.
    pub fn add(
        &mut self,
        thread: usize,
        pool: bool,
        steps: Vec<usize>,
        tracked: bool,
    ) -> Option<usize> {
        let fits = |actor: &Actor| {
            actor.thread == thread
                && (!pool || (self.reuse && !tracked && !actor.tracked))
                && (!pool || actor.steps.len() < steps.len())
                && actor.steps.iter().zip(&steps).all(|(a, b)| a == b)
        };
        if let Some(place) = self.actors.iter().position(fits) {
            let actor = &mut self.actors[place];
            if actor.steps.len() < steps.len() {
                actor.steps = steps;
            }
            return Some(place);
        }
        if !pool && self.actors.iter().any(|actor| actor.thread == thread) {
            return None;
        }
        self.actors.push(Actor { thread, steps, tracked });
        Some(self.actors.len() - 1)
    }

    /// The paths with names for all threads; none if nobody starts one of them. Of steps that differ
    /// only in what does not matter, the one chosen is taken.
    pub fn moves(mut self, view: &View, choice: usize) -> Option<Vec<Vec<Move>>> {
        for thread in 0..view.threads.len() {
            self.start_enough(view, thread)?;
        }
        let names = self.names(view);
        let mut waiting: Vec<Name> = Vec::new();
        for (actor, &name) in self.actors.iter().zip(&names) {
            if needs_start(view, actor.thread) {
                waiting.push(name);
            }
        }
        let mut extra = self.actors.len() as u32;
        let mut all = Vec::new();
        for (actor, &thread) in self.actors.iter().zip(&names) {
            let mut moves = Vec::new();
            for &step in &actor.steps {
                let a_move = &view.threads[actor.thread].moves[step];
                let mut starts = Vec::new();
                for child in &a_move.spawns {
                    let template = TemplateId(child.thread as u32);
                    let known = waiting.iter().position(|name| name.template == template);
                    starts.push(match known {
                        Some(position) => waiting.remove(position),
                        None => {
                            extra += 1;
                            let number = if view.threads[child.thread].pool { extra } else { 0 };
                            Name { template, number }
                        }
                    });
                }
                moves.push(Move {
                    thread,
                    step: a_move.steps[choice % a_move.steps.len()],
                    starts,
                });
            }
            all.push(moves);
        }
        waiting.is_empty().then_some(all)
    }

    fn names(&self, view: &View) -> Vec<Name> {
        let numbered = self.actors.iter().enumerate();
        let name = numbered.map(|(index, actor)| Name {
            template: TemplateId(actor.thread as u32),
            number: if view.threads[actor.thread].pool { index as u32 + 1 } else { 0 },
        });
        name.collect()
    }

    /// Lets those who start threads of a template go round until there are enough.
    fn start_enough(&mut self, view: &View, thread: usize) -> Option<()> {
        if !needs_start(view, thread) {
            return Some(());
        }
        let needed = self.actors.iter().filter(|actor| actor.thread == thread).count();
        let starts = |step: &ViewMove| step.spawns.iter().any(|child| child.thread == thread);
        for _ in 0..needed {
            let moves = |actor: &Actor| &view.threads[actor.thread].moves;
            let count = |actor: &Actor| {
                actor.steps.iter().filter(|&&step| starts(&moves(actor)[step])).count()
            };
            if self.actors.iter().map(count).sum::<usize>() >= needed {
                return Some(());
            }
            let parent = self.actors.iter_mut().find(|actor| count(actor) > 0)?;
            let moves = &view.threads[parent.thread].moves;
            let last = parent.steps.iter().rposition(|&step| starts(&moves[step]))?;
            let again = round(moves, parent.steps[last])?;
            parent.steps.splice(last + 1..last + 1, again);
        }
        Some(())
    }
}

fn needs_start(view: &View, thread: usize) -> bool {
    view.threads[thread].starts == [At::Unstarted]
}

/// The shortest way from behind a step to the step once more.
fn round(moves: &[ViewMove], step: usize) -> Option<Vec<usize>> {
    let from = moves[step].to.as_ref().ok().copied()?;
    let back = way(moves, from, moves[step].from)?;
    Some(back.into_iter().chain([step]).collect())
}

/// The shortest way between two places.
pub fn way(moves: &[ViewMove], from: At, goal: At) -> Option<Vec<usize>> {
    let mut open = VecDeque::from([(from, Vec::new())]);
    let mut seen = vec![from];
    while let Some((at, way)) = open.pop_front() {
        if at == goal {
            return Some(way);
        }
        for (index, next) in moves.iter().enumerate().filter(|(_, next)| next.from == at) {
            if let Ok(to) = next.to
                && !seen.contains(&to)
            {
                seen.push(to);
                open.push_back((to, way.iter().copied().chain([index]).collect()));
            }
        }
    }
    None
}

/// Two threads whose accesses would race in the end.
pub struct Race {
    names: [Name; 2],
    conflict: Conflict,
}

impl Race {
    /// That both accesses can come next.
    pub fn formula(&self, system: &mut System, view: &View, end: &Point) -> Term {
        let accesses = [self.conflict.first, self.conflict.second];
        let accesses =
            accesses.map(|(thread, access)| system.templates[thread].accesses[access].clone());
        let stands =
            |(name, at): (&Name, At)| end.threads.get(name).is_some_and(|stand| stand.at == at);
        if !self.names.iter().zip(accesses.iter().map(|access| access.at)).all(stands) {
            return system.terms.bool(false);
        }
        let mut guards = Vec::new();
        let mut addresses = Vec::new();
        for (index, access) in accesses.iter().enumerate() {
            let mut said = access.address.terms().to_vec();
            said.push(access.guard);
            let inputs = match index {
                0 => FxHashMap::default(),
                _ => own_inputs(&mut system.terms, &|variable| view.has(variable), &said),
            };
            let said = said.into_iter().map(|term| {
                let term = system.terms.substitute(term, &inputs);
                end.formula(system, self.names[index], term)
            });
            let mut said: Vec<Term> = said.collect();
            guards.extend(said.pop());
            addresses.push(said);
        }
        let own = (addresses[0].as_slice(), accesses[0].bytes);
        let other = (addresses[1].as_slice(), accesses[1].bytes);
        guards.push(overlap(&mut system.terms, own, other));
        system.terms.and(&guards)
    }
}
