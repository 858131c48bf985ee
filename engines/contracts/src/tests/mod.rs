//! Specifications built by hand on small Plato programs.

mod apart;
mod build;
mod certificates;
mod components;
mod ghosts;
mod heap;
mod locks;
mod mutants;
mod random;
mod regions;
mod scale;
mod steps;

use selvedge_certify_contracts::{self as certify, Accepted, Rejected, Solvers};
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Options, Run};

use crate::{Kind, Obligation, Report, check};

fn program(model: &str) -> Program {
    text::parse("test.plato", model).unwrap()
}

fn report(program: &Program) -> Report {
    let options = Options::new(&[Property::Assert]);
    check(program, &options, &mut Run::silent(Budget::unlimited())).unwrap()
}

/// What the checker makes of the facts that were found, whether all is proved or not.
fn certified(program: &Program, report: &Report) -> Result<Accepted, Rejected> {
    let certificate = report.certificate(program, &[Property::Assert]);
    let limits = Run::silent(Budget::work(WORK)).limits(None);
    certify::check(program, &certificate, Solvers::Z3, &limits)
}

/// For the check of one certificate.
const WORK: u64 = 50_000_000;

/// What is not proved.
fn open(report: &Report) -> Vec<&Obligation> {
    report.obligations().filter(|obligation| !obligation.outcome.is_proved()).collect()
}

fn proved(program: &Program) {
    let report = proved_by_the_engine(program);
    let checked = certified(program, &report);
    assert!(checked.is_ok(), "{checked:?}");
}

/// Proved, whatever the checker of certificates says.
fn proved_by_the_engine(program: &Program) -> Report {
    let report = report(program);
    let open = open(&report);
    let texts: Vec<String> = open
        .iter()
        .map(|o| format!("{}: {} {:?} {:?}", o.at.line, o.kind, o.annotation, o.outcome))
        .collect();
    assert!(open.is_empty(), "{texts:#?}");
    report
}

/// Some obligation of this kind is not proved.
fn fails(program: &Program, kind: impl Fn(&Kind) -> bool) {
    let report = report(program);
    let open = open(&report);
    assert!(open.iter().any(|obligation| kind(&obligation.kind)), "{open:#?}");
}
