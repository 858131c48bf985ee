//! `verify` without `--engine`: several engines, one answer.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{BAD_INPUT, SAFE, UNKNOWN, UNSAFE, file, selvedge};
use serde_json::Value;

const FAILING: &str = "#include <assert.h>\nint x;\nint main(void) { x++; assert(!x); }\n";

/// Too many states for a search, any number of threads; one predicate proves it.
const ANY_NUMBER: &str = "shared m: thread; shared x: i32; shared y: i32;
    procedure work() {
      while (true) {
        lock m;
        x := x + 1;
        y := y + 1;
        assert x == y;
        unlock m;
      }
    }
    thread any work;";

/// Nothing decides it soon: it counts for ever, and has no invariant that is easily found.
const HARD: &str = "#include <assert.h>\n#include <pthread.h>\nunsigned x = 1, y;\n\
    void *work(void *p) { for (;;) { x = x * 1664525u + 1013904223u; y = x ^ (y >> 3); } return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, work, 0);\n\
    for (;;) { assert(x * y != 12345678u || x != 87654321u); y = y * x; } }\n";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_small_program_is_searched() {
    let source = file("auto_small", "failing.c", FAILING);
    let trace = file("auto_small", "trace.json", "");
    let outcome = selvedge(&["verify", "--trace", &trace, &source]);
    outcome.ends(UNSAFE).says("decided by explore").last_line_starts("verdict: UNSAFE");
    selvedge(&["replay", &trace]).ends(UNSAFE);
    let folder = PathBuf::from(&trace);
    let mut left = names(folder.parent().expect("a folder"));
    left.sort();
    assert_eq!(left, ["failing.c", "trace.json"]);
}

#[test]
fn any_number_of_threads_is_proved_with_a_certificate() {
    let model = file("auto_any", "any.plato", ANY_NUMBER);
    let certificate = file("auto_any", "certificate.json", "");
    let args = ["verify", "--property", "assert", "--work", "3000000", "--format", "json"];
    let args = [&args[..], &["--certificate", &certificate]].concat();
    let outcome = selvedge(&[&args[..], &[&model]].concat());
    outcome.ends(SAFE);
    let report: Value = serde_json::from_str(&outcome.out).expect("one JSON object");
    assert_eq!(report["verdict"], "SAFE");
    let engine = report["engine"].as_str().expect("the engine");
    assert!(["tar", "horn", "cover"].contains(&engine), "{engine}");
    selvedge(&["certify", &certificate, &model]).ends(SAFE).says("certificate: accepted");
}

#[test]
fn without_a_verdict_each_engine_says_why() {
    let source = file("auto_open", "asm.c", "int main(void) { __asm__(\"hlt\"); return 0; }\n");
    let outcome = selvedge(&["verify", "--property", "assert", "--work", "3000000", &source]);
    outcome.ends(UNKNOWN).last_line_starts("verdict: UNKNOWN (unsupported").says("asm.c:1");
    // That nothing can be proved is known once the search has come to it.
    for engine in ["explore", "contexts"] {
        outcome.says(&format!("{engine}, "));
    }
    let report = selvedge(&[
        "verify",
        "--property",
        "assert",
        "--work",
        "3000000",
        "--format",
        "json",
        &source,
    ]);
    let report: Value = serde_json::from_str(&report.ends(UNKNOWN).out).expect("JSON");
    assert_eq!(report["attempts"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_time_is_shared() {
    let source = file("auto_time", "hard.c", HARD);
    let outcome = selvedge(&["verify", "--property", "assert", "--time", "3", &source]);
    outcome.ends(UNKNOWN).says("--time SECONDS");
    outcome.last_line_starts("verdict: UNKNOWN (time limit of 3 s reached)");
}

/// Each of two threads counts up for ever, which goes well until the integer is full.
const COUNTS_FOR_EVER: &str = "shared x: i32; procedure count() { local n: i32; while (true) {
    atomic { x := x + 1; } atomic { n := x; } assert n >= 0; } } thread 2 count;";

#[test]
fn what_holds_of_integers_without_bounds_is_told_and_is_no_verdict() {
    let source = file("auto_math", "counts.plato", COUNTS_FOR_EVER);
    let ask = |more: &[&str]| {
        let line = ["verify", "--property", "assert", "--work", "2000000", &source];
        selvedge(&[&line, more].concat())
    };
    let outcome = ask(&[]);
    outcome.ends(UNKNOWN).last_line_starts("verdict: UNKNOWN");
    outcome.says("if integers had no bounds, assert would hold (");
    let report: Value = serde_json::from_str(&ask(&["--format", "json"]).out).expect("JSON");
    assert_eq!(report["verdict"], "UNKNOWN");
    let supposing = &report["properties"][0]["supposing"];
    assert_eq!(supposing["assumptions"][0]["kind"], "unbounded_integers");
    // Whoever chooses an engine has chosen the integers, too.
    let one = ask(&["--engine", "horn"]);
    assert!(!one.ends(UNKNOWN).out.contains("if integers had no bounds"), "{}", one.out);
}

#[test]
fn a_mistake_in_a_predicate_is_told() {
    let text = format!("/*@ predicate x >; */\n{HARD}");
    let source = file("auto_predicate", "predicate.c", text);
    let outcome = selvedge(&["verify", "--work", "300000", &source]);
    outcome.ends(BAD_INPUT).says("predicate.c:1");
}

#[test]
fn an_engine_ends_with_who_started_it() {
    let source = file("auto_orphan", "hard.c", HARD);
    let done = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([
            "verify",
            "--property",
            "assert",
            "--engine",
            "explore",
            "--attempt",
            "--time",
            "0",
            &source,
        ])
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    assert_eq!(done.status.code(), Some(UNKNOWN));
}
