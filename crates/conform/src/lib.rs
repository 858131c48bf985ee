//! Verification by abstract threads: does each thread conform to its specification, and is the
//! composition of the specifications correct?
//!
//! Lahiri, Malkis and Qadeer, "Abstract Threads". A program with n abstract threads falls into n + 1
//! parts (`selvedge_abstract_threads`): n sequential programs, one for each abstract thread, and the
//! abstract program. Each part is decided by the engines that suit it. If all parts are correct, the
//! program is (Theorem 1), and [`Conformance`] is the proof: it can be made in no other way.
//!
//! Where threads call procedures that have contracts, these stand in the place of the calls, and each is
//! a part of its own: that the procedure keeps it.
//!
//! A part that is not correct says nothing of the program. A thread that does not conform is told
//! with the step that nothing matches ([`Mismatch`]); an error of the abstract program is looked for
//! in the concrete one, and only if it replays there the answer is UNSAFE.
//!
//! Loops of a check are decided by exhaustive search or by invariants that `horn` finds; nothing is
//! unrolled to an answer SAFE.

mod certificate;
mod cores;
mod decide;
mod mismatch;
mod parallel;
mod race;
mod suggest;

use std::sync::Arc;

use selvedge_abstract_threads::Subject;
use selvedge_engines::{Engine, Knobs};
use selvedge_ir::{Multiplicity, Program, Property, Span};
use selvedge_passes::Templates;
use selvedge_verdict::{
    Conformance, Counterexample, Obligation, Options, Proof, Run, Stop, Verdict, part, stopped,
};

pub use certificate::{Certificate, Checked, FORMAT, check, is_one};
use cores::Cores;
use decide::{decide, violation};
pub use mismatch::Mismatch;
use race::Decided;
pub use selvedge_abstract_threads::{annotation, from_contracts};
pub use suggest::{AbstractThreadText, Why, suggest, suggest_all};

/// What is known of one part.
#[derive(Clone, Debug)]
pub struct Part {
    pub obligation: Obligation,
    /// The abstract thread, and the procedure that it abstracts. A contract has only the procedure, the
    /// composition neither.
    pub name: String,
    pub procedure: String,
    /// Who has decided it, or was asked last; none if nobody was.
    pub engine: Option<Engine>,
    /// Of the composition: how many threads it has.
    pub threads: Option<Multiplicity>,
    pub result: PartResult,
    pub seconds: f64,
}

#[derive(Clone, Debug)]
pub enum PartResult {
    Holds,
    /// A step of the thread that nothing matches, or an assertion that the abstract thread lacks.
    Mismatch(Box<Mismatch>),
    /// An execution of the part that goes wrong.
    Fails(Box<Counterexample>),
    Open(Stop),
}

/// Decides all parts, and the program by them. Tells of each part.
///
/// ```
/// use selvedge_abstract_threads::build;
/// use selvedge_ir::{BinaryOp, Expr, Int, Property, spec::When, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let source = "shared g: i32 = 1;
///     procedure grow() { local n: i32 = 0; while (n < 3) { n := n + 1; } g := n; }
///     procedure look() { assert g > 0; }
///     thread 2 grow; thread look;";
/// let mut program = text::parse("grow.plato", source).unwrap();
/// let g = program.object_named("g").unwrap();
/// let positive = |when| {
///     let zero = Expr::int(0, Int::I32);
///     build::clause(&program, "g > 0", &[(g, when)], |g| {
///         Expr::binary(BinaryOp::Gt, g[0].clone(), zero)
///     })
/// };
/// let step = build::step(0, 0, vec![positive(When::After).unwrap()],
///     vec![build::target(&program, g).unwrap()]);
/// let states = vec![build::state("S", true, vec![positive(When::Before).unwrap()])];
/// let grow = program.procedure_named("grow").unwrap();
/// program.spec.abstract_threads.push(build::thread("Grow", grow, states, vec![step]));
///
/// let options = Options::new(&[Property::Assert]);
/// let mut run = Run::silent(Budget::unlimited());
/// let verdict = selvedge_conform::verify(&program, &options, &mut run, &mut |_| {});
/// assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Knobs>,
    run: &mut Run<'_>,
    hear: &mut dyn FnMut(&Part),
) -> Result<Verdict, Stop> {
    admit(program, options)?;
    let subject = run.subject(program)?;
    let mut broken = false;
    let mut found = parallel::decide_all(&subject, options, run, &mut |part| {
        hear(part);
        let fails = matches!(part.result, PartResult::Fails(_));
        broken |= part.obligation == Obligation::Composition && fails;
    });
    let proved = Conformance::prove(&subject, |obligation, _| {
        let known = found.iter().position(|(about, _)| *about == obligation);
        known.map_or_else(|| Err(run.out_of_budget()), |at| found.swap_remove(at).1)
    });
    match (proved, broken) {
        (Ok(conformance), _) => Ok(Verdict::Safe(Proof::in_parts(conformance))),
        (Err(stop), false) => Err(stop),
        (Err(stop), true) => match violation(program, options, run) {
            Some(found) => Ok(Verdict::Unsafe(found)),
            None => Err(stop),
        },
    }
}

