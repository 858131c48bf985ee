//! The loop: abstract, cover, concretise, refine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use selvedge_certify::Certificate;
use selvedge_exec::{Stop, Trace};
use selvedge_ir::{EdgeId, ProcId, Program, Property};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::Limits;
use selvedge_smt::translate::{Arithmetic, Wrap};

use super::abstraction::{Abstract, Abstraction, Stage};
use super::coverability::{self, Answer, Effort};
use super::evidence;
use super::predicate::{Predicate, Unreadable, parse};
use super::refine::{Atoms, Story};
use super::{proof, refine};
use selvedge_clauses::Counts;
use selvedge_system::concretize::{self, Found, Run};
use selvedge_system::{self, Bad, System, Variable, What};

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    pub time: Option<Duration>,
    pub memory: Option<u64>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Take integers as unbounded.
    pub math: bool,
    /// Predicates to begin with, as text.
    pub predicates: Vec<String>,
    /// Whether the atoms of a solution of Horn clauses are candidates.
    pub atoms: bool,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            time: None,
            memory: None,
            reduce: true,
            math: false,
            predicates: Vec::new(),
            atoms: true,
        }
    }
}

/// Rounds before it is looked for what variables say about numbers of threads.
const PATIENCE: usize = 8;

/// The time for each question about numbers of threads.
const COUNTING: Duration = Duration::from_secs(2);

/// Refutations of a wrapping operation before it is taken to wrap around.
const MOST_WRAPS: usize = 4;

/// What was found out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A proof, if `certify` accepts it.
    Proved(Box<Certificate>),
    Unsafe(Box<Trace>),
}

/// Why there is no outcome.
#[derive(Clone, Debug)]
pub enum Failure {
    Stop(Stop),
    /// A given predicate is not understood: which, and why.
    Predicate {
        index: usize,
        message: String,
    },
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

/// One round of the loop.
#[derive(Clone, Debug)]
pub struct Round {
    /// Where predicates and facts come from that are new.
    pub notes: Vec<String>,
    pub predicates: Vec<String>,
    pub shared: usize,
    pub locals: usize,
    pub transitions: usize,
    pub checks: u64,
    pub effort: Effort,
    pub result: String,
    pub time: Duration,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        write!(
            f,
            "{} predicates, {} shared and {} local states, {} transitions, {} questions, {} \
             elements: {} ({:.2} s)",
            self.predicates.len(),
            self.shared,
            self.locals,
            self.transitions,
            self.checks,
            self.effort.elements,
            self.result,
            self.time.as_secs_f64()
        )
    }
}

/// Looks for a proof for any number of threads, or an execution that goes wrong.
pub fn verify(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Round),
) -> Result<Outcome, Failure> {
    for property in [Property::Race, Property::Deadlock] {
        if options.properties.contains(&property) {
            let what = format!("cover does not check `{}`", property.name());
            return Err(Stop::Bound { what }.into());
        }
    }
    let mut engine = Engine::new(program, options);
    loop {
        let mut abstraction = engine.abstraction()?;
        match engine.rounds(&mut abstraction, progress) {
            Ok(Some(outcome)) => return Ok(outcome),
            Ok(None) => {}
            // Parts of the work got what was left of the time.
            Err(Failure::Stop(Stop::Time { limit })) => {
                let limit = options.time.unwrap_or(limit);
                return Err(Stop::Time { limit }.into());
            }
            Err(failure) => return Err(failure),
        }
    }
}

/// A stage of the abstraction with the given predicates, as text.
pub fn stage(program: &Program, options: &Options, stage: Stage) -> Result<String, Failure> {
    let mut engine = Engine::new(program, options);
    let mut abstraction = engine.abstraction()?;
    Ok(abstraction.stage(stage)?)
}

