//! From a refutation of the clauses to an execution of the program.
//!
//! A derivation of a query follows some threads from the beginning to a bad step, with steps of other
//! threads between, each of which has a derivation of its own. Read backwards it tells the path of
//! every thread that takes part. Whether these paths have an order that is an execution is searched
//! with the solver: the derivation itself may combine what no single execution has.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use selvedge_exec::Trace;
use selvedge_smt::horn::Derivation;
use selvedge_smt::{Limits, Term, Terms};

use super::Search;
use super::clauses::{Clauses, Origin};
use super::races::{Conflict, own_inputs};
use super::reach::Situation;
use super::view::{Move as ViewMove, View};
use selvedge_system::concretize::search::search_with;
use selvedge_system::concretize::{Move, Name, Point, trace};
use selvedge_system::{At, System, TemplateId, overlap};

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
            let Some(cast) = self.cast(reuse, deep) else { continue };
            let (race, standing) = (cast.race(self.view), cast.standing(self.view));
            let Some(paths) = cast.moves(self.view, choice) else { continue };
            let finally = |system: &mut System, end: &Point| match &race {
                Some(race) => race.formula(system, self.view, end),
                None => system.terms.bool(true),
            };
            let found = search_with(system, &paths, &standing, &[], &finally, tries, limits);
            if let Ok(Some(order)) = found {
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
        let mut cast = Cast { actors: Vec::new(), reuse, racing: None };
        let mut disturbers = Vec::new();
        match &self.clauses.origins[self.derivation.steps[last].rule.index()] {
            Origin::Step(origin) => {
                let situation = &origin.situation;
                for place in 0..situation.tracked {
                    let (node, position) =
                        self.premise(last, &origin.body, situation.tracked, place)?;
                    let mut history = self.history(node, position)?;
                    if place == situation.mover {
                        history.steps.push(situation.step);
                        disturbers = history.disturbers.clone();
                    }
                    self.enter(&mut cast, situation.threads[place].0, history, true)?;
                }
            }
            Origin::Race(origin) => {
                let mut nodes = Vec::new();
                let mut actors = [0; 2];
                let meeting = &origin.meeting;
                for (actor, &place) in actors.iter_mut().zip(&meeting.who) {
                    let count = meeting.threads.len();
                    let (node, position) = self.premise(last, &origin.body, count, place)?;
                    let history = self.history(node, position)?;
                    if !nodes.contains(&node) {
                        disturbers.extend(history.disturbers.iter().copied());
                        nodes.push(node);
                    }
                    *actor = self.enter(&mut cast, meeting.threads[place].0, history, true)?;
                }
                cast.racing = Some((actors, meeting.conflict));
            }
            Origin::Initial | Origin::Exchange(_) | Origin::Leave(_) => return None,
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

    /// The place of the actor whose path it is.
    fn enter(
        &self,
        cast: &mut Cast,
        thread: usize,
        history: History,
        tracked: bool,
    ) -> Option<usize> {
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
                Origin::Leave(place) => {
                    position += usize::from(position >= *place);
                    node = *self.derivation.steps[node].premises.first()?;
                }
                Origin::Race(_) => return None,
                Origin::Step(origin) => {
                    let place = *origin.head.get(position)?;
                    let Situation { threads, tracked, mover, step, children, .. } =
                        &origin.situation;
                    let acted = Acted {
                        thread: threads[*mover].0,
                        at: self.premise(node, &origin.body, *tracked, *mover),
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
                    (node, position) = self.premise(node, &origin.body, *tracked, place)?;
                }
            }
        }
        history.steps.reverse();
        history.disturbers.reverse();
        Some(history)
    }

    /// Where a thread of a rule stands among the premises: for a tracked thread in the premise about
    /// the tracked threads, if there is one. None for a thread that no relation speaks of.
    fn premise(
        &self,
        node: usize,
        bodies: &[Vec<usize>],
        tracked: usize,
        place: usize,
    ) -> Option<(usize, usize)> {
        let premises = &self.derivation.steps[node].premises;
        let own = |body: &Vec<usize>| body.iter().all(|&other| other < tracked);
        let holds = |body: &Vec<usize>| body.contains(&place);
        let index = bodies.iter().position(|body| holds(body) && own(body));
        let index = index.or_else(|| bodies.iter().position(holds))?;
        let position = bodies[index].iter().position(|&other| other == place)?;
        Some((*premises.get(index)?, position))
    }
}

/// Two threads whose accesses would race in the end.
struct Race {
    names: [Name; 2],
    conflict: Conflict,
}

impl Race {
    /// That both accesses can come next.
    fn formula(&self, system: &mut System, view: &View, end: &Point) -> Term {
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
                _ => own_inputs(&mut system.terms, view, &said),
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
    /// In a race: who accesses, as places among the actors, and what.
    racing: Option<([usize; 2], Conflict)>,
}

#[derive(Clone, Debug)]
struct Actor {
    thread: usize,
    steps: Vec<usize>,
    tracked: bool,
}

impl Cast {
    fn race(&self, view: &View) -> Option<Race> {
        let (actors, conflict) = self.racing?;
        let names = self.names(view);
        Some(Race { names: actors.map(|actor| names[actor]), conflict })
    }

    /// Threads of pools that are there from the beginning and do not move.
    fn standing(&self, view: &View) -> Vec<Name> {
        let numbered = self.actors.iter().zip(self.names(view));
        let still = numbered.filter(|(actor, _)| {
            let pool = view.threads[actor.thread].pool;
            pool && actor.steps.is_empty() && !needs_start(view, actor.thread)
        });
        still.map(|(_, name)| name).collect()
    }

    /// The place of the actor; none if one instance would have to go two ways.
    fn add(
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
