//! The ticket lock, the paper's running example.

use selvedge_certify::tts::{Local, Shared, State};
use selvedge_smt::translate::Arithmetic;
use selvedge_system::{At, System};
use selvedge_verdict::{Budget, Run};

use super::{AbstractSystem, Abstraction, LocalState};
use crate::coverability::{Coverage, Effort, cover};
use crate::predicate::parse;
use crate::watch::Watch;

/// The ticket lock of figure 1, its check by a ghost variable.
const TICKET: &str = "shared s: i32; shared t: i32; shared inside: i32;
    procedure worker() { local l: i32;
        atomic { l := t; t := t + 1; }
        wait s == l;
        assert inside == 0 \"alone\";
        inside := 1;
        inside := 0;
        atomic { s := s + 1; } }
    thread any worker;";

fn ticket(source: &str, predicates: &[&str]) -> AbstractSystem {
    let program = selvedge_ir::text::parse("ticket.plato", source).expect("a good program");
    let prepared = selvedge_passes::prepare(&program, &selvedge_passes::Options::default());
    let options = selvedge_system::Options {
        arithmetic: Arithmetic::Math,
        ..selvedge_system::Options::new(&[selvedge_ir::Property::Assert])
    };
    let system = System::build(&prepared, &options).expect("a system");
    let watch = Watch::new(&Run::silent(Budget::unlimited()), None);
    let mut abstraction = Abstraction::new(system, watch);
    for text in predicates {
        let Abstraction { system, vocabulary, predicates, .. } = &mut abstraction;
        predicates.extend(parse(system, vocabulary, text).unwrap());
    }
    abstraction.explore().unwrap()
}

const PAPER: [&str; 3] = ["l != \\other(l)", "t > l && t > \\other(l)", "s == l"];

/// §4.2, the last paragraph: no number of threads covers two of them inside.
#[test]
fn ticket_lock_with_the_predicates_of_the_paper() {
    let found = ticket(TICKET, &PAPER);
    let inside = |state: &LocalState| matches!(state, LocalState::At { at: At::Cut(cut), .. } if (2..=5).contains(cut));
    let inside: Vec<u32> = (0..found.locals.len() as u32)
        .filter(|local| inside(&found.locals[*local as usize]))
        .collect();
    assert!(inside.len() >= 4);
    for &first in &inside {
        assert!(reaches(&found, &[first]), "{first}");
        for &second in &inside {
            assert!(!reaches(&found, &[first, second]), "{first}, {second}");
        }
    }
}

/// Whether threads in these local states are covered, at any shared state.
fn reaches(found: &AbstractSystem, locals: &[u32]) -> bool {
    let AbstractSystem { system, initial, shared, .. } = found;
    (0..shared.len() as u32).any(|shared| {
        let threads = locals.iter().copied().map(Local).collect();
        let target = State { shared: Shared(shared), threads };
        let run = Run::silent(Budget::unlimited());
        let coverage = cover(system, initial, &target, &run, &mut Effort::default());
        matches!(coverage.unwrap(), Coverage::Covered(_))
    })
}

/// With the ghost variable that the assertion is about, one has to know besides that a ticket is
/// drawn: otherwise a thread that blocks another goes to the sink, and what it has done stays.
#[test]
fn ticket_lock_with_its_assertion() {
    let ghost = ["inside == 0", "s < t"];
    let found = ticket(TICKET, &[PAPER.as_slice(), &ghost].concat());
    assert!(!reaches_wrong(&found));
    let fewer = ticket(TICKET, &[PAPER.as_slice(), &ghost[..1]].concat());
    assert!(reaches_wrong(&fewer));
    for missing in PAPER {
        let fewer: Vec<&str> = PAPER.into_iter().filter(|other| *other != missing).collect();
        let found = ticket(TICKET, &[fewer.as_slice(), &ghost].concat());
        assert!(reaches_wrong(&found), "without {missing}");
    }
}

fn reaches_wrong(found: &AbstractSystem) -> bool {
    let AbstractSystem { system, initial, target, .. } = found;
    let run = Run::silent(Budget::unlimited());
    let coverage = cover(system, initial, target, &run, &mut Effort::default());
    matches!(coverage.unwrap(), Coverage::Covered(_))
}
