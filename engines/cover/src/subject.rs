//! The program that is verified: how it is prepared, and which system of threads it becomes.
//!
//! The system is built anew when an operation turns out to wrap around, and when many rounds were not
//! enough and variables are found that count threads.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use selvedge_certify::Certificate;
use selvedge_clauses::Counts;
use selvedge_clauses::promoted::Promoted;
use selvedge_ir::{EdgeId, ProcId, Program};
use selvedge_smt::Limits;
use selvedge_smt::translate::Wrap;
use selvedge_system::{System, Variable, What};
use selvedge_verdict::{Options, Run, Stop};

use crate::abstraction::{Abstraction, Meeting};
use crate::goals::Goal;
use crate::options::{GivenPredicate, NAME, Own};
use crate::predicate::{Unreadable, parse};
use crate::refine::asserted;
use crate::watch::Watch;

/// Spurious runs before the engine looks for variables that count threads.
const PATIENCE: usize = 8;

/// The time for each question about numbers of threads, by the clock of the run.
const COUNTING: Duration = Duration::from_secs(2);

/// Refutations of a wrapping operation before it is taken to wrap around.
const MOST_WRAPS: usize = 4;

/// An operation of the program: the edge of a procedure.
pub type Operation = (ProcId, EdgeId);

pub struct Subject<'a> {
    pub promoted: Promoted<'a>,
    pub options: &'a Options<Own>,
    /// Operations at which integers wrap around.
    modular: BTreeSet<Operation>,
    /// How often it was refuted that they do.
    refuted_wraps: BTreeMap<Operation, usize>,
    /// Whether numbers of threads are looked at.
    counting: bool,
    /// Runs that were refuted so far.
    spurious: usize,
}

impl<'a> Subject<'a> {
    pub fn new(
        program: &'a Program,
        options: &'a Options<Own>,
        run: &Run<'_>,
    ) -> Result<Subject<'a>, Stop> {
        Ok(Subject {
            promoted: Promoted::new(program, options, run)?,
            options,
            modular: BTreeSet::new(),
            refuted_wraps: BTreeMap::new(),
            counting: false,
            spurious: 0,
        })
    }

    /// A certificate about the program that says nothing yet.
    pub fn certificate(&self) -> Certificate {
        self.promoted.certificate(NAME)
    }

    /// The threads and what they do, as terms.
    pub fn system(&self) -> Result<System, Stop> {
        self.promoted.system(Wrap::Obliged, self.modular.clone())
    }

    /// The system with the bad steps of a goal, seen through the given predicates and what the
    /// assertions say.
    pub fn abstraction(&self, goal: &Goal, run: &Run<'_>) -> Result<Abstraction, Stop> {
        let watch = Watch::new(run, self.options.queries.as_ref());
        let mut abstraction = Abstraction::new(goal.alone(self.system()?), watch);
        self.mark_temporaries(&mut abstraction);
        let Abstraction { system, vocabulary, meetings, .. } = &mut abstraction;
        *meetings = Meeting::all(system, vocabulary);
        if self.counting {
            abstraction.counts = counts(&mut abstraction).map(Rc::new);
            let known = abstraction.counts.as_ref().map(|counts| counts.to_string());
            abstraction.notes.extend(known);
        }
        for given in &self.options.own.predicates {
            self.add_given(&mut abstraction, given)?;
        }
        let asserted = asserted(&mut abstraction);
        abstraction.add(asserted);
        Ok(abstraction)
    }

    /// Temporaries of the front end are no variables of the source.
    fn mark_temporaries(&self, abstraction: &mut Abstraction) {
        let Abstraction { system, vocabulary, .. } = abstraction;
        for (id, template) in system.numbered() {
            let procedure = &self.promoted.prepared.program.procedures[template.procedure];
            let temporary = |local: &Variable| match local.what {
                What::Local { local, .. } => !procedure.locals[local].named,
                _ => false,
            };
            let all = template.locals.iter().enumerate();
            let found = all.filter(|(_, local)| temporary(local)).map(|(at, _)| at as u32);
            vocabulary.mark_temporary(id, found.collect());
        }
    }

    fn add_given(&self, abstraction: &mut Abstraction, given: &GivenPredicate) -> Result<(), Stop> {
        let Abstraction { system, vocabulary, predicates, .. } = abstraction;
        match parse(system, vocabulary, &given.text) {
            Ok(readings) => predicates.extend(readings),
            // Of variables that the preparation has removed there is nothing to say.
            Err(unreadable) if self.had(&unreadable) => {}
            Err(unreadable) => {
                let message = unreadable.to_string();
                return Err(Stop::Annotation { message, span: given.span });
            }
        }
        Ok(())
    }

    /// Whether what is missing is a variable of the program as it was written.
    fn had(&self, unreadable: &Unreadable) -> bool {
        let Unreadable::Unknown { name, local } = unreadable else { return false };
        let procedures = self.promoted.program.procedures.values();
        let mut locals = procedures.flat_map(|procedure| procedure.locals.values());
        let mut objects = self.promoted.program.objects.values();
        locals.any(|local| local.name == *name)
            || (!local && objects.any(|object| object.name == *name))
    }

    /// Takes the operation to wrap around from now on; whether that is new.
    pub fn wraps(&mut self, operation: Operation) -> bool {
        self.modular.insert(operation)
    }

    /// Whether the operation is taken to wrap around from now on: runs to it have been refuted so
    /// often that it is better taken for one that does. A counter without bound wraps after so many
    /// steps that each refutation only moves it away by one.
    pub fn wraps_in_the_end(&mut self, operation: Operation) -> bool {
        let times = self.refuted_wraps.entry(operation).or_default();
        *times += 1;
        *times > MOST_WRAPS && self.modular.insert(operation)
    }

    /// Whether numbers of threads are looked at from now on, after a spurious run: where a variable
    /// counts threads, ever more predicates about single numbers would be found.
    pub fn begins_to_count(&mut self, abstraction: &mut Abstraction) -> bool {
        self.spurious += 1;
        if self.counting || self.spurious < PATIENCE {
            return false;
        }
        self.counting = true;
        counts(abstraction).is_some()
    }
}

/// What variables say about numbers of threads.
fn counts(abstraction: &mut Abstraction) -> Option<Counts> {
    let limits = Limits { time: Some(COUNTING), ..abstraction.watch.limits().clone() };
    Counts::of(&mut abstraction.system, &limits)
}
