//! `--engine contexts` as a user meets it: options that make no sense, limits that are reached, and
//! what it says then.

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::{BAD_INPUT, Outcome, UNKNOWN, UNSAFE, WRONG_USAGE, file, selvedge};

/// A lost update: found with two contexts a thread.
const LOST: &str = "#include <assert.h>\n#include <pthread.h>\nint total;\n\
    void *add(void *p) { int old = total; total = old + 1; return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0);\n\
    pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);\n\
    assert(total == 2); return 0; }\n";

fn contexts(file: &str, more: &[&str]) -> Outcome {
    selvedge(&[&["verify", "--engine", "contexts", "--property", "assert", file], more].concat())
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
        "verdict: UNKNOWN (bound reached: no violation within 1 context for each thread",
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
    selvedge(&["dump", "--engine", "contexts", "--track", "elephant", &lost])
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
        .says("cannot write questions to the folder")
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
    contexts(&source, &["--unwind", "3"]).ends(UNKNOWN).says("recursion at most 3 deep");
    contexts(&source, &[]).ends(UNSAFE);
}

#[test]
fn recursion_that_is_too_large_to_look_at() {
    let text = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\n\
        int sum(int n) { if (n < 2) return n; return sum(n - 1) + sum(n - 2); }\n\
        int main(void) { assert(sum(__VERIFIER_nondet_int()) != -55); return 0; }\n";
    let source = file("contexts_large", "tree.c", text);
    contexts(&source, &["--unwind", "40"])
        .ends(UNKNOWN)
        .says("program too large: even the least bounds hold too much code");
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
    let bounds = ["--contexts", "5", "--slice", "off"];
    contexts(&driver, &[&bounds[..], &["--memory", "40MiB", "--time", "0"]].concat())
        .ends(UNKNOWN)
        .last_line_starts("verdict: UNKNOWN (memory limit of 40 MiB reached")
        .says("hint: `--memory SIZE`");
}

/// The keys of a thread are looked for behind branches that sliced programs go past.
#[test]
fn what_is_gone_past_has_a_value_for_those_who_look_at_it() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x; pthread_key_t key;\n\
        void drop(void *value) { x = 1; }\n\
        void *work(void *arg) { pthread_setspecific(key, &x); return 0; }\n\
        int main(void) { pthread_t t; pthread_key_create(&key, drop);\n\
        pthread_create(&t, 0, work, 0); pthread_join(t, 0); assert(x == 1); }\n";
    let source = file("contexts_past", "keys.c", text);
    contexts(&source, &["--slice", "always", "--work", "300000"])
        .ends(UNKNOWN)
        .says("no violation within");
}

