//! Certificates with mistakes in them are refused, and what they are about cannot be exchanged.

use selvedge_certify_contracts::{Certificate, Fact, Rejected, Solvers, check, check_alone};
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Run};

use super::heap::{FEW_JOBS, few_jobs};
use super::locks::{SIMPLE_LOCK, bounded, simple_lock};
use super::{WORK, program, report};

fn certificate(program: &Program) -> Certificate {
    report(program).certificate(program, &[Property::Assert])
}

fn checked(certificate: &Certificate) -> Result<(), Rejected> {
    let limits = Run::silent(Budget::work(WORK)).limits(None);
    check_alone(certificate, Solvers::Z3, &limits).map(|_| ())
}

fn writers() -> Program {
    program(include_str!("writer.plato"))
}

/// The certificate of another program with the facts of this one.
fn moved(certificate: &Certificate, to: &Program) -> Certificate {
    Certificate { program: text::print(to), ..certificate.clone() }
}

#[test]
fn certificates_survive_their_text() {
    let certificate = certificate(&simple_lock(&bounded(SIMPLE_LOCK)));
    let read = Certificate::from_json(&certificate.to_json());
    assert_eq!(read.as_ref(), Ok(&certificate));
    assert_eq!(checked(&certificate), Ok(()));
}

#[test]
fn a_certificate_is_about_one_program() {
    let right = simple_lock(&bounded(SIMPLE_LOCK));
    let limits = Run::silent(Budget::work(WORK)).limits(None);
    let mut other = right.clone();
    other.spec.invariants.clear();
    for program in [other, simple_lock(SIMPLE_LOCK), writers()] {
        let result = check(&program, &certificate(&right), Solvers::Z3, &limits);
        assert_eq!(result.map(|_| ()), Err(Rejected::OtherProgram));
    }
}

/// Leaves out one fact after the other, then all of them. How often that is refused.
fn refusals(certificate: &Certificate) -> usize {
    let mut refused = 0;
    for (place, about) in certificate.loops.iter().enumerate() {
        for number in 0..about.facts.len() {
            let mut fewer = certificate.clone();
            fewer.loops[place].facts.remove(number);
            refused += usize::from(checked(&fewer).is_err());
        }
    }
    refused
}

#[test]
fn facts_that_are_needed_are_missed() {
    for program in [simple_lock(&bounded(SIMPLE_LOCK)), writers()] {
        let certificate = certificate(&program);
        assert_eq!(checked(&certificate), Ok(()));
        assert!(refusals(&certificate) > 0, "every fact is idle");
        let without = Certificate { loops: Vec::new(), ..certificate };
        assert!(matches!(checked(&without), Err(Rejected::Fails { .. })));
    }
}

#[test]
fn facts_are_not_believed() {
    let right = certificate(&simple_lock(&bounded(SIMPLE_LOCK)));
    for fact in ["false", "(= tid 7)", "(< (select (select |@i32| 2) 0) 5)"] {
        let mut certificate = right.clone();
        certificate.loops[0].facts.push(Fact::Formula(fact.to_owned()));
        assert!(matches!(checked(&certificate), Err(Rejected::Fails { .. })), "{fact}");
    }
    let mut certificate = right;
    certificate.loops[0].facts.push(Fact::Done { actions: 1, when: "true".to_owned() });
    assert!(matches!(checked(&certificate), Err(Rejected::Fails { .. })), "nothing is done yet");
}

#[test]
fn what_has_no_meaning_is_malformed() {
    let right = certificate(&simple_lock(&bounded(SIMPLE_LOCK)));
    let with = |fact: Fact| {
        let mut certificate = right.clone();
        certificate.loops[0].facts.push(fact);
        checked(&certificate)
    };
    let formula = |text: &str| Fact::Formula(text.to_owned());
    let bad = [
        formula("(= other tid)"),
        formula("(+ 1 1)"),
        formula("(forall ((x Int)) (= x x))"),
        formula("(= |$t| true)"),
        formula(")"),
        formula(""),
        Fact::Requires(7),
        Fact::Done { actions: 9, when: "true".to_owned() },
    ];
    for fact in bad {
        let text = format!("{fact:?}");
        assert!(matches!(with(fact), Err(Rejected::Malformed(_))), "{text}");
    }
    let claims = |names: &[&str]| {
        let properties = names.iter().map(|name| (*name).to_owned()).collect();
        checked(&Certificate { properties, ..right.clone() })
    };
    for names in [&[][..], &["race"], &["deadlock"], &["assert", "luck"]] {
        assert!(matches!(claims(names), Err(Rejected::Malformed(_))), "{names:?}");
    }
    let version = Certificate { version: 2, ..right.clone() };
    assert!(matches!(checked(&version), Err(Rejected::Malformed(_))));
    let cut = Certificate { program: right.program[..99].to_owned(), ..right.clone() };
    assert!(matches!(checked(&cut), Err(Rejected::Malformed(_))));
}

/// Leaves out one clause of a specification after the other.
fn without_a_clause(program: &Program) -> Vec<(String, Program)> {
    let mut all = Vec::new();
    let spec = &program.spec;
    for number in 0..spec.environment.len() {
        let mut less = program.clone();
        let clause = less.spec.environment.remove(number);
        all.push((format!("environment {}", clause.text), less));
    }
    for number in 0..spec.invariants.len() {
        let mut less = program.clone();
        let clause = less.spec.invariants.remove(number);
        all.push((format!("invariant {}", clause.text), less));
    }
    for (place, contract) in spec.contracts.iter().enumerate() {
        for number in 0..contract.requires.len() {
            let mut less = program.clone();
            let clause = less.spec.contracts[place].requires.remove(number);
            all.push((format!("requires {}", clause.text), less));
        }
        for number in 0..contract.actions.len() {
            let mut less = program.clone();
            less.spec.contracts[place].actions[number].ensures.clear();
            all.push((format!("an action of contract {place}"), less));
        }
    }
    all
}

/// What the programs do not rely on, but for their authors' sake: all else is needed.
const IDLE: [&str; 2] = ["an action of contract 1", "environment counter <= counter'"];

#[test]
fn clauses_that_are_needed_are_missed() {
    for program in [simple_lock(&bounded(SIMPLE_LOCK)), few_jobs(FEW_JOBS)] {
        let certificate = certificate(&program);
        assert_eq!(checked(&certificate), Ok(()));
        for (what, less) in without_a_clause(&program) {
            let refused = checked(&moved(&certificate, &less)).is_err();
            assert!(refused || IDLE.contains(&what.as_str()), "{what}");
        }
    }
}

#[test]
fn a_loop_that_is_entered_twice_is_refused() {
    let program = program(
        "shared x: i32;
         procedure main() {
             local t: i32;
             L0: skip -> L1; t := 5 -> L2;
             L1: t := 0 -> L2;
             L2: skip -> L3; skip -> L4;
             L3: skip -> L5;
             L4: skip -> L3; skip -> L6;
             L5: skip -> L4;
             exit L6:
         }
         thread main main;",
    );
    let certificate = Certificate::new(&program, &[Property::Assert], Vec::new(), Vec::new());
    let refused = checked(&certificate);
    assert!(matches!(refused, Err(Rejected::NotUnderstood { .. })), "{refused:?}");
}
