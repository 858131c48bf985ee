//! Which locations stay interleaving points.

use super::*;

/// For each action of a procedure, in order of locations: whether the location before it is an
/// interleaving point.
fn points(text: &str, name: &str, properties: &[Property]) -> String {
    let program = after(text, Stage::Reduce, &checking(properties));
    let id = program.procedure_named(name).expect("the procedure exists");
    let procedure = &program.procedures[id];
    let mut lines = String::new();
    for (at, edge) in procedure.edges() {
        let mark = match procedure.locations[at.from].grain {
            Grain::Yield => "|",
            Grain::Joined => " ",
            Grain::Atomic => "a",
        };
        lines.push_str(&format!("{mark} {}\n", text::action(&program, procedure, &edge.action)));
    }
    lines
}

#[track_caller]
fn expect_points(text: &str, name: &str, properties: &[Property], expected: &[&str]) {
    let found = points(text, name, properties);
    let marks: Vec<&str> = found.lines().map(|l| &l[..1]).collect();
    assert_eq!(marks, expected, "\n{found}");
}

const ASSERT: &[Property] = &[Property::Assert];

#[test]
fn local_actions_are_joined() {
    let text = "shared x: i32;
         procedure worker() { local n: i32; havoc n; assume n > 0; assert n != 3; n := n * n; x := n; }
         procedure main() { spawn worker(); spawn worker(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " ", " ", " ", " "]);
}

#[test]
fn shared_accesses_are_points() {
    let text = "shared x: i32;
         procedure worker() { x := x + 1; x := 2; }
         procedure main() { spawn worker(); spawn worker(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", "|", "|"]);
}

const CRITICAL: &str = "shared m: thread; shared x: i32;
     procedure worker() { lock m; x := x + 1; unlock m; }
     procedure main() { spawn worker(); spawn worker(); }
     thread main main;";

#[test]
fn a_critical_section_is_one_transaction() {
    expect_points(CRITICAL, "worker", ASSERT, &["|", " ", " ", " "]);
    expect_points(CRITICAL, "worker", &[Property::Race], &["|", " ", " ", " "]);
}

#[test]
fn with_deadlock_a_second_lock_is_a_point() {
    let text = "shared m: thread; shared n: thread;
         procedure worker() { lock m; lock n; unlock n; unlock m; }
         procedure main() { spawn worker(); spawn worker(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " ", " ", " "]);
    expect_points(text, "worker", &[Property::Deadlock], &["|", "|", " ", " "]);
}

#[test]
fn an_access_outside_the_lock_makes_all_points() {
    let text = "shared m: thread; shared x: i32;
         procedure worker() { lock m; x := x + 1; unlock m; }
         procedure main() { spawn worker(); spawn worker(); x := 7; }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " ", "|", " "]);
    expect_points(text, "worker", &[Property::Race], &["|", "|", "|", " "]);
}

#[test]
fn before_the_first_spawn_and_after_the_last_join_nobody_looks() {
    let text = "shared x: i32;
         procedure worker() { x := 1; }
         procedure main() {
           local t: thread;
           x := 1; x := 2; t := spawn worker(); x := 3; join t; x := 4; assert x == 4;
         }
         thread main main;";
    expect_points(text, "main", ASSERT, &["|", " ", " ", "|", "|", " ", " ", " "]);
}

#[test]
fn read_only_data_is_no_point() {
    let text = "shared x: i32; shared y: i32;
         procedure worker() { y := x; y := x; }
         procedure main() { x := 5; spawn worker(); spawn worker(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " ", " ", "|"]);
}

#[test]
fn a_possible_race_stays_visible() {
    let text = "shared x: i32;
         procedure worker() { local n: i32 = 0; havoc n; x := n; }
         procedure main() { spawn worker(); spawn worker(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " "]);
    expect_points(text, "worker", &[Property::Race], &["|", "|"]);
}

#[test]
fn the_end_of_the_program_is_a_point_behind_a_shared_action() {
    let text = "shared x: i32;
         procedure worker() { assert x == 0; }
         procedure main() { spawn worker(); x := 1; skip; }
         thread main main;";
    expect_points(text, "main", ASSERT, &["|", "|", "|"]);
}

#[test]
fn every_cycle_keeps_a_point() {
    let text = "shared x: i32;
         procedure worker() { local n: i32 = 0; while (n < 9) { n := n + 1; } x := n; }
         procedure main() { spawn worker(); spawn worker(); }
         thread main main;";
    let found = points(text, "worker", ASSERT);
    assert_eq!(found.lines().filter(|l| l.starts_with('|') && l.contains("assume")).count(), 2);
}

#[test]
fn a_waiting_loop_through_an_atomic_block_keeps_a_point() {
    let text = "shared x: i32;
         procedure worker() { local v: i32 = 0; while (v == 0) { atomic { v := x; } } }
         procedure main() { spawn worker(); x := 1; }
         thread main main;";
    let found = points(text, "worker", ASSERT);
    let in_loop = found.lines().filter(|l| l.starts_with('|') && !l.contains(":= 0"));
    assert!(in_loop.count() >= 1, "{found}");
}

#[test]
fn switched_off_nothing_is_joined() {
    let options = Options { reduce: false, ..Options::default() };
    let program = after(CRITICAL, Stage::Reduce, &options);
    let joined = |p: &Procedure| p.locations.values().any(|l| l.grain == Grain::Joined);
    assert!(!program.procedures.values().any(joined));
}

#[test]
fn a_lock_that_others_may_release_is_no_mover() {
    let text = "shared m: thread; shared x: i32;
         procedure worker() { lock m; x := x + 1; unlock m; }
         procedure rogue() { unlock m; }
         procedure main() { spawn worker(); spawn worker(); spawn rogue(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", "|", "|", "|"]);
}

#[test]
fn an_observed_lock_protects_but_does_not_move() {
    let text = "shared m: thread; shared x: i32;
         procedure worker() { lock m; x := x + 1; unlock m; }
         procedure spy() { local t: thread; t := m; }
         procedure main() { m := none; spawn worker(); spawn worker(); spawn spy(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " ", " ", "|"]);
}

#[test]
fn the_end_of_a_thread_follows_what_it_did() {
    let text = "shared x: i32;
         procedure worker() { x := 1; end_thread; }
         procedure main() { spawn worker(); spawn worker(); }
         thread main main;";
    expect_points(text, "worker", ASSERT, &["|", " "]);
}
