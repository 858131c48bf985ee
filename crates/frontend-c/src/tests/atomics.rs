//! Atomic blocks, `_Atomic` objects and the atomic builtins.

use super::{actions, body_of, plato, procedure};

const BLOCKS: &str = "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\
                      int x, y;";

#[test]
fn a_block_is_a_chain_of_atomic_locations() {
    let source = format!(
        "{BLOCKS} int main(void) {{ __VERIFIER_atomic_begin(); x = 1; y = 2; x = 3;\
         __VERIFIER_atomic_end(); y = 4; return 0; }}"
    );
    let text = procedure(&source, "main");
    assert_eq!(text.matches("store atomic").count(), 3, "{text}");
    assert_eq!(text.matches("atomic L").count(), 2, "{text}");
    assert!(!text.contains("skip"), "{text}");
}

#[test]
fn an_empty_block_is_nothing() {
    let source = format!(
        "{BLOCKS} int main(void) {{ __VERIFIER_atomic_begin(); __VERIFIER_atomic_end(); return 0; }}"
    );
    assert_eq!(actions(&source, "main"), ["result := 0"]);
}

#[test]
fn a_call_returns_inside_the_block() {
    let source = format!(
        "{BLOCKS} void f(void) {{ x = 1; }} int main(void) {{ __VERIFIER_atomic_begin(); f();\
         __VERIFIER_atomic_end(); return 0; }}"
    );
    let text = procedure(&source, "main");
    assert!(text.contains("atomic L1: skip"), "{text}");
}

#[test]
fn a_block_open_at_return_is_unsupported() {
    let source =
        format!("{BLOCKS} int main(void) {{ __VERIFIER_atomic_begin(); x = 1; return 0; }}");
    assert!(plato(&source).contains("unsupported \"returning inside an atomic block\""));
}

#[test]
fn an_end_outside_a_block_is_noted() {
    let source = format!("{BLOCKS} int main(void) {{ __VERIFIER_atomic_end(); return 0; }}");
    assert!(plato(&source).contains("outside an atomic block does nothing"));
}

#[test]
fn verifier_atomic_functions_are_atomic_inside() {
    let source = "int x; void __VERIFIER_atomic_f(void) { x = 1; x = 2; x = 3; }\
                  int main(void) { __VERIFIER_atomic_f(); return 0; }";
    let text = body_of(&plato(source), "__VERIFIER_atomic_f");
    assert_eq!(text.matches("atomic L").count(), 2, "{text}");
    assert_eq!(text.matches("store atomic").count(), 3, "{text}");
}

#[test]
fn an_atomic_object_is_stepped_in_one_block() {
    let source = "_Atomic int x; int main(void) { x++; return 0; }";
    let text = procedure(source, "main");
    assert!(text.contains("load atomic x") && text.contains("atomic L1: store atomic x"), "{text}");
}

#[test]
fn compare_and_swap_writes_back_what_it_saw() {
    let source = "int x; int main(void) { int e = 1;\
                  return __atomic_compare_exchange_n(&x, &e, 2, 0, 5, 5); }";
    let found = actions(source, "main");
    let at = |what: &str| found.iter().position(|a| a.contains(what)).expect(what);
    assert!(at("load atomic x") < at("store atomic x := 2"), "{found:?}");
    assert!(found.iter().any(|a| a.starts_with("e := t")), "{found:?}");
    assert!(!found.iter().any(|a| a.contains("alloc")), "{found:?}");
}
