//! Liveness, templates, locks, parallelism, footprints.

use selvedge_ir::Multiplicity;

use super::*;
use crate::{Prepared, prepare};

fn prepared(text: &str) -> Prepared {
    let prepared = prepare(&parsed(text), &Options::default());
    well_formed(&prepared.program);
    prepared
}

fn listing(text: &str, stage: Stage) -> String {
    crate::dump(&parsed(text), stage, &Options::default())
}

#[test]
fn a_local_is_live_until_its_last_read() {
    let prepared = prepared(
        "shared x: i32;
         procedure main() { local a: i32; local b: i32; havoc a; havoc b; x := a; x := 0; }
         thread main main;",
    );
    let id = prepared.program.threads[0].procedure;
    let main = &prepared.program.procedures[id];
    let live = |location: u32, name: &str| {
        let (local, _) = main.locals.iter().find(|(_, l)| l.name == name).expect("it exists");
        prepared.liveness.is_live(id, LocationId::from_u32(location), local)
    };
    assert_eq!(
        [live(0, "a"), live(1, "a"), live(2, "a"), live(3, "a")],
        [false, true, true, false]
    );
    assert!((0..4).all(|at| !live(at, "b")));
}

fn counts(text: &str) -> Vec<(String, Multiplicity)> {
    let prepared = prepared(text);
    let name = |p| prepared.program.procedures[p].name.clone();
    prepared.templates.list.iter().map(|t| (name(t.procedure), t.count)).collect()
}

#[test]
fn spawn_sites_are_counted() {
    use Multiplicity::*;
    let found = counts(
        "procedure leaf() { }
         procedure worker() { spawn leaf(); spawn leaf(); }
         procedure forever() { while (true) { spawn leaf(); } }
         procedure main() { spawn worker(); spawn worker(); spawn worker(); }
         thread main main;",
    );
    let expected = [("main", Exactly(1)), ("leaf", Exactly(6)), ("worker", Exactly(3))];
    assert_eq!(found, expected.map(|(n, c)| (n.to_owned(), c)));
}

#[test]
fn loops_with_an_evident_bound_are_counted() {
    use Multiplicity::*;
    let with = |body: &str| {
        counts(&format!(
            "shared n: i32; procedure w() {{ }}
             procedure main() {{ local i: i32; {body} }} thread main main;"
        ))[1]
            .1
    };
    assert_eq!(with("i := 0; while (i < 3) { spawn w(); i := i + 1; }"), Exactly(3));
    assert_eq!(with("i := 1; while (i <= 9) { i := i + 2; spawn w(); spawn w(); }"), Exactly(10));
    assert_eq!(with("i := 0; while (i < n) { spawn w(); i := i + 1; }"), Any);
    assert_eq!(with("i := n; while (i < 3) { spawn w(); i := i + 1; }"), Any);
    assert_eq!(with("i := 0; while (i < 3) { spawn w(); if (n > 0) { i := i + 1; } }"), Any);
    assert_eq!(
        with("i := 0; while (i < 3) { spawn w(); i := i + 1; if (n > 0) { i := 0; } }"),
        Any
    );
}

#[test]
fn recursion_spawns_any_number() {
    let found = counts(
        "procedure worker() { spawn worker(); }
         procedure main() { spawn worker(); }
         thread main main;",
    );
    assert_eq!(found[1].1, Multiplicity::Any);
}

const LOCKED: &str = "shared m: thread; shared x: i32;
     procedure worker() { lock m; x := 1; if (x > 0) { x := 2; } unlock m; x := 3; }
     procedure main() { spawn worker(); spawn worker(); }
     thread main main;";

#[test]
fn locks_are_held_between_lock_and_unlock() {
    let text = listing(LOCKED, Stage::Locks);
    assert!(text.starts_with("lock m\n"), "{text}");
    assert_eq!(text.matches("holds m").count(), 5, "{text}");
}

#[test]
fn undisciplined_locks_do_not_count() {
    for (body, disciplined) in [
        ("unlock m; lock m;", false),
        ("m := none; lock m; unlock m;", false),
        ("local t: thread; t := m;", true),
        ("lock m; m := none;", false),
    ] {
        let text = format!(
            "shared m: thread;
             procedure worker() {{ lock m; skip; unlock m; {body} }}
             procedure main() {{ m := none; spawn worker(); spawn worker(); }} thread main main;"
        );
        assert_eq!(listing(&text, Stage::Locks).contains("lock m\n"), disciplined, "{body}");
    }
}

