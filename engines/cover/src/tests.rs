//! Whole programs.

use selvedge_ir::{Program, Property, text};
use selvedge_smt::Limits;

use super::{Options, Outcome, verify};

const TICKET: &str = include_str!("../../../../examples/ticket_any.plato");

fn options() -> Options {
    let time = Some(std::time::Duration::from_secs(60));
    Options { math: true, time, ..Options::new(&[Property::Assert]) }
}

fn program(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn decide(source: &str, predicates: &[&str]) -> Result<Outcome, super::Failure> {
    let predicates = predicates.iter().map(|text| text.to_string()).collect();
    let options = Options { predicates, ..options() };
    verify(&program(source), &options, &mut |round| {
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

/// No comparison of the program says that x is even, nor does a proof that a run is impossible.
const EVEN: &str = "shared x: i32;
    procedure worker() { atomic { x := x + 2; } assert x != 7; }
    thread any worker;";

#[test]
fn atoms_of_a_horn_solution_are_candidates() {
    let mut log = String::new();
    let with = verify(&program(EVEN), &options(), &mut |round| log += &round.to_string());
    let Ok(Outcome::Proved(certificate)) = with else { panic!("{with:?}") };
    selvedge_certify::check_alone(&certificate, &Limits::none()).expect("a good certificate");
    assert!(log.contains("atoms of a horn solution at level 1 are candidates"), "{log}");
    assert!(log.contains("taken from the horn solution: "), "{log}");

    let time = Some(std::time::Duration::from_secs(5));
    let without = Options { atoms: false, time, ..options() };
    let found = verify(&program(EVEN), &without, &mut |_| {});
    assert!(matches!(found, Err(super::Failure::Stop(_))), "{found:?}");
}

/// The number of threads inside is counted; who finds it zero closes. Predicates over two threads do
/// not say that it counts.
const COUNTED: &str = "shared count: i32; shared flag: i32; shared closed: i32;
    procedure user() { local f: i32;
        atomic { count := count + 1; }
        atomic { f := flag; }
        assume f == 0;
        assert closed == 0;
        atomic { count := count - 1; } }
    procedure closer() {
        atomic { flag := 1; }
        atomic { wait count == 0; }
        atomic { closed := 1; } }
    thread any user; thread closer;";

#[test]
fn variables_that_count_threads() {
    let mut log = String::new();
    let found = verify(&program(COUNTED), &options(), &mut |round| log += &round.to_string());
    let Ok(Outcome::Proved(certificate)) = found else { panic!("{found:?}\n{log}") };
    assert!(log.contains("numbers of threads are known by count"), "{log}");
    assert_eq!(certificate.ghosts.counters.len(), 1, "{:?}", certificate.ghosts);
    selvedge_certify::check_alone(&certificate, &Limits::none()).expect("a good certificate");
}

#[test]
fn a_flag_tested_before_counting() {
    let late = COUNTED.replace("atomic { count := count + 1; }", "");
    let late = late.replace("assume f == 0;", "assume f == 0; atomic { count := count + 1; }");
    match decide(&late, &[]) {
        Ok(Outcome::Unsafe(trace)) => assert!(trace.failure().is_some()),
        other => panic!("{other:?}"),
    }
}
