//! From a refutation of the clauses to an execution of the program.
//!
//! A derivation of a query follows some threads from the beginning to a bad step, with steps of other
//! threads between, each of which has a derivation of its own. Read backwards it tells the path of
//! every thread that takes part. Whether these paths have an order that is an execution is searched
//! with the solver: the derivation itself may combine what no single execution has.

use std::collections::VecDeque;

use selvedge_exec::Trace;
use selvedge_smt::horn::Derivation;
use selvedge_smt::{Limits, Terms};

use super::Search;
use super::clauses::{Clauses, Origin, StepOrigin};
use super::reach::Situation;
use super::view::{Move as ViewMove, View};
use crate::concretize::search::search;
use crate::concretize::{Move, Name, trace};
use crate::system::{At, System, TemplateId};

/// What became of a refutation.
pub enum Confirmed {
    /// The bad step can be taken. The trace, if the program as given goes wrong there.
    Real(Result<Box<Trace>, String>),
    /// No execution was found.
    Open,
}

/// A derivation and what it is about.
pub struct Refutation<'a> {
    pub view: &'a View,
    pub clauses: &'a Clauses,
    pub derivation: &'a Derivation,
}

impl Refutation<'_> {
    /// Looks for an execution; `tries` is how many questions each search for an order may ask.
    pub fn confirm(
        &self,
        search: &Search<'_>,
        tries: usize,
        system: &mut System,
        terms: &mut Terms,
        limits: &Limits,
    ) -> Confirmed {
        std::mem::swap(&mut system.terms, terms);
        let confirmed = self.try_casts(search, tries, system, limits);
        std::mem::swap(&mut system.terms, terms);
        confirmed
    }

    fn try_casts(
        &self,
        run: &Search<'_>,
        tries: usize,
        system: &mut System,
        limits: &Limits,
    ) -> Confirmed {
        let ways = [(true, false), (false, false), (true, true)];
        for ((reuse, deep), choice) in ways.into_iter().flat_map(|way| [(way, 0), (way, 1)]) {
            if choice > 0 && !self.has_choice() {
                continue;
            }
            let cast = self.cast(reuse, deep);
            let Some(paths) = cast.and_then(|cast| cast.moves(self.view, choice)) else {
                continue;
            };
            if let Ok(Some(order)) = search(system, &paths, tries, limits) {
                let options = selvedge_exec::Options::new(&run.options.properties);
                let prepared = run.visible();
                let found =
                    trace(run.program, &prepared, &options, system, &order.run, &order.model);
                return Confirmed::Real(found.map(Box::new));
            }
        }
        Confirmed::Open
    }

    fn has_choice(&self) -> bool {
        let mut moves = self.view.threads.iter().flat_map(|thread| &thread.moves);
        moves.any(|step| step.steps.len() > 1)
    }

    /// The threads that take part. With `reuse`, a step of another thread is taken for one of a
    /// thread that is there already, where its path allows it; with `deep`, those that disturb the
    /// others take part as well.
    fn cast(&self, reuse: bool, deep: bool) -> Option<Cast> {
        let last = self.derivation.steps.len().checked_sub(1)?;
        let origin = self.step_origin(last)?;
        let mut cast = Cast { actors: Vec::new(), reuse };
        let mut disturbers = Vec::new();
        let situation = &origin.situation;
        for place in 0..situation.tracked {
            let (node, position) = self.premise(last, origin, place)?;
            let mut history = self.history(node, position)?;
            if place == situation.mover {
                history.steps.push(situation.step);
                disturbers = history.disturbers.clone();
            }
            self.enter(&mut cast, situation.threads[place].0, history, true)?;
        }
        let mut open: VecDeque<Acted> = disturbers.into();
        // A bound, because each has a history with others in it.
        let mut budget = 200;
        while let Some(acted) = open.pop_front() {
            budget -= 1;
            if budget == 0 {
                return None;
            }
            let mut history = self.before(&acted)?;
            history.steps.push(acted.step);
            if deep {
                open.extend(history.disturbers.iter().copied());
            }
            self.enter(&mut cast, acted.thread, history, false)?;
        }
        Some(cast)
    }

    fn enter(&self, cast: &mut Cast, thread: usize, history: History, tracked: bool) -> Option<()> {
        let pool = self.view.threads[thread].pool;
        if let Some(parent) = history.parent {
            let mut own = self.before(&parent)?;
            own.steps.push(parent.step);
            self.enter(cast, parent.thread, own, false)?;
        }
        cast.add(thread, pool, history.steps, tracked)
    }

    /// What led a thread to a step. Of one that is not tracked only where it stands is known.
    fn before(&self, acted: &Acted) -> Option<History> {
        match acted.at {
            Some((node, position)) => self.history(node, position),
            None => {
                let thread = &self.view.threads[acted.thread];
                let from = thread.moves[acted.step].from;
                let steps = way(&thread.moves, *thread.starts.last()?, from)?;
                Some(History { steps, ..History::default() })
            }
        }
    }

    /// What the thread at this position of a derived fact did, backwards along the derivation.
    fn history(&self, node: usize, position: usize) -> Option<History> {
        let (mut node, mut position) = (node, position);
        let mut history = History::default();
        loop {
            match &self.clauses.origins[self.derivation.steps[node].rule.index()] {
                Origin::Initial => break,
                Origin::Exchange(second) => {
                    position = match position {
                        p if p == *second => second - 1,
                        p if p + 1 == *second => *second,
                        p => p,
                    };
                    node = *self.derivation.steps[node].premises.first()?;
                }
                Origin::Step(origin) => {
                    let place = *origin.head.get(position)?;
                    let Situation { threads, tracked, mover, step, children, .. } =
                        &origin.situation;
                    let acted = Acted {
                        thread: threads[*mover].0,
                        at: self.premise(node, origin, *mover),
                        step: *step,
                    };
                    if place == *mover {
                        history.steps.push(*step);
                    } else if children.contains(&place) {
                        history.parent = Some(acted);
                        break;
                    } else if mover >= tracked {
                        history.disturbers.push(acted);
                    }
                    (node, position) = self.premise(node, origin, place)?;
                }
            }
        }
        history.steps.reverse();
        history.disturbers.reverse();
        Some(history)
    }

    /// Where a thread of a rule stands among the premises: for a tracked thread in the premise about
    /// the tracked threads, if there is one. None for a thread that no relation speaks of.
    fn premise(&self, node: usize, origin: &StepOrigin, place: usize) -> Option<(usize, usize)> {
        let premises = &self.derivation.steps[node].premises;
        let tracked = origin.situation.tracked;
        let own = |body: &Vec<usize>| body.iter().all(|&other| other < tracked);
        let holds = |body: &Vec<usize>| body.contains(&place);
        let index = origin.body.iter().position(|body| holds(body) && own(body));
        let index = index.or_else(|| origin.body.iter().position(holds))?;
        let position = origin.body[index].iter().position(|&other| other == place)?;
        Some((*premises.get(index)?, position))
    }

    fn step_origin(&self, node: usize) -> Option<&StepOrigin> {
        match &self.clauses.origins[self.derivation.steps[node].rule.index()] {
            Origin::Step(origin) => Some(origin),
            _ => None,
        }
    }
}

