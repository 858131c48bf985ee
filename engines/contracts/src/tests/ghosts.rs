//! Variables of the specification: members of objects, sets of threads, claims in bodies.

use super::{fails, program, proved};
use crate::Kind;

const READERS: &str = include_str!("readers.plato");

#[test]
fn a_set_of_readers_is_kept() {
    proved(&program(READERS));
}

#[test]
fn each_part_of_the_readers_lock_matters() {
    for (right, wrong) in [
        (
            "update s at tid := true;\n                } to t",
            "update s at tid := false;\n                } to t",
        ),
        ("update s at tid := false;\n        } to t", "update s at tid := true;\n        } to t"),
        ("call begin_read(&l);", "skip;"),
        ("l.w == none && l.n == 0", "l.w == none"),
        ("modifies \"readers\" { p: ptr := parameter 0; } at p: bool ghost 0;", ""),
        ("at tid := true; s: bool := same n t", "at tid := false; s: bool := same n t"),
        ("} holds i == k;", "} holds i || !i;"),
        ("holds i;", "holds !i;"),
    ] {
        assert!(READERS.contains(right), "{right}");
        fails(&program(&READERS.replacen(right, wrong, 1)), |_| true);
    }
}

const MEMBER: &str = "
layout cell = struct { 0 m: thread; 8 v: i32; } size 16;
shared head: ptr;
shared k: thread;
ghost state: i32 in cell := 3;
procedure main() {
    local c: ptr;
    c := alloc cell zeroed;
    ghost_assert \"starts\" { p: ptr := value c; s: i32 := ghost 0 of p; } holds s == 3;
    atomic {
        ghost_update 0 \"\" { p: ptr := value c; } at p \"\" {} to 5;
        *(c + 8): i32 := 5;
    }
    head := c;
    ghost_assert \"all\" {
        p: ptr := forall in cell; s: i32 := ghost 0 of p; v: i32 := load *(p + 8): i32;
    } holds s == v;
}
thread main main;
invariant \"the same\" {
    p: ptr := forall in cell; s: i32 := ghost 0 of p; v: i32 := load *(p + 8): i32;
} holds s == v;
";

#[test]
fn members_begin_with_their_value_and_are_checked_when_others_see_them() {
    proved(&program(MEMBER));
    let early = MEMBER.replace("holds s == 3;", "holds s == 0;");
    fails(&program(&early), |kind| matches!(kind, Kind::Assertion(_)));
    let half = MEMBER.replace("*(c + 8): i32 := 5;", "*(c + 8): i32 := 4;");
    fails(&program(&half), |kind| matches!(kind, Kind::Invariant));
}

const LOOP: &str = "
shared m: thread;
shared x: i32;
ghost turns: i32 map := 0;
procedure work(n: i32) {
    local i: i32 = 0;
    lock m;
    while (i < n) {
        ghost_invariant \"in order\" {
            k: i32 := value i; t: i32 := ghost 0 of null; e: i32 := entry t at tid;
        } holds e == k && k >= 0;
        atomic {
            ghost_update 0 \"\" {} at null \"\" {
                t: i32 := ghost 0 of null; k: i32 := value i + 1; u: i32 := update t at tid := k;
            } to u;
            x := i;
        }
        i := i + 1;
    }
    unlock m;
}
procedure main() {
    lock m;
    ghost_assert \"nothing yet\" {
        t: i32 := ghost 0 of null; a: thread := forall; e: i32 := entry t at a;
    } holds a == none || e == 0 || e != 0;
    unlock m;
    call work(3);
}
thread main main;
environment \"own turns\" {
    o: i32 := ghost 0 of null; n: i32 := ghost_after 0 of null;
    a: i32 := entry o at tid; b: i32 := entry n at tid;
} holds a == b;
contract work {
    requires \"none\" { n: i32 := parameter 0; t: i32 := ghost 0 of null; e: i32 := entry t at tid; }
        holds e == 0 && n >= 0;
    modifies \"m\" {} at &m: thread;
    modifies \"x\" {} at &x: i32;
    modifies \"turns\" {} at null: i32 ghost 0;
}
contract main {
    requires \"none\" { t: i32 := ghost 0 of null; e: i32 := entry t at tid; } holds e == 0;
    modifies \"m\" {} at &m: thread;
    modifies \"x\" {} at &x: i32;
    modifies \"turns\" {} at null: i32 ghost 0;
}
";

#[test]
fn loop_invariants_speak_of_maps() {
    proved(&program(LOOP));
    let wrong = LOOP.replace("value i + 1", "value i + 2");
    fails(&program(&wrong), |kind| matches!(kind, Kind::LoopInvariant));
}
