//! Abstract threads for programs that have none.
//!
//! For each function that threads start in, the control-flow graph as far as the variables see it that
//! the assertions depend on ([`Subject::sketch`]), made smaller where that does not change what it does,
//! and then by merging states as long as all parts can still be proved. Where what a thread writes is
//! not known from the variables, what the program asserts of a variable is guessed to hold there. What
//! is handed out has been proved by [`verify`](crate::verify), and not before.

use std::time::Duration;

use selvedge_abstract_threads::{Guess, Sketch, Subject, annotation, build, started};
use selvedge_engines::Knobs;
use selvedge_ir::spec::{AbstractThread, Formula, Target};
use selvedge_ir::{Expr, Place, ProcId, Program, Property, Span};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

use crate::verify;

/// An abstract thread as the annotation that says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractThreadText {
    /// The function whose threads it stands for.
    pub function: String,
    pub text: String,
    pub thread: AbstractThread,
}

/// Why there is no suggestion.
#[derive(Clone, Debug)]
pub enum Why {
    /// There is no such function, or no thread starts in it, or it has an abstract thread already.
    NotStarted { function: String },
    /// Something in the function has no abstract thread.
    NoSketch { function: String, what: String },
    /// The sketch is one, but the program could not be proved with it.
    NotProved(Stop),
    /// The program goes wrong.
    Unsafe,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::NotStarted { function } => {
                write!(f, "no thread starts in `{function}`, or it has an abstract thread already")
            }
            Why::NoSketch { function, what } => {
                write!(f, "no abstract thread for `{function}`: {what}")
            }
            Why::NotProved(stop) => write!(f, "the candidates are not proved: {stop}"),
            Why::Unsafe => f.write_str("an assertion of the program fails"),
        }
    }
}

impl From<Stop> for Why {
    fn from(stop: Stop) -> Why {
        Why::NotProved(stop)
    }
}

/// The largest part of what is left that one try at merging two states gets.
const SHARE: u32 = 10;

/// No try at merging two states gets more.
const TRY: Duration = Duration::from_secs(5);

/// The abstract thread of one function among those of all functions that need one.
pub fn suggest(
    program: &Program,
    function: &str,
    run: &mut Run<'_>,
) -> Result<AbstractThreadText, Why> {
    let unknown = || Why::NotStarted { function: function.to_owned() };
    let id = program.procedure_named(function).ok_or_else(unknown)?;
    if !lacking(program).contains(&id) {
        return Err(unknown());
    }
    let found = suggest_all(program, run)?;
    found.into_iter().find(|text| text.function == function).ok_or_else(unknown)
}

/// An abstract thread for each function that threads start in and that has none; together with those
/// that there are they prove the program.
///
/// ```
/// use selvedge_ir::text;
/// use selvedge_verdict::{Budget, Run};
///
/// let source = "shared x: i32 = 1;
///     procedure grow() { local t: i32; atomic { t := x; if (t < 9) { x := t + 1; } } }
///     procedure look() { local t: i32; t := x; assert t > 0; }
///     thread 2 grow; thread look;";
/// let program = text::parse("grow.plato", source).unwrap();
/// let mut run = Run::silent(Budget::unlimited());
/// let found = selvedge_conform::suggest_all(&program, &mut run).unwrap();
/// assert_eq!(found.len(), 2);
/// assert!(found[0].text.contains("x' == x + 1, modifies x;"), "{}", found[0].text);
/// ```
pub fn suggest_all(program: &Program, run: &mut Run<'_>) -> Result<Vec<AbstractThreadText>, Why> {
    let lacking = lacking(program);
    if lacking.is_empty() {
        let function = "any function".to_owned();
        return Err(Why::NoSketch { function, what: "all have one already".to_owned() });
    }
    let mut candidate = Candidate::of(program, &lacking, run)?;
    let mut failure = None;
    let proved = Guess::ALL.into_iter().find(|&guess| {
        candidate.guess = guess;
        match candidate.proved(run, None) {
            Ok(()) => true,
            Err(why) => {
                failure.get_or_insert(why);
                false
            }
        }
    });
    if proved.is_none() {
        return Err(failure.unwrap_or(Why::Unsafe));
    }
    candidate.merge_states(run);
    candidate.texts()
}

/// The functions that threads start in and that have no abstract thread.
fn lacking(program: &Program) -> Vec<ProcId> {
    let started = started(program).into_iter();
    started.filter(|id| program.spec.abstract_thread_of(*id).is_none()).collect()
}

struct Candidate<'a> {
    program: &'a Program,
    subject: Subject,
    /// Those that lack one, with the number of each among the subject's abstract threads.
    procedures: Vec<(ProcId, usize)>,
    sketches: Vec<Sketch>,
    facts: Vec<Expr>,
    guess: Guess,
}

