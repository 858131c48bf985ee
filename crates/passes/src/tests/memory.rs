//! Points-to and regions.

use super::*;

#[track_caller]
fn expect_regions(text: &str, name: &str, expected: &[&str]) {
    let program = after(text, Stage::Regions, &Options::default());
    assert_eq!(regions_of(&program, name), expected);
}

const PAIR: &str = "layout struct pair = struct { a: i32; b: i32; };";

#[test]
fn fields_and_variables_are_apart() {
    expect_regions(
        &format!(
            "{PAIR} shared s: struct pair; shared t: struct pair; shared x: i32;
             procedure main() {{ s.a := 1; s.b := 2; t.a := 3; x := 4; s.a := 5; }}
             thread main main;"
        ),
        "main",
        &["s.a", "s.b", "t.a", "x", "s.a"],
    );
}

#[test]
fn a_pointer_to_two_variables_merges_them() {
    expect_regions(
        "shared x: i32; shared y: i32; shared z: i32;
         procedure main() {
           local p: ptr; local c: bool; havoc c;
           if (c) { p := &x; } else { p := &y; }
           *p: i32 := 1; x := 2; y := 3; z := 4;
         }
         thread main main;",
        "main",
        &["x...", "x...", "x...", "z"],
    );
}

#[test]
fn elements_of_an_array_are_one_region_but_fields_stay_apart() {
    expect_regions(
        &format!(
            "{PAIR} shared v: struct pair[8];
             procedure main() {{
               local i: i32; havoc i;
               v[i].a := 1; v[i].b := 2; v[3].a := 3;
             }}
             thread main main;"
        ),
        "main",
        &["v[]", "v[]#2", "v[]"],
    );
}

#[test]
fn an_unknown_offset_collapses_the_object() {
    expect_regions(
        &format!(
            "{PAIR} shared s: struct pair; shared x: i32;
             procedure main() {{
               local i: i64; havoc i;
               *(&s + i): i32 := 1; s.a := 2; s.b := 3; x := 4;
             }}
             thread main main;"
        ),
        "main",
        &["s[]", "s[]", "s[]", "x"],
    );
}

#[test]
fn pointers_in_memory_are_followed() {
    expect_regions(
        "shared p: ptr; shared x: i32; shared y: i32;
         procedure main() { local q: ptr; p := &x; q := p; *q: i32 := 1; y := 2; x := 3; }
         thread main main;",
        "main",
        &["p", "p", "x", "y", "x"],
    );
}

#[test]
fn initial_values_and_threads_pass_pointers() {
    let text = "shared p: ptr = &x; shared x: i32; shared y: i32;
         procedure worker(a: ptr) { local q: ptr; *a: i32 := 1; q := p; *q: i32 := 2; }
         procedure main() { spawn worker(&y); x := 3; y := 4; }
         thread main main;";
    expect_regions(text, "worker", &["y", "p", "x"]);
    expect_regions(text, "main", &["x", "y"]);
}

#[test]
fn an_input_pointer_may_lead_to_whatever_has_its_address_taken() {
    expect_regions(
        "shared x: i32; shared y: i32; shared z: i32; shared p: ptr = &y;
         procedure main() {
           local q: ptr; havoc q;
           p := &x; *q: i32 := 1; x := 2; y := 3; z := 4;
         }
         thread main main;",
        "main",
        &["p", "y...", "y...", "y...", "z"],
    );
}

#[test]
fn a_dead_input_pointer_does_no_harm() {
    expect_regions(
        "shared x: i32; shared y: i32; shared p: ptr = &y;
         procedure main() { local q: ptr; havoc q; q := &x; *q: i32 := 1; y := 2; }
         thread main main;",
        "main",
        &["x", "y"],
    );
}

