//! `selvedge contracts` on many functions: workers, the cache and JSON.

mod common;

use std::path::Path;

use common::{Outcome, SAFE, UNKNOWN, UNSAFE, WRONG_USAGE, file, selvedge};
use serde_json::Value;

fn example(name: &str) -> String {
    format!("{}/../../examples/contracts/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.out).expect("one object")
}

/// So many functions, each with a lock and a counter; `limit` is that of the third.
fn module(functions: usize, limit: u32, comment: &str) -> String {
    let mut text = format!("{comment}#include <pthread.h>\n");
    for i in 0..functions {
        let limit = if i == 3 { limit } else { 10 };
        text += &format!(
            "pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;\n\
             int x{i}; //@ unwritable_by_env_if \\holder(m{i}) == \\tid;\n\
             //@ global_invariant 0 <= x{i} && x{i} <= 10;\n\
             /*@ modifies m{i}, x{i}; */\nvoid f{i}(void)\n{{\n    pthread_mutex_lock(&m{i});\n\
             \x20   if (x{i} < {limit}) x{i} = x{i} + 1;\n    pthread_mutex_unlock(&m{i});\n}}\n"
        );
    }
    text
}

fn run(test: &str, source: &str, more: &[&str]) -> Outcome {
    let source = file(test, "a.c", source);
    let mut args = vec!["contracts", "--library", "--work", "100000000"];
    args.extend(more);
    args.push(&source);
    selvedge(&args)
}

#[test]
fn after_an_edit_one_function_is_checked_again() {
    let beside = file("contracts_cache", "a.c", "");
    let folder = Path::new(&beside).with_file_name("cache");
    let _ = std::fs::remove_dir_all(&folder);
    let folder = folder.to_str().expect("a path of letters");
    let run = |source: &str, status: i32| {
        let outcome = run("contracts_cache", source, &["--format", "json", "--cache", folder]);
        let report = json(outcome.ends(status));
        let reason = report["reason"].as_str().unwrap_or_default().to_owned();
        ((report["checked"].as_u64(), report["recalled"].as_u64()), reason)
    };
    assert_eq!(run(&module(50, 10, ""), SAFE).0, (Some(51), Some(0)));
    assert_eq!(run(&module(50, 10, "// later lines\n\n"), SAFE).0, (Some(0), Some(51)));
    assert_eq!(run(&module(50, 9, ""), SAFE).0, (Some(1), Some(50)));
    let (counted, reason) = run(&module(50, 11, ""), UNKNOWN);
    assert_eq!(counted, (Some(1), Some(50)));
    assert!(reason.starts_with("1 of "), "{reason}");
}

#[test]
fn the_log_tells_what_came_from_the_cache() {
    let source = module(3, 10, "");
    run("contracts_log", &source, &["--log", "--no-cache"]).ends(SAFE).says("4 checked, 0 from");
}

#[test]
fn places_are_those_of_the_file_as_it_is() {
    let place = |comment: &str| {
        let outcome = run("contracts_places", &module(5, 11, comment), &["--format", "json"]);
        let report = json(outcome.ends(UNKNOWN));
        let obligations = report["obligations"].as_array().expect("a list").clone();
        let open = obligations.into_iter().find(|o| o["outcome"] == "not_proved");
        open.expect("the limit is too large")["place"].as_str().expect("a place").to_owned()
    };
    let line = |place: &str| -> u32 {
        place.rsplit_once(':').expect("a line").1.parse().expect("a number")
    };
    assert_eq!(line(&place("")) + 2, line(&place("// one\n// two\n")));
}

#[test]
fn text_and_json_do_not_depend_on_the_number_of_workers() {
    let source = module(9, 11, "");
    let text = |jobs: &str| run("contracts_jobs", &source, &["--no-cache", "--jobs", jobs]).out;
    assert_eq!(text("1"), text("4"));
    run("contracts_jobs", &source, &["--jobs", "0"]).ends(WRONG_USAGE);
}

#[test]
fn obligations_are_values() {
    let outcome = selvedge(&["contracts", "--format", "json", &example("apprentice_bogus.c")]);
    let report = json(outcome.ends(UNSAFE));
    assert_eq!(report["verdict"], "UNSAFE");
    assert!(report["trace"]["steps"].is_array());
    let obligations = report["obligations"].as_array().expect("a list");
    let names: std::collections::BTreeSet<&str> =
        obligations.iter().filter_map(|o| o["name"].as_str()).collect();
    assert_eq!(names.len(), obligations.len());
    let open = obligations.iter().find(|o| o["outcome"] == "not_proved").expect("the write");
    assert_eq!((open["kind"].as_str(), open["part"].as_str()), (Some("guarantee"), Some("main")));
    assert!(open["place"].as_str().is_some_and(|at| at.ends_with("apprentice_bogus.c:42")));
    assert!(open["annotation"]["text"].as_str().is_some_and(|t| t.contains("objref != 0")));
    let changes = open["state"].as_array().expect("a state");
    assert!(changes.iter().any(|change| change["after"].is_string()), "{changes:?}");
    for text in ["to_hold", "if_proved", "if_wrong"] {
        assert!(open[text].as_str().is_some_and(|text| !text.is_empty()));
    }
}

#[test]
fn what_an_execution_refutes_is_false() {
    let source = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *other(void *p) { x = 1; return p; }\n\
        int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, other, 0);\n\
        \x20   assert(x == 0);\n    assert(x <= 9);\n}\n";
    let source = file("contracts_false", "a.c", source);
    let report = json(selvedge(&["contracts", "--format", "json", &source]).ends(UNSAFE));
    let outcomes: Vec<(&str, &str)> = (report["obligations"].as_array().into_iter().flatten())
        .filter(|o| o["kind"] == "assertion")
        .filter_map(|o| Some((o["to_hold"].as_str()?, o["outcome"].as_str()?)))
        .collect();
    let expected = [
        ("this does not fail: assertion x == 0", "false"),
        ("this does not fail: assertion x <= 9", "not_proved"),
    ];
    assert_eq!(outcomes, expected);
    let text = selvedge(&["contracts", &source]);
    text.ends(UNSAFE).says("false: the execution below shows it").says("not proved: the state may");
}

#[test]
fn a_stop_is_a_value() {
    let source = "int x;\nvoid f(int n) { if (n > 0) f(n - 1); x = n; }\n\
        int main(void) { f(3); return 0; }\n";
    let source = file("contracts_stop", "a.c", source);
    let report = json(selvedge(&["contracts", "--format", "json", &source]).ends(UNKNOWN));
    assert_eq!(report["stop"]["kind"], "unsupported");
    assert!(report["place"].as_str().is_some_and(|place| place.ends_with("a.c:3")));
    let source = file("contracts_short", "a.c", module(3, 10, ""));
    let args = ["contracts", "--library", "--format", "json", "--no-cache", "--work", "9", &source];
    let short = json(selvedge(&args).ends(UNKNOWN));
    assert_eq!(short["stop"]["kind"], "work");
}

#[test]
fn switches_change_no_answer() {
    for name in ["simple_lock.c", "readers_writer.c", "apprentice.c"] {
        for switch in ["--no-split", "--no-focus", "--no-commute"] {
            let outcome = selvedge(&["contracts", "--no-cache", switch, &example(name)]);
            outcome.ends(SAFE).says("certified");
        }
    }
}