impl<'a> Candidate<'a> {
    fn of(program: &'a Program, lacking: &[ProcId], run: &Run<'_>) -> Result<Candidate<'a>, Why> {
        let cone = run.subject(&with_placeholders(program, lacking, &[]))?.cone();
        let subject = run.subject(&with_placeholders(program, lacking, &cone))?;
        let given = program.spec.abstract_threads.len();
        let numbers = lacking.iter().enumerate().map(|(index, &id)| (id, given + index));
        let procedures: Vec<(ProcId, usize)> = numbers.collect();
        let mut sketches = Vec::new();
        for (id, number) in &procedures {
            let function = program.procedures[*id].name.clone();
            let sketch = subject.sketch(*number);
            let sketch = sketch.map_err(|what| Why::NoSketch { function, what })?;
            sketches.push(sketch.minimised());
        }
        let mut facts: Vec<Expr> = Vec::new();
        for fact in sketches.iter().flat_map(Sketch::facts) {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        let guess = Guess::Nothing;
        Ok(Candidate { program, subject, procedures, sketches, facts, guess })
    }

    fn threads(&self) -> Vec<AbstractThread> {
        let pairs = self.procedures.iter().zip(&self.sketches);
        let thread = |((id, _), sketch): (&(ProcId, usize), &Sketch)| {
            let name = self.name(*id);
            self.subject.abstract_thread(&name, *id, sketch, self.guess, &self.facts)
        };
        pairs.map(thread).collect()
    }

    /// A name for people that nothing else has.
    fn name(&self, id: ProcId) -> String {
        let function = &self.program.procedures[id].name;
        let mut letters = function.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        let mut name: String = first.into_iter().chain(letters).collect();
        let given = &self.program.spec.abstract_threads;
        while name == *function || given.iter().any(|thread| thread.name == name) {
            name.insert_str(0, "Abstract");
        }
        name
    }

    /// Whether the program is proved with these abstract threads.
    fn proved(&self, run: &Run<'_>, most: Option<Duration>) -> Result<(), Why> {
        run.check()?;
        let mut program = self.program.clone();
        program.spec.abstract_threads.extend(self.threads());
        let options: Options<Knobs> = Options::new(&[Property::Assert]);
        let mut part = Run::silent(share(run, most));
        let found = verify(&program, &options, &mut part, &mut |_| {});
        if run.clock().counts_work() {
            run.clock().spend(part.clock().spent());
        }
        match found? {
            Verdict::Safe(_) => Ok(()),
            Verdict::Unsafe(_) => Err(Why::Unsafe),
        }
    }

    /// Merges states as long as everything can still be proved soon.
    fn merge_states(&mut self, run: &Run<'_>) {
        for index in 0..self.sketches.len() {
            let (mut one, mut other) = (0, 1);
            while one + 1 < self.sketches[index].states.len() {
                if run.exceeded().is_some() {
                    return;
                }
                let most = run.remaining().map_or(TRY, |left| (left / SHARE).min(TRY));
                let merged = self.sketches[index].merged(one, other);
                let kept = std::mem::replace(&mut self.sketches[index], merged);
                if self.proved(run, Some(most)).is_ok() {
                    (one, other) = (0, 1);
                    continue;
                }
                self.sketches[index] = kept;
                other += 1;
                if other >= self.sketches[index].states.len() {
                    (one, other) = (one + 1, one + 2);
                }
            }
        }
    }

    fn texts(&self) -> Result<Vec<AbstractThreadText>, Why> {
        let text = |thread: AbstractThread| {
            let function = self.program.procedures[thread.procedure].name.clone();
            match annotation(self.program, &thread) {
                Ok(text) => Ok(AbstractThreadText { function, text, thread }),
                Err(what) => Err(Why::NoSketch { function, what }),
            }
        };
        self.threads().into_iter().map(text).collect()
    }
}

/// What is left, or this much of it.
fn share(run: &Run<'_>, most: Option<Duration>) -> Budget {
    let time = match (run.remaining(), most) {
        (Some(left), Some(most)) => Some(left.min(most)),
        (left, most) => left.or(most),
    };
    let memory = run.budget().memory;
    match run.budget().work {
        Some(_) => Budget { time: None, memory, work: time.map(selvedge_verdict::Clock::work_for) },
        None => Budget { time, memory, work: None },
    }
}

/// The program with an abstract thread for each of these that may do anything to these variables.
fn with_placeholders(program: &Program, lacking: &[ProcId], cone: &[Place]) -> Program {
    let mut program = program.clone();
    for &id in lacking {
        let targets = cone.iter().map(|place| Target {
            ghost: None,
            address: Formula::closed(place.addr.clone()),
            ty: place.ty,
            text: String::new(),
            span: Span::NONE,
        });
        let step = build::step(0, 0, Vec::new(), targets.collect());
        let name = format!("for {id}");
        let state = build::state("S", true, Vec::new());
        program.spec.abstract_threads.push(build::thread(name, id, vec![state], vec![step]));
    }
    program
}