/// A step of a thread that stands at a position of a derived fact.
#[derive(Clone, Copy, Debug)]
struct Acted {
    thread: usize,
    /// The fact and the position in it, of a thread that relations speak of.
    at: Option<(usize, usize)>,
    step: usize,
}

#[derive(Clone, Debug, Default)]
struct History {
    /// By place among the thread's moves.
    steps: Vec<usize>,
    /// Steps of others that it saw.
    disturbers: Vec<Acted>,
    /// Who started it.
    parent: Option<Acted>,
}

/// The threads of an execution to be.
#[derive(Clone, Debug)]
struct Cast {
    actors: Vec<Actor>,
    reuse: bool,
}

#[derive(Clone, Debug)]
struct Actor {
    thread: usize,
    steps: Vec<usize>,
    tracked: bool,
}

impl Cast {
    /// None if one instance would have to go two ways.
    fn add(&mut self, thread: usize, pool: bool, steps: Vec<usize>, tracked: bool) -> Option<()> {
        let fits = |actor: &&mut Actor| {
            actor.thread == thread
                && (!pool || (self.reuse && !tracked && !actor.tracked))
                && (!pool || actor.steps.len() < steps.len())
                && actor.steps.iter().zip(&steps).all(|(a, b)| a == b)
        };
        if let Some(actor) = self.actors.iter_mut().find(fits) {
            if actor.steps.len() < steps.len() {
                actor.steps = steps;
            }
            return Some(());
        }
        if !pool && self.actors.iter().any(|actor| actor.thread == thread) {
            return None;
        }
        self.actors.push(Actor { thread, steps, tracked });
        Some(())
    }

    /// The paths with names for all threads; none if nobody starts one of them. Of steps that differ
    /// only in what does not matter, the one chosen is taken.
    fn moves(mut self, view: &View, choice: usize) -> Option<Vec<Vec<Move>>> {
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
        let mut spare = self.actors.len() as u32;
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
                            spare += 1;
                            let number = if view.threads[child.thread].pool { spare } else { 0 };
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
fn way(moves: &[ViewMove], from: At, goal: At) -> Option<Vec<usize>> {
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
