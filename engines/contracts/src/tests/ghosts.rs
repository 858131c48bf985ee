//! Variables of the specification: members of objects, sets of threads, claims in bodies.

use super::{fails, program, proved};
use crate::Kind;

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
