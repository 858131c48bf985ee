//! Races by `horn`, on small programs whose answer is known.

use selvedge_horn::{Own, verify};
use selvedge_ir::{Property, text};
use selvedge_verdict::{Budget, Event, Integers, Options, Run, Stop, Verdict};

/// Units of work for each program.
const WORK: u64 = 60_000_000;

fn races(source: &str) -> Result<Verdict, Stop> {
    let program = text::parse("test.plato", source).expect("a good program");
    let options: Options<Own> =
        Options { integers: Integers::Math, ..Options::new(&[Property::Race]) };
    let mut run = Run::new(Budget::work(WORK), |event| {
        if let Event::Round(round) = event {
            println!("{round}");
        }
    });
    verify(&program, &options, &mut run)
}

#[track_caller]
fn safe(source: &str) {
    let found = races(source);
    assert!(matches!(found, Ok(Verdict::Safe(_))), "{found:?}");
}

/// A race on this variable.
#[track_caller]
fn race(source: &str, on: &str) {
    let found = races(source);
    let Ok(Verdict::Unsafe(counterexample)) = found else { panic!("{found:?}") };
    let outcome = counterexample.trace().outcome.to_string();
    assert!(outcome.contains(&format!("data race on {on}")), "{outcome}");
}

const LOCKED: &str = "shared x: i32; shared m: thread;
    procedure worker() { local t: i32; lock m; t := x; x := t + 1; unlock m; }
    thread any worker;";

#[test]
fn a_lock_for_any_number_of_threads() {
    safe(LOCKED);
    race(&LOCKED.replace("unlock m;", "unlock m; x := 0;"), "x");
}

#[test]
fn threads_that_race_from_the_beginning() {
    race("shared x: i32; procedure worker() { x := 1; } thread any worker;", "x");
    safe("shared x: i32; procedure worker() { local t: i32; t := x; } thread any worker;");
    safe("shared x: i32; procedure worker() { x := 1; } thread worker;");
}

/// Who is inside is alone there only because all tickets differ: a relation of two threads.
#[test]
fn a_ticket_lock_for_any_number_of_threads() {
    let source = "shared s: i32; shared t: i32; shared x: i32;
        procedure worker() { local l: i32;
            atomic { l := t; t := t + 1; }
            atomic { wait s == l; }
            x := 1;
            atomic { s := s + 1; } }
        thread any worker;";
    safe(source);
    race(
        &source
            .replace("atomic { l := t; t := t + 1; }", "atomic { l := t; } atomic { t := l + 1; }"),
        "x",
    );
}

const HANDED_OVER: &str = "shared flag: i32; shared data: i32;
    procedure producer() { local t: i32; while (true) {
        atomic { t := flag; assume t == 0; } data := 1; atomic { flag := 1; } } }
    procedure consumer() { local t: i32; while (true) {
        atomic { t := flag; assume t == 1; } t := data; atomic { flag := 0; } } }
    thread producer; thread consumer;";

#[test]
fn two_instances() {
    safe(HANDED_OVER);
    let early =
        HANDED_OVER.replace("t := data; atomic { flag := 0; }", "atomic { flag := 0; } t := data;");
    race(&early, "data");
}

#[test]
fn threads_that_are_started() {
    let source = "shared x: i32;
        procedure worker() { x := 1; }
        procedure main() { local t: thread = none; t := spawn worker(); join t; x := 2; }
        thread main main;";
    safe(source);
    race(&source.replace("join t; x := 2;", "x := 2; join t;"), "x");
    race(&source.replace("join t; x := 2;", "t := spawn worker(); join t;"), "x");
}
