//! Small programs whose answer is known.

use std::time::Duration;

use selvedge_ir::{Program, Property, text};

use super::{Found, Options, verify};
use selvedge_exec::Stop;

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn run(source: &str) -> Result<Found, Stop> {
    let options =
        Options { time: Some(Duration::from_secs(20)), ..Options::new(&[Property::Assert]) };
    let result = verify(&parse(source), &options, &mut |round| eprintln!("{round}"));
    if let Ok(Found::Safe(proof)) = &result {
        eprintln!("{}", proof.predicates.join("\n"));
    }
    result
}

#[track_caller]
fn safe(source: &str) {
    let found = run(source);
    assert!(matches!(found, Ok(Found::Safe(_))), "{found:?}");
}

#[track_caller]
fn wrong(source: &str) {
    let found = run(source);
    assert!(matches!(found, Ok(Found::Unsafe(_))), "{found:?}");
}

const COUNTER: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32; lock m; t := x; x := t + 1; t := x; x := t - 1; unlock m; }
    procedure main() { local a: thread; local b: thread; local t: i32;
        a := spawn inc(); b := spawn inc(); lock m; t := x; assert t == 0 \"free\"; unlock m; }
    thread main main;";

#[test]
fn a_lock_protects_a_counter() {
    safe(COUNTER);
    wrong(&COUNTER.replace("unlock m;", "").replace("lock m;", ""));
}

const POOL: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32;
        lock m; t := x; assert t == 0; x := 1; t := x; assert t == 1; x := 0; unlock m; }
    thread any inc;";

#[test]
fn a_pool_is_its_own_environment() {
    safe(POOL);
    wrong(&POOL.replace("unlock m;", "").replace("lock m;", ""));
}

#[test]
fn started_threads_are_joined() {
    let source = "shared x: i32;
        procedure inc() { local t: i32; t := x; x := t + 1; }
        procedure main() { local a: thread; local b: thread; local t: i32;
            x := 5; a := spawn inc(); join a; t := x; assert t == 6;
            b := spawn inc(); join b; t := x; assert t == 7; }
        thread main main;";
    safe(source);
    wrong(&source.replace("join b;", ""));
}

const PETERSON: &str = "shared f1: i32; shared f2: i32; shared turn: i32; shared in: i32;
    procedure one() { local t: i32;
        f1 := 1; turn := 2;
        wait f2 == 0 || turn == 1;
        t := in; assert t == 0; in := 1; in := 0; f1 := 0; }
    procedure two() { local t: i32;
        f2 := 1; turn := 1;
        wait f1 == 0 || turn == 2;
        t := in; assert t == 0; in := 1; in := 0; f2 := 0; }
    thread one; thread two;";

#[test]
fn private_state_becomes_visible() {
    safe(PETERSON);
}
