//! `contexts`: real bugs of programs with threads and a heap, within a bound on context switches.
//!
//! Lahiri, Qadeer, Rakamarić, "Static and Precise Detection of Concurrency Errors in Systems Code
//! Using SMT Solvers" (STORM). Every execution in which each thread runs in at most K contexts is an
//! execution of a sequential program ([`sequentialize`], §2.2 there), which the sequential back end
//! decides for a bound on loops. An execution that goes wrong is turned back into an interleaving and
//! replayed ([`interleave`]). The bounds grow, because most bugs need few contexts.
//!
//! Symbols: K contexts a thread; k the current context; G@i the content of region G in context i.
//!
//! Where we differ from the paper: threads are started and joined by the program (the paper has a
//! fixed number after an `Init`); an access selects among the copies without branches; scheduling
//! points stand only where reduction leaves an interleaving that matters ([`points`]); what threads
//! know of each other's start and end needs no copies. As there, a program is taken to be field-safe
//! (§2.1, [`selvedge_passes::fields`]); where that is more than a formality, the answer says so.
//!
//! UNSAFE is said only with a trace that has been replayed on the program as it was given. SAFE is
//! never said: the answer without a bug names the bounds that were covered.

mod attempt;
mod bypass;
mod code;
mod concretize;
mod deadlock;
mod detour;
mod flatten;
mod grow;
mod lives;
mod memory;
mod passes;
mod points;
mod race;
pub mod sequentialize;
mod sharing;
mod slice;
mod slots;
#[cfg(test)]
mod tests;
mod thread;
mod trial;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::time::{Duration, Instant};

use selvedge_exec::{Stop, Trace, Verdict};
use selvedge_ir::{Action, Place, Program, Property, Span};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::{Dump, Limits};

use concretize::Abstract;
use grow::Growth;
use passes::AnyPasses;
use selvedge_sequential::interleave::{Steps, interleave};
use selvedge_sequential::{self, Answer, Beyond, NotUsed, Path, SequentialProgram};
use sequentialize::{Plan, Sequentialized, sequentialize};
use slice::{Concrete, Fields, fields_of_assertions, refine};
use slots::Cut;

/// A loop whose rounds are counted with constants costs little more than straight code, so it may
/// go on longer than others, by this factor.
const COUNTED: u32 = 8;

/// What executions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Contexts of each thread.
    pub contexts: u32,
    /// How often a loop is passed, and how deep a procedure calls itself.
    pub unwind: u32,
    /// Threads that a spawn in a loop, or any number of initial threads, stands for.
    pub threads: u32,
}

impl Bounds {
    fn of_loops(self) -> sequential::Options {
        sequential::Options {
            counted: Some(COUNTED.saturating_mul(self.unwind).max(1)),
            ..sequential::Options::unwind(self.unwind)
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    /// Without a number, it grows; likewise `unwind` and `threads`.
    pub contexts: Option<u32>,
    pub unwind: Option<u32>,
    pub threads: Option<u32>,
    pub time: Option<Duration>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Where the solver's questions go as text.
    pub dump: Option<Dump>,
    /// Whether to find out which fields matter.
    pub slice: Slice,
    /// Fields to start with.
    pub track: Option<Vec<String>>,
    /// The share of the scheduling points that is kept, in percent: all of them, but where it is
    /// to be measured what they cost.
    pub points: u32,
    /// Bytes that the solver may use, for messages.
    pub memory: u64,
    /// The program with the loop invariants that are given in it.
    pub annotated: Option<Program>,
}

/// Whether all fields are tracked, or only those that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Where it is too long a question with all of them.
    Auto,
    Always,
    Off,
}

/// The question to the solver has only what the property depends on, sliced or not, so slicing pays
/// only where that is too much (`cargo xtask bench contexts` compares). With more fields than this
/// it is not tried without slicing; otherwise for this part of the time.
const MANY_FIELDS: usize = 400;
const WITH_ALL: f64 = 0.35;
const WITH_ALL_LONGEST: Duration = Duration::from_secs(6);

/// The part of what is then left that goes into finding the first fields.
const FIRST_FIELDS: f64 = 0.5;

/// Nothing is gained by leaving out a few.
const SOME_FIELDS: usize = 40;

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            contexts: None,
            unwind: None,
            threads: None,
            time: None,
            reduce: true,
            dump: None,
            slice: Slice::Auto,
            track: None,
            points: 100,
            memory: 0,
            annotated: None,
        }
    }
}

