//! `selvedge contracts` on the examples and on mistakes.

mod common;

use common::{BAD_INPUT, SAFE, UNKNOWN, UNSAFE, file, selvedge};

fn example(name: &str) -> String {
    format!("{}/../../examples/contracts/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn examples_are_proved() {
    for name in ["simple_lock.c", "apprentice.c", "vector.c", "readers_writer.c"] {
        let outcome = selvedge(&["contracts", &example(name)]);
        outcome.ends(SAFE).last_line_starts("verdict: SAFE (assert: contracts proved, ");
    }
}

#[test]
fn a_lock_is_proved_by_the_set_of_its_readers() {
    let path = example("readers_writer_set.c");
    let outcome = selvedge(&["contracts", &path]);
    outcome.ends(UNKNOWN).says("all 201 obligations proved").says("not certified");
    let source = std::fs::read_to_string(&path).expect("the example");
    for (right, wrong) in [
        ("    //@ ghost l->readers = \\add(l->readers, \\tid);\n", ""),
        ("while (l->writing || l->reading > 0)", "while (l->writing)"),
        ("also_modifies l->writer; ensures l->writer' == 0", "ensures l->writer' == 0"),
    ] {
        assert!(source.contains(right), "{right}");
        let changed = file("contracts_readers", "a.c", source.replacen(right, wrong, 1));
        selvedge(&["contracts", &changed]).says("not proved");
    }
}

const TURNS: &str = "\
/*@ ghost \\map<thread, int> turns; */
int x;
/*@ env_assumption turns[\\tid] == turns'[\\tid]; */
/*@ requires turns[\\tid] == 0 && n >= 0; modifies x, turns; */
void work(int n)
{
    int i = 0;
    //@ loop invariant turns[\\tid] == i && i >= 0 && i <= n;
    while (i < n) {
        //@ ghost turns[\\tid] = i + STEP;
        x = i;
        i = i + 1;
    }
}
/*@ requires turns[\\tid] == 0; modifies x, turns; */
int main(void) { work(3); return 0; }
";

#[test]
fn loop_invariants_speak_of_maps() {
    let source = file("contracts_turns", "a.c", TURNS);
    selvedge(&["contracts", "-DSTEP=1", &source]).ends(UNKNOWN).says("obligations proved");
    let wrong = selvedge(&["contracts", "-DSTEP=2", &source]);
    wrong.ends(UNKNOWN).says("the loop invariant may not hold").says("1 not proved");
}

#[test]
fn the_environment_may_run_before_every_step() {
    let outcome = selvedge(&["contracts", "--no-commute", &example("simple_lock.c")]);
    outcome.ends(SAFE).last_line_starts("verdict: SAFE");
}

#[test]
fn a_certificate_is_checked_again_and_against_its_program() {
    let source = example("simple_lock.c");
    let written = file("contracts_certificate", "certificate.json", "");
    selvedge(&["contracts", "--certificate", &written, &source]).ends(SAFE);
    let outcome = selvedge(&["certify", &written, &source]);
    outcome.ends(SAFE).says("proved: assert").last_line_starts("certificate: accepted (");
    selvedge(&["certify", &written]).ends(SAFE).says("not compared with sources");
    let other = selvedge(&["certify", &written, &example("readers_writer.c")]);
    other.ends(UNSAFE).says("the certificate is about another program");
    let outlined = selvedge(&["certify", "--outline", &written]);
    outlined.ends(SAFE).says("loop of acquire");
}

#[test]
fn a_certificate_without_a_fact_that_is_needed_is_rejected() {
    let written = file("contracts_facts", "certificate.json", "");
    selvedge(&["contracts", "--certificate", &written, &example("simple_lock.c")]).ends(SAFE);
    let text = std::fs::read_to_string(&written).expect("the certificate is there");
    let mut certificate: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    certificate["loops"] = serde_json::json!([]);
    let bare = file("contracts_facts", "bare.json", certificate.to_string());
    let outcome = selvedge(&["certify", &bare]);
    outcome.ends(UNSAFE).says("not shown: ").last_line_starts("certificate: rejected");
    certificate["loops"] =
        serde_json::json!([{ "procedure": "acquire", "head": 999, "facts": [] }]);
    let nowhere = file("contracts_facts", "nowhere.json", certificate.to_string());
    selvedge(&["certify", &nowhere]).ends(BAD_INPUT);
}

#[test]
fn the_bogus_container_is_named() {
    let outcome = selvedge(&["contracts", &example("apprentice_bogus.c")]);
    outcome.ends(UNSAFE).says("job->objref = bogus;").says("unwritable_by_env_if");
    outcome.last_line_starts("verdict: UNSAFE (unlock of a mutex that the thread does not hold");
}

#[test]
fn the_race_of_the_vector_and_its_wrong_repair_are_named() {
    for define in ["-DRACE", "-DWRONG_FIX"] {
        let outcome = selvedge(&["contracts", define, &example("vector.c")]);
        outcome.ends(UNKNOWN).says("last_index_from is called where it must not be");
        outcome.says("index < v->count");
    }
}

#[test]
fn an_assertion_that_fails_is_refuted() {
    let source = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *other(void *p) { x = 1; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); assert(x == 0); }\n";
    let source = file("contracts_refuted", "a.c", source);
    let outcome = selvedge(&["contracts", &source]);
    outcome.ends(UNSAFE).says("assertion x == 0 may fail").last_line_starts("verdict: UNSAFE");
}

#[test]
fn a_wrong_annotation_is_bad_input() {
    let source = "int x; //@ unwritable_by_env_if nobody == 0;\nint main(void) { return x; }\n";
    let source = file("contracts_wrong", "a.c", source);
    selvedge(&["contracts", &source]).ends(BAD_INPUT);
}

#[test]
fn recursion_needs_a_contract() {
    let source = "int x;\nvoid f(int n) { if (n > 0) f(n - 1); x = n; }\n\
        int main(void) { f(3); return 0; }\n";
    let source = file("contracts_recursion", "a.c", source);
    let outcome = selvedge(&["contracts", &source]);
    outcome.ends(UNKNOWN).last_line_starts("verdict: UNKNOWN").says("f is recursive");
}
