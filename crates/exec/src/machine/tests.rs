//! The semantics on small programs, each searched whole by the simplest means.

use rustc_hash::FxHashSet;
use selvedge_ir::{Program, Property, check, text};
use selvedge_random as random;

use crate::machine::{BlockKind, Machine, Options, Scratch, StepResult};
use crate::oracle::Script;
use crate::run;
use crate::state::State;
use crate::stop::Stop;
use crate::trace::Outcome;

/// Every violation that the program can reach, as text; or why that cannot be said.
fn search(program: &Program, properties: &[Property]) -> Result<Vec<String>, Stop> {
    let machine = Machine::new(program, Options::new(properties));
    let mut scratch = Scratch::default();
    let mut found: FxHashSet<String> = FxHashSet::default();
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut open = vec![machine.initial()?];
    while let Some(mut state) = open.pop() {
        state.collect_symbols();
        if !seen.insert(state.clone()) {
            continue;
        }
        if properties.contains(&Property::Race)
            && let Some(race) = machine.race(&state, &mut scratch)?
        {
            found.insert(race.violation.fault.to_string());
        }
        if properties.contains(&Property::Deadlock)
            && let Some(violation) = machine.deadlock(&state, &mut scratch)?
        {
            found.insert(violation.fault.to_string());
        }
        for thread in state.thread_ids() {
            let mut script = Script::new();
            loop {
                let mut next = state.clone();
                match machine.macro_step(&mut next, thread, &mut script, &mut scratch) {
                    StepResult::Error(v) => {
                        found.insert(v.fault.to_string());
                    }
                    StepResult::Stop(stop) => return Err(*stop),
                    _ => open.push(next),
                }
                if !script.next() {
                    break;
                }
            }
        }
    }
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort();
    Ok(found)
}

fn parsed(source: &str) -> Program {
    let program = text::parse("test.plato", source).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(check::check(&program), [], "{source}");
    program
}

/// Expects these violations, each by the start of its text, and no others.
#[track_caller]
fn check(source: &str, properties: &[Property], expected: &[&str]) {
    let found = search(&parsed(source), properties).unwrap_or_else(|stop| panic!("{stop}"));
    let fits =
        found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| f.starts_with(e));
    assert!(fits, "found {found:#?}\nexpected {expected:#?}");
}

#[track_caller]
fn check_main(declarations: &str, body: &str, properties: &[Property], expected: &[&str]) {
    let source = format!("{declarations} procedure main() {{ {body} }} thread main main;");
    check(&source, properties, expected);
}

#[track_caller]
fn check_stop(source: &str, properties: &[Property], expected: &str) {
    let stop = search(&parsed(source), properties).expect_err("no verdict");
    assert!(stop.to_string().starts_with(expected), "{stop}");
}

const ASSERT: &[Property] = &[Property::Assert];
const MEMORY: &[Property] = &[Property::Memory];
const DEADLOCK: &[Property] = &[Property::Deadlock];
const RACE: &[Property] = &[Property::Race];

