//! Statements.

use super::{check, check_body};

#[test]
fn loops_and_branches() {
    check_body("if (a) b; else if (c) d; else { e; }", "if a b else if c d else {e}");
    check_body("if (a) if (b) c; else d;", "if a if b c else d");
    check_body("while (a) ; do b; while (c);", "while a empty; do b while c");
    check_body(
        "for (;;) break; for (i = 0; i < 3; i++) continue;",
        "for _ _ _ break; for (= i 0) (Lt i 3) (PostIncrement i) continue",
    );
    check_body("for (int i = 0, *p; ; ) { }", "for [i: int = 0; p: pointer to int] _ _ {}");
    check_body("return; return a + 1;", "return _; return (Add a 1)");
}

#[test]
fn switches() {
    check_body(
        "switch (a) { case 1: case 2 ... 5: b; break; default: c; }",
        "switch a {case 1: case 2...5: b; break; default: c}",
    );
    check_body(
        "switch (a) { case 1: b; __attribute__((fallthrough)); case 2: [[fallthrough]]; default: ; }",
        "switch a {case 1: b; empty; case 2: empty; default: empty}",
    );
    check_body("switch (a) case 1: b;", "switch a case 1: b");
}

#[test]
fn labels() {
    check_body("a: b: c; goto a; goto *p;", "a: b: c; goto a; goto *p");
    check_body("a: int x = 1; b: typeof(x) y;", "a: empty; x: int = 1; b: empty; y: typeof(x)");
    check_body(
        "switch (a) { case 1: int b; default: }",
        "switch a {case 1: empty; b: int; default: empty}",
    );
    check_body(
        "a: __attribute__((unused)); b: __attribute__((unused)) int x; c:",
        "a: empty; b: empty; x: int @unused; c: empty",
    );
}

#[test]
fn blocks_and_nested_functions() {
    check_body("__label__ a, b; { ; } a: b: ;", "labels a b; {empty}; a: b: empty");
    check_body(
        "int g(int b) { return b; } g(1);",
        "nested g: function(b: int) to int {return b}; (call g 1)",
    );
    check_body(
        "_Static_assert(1, \"x\"); __extension__ int y; __extension__ 1;",
        "static_assert 1 Some(\"x\"); y: int; (Extension 1)",
    );
    check_body(
        "auto int g(int); int (*h)(void);",
        "g: function(_: int) to auto int; h: pointer to function() to int",
    );
}

#[test]
fn assembler() {
    check_body(
        "asm(\"nop\"); __asm__ __volatile__(\"\" ::: \"memory\");",
        "asm \"nop\" [] [] [] []; asm \"\" [] [] [\"memory\"] []",
    );
    check_body(
        "asm volatile(\"x\" : \"+r\"(v), [m] \"=m\"(*p) : \"i\"(3) : \"cc\", \"memory\");",
        "asm \"x\" [v (Deref p)] [3] [\"cc\", \"memory\"] []",
    );
    check_body(
        "asm goto(\"j\" : : : : l, m); asm inline(\"a\" \"b\");",
        "asm \"j\" [] [] [] [\"l\", \"m\"]; asm \"ab\" [] [] [] []",
    );
    check_body("register int r asm(\"eax\");", "r: register int asm(eax)");
}

#[test]
fn loop_invariants_belong_to_their_loop() {
    check_body(
        "/*@ loop invariant a && b || c; loop invariant d; */ while (i) ;",
        "invariant (Or (And a b) c); invariant d; while i empty",
    );
    check_body(
        "//@ loop invariant a && b && c;\n for (;;) ;",
        "invariant a; invariant b; invariant c; for _ _ _ empty",
    );
    check_body("/*@ loop invariant a; */ do b; while (c);", "invariant a; do b while c");
}

#[test]
fn predicates_belong_to_the_unit() {
    check(
        "int x; /*@ predicate x > 0; */ void f(void) { //@ predicate l == \\other(l);\n x; }",
        "x: int\nf: function() to void {x}\npredicate x > 0\npredicate l == \\other(l)",
    );
}
