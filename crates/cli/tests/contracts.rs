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
    outcome.ends(SAFE).says("all 201 obligations proved").says("contracts proved, 258 obligations");
}

#[test]
fn mistakes_about_the_set_of_readers_are_found() {
    let source = std::fs::read_to_string(example("readers_writer_set.c")).expect("the example");
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

/// What the engine found about the loops stays; what is proved with it does not.
#[test]
fn a_certificate_of_another_set_of_readers_is_rejected() {
    let written = file("contracts_tampered", "certificate.json", "");
    let path = example("readers_writer_set.c");
    selvedge(&["contracts", "--certificate", &written, &path]).ends(SAFE);
    let text = std::fs::read_to_string(&written).expect("the certificate is there");
    let certificate: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let program = certificate["program"].as_str().expect("it has a program");
    for (right, wrong) in [
        ("update readers at tid := true", "update readers at none := true"),
        ("update readers at tid := true", "update readers at tid := false"),
        ("update readers at tid := false", "update readers at none := false"),
        ("ghost_update 0 \"\" { l: ptr := value l; } at l \"\" { } to tid", "skip"),
        ("at l \"\" { } to none", "at l \"\" { } to tid"),
        ("at l \"\" { } to tid", "at null \"\" { } to tid"),
        ("i32 := t#3 + 1", "i32 := t#3 + 2"),
        ("assume t#2 <= 0", "assume t#2 <= 1"),
        ("atomic L8: store", "L8: store"),
        ("holds !(writer == tid || entry)", "holds !(writer != none || entry)"),
        ("holds writer == none || same", "holds true"),
        (
            "ghost readers: bool map in struct lock := false",
            "ghost readers: bool map in struct lock := true",
        ),
    ] {
        assert!(program.contains(right), "{right} in {program}");
        let mut tampered = certificate.clone();
        tampered["program"] = program.replacen(right, wrong, 1).into();
        let tampered = file("contracts_tampered", "tampered.json", tampered.to_string());
        let outcome = selvedge(&["certify", &tampered]);
        outcome.ends(UNSAFE).last_line_starts("certificate: rejected");
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
fn a_claim_about_another_member_of_a_union_is_not_certified() {
    let source = "union both { int a; unsigned b; } g;\n\
        /*@ env_assumption \\tid == \\main ==> g.b' == g.b && g.a' == g.a; */\n\
        /*@ requires g.b == 0; */\n\
        int main(void) { g.a = 5;\n//@ assert \\tid != 0 && g.WHICH == VALUE;\nreturn 0; }\n";
    let source = file("contracts_union", "a.c", source);
    let wrong = selvedge(&["contracts", "-DWHICH=b", "-DVALUE=0", &source]);
    wrong.ends(UNKNOWN).says("accessed at several types");
}

/// An assertion of the specification counts as one.
#[test]
fn claims_are_assertions() {
    let source = "/*@ ghost int g = 0; */\nint x;\n/*@ env_assumption \\tid == \\main ==> g' == g; */\n\
        int main(void) {\n//@ ghost g = 3;\nx = 1;\n//@ assert g == VALUE;\nreturn 0; }\n";
    let source = file("contracts_claims", "a.c", source);
    let right = selvedge(&["contracts", "-DVALUE=3", &source]);
    right.ends(SAFE).last_line_starts("verdict: SAFE (assert: contracts proved, ");
    assert!(!right.out.contains("no assertions"), "{}", right.out);
    selvedge(&["contracts", "-DVALUE=4", &source]).ends(UNKNOWN).says("assert g == VALUE may fail");
}

#[test]
fn loop_invariants_speak_of_maps() {
    let source = file("contracts_turns", "a.c", TURNS);
    selvedge(&["contracts", "-DSTEP=1", &source]).ends(SAFE).says("obligations proved");
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
