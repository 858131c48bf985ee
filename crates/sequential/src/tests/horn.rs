//! Programs whose loops have no bound, or a large one.

use selvedge_ir::Property;

use super::super::{SequentialProgram, prove};
use super::{parse, prepared, work};

/// Whether invariants are found for the body of `main`, behind declarations.
fn proved(globals: &str, body: &str, units: u64) -> bool {
    let source = format!("{globals} procedure main() {{ {body} }} thread main main;");
    let properties = &[Property::Assert, Property::Memory];
    let prepared = prepared(&parse(&source), properties);
    let sequential = SequentialProgram::from_single(&prepared, properties).expect("one thread");
    let (limits, time) = work(units);
    prove(&sequential, &limits, time).is_some()
}

#[track_caller]
fn expect(globals: &str, body: &str, expected: bool) {
    // What cannot be proved need not be tried for long.
    let units = if expected { 200_000_000 } else { 2_000_000 };
    assert_eq!(proved(globals, body, units), expected, "{globals} {body}");
}

#[test]
fn counting_up_to_an_input() {
    let body = "local i: i32; local n: i32; havoc n; assume n >= 0; i := 0;
        while (i < n) { i := i + 1; } assert i == n;";
    expect("", body, true);
    expect("", &body.replace("i == n", "i != 7"), false);
}

#[test]
fn shared_variables() {
    let body = "x := 0; y := 0; local c: bool; havoc c;
        while (c) { x := x + 1; y := y + 1; assume x < 1000; havoc c; } assert x == y;";
    expect("shared x: i32; shared y: i32;", body, true);
    expect("shared x: i32; shared y: i32;", &body.replace("y + 1", "y + 2"), false);
}

#[test]
fn nested_loops() {
    let body = "local i: i32; local j: i32; local n: i32; havoc n; assume n >= 0 && n < 1000;
        i := 0; while (i < n) { j := 0; while (j < i) { j := j + 1; } assert j == i; i := i + 1; }";
    expect("", body, true);
    expect("", &body.replace("j == i;", "j != 5;"), false);
}

#[test]
fn indices_stay_in_bounds() {
    let body = "local i: i64; i := 0; while (i < N) { a[i] := 1; i := i + 1; }";
    expect("shared a: i32[100];", &body.replace('N', "100"), true);
    expect("shared a: i32[100];", &body.replace('N', "101"), false);
    expect("shared a: i32[4];", &body.replace('N', "4"), true);
    expect("shared a: i32[4];", &body.replace('N', "5"), false);
}

#[test]
fn words_that_wrap_around() {
    let body = "local x: u32; local y: u32; local c: bool; x := 0; y := 0; havoc c;
        while (c) { x := x + 7; y := y + 7; havoc c; } assert x == y;";
    expect("", body, true);
    expect("", &body.replace("x == y", "x >= 7 || x == 0"), false);
}

#[test]
fn unsupported_actions_are_not_passed_over() {
    let body = "local c: bool; havoc c; while (c) { havoc c; } assert true;";
    expect("", body, true);
    expect("", &format!("{body} unsupported \"something\";"), false);
}
