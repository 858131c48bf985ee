//! Checking a certificate: from its text alone, or against a program at hand.

use std::time::Instant;

use selvedge_ir::{FileId, Program, Property, check, text};
use selvedge_smt::Limits;

use crate::ask::Asker;
use crate::certificate::{Arithmetic, Certificate, FORMAT, VERSION};
use crate::family;
use crate::flow::Flow;
use crate::space::Space;
use crate::verdict::{Accepted, Rejected};
use crate::walk::{Walked, walk};

/// Checks that the certificate proves the lowered program safe. The limits' time is for each
/// question that the solver is asked.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    let own = program_of(certificate)?;
    if nameless(&own) != nameless(program) {
        let why = "the certificate is about another program".to_owned();
        return Err(Rejected::OtherProgram(why));
    }
    check_program(&own, certificate, limits)
}

/// Checks a certificate against the program that it carries.
pub fn check_alone(certificate: &Certificate, limits: &Limits) -> Result<Accepted, Rejected> {
    let program = program_of(certificate)?;
    check_program(&program, certificate, limits)
}

/// The program that a certificate is about.
pub fn program_of(certificate: &Certificate) -> Result<Program, Rejected> {
    let program = text::parse("the certificate's program", &certificate.program);
    let program = program.map_err(|errors| {
        let first = errors.first().map_or(String::new(), |error| format!(": {error}"));
        Rejected::Malformed(format!("the embedded program cannot be read{first}"))
    })?;
    let violations = check::check(&program);
    if !violations.is_empty() {
        let listing = check::listing(&program, &violations);
        return Err(Rejected::Malformed(format!(
            "the embedded program is not well-formed:\n{listing}"
        )));
    }
    Ok(program)
}

/// A program without what says nothing of what it does: names of files, notes, annotations.
fn nameless(program: &Program) -> Program {
    let mut program = program.clone();
    program.name = String::new();
    program.notes.clear();
    program.annotations.clear();
    let files: Vec<FileId> = program.files.keys().collect();
    files.into_iter().for_each(|file| program.files[file].name = String::new());
    program
}

fn check_program(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    let begin = Instant::now();
    refuse(certificate)?;
    let options = certificate.options();
    let prepared = selvedge_passes::prepare(program, &options);
    let mut space = Space::of(&prepared, certificate.arithmetic);
    let family = family::read(&mut space, certificate)?;
    let all = walk_all(&mut space, &options.properties)?;
    let mut asker = Asker::new(space, family, limits);
    asker.initial()?;
    asker.errors(&all.bad)?;
    if options.checks(Property::Race) {
        asker.races(&all.accesses)?;
    }
    asker.steps(&all.steps)?;
    let mut assumptions = Vec::new();
    if certificate.arithmetic == Arithmetic::Math {
        assumptions.push("integers are taken to have no bounds".to_owned());
    }
    Ok(Accepted {
        obligations: asker.obligations,
        asked: asker.asked,
        time: begin.elapsed(),
        assumptions,
    })
}

/// What all threads can do.
pub(crate) fn walk_all(space: &mut Space<'_>, properties: &[Property]) -> Result<Walked, Rejected> {
    let threads = space.threads.clone();
    let flow = Flow::of(space.program, &threads);
    let mut all = Walked::default();
    for thread in threads.ids() {
        let walked = walk(space, &flow, properties, thread);
        let walked = walked.map_err(|why| Rejected::Undecided {
            obligation: "the paths of the threads".to_owned(),
            reason: selvedge_smt::Reason::Incomplete(why),
        })?;
        all.steps.extend(walked.steps);
        all.bad.extend(walked.bad);
        all.accesses.extend(walked.accesses);
    }
    Ok(all)
}

/// Claims that no family of relations can support.
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
