//! A verdict for each property, with its evidence and what it rests on.

mod common;

use std::fs;

use common::{SAFE, UNKNOWN, UNSAFE, file, selvedge};
use serde_json::Value;

/// Nothing is asserted, two threads race, and the rest is in order.
const RACE: &str = "#include <pthread.h>\nint x;\n\
    void *work(void *p) { x = 1; return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); x = 2;\n\
    pthread_join(t, 0); return 0; }\n";

/// A failing assertion, and threads that wait for each other.
const TWO: &str = "#include <assert.h>\n#include <pthread.h>\n\
    pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
    void *work(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a);\n\
    pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, work, 0);\n\
    pthread_mutex_lock(&a); pthread_mutex_lock(&b); assert(!t);\n\
    pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); pthread_join(t, 0); return 0; }\n";

const NULL: &str = "#include <assert.h>\nint *p, x;\n\
    int main(void) { assert(x == 0); return *p; }\n";

const FAILING: &str = "#include <assert.h>\nint x;\n\
    int main(void) { x = 1; assert(x == 2); return 0; }\n";

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON object")
}

#[test]
fn each_property_has_a_line() {
    let source = file("each", "race.c", RACE);
    let outcome = selvedge(&["verify", &source]);
    outcome.ends(UNSAFE).last_line_starts("verdict: UNSAFE (data race on x");
    outcome.says("assert: SAFE (the program has no assertions that could fail)\nrace: UNSAFE (data race on x");
    outcome.says("\nmemory: SAFE (search complete").says("\ndeadlock: SAFE (search complete");
    outcome.says("assuming: accesses that race happen one after the other\n");
    let narrowed = selvedge(&["verify", "--property", "assert,deadlock", &source]);
    narrowed.ends(SAFE).says("assert: SAFE").says("\ndeadlock: SAFE");
    assert!(!narrowed.out.contains("race: "), "{}", narrowed.out);
    let apart = ["verify", "--property", "assert", "--property", "deadlock", &source];
    selvedge(&apart).ends(SAFE).says("assert: SAFE").says("\ndeadlock: SAFE");
    let violated = selvedge(&["verify", "--property", "race", "--property", "assert", &source]);
    violated.ends(UNSAFE).says("race: UNSAFE").says("assert: SAFE");
    let one = selvedge(&["verify", "--property", "deadlock", &source]);
    one.ends(SAFE).last_line_starts("verdict: SAFE (deadlock: search complete");
    assert!(!one.out.contains("\ndeadlock: "), "{}", one.out);
}

#[test]
fn one_engine_answers_for_what_it_checks() {
    let source = file("one", "race.c", RACE);
    let outcome = selvedge(&["verify", "--engine", "tar", "--work", "3000000", &source]);
    outcome.ends(UNSAFE).says("race: UNSAFE").says("memory: SAFE (proved");
    outcome.says("deadlock: UNKNOWN (engine tar does not support `deadlock`)");
}