#[test]
fn initialisation_ends_holding() {
    let text = "shared m: thread; shared x: i32;
         procedure main() { lock m; m := none; x := 1; }
         thread main main;";
    let found = listing(text, Stage::Locks);
    assert_eq!(found.matches("holds m").count(), 1, "{found}");
}

#[test]
fn a_lock_taken_on_one_way_only_is_not_held() {
    let text = "shared m: thread; shared x: i32;
         procedure main() {
           local c: bool; havoc c;
           if (c) { lock m; }
           x := 1;
           if (c) { unlock m; }
         }
         thread main main;";
    assert!(!listing(text, Stage::Locks).contains("holds"), "{}", listing(text, Stage::Locks));
}

#[test]
fn joined_threads_are_no_longer_beside() {
    let text = "shared t: thread; shared x: i32;
         procedure worker() { x := 1; }
         procedure main() { x := 0; t := spawn worker(); x := 2; join t; x := 3; }
         thread main main;";
    let found = listing(text, Stage::Parallel);
    let beside: Vec<&str> = found.lines().filter(|l| l.starts_with("  ")).collect();
    assert_eq!(beside.len(), 3, "{found}");
    assert!(beside[0].ends_with("nobody") && beside[2].ends_with("nobody"), "{found}");
    assert!(beside[1].ends_with("worker"), "{found}");
    assert!(found.contains("thread worker: beside nobody"), "{found}");
}

#[test]
fn what_a_joined_thread_has_started_stays() {
    let text = "shared x: i32;
         procedure leaf() { x := 1; }
         procedure worker() { spawn leaf(); }
         procedure main() { local t: thread; t := spawn worker(); join t; x := 3; }
         thread main main;";
    let found = listing(text, Stage::Parallel);
    let last = found.lines().rfind(|l| l.starts_with("  "));
    assert!(last.is_some_and(|l| l.ends_with("beside leaf")), "{found}");
}

#[test]
fn a_join_of_one_of_two_ends_neither() {
    let text = "shared x: i32;
         procedure worker() { x := 1; }
         procedure main() {
           local t: thread; local c: bool; havoc c;
           t := spawn worker();
           if (c) { t := spawn worker(); }
           join t; x := 3;
         }
         thread main main;";
    let found = listing(text, Stage::Parallel);
    let last = found.lines().rfind(|l| l.starts_with("  "));
    assert!(last.is_some_and(|l| l.ends_with("beside worker")), "{found}");
}

#[test]
fn footprints_shrink_along_the_way_and_include_spawned_threads() {
    let prepared = prepared(
        "shared x: i32; shared y: i32;
         procedure worker() { y := 1; }
         procedure main() { local v: i32; v := x; spawn worker(); x := v; }
         thread main main;",
    );
    let id = prepared.program.threads[0].procedure;
    let main = &prepared.program.procedures[id];
    let region = |name: &str| {
        let found = prepared.program.regions.iter().find(|(_, r)| r.name == name);
        found.expect("the region exists").0
    };
    let start = prepared.footprints.at(id, main.entry);
    assert!(start.conflicts(region("y"), false) && start.conflicts(region("x"), false));
    assert!(start.may_spawn && start.may_end_program);
    let end = prepared.footprints.at(id, main.exit);
    assert!(!end.conflicts(region("x"), true) && !end.may_spawn);
    let (spawn, _) = main
        .edges()
        .find(|(_, e)| matches!(e.action, Action::Spawn { .. }))
        .expect("there is a spawn");
    assert!(prepared.footprints.edge(id, spawn).may_spawn);
    assert!(!prepared.footprints.edge(id, spawn).writes.contains(region("y")));
}

#[test]
fn what_may_be_freed_counts_as_written() {
    let prepared = prepared(
        "shared p: ptr;
         procedure worker() { local q: ptr; q := p; free q; }
         procedure main() {
           local q: ptr; q := alloc i32; *q: i32 := 1; p := q; spawn worker();
         }
         thread main main;",
    );
    let worker = prepared.program.procedure_named("worker").expect("it exists");
    let entry = prepared.program.procedures[worker].entry;
    let heap = prepared.program.regions.iter().find(|(_, r)| r.name.starts_with("heap"));
    let (heap, _) = heap.expect("the allocated cell has a region");
    assert!(prepared.footprints.at(worker, entry).conflicts(heap, false));
}
