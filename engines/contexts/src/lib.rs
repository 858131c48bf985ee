//! `contexts`: real bugs of programs with threads and a heap, within a bound on context switches.
//!
//! Lahiri, Qadeer, Rakamarić, "Static and Precise Detection of Concurrency Errors in Systems Code
//! Using SMT Solvers" (STORM). Every execution in which each thread runs in at most K contexts is an
//! execution of a sequential program (`sequentialize`, §2.2 there), which the sequential back end
//! decides for a bound on loops. An execution that goes wrong is turned back into an interleaving and
//! replayed ([`selvedge_sequential::interleave`]). The bounds grow (`growth`), because most bugs need
//! few contexts. Only the fields that matter are tracked, and which do is found by refinement
//! (`slice`, §3 and Fig. 3 there).
//!
//! Symbols: K contexts for each thread; k the current context; G@i the content of region G in
//! context i.
//!
//! Where we differ from the paper: threads are started and joined by the program (the paper has a
//! fixed number after an `Init`); an access selects among the copies without branches; scheduling
//! points stand only where reduction leaves an interleaving that matters (`points`); what threads
//! know of each other's start and end needs no copies. As there, a program is taken to be field-safe
//! (§2.1, [`selvedge_passes::fields`]); where that is more than a formality, the answer says so.
//!
//! UNSAFE is said only with a trace that has been replayed on the program as it was given. SAFE is
//! never said: without a bug, the answer names the bounds that were covered.
//!
//! Work, beside that of the solver and of [`selvedge_sequential`]: a location of a sequential program
//! counts 5 units when it is made, a step of a path 50 units when it is replayed.

mod access;
mod action;
mod attempt;
mod bounds;
mod bypass;
mod checked;
mod claim;
mod code;
mod concretize;
mod deadlock;
mod detour;
mod emission;
mod faults;
mod fields;
mod flatten;
mod growth;
mod lifecycle;
mod lives;
mod memory;
mod options;
mod plan;
mod points;
mod provisos;
mod race;
mod route;
mod sequentialize;
mod sharing;
mod slice;
mod slots;
#[cfg(test)]
mod tests;
mod thread;
mod translation;
mod trial;
mod unbounded;
mod waits;

use std::time::Duration;

use selvedge_ir::{Program, Property, RegionId};
use selvedge_passes::{Prepared, prepare};
use selvedge_sequential::interleave::{Steps, interleave};
use selvedge_sequential::{CheckResult, Path, SequentialProgram};
use selvedge_smt::Limits;
use selvedge_verdict::{Abilities, Moment, Options, Round, Run, Stop, Trace, Verdict};

use bounds::{Bounds, Coverage};
use checked::{Checked, too_large, with_fields};
use concretize::Abstract;
pub use fields::names_field;
use fields::{Fields, can_slice};
use growth::{Explored, Growth};
use options::passes;
pub use options::{Own, Slice};
use plan::Plan;
use provisos::{Names, Provisos};
use sequentialize::{Sequentialized, sequentialize};
use slice::{Concrete, refine};
use unbounded::Unbounded;

/// The engine's name, as in `--engine contexts`.
pub const NAME: &str = "contexts";

pub const ABILITIES: Abilities =
    Abilities { name: NAME, unchecked: &[Property::Invariant], math: false };

/// Units of work for a location of a sequential program, and for a step that is replayed.
const LOCATION: u64 = 5;
const STEP: u64 = 50;

/// The part of all time in which all fields are tracked, if slicing is the alternative.
const WITH_ALL: f64 = 0.35;
const WITH_ALL_LONGEST: Duration = Duration::from_secs(6);

/// The part of what is then left that goes into finding the first fields.
const FIRST_FIELDS: f64 = 0.5;

/// Nothing is gained by leaving out a few.
const SOME_FIELDS: usize = 40;

