//! Checking a certificate: from its text alone, or against a program at hand.

use selvedge_ir::{Program, Property, check as well_formed};
use selvedge_passes::{Prepared, Unprepared, orders};
use selvedge_smt::{Limits, Reason};

use crate::ask::Asker;
use crate::certificate::{Arithmetic, Certificate, FORMAT, VERSION};
use crate::family;
use crate::flow::Flow;
use crate::space::Space;
use crate::verdict::{Accepted, Assumption, Rejected};
use crate::walk::{Walked, walk};

/// Checks that the certificate proves the lowered program safe.
///
/// The limits' time is for each question that the solver is asked, their deadline is for all that
/// is done: where it passes, the certificate is [`Rejected::Undecided`].
///
/// ```
/// use selvedge_certify::{Arithmetic, Certificate, Rejected, check};
/// use selvedge_ir::text;
/// use selvedge_passes::Options;
/// use selvedge_smt::Limits;
///
/// let program = text::parse(
///     "example",
///     "shared x: u8;
///      procedure worker() { x := x + 1; assert x == 1 \"alone\"; }
///      thread 2 worker;",
/// )
/// .unwrap();
/// // Without a single relation, nothing excludes the error.
/// let certificate =
///     Certificate::new("nobody", &program, &Options::default(), Arithmetic::Bits);
/// let rejected = check(&program, &certificate, &Limits::none()).unwrap_err();
/// assert!(matches!(rejected, Rejected::Fails(_)));
/// ```
pub fn check(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    spend_reading(certificate, limits)?;
    let own = program_of(certificate)?;
    if !own.does_the_same_as(program) {
        let why = "the certificate is about another program".to_owned();
        return Err(Rejected::OtherProgram(why));
    }
    check_program(&own, certificate, limits)
}

/// Checks a certificate against the program that it carries.
pub fn check_alone(certificate: &Certificate, limits: &Limits) -> Result<Accepted, Rejected> {
    spend_reading(certificate, limits)?;
    let program = program_of(certificate)?;
    check_program(&program, certificate, limits)
}

/// Bytes of the embedded program that are read for one unit of work.
const BYTES_PER_UNIT: usize = 16;

fn spend_reading(certificate: &Certificate, limits: &Limits) -> Result<(), Rejected> {
    limits.clock.spend((certificate.program.len() / BYTES_PER_UNIT) as u64);
    let over = |reason| undecided("the embedded program", reason);
    limits.exceeded().map_or(Ok(()), |reason| Err(over(reason)))
}

fn undecided(obligation: &str, reason: Reason) -> Rejected {
    Rejected::Undecided { obligation: obligation.to_owned(), reason }
}

/// The program that a certificate is about.
pub fn program_of(certificate: &Certificate) -> Result<Program, Rejected> {
    well_formed::carried(&certificate.program).map_err(Rejected::Malformed)
}

/// Certificates speak of sequentially consistent executions.
fn refuse_weak_orders(program: &Program, races: bool) -> Result<(), Rejected> {
    match orders::beyond_sequential(program, races)[..] {
        [] => Ok(()),
        [first, ..] => Err(Rejected::Malformed(format!(
            "it takes accesses for sequentially consistent that are weaker (line {})",
            first.line
        ))),
    }
}

fn check_program(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    let begin = limits.clock.now();
    refuse(certificate)?;
    unchecked(program, certificate)?;
    let options = certificate.options();
    refuse_weak_orders(program, options.checks(Property::Race))?;
    let prepared = prepare(program, &options, limits)?;
    let mut space = Space::of(&prepared, certificate.arithmetic);
    let family = family::read(&mut space, certificate)?;
    let all = walk_all(&mut space, &options.properties, limits)?;
    let mut asker = Asker::new(space, family, limits);
    asker.initial()?;
    asker.errors(&all.bad)?;
    if options.checks(Property::Race) {
        asker.races(&all.accesses)?;
    }
    asker.steps(&all.steps)?;
    let mut assumptions = Vec::new();
    if certificate.arithmetic == Arithmetic::Math {
        assumptions.push(Assumption::UnboundedIntegers);
    }
    if certificate.few_threads {
        assumptions.push(Assumption::FewThreads);
    }
    Ok(Accepted {
        obligations: asker.obligations,
        asked: asker.asked,
        time: limits.clock.now().since(begin),
        assumptions,
    })
}

/// The preparation that the certificate names, within the limits.
fn prepare(
    program: &Program,
    options: &selvedge_passes::Options,
    limits: &Limits,
) -> Result<Prepared, Rejected> {
    let budget = selvedge_passes::Limits::until(&limits.clock, limits.deadline);
    selvedge_passes::prepare_within(program, options, &budget).map_err(|why| {
        let reason = match why {
            Unprepared::OutOfBudget => Reason::Time,
            Unprepared::TooLarge { what } => Reason::Incomplete(what),
        };
        undecided("the preparation of the program", reason)
    })
}

/// What all threads can do.
pub(crate) fn walk_all(
    space: &mut Space<'_>,
    properties: &[Property],
    limits: &Limits,
) -> Result<Walked, Rejected> {
    let threads = space.threads.clone();
    let over = |reason| undecided("the paths of the threads", reason);
    let flow = Flow::of(space.program, &threads, limits).map_err(over)?;
    let mut all = Walked::default();
    for thread in threads.ids() {
        let walked = walk(space, &flow, properties, thread, limits).map_err(over)?;
        all.steps.extend(walked.steps);
        all.bad.extend(walked.bad);
        all.accesses.extend(walked.accesses);
    }
    Ok(all)
}

/// Claims that no family of relations can support.
/// Where the checks of a property were left out, nothing can violate it, and that shows nothing.
fn unchecked(program: &Program, certificate: &Certificate) -> Result<(), Rejected> {
    let Some(checks) = &program.checks else { return Ok(()) };
    match certificate.properties.iter().find(|property| !checks.contains(property)) {
        Some(&property) => Err(Rejected::Unchecked(property)),
        None => Ok(()),
    }
}

fn refuse(certificate: &Certificate) -> Result<(), Rejected> {
    let malformed = |why: &str| Err(Rejected::Malformed(why.to_owned()));
    if certificate.format != FORMAT || certificate.version != VERSION {
        return malformed("the format or its version is not known");
    }
    if certificate.properties.is_empty() {
        return malformed("no property is claimed");
    }
    if certificate.properties.contains(&Property::Deadlock) {
        return malformed("a certificate cannot show that a program has no deadlock");
    }
    Ok(())
}