#[test]
fn two_increments_lose_one() {
    let source = "shared x: i32; shared done: i32;
        procedure inc() { local t: i32; t := x; t := t + 1; x := t; }
        procedure main() {
            local a: thread; local b: thread;
            a := spawn inc(); b := spawn inc(); join a; join b;
            assert x == 2 \"both counted\"; }
        thread main main;";
    check(source, ASSERT, &["assertion fails: both counted"]);
    check(&source.replace("t := x; t := t + 1; x := t;", "atomic { x := x + 1; }"), ASSERT, &[]);
}

#[test]
fn an_unchecked_assertion_is_passed() {
    check_main(
        "",
        "assert false \"never\"; check overflow false \"over\";",
        ASSERT,
        &["assertion fails: never"],
    );
    check_main(
        "",
        "assert false \"never\"; check overflow false \"over\";",
        &[Property::Overflow],
        &["over"],
    );
}

#[test]
fn a_lock_keeps_others_out() {
    let source = "shared m: thread; shared x: i32;
        procedure inc() { lock m; x := x + 1; unlock m; }
        procedure main() {
            local a: thread; local b: thread;
            a := spawn inc(); b := spawn inc(); join a; join b; assert x == 2 \"sum\"; }
        thread main main;";
    check(source, &Property::ALL, &[]);
    let racy = source.replace("lock m; x", "x").replace("unlock m;", "");
    check(&racy, RACE, &["data race on x: read", "data race on x: write", "data race on x: write"]);
}

#[test]
fn misuse_of_locks() {
    check_main("shared m: thread;", "unlock m;", DEADLOCK, &["unlock of a lock that is free"]);
    check_main("shared m: thread;", "unlock m; lock m;", ASSERT, &[]);
    check_main("shared m: thread;", "lock m; lock m;", DEADLOCK, &["deadlock: T1"]);
    let source = "shared m: thread; procedure other() { wait m != none; unlock m; }
        procedure main() { local t: thread; t := spawn other(); lock m; join t; }
        thread main main;";
    check(source, DEADLOCK, &["unlock of a lock that another thread holds"]);
}

#[test]
fn opposite_lock_orders_deadlock() {
    let source = "shared m: thread; shared n: thread;
        procedure other() { lock n; lock m; unlock m; unlock n; }
        procedure main() { local t: thread; t := spawn other();
            lock m; lock n; unlock n; unlock m; join t; }
        thread main main;";
    check(source, DEADLOCK, &["deadlock: T1 waits for lock"]);
    check(&source.replace("lock n; lock m; unlock m", "lock m; lock n; unlock m"), DEADLOCK, &[]);
}

#[test]
fn a_failed_assumption_is_not_a_deadlock() {
    check_main("shared x: i32;", "assume x == 1;", DEADLOCK, &[]);
    check_main("shared x: i32;", "wait x == 1;", DEADLOCK, &["deadlock: T1 waits for a c"]);
    let both = "shared x: i32; procedure stuck() { assume x == 1; }
        procedure main() { local t: thread; t := spawn stuck(); join t; } thread main main;";
    check(both, DEADLOCK, &[]);
}

#[test]
fn a_deadlock_for_some_inputs_only() {
    // Thread 1 waits for ever exactly where the input is below 10.
    check_main(
        "",
        "local n: i32; havoc n; atomic { wait n >= 10; }",
        DEADLOCK,
        &["deadlock: T1 waits for a condition"],
    );
    check_main("", "local n: i32; havoc n; assume n > 10; atomic { wait n >= 10; }", DEADLOCK, &[]);
}

#[test]
fn blocks_that_cannot_finish_do_not_start() {
    let source = "shared x: i32; shared go: bool;
        procedure other() { atomic { x := 1; wait go; x := 2; } }
        procedure main() { local t: thread; t := spawn other();
            assert x != 1 \"not half way\"; go := true; join t; assert x == 2 \"done\"; }
        thread main main;";
    check(source, ASSERT, &[]);
}

#[test]
fn an_endless_atomic_block_blocks() {
    check_main(
        "shared x: bool;",
        "atomic { while (!x) { skip; } } assert false \"after\";",
        ASSERT,
        &[],
    );
    let source = "shared x: bool;
        procedure other() { atomic { while (!x) { skip; } } assert false \"after\"; }
        procedure main() { local t: thread; t := spawn other(); x := true; join t; }
        thread main main;";
    check(source, ASSERT, &["assertion fails: after"]);
}

#[test]
fn choices_and_calls() {
    let source = "shared x: i32;
        procedure twice(n: i32) -> i32 { return n + n; }
        procedure main() { local a: i32;
            choose { a := call twice(2); } or { a := call twice(5); }
            assert a == 4 || a == 10 \"one of two\"; assert a != 10 \"second\"; }
        thread main main;";
    check(source, ASSERT, &["assertion fails: second"]);
    let recursive = "procedure sum(n: i32) -> i32 { local r: i32;
            if (n == 0) { return 0; } r := call sum(n - 1); return r + n; }
        procedure main() { local a: i32; a := call sum(5); assert a == 15 \"sum\"; }
        thread main main;";
    check(recursive, ASSERT, &[]);
    let endless = "procedure f() { call f(); } procedure main() { call f(); } thread main main;";
    check_stop(endless, ASSERT, "more than 2000 nested calls");
}

#[test]
fn procedures_through_pointers() {
    let source = "shared f: ptr;
        procedure one() -> i32 { return 1; }
        procedure main() { local a: i32; f := &one; a := call *(f)(); assert a == 1 \"one\"; }
        thread main main;";
    check(source, &Property::ALL, &[]);
    check(&source.replace("f := &one;", ""), MEMORY, &["call through a null pointer"]);
}

#[test]
fn memory_faults() {
    let declarations = "shared a: i32[2]; shared p: ptr;";
    let check = |body: &str, expected: &[&str]| check_main(declarations, body, MEMORY, expected);
    check("a[1] := 3;", &[]);
    check("a[2] := 3;", &["access out of bounds: 4 bytes at offset 8 of an object of 8"]);
    check("local i: i32 = -1; a[i] := 3;", &["access out of bounds"]);
    check("*p: i32 := 1;", &["null pointer dereferenced"]);
    check("local n: i32 = 0; a[0] := 1 / n;", &["division by zero"]);
    check("p := alloc i32; *p: i32 := 1; free p;", &[]);
    check("p := alloc i32; free p; *p: i32 := 1;", &["access to freed memory"]);
    check("p := alloc i32; free p; free p;", &["memory freed twice"]);
    check("p := alloc i32; free p + 1;", &["free of a pointer into the middle"]);
    check("p := &a; free p;", &["free of memory that was not allocated"]);
    check("free p;", &[]);
    check("local b: bool; p := alloc i32; b := p < &a;", &["comparison of pointers into"]);
}

#[test]
fn what_is_said_to_be_undefined_is_a_violation_whatever_is_asked_for() {
    let overlap = "check memory false undefined \"memcpy of memory that overlaps\";";
    check_main("", overlap, RACE, &["memcpy of memory that overlaps"]);
    check_main("", "check memory false \"a label\";", RACE, &[]);
}

#[test]
fn a_fault_of_an_unchecked_property_gives_no_verdict() {
    let source = "shared p: ptr; procedure main() { *p: i32 := 1; } thread main main;";
    check_stop(source, ASSERT, "undefined behaviour: null pointer dereferenced");
    let source = "procedure main() { unsupported \"asm\"; } thread main main;";
    check_stop(source, ASSERT, "unsupported: asm");
}

#[test]
fn bytes_of_integers() {
    let union = "layout union u = union { 0 word: u32; 0 bytes: u8[4]; } size 4; shared v: union u;
        shared w: u32;";
    check_main(
        union,
        "local p: ptr; local b: u8; p := &v; *p: u32 := 0x04030201u32; b := *(p + 1): u8;
         assert b == 2 \"little endian\"; *(p + 3): u8 := 0xffu8;
         assert *p: u32 == 0xff030201u32 \"one byte changed\"; *(p + 1): u16 := 0u16;
         assert *p: u32 == 0xff000001u32 \"two\";",
        ASSERT,
        &[],
    );
    check_main(
        union,
        "local p: ptr; p := &w; *(p + 2): u8 := 7u8; assert w == 0x70000u32 \"in a variable\";
         assert *(p + 2): u16 == 7u16 \"half\";",
        ASSERT,
        &[],
    );
}

#[test]
fn parts_of_pointers_are_not_known() {
    let source = "shared p: ptr; procedure main() { local b: u8; p := &p; b := *(&p): u8;
        assert b == 0u8 \"zero\"; } thread main main;";
    check_stop(source, ASSERT, "unsupported: a decision that depends on the numeric value");
    check(&source.replace("p := &p;", ""), ASSERT, &[]);
    check(&source.replace("assert b == 0u8 \"zero\";", ""), ASSERT, &[]);
    let written = source.replace("b := *(&p): u8;", "*(&p + 1): u8 := 1u8; free p; b := 0u8;");
    check_stop(&written, MEMORY, "unsupported: free of a pointer computed from unknown bits");
    let on_heap = "shared q: ptr; procedure main() { q := alloc ptr; *q: ptr := q;
        *(q + 1): u8 := 1u8; *(*(q): ptr): i32 := 1; } thread main main;";
    check_stop(on_heap, MEMORY, "unsupported: access through a pointer computed from unknown");
}

#[test]
fn a_partly_initialised_value_is_not_known() {
    let source = "procedure main() { local p: ptr; local n: i32; p := alloc i32;
        *p: u8 := 1u8; n := *p: i32; assert n != 1 \"one\"; } thread main main;";
    check_stop(source, ASSERT, "unsupported: a decision");
    check(&source.replace("assert n != 1 \"one\";", "*p: i32 := n;"), ASSERT, &[]);
}

#[test]
fn large_arrays_cost_nothing() {
    check_main(
        "shared a: u8[1000000];",
        "local i: i32 = 999999; a[i] := 1u8; assert a[999999] == 1u8 \"last\"; assert a[5] == 0u8 \"rest\";",
        &Property::ALL,
        &[],
    );
}

#[test]
fn every_thread_has_its_own_instance() {
    let source = "per_thread x: i32 = 5; shared seen: i32;
        procedure other() { x := x + 1; seen := x; }
        procedure main() { local t: thread; x := 1; t := spawn other(); join t;
            assert seen == 6 && x == 1 \"own\"; }
        thread main main;";
    check(source, &Property::ALL, &[]);
    let dangling = "per_thread x: i32; shared p: ptr;
        procedure other() { p := &x; }
        procedure main() { local t: thread; t := spawn other(); join t; *p: i32 := 1; }
        thread main main;";
    check(dangling, MEMORY, &["access to a variable of a thread that has ended"]);
}

#[test]
fn main_ends_the_program() {
    let source = "shared x: i32; procedure late() { wait x == 1; assert false \"late\"; }
        procedure main() { local t: thread; t := spawn late(); x := 1; } thread main main;";
    // The end is a step of its own: others run between it and main's last action.
    check(source, ASSERT, &["assertion fails: late"]);
    check(&source.replace("x := 1;", "x := 1; halt;"), ASSERT, &["assertion fails: late"]);
    check(&source.replace("x := 1;", "atomic { x := 1; halt; }"), ASSERT, &[]);
    let leaves = source.replace("x := 1; }", "atomic { x := 1; end_thread; } }");
    check(&leaves, ASSERT, &["assertion fails: late"]);
    let detached = source.replace("thread main main", "thread main");
    check(&detached, ASSERT, &["assertion fails: late"]);
}

#[test]
fn results_of_threads() {
    let source = "procedure other(n: ptr) -> ptr { return n; }
        procedure main() { local t: thread; local r: ptr;
            t := spawn other(ptr(7)); r := join t; assert r == ptr(7) \"result\"; }
        thread main main;";
    check(source, ASSERT, &[]);
    check(
        "procedure main() { local t: thread = none; join t; } thread main main;",
        MEMORY,
        &["join of something that is not a thread"],
    );
}

#[test]
fn inputs_split_by_comparisons() {
    let check = |body: &str, expected: &[&str]| check_main("shared u: u8;", body, ASSERT, expected);
    check(
        "local n: i32; havoc n; assert n != 123456 \"one value\";",
        &["assertion fails: one value"],
    );
    check("local n: i32; havoc n; if (n > 5) { assert n >= 6 \"above\"; }", &[]);
    check("local n: i32; havoc n; assume n < 10; assert n + 1 <= 10 \"wraps not\";", &[]);
    check("local n: i32; havoc n; assert n + 1 > n \"wraps\";", &["assertion fails: wraps"]);
    check(
        "local n: i32; havoc n; assert !add_overflows(n, 1) \"over\";",
        &["assertion fails: over"],
    );
    check("local n: u8; local m: i32; havoc n; m := i32(n); assert m < 256 \"cast\";", &[]);
    check("local n: i32; local m: u32; havoc n; m := u32(n); assert i32(m) == n \"back\";", &[]);
    check("local n: u8; havoc n; assert n * 2 != 7 \"even\";", &[]);
    check(
        "local n: u8; local m: u8; havoc n; havoc m; assert n != m \"differ\";",
        &["assertion fails: differ"],
    );
    check("local n: i32; havoc n; u := u8(n == 3);", &[]);
    check(
        "local n: i64; local m: u64; havoc n; m := u64(n); if (n < 0) { assert m > 5 \"big\"; }",
        &[],
    );
}

#[test]
fn input_numbers_as_pointers() {
    let start = "local n: i32; local p: ptr; local q: ptr; havoc n; p := ptr(n); ";
    let check = |body: &str, properties: &[Property], expected: &[&str]| {
        check_main("shared x: i32;", &format!("{start}{body}"), properties, expected);
    };
    check("q := p; assert i32(q) == n \"back\";", ASSERT, &[]);
    check("assert p != null \"null\";", ASSERT, &["assertion fails: null"]);
    check("assume p == null; assert n == 0 \"zero\";", ASSERT, &[]);
    check("assume n == 5; assert p == ptr(5) \"five\";", ASSERT, &[]);
    check("assert p != &x \"no object\";", ASSERT, &[]);
    check("q := p + 1; assert q != null \"wraps\";", ASSERT, &["assertion fails: wraps"]);
    check("q := &x; if (n == 3) { *p: i32 := 1; }", MEMORY, &["access to address 0x3"]);
    check("*p: i32 := 1;", MEMORY, &["access through a pointer made from an input"]);
}

#[test]
fn inputs_too_large_to_try() {
    let source = "procedure main() { local n: i32; havoc n; assert n * n >= 0 \"square\"; }
        thread main main;";
    check_stop(source, ASSERT, "an input (line 1) has 4294967296 values");
}

#[test]
fn undefined_memory_is_an_input() {
    let body = "local p: ptr; local a: i32; p := alloc i32; a := *p: i32; assert a != 7 \"seven\";";
    check_main("", body, ASSERT, &["assertion fails: seven"]);
    check_main("", &body.replace("alloc i32", "alloc i32 zeroed"), ASSERT, &[]);
    let pointer = "local p: ptr; local q: ptr; p := alloc ptr; q := *p: ptr; *q: i32 := 1;";
    check_main("", pointer, MEMORY, &["access through an uninitialised pointer"]);
}

#[test]
fn the_reason_names_what_was_used_uninitialised() {
    let main = |body: &str| format!("procedure main() {{ {body} }} thread main main;");
    let lock = main("local p: ptr; p := alloc thread; lock *p: thread;");
    let faults = search(&parsed(&lock), ASSERT).expect("a verdict");
    assert_eq!(faults, ["lock used before it was initialised"]);
    let stored = "local p: ptr; local q: ptr; p := alloc ptr; q := *p: ptr; free q;";
    check_stop(&main(stored), ASSERT, "unsupported: pointer used before it was initialised");
    let input = "local q: ptr; havoc q; free q;";
    check_stop(&main(input), ASSERT, "unsupported: pointer used that is an input or was never");
    let thread = "local p: ptr; local t: thread; p := alloc thread; t := *p: thread; join t;";
    let stop = search(&parsed(&main(thread)), MEMORY).expect_err("no verdict");
    let expected = "unsupported: thread identifier used before it was initialised";
    assert_eq!(stop.to_string(), expected);
}

#[test]
fn addresses_as_numbers() {
    let body = "local p: ptr; local n: u64; p := &x; n := u64(p); assert n != 0u64 \"not null\";
        assert ptr(n) == p \"back\"; assert ptr(n + 4u64) == p + 4 \"moved\";";
    check_main("shared x: i32[2];", body, &Property::ALL, &[]);
    let decides = "shared x: i32; procedure main() { local n: u64; n := u64(&x);
        if (n % 8u64 == 0u64) { skip; } } thread main main;";
    check_stop(decides, ASSERT, "unsupported: a decision that depends on the numeric value");
}

#[test]
fn races_respect_modes_and_blocks() {
    let pair = |a: &str, b: &str| {
        format!(
            "shared x: i32; shared y: i32; procedure a() {{ local t: i32; {a} }}
             procedure b() {{ local t: i32; {b} }} thread a; thread b;"
        )
    };
    check(&pair("x := 1;", "t := x;"), RACE, &["data race on x: write by T1 and read by T2"]);
    check(&pair("t := x;", "t := x;"), RACE, &[]);
    check(&pair("x := 1;", "y := 1;"), RACE, &[]);
    check(&pair("store atomic x := 1;", "t := load atomic x;"), RACE, &[]);
    check(&pair("store atomic x := 1;", "t := load x;"), RACE, &["data race on x: write"]);
    check(&pair("atomic { y := 1; x := 1; }", "t := x;"), RACE, &["data race on x: write"]);
    check(&pair("atomic { x := 1; wait y == 1; }", "t := x;"), RACE, &[]);
    check(&pair("havoc t; if (t == 3) { x := 1; }", "x := 2;"), RACE, &["data race on x"]);
}

#[test]
fn a_blocked_step_says_what_it_waits_for() {
    let program =
        parsed("shared m: thread; procedure main() { lock m; lock m; } thread main main;");
    let machine = Machine::new(&program, Options::new(&[]));
    let mut state = machine.initial().unwrap();
    let thread = state.thread_ids().next().unwrap();
    let (mut script, mut scratch) = (Script::new(), Scratch::default());
    assert_eq!(machine.step(&mut state, thread, &mut script), StepResult::Moved);
    let before = state.clone();
    let blocked = machine.step(&mut state, thread, &mut script);
    assert_eq!(blocked, StepResult::Blocked(BlockKind::Lock));
    assert_eq!(state, before);
    assert_eq!(machine.why_blocked(&state, thread, &mut scratch), Ok(Some(BlockKind::Lock)));
}

/// What random runs with concrete inputs find, the search with open inputs finds too.
#[test]
fn open_inputs_cover_concrete_ones() {
    let mut violations = 0;
    for seed in 0..120 {
        let program = random::program(seed);
        let properties = random::properties(seed);
        let Ok(found) = search(&program, &properties) else { continue };
        for run_seed in 0..20 {
            let limits = run::Limits { steps: 200 };
            let (_, outcome) = run::run(&program, run_seed, &limits, &properties).unwrap();
            if let Outcome::Violation(failure) = outcome {
                let text = failure.fault.to_string();
                assert!(
                    covers(&found, &text),
                    "program {seed}, run {run_seed}: {text}\n{found:#?}"
                );
                violations += 1;
            }
        }
    }
    assert!(violations > 100, "only {violations} violations");
}

/// A race is named after the first pair of accesses found, which need not be the same one.
fn covers(found: &[String], text: &str) -> bool {
    found.iter().any(|f| f == text || text.starts_with("data race") && f.starts_with("data race"))
}