/// Looks for a violation, with growing bounds.
///
/// ```
/// use selvedge_contexts::{Own, verify};
/// use selvedge_ir::{Property, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let program = text::parse("lost.plato", "shared x: i32;
///     procedure inc() { local t: i32; t := x; x := t + 1; }
///     procedure main() { local a: thread; local b: thread;
///         a := spawn inc(); b := spawn inc(); join a; join b;
///         assert x == 2; }
///     thread main main;").unwrap();
/// let own = Own { contexts: Some(2), ..Own::default() };
/// let options = Options::with(&[Property::Assert], own);
/// let verdict = verify(&program, &options, &mut Run::silent(Budget::unlimited()));
/// assert!(matches!(verdict, Ok(Verdict::Unsafe(_))));
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    ABILITIES.admit(options)?;
    let mut verification = Verification::new(program, options, run)?;
    let mut fields = verification.first_fields()?;
    let mut growth = Growth::new(options, run.remaining());
    while let Some((bounds, deadline)) = growth.next(run.clock().now(), run.remaining()) {
        let deadline = verification.deadline(deadline, &fields);
        match verification.within(bounds, deadline, &mut fields, run)? {
            WithinBounds::Violation(verdict) => return Ok(verdict),
            WithinBounds::None(Explored { coverage: Coverage::OutOfTime, .. })
                if verification.may_slice(&fields) =>
            {
                fields = verification.fewer_fields();
                if let Some(verdict) = verification.in_one_context(bounds, &mut fields, run)? {
                    return Ok(verdict);
                }
            }
            WithinBounds::None(explored) => growth.learn(run.clock().now(), explored),
        }
    }
    Err(verification.stop(&growth, run))
}

/// What came of one choice of bounds.
enum WithinBounds {
    Violation(Verdict),
    None(Explored),
}

/// One program, and what has been learnt about it so far.
struct Verification<'a> {
    program: &'a Program,
    options: &'a Options<Own>,
    prepared: Prepared,
    /// Until the end of the run.
    limits: Limits,
    started: Moment,
    /// The memory limit in bytes, for messages.
    memory: u64,
    provisos: Provisos,
    unbounded: Unbounded,
    /// The program with the loop invariants that are given, prepared.
    annotated: Option<Prepared>,
    /// Fewer fields than all have been tried.
    sliced: bool,
}

