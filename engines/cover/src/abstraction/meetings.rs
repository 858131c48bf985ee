//! Data races: two threads that meet before accesses to the same memory.
//!
//! A race is a bad step of two threads. It takes both out of their local states and leads nowhere, so
//! that whether one can happen is the same question as for other bad steps.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use selvedge_clauses::Conflict;
use selvedge_clauses::races::own_inputs;
use selvedge_ir::Property;
use selvedge_smt::Term;
use selvedge_system::concretize::{Name, Point};
use selvedge_system::{Access, Bad, End, Step, System, TemplateId, overlap};

use super::thread::Thread;
use super::threads::Looked;
use crate::predicate::Vocabulary;

/// Two threads before accesses that race.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// The step of the first one. What it says of the other thread is over the variables of a thread
    /// with the number 1.
    pub step: Rc<Step>,
    accesses: [Access; 2],
    templates: [TemplateId; 2],
}

impl Meeting {
    /// All meetings that are not impossible at a glance, each kind once.
    pub fn all(system: &mut System, vocabulary: &Vocabulary) -> Vec<Meeting> {
        let absurd = system.terms.bool(false);
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        for conflict in Conflict::all(system) {
            let meeting = Meeting::of(system, vocabulary, conflict);
            let Step { from, guard, .. } = *meeting.step;
            let key = (meeting.templates, from, meeting.accesses[1].at, guard);
            if guard != absurd && seen.insert(key) {
                found.push(meeting);
            }
        }
        found
    }

    fn of(system: &mut System, vocabulary: &Vocabulary, conflict: Conflict) -> Meeting {
        let both = [conflict.first, conflict.second];
        let accesses = both.map(|(of, access)| system.templates[of].accesses[access].clone());
        let templates = both.map(|(of, _)| TemplateId(of as u32));
        let other = Thread::another(system, vocabulary, templates[1], accesses[1].at, 1);
        let guard = formula(system, &accesses, |system, who, term| match who {
            0 => term,
            _ => other.say(system, term),
        });
        let (from, span) = (accesses[0].at, accesses[0].span);
        let message = "data race".into();
        let step = Step {
            from,
            end: End::Bad(Bad::Wrong { property: Property::Race, message, span }),
            guard,
            inputs: Vec::new(),
            shared: Vec::new(),
            locals: Vec::new(),
            spawns: Vec::new(),
            joins: Vec::new(),
            result: None,
            edges: Vec::new(),
            span,
        };
        Meeting { step: Rc::new(step), accesses, templates }
    }

    /// The template whose step it is.
    pub fn first(&self) -> TemplateId {
        self.templates[0]
    }

    /// The other thread, which stays where it is.
    pub fn other(&self) -> Looked {
        let at = self.accesses[1].at;
        Looked { template: self.templates[1], before: at, after: at }
    }

    /// That both accesses of these threads can come next.
    pub fn happens(&self, system: &mut System, point: &Point, names: [Name; 2]) -> Term {
        let stands = |(name, access): (&Name, &Access)| {
            point.threads.get(name).is_some_and(|stand| stand.at == access.at)
        };
        if !names.iter().zip(&self.accesses).all(stands) {
            return system.terms.bool(false);
        }
        formula(system, &self.accesses, |system, who, term| point.formula(system, names[who], term))
    }
}

/// That both accesses can happen, and to the same memory; `say` says a formula of one of the threads.
fn formula(
    system: &mut System,
    accesses: &[Access; 2],
    mut say: impl FnMut(&mut System, usize, Term) -> Term,
) -> Term {
    let locals = system.templates.iter().flat_map(|template| &template.locals);
    let state: FxHashSet<Term> = system.shared.iter().chain(locals).map(|var| var.term).collect();
    let mut guards = Vec::new();
    let mut addresses = Vec::new();
    for (who, access) in accesses.iter().enumerate() {
        let mut parts = access.address.terms().to_vec();
        parts.push(access.guard);
        if who == 1 {
            let inputs =
                own_inputs(&mut system.terms, &|variable| state.contains(&variable), &parts);
            parts.iter_mut().for_each(|part| *part = system.terms.substitute(*part, &inputs));
        }
        let mut said: Vec<Term> = parts.into_iter().map(|part| say(system, who, part)).collect();
        guards.extend(said.pop());
        addresses.push(said);
    }
    let own = (addresses[0].as_slice(), accesses[0].bytes);
    let other = (addresses[1].as_slice(), accesses[1].bytes);
    guards.push(overlap(&mut system.terms, own, other));
    system.terms.and(&guards)
}
