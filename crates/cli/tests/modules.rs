//! `--module`: files without `main`, and their most general client.

mod common;

use common::{BAD_INPUT, SAFE, UNKNOWN, UNSAFE, file, selvedge};

const WORK: &str = "60000000";

fn stack() -> String {
    format!("{}/../../examples/module/stack.c", env!("CARGO_MANIFEST_DIR"))
}

fn verify(source: &str, more: &[&str]) -> common::Outcome {
    let fixed = ["verify", "--module", "--property", "assert", "--work", WORK];
    selvedge(&[&fixed, more, &[source]].concat())
}

#[test]
fn a_stack_is_proved_for_any_number_of_threads() {
    let properties = ["verify", "--module", "--property", "assert,race,memory", "--work", WORK];
    let source = stack();
    let outcome = selvedge(&[&properties[..], &["--engine", "horn", &source]].concat());
    outcome.ends(SAFE).says("callers pass null or one of two objects of each type");
}

#[test]
fn an_item_taken_too_late_is_found() {
    let source = stack();
    let arguments = ["verify", "--module", "--engine", "explore", "--property", "memory"];
    let more = ["--work", WORK, "-DTOO_LATE", &source];
    selvedge(&[&arguments[..], &more].concat()).ends(UNSAFE).says("access out of bounds");
}

#[test]
fn arguments_are_any_that_are_allowed() {
    let source = "#include <assert.h>\n/*@ requires 0 < n && n < 9; */\n\
                  void f(int n) { assert(n > 0); }\nvoid g(int n) { assert(n < 9); }\n";
    let source = file("modules_arguments", "a.c", source);
    verify(&source, &["--engine", "explore", "--entry", "g"]).ends(UNSAFE).says("n < 9");
    let outcome = verify(&source, &["--engine", "horn", "--entry", "f"]);
    outcome.ends(SAFE);
}

#[test]
fn what_a_client_cannot_pass_is_not_supported() {
    let source = file("modules_opaque", "a.c", "struct s; int f(struct s *p) { return p != 0; }");
    let outcome = verify(&source, &["--engine", "horn"]);
    outcome.ends(UNKNOWN).says("an argument of type `struct s *` from a client");
}

#[test]
fn modules_without_functions_are_bad_input() {
    let source = file("modules_none", "a.c", "static int f(void) { return 0; } int x;");
    verify(&source, &[]).ends(BAD_INPUT).says("the module has no public function");
    let outcome = verify(&source, &["--entry", "nobody"]);
    outcome.ends(BAD_INPUT).says("the module defines no function `nobody`");
}

#[test]
fn what_runs_before_main_runs_before_clients() {
    let source = "#include <assert.h>\nstatic int ready;\n\
                  __attribute__((constructor)) static void setup(void) { ready = 1; }\n\
                  void f(void) { assert(ready); }\n";
    let source = file("modules_constructor", "a.c", source);
    verify(&source, &["--engine", "horn"]).ends(SAFE);
}
