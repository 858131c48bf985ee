//! Devirtualization, inlining, simplification.

use selvedge_ir::{Action, Callee};

use super::*;

#[test]
fn a_call_becomes_its_body() {
    expect(
        "shared x: i32;
         procedure add(n: i32) -> i32 { local v: i32; v := x; x := v + n; return v; }
         procedure main() { local r: i32; r := call add(3); x := r; }
         thread main main;",
        Stage::Inline,
        "main",
        "local r: i32;
         local \"add.n\": i32;
         temp \"add.result\": i32;
         local \"add.v\": i32;
         L0: \"add.n\" := 3 -> L5;
         L1: store x := r -> L3;
         exit L2:
         L3: skip -> L2;
         atomic L4: r := \"add.result\" -> L1;
         L5: \"add.v\" := load x -> L6;
         L6: store x := \"add.v\" + \"add.n\" -> L7;
         L7: \"add.result\" := \"add.v\" -> L4;",
    );
}

#[test]
fn simplification_leaves_only_what_counts() {
    expect(
        "shared x: i32;
         procedure add(n: i32) -> i32 { local v: i32; v := x; x := v + n; return v; }
         procedure main() { local r: i32; r := call add(3); x := r; }
         thread main main;",
        Stage::Simplify,
        "main",
        "local \"add.v\": i32;
         L0: \"add.v\" := load x -> L1;
         L1: store x := \"add.v\" + 3 -> L2;
         L2: store x := \"add.v\" -> L3;
         L3: skip -> L4;
         exit L4:",
    );
}

#[test]
fn a_call_inside_an_atomic_block_is_atomic() {
    let program = after(
        "shared x: i32;
         procedure twice() { x := 1; x := 2; }
         procedure main() { atomic { call twice(); x := 3; } }
         thread main main;",
        Stage::Inline,
        &Options::default(),
    );
    let main = &program.procedures[program.threads[0].procedure];
    let yields = main.locations.values().filter(|l| l.grain == Grain::Yield).count();
    assert_eq!(yields, 3, "only entry, exit and the step between:\n{}", text::print(&program));
}

#[test]
fn recursion_stays_and_unused_procedures_go() {
    let program = after(
        "shared x: i32;
         procedure down(n: i32) { if (n > 0) { call down(n - 1); } x := n; }
         procedure once() { x := 7; }
         procedure main() { call down(3); call once(); }
         thread main main;",
        Stage::Inline,
        &Options::default(),
    );
    assert!(program.procedure_named("once").is_none());
    assert!(program.procedure_named("down").is_some());
    assert_eq!(count(&program, |a| matches!(a, Action::Call { .. })), 2);
}

#[test]
fn the_limit_keeps_calls_and_says_so() {
    let lowered = parsed(
        "shared x: i32;
         procedure once() { x := 7; }
         procedure main() { call once(); }
         thread main main;",
    );
    let options = Options { inline_limit: 2, ..Options::default() };
    let prepared = crate::prepare(&lowered, &options);
    assert_eq!(count(&prepared.program, |a| matches!(a, Action::Call { .. })), 1);
    assert_eq!(prepared.notes.len(), 1);
}

#[test]
fn choices_keep_their_number() {
    expect(
        "shared x: i32;
         procedure main() {
           choose { assume 1 > 2; x := 1; } or { x := 2; } or { x := 3; } or { assume false; }
         }
         thread main main;",
        Stage::Simplify,
        "main",
        "L0:
         assume false -> L1;
         store x := 2 -> L2;
         store x := 3 -> L2;
         L1: store x := 1 -> L2;
         L2: skip -> L3;
         exit L3:",
    );
}

#[test]
fn decided_branches_go() {
    expect(
        "shared x: i32;
         procedure set(kind: i32) { if (kind == 0) { x := 1; } else { x := 2; } }
         procedure main() { call set(0); x := 3; }
         thread main main;",
        Stage::Simplify,
        "main",
        "L0: store x := 1 -> L1;
         L1: store x := 3 -> L2;
         L2: skip -> L3;
         exit L3:",
    );
}

#[test]
fn assertions_of_unchecked_properties_go() {
    let text =
        "procedure main() { local n: i32; havoc n; check overflow n > 0 \"o\"; assert n != 0; }
                thread main main;";
    let only_assert = after(text, Stage::Simplify, &checking(&[Property::Assert]));
    assert_eq!(count(&only_assert, |a| matches!(a, Action::Assert { .. })), 1);
    let both = after(text, Stage::Simplify, &checking(&[Property::Assert, Property::Overflow]));
    assert_eq!(count(&both, |a| matches!(a, Action::Assert { .. })), 2);
}

#[test]
fn a_division_that_may_fail_stays() {
    let program = after(
        "procedure main() { local n: i32; local q: i32; havoc n; q := 1 / n; q := n / 2; }
         thread main main;",
        Stage::Simplify,
        &Options::default(),
    );
    assert_eq!(count(&program, |a| matches!(a, Action::Assign { .. })), 1);
    assert_eq!(count(&program, |a| matches!(a, Action::Havoc { .. })), 1);
}