#[test]
fn every_violation_has_its_trace() {
    let source = file("traces", "two.c", TWO);
    let trace = file("traces", "trace.json", "");
    let args = ["verify", "--property", "assert,deadlock", "--format", "json", "--trace", &trace];
    let report = json(&selvedge(&[&args[..], &[&source]].concat()).ends(UNSAFE).out);
    let kinds: Vec<&Value> = report["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|answer| &answer["trace"]["outcome"]["fault"]["kind"])
        .collect();
    assert_eq!(kinds, ["assertion", "deadlock"]);
    selvedge(&["replay", &trace]).ends(UNSAFE).says("assertion !t fails");
    let other = trace.replace("trace.json", "trace.deadlock.json");
    selvedge(&["replay", &other]).ends(UNSAFE).says("deadlock");
}

#[test]
fn undefined_behaviour_is_a_violation_whatever_is_asked() {
    let source = file("undefined", "null.c", NULL);
    for engine in ["auto", "explore", "tar", "horn", "cover"] {
        let args = ["verify", "--property", "assert", "--engine", engine, "--work", "3000000"];
        let outcome = selvedge(&[&args[..], &[&source]].concat());
        outcome.ends(UNSAFE).last_line_starts("verdict: UNSAFE (null pointer dereference");
    }
    let outcome = selvedge(&["verify", "--property", "assert,race", &source]);
    outcome.ends(UNSAFE).says("memory: UNSAFE (null").says("assert: UNKNOWN (undefined behaviour");
}

#[test]
fn a_proof_says_what_it_assumes() {
    let text = "int f(void);\nint main(void) {\nint x = f();\nreturn x > 0; }\n";
    let source = file("assumed", "extern.c", text);
    let outcome = selvedge(&["verify", &source]);
    outcome.ends(SAFE).says("assuming: `f`, which is not defined,").says("extern.c:3)");
    let report = json(&selvedge(&["verify", "--format", "json", &source]).ends(SAFE).out);
    assert_eq!(report["assumptions"][0]["kind"], "havoc");
    assert_eq!(report["assumptions"][0]["lines"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_trace_that_was_changed_is_not_believed() {
    let source = file("altered", "failing.c", FAILING);
    let trace = file("altered", "trace.json", "");
    selvedge(&["verify", "--property", "assert", "--trace", &trace, &source]).ends(UNSAFE);
    let text = fs::read_to_string(&trace).expect("the trace");
    for (from, to) in [
        ("\"value\": \"1\"", "\"value\": \"2\""),
        ("\"line\": 3", "\"line\": 2"),
        ("\"procedure\": \"main\"", "\"procedure\": \"other\""),
        ("\"kind\": \"write\"", "\"kind\": \"read\""),
        ("assertion x == 2", "assertion x == 3"),
        ("\"sources\": [", "\"sources\": [\n    \"more.c\","),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{from}");
        let path = file("altered", "changed.json", &changed);
        selvedge(&["replay", &path]).ends(UNKNOWN).last_line_starts("verdict: UNKNOWN (the trace");
    }
    selvedge(&["replay", &trace, &source]).ends(UNSAFE);
    let other = file("altered", "other.c", FAILING.replace("x == 2", "x == 3"));
    selvedge(&["replay", &trace, &other]).ends(UNKNOWN).says("another program");
}

#[test]
fn a_certificate_claims_no_more_than_was_checked() {
    let text = "#include <assert.h>\nint x;\n\
        int main(void) { x = 2147483647; assert(x > 0); x++; return 0; }\n";
    let source = file("claims", "overflow.c", text);
    let path = file("claims", "certificate.json", "");
    let args = ["verify", "--engine", "tar", "--property", "assert", "--certificate", &path];
    selvedge(&[&args[..], &[&source]].concat()).ends(SAFE);
    selvedge(&["certify", &path]).ends(SAFE).says("lowered with the checks of assert;");
    selvedge(&["certify", &path, &source]).ends(SAFE);
    let text = fs::read_to_string(&path).expect("the certificate");
    let more = text.replacen("\"assert\"", "\"assert\", \"overflow\"", 1);
    assert_ne!(text, more);
    let more = file("claims", "more.json", more);
    selvedge(&["certify", &more]).ends(UNSAFE).says("without the checks of it");
}

/// Tickets wrap around; two threads never hold the same one.
const TICKETS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    atomic_uint next, serving;\nint inside;\n\
    void *work(void *p) { for (;;) { unsigned mine = next++; while (serving != mine) {}\n\
    assert(!inside); inside = 1; inside = 0; serving++; } }\n\
    int main(void) { pthread_t t; for (;;) pthread_create(&t, 0, work, 0); }\n";

#[test]
fn a_count_of_threads_does_not_wrap_around() {
    let source = file("few", "tickets.c", TICKETS);
    let path = file("few", "certificate.json", "");
    let args = ["verify", "--engine", "horn", "--property", "assert", "--work", "60000000"];
    let outcome = selvedge(&[&args[..], &["--certificate", &path, &source]].concat());
    outcome.ends(SAFE).says("assuming: fewer than 2^31 threads exist at once");
    selvedge(&["certify", &path, &source]).ends(SAFE).says("assumed: fewer than 2^31 threads");
    let text = fs::read_to_string(&path).expect("the certificate");
    let bold = text.replacen("\"few_threads\": true", "\"few_threads\": false", 1);
    assert_ne!(text, bold);
    let bold = file("few", "bold.json", bold);
    selvedge(&["certify", &bold, &source]).ends(UNSAFE).says("certificate: rejected");
}
