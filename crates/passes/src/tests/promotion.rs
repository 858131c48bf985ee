//! Private variables in memory.

use selvedge_ir::Action;

use super::*;

/// The accesses, allocations and frees that are left in `main`.
fn left(body: &str) -> usize {
    let text = format!(
        "layout i32 = scalar i32 size 4;
         shared x: i32; shared q: ptr;
         procedure main() {{
             local p: ptr; local a: i32; local b: i32;
             {body}
         }}
         thread main main;"
    );
    let options = Options { promote: true, ..Options::default() };
    let program = after(&text, Stage::Reduce, &options);
    let plain = after(&text, Stage::Reduce, &Options::default());
    let main = &program.procedures[program.threads[0].procedure];
    let same = &plain.procedures[plain.threads[0].procedure];
    let targets = |p: &Procedure| p.edges().map(|(at, edge)| (at, edge.target)).collect::<Vec<_>>();
    assert_eq!(targets(main), targets(same), "edges keep their places");
    let memory = main.edges().filter(|(_, edge)| {
        matches!(
            edge.action,
            Action::Load { .. } | Action::Store { .. } | Action::Alloc { .. } | Action::Free { .. }
        )
    });
    memory.count()
}

#[test]
fn a_private_variable_becomes_a_local() {
    let body = "p := alloc stack i32; *p: i32 := 3; a := *p: i32; x := a; free stack p;";
    assert_eq!(left(body), 1, "only the store to x");
}

#[test]
fn an_address_that_gets_known_stays() {
    let body = "p := alloc stack i32; *p: i32 := 3; q := p; a := *p: i32; x := a;";
    assert_eq!(left(body), 5);
}

#[test]
fn what_may_be_unwritten_or_gone_stays() {
    let unwritten = "p := alloc stack i32; a := *p: i32; x := a;";
    assert_eq!(left(unwritten), 3);
    let gone = "p := alloc stack i32; *p: i32 := 3; free stack p; a := *p: i32; x := a;";
    assert_eq!(left(gone), 5);
    let on_one_way = "p := alloc stack i32; havoc b;
         if (b > 0) { *p: i32 := 3; } a := *p: i32; x := a;";
    assert_eq!(left(on_one_way), 4);
}

#[test]
fn the_stage_is_shown_whether_it_is_asked_for_or_not() {
    let program = parsed(
        "layout i32 = scalar i32 size 4;
         shared x: i32;
         procedure main() {
             local p: ptr; local a: i32;
             p := alloc stack i32; *p: i32 := 3; a := *p: i32; x := a; free stack p;
         }
         thread main main;",
    );
    let options = Options::default();
    assert!(crate::dump(&program, Stage::Simplify, &options).contains("alloc stack"));
    assert!(!crate::dump(&program, Stage::Promote, &options).contains("alloc stack"));
}