/// One choice of bounds, and what came of it.
#[derive(Clone, Debug)]
pub struct Round {
    pub bounds: Bounds,
    /// Thread slots and scheduling points of the sequential program.
    pub threads: u32,
    pub points: usize,
    pub result: Covered,
    pub size: Size,
    /// The fields of the program; the names of those tracked, or none where all are.
    pub fields: usize,
    pub tracked: Option<Vec<String>>,
    pub time: Duration,
}

/// How large the solver's question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Copies of locations, after unrolling.
    pub copies: usize,
    pub terms: usize,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { contexts, unwind, .. } = self.bounds;
        let result = match self.result {
            Covered::Violation => "violation",
            Covered::AllLoops => "nothing, for any number of passes",
            Covered::Loops => "nothing",
            Covered::Spurious => "a violation that needs more fields",
            Covered::Nothing => "no answer in time",
            Covered::TooLarge => "too large",
        };
        write!(
            f,
            "contexts {contexts}, unwind {unwind}, threads {}, points {}, terms {}: {result} \
             ({:.2} s)",
            self.threads,
            self.points,
            self.size.terms,
            self.time.as_secs_f64()
        )?;
        match &self.tracked {
            None => Ok(()),
            Some(tracked) => {
                write!(f, "; {} of {} fields: ", tracked.len(), self.fields)?;
                f.write_str(&tracked.join(", "))
            }
        }
    }
}

/// What a round has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// A violation.
    Violation,
    /// No execution within the contexts goes wrong, however often its loops are passed.
    AllLoops,
    /// None within the bound on loops.
    Loops,
    /// A violation, but only because of fields that are not tracked.
    Spurious,
    /// The time for the round was over.
    Nothing,
    /// There is more code within the bounds than can be looked at.
    TooLarge,
}

/// Looks for a violation, with growing bounds.
pub fn verify(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Round),
) -> Result<Verdict, Stop> {
    let search = Search::new(program, options);
    let mut fields = search.fields()?;
    let mut growth = Growth::new(options);
    while let Some((bounds, limits)) = growth.next(search.remaining()) {
        let limits = search.attempt(limits, &fields);
        match search.round(bounds, &limits, &mut fields, progress) {
            Ok(RoundEnd { answer: Found::Violation(trace), .. }) => {
                return Ok(Verdict::Unsafe(trace));
            }
            Ok(RoundEnd { answer: Found::None(Covered::Nothing), .. }) | Err(Stop::Time { .. })
                if search.may_slice(&fields) =>
            {
                fields = search.few();
                if bounds.contexts > 1
                    && let Some(verdict) = search.with_one_context(bounds, &mut fields, progress)?
                {
                    return Ok(verdict);
                }
            }
            Ok(RoundEnd { answer: Found::None(covered), cut, threads }) => {
                growth.learn(covered, cut, threads);
            }
            // The time of the round was over while an abstract violation was looked at.
            Err(Stop::Time { .. }) => growth.learn(Covered::Nothing, Cut::default(), 0),
            Err(stop) => return Err(stop),
        }
    }
    Err(search.stop(&growth))
}

/// The names of the fields that can be tracked.
pub fn fields(program: &Program, options: &Options) -> Vec<String> {
    let search = Search::new(program, options);
    search.prepared.program.regions.values().map(|region| region.name.clone()).collect()
}

