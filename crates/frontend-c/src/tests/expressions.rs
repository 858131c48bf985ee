//! Expressions, conversions and constants.

use selvedge_ir::{DataModel, Property};

use super::{actions, actions_in, body_of, checking, plato, plato_with};
use crate::Options;

#[test]
fn locals_stay_expressions() {
    let source = "int main(void) { int a = 1, b = 2; int c = a * b + 3; return c; }";
    assert_eq!(actions(source, "main"), ["a := 1", "b := 2", "c := a * b + 3", "result := c"]);
}

#[test]
fn an_increment_of_a_shared_variable_is_two_accesses() {
    let source = "int x; int main(void) { x++; return 0; }";
    assert_eq!(actions(source, "main"), ["t := load x", "store x := t + 1", "result := 0"]);
}

#[test]
fn operands_are_loaded_from_left_to_right() {
    let source = "int x, y, z; int main(void) { z = y - x; return 0; }";
    assert_eq!(
        actions(source, "main"),
        ["t := load y", "t#2 := load x", "store z := t - t#2", "result := 0"]
    );
}

#[test]
fn the_old_value_survives_a_post_increment() {
    let source = "int main(void) { int i = 3; int j = i++ + 2; return j; }";
    assert_eq!(
        actions(source, "main"),
        ["i := 3", "t := i", "i := t + 1", "j := t + 2", "result := j"]
    );
}

#[test]
fn a_condition_is_no_integer() {
    let source = "int main(int argc, char **argv) { int r = 0; if (!(argc == 3) && argc < 9) r = 1; return r; }";
    let found = actions(source, "main");
    assert!(found.contains(&"assume argc != 3 && argc < 9".to_owned()), "{found:?}");
}

#[test]
fn a_second_operand_with_effects_is_behind_a_branch() {
    let source = "int x, y; int main(void) { int r = x && y; return r; }";
    let found = actions(source, "main");
    let first = found.iter().position(|a| a == "assume bool(t)").expect("a branch on x");
    let second = found.iter().position(|a| a.ends_with("load y")).expect("a load of y");
    assert!(first < second, "{found:?}");
}

#[test]
fn division_is_not_done_early() {
    let source =
        "int main(int argc, char **v) { int d = argc - 1; int r = d ? 7 / d : 0; return r; }";
    let found = actions(source, "main");
    assert!(found.contains(&"assume bool(d)".to_owned()), "{found:?}");
}

#[test]
fn sizes_are_those_of_the_data_model() {
    let source = "struct s { char c; long long l; void *p; }; unsigned long a = sizeof(struct s);\
                  int main(void) { return a; }";
    assert!(plato(source).contains("shared a: u64 = 24"));
    let ilp32 = Options { model: DataModel::Ilp32, ..Options::default() };
    assert!(plato_with(source, &ilp32).contains("shared a: u32 = 16"));
}

#[test]
fn offsets_are_constants_in_both_forms() {
    let source = "struct s { int a; int b[3]; };\
                  int x[__builtin_offsetof(struct s, b[1])];\
                  unsigned long y = (unsigned long)&((struct s *)0)->b;\
                  int main(void) { return x[0] + y; }";
    let text = plato(source);
    assert!(text.contains("shared x: i32[8]"), "{text}");
    assert!(text.contains("shared y: u64 = 4"), "{text}");
}

#[test]
fn signed_overflow_is_asserted_where_it_is_checked() {
    let source = "int x; int main(void) { x = x + 1; return 0; }";
    assert!(!plato(source).contains("check overflow"));
    let text = plato_with(source, &checking(&[Property::Overflow]));
    let found = actions_in(&body_of(&text, "main"));
    let check = found.iter().find(|a| a.starts_with("check overflow")).expect("a check");
    assert!(check.contains("signed_overflow \"x + 1\""), "{check}");
}

#[test]
fn unsigned_arithmetic_is_not_checked() {
    let source = "unsigned x; int main(void) { x = x + 1; return 0; }";
    assert!(!plato_with(source, &checking(&[Property::Overflow])).contains("check overflow"));
}

#[test]
fn floats_are_bits() {
    let source = "double d = 1.5, e; int main(void) { e = d; return 0; }";
    assert!(!plato(source).contains("unsupported"));
    let source = "double d = 1.5, e; int main(void) { e = d + e; return 0; }";
    assert!(plato(source).contains("fadd_f64("));
    let source = "double d = 1.5, e; int i; int main(void) { i = d + i; return 0; }";
    let text = plato(source);
    assert!(text.contains("f64_to_i32(") && text.contains("int_to_f64("), "{text}");
}

#[test]
fn arithmetic_with_excess_precision_is_not_supported() {
    let source = "double d = 1.5, e; int main(void) { e = d + e; return 0; }";
    let options = Options { model: DataModel::Ilp32, ..Options::default() };
    assert!(plato_with(source, &options).contains("unsupported \"floating-point arithmetic\""));
}

#[test]
fn an_input_has_the_type_it_is_used_at() {
    let source = "int __VERIFIER_nondet_int(void); _Bool b;\
                  int main(void) { b = __VERIFIER_nondet_int(); return 0; }";
    let text = body_of(&plato(source), "main");
    assert!(text.contains("temp t: bool"), "{text}");
}

#[test]
fn an_input_that_is_used_twice_keeps_its_type() {
    let source = "int __VERIFIER_nondet_int(void); int x;\
                  int main(void) { x = __VERIFIER_nondet_int() ?: 3; return 0; }";
    let text = body_of(&plato(source), "main");
    assert!(text.contains("temp t: i32"), "{text}");
}