#[test]
fn rounds_are_told() {
    let lost = file("contexts_rounds", "lost.c", LOST);
    contexts(&lost, &["--log", "--slice", "always"])
        .ends(UNSAFE)
        .says("fields 3: ")
        .says("tracked: a#addr, b#addr, total");
    let outcome = contexts(&lost, &["--format", "json", "--slice", "always", "--contexts", "2"]);
    let report: serde_json::Value = serde_json::from_str(&outcome.ends(UNSAFE).out).expect("JSON");
    let last = report["rounds"].as_array().and_then(|rounds| rounds.last()).expect("a round");
    assert_eq!(last["contexts"], 2);
    assert_eq!(last["result"]["kind"], "violation");
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

/// `N` passes of a loop whose sum is a square; what goes before the loop.
fn square(before: &str) -> String {
    format!(
        "#include <assert.h>\nunsigned long __VERIFIER_nondet_ulong(void);\n\
         int main(void) {{ unsigned long n = __VERIFIER_nondet_ulong(), i = 0, s = 0;\n\
         if (n >= 1000) return 0;\n{before}\nwhile (i < n) {{ s += i + i + 1; i++; }}\n\
         assert(s == n * n); return 0; }}\n"
    )
}

#[test]
fn loop_invariants_that_hold_are_used() {
    let text = square("/*@ loop invariant s == i * i && i <= n && n < 1000; */");
    let source = file("contexts_invariant", "square.c", &text);
    let outcome = contexts(&source, &["--contexts", "1"]);
    outcome.ends(UNKNOWN).says("loops passed any number of times");
    assert!(!outcome.out.contains("without the loop invariant"), "{}", outcome.out);
}

#[test]
fn loop_invariants_that_do_not_hold_are_told_of() {
    let bounds = ["--contexts", "1", "--unwind", "2", "--work", "3000000"];
    for (name, invariant, why) in [
        ("first.c", "i > 0", "it does not hold when the loop is entered"),
        ("kept.c", "s <= 100", "a pass through the loop does not keep it"),
    ] {
        let text = square(&format!("/*@ loop invariant {invariant}; */"));
        let source = file("contexts_wrong_invariant", name, &text);
        let told = format!("without the loop invariant at {source}:5 ({why})");
        contexts(&source, &bounds).ends(UNKNOWN).says(&told);
    }
}

#[test]
fn loop_invariants_that_make_no_sense_are_rejected_by_every_engine() {
    for (name, invariant, words) in [
        ("name.c", "j == 0", "`j` is not declared"),
        ("effect.c", "i++ == 0", "a loop invariant changes a variable"),
        ("call.c", "f(i)", "a loop invariant calls a function"),
        ("end.c", "i == ", "expected an expression"),
    ] {
        let text = square(&format!("/*@ loop invariant {invariant}; */"));
        let source = file("contexts_bad_invariant", name, &text);
        for engine in ["contexts", "explore"] {
            selvedge(&["verify", "--engine", engine, "--property", "assert", &source])
                .ends(BAD_INPUT)
                .says(words)
                .says(&format!("{name}:5"));
        }
    }
}

/// That this number has no factors takes a solver very long.
const HARD: &str = "#include <assert.h>\nunsigned long __VERIFIER_nondet_ulong(void);\n\
    int main(void) { unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();\n\
    if (a > 1 && b > 1 && a < 4294967296 && b < 4294967296)\n\
    assert(a * b != 4611686018427387847u); return 0; }\n";

#[test]
fn a_solver_that_finds_no_answer_in_time() {
    let hard = file("contexts_hard", "factors.c", HARD);
    contexts(&hard, &["--time", "2"])
        .ends(UNKNOWN)
        .last_line_starts("verdict: UNKNOWN (time limit of 2 s reached");
}

#[test]
fn a_solver_that_needs_too_much_memory() {
    let hard = file("contexts_memory", "factors.c", HARD);
    contexts(&hard, &["--memory", "30MiB", "--time", "0"])
        .ends(UNKNOWN)
        .last_line_starts("verdict: UNKNOWN (memory limit of 30 MiB reached");
}

#[test]
fn deadlocks_that_are_not_looked_for_are_named() {
    let model = "shared x: i32;\nprocedure worker() { local n: i32;\n\
        atomic { havoc n; wait x == 1 && n > 0; } }\nthread worker;\n";
    let source = file("contexts_deadlock", "number.plato", model);
    contexts(&source, &["--property", "deadlock", "--contexts", "2"])
        .ends(UNKNOWN)
        .says("without deadlocks in which a block starts threads, frees memory or takes inputs");
}

#[test]
fn faults_of_fields_that_are_tracked() {
    let text = "#include <pthread.h>\nint x, *p, go;\nint __VERIFIER_nondet_int(void);\n\
        void *work(void *a) { if (go) p = &x; return 0; }\n\
        int main(void) { pthread_t t; p = &x; go = __VERIFIER_nondet_int(); if (go > 3) p = 0;\n\
        pthread_create(&t, 0, work, 0); *p = 1; return 0; }\n";
    let source = file("contexts_faults", "null.c", text);
    contexts(&source, &["--property", "memory", "--slice", "always", "--track", "p,x"])
        .ends(UNSAFE)
        .says("null pointer dereferenced");
}
