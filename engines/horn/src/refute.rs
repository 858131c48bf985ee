//! From a refutation of the clauses to an execution of the program.
//!
//! A derivation of a query follows some threads from the beginning to a bad step, with steps of other
//! threads between, each of which has a derivation of its own. Read backwards it tells the path of
//! every thread that takes part. Whether these paths have an order that is an execution is searched
//! with the solver: the derivation itself may combine what no single execution has.

use std::collections::VecDeque;

use selvedge_clauses::reach::Situation;
use selvedge_clauses::rules::{Clauses, Origin};
use selvedge_clauses::view::View;
use selvedge_exec::Trace;
use selvedge_smt::Limits;
use selvedge_smt::horn::Derivation;
use selvedge_system::System;
use selvedge_system::concretize::search::{Order, search_with};
use selvedge_system::concretize::{Point, trace};
use selvedge_verdict::Run;

use crate::cast::{Cast, way};
use crate::problem::Task;

/// The most steps of other threads whose histories are followed.
const DISTURBERS: usize = 199;

/// What became of a refutation.
pub enum Confirmed {
    /// The bad step can be taken. The trace, if the program as given goes wrong there.
    Happens(Result<Box<Trace>, String>),
    /// No execution was found.
    Open,
}

/// A derivation and what it is about.
pub struct Refutation<'a> {
    pub task: &'a Task<'a>,
    pub view: &'a View,
    pub clauses: &'a Clauses,
    pub derivation: &'a Derivation,
}

impl Refutation<'_> {
    /// Looks for an execution; `tries` is how many questions each search for an order may ask.
    pub fn confirm(
        &self,
        run: &Run<'_>,
        tries: usize,
        system: &mut System,
        limits: &Limits,
    ) -> Confirmed {
        let ways = [(true, false), (false, false), (true, true)];
        for ((reuse, deep), choice) in ways.into_iter().flat_map(|way| [(way, 0), (way, 1)]) {
            if limits.exceeded().is_some() {
                break;
            }
            if choice > 0 && !self.has_choice() {
                continue;
            }
            let Some(cast) = self.cast(reuse, deep) else { continue };
            if let Some(order) = self.order(cast, choice, tries, system, limits) {
                return self.replayed(run, system, &order);
            }
        }
        Confirmed::Open
    }

    /// An order in which the threads can take their steps.
    fn order(
        &self,
        cast: Cast,
        choice: usize,
        tries: usize,
        system: &mut System,
        limits: &Limits,
    ) -> Option<Order> {
        let (race, standing) = (cast.race(self.view), cast.standing(self.view));
        let paths = cast.moves(self.view, choice)?;
        let finally = |system: &mut System, end: &Point| match &race {
            Some(race) => race.formula(system, self.view, end),
            None => system.terms.bool(true),
        };
        search_with(system, &paths, &standing, &[], &finally, tries, limits).ok().flatten()
    }

    /// The execution on the program as it was given.
    fn replayed(&self, run: &Run<'_>, system: &System, order: &Order) -> Confirmed {
        let options = selvedge_exec::Options::new(&self.task.options.properties);
        let Ok(prepared) = self.task.promoted.visible(run) else { return Confirmed::Open };
        let found = trace(
            self.task.promoted.program,
            &prepared,
            &options,
            system,
            &order.run,
            &order.model,
        );
        Confirmed::Happens(found.map(Box::new))
    }

    fn has_choice(&self) -> bool {
        let mut moves = self.view.threads.iter().flat_map(|thread| &thread.moves);
        moves.any(|step| step.steps.len() > 1)
    }

    /// The threads that take part. With `reuse`, a step of another thread is taken for one of a
    /// thread that is there already, where its path allows it; with `deep`, those that disturb the
    /// others take part as well.
    fn cast(&self, reuse: bool, deep: bool) -> Option<Cast> {
        let mut cast = Cast::new(reuse);
        let disturbers = self.enter_tracked(&mut cast)?;
        let mut open: VecDeque<Acted> = disturbers.into();
        // Bounded, because each has a history with others in it.
        let mut left = DISTURBERS;
        while let Some(acted) = open.pop_front() {
            left = left.checked_sub(1)?;
            let mut history = self.before(&acted)?;
            history.steps.push(acted.step);
            if deep {
                open.extend(history.disturbers.iter().copied());
            }
            self.enter(&mut cast, acted.thread, history, false)?;
        }
        Some(cast)
    }

    /// Lets the threads of the query take part; the steps of others that they saw.
    fn enter_tracked(&self, cast: &mut Cast) -> Option<Vec<Acted>> {
        let last = self.derivation.steps.len().checked_sub(1)?;
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
                    self.enter(cast, situation.threads[place].0, history, true)?;
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
                    *actor = self.enter(cast, meeting.threads[place].0, history, true)?;
                }
                cast.racing = Some((actors, meeting.conflict));
            }
            Origin::Initial | Origin::Exchange(_) | Origin::Leave(_) => return None,
        }
        Some(disturbers)
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

    /// The premise that speaks about a thread of a rule, and the thread's position in it: for a
    /// tracked thread the premise about the tracked threads, if there is one. None for a thread that no
    /// relation speaks about.
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
