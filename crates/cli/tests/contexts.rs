//! `--engine contexts` as a user meets it: options that make no sense, limits that are reached, and
//! what it says then.

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::{Outcome, UNKNOWN, UNSAFE, WRONG_USAGE, file, selvedge};

/// A lost update: found with two contexts a thread.
const LOST: &str = "#include <assert.h>\n#include <pthread.h>\nint total;\n\
    void *add(void *p) { int old = total; total = old + 1; return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0);\n\
    pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);\n\
    assert(total == 2); return 0; }\n";

fn contexts(file: &str, more: &[&str]) -> Outcome {
    selvedge(&[&["verify", "--engine", "contexts", file], more].concat())
}

fn driver(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/drivers");
    folder.join(name).display().to_string()
}

#[test]
fn bugs_are_found_and_nothing_is_proved() {
    let lost = file("contexts", "lost.c", LOST);
    contexts(&lost, &[])
        .ends(UNSAFE)
        .last_line_starts("verdict: UNSAFE (assertion total == 2 fails");
    contexts(&lost, &["--property", "race"]).ends(UNSAFE).says("data race on total");
    contexts(&lost, &["--contexts", "1"]).ends(UNKNOWN).last_line_starts(
        "verdict: UNKNOWN (bound reached: no violation within 1 context a thread",
    );
}

#[test]
fn a_trace_replays() {
    let lost = file("contexts_trace", "lost.c", LOST);
    let trace = file("contexts_trace", "lost.json", "");
    contexts(&lost, &["--trace", &trace]).ends(UNSAFE);
    selvedge(&["replay", &trace]).ends(UNSAFE).says("assertion total == 2 fails");
}

#[test]
fn bounds_that_make_no_sense() {
    let lost = file("contexts_usage", "lost.c", LOST);
    let wrong = |args: &[&str], words: &str| {
        contexts(&lost, args).ends(WRONG_USAGE).says(words);
    };
    wrong(&["--contexts", "0"], "0 is not in 1..=64");
    wrong(&["--contexts", "4000000000"], "4000000000 is not in 1..=64");
    wrong(&["--contexts", "two"], "--contexts");
    wrong(&["--unwind", "0"], "0 is not in 1..=100000");
    wrong(&["--unwind", "99999999999999999999"], "--unwind");
    wrong(&["--threads", "0"], "0 is not in 1..=64");
    wrong(&["--points", "101"], "101 is not in 0..=100");
    wrong(&["--slice", "sometimes"], "possible values: auto, always, off");
}

#[test]
fn fields_that_do_not_exist() {
    let lost = file("contexts_fields", "lost.c", LOST);
    contexts(&lost, &["--track", "totals"])
        .ends(WRONG_USAGE)
        .says("no field is called `totals`; did you mean `total`?");
    contexts(&lost, &["--track", "total,elephant"])
        .ends(WRONG_USAGE)
        .says("no field is called `elephant`; there are")
        .says("`total`");
    selvedge(&["dump", "--stage", "contexts", "--track", "elephant", &lost])
        .ends(WRONG_USAGE)
        .says("no field is called `elephant`");
    contexts(&lost, &["--track", "total"]).ends(UNSAFE);
}

#[test]
fn questions_need_a_folder() {
    let lost = file("contexts_queries", "lost.c", LOST);
    let inside_a_file = format!("{lost}/questions");
    contexts(&lost, &["--queries", &inside_a_file])
        .ends(WRONG_USAGE)
        .says("the questions cannot be written to")
        .says(&inside_a_file);
    let folder = PathBuf::from(&lost).with_file_name("questions");
    contexts(&lost, &["--queries", &folder.display().to_string()]).ends(UNSAFE);
    let written = std::fs::read_dir(folder).expect("the folder is there").count();
    assert!(written > 0);
}

#[test]
fn recursion_beyond_the_bound() {
    let text = "#include <assert.h>\nint depth;\n\
        void down(int n) { depth++; if (n > 0) down(n - 1); }\n\
        int main(void) { down(20); assert(depth != 21); return 0; }\n";
    let source = file("contexts_recursion", "deep.c", text);
    contexts(&source, &["--unwind", "3"]).ends(UNKNOWN).says("recursion 3 deep");
    contexts(&source, &[]).ends(UNSAFE);
}

#[test]
fn what_is_not_supported_is_named() {
    let text = "#include <pthread.h>\nint stop;\n\
        void *work(void *p) { if (stop)\n__asm__ volatile(\"hlt\"); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); stop = 1; \
        pthread_join(t, 0); }\n";
    let source = file("contexts_unsupported", "asm.c", text);
    contexts(&source, &["--contexts", "2", "--unwind", "1"])
        .ends(UNKNOWN)
        .says("unsupported: inline assembly")
        .says("asm.c:4");
}

#[test]
fn the_time_limit_is_kept() {
    let start = Instant::now();
    contexts(&driver("battery_fixed.c"), &["--time", "1", "--contexts", "5", "--slice", "off"])
        .ends(UNKNOWN)
        // What was covered by then, or that it was nothing.
        .last_line_starts("verdict: UNKNOWN (");
    // The machine may be busy with other tests.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn the_memory_limit_is_kept() {
    let driver = driver("battery_fixed.c");
    let outcome = contexts(&driver, &["--memory", "40MiB", "--contexts", "5", "--slice", "off"]);
    outcome
        .ends(UNKNOWN)
        .last_line_starts("verdict: UNKNOWN (memory limit of 40 MiB reached")
        .says("hint: `--memory SIZE`");
}

#[test]
fn rounds_are_told() {
    let lost = file("contexts_rounds", "lost.c", LOST);
    contexts(&lost, &["--log", "--slice", "always"]).ends(UNSAFE).says(" fields: ").says("total");
    let outcome = contexts(&lost, &["--format", "json", "--slice", "always", "--contexts", "2"]);
    let report: serde_json::Value = serde_json::from_str(&outcome.ends(UNSAFE).out).expect("JSON");
    let last = report["rounds"].as_array().and_then(|rounds| rounds.last()).expect("a round");
    assert_eq!(last["contexts"], 2);
    assert_eq!(last["result"], "violation");
    let tracked = last["tracked"].as_array().expect("names of fields");
    assert!(tracked.contains(&"total".into()), "{tracked:?}");
    assert!(last["fields"].as_u64() > Some(1) && last["points"].as_u64() > Some(0));
    assert!(last["terms"].as_u64() > Some(0) && last["seconds"].is_number());
}

#[test]
fn without_scheduling_points_the_bug_is_missed_and_that_is_said() {
    let lost = file("contexts_points", "lost.c", LOST);
    contexts(&lost, &["--contexts", "2", "--points", "0"])
        .ends(UNKNOWN)
        .says("at 0 % of the scheduling points");
}