impl Verification<'_> {
    /// Fig. 3: one choice of bounds, with as many fields as it takes.
    fn within(
        &mut self,
        bounds: Bounds,
        deadline: Option<Moment>,
        fields: &mut Fields,
        run: &mut Run<'_>,
    ) -> Result<WithinBounds, Stop> {
        let limits = Limits { deadline, ..self.limits.clone() };
        loop {
            let started = run.elapsed();
            let seconds = |run: &Run<'_>| run.elapsed().saturating_sub(started).as_secs_f64();
            let Some(sequentialized) = self.sequentialize(bounds, fields) else {
                run.round(self.with_fields(too_large(bounds, seconds(run)), fields));
                return Ok(WithinBounds::None(Explored::nothing(Coverage::TooLarge)));
            };
            let checked = self.check(&sequentialized, bounds, fields, &limits)?;
            let concrete = self.concretize(&checked, &sequentialized, bounds, fields, &limits)?;
            let round = checked.round(concrete.as_ref(), bounds, &sequentialized, seconds(run));
            run.round(self.with_fields(round, fields));
            match concrete {
                Some(Concrete::Real(trace)) => {
                    return Verdict::replayed(self.program, self.options, &trace)
                        .map(WithinBounds::Violation);
                }
                Some(Concrete::Spurious(needed)) => {
                    if !fields.add(&needed) {
                        return Err(self.stuck(&needed));
                    }
                }
                Some(Concrete::Undecided) | None => {
                    return Ok(WithinBounds::None(checked.explored(&sequentialized)));
                }
            }
        }
    }

    /// Fig. 3, line 4: the sequential program in which only some fields are tracked; none if it
    /// would be too large.
    fn sequentialize(&self, bounds: Bounds, fields: &Fields) -> Option<Sequentialized> {
        let done = sequentialize(&self.prepared, &self.plan(bounds, fields));
        let locations = done.as_ref().map_or(0, |done| done.sequential.body().locations.len());
        self.limits.clock.spend(LOCATION * locations as u64);
        done
    }

    /// Fig. 3, line 5: asks the sequential back end, and notes what its result leaves out.
    fn check(
        &mut self,
        sequentialized: &Sequentialized,
        bounds: Bounds,
        fields: &Fields,
        limits: &Limits,
    ) -> Result<Checked, Stop> {
        let program = &sequentialized.sequential;
        let mut run = selvedge_sequential::Run::new(limits.clone());
        run.memory = self.memory;
        let mut result = match selvedge_sequential::check(program, &bounds.of_loops(), &mut run) {
            Ok(result) => Some(result),
            Err(Stop::Time { .. }) => None,
            Err(stop) => return Err(stop),
        };
        let names = Names { program: self.program, prepared: &self.prepared };
        self.provisos.note_untracked(&names, self.options.checks(Property::Memory), fields);
        result.iter().for_each(|result| self.provisos.note(&names, result, fields));
        if let Some(CheckResult::Bounded(bounded)) = &result
            && !sequentialized.cut.any()
        {
            let prepared = self.annotated.as_ref();
            let annotated = || annotated(prepared?, self.options, bounds);
            result = self.unbounded.prove(bounded, program, &annotated, bounds).or(result);
        }
        let (copies, terms) = run.rounds.last().map_or((0, 0), |last| (last.copies, last.terms));
        Ok(Checked { result, copies, terms })
    }

    /// Fig. 3, lines 9 to 24: looks at a violation with all fields; none where there is none.
    fn concretize(
        &self,
        checked: &Checked,
        sequentialized: &Sequentialized,
        bounds: Bounds,
        fields: &Fields,
        limits: &Limits,
    ) -> Result<Option<Concrete>, Stop> {
        let Some(CheckResult::Wrong(path)) = &checked.result else { return Ok(None) };
        let Sequentialized { sequential, bypasses, .. } = sequentialized;
        let replay = |program: &SequentialProgram, path: &Path, steps| {
            self.replay(bounds, program, path, steps)
        };
        if fields.are_all() {
            let trace = replay(sequential, path, Steps::All);
            let trace = trace.map_err(|what| Stop::Unconfirmed { what })?;
            return Ok(Some(Concrete::Real(Box::new(trace))));
        }
        let violation = Abstract { program: sequential, bypasses, path };
        let plan = self.plan(bounds, fields);
        match refine(&self.prepared, &plan, &violation, &replay, limits) {
            Err(Stop::Time { .. }) => Ok(Some(Concrete::Undecided)),
            other => other.map(Some),
        }
    }

    /// The execution that a path stands for, if it goes wrong on the program as it was given.
    fn replay(
        &self,
        bounds: Bounds,
        sequential: &SequentialProgram,
        path: &Path,
        steps: Steps,
    ) -> Result<Trace, String> {
        self.limits.clock.spend(STEP * path.steps.len() as u64);
        let options = selvedge_exec::Options {
            any_threads: Some(bounds.threads),
            ..selvedge_exec::Options::new(&self.options.properties)
        };
        interleave(self.program, &self.prepared, &options, sequential, path, steps)
    }

    fn plan<'b>(&'b self, bounds: Bounds, fields: &'b Fields) -> Plan<'b> {
        Plan::new(self.options, bounds, fields)
    }

    fn with_fields(&self, round: Round, fields: &Fields) -> Round {
        with_fields(round, fields, &self.prepared.program)
    }
}