#[test]
fn a_copy_of_what_changes_later_stays() {
    let program = after(
        "shared x: i32;
         procedure main() { local a: i32 = 1; local b: i32; b := a; a := 2; x := b; x := a; }
         thread main main;",
        Stage::Simplify,
        &Options::default(),
    );
    let stored: Vec<String> =
        body(&program, "main").lines().filter(|l| l.contains("store")).map(str::to_owned).collect();
    assert!(stored[0].contains("x := b"), "{stored:?}");
}

#[test]
fn the_end_of_a_thread_is_a_step_of_its_own() {
    expect(
        "shared x: i32; procedure main() { x := 1; skip; } thread main main;",
        Stage::Simplify,
        "main",
        "L0: store x := 1 -> L1;
         L1: skip -> L2;
         exit L2:",
    );
}

const POINTERS: &str = "shared x: i32; shared f: ptr = &one;
     procedure one(n: i32) { x := n; }
     procedure two(n: i32) { x := n + n; }
     procedure main() {
       local c: bool; local p: ptr;
       havoc c;
       if (c) { f := &two; }
       p := f;
       call *(p)(4);
     }
     thread main main;";

#[test]
fn a_call_through_a_pointer_branches_over_what_it_points_to() {
    let program = after(POINTERS, Stage::Devirtualize, &Options::default());
    let direct = |a: &Action| matches!(a, Action::Call { callee: Callee::Direct(_), .. });
    let indirect = |a: &Action| matches!(a, Action::Call { callee: Callee::Indirect(_), .. });
    assert_eq!((count(&program, direct), count(&program, indirect)), (2, 1));
    let inlined = after(POINTERS, Stage::Simplify, &Options::default());
    assert_eq!(count(&inlined, direct), 0);
    assert_eq!(count(&inlined, indirect), 1, "a bad pointer still faults");
}

#[test]
fn what_does_not_fit_stays_indirect() {
    let program = after(
        "shared x: i32;
         procedure one(n: i32, m: i32) { x := n; }
         procedure main() { local p: ptr; p := &one; call *(p)(4); }
         thread main main;",
        Stage::Devirtualize,
        &Options::default(),
    );
    assert_eq!(count(&program, |a| matches!(a, Action::Call { callee: Callee::Direct(_), .. })), 0);
}

#[test]
fn a_block_that_skips_for_ever_is_left_alone() {
    let text = "procedure main() {
         entry L0: skip -> L1;
         atomic L1: skip -> L2;
         atomic L2: skip -> L1;
         exit L3: }
         thread main main;";
    let program = after(text, Stage::Simplify, &Options::default());
    assert!(text::print(&program).contains("skip"));
}

#[test]
fn what_was_set_up_decides_in_the_initial_thread_only() {
    let text = "layout struct device = struct { state: i32; mode: i32; };
         shared device: struct device; shared hit: i32; shared other: i32;
         procedure act(d: ptr) {
           local t: i32; t := *(d + 4): i32;
           if (t == 1) { hit := 1; } else { other := 1; }
         }
         procedure main() {
           local d: ptr; local t: thread;
           d := &device; *(d + 4): i32 := 1;
           call act(d);
           t := spawn act(d);
           call act(d);
         }
         thread main main;";
    let options = Options { fields: true, ..Options::default() };
    let program = after(text, Stage::Regions, &options);
    // Before the spawn, the branch is decided; behind it and in the thread, it is not.
    let stores = |name: &str, region: &str| {
        regions_of(&program, name).iter().filter(|found| *found == region).count()
    };
    assert_eq!((stores("main", "hit"), stores("main", "other")), (2, 1));
    assert_eq!((stores("act", "hit"), stores("act", "other")), (1, 1));
}

#[test]
fn inlining_around_procedures_that_stay() {
    use crate::bits::BitSet;
    let mut program = selvedge_ir::text::parse(
        "around.plato",
        "shared x: i32;
         procedure stays(n: i32) { call between(n); }
         procedure between(n: i32) { x := n; if (n > 0) { call stays(n - 1); } }
         procedure main() { call between(3); }
         thread main main;",
    )
    .unwrap();
    let stays = program.procedure_named("stays").unwrap();
    let stay: BitSet<selvedge_ir::ProcId> = [stays].into_iter().collect();
    let limits = crate::Limits::none();
    crate::inline::inline_around(&mut program, &stay, 1000, &limits).unwrap();
    assert_eq!(program.procedure_named("stays"), Some(stays));
    for name in ["main", "stays"] {
        let procedure = &program.procedures[program.procedure_named(name).unwrap()];
        let called: Vec<_> = (procedure.edges())
            .filter_map(|(_, edge)| match edge.action {
                Action::Call { callee: Callee::Direct(callee), .. } => Some(callee),
                _ => None,
            })
            .collect();
        assert_eq!(called, [stays], "{name}");
    }
}