struct Engine<'a> {
    program: &'a Program,
    options: &'a Options,
    passes: selvedge_passes::Options,
    prepared: Prepared,
    /// Edges at which integers wrap around.
    modular: BTreeSet<(ProcId, EdgeId)>,
    /// How often it was refuted that they do.
    wraps: BTreeMap<(ProcId, EdgeId), usize>,
    /// Whether numbers of threads are looked at, and for how many rounds they were not.
    counting: bool,
    rounds: usize,
    start: Instant,
}

impl<'a> Engine<'a> {
    fn new(program: &'a Program, options: &'a Options) -> Engine<'a> {
        let passes = selvedge_passes::Options {
            properties: options.properties.clone(),
            reduce: options.reduce,
            promote: true,
            ..selvedge_passes::Options::default()
        };
        let start = Instant::now();
        let prepared = prepare(program, &passes);
        Engine {
            program,
            options,
            passes,
            prepared,
            modular: BTreeSet::new(),
            wraps: BTreeMap::new(),
            counting: false,
            rounds: 0,
            start,
        }
    }

    /// The program prepared so that it has all visible actions, with the same edges.
    fn visible(&self) -> Prepared {
        prepare(self.program, &selvedge_passes::Options { promote: false, ..self.passes.clone() })
    }

    fn remaining(&self) -> Option<Duration> {
        self.options.time.map(|time| time.saturating_sub(self.start.elapsed()))
    }

    fn limits(&self) -> Limits {
        let deadline = self.options.time.and_then(|time| self.start.checked_add(time));
        deadline.map_or_else(Limits::none, Limits::until)
    }

    /// The system, seen through the given predicates and what the assertions say.
    fn abstraction(&mut self) -> Result<Abstraction, Failure> {
        let arithmetic = match self.options.math {
            true => Arithmetic::Math,
            false => Arithmetic::Integers(Wrap::Obliged),
        };
        let options = system::Options {
            arithmetic,
            modular: self.modular.clone(),
            ..system::Options::new(&self.options.properties)
        };
        let system = System::build(&self.prepared, &options)?;
        let mut abstraction = Abstraction::new(system, self.remaining());
        if !self.options.atoms {
            abstraction.atoms = Atoms::none();
        }
        self.mark_temporaries(&mut abstraction);
        if self.counting {
            let limits = Limits { time: Some(COUNTING), ..self.limits() };
            abstraction.counts = Counts::of(&mut abstraction.system, &limits).map(Rc::new);
            let known = abstraction.counts.as_ref().map(|counts| counts.to_string());
            abstraction.notes.extend(known);
        }
        for (index, text) in self.options.predicates.iter().enumerate() {
            let Abstraction { system, vocabulary, .. } = &mut abstraction;
            match parse(system, vocabulary, text) {
                Ok(read) => abstraction.predicates.extend(read),
                // Of variables that the preparation has removed there is nothing to say.
                Err(unreadable) if self.had(&unreadable) => {}
                Err(unreadable) => {
                    let message = unreadable.to_string();
                    return Err(Failure::Predicate { index, message });
                }
            }
        }
        let asserted = refine::asserted(&mut abstraction);
        add(&mut abstraction, asserted);
        Ok(abstraction)
    }

    fn mark_temporaries(&self, abstraction: &mut Abstraction) {
        let Abstraction { system, vocabulary, .. } = abstraction;
        for (id, template) in system.numbered() {
            let procedure = &self.prepared.program.procedures[template.procedure];
            let temporary = |local: &Variable| match local.what {
                What::Local { local, .. } => !procedure.locals[local].named,
                _ => false,
            };
            let all = template.locals.iter().enumerate();
            let found = all.filter(|(_, local)| temporary(local)).map(|(at, _)| at as u32);
            vocabulary.mark_temporary(id, found.collect());
        }
    }

    /// Whether what is missing is a variable of the program as it was written.
    fn had(&self, unreadable: &Unreadable) -> bool {
        let Unreadable::Unknown { name, local } = unreadable else { return false };
        let procedures = self.program.procedures.values();
        let mut locals = procedures.flat_map(|procedure| procedure.locals.values());
        let mut objects = self.program.objects.values();
        locals.any(|local| local.name == *name)
            || (!local && objects.any(|object| object.name == *name))
    }

    /// Refines until there is an outcome; none if the system has to be built anew.
    fn rounds(
        &mut self,
        abstraction: &mut Abstraction,
        progress: &mut dyn FnMut(&Round),
    ) -> Result<Option<Outcome>, Failure> {
        loop {
            let begun = Instant::now();
            let mut found = abstraction.explore()?;
            let mut effort = Effort::default();
            let answer = self.cover(abstraction, &mut found, &mut effort)?;
            let notes = std::mem::take(&mut abstraction.notes);
            let mut tell = |result: String| {
                progress(&Round {
                    notes: notes.clone(),
                    predicates: abstraction.predicates.iter().map(|p| p.text.clone()).collect(),
                    shared: found.shared.len(),
                    locals: found.locals.len(),
                    transitions: found.system.transitions.len(),
                    checks: abstraction.checks,
                    effort,
                    result,
                    time: begun.elapsed(),
                });
            };
            match answer {
                Answer::NotCovered(basis) => {
                    tell(format!("not covered, basis of {}", basis.elements.len()));
                    return Ok(Some(self.proof(abstraction, &found, &basis)));
                }
                Answer::Covered(run) => {
                    tell(format!("covered in {} steps", run.steps.len()));
                    match self.judge(abstraction, &found, &run)? {
                        Judged::Outcome(outcome) => return Ok(Some(outcome)),
                        Judged::Anew => return Ok(None),
                        Judged::Refined => {}
                    }
                }
            }
        }
    }

    /// Whether something bad is covered. A failure is what one wants to know of: that an operation
    /// might wrap around, or might be undefined, is looked at when nothing can fail any more. `found`
    /// becomes the system that the answer is about.
    fn cover(
        &self,
        abstraction: &Abstraction,
        found: &mut Abstract,
        effort: &mut Effort,
    ) -> Result<Answer, Stop> {
        let ask = |found: &Abstract, effort: &mut Effort| {
            let limits =
                coverability::Limits { time: self.remaining(), memory: self.options.memory };
            let Abstract { system, initial, target, .. } = found;
            coverability::cover(system, initial, target, &limits, effort)
        };
        if let Some(failures) = found.failures_only(abstraction)
            && let covered @ Answer::Covered(_) = ask(&failures, effort)?
        {
            *found = failures;
            return Ok(covered);
        }
        ask(found, effort)
    }

    fn proof(
        &self,
        abstraction: &mut Abstraction,
        found: &Abstract,
        basis: &evidence::Basis,
    ) -> Outcome {
        let arithmetic = match self.options.math {
            true => selvedge_certify::Arithmetic::Math,
            false => selvedge_certify::Arithmetic::Integers,
        };
        let empty = Certificate::new("cover", self.program, &self.passes, arithmetic);
        let certificate = proof::certify(abstraction, found, basis, empty);
        Outcome::Proved(Box::new(certificate))
    }

    /// Whether a run of the abstraction is one of the program; if not, adds predicates against it.
    fn judge(
        &mut self,
        abstraction: &mut Abstraction,
        found: &Abstract,
        run: &evidence::Run,
    ) -> Result<Judged, Failure> {
        let defect = || Stop::Unconfirmed { what: "the abstract run has no threads".into() };
        let story = refine::story(found, run).ok_or_else(defect)?;
        let last = run.steps.last().ok_or_else(defect)?;
        let bad = found.bad(last.transition as usize, abstraction).cloned().ok_or_else(defect)?;
        let mut concrete = Run::new(&mut abstraction.system, &story.threads);
        for step in &story.moves {
            concrete.add(&mut abstraction.system, step.clone());
        }
        let limits = self.limits();
        match concretize::check(&abstraction.system, &concrete, &limits) {
            Found::Possible(model) => {
                let procedure = last_procedure(abstraction, &story);
                self.happened(abstraction, &concrete, &model, bad, procedure)
            }
            Found::Unknown(reason) => Err(Stop::Bound { what: reason.to_string() }.into()),
            Found::Impossible(core) => {
                if self.keeps_wrapping(abstraction, &story, &bad) || self.counts(abstraction) {
                    return Ok(Judged::Anew);
                }
                let new = refine::refine(abstraction, &concrete, &story, &core, &limits);
                if new.is_empty() {
                    let what = "no predicates were found against a run that cannot happen";
                    return Err(self.out_of_time(what).into());
                }
                add(abstraction, new);
                Ok(Judged::Refined)
            }
        }
    }

    /// Whether runs to a wrapping operation have been refuted so often that it is better to take
    /// it for one that does wrap around: a counter without bound wraps after so many steps that each
    /// refutation only moves it away by one.
    fn keeps_wrapping(&mut self, abstraction: &Abstraction, story: &Story, bad: &Bad) -> bool {
        let Bad::Wrap { edge, .. } = bad else { return false };
        let Some(procedure) = last_procedure(abstraction, story) else { return false };
        let times = self.wraps.entry((procedure, *edge)).or_default();
        *times += 1;
        *times > MOST_WRAPS && self.modular.insert((procedure, *edge))
    }

    /// Whether it is time to begin anew with what variables say about numbers of threads: where one
    /// counts them, ever more predicates about single numbers would be found.
    fn counts(&mut self, abstraction: &mut Abstraction) -> bool {
        self.rounds += 1;
        if self.counting || self.rounds < PATIENCE {
            return false;
        }
        self.counting = true;
        let limits = Limits { time: Some(COUNTING), ..self.limits() };
        Counts::of(&mut abstraction.system, &limits).is_some()
    }

    fn out_of_time(&self, otherwise: &str) -> Stop {
        match self.options.time {
            Some(limit) if self.start.elapsed() >= limit => Stop::Time { limit },
            _ => Stop::Bound { what: otherwise.to_owned() },
        }
    }

    /// A bad step that can be reached.
    fn happened(
        &mut self,
        abstraction: &Abstraction,
        run: &Run,
        model: &selvedge_smt::Model,
        bad: Bad,
        procedure: Option<ProcId>,
    ) -> Result<Judged, Failure> {
        match bad {
            Bad::Wrong { .. } => {
                let options = selvedge_exec::Options::new(&self.options.properties);
                let system = &abstraction.system;
                let visible = self.visible();
                let trace = concretize::trace(self.program, &visible, &options, system, run, model);
                let trace = trace.map_err(|what| system.unconfirmed(what))?;
                Ok(Judged::Outcome(Outcome::Unsafe(Box::new(trace))))
            }
            Bad::Wrap { edge, span } => match procedure {
                Some(procedure) if self.modular.insert((procedure, edge)) => Ok(Judged::Anew),
                _ => {
                    let what = "an integer operation wraps around".into();
                    Err(Stop::Unsupported { what, span }.into())
                }
            },
            Bad::Undefined { what, span } => Err(Stop::Undefined { what, span }.into()),
            Bad::Unsupported { what, span } => Err(Stop::Unsupported { what, span }.into()),
        }
    }
}

/// The procedure of the thread that moves last.
fn last_procedure(abstraction: &Abstraction, story: &Story) -> Option<ProcId> {
    let last = story.moves.last()?;
    Some(abstraction.system.templates[last.thread.template.index()].procedure)
}

enum Judged {
    Outcome(Outcome),
    /// Predicates were added.
    Refined,
    /// The system has to be built anew.
    Anew,
}

fn add(abstraction: &mut Abstraction, new: Vec<Predicate>) {
    for predicate in new {
        if !abstraction.predicates.iter().any(|known| known.includes(&predicate)) {
            abstraction.predicates.retain(|known| !predicate.includes(known));
            abstraction.predicates.push(predicate);
        }
    }
}
