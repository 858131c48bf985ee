//! Statements, functions and what is not supported.

use selvedge_ir::{Property, text};

use super::{actions, body_of, checking, plato, plato_with, procedure};
use crate::{Options, compile_text};

#[test]
fn a_switch_is_a_choice() {
    let source = "int main(int argc, char **argv) {\
                  switch (argc) { case 1: return 5; case 3 ... 4: return 6; default: return 7; } }";
    let found = actions(source, "main");
    for wanted in [
        "assume argc == 1",
        "assume argc >= 3 && argc <= 4",
        "assume argc != 1 && (argc < 3 || argc > 4)",
    ] {
        assert!(found.contains(&wanted.to_owned()), "{wanted} in {found:?}");
    }
}

#[test]
fn functions_that_main_does_not_reach_are_not_there() {
    let source = "void unused(void) { __asm__(\"hlt\"); } int used(void) { return 1; }\
                  int main(void) { if (0) unused(); return used(); }";
    let text = plato(source);
    assert!(text.contains("procedure used"));
    assert!(!text.contains("procedure unused"));
}

#[test]
fn an_assertion_is_one_action() {
    let source = "void __assert_fail(const char *, const char *, unsigned, const char *); int x;\
                  int main(void) { (x == 2) ? (void)0 : __assert_fail(\"x == 2\", \"f\", 1, \"m\"); }";
    let found = actions(source, "main");
    assert_eq!(found[..2], ["t := load x", "assert t == 2 condition \"x == 2\""]);
}

#[test]
fn a_failure_that_is_not_checked_ends_the_program() {
    let source = "void reach_error(void); int main(void) { reach_error(); return 0; }";
    let text = plato_with(source, &checking(&[Property::Race]));
    assert!(text.contains("halt") && !text.contains("assert"), "{text}");
}

#[test]
fn a_thread_starts_in_its_function() {
    let source = "typedef unsigned long pthread_t; int x;\
                  int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\
                  void *work(void *arg) { x = 1; return 0; }\
                  int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); return 0; }";
    let text = procedure(source, "main");
    assert!(text.contains("spawn work(null)"), "{text}");
    // Before the thread runs: one atomic step.
    assert!(text.contains("store atomic *(t#addr): thread"), "{text}");
}

#[test]
fn a_thread_of_another_signature_starts_through_an_adapter() {
    let source = "typedef unsigned long pthread_t; int x;\
                  int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\
                  void work() { x = 1; }\
                  int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); return 0; }";
    let text = plato(source);
    assert!(text.contains("spawn start$work(null)"), "{text}");
    assert!(body_of(&text, "start$work").contains("call work()"), "{text}");
}

#[test]
fn a_lock_is_one_action() {
    let source = "typedef union { char c[40]; } pthread_mutex_t;\
                  int pthread_mutex_lock(pthread_mutex_t *); pthread_mutex_t m = { { 0 } };\
                  int main(void) { pthread_mutex_lock(&m); return 0; }";
    assert_eq!(actions(source, "main"), ["lock m.holder", "result := 0"]);
}

#[test]
fn undefined_functions_write_what_their_arguments_name() {
    let source = "int outside(int); int main(void) { return outside(3); }";
    let text = procedure(source, "main");
    assert!(text.contains("havoc result"), "{text}");
    let source = "int x; int outside(int *); int main(void) { return outside(&x); }";
    let text = procedure(source, "main");
    assert!(text.contains("store x") && !text.contains("unsupported"), "{text}");
    let source = "int *p; int outside(int *); int main(void) { return outside(p); }";
    let text = procedure(source, "main");
    assert!(text.contains("unsupported \"the call to `outside`"), "{text}");
    let source = "int mktemp(int); int main(void) { return mktemp(1); }";
    let text = procedure(source, "main");
    assert!(text.contains("a library function without a model"), "{text}");
    let source = "int outside(const char *); int main(void) { return outside(\"text\"); }";
    assert!(!plato(source).contains("unsupported"));
}

#[test]
fn constructs_without_meaning_are_unsupported_where_they_stand() {
    for (body, what) in [
        ("__asm__(\"lock; addl $1, %0\" : \"+m\"(x));", "inline assembly"),
        ("int g(int b) { return b; } x = g(1);", "nested function"),
        ("__builtin_va_list l; __builtin_va_start(l, x);", "va_start"),
    ] {
        let source = format!("int x; int main(void) {{ {body} return 0; }}");
        let text = plato(&source);
        assert!(text.contains("unsupported") && text.contains(what), "{text}");
    }
    let barrier = "int main(void) { __asm__ volatile(\"\" ::: \"memory\"); return 0; }";
    assert!(!plato(barrier).contains("unsupported"));
}

#[test]
fn computed_goto_chooses_among_the_labels() {
    let source = "int main(int argc, char **argv) { void *t[] = { &&a, &&b };\
                  goto *t[argc > 1]; a: return 1; b: return 2; }";
    let found = actions(source, "main");
    assert_eq!(found.iter().filter(|a| a.starts_with("assume") && a.contains("ptr(")).count(), 3);
}

#[test]
fn deep_expressions_are_cut_into_several_actions() {
    let sum = vec!["argc"; 3000].join(" + ");
    let source = format!("int main(int argc, char **v) {{ return {sum}; }}");
    let run = move || {
        let compiled = compile_text("t.c", &source, &Options::default()).expect("it is correct");
        let printed = text::print(&compiled.program);
        assert!(printed.lines().all(|line| line.len() < 2000));
    };
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(run);
    thread.expect("a thread").join().expect("no overflow");
}
