//! Proofs by contracts: their certificates, written and checked again.

use selvedge_certify_contracts::{
    Accepted, Certificate, Rejected, Solvers, check, check_alone, cvc5_is_installed, program_of,
};
use selvedge_contracts::{Own, Report};
use selvedge_ir::{Program, Property};
use selvedge_report::counted;
use selvedge_smt::{Limits, Reason};
use selvedge_verdict::{Budget, Evidence, Options, Proof, Run, Stop, Verdict};

use crate::args::{Certify, SolverChoice};
use crate::status::{Refusal, Status};
use crate::{guard, input, terminal, verify};

/// The proof where all obligations are proved, if the certificate is accepted within what is left.
pub fn proof(
    program: &Program,
    report: &Report,
    question: &Options<Own>,
    left: Budget,
) -> Result<Proof, Stop> {
    checked(program, question, report.certificate(program, &question.properties), left)
}

/// The certificate of a proof by contracts, and what its checker said.
pub fn evidence(verdict: &Verdict) -> Option<(&Certificate, &Accepted)> {
    match verdict {
        Verdict::Safe(proof) => match proof.evidence() {
            Evidence::Contracts(certificate, accepted) => Some((certificate, accepted)),
            _ => None,
        },
        Verdict::Unsafe(_) => None,
    }
}

/// The proof, once the checker has accepted it.
fn checked(
    program: &Program,
    question: &Options<Own>,
    certificate: Certificate,
    budget: Budget,
) -> Result<Proof, Stop> {
    let (program, question) = (program.clone(), question.clone());
    let work = move |_: guard::Teller<Result<Proof, Stop>>| {
        let run = Run::silent(budget);
        let limits =
            Limits { time: Some(question.own.question), ..run.limits(question.queries.as_ref()) };
        let proof = Proof::by_contracts(&program, &question, certificate, Solvers::Z3, &limits);
        proof.map_err(|rejected| match rejected {
            Rejected::Undecided { reason: Reason::Time, .. } if run.exceeded().is_some() => {
                run.out_of_budget()
            }
            other => Stop::NotCertified { why: other.to_string() },
        })
    };
    guard::run(budget, work, |_| {}).and_then(|found| found)
}

/// Checks a certificate of contracts, which `--certificate` wrote.
pub fn certify(text: &str, options: &Certify) -> Result<Status, Refusal> {
    let shown = options.certificate.display();
    let malformed = |error: String| Refusal::input(format!("{shown}: {error}"));
    let certificate = Certificate::from_json(text).map_err(malformed)?;
    let own = program_of(&certificate).map_err(|error| malformed(error.to_string()))?;
    if options.outline {
        terminal::print(&outline(&certificate));
        return Ok(Status::Safe);
    }
    let solvers = match options.solver {
        SolverChoice::Z3 => Solvers::Z3,
        SolverChoice::Cvc5 => Solvers::Cvc5,
        SolverChoice::Both => Solvers::Both,
    };
    if solvers != Solvers::Z3 && !cvc5_is_installed() {
        return Err(Refusal::usage("`--solver`: cvc5 is not installed"));
    }
    let dump = verify::queries(options.queries.as_deref())?;
    let limits = Limits { time: options.time.0, dump, ..Limits::default() };
    let result = match options.files.is_empty() {
        true => check_alone(&certificate, solvers, &limits),
        false => check(&named(&own, options)?, &certificate, solvers, &limits),
    };
    if result.is_ok() && options.files.is_empty() {
        terminal::print("program: as the certificate carries it; not compared with sources\n");
    }
    tell(result).map_err(malformed)
}

/// The program of the named sources, read as the certificate's was: without `main` if it has none.
fn named(own: &Program, options: &Certify) -> Result<Program, Refusal> {
    let checks = own.checks.clone().unwrap_or_else(|| vec![Property::Assert]);
    let library = options.library || own.threads.is_empty();
    let read = input::load_specified(&options.files, &options.preprocessor, &checks, library)?;
    Ok(read.annotated.unwrap_or(read.program))
}

fn outline(certificate: &Certificate) -> String {
    let loops = certificate.loops.iter().map(|about| {
        let facts = counted(about.facts.len() as u64, "fact");
        format!("loop of {} at location {}: {facts}\n", about.procedure, about.head)
    });
    format!("claims: {}\n{}", certificate.properties.join(", "), loops.collect::<String>())
}

/// Tells what came of it; an error is about a certificate that has no meaning.
fn tell(result: Result<Accepted, Rejected>) -> Result<Status, String> {
    let (text, status) = match result {
        Ok(accepted) => (accepted_text(&accepted), Status::Safe),
        Err(Rejected::Malformed(why)) => return Err(why),
        Err(rejected @ Rejected::Undecided { .. }) => {
            (format!("{rejected}\ncertificate: not decided\n"), Status::Unknown)
        }
        Err(rejected) => (format!("{rejected}\ncertificate: rejected\n"), Status::Unsafe),
    };
    terminal::print(&text);
    Ok(status)
}

fn accepted_text(accepted: &Accepted) -> String {
    let names: Vec<&str> = accepted.properties.iter().map(|property| property.name()).collect();
    let mut text = format!("proved: {}\n", names.join(", "));
    for assumption in &accepted.assumptions {
        text.push_str(&format!("assumed: {assumption}\n"));
    }
    let asked = counted(accepted.asked as u64, "question");
    let seconds = accepted.time.as_secs_f64();
    text.push_str(&format!("checked in {seconds:.2} s, {asked} asked of the solver\n"));
    if accepted.asked_again > 0 {
        let again = counted(accepted.asked_again as u64, "question");
        text.push_str(&format!("cvc5: {again}, {} left open\n", accepted.open));
    }
    let obligations = counted(accepted.obligations as u64, "obligation");
    text + &format!("certificate: accepted ({obligations})\n")
}
