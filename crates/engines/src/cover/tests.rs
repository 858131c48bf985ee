//! Whole programs.

use selvedge_ir::{Program, Property, text};
use selvedge_smt::Limits;

use super::{Options, Outcome, verify};

const TICKET: &str = include_str!("../../../../examples/ticket_any.plato");

fn decide(source: &str, predicates: &[&str]) -> Result<Outcome, super::Failure> {
    let program: Program = text::parse("test.plato", source).expect("a good program");
    let options = Options {
        math: true,
        time: Some(std::time::Duration::from_secs(60)),
        predicates: predicates.iter().map(|text| text.to_string()).collect(),
        ..Options::new(&[Property::Assert])
    };
    verify(&program, &options, &mut |round| {
        println!("{round}\n  {}", round.predicates.join("\n  "));
    })
}

#[track_caller]
fn proved(source: &str, predicates: &[&str]) {
    match decide(source, predicates) {
        Ok(Outcome::Proved(certificate)) => {
            let checked = selvedge_certify::check_alone(&certificate, &Limits::none());
            if let Err(rejected) = checked {
                panic!("{rejected}\n{}", certificate.to_json());
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn ticket_lock_with_predicates_given() {
    proved(TICKET, &["l != \\other(l)", "t > l && t > \\other(l)", "s == l"]);
}

#[test]
fn ticket_lock_with_nothing_given() {
    proved(TICKET, &[]);
}

#[test]
fn torn_ticket_lock_fails() {
    let torn = TICKET.replace("atomic { l := t; t := t + 1; }", "l := t; t := l + 1;");
    assert_ne!(torn, TICKET);
    match decide(&torn, &[]) {
        Ok(Outcome::Unsafe(trace)) => assert!(trace.failure().is_some()),
        other => panic!("{other:?}"),
    }
}
