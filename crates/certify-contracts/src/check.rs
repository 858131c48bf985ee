//! Checking a certificate: against a program at hand, or against the one that it carries.

use std::collections::BTreeMap;

use selvedge_budget::workers;
use selvedge_ir::{ProcId, Program, Property, check as well_formed};
use selvedge_smt::Limits;

use crate::ask::{Asker, Counts, Solvers};
use crate::assumed::Assumed;
use crate::certificate::{Certificate, FORMAT, VERSION};
use crate::heads::{self, Facts};
use crate::meetings::cost;
use crate::subject::Subject;
use crate::verdict::{Accepted, Rejected};
use crate::walk;
use crate::whole;
use crate::world::World;

/// Checks that the certificate proves of the lowered program what it claims.
///
/// The limits' time is for each question to a solver, their deadline for all that is done.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    solvers: Solvers,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    let own = program_of(certificate)?;
    if !own.does_the_same_as(program) {
        return Err(Rejected::OtherProgram);
    }
    // Places are named as in the program at hand.
    check_program(program, certificate, solvers, limits)
}

/// Checks a certificate against the program that it carries.
pub fn check_alone(
    certificate: &Certificate,
    solvers: Solvers,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    check_program(&program_of(certificate)?, certificate, solvers, limits)
}

/// The program that a certificate is about.
pub fn program_of(certificate: &Certificate) -> Result<Program, Rejected> {
    well_formed::carried(&certificate.program).map_err(Rejected::Malformed)
}

fn check_program(
    program: &Program,
    certificate: &Certificate,
    solvers: Solvers,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    let begin = limits.clock.now();
    let properties = claimed(program, certificate)?;
    let budget = selvedge_passes::Limits::until(&limits.clock, limits.deadline);
    let subject = Subject::of(&with_invariants(program, certificate)?, &budget)?;
    let facts = heads::facts(&subject, certificate)?;
    let tasks = Task::all(&subject);
    let checked = |index: usize| {
        workers::alone(|| {
            let asker = Asker::new(solvers, limits.clone());
            tasks[index].check(&subject, &facts, &properties, asker)
        })
    };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let counts = workers::all(jobs, tasks.len(), checked, |_| {})?;
    let sum = |of: fn(&Counts) -> usize| counts.iter().map(of).sum();
    Ok(Accepted {
        properties,
        obligations: sum(|counts| counts.obligations),
        asked: sum(|counts| counts.asked),
        asked_again: sum(|counts| counts.asked_again),
        open: sum(|counts| counts.open),
        time: limits.clock.now().since(begin),
        assumptions: subject.assumptions(),
    })
}

/// What is checked by itself.
#[derive(Clone, Copy)]
enum Task {
    /// A group of clauses, by its number.
    Group(usize),
    Specification,
    Procedure(ProcId),
}

impl Task {
    fn all(subject: &Subject) -> Vec<Task> {
        let groups = (0..subject.groups.all.len()).map(Task::Group);
        // Long ones first, so that the last to end is a short one.
        let mut procedures = subject.checked();
        procedures.sort_by_key(|&id| std::cmp::Reverse(cost(&subject.program.procedures[id])));
        let procedures = procedures.into_iter().map(Task::Procedure);
        groups.chain([Task::Specification]).chain(procedures).collect()
    }

    fn check(
        self,
        subject: &Subject,
        facts: &Facts,
        properties: &[Property],
        asker: Asker,
    ) -> Result<Counts, Rejected> {
        let world = |assumed| World::new(subject, asker, assumed);
        let asker = match self {
            Task::Group(number) => {
                let group = &subject.groups.all[number];
                whole::group(world(Assumed::of_group(subject, group)))?
            }
            Task::Specification => whole::specification(world(Assumed::whole(subject)))?,
            Task::Procedure(id) => {
                let (mut world, none) =
                    (world(Assumed::of_procedure(subject, id)), BTreeMap::new());
                walk::procedure(&mut world, id, properties, facts.get(&id).unwrap_or(&none))?;
                world.asker
            }
        };
        asker.end()
    }
}

/// The program, its invariants together with those that the certificate adds.
fn with_invariants(program: &Program, certificate: &Certificate) -> Result<Program, Rejected> {
    let mut program = program.clone();
    program.spec.invariants.extend(certificate.invariants.iter().cloned());
    match well_formed::check(&program).is_empty() {
        true => Ok(program),
        false => Err(Rejected::Malformed("an added invariant is not well-formed".to_owned())),
    }
}

/// The properties that are claimed, if a proof of this kind can show them.
fn claimed(program: &Program, certificate: &Certificate) -> Result<Vec<Property>, Rejected> {
    let malformed = |why: String| Err(Rejected::Malformed(why));
    if certificate.format != FORMAT || certificate.version != VERSION {
        return malformed("the format or its version is not known".to_owned());
    }
    if certificate.properties.is_empty() {
        return malformed("no property is claimed".to_owned());
    }
    let mut properties = Vec::new();
    for name in &certificate.properties {
        match Property::from_name(name) {
            Some(p @ (Property::Assert | Property::Memory | Property::Overflow)) => {
                properties.push(p)
            }
            _ => return malformed(format!("contracts cannot show `{name}`")),
        }
    }
    let has = |property: &Property| program.checks.as_ref().is_none_or(|c| c.contains(property));
    match properties.iter().find(|property| !has(property)) {
        Some(&property) => Err(Rejected::Unchecked(property)),
        None => Ok(properties),
    }
}
