//! The abstract system, explored from its initial states.
//!
//! For each shared state, the local states that threads may be in are collected, as the forward
//! pruning of the coverability search does; a step is asked about only where it may happen. Every
//! question is asked once. The result is a thread transition system: one shared state to begin
//! with, one for each combination of shared predicates, and one for all bad steps; the sink is a
//! local state.
//!
//! The paper computes the whole relation of a step first (equation 12) and closes it afterwards
//! (Definition 10). A relation has a row for each combination of truth values of two threads before
//! and after a step, most of which no execution meets, so here both are done together and for
//! reached states only: each move of the acting threads is asked for, then each passive thread along
//! with it; a passive thread that cannot go along goes to the sink. `dump` prints the relations
//! themselves, and a test compares the two.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use selvedge_certify::tts::{self, Initial, Local, Passive, Shared, State, Threads, Transition};
use selvedge_smt::Term;
use selvedge_system::{At, End, Step, TemplateId};
use selvedge_verdict::Stop;

use super::base::Abstraction;
use super::meetings::Meeting;
use super::question::Question;
use super::system::{AbstractSystem, Cause, LocalState, SharedState};
use super::threads::Looked;
use crate::watch::LOOKUP;

impl Abstraction {
    pub fn explore(&mut self) -> Result<AbstractSystem, Stop> {
        let mut explorer = Explorer::new(self);
        explorer.begin()?;
        explorer.fixpoint()?;
        Ok(explorer.finish())
    }
}

const BEGINNING: u32 = 0;
const WRONG: u32 = 1;
const SINK: u32 = 0;

type StepId = (TemplateId, usize);

/// Who acts, from which shared state, and what they become.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Move {
    step: StepId,
    shared: [u32; 2],
    actors: [Vec<u32>; 2],
}

/// The shared state and the acting threads behind a step.
type Successor = (u32, Vec<u32>);

/// The truth values that a passive thread can have behind a move.
type Valuations = Rc<Vec<Vec<bool>>>;

struct Explorer<'a> {
    abstraction: &'a mut Abstraction,
    steps: Vec<(StepId, Rc<Step>)>,
    shared: IndexSet<SharedState>,
    locals: IndexSet<LocalState>,
    /// For each shared state the local states that threads may be in.
    reach: Vec<BTreeSet<u32>>,
    beginnings: Vec<(u32, Vec<(Local, Local)>)>,
    moves: BTreeMap<Move, BTreeMap<u32, Vec<u32>>>,
    successors: FxHashMap<(StepId, u32, Vec<u32>), Rc<Vec<Successor>>>,
    questions: FxHashMap<(StepId, Option<Class>), Question>,
    /// Passive threads of one class with the same truth values do the same.
    valuations: FxHashMap<(Move, Rc<Class>, Vec<bool>), Valuations>,
    classes: FxHashMap<(TemplateId, At), Rc<Class>>,
    changed: bool,
}

/// Passive threads that no predicate tells apart: the template, the predicates that concern them,
/// the locals with a value that predicates mention; and where they stand, if numbers of threads are
/// looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Class {
    template: TemplateId,
    at: Option<At>,
    concerning: Vec<usize>,
    known: Vec<(u32, bool)>,
}