/// Whether there are deadlocks that are not looked for; the answer says so.
pub fn leaves_out_deadlocks(program: &Program, options: &Options) -> bool {
    Search::new(program, options).loses_deadlocks()
}

/// Whether the name stands for the field, or for a variable that it is a part of.
pub fn names_field(name: &str, field: &str) -> bool {
    slice::names(name, field)
}

/// The sequential program of a program, as the analysis would see it.
pub fn dump(program: &Program, options: &Options) -> String {
    let search = Search::new(program, options);
    let bounds = Growth::new(options).asked(options);
    let fields = search.fields().unwrap_or_else(|_| Fields::all());
    match search.sequentialize(bounds, &fields) {
        Some(sequentialized) => sequentialized.sequential.listing(),
        None => "// too large within these bounds\n".to_owned(),
    }
}

struct Search<'a> {
    program: &'a Program,
    options: &'a Options,
    prepared: Prepared,
    started: Instant,
    /// What some execution within the bounds comes to and cannot be followed beyond.
    cut: RefCell<Option<Stop>>,
    /// Whether some execution may come to something undefined.
    undefined: Cell<bool>,
    /// What some execution may come to that is not supported.
    unsupported: Cell<Option<Span>>,
    any_passes: AnyPasses,
    annotated: OnceCell<Prepared>,
    /// Whether it was tried with few fields.
    sliced: Cell<bool>,
}

enum Found {
    /// An execution that has been replayed.
    Violation(Box<Trace>),
    None(Covered),
}

/// What came of a choice of bounds.
struct RoundEnd {
    answer: Found,
    cut: Cut,
    threads: u32,
}

/// File and line.
fn place(program: &Program, span: Span) -> String {
    let file = program.files.get(span.file).map_or("", |file| file.name.as_str());
    format!("{file}:{}", span.line)
}

