//! Structured bodies: what graph each form becomes.

use super::{parsed, round_trip};
use crate::text::print;

/// The graph of `main`'s body, without source places.
fn graph(declarations: &str, body: &str) -> String {
    let program = parsed(&format!("{declarations} procedure main() {{ {body} }}"));
    round_trip(&program);
    let text = print(&program);
    let start = text.find("procedure main").expect("there is a main");
    let lines = text[start..].lines().skip(1).take_while(|l| *l != "}");
    let without_place = |line: &str| match line.rfind(" @f0:") {
        Some(place) => format!("{};", &line[..place]),
        None => line.to_string(),
    };
    lines.map(|l| without_place(l.trim())).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(declarations: &str, body: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(graph(declarations, body), expected.join("\n"));
}

#[test]
fn each_mention_is_a_load() {
    check(
        "shared x: i32; shared y: i32;",
        "x := x + y;",
        "temp $1: i32;
         temp $2: i32;
         L0: $1 := load x -> L1;
         L1: $2 := load y -> L2;
         L2: store x := $1 + $2 -> L3;
         exit L3:",
    );
}

#[test]
fn atomic_blocks_begin_and_end_outside() {
    check(
        "shared x: i32;",
        "atomic { x := x + 1; } skip;",
        "temp $1: i32;
         L0: $1 := load atomic x -> L1;
         atomic L1: store atomic x := $1 + 1 -> L2;
         L2: skip -> L3;
         exit L3:",
    );
}

#[test]
fn a_loop_in_an_atomic_block_stays_inside() {
    check(
        "shared x: i32;",
        "atomic { while (x > 0) { x := 0; } }",
        "temp $1: i32;
         L0: skip -> L1;
         atomic L1: $1 := load atomic x -> L2;
         atomic L2:
         assume $1 > 0 -> L3;
         assume $1 <= 0 -> L4;
         atomic L3: store atomic x := 0 -> L1;
         exit L4:",
    );
}

#[test]
fn branches_and_loops() {
    check(
        "",
        "local n: i32 = 3; while (n > 0) { if (n == 1) { skip; } else { n := 0; } n := n - 1; }",
        "local n: i32;
         L0: n := 3 -> L1;
         L1:
         assume n > 0 -> L2;
         assume n <= 0 -> L6;
         L2:
         assume n == 1 -> L3;
         assume n != 1 -> L5;
         L3: skip -> L4;
         L4: n := n - 1 -> L1;
         L5: n := 0 -> L4;
         exit L6:",
    );
}

#[test]
fn endless_loops_have_no_way_out() {
    check("shared x: i32;", "while (true) { x := 1; }", "L0: store x := 1 -> L0;\nexit L1:");
    check("", "while (true) { }", "L0: skip -> L0;\nexit L1:");
}

#[test]
fn waiting_is_atomic_with_its_loads() {
    check(
        "shared x: i32; shared y: i32;",
        "wait x == y;",
        "temp $1: i32;
         temp $2: i32;
         L0: $1 := load atomic x -> L1;
         atomic L1: $2 := load atomic y -> L2;
         atomic L2: wait $1 == $2 -> L3;
         exit L3:",
    );
}

#[test]
fn alternatives_leave_one_location() {
    check(
        "shared m: thread;",
        "choose { lock m; } or { skip; } or { while (true) { skip; } }",
        "L0:
         lock m -> L2;
         skip -> L2;
         skip -> L1;
         L1: skip -> L1;
         exit L2:",
    );
}

#[test]
fn the_right_operand_is_read_only_if_needed() {
    check(
        "shared x: i32; shared y: i32;",
        "assume x == 0 && y == 0;",
        "temp $1: i32;
         temp $2: bool;
         temp $3: i32;
         L0: $1 := load x -> L1;
         L1: $2 := $1 == 0 -> L2;
         L2:
         assume !$2 -> L3;
         assume $2 -> L4;
         L3: assume $2 -> L7;
         L4: $3 := load y -> L5;
         L5: $2 := $3 == 0 -> L6;
         L6: skip -> L3;
         exit L7:",
    );
}

#[test]
fn indices_are_scaled() {
    check(
        "shared a: i32[4]; shared i: i32;",
        "a[i] := a[2];",
        "temp $1: i32;
         temp $2: i32;
         L0: $1 := load i -> L1;
         L1: $2 := load a[2] -> L2;
         L2: store *(&a + i64($1) * 4): i32 := $2 -> L3;
         exit L3:",
    );
}

#[test]
fn threads_calls_and_memory() {
    check(
        "layout struct node = struct { key: i32; next: ptr; };
         shared head: ptr; shared t: thread;
         procedure f(n: i32) -> i32 { return n + 1; }
         procedure g(n: u8) { }",
        "local p: ptr; local r: i32;
         p := alloc struct node zeroed;
         *(p + offsetof(struct node, next)): ptr := head;
         head := p;
         t := spawn g(1);
         r := join t;
         r := call f(head == null ? 1 : 2);
         spawn g();
         free p;
         halt;",
        "local p: ptr;
         local r: i32;
         temp $1: ptr;
         temp $2: thread;
         temp $3: thread;
         temp $4: ptr;
         temp $5: thread;
         L0: p := alloc heap struct node size 16 zeroed -> L1;
         L1: $1 := load head -> L2;
         L2: store *(p + 8): ptr := $1 -> L3;
         L3: store head := p -> L4;
         L4: $2 := spawn g(1) -> L5;
         L5: store t := $2 -> L6;
         L6: $3 := load t -> L7;
         L7: r := join $3 -> L8;
         L8: $4 := load head -> L9;
         L9: r := call f($4 == null ? 1 : 2) -> L10;
         L10: $5 := spawn g() -> L11;
         L11: free heap p -> L12;
         L12: halt -> L13;
         exit L13:",
    );
}

#[test]
fn an_assertion_without_label_keeps_its_condition() {
    let text = graph("shared x: i32;", "assert x  ==\n 2; assert true \"two\";");
    assert!(text.contains("assert $1 == 2 condition \"x == 2\""), "{text}");
    assert!(text.contains("assert true \"two\""), "{text}");
}

#[test]
fn the_kind_of_a_check_is_not_read_from_its_label() {
    let text = "assert true \"assertion x\"; assert true \"f is called\"; assert true unnamed;";
    let text = graph("", text);
    assert!(text.contains("assert true \"assertion x\" -> L1"), "{text}");
    assert!(text.contains("assert true \"f is called\" -> L2"), "{text}");
    assert!(text.contains("assert true unnamed -> L3"), "{text}");
}

#[test]
fn words_of_the_language_are_names_where_that_is_clear() {
    let text = graph(
        "shared lock: thread; shared wait: i32; shared if: i32[2];",
        "local free: i32; free := wait; lock lock; wait := free; if[1] := 2; unlock lock;",
    );
    assert!(text.contains("L1: lock lock -> L2"), "{text}");
    assert!(text.contains("store wait := free"), "{text}");
}

#[test]
fn code_behind_a_return_is_dropped() {
    check("", "return; skip; skip;", "L0: skip -> L1;\nexit L1:");
}