/// The parts of a program: abstract threads, procedures whose contracts are used, the composition.
pub fn part_names(program: &Program, run: &Run<'_>) -> Result<Vec<String>, Stop> {
    let subject = run.subject(program)?;
    let threads = subject.threads().iter().map(|thread| thread.name.clone());
    let contracts = subject.contracts().iter().map(|kept| kept.name().to_owned());
    Ok(threads.chain(contracts).chain([COMPOSITION.to_owned()]).collect())
}

/// One part of a program, as text shows it.
pub fn part_named(program: &Program, run: &Run<'_>, name: &str) -> Result<Option<Program>, Stop> {
    let subject = run.subject(program)?;
    let obligation = match name {
        COMPOSITION => Some(Obligation::Composition),
        name => {
            let thread = subject.threads().iter().position(|thread| thread.name == name);
            let contract = subject.contracts().iter().position(|kept| kept.name() == name);
            thread.map(Obligation::Conforms).or(contract.map(Obligation::Keeps))
        }
    };
    obligation.map(|obligation| part(&subject, obligation).map_err(stopped)).transpose()
}

/// The name of the composition among the parts.
pub const COMPOSITION: &str = "compose";

fn admit(program: &Program, options: &Options<Knobs>) -> Result<(), Stop> {
    if let Some(&property) = options.properties.iter().find(|&&p| p != Property::Assert) {
        return Err(Stop::Property { engine: "conform".into(), property });
    }
    if program.spec.abstract_threads.is_empty() {
        let what = "the program has no abstract threads".to_owned();
        return Err(Stop::Conformance { what, span: Span::NONE });
    }
    Ok(())
}

fn decide_part(
    subject: &Subject,
    obligation: Obligation,
    program: &Program,
    options: &Options<Knobs>,
    run: &Run<'_>,
    cores: &Arc<Cores>,
) -> (Part, Result<Proof, Stop>) {
    let begun = run.elapsed();
    let composition = obligation == Obligation::Composition;
    let threads = composition.then(|| number_of_threads(program));
    let plan = decide::plan(threads, parallel::at_once(run));
    let Decided { engine, verdict } = decide(program, &plan, options, run, cores);
    let (name, procedure) = names(subject, obligation);
    let (result, proof) = match verdict {
        Ok(Verdict::Safe(proof)) => (PartResult::Holds, Ok(proof)),
        Ok(Verdict::Unsafe(shown)) => fails(subject, obligation, &name, &procedure, shown),
        Err(stop) => (PartResult::Open(stop.clone()), Err(stop)),
    };
    let seconds = (run.elapsed() - begun).as_secs_f64();
    (Part { obligation, name, procedure, engine, threads, result, seconds }, proof)
}

fn names(subject: &Subject, obligation: Obligation) -> (String, String) {
    match obligation {
        Obligation::Conforms(index) => {
            (subject.threads()[index].name.clone(), subject.procedure_name(index))
        }
        Obligation::Keeps(index) => (String::new(), subject.contracts()[index].name().to_owned()),
        Obligation::Composition => (String::new(), String::new()),
    }
}

/// What an execution of a part that goes wrong says.
fn fails(
    subject: &Subject,
    obligation: Obligation,
    name: &str,
    procedure: &str,
    shown: Counterexample,
) -> (PartResult, Result<Proof, Stop>) {
    let Some(failure) = shown.trace().failure() else {
        let what = "a counterexample without a failure".to_owned();
        return (PartResult::Open(Stop::Defect { what: what.clone() }), Err(Stop::Defect { what }));
    };
    let span = mismatch::span_of(subject, failure.place.as_ref());
    let what = match obligation {
        Obligation::Conforms(_) => format!("{name} does not abstract {procedure}"),
        Obligation::Keeps(_) => format!("{procedure} does not keep its contract"),
        Obligation::Composition => format!("the abstract threads allow: {}", failure.fault),
    };
    let stop = Stop::Conformance { what, span };
    let mismatch = match obligation {
        Obligation::Conforms(index) => {
            Mismatch::of(subject, &subject.threads()[index], shown.trace())
        }
        Obligation::Keeps(index) => {
            Mismatch::of(subject, subject.contracts()[index].machine(), shown.trace())
        }
        Obligation::Composition => None,
    };
    match mismatch {
        Some(mismatch) => (PartResult::Mismatch(Box::new(mismatch)), Err(stop)),
        None => (PartResult::Fails(Box::new(shown)), Err(stop)),
    }
}

/// How many threads a program has, at most.
fn number_of_threads(program: &Program) -> Multiplicity {
    let sum =
        Templates::of(program).list.iter().try_fold(0u32, |sum, template| match template.count {
            Multiplicity::Exactly(number) => sum.checked_add(number),
            Multiplicity::Any => None,
        });
    sum.map_or(Multiplicity::Any, Multiplicity::Exactly)
}
