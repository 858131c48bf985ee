//! Several workers, the cache, and the environment in parts: none of them changes what is proved.

use std::path::PathBuf;

use selvedge_ir::spec::{Clause, When};
use selvedge_ir::{Int, Program, Property, Type};
use selvedge_verdict::{Budget, Options, Run, Stop};

use super::build::*;
use super::program;
use crate::{Own, Report, check};

const INT: Type = Type::Int(Int::I32);

fn with(program: &Program, own: Own) -> Report {
    let options = Options::with(&[Property::Assert], own);
    check(program, &options, &mut Run::silent(Budget::unlimited())).unwrap()
}

/// Everything but times.
fn told(report: &Report) -> Vec<String> {
    let parts = report.parts.iter().flat_map(|part| {
        let facts = part.invariants.iter().map(|about| format!("{:?}", about.facts));
        let own = part.obligations.iter().map(|o| format!("{} {o:?}", part.name));
        own.chain(facts).collect::<Vec<_>>()
    });
    parts.collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("selvedge-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// So many threads that count under a lock of their own; the broken one forgets its lock.
fn counters(number: usize, broken: Option<usize>, step: usize) -> Program {
    let mut text = String::new();
    for i in 0..number {
        text += &format!("shared m{i}: thread;\nshared x{i}: i32;\n");
    }
    for i in 0..number {
        let add = if i == 7 { step } else { 1 };
        let store = format!("x{i} := {add};");
        let lines = match broken == Some(i) {
            true => store,
            false => format!("lock m{i}; {store} assert x{i} == {add}; unlock m{i};"),
        };
        text += &format!(
            "procedure p{i}() {{ local n: i32 = 3; while (n > 0) {{ n := n - 1; }} {lines} }}\n"
        );
    }
    text += "procedure main() {\n";
    (0..number).for_each(|i| text += &format!("spawn p{i}();\n"));
    let mut found = program(&(text + "}\nthread main main;\n"));
    found.spec.environment =
        (0..number).map(|i| guarded_by(&found, &format!("m{i}"), &format!("x{i}"), INT)).collect();
    found
}

#[test]
fn the_number_of_workers_does_not_matter() {
    let program = counters(12, Some(3), 1);
    let one = with(&program, Own::default());
    assert!(!one.is_proved());
    for jobs in [2, 5, 40] {
        assert_eq!(told(&with(&program, Own { jobs, ..Own::default() })), told(&one));
    }
}

#[test]
fn only_what_was_edited_is_checked_again() {
    let cache = Some(folder("edited"));
    let own = || Own { cache: cache.clone(), ..Own::default() };
    let program = counters(50, None, 1);
    let first = with(&program, own());
    assert!(first.is_proved());
    assert_eq!(first.checked_and_recalled(), (52, 0));
    let again = with(&program, own());
    assert_eq!(again.checked_and_recalled(), (0, 52));
    assert_eq!(told(&again), told(&first));
    let edited = with(&counters(50, None, 2), own());
    assert!(edited.is_proved());
    assert_eq!(edited.checked_and_recalled(), (1, 51));
    assert_eq!(told(&edited), told(&with(&counters(50, None, 2), Own::default())));
    let _ = cache.map(std::fs::remove_dir_all);
}

#[test]
fn a_cache_proves_nothing_that_was_not_asked() {
    let cache = Some(folder("foreign"));
    let own = || Own { cache: cache.clone(), ..Own::default() };
    assert!(with(&counters(8, None, 1), own()).is_proved());
    for _ in 0..2 {
        let broken = with(&counters(8, Some(2), 1), own());
        assert!(!broken.is_proved());
        assert_eq!(told(&broken), told(&with(&counters(8, Some(2), 1), Own::default())));
    }
    let _ = cache.map(std::fs::remove_dir_all);
}

#[test]
fn entries_that_say_something_else_are_none() {
    let cache = folder("changed");
    let own = || Own { cache: Some(cache.clone()), ..Own::default() };
    let program = counters(4, None, 1);
    with(&program, own());
    let mut changed = 0;
    for shelf in std::fs::read_dir(cache.join("answers")).unwrap() {
        for entry in std::fs::read_dir(shelf.unwrap().path()).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, text.replace("proved", "Proved")).unwrap();
            changed += 1;
        }
    }
    assert!(changed >= 6, "{changed}");
    assert_eq!(with(&program, own()).checked_and_recalled(), (6, 0));
    let _ = std::fs::remove_dir_all(&cache);
}

#[test]
fn work_is_counted_for_each_procedure() {
    let program = counters(6, None, 1);
    let run = |work: u64, jobs: usize| {
        let options = Options::with(&[Property::Assert], Own { jobs, ..Own::default() });
        let mut run = Run::silent(Budget::work(work));
        check(&program, &options, &mut run)
            .map(|report| report.parts.iter().map(|part| part.work).collect::<Vec<u64>>())
    };
    let spent = run(50_000_000, 1).unwrap();
    assert!(spent.iter().all(|work| *work > 0), "{spent:?}");
    assert_eq!(run(50_000_000, 4), Ok(spent));
    assert!(matches!(run(3, 2), Err(Stop::Work { .. })));
}

/// Whatever is switched off, the answer about a procedure is this one.
fn always(program: &Program, name: &str, proved: bool) {
    for (commute, split, focus) in [
        (true, true, true),
        (true, true, false),
        (true, false, true),
        (true, false, false),
        (false, false, false),
    ] {
        let report = with(program, Own { commute, split, focus, ..Own::default() });
        let part = report.parts.iter().find(|part| part.name == name).unwrap();
        let found = part.obligations.iter().all(|obligation| obligation.outcome.is_proved());
        assert_eq!(found, proved, "{commute} {split} {focus}: {:#?}", told(&report));
    }
}

const PUBLISHED: &str = "
shared flag: i32;
shared y: i32;
shared z: i32;

procedure reader() {
    local t: i32;
    local f: i32;
    local u: i32;
    t := y;
    f := flag;
    if (f == 1) {
        BETWEEN
        u := y;
        assert t == u;
    }
}

procedure main() { spawn reader(); y := 1; flag := 1; }

thread main main;
";

/// Once the flag is up, neither changes.
fn settled(program: &Program) -> Vec<Clause> {
    let mut b = Build::new(program);
    let (flag, up) = (b.int("flag", When::Before), b.int("flag", When::After));
    let (old, new) = (b.int("y", When::Before), b.int("y", When::After));
    let kept = and(eq(up, number(1)), eq(new, old));
    vec![b.clause(implies(eq(flag, number(1)), kept), "settled once the flag is up")]
}

#[test]
fn what_a_guard_guards_is_not_older_than_the_guard() {
    for between in ["", "z := 2;", "t := y; z := 2;"] {
        let mut program = program(&PUBLISHED.replace("BETWEEN", between));
        program.spec.environment = settled(&program);
        always(&program, "reader", between.starts_with('t'));
    }
}

#[test]
fn what_was_read_before_the_lock_may_have_changed() {
    let text = "
shared m: thread;
shared x: i32;
shared z: i32;

procedure p() {
    local t: i32;
    local u: i32;
    EARLY
    lock m;
    LATE
    z := 1;
    u := x;
    assert t == u;
    unlock m;
}

procedure main() { spawn p(); lock m; x := x + 1; unlock m; }

thread main main;
";
    for (early, late, proved) in [("t := x;", "", false), ("", "t := x;", true)] {
        let mut program = program(&text.replace("EARLY", early).replace("LATE", late));
        program.spec.environment = vec![guarded_by(&program, "m", "x", INT)];
        always(&program, "p", proved);
    }
}