#[test]
fn accesses_of_several_sizes_mix() {
    let program = after(
        "shared x: i64; shared y: i64;
         procedure main() { x := 1; *(&x + 4): i32 := 2; y := 3; }
         thread main main;",
        Stage::Regions,
        &Options::default(),
    );
    let types: Vec<bool> = program.regions.values().map(|r| r.ty.is_some()).collect();
    assert_eq!(types, [false, true]);
}

#[test]
fn allocations_are_apart_and_private_unless_handed_over() {
    let lowered = parsed(
        "layout struct pair = struct { a: i32; b: i32; };
         shared head: ptr;
         procedure main() {
           local p: ptr; local q: ptr;
           p := alloc struct pair; q := alloc struct pair;
           *p: i32 := 1; *q: i32 := 2;
           head := q;
         }
         thread main main;",
    );
    let prepared = crate::prepare(&lowered, &Options::default());
    let names = regions_of(&prepared.program, "main");
    assert_eq!(names.len(), 3);
    assert_ne!(names[0], names[1]);
    let private: Vec<bool> =
        prepared.program.regions.keys().map(|r| prepared.regions.private.contains(r)).collect();
    assert_eq!(private, [true, false, false]);
}

#[test]
fn a_variable_kept_per_thread_is_private_until_its_address_is_stored() {
    let text = |more: &str| {
        format!(
            "per_thread x: i32; shared p: ptr; procedure main() {{ x := 1; {more} }} thread main main;"
        )
    };
    let private = |text: &str| {
        let prepared = crate::prepare(&parsed(text), &Options::default());
        let region = prepared.program.regions.keys().next().expect("there is an access");
        prepared.regions.private.contains(region)
    };
    assert!(private(&text("")));
    assert!(!private(&text("p := &x;")));
}

#[test]
fn integers_as_wide_as_a_pointer_carry_it() {
    expect_regions(
        "shared x: i32; shared y: i32; shared n: i64;
         procedure main() {
           local p: ptr;
           n := i64(&x);
           p := ptr(n);
           *p: i32 := 1; x := 2; y := 3;
         }
         thread main main;",
        "main",
        &["n", "n", "x", "x", "y"],
    );
}

#[test]
fn regions_know_their_memory() {
    let lowered = parsed(
        "layout struct pair = struct { a: i32; b: i32; };
         shared pairs: struct pair[3]; shared x: i32;
         procedure main() {
           local p: ptr; local i: i64; local c: bool; havoc c; havoc i;
           pairs[i].b := 1;
           p := alloc struct pair;
           if (c) { p := &x; }
           *p: i32 := 2;
         }
         thread main main;",
    );
    let prepared = crate::prepare(&lowered, &Options::default());
    let mut found: Vec<(bool, i64, i64, i64)> = Vec::new();
    for region in prepared.program.regions.keys() {
        for extent in &prepared.regions.extents[&region] {
            let object = matches!(extent.origin, crate::pointsto::Origin::Object(_));
            found.push((object, extent.start, extent.length, extent.stride));
        }
    }
    found.sort_unstable();
    assert_eq!(found, [(false, 0, 4, 0), (true, 0, 4, 0), (true, 4, 4, 8)]);
}

#[test]
fn an_input_that_a_thread_returns_to_nobody_points_nowhere() {
    let text = "shared x: i32; shared y: i32; shared cell: ptr = &y;
         procedure worker() -> ptr { local p: ptr; havoc p; x := 1; return p; }
         procedure main() { local p: ptr; local a: thread;
           a := spawn worker(); JOIN x := 2; p := cell; *p: i32 := 3; }
         thread main main;";
    expect_regions(&text.replace("JOIN", "join a;"), "worker", &["x"]);
    expect_regions(&text.replace("JOIN", "join a;"), "main", &["x", "cell", "y"]);
    // Here it may be the one that is used.
    expect_regions(
        &text.replace("JOIN", "p := join a; *p: i32 := 1;"),
        "main",
        &["y[]", "x", "cell", "y[]"],
    );
}