/// When and how to leave out fields.
impl<'a> Verification<'a> {
    fn new(
        program: &'a Program,
        options: &'a Options<Own>,
        run: &Run<'_>,
    ) -> Result<Verification<'a>, Stop> {
        let limits = run.limits(options.queries.as_ref());
        let started = limits.clock.now();
        let prepared = run.prepare(program, &passes(options, &options.properties))?;
        let mut with_invariants = options.properties.clone();
        with_invariants.push(Property::Invariant);
        let passes = passes(options, &with_invariants);
        let annotated = options.own.annotated.as_ref();
        let annotated = annotated.map(|program| run.prepare(program, &passes)).transpose()?;
        Ok(Verification {
            program,
            options,
            prepared,
            unbounded: Unbounded::new(options, limits.clone()),
            limits,
            started,
            memory: run.budget().memory.unwrap_or(0),
            provisos: Provisos::default(),
            annotated,
            sliced: false,
        })
    }

    fn first_fields(&mut self) -> Result<Fields, Stop> {
        let fields = Fields::first(&self.prepared.program, self.options)
            .map_err(|what| Stop::Option { engine: NAME.into(), what })?;
        self.sliced = !fields.are_all();
        Ok(fields)
    }

    fn fewer_fields(&mut self) -> Fields {
        self.sliced = true;
        Fields::of_assertions(&self.prepared.program)
    }

    /// Whether fewer fields are to be tried where all of them are too many.
    fn may_slice(&self, fields: &Fields) -> bool {
        self.options.own.slice == Slice::Auto
            && fields.are_all()
            && !self.sliced
            && can_slice(self.options)
            && self.prepared.program.regions.len() >= SOME_FIELDS
    }

    /// The deadline of a round: earlier where fewer fields can be tried afterwards.
    fn deadline(&self, deadline: Option<Moment>, fields: &Fields) -> Option<Moment> {
        if !self.may_slice(fields) {
            return deadline;
        }
        let whole = self.limits.deadline.map(|end| end.since(self.started));
        let part = whole.map_or(WITH_ALL_LONGEST, |whole| whole.mul_f64(WITH_ALL));
        let end = self.started + part.min(WITH_ALL_LONGEST);
        Some(deadline.map_or(end, |deadline| deadline.min(end)))
    }

    /// Finds the fields that matter with one context: they are most of those that matter with more,
    /// and each round takes less time.
    fn in_one_context(
        &mut self,
        bounds: Bounds,
        fields: &mut Fields,
        run: &mut Run<'_>,
    ) -> Result<Option<Verdict>, Stop> {
        if bounds.contexts == 1 {
            return Ok(None);
        }
        let part = run.remaining().map(|left| left.mul_f64(FIRST_FIELDS));
        let deadline = part.map(|part| run.clock().now() + part);
        match self.within(Bounds { contexts: 1, ..bounds }, deadline, fields, run)? {
            WithinBounds::Violation(verdict) => Ok(Some(verdict)),
            WithinBounds::None(_) => Ok(None),
        }
    }

    /// A violation that depends on fields that the user does not want to be tracked.
    fn stuck(&self, needed: &[RegionId]) -> Stop {
        let regions = &self.prepared.program.regions;
        let names: Vec<String> =
            needed.iter().map(|&field| format!("`{}`", regions[field].name)).collect();
        let names = if names.is_empty() { "fields".to_owned() } else { names.join(", ") };
        Stop::Refinement { what: format!("a violation depends on {names}, not tracked") }
    }

    /// The answer without a violation. What cannot be followed comes before bounds: larger ones
    /// would not help.
    fn stop(&self, growth: &Growth, run: &Run<'_>) -> Stop {
        match (self.provisos.unfollowed(), growth.stop(run)) {
            (Some(unfollowed), Stop::Bound { .. }) => unfollowed,
            (_, Stop::Bound { what, grows, .. }) => {
                let names = Names { program: self.program, prepared: &self.prepared };
                let unused = self.unbounded.unused();
                let what = what + &self.provisos.sentence(&names, self.options, unused);
                Stop::Bound { what, grows, partial: self.provisos.are_partial() }
            }
            (_, stop) => stop,
        }
    }
}

/// The sequential program with the loop invariants that are given.
fn annotated(
    prepared: &Prepared,
    options: &Options<Own>,
    bounds: Bounds,
) -> Option<SequentialProgram> {
    let fields = Fields::all();
    sequentialize(prepared, &Plan::new(options, bounds, &fields)).map(|done| done.sequential)
}

/// The names of the fields that can be tracked.
pub fn fields(program: &Program, options: &Options<Own>) -> Vec<String> {
    let prepared = prepare(program, &passes(options, &options.properties));
    prepared.program.regions.values().map(|region| region.name.clone()).collect()
}

/// Whether there are deadlocks that are not looked for; the answer says so.
pub fn leaves_out_deadlocks(program: &Program, options: &Options<Own>) -> bool {
    let prepared = prepare(program, &passes(options, &options.properties));
    provisos::leaves_out_deadlocks(&prepared, options)
}

/// The sequential program that [`verify`] begins with, but with as many contexts as are asked for.
pub fn dump(program: &Program, options: &Options<Own>, run: &Run<'_>) -> Result<String, Stop> {
    ABILITIES.admit(options)?;
    let bounds = Growth::first(options);
    let mut verification = Verification::new(program, options, run)?;
    let fields = verification.first_fields()?;
    let Bounds { contexts, unwind, threads } = bounds;
    let tracked = fields.names(&verification.prepared.program);
    let tracked = tracked.map_or("all".to_owned(), |names| names.join(", "));
    let head = format!("// contexts {contexts}, unwind {unwind}, threads {threads}\n");
    match verification.sequentialize(bounds, &fields) {
        Some(done) => Ok(format!("{head}// tracked: {tracked}\n{}", done.sequential.listing())),
        None => Err(Stop::TooLarge { what: "the sequential program within these bounds".into() }),
    }
}