fn passes(properties: &[Property], options: &Options) -> selvedge_passes::Options {
    selvedge_passes::Options {
        properties: properties.to_vec(),
        reduce: options.reduce,
        fields: true,
        ..selvedge_passes::Options::default()
    }
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, options: &'a Options) -> Search<'a> {
        let started = Instant::now();
        let prepared = prepare(program, &passes(&options.properties, options));
        let any_passes = AnyPasses::new(started, options);
        let (cut, undefined, unsupported) = (RefCell::new(None), Cell::new(false), Cell::new(None));
        let (annotated, sliced) = (OnceCell::new(), Cell::new(false));
        Search {
            program,
            options,
            prepared,
            started,
            cut,
            undefined,
            unsupported,
            any_passes,
            annotated,
            sliced,
        }
    }

    /// The answer without a violation. What cannot be followed comes before bounds: more of these
    /// would not help.
    fn stop(&self, growth: &Growth) -> Stop {
        match (self.cut.take(), growth.stop()) {
            (Some(cut), Stop::Bound { .. }) => cut,
            (_, Stop::Bound { what }) => Stop::Bound { what: what + &self.provisos() },
            (_, stop) => stop,
        }
    }

    /// What else a bound that was covered depends on.
    fn provisos(&self) -> String {
        let mut provisos = String::new();
        if self.options.points < 100 {
            provisos += &format!(", at {} % of the scheduling points", self.options.points);
        }
        if self.undefined.get() {
            provisos += ", up to anything undefined";
        }
        if let Some(span) = self.unsupported.get() {
            let what = self.unsupported(span);
            provisos += &format!(", up to {what} ({}), not supported", place(self.program, span));
        }
        if self.loses_deadlocks() {
            provisos += ", deadlocks left out where a block makes threads, frees memory or takes \
                         inputs before it waits";
        }
        provisos += &self.unused_invariants();
        if self.prepared.regions.assumed {
            provisos += ", if no access leaves its field";
        }
        provisos
    }

    fn loses_deadlocks(&self) -> bool {
        let procedures = self.prepared.program.procedures.values();
        self.options.properties.contains(&Property::Deadlock) && { procedures }
            .any(deadlock::loses_deadlocks)
    }

    /// Notes what an answer leaves out beside loops that go on.
    fn notice(&self, answer: &Answer, sliced: bool) {
        let Answer::Bounded(bounded) = answer else { return };
        for beyond in bounded.ways() {
            match beyond {
                Beyond::Unwind | Beyond::Size => {}
                // Whether an execution really comes there is not known: values may be guesses.
                Beyond::Undefined(_) => self.undefined.set(true),
                Beyond::Perhaps(span) => self.unsupported.set(Some(span)),
                // Fields that are not tracked lead to more than there is.
                Beyond::Unsupported(span) if sliced => self.unsupported.set(Some(span)),
                Beyond::Unsupported(span) => {
                    let stop = Stop::Unsupported { what: self.unsupported(span), span };
                    self.cut.borrow_mut().get_or_insert(stop);
                }
            }
        }
    }

    /// Accesses by pointers to fields that are not tracked are not looked at, unless memory is checked.
    fn notice_untracked(&self, fields: &Fields) {
        let Some(tracked) = fields.tracked() else { return };
        if fields.addresses() || self.options.properties.contains(&Property::Memory) {
            return;
        }
        let procedures = self.prepared.program.procedures.values();
        let mut places = procedures
            .flat_map(|procedure| procedure.edges().filter_map(|(_, edge)| edge.action.place()));
        let untracked = |place: &Place| place.region.is_some_and(|r| !tracked.contains(r));
        if places.any(|place| place.direct().is_none() && untracked(place)) {
            self.undefined.set(true);
        }
    }

    /// What the action there is called.
    fn unsupported(&self, span: Span) -> String {
        // What a call through a pointer may lead to is known only to the prepared program.
        let programs = [self.program, &self.prepared.program].into_iter();
        let procedures = programs.flat_map(|program| program.procedures.values());
        let edges = procedures.flat_map(|procedure| procedure.edges());
        let mut named = edges.filter_map(|(_, edge)| match &edge.action {
            Action::Unsupported { what } if edge.span == span => Some(what.clone()),
            _ => None,
        });
        named.next().unwrap_or_else(|| "an action that has no meaning for the solver".into())
    }

    /// What became of the loop invariants that are given.
    fn unused_invariants(&self) -> String {
        let Some(given) = &self.options.annotated else { return String::new() };
        let Some(unused) = self.any_passes.unused() else {
            return ", without the loop invariants given".into();
        };
        let mut told = String::new();
        let mut unused = unused;
        // The parts of a conjunction have one place and, most often, one flaw.
        unused.dedup_by_key(|unused| (unused.span.file, unused.span.line, unused.why));
        for NotUsed { span, why } in unused {
            let place = place(given, span);
            told += &format!(", without the loop invariant at {place} ({why})");
        }
        told
    }

    /// The sequential program with the loop invariants that are given.
    fn annotated(&self, bounds: Bounds) -> Option<SequentialProgram> {
        let program = self.options.annotated.as_ref()?;
        let prepared = self.annotated.get_or_init(|| {
            let mut properties = self.options.properties.clone();
            properties.push(Property::Invariant);
            prepare(program, &passes(&properties, self.options))
        });
        let fields = Fields::all();
        sequentialize(prepared, &self.plan(bounds, &fields)).map(|done| done.sequential)
    }

    fn remaining(&self) -> Option<Duration> {
        self.options.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    /// The fields to start with.
    fn fields(&self) -> Result<Fields, Stop> {
        let program = &self.prepared.program;
        if !self.can_slice() {
            return Ok(Fields::all());
        }
        let slice = match self.options.slice {
            Slice::Auto => program.regions.len() >= MANY_FIELDS,
            Slice::Always => true,
            Slice::Off => false,
        };
        match &self.options.track {
            Some(names) => {
                let named = slice::named(program, names);
                let named = named.map_err(|what| Stop::Unsupported { what, span: Span::NONE })?;
                Ok(Fields::starting_with(named, self.options.slice != Slice::Off))
            }
            None if slice => Ok(self.few()),
            None => Ok(Fields::all()),
        }
    }

    /// A state that is a violation is not seen in a path's actions.
    fn can_slice(&self) -> bool {
        let states = [Property::Race, Property::Deadlock];
        !self.options.properties.iter().any(|p| states.contains(p))
    }

    fn few(&self) -> Fields {
        self.sliced.set(true);
        Fields::starting_with(fields_of_assertions(&self.prepared.program), true)
    }

    /// Finds the fields that matter with one context: most of those that matter with more, and
    /// each round takes less time.
    fn with_one_context(
        &self,
        bounds: Bounds,
        fields: &mut Fields,
        progress: &mut dyn FnMut(&Round),
    ) -> Result<Option<Verdict>, Stop> {
        let part = self.remaining().map(|left| left.mul_f64(FIRST_FIELDS));
        let limits = part.map_or(Limits::none(), |part| Limits::until(Instant::now() + part));
        let bounds = Bounds { contexts: 1, ..bounds };
        match self.round(bounds, &limits, fields, progress) {
            Ok(RoundEnd { answer: Found::Violation(trace), .. }) => {
                Ok(Some(Verdict::Unsafe(trace)))
            }
            Ok(_) | Err(Stop::Time { .. }) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Whether fewer fields are to be tried where all of them are too many.
    fn may_slice(&self, fields: &Fields) -> bool {
        self.options.slice == Slice::Auto
            && fields.tracked().is_none()
            && !self.sliced.get()
            && self.can_slice()
            && self.prepared.program.regions.len() >= SOME_FIELDS
    }

    /// The limits of attempts with all fields, where there is another way.
    fn attempt(&self, limits: Limits, fields: &Fields) -> Limits {
        if !self.may_slice(fields) {
            return limits;
        }
        let part = self.options.time.map(|time| time.mul_f64(WITH_ALL));
        let end = self.started + part.unwrap_or(WITH_ALL_LONGEST).min(WITH_ALL_LONGEST);
        let deadline = limits.deadline.map_or(end, |deadline| deadline.min(end));
        Limits { deadline: Some(deadline), ..limits }
    }

    fn plan<'b>(&'b self, bounds: Bounds, fields: &'b Fields) -> Plan<'b> {
        Plan {
            bounds,
            properties: &self.options.properties,
            tracked: fields.tracked(),
            addresses: fields.addresses(),
            points: self.options.points,
        }
    }

    fn sequentialize(&self, bounds: Bounds, fields: &Fields) -> Option<Sequentialized> {
        sequentialize(&self.prepared, &self.plan(bounds, fields))
    }

    /// One choice of bounds, with as many fields as it takes (Fig. 3 of the paper).
    fn round(
        &self,
        bounds: Bounds,
        limits: &Limits,
        fields: &mut Fields,
        progress: &mut dyn FnMut(&Round),
    ) -> Result<RoundEnd, Stop> {
        loop {
            let started = Instant::now();
            let Some(sequentialized) = self.sequentialize(bounds, fields) else {
                let answer = Found::None(Covered::TooLarge);
                return Ok(RoundEnd { answer, cut: Cut::default(), threads: 0 });
            };
            let Sequentialized { sequential, threads, points, bypasses, cut } = sequentialized;
            let (answer, size) = self.check(&sequential, bounds, limits)?;
            let sliced = fields.tracked().is_some();
            self.notice_untracked(fields);
            answer.iter().for_each(|answer| self.notice(answer, sliced));
            let annotated = || self.annotated(bounds);
            let cuts = cut.any();
            let answer = self.any_passes.improve(answer, &sequential, &annotated, bounds, cuts);
            let refined = match &answer {
                Some(Answer::Wrong(path)) => {
                    let of = Abstract { program: &sequential, bypasses: &bypasses, path };
                    self.concrete(bounds, fields, &of, limits)?
                }
                _ => None,
            };
            let result = match (&answer, &refined) {
                (None, _) => Covered::Nothing,
                (Some(Answer::Wrong(_)), Some(Concrete::Spurious(_))) => Covered::Spurious,
                (Some(Answer::Wrong(_)), _) => Covered::Violation,
                (Some(Answer::Correct(_)), _) => Covered::AllLoops,
                (Some(Answer::Bounded(b)), _) if b.ways().any(|way| way == Beyond::Size) => {
                    Covered::TooLarge
                }
                (Some(Answer::Bounded(_)), _) => Covered::Loops,
            };
            progress(&Round {
                bounds,
                threads,
                points,
                result,
                size,
                fields: self.prepared.program.regions.len(),
                tracked: fields.names(&self.prepared.program),
                time: started.elapsed(),
            });
            let answer = match (answer, refined) {
                (_, Some(Concrete::Spurious(needed))) => {
                    if fields.add(&needed) {
                        continue;
                    }
                    Found::None(Covered::Nothing)
                }
                (_, Some(Concrete::Replayed(trace))) => Found::Violation(trace),
                (_, Some(Concrete::Real(program, path))) => {
                    Found::Violation(self.confirm(bounds, &program, &path)?)
                }
                (Some(Answer::Wrong(path)), None) => {
                    Found::Violation(self.confirm(bounds, &sequential, &path)?)
                }
                _ => Found::None(result),
            };
            return Ok(RoundEnd { answer, cut, threads });
        }
    }

    /// Looks at an abstract violation with all fields; none where all were tracked.
    fn concrete(
        &self,
        bounds: Bounds,
        fields: &Fields,
        of: &Abstract<'_>,
        limits: &Limits,
    ) -> Result<Option<Concrete>, Stop> {
        if fields.tracked().is_none() {
            return Ok(None);
        }
        let replay = |program: &SequentialProgram, path: &Path| {
            self.replay(bounds, program, path, Steps::Some).ok()
        };
        refine(&self.prepared, &self.plan(bounds, fields), of, &replay, limits).map(Some)
    }

    /// Asks the sequential back end; no answer if the time of the round is over.
    fn check(
        &self,
        program: &SequentialProgram,
        bounds: Bounds,
        limits: &Limits,
    ) -> Result<(Option<Answer>, Size), Stop> {
        let mut run = sequential::Run::new(limits.clone());
        run.memory = self.options.memory;
        run.limits.dump.clone_from(&self.options.dump);
        let answer = match sequential::check(program, &bounds.of_loops(), &mut run) {
            Ok(answer) => Some(answer),
            Err(Stop::Time { .. }) => None,
            Err(stop) => return Err(stop),
        };
        let last = run.rounds.last();
        let size = last.map_or(Size::default(), |r| Size { copies: r.copies, terms: r.terms });
        Ok((answer, size))
    }

    /// The execution, if it goes wrong on the program as it was given.
    fn confirm(
        &self,
        bounds: Bounds,
        sequential: &SequentialProgram,
        path: &Path,
    ) -> Result<Box<Trace>, Stop> {
        let trace = self.replay(bounds, sequential, path, Steps::All);
        trace.map(Box::new).map_err(|what| Stop::Unconfirmed { what })
    }

    fn replay(
        &self,
        bounds: Bounds,
        sequential: &SequentialProgram,
        path: &Path,
        steps: Steps,
    ) -> Result<Trace, String> {
        let options = selvedge_exec::Options {
            any_threads: Some(bounds.threads),
            ..selvedge_exec::Options::new(&self.options.properties)
        };
        interleave(self.program, &self.prepared, &options, sequential, path, steps)
    }
}