impl<'a> Explorer<'a> {
    fn new(abstraction: &'a mut Abstraction) -> Explorer<'a> {
        let mut steps = Vec::new();
        for (index, template) in abstraction.system.templates.iter().enumerate() {
            let id = TemplateId(index as u32);
            let own = template.steps.iter().enumerate();
            steps.extend(own.map(|(number, step)| ((id, number), Rc::new(step.clone()))));
        }
        steps.extend(abstraction.meeting_steps());
        Explorer {
            abstraction,
            steps,
            shared: IndexSet::from([SharedState::Beginning, SharedState::Wrong]),
            locals: IndexSet::from([LocalState::Sink]),
            reach: vec![BTreeSet::new(); 2],
            beginnings: Vec::new(),
            moves: BTreeMap::new(),
            successors: FxHashMap::default(),
            questions: FxHashMap::default(),
            valuations: FxHashMap::default(),
            classes: FxHashMap::default(),
            changed: true,
        }
    }

    fn shared_state(&mut self, holds: Vec<bool>) -> u32 {
        let (index, new) = self.shared.insert_full(SharedState::Holds(holds));
        if new {
            self.reach.push(BTreeSet::new());
        }
        index as u32
    }

    fn local_state(&mut self, template: TemplateId, at: At, holds: Vec<bool>) -> u32 {
        self.locals.insert_full(LocalState::At { template, at, holds }).0 as u32
    }

    fn reached(&mut self, shared: u32, local: u32) {
        self.changed |= self.reach[shared as usize].insert(local);
    }

    /// The initial states: each template's threads, at each initial shared state, are as the
    /// solver says one of them can be.
    fn begin(&mut self) -> Result<(), Stop> {
        let mut per_shared: BTreeMap<u32, Vec<(Local, Local)>> = BTreeMap::new();
        for index in 0..self.abstraction.system.templates.len() as u32 {
            let template = TemplateId(index);
            let waiting = self.locals.insert_full(LocalState::Waiting(template)).0 as u32;
            let at = self.abstraction.first(template);
            let mut question = self.abstraction.initial_question(template);
            let shared = question.shared[0].clone();
            let thread = question.threads[0][0].clone();
            let free = [shared.as_slice(), thread.as_slice()].concat();
            for values in question.solutions(self.abstraction, &[], &free)? {
                let (first, second) = values.split_at(shared.len());
                let to = self.shared_state(first.to_vec());
                let local = self.local_state(template, at, second.to_vec());
                self.reached(to, local);
                per_shared.entry(to).or_default().push((Local(waiting), Local(local)));
            }
        }
        self.beginnings = per_shared.into_iter().collect();
        Ok(())
    }

    fn fixpoint(&mut self) -> Result<(), Stop> {
        while std::mem::take(&mut self.changed) {
            for shared in (WRONG + 1)..self.shared.len() as u32 {
                for at in 0..self.steps.len() {
                    let (id, step) = self.steps[at].clone();
                    self.abstraction.watch.check()?;
                    for actors in self.choices(shared, id, &step) {
                        self.act(id, &step, shared, &actors)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The threads that act.
    fn actors(&self, id: StepId, step: &Step) -> Vec<Looked> {
        let mut actors = self.abstraction.actors(id.0, step);
        actors.extend(self.abstraction.meeting(id.0, id.1).map(Meeting::other));
        actors
    }

    /// All ways of choosing the acting threads among those that may be there.
    fn choices(&self, shared: u32, id: StepId, step: &Step) -> Vec<Vec<u32>> {
        let mut choices: Vec<Vec<u32>> = vec![Vec::new()];
        for actor in self.actors(id, step) {
            let there = self.reach[shared as usize].iter().copied().filter(|&local| {
                matches!(&self.locals[local as usize], LocalState::At { template, at, .. }
                    if *template == actor.template && *at == actor.before)
            });
            let there: Vec<u32> = there.collect();
            choices = choices
                .iter()
                .flat_map(|chosen| {
                    there.iter().map(move |&local| {
                        let mut longer = chosen.clone();
                        longer.push(local);
                        longer
                    })
                })
                .collect();
        }
        choices
    }

    fn act(
        &mut self,
        id: StepId,
        step: &Rc<Step>,
        shared: u32,
        actors: &[u32],
    ) -> Result<(), Stop> {
        self.abstraction.watch.spend(LOOKUP);
        let successors = self.successors(id, step, shared, actors)?;
        for (after, becomes) in successors.iter() {
            let taken = Move {
                step: id,
                shared: [shared, *after],
                actors: [actors.to_vec(), becomes.clone()],
            };
            if *after == WRONG {
                self.moves.entry(taken).or_default();
                continue;
            }
            for &local in becomes {
                self.reached(*after, local);
            }
            let known = self.moves.get(&taken);
            let new = |local: &u32| !known.is_some_and(|moves| moves.contains_key(local));
            let there = self.reach[shared as usize].iter().copied();
            self.abstraction.watch.spend(LOOKUP * self.reach[shared as usize].len() as u64);
            for passive in there.filter(new).collect::<Vec<u32>>() {
                self.abstraction.watch.check()?;
                let targets = self.passive(&taken, step, passive)?;
                for &target in targets.iter().filter(|target| **target != SINK) {
                    self.reached(*after, target);
                }
                self.moves.entry(taken.clone()).or_default().insert(passive, targets);
            }
        }
        Ok(())
    }

    /// What the acting threads can do: the existential abstraction of the step (equation 7), as far
    /// as it concerns them.
    fn successors(
        &mut self,
        id: StepId,
        step: &Rc<Step>,
        shared: u32,
        actors: &[u32],
    ) -> Result<Rc<Vec<Successor>>, Stop> {
        let key = (id, shared, actors.to_vec());
        if let Some(known) = self.successors.get(&key) {
            return Ok(known.clone());
        }
        let mut question = self.take_question(id, step, None);
        let fixed = self.fixed(&question, 0, shared, actors);
        let mut free: Vec<Term> = Vec::new();
        let bad = matches!(step.end, End::Bad(_));
        if !bad {
            free.extend(&question.shared[1]);
            free.extend(question.threads.iter().flat_map(|bits| &bits[1]));
        }
        let solutions = question.solutions(self.abstraction, &fixed, &free);
        let sizes: Vec<usize> = question.threads.iter().map(|bits| bits[1].len()).collect();
        let shared_size = question.shared[1].len();
        self.questions.insert((id, None), question);
        let places = self.actors(id, step);
        let mut found: Vec<Successor> = Vec::new();
        for values in solutions? {
            if bad {
                found.push((WRONG, Vec::new()));
                continue;
            }
            let (first, mut rest) = values.split_at(shared_size);
            let after = self.shared_state(first.to_vec());
            let mut becomes = Vec::new();
            for (actor, size) in places.iter().zip(&sizes) {
                let (own, others) = rest.split_at(*size);
                rest = others;
                becomes.push(self.local_state(actor.template, actor.after, own.to_vec()));
            }
            found.push((after, becomes));
        }
        let found = Rc::new(found);
        self.successors.insert(key, found.clone());
        Ok(found)
    }

    /// Questions keep their solver's state, so each is made once.
    fn take_question(&mut self, id: StepId, step: &Step, class: Option<(&Class, At)>) -> Question {
        let key = (id, class.map(|(class, _)| class.clone()));
        match self.questions.remove(&key) {
            Some(question) => question,
            None => {
                let passive: Vec<(TemplateId, At)> =
                    class.iter().map(|(class, at)| (class.template, *at)).collect();
                let actors = self.actors(id, step);
                self.abstraction.question(&actors, step, &passive, None)
            }
        }
    }

    /// The truth values that are known at a moment.
    fn fixed(
        &self,
        question: &Question,
        moment: usize,
        shared: u32,
        actors: &[u32],
    ) -> Vec<(Term, bool)> {
        let mut fixed = Vec::new();
        if let SharedState::Holds(holds) = &self.shared[shared as usize] {
            fixed.extend(question.shared[moment].iter().copied().zip(holds.iter().copied()));
        }
        for (bits, &local) in question.threads.iter().zip(actors) {
            if let LocalState::At { holds, .. } = &self.locals[local as usize] {
                fixed.extend(bits[moment].iter().copied().zip(holds.iter().copied()));
            }
        }
        fixed
    }

    fn known_class(&mut self, template: TemplateId, at: At) -> Rc<Class> {
        if let Some(known) = self.classes.get(&(template, at)) {
            return known.clone();
        }
        let class = Rc::new(self.class(template, at));
        self.classes.insert((template, at), class.clone());
        class
    }

    fn class(&self, template: TemplateId, at: At) -> Class {
        let of = &self.abstraction.system.templates[template.0 as usize];
        let locals = 0..of.locals.len() as u32;
        let locals = locals.flat_map(|local| [(local, false), (local, true)]);
        let known = locals.filter(|&(local, lasting)| {
            self.abstraction.mentions(template, local, lasting)
                && self.abstraction.vocabulary.knows(template, at, local, lasting)
        });
        let concerning = self.abstraction.concerning(template, at);
        let at = self.abstraction.counts.is_some().then_some(at);
        Class { template, at, concerning, known: known.collect() }
    }

    /// Where a passive thread can be after a move: the dual-reference template (equation 12) of
    /// that move, monotonically closed (Definition 10).
    fn passive(&mut self, taken: &Move, step: &Rc<Step>, passive: u32) -> Result<Vec<u32>, Stop> {
        let LocalState::At { template, at, holds } = self.locals[passive as usize].clone() else {
            return Ok(vec![passive]);
        };
        // There is no second thread of an instance.
        let acts = taken.actors[0].iter().any(|&actor| {
            matches!(&self.locals[actor as usize], LocalState::At { template: other, .. }
                if *other == template)
        });
        if acts && !self.abstraction.system.templates[template.0 as usize].pool {
            return Ok(vec![passive]);
        }
        let class = self.known_class(template, at);
        if class.concerning.is_empty() && class.known.is_empty() && class.at.is_none() {
            return Ok(vec![passive]);
        }
        let key = (taken.clone(), class.clone(), holds.clone());
        let valuations = match self.valuations.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = Rc::new(self.ask_passive(taken, step, &class, at, &holds)?);
                self.valuations.insert(key, found.clone());
                found
            }
        };
        let mut targets: Vec<u32> =
            valuations.iter().map(|holds| self.local_state(template, at, holds.clone())).collect();
        if targets.is_empty() {
            targets.push(SINK);
        }
        targets.sort_unstable();
        Ok(targets)
    }

    fn ask_passive(
        &mut self,
        taken: &Move,
        step: &Rc<Step>,
        class: &Class,
        at: At,
        holds: &[bool],
    ) -> Result<Vec<Vec<bool>>, Stop> {
        let mut question = self.take_question(taken.step, step, Some((class, at)));
        let mut fixed = self.fixed(&question, 0, taken.shared[0], &taken.actors[0]);
        fixed.extend(self.fixed(&question, 1, taken.shared[1], &taken.actors[1]));
        let mut free = Vec::new();
        if let Some(bits) = question.threads.last() {
            fixed.extend(bits[0].iter().copied().zip(holds.iter().copied()));
            free.extend(&bits[1]);
            // The other parts are satisfiable, because the acting threads do move; unless what is
            // known of numbers of threads depends on where this thread stands.
            if class.at.is_none() {
                fixed = question.about(&[bits[0].as_slice(), &bits[1]].concat(), fixed);
            }
        }
        let found = question.solutions(self.abstraction, &fixed, &free);
        self.questions.insert((taken.step, Some(class.clone())), question);
        Ok(found?.into_iter().collect())
    }

    fn finish(self) -> AbstractSystem {
        let mut transitions = Vec::new();
        let mut causes = Vec::new();
        for (to, moves) in &self.beginnings {
            let passive = Passive::new(moves.clone());
            transitions.push(transition(BEGINNING, *to, &[], &[], passive));
            causes.push(Cause::Beginning);
        }
        for (taken, passive) in &self.moves {
            let pairs = passive.iter().flat_map(|(&from, targets)| {
                targets.iter().map(move |&to| (Local(from), Local(to)))
            });
            let passive = Passive::new(pairs.collect());
            let Move { step: (template, step), shared: [from, to], actors: [before, after] } =
                taken;
            transitions.push(transition(*from, *to, before, after, passive));
            let actors = [before, after].map(|list| list.iter().copied().map(Local).collect());
            causes.push(Cause::Step { template: *template, step: *step, actors });
        }
        let system = tts::System {
            shared: self.shared.len() as u32,
            locals: self.locals.len() as u32,
            transitions,
        };
        let (mut bounded, mut unbounded) = (Vec::new(), Vec::new());
        for (index, state) in self.locals.iter().enumerate() {
            if let LocalState::Waiting(template) = state {
                let pool = self.abstraction.system.templates[template.0 as usize].pool;
                let list = if pool { &mut unbounded } else { &mut bounded };
                list.push(Local(index as u32));
            }
        }
        let initial = Initial {
            shared: Shared(BEGINNING),
            bounded: bounded.into_iter().collect(),
            unbounded,
        };
        let target = State { shared: Shared(WRONG), threads: Threads::default() };
        AbstractSystem {
            system,
            initial,
            target,
            shared: self.shared.into_iter().collect(),
            locals: self.locals.into_iter().collect(),
            causes,
        }
    }
}

fn transition(from: u32, to: u32, takes: &[u32], gives: &[u32], passive: Passive) -> Transition {
    let threads = |list: &[u32]| list.iter().copied().map(Local).collect();
    Transition {
        from: Shared(from),
        to: Shared(to),
        takes: threads(takes),
        gives: threads(gives),
        passive,
        line: 0,
    }
}
