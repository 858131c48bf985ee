//! `selvedge conform` as a user meets it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Several times what any example needs.
const WORK: &str = "60000000";

fn run(args: &[&str]) -> (i32, String, String) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let Output { status, stdout, stderr } =
        command.args(args).current_dir(root).output().expect("the binary runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (status.code().unwrap_or(-1), text(&stdout), text(&stderr))
}

/// A file of this name in a folder of these tests.
fn path(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("conform");
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder.join(name).display().to_string()
}

#[track_caller]
fn conform(file: &str, status: i32, words: &[&str]) -> String {
    conform_with(&[], file, status, words)
}

#[track_caller]
fn conform_with(options: &[&str], file: &str, status: i32, words: &[&str]) -> String {
    let (found, out, err) = run(&[&["conform", "--work", WORK], options, &[file]].concat());
    assert_eq!(found, status, "{file}\n{out}\n{err}");
    for words in words {
        assert!(out.contains(words) || err.contains(words), "{file}: `{words}`\n{out}\n{err}");
    }
    out
}

#[test]
fn the_first_example_conforms_and_its_variant_does_not() {
    let words = ["A abstracts grow: conforms (", "composition: correct (", "verdict: SAFE"];
    conform("examples/conform/counters.c", 0, &words);
    let words = [
        "A abstracts grow: does not conform (",
        "g = x;",
        "g  1 becomes -1",
        "to stay: `g` changes",
        "-> X2: `g' > 0` does not hold",
        "verdict: UNKNOWN (A does not abstract grow, examples/conform/counters.c:",
    ];
    conform_with(&["-DSTART=-1"], "examples/conform/counters.c", 2, &words);
}

#[test]
fn contracts_stand_in_the_place_of_calls() {
    let source = "examples/conform/publish.c";
    let words = [
        "contract of publish: kept (",
        "contract of count: kept (",
        "verdict: SAFE (assert: 2 abstract threads, 2 contracts and the composition proved)",
    ];
    conform(source, 0, &words);
    let words = [
        "contract of publish: not kept (",
        "g = 0;",
        "verdict: UNKNOWN (publish does not keep its contract, examples/conform/publish.c:",
    ];
    conform_with(&["-DWRONG_BODY"], source, 2, &words);
    let words = [
        "B abstracts check: does not conform (",
        "publish(0);",
        "assertion fails: `x > 0`, which `publish` requires",
        "verdict: UNKNOWN (B does not abstract check, examples/conform/publish.c:",
    ];
    conform_with(&["-DWRONG_CALL"], source, 2, &words);
}

#[test]
fn drivers_conform() {
    conform("examples/conform/bluetooth.c", 0, &["4 threads", "verdict: SAFE"]);
    let words = ["any number of threads", "verdict: SAFE"];
    conform_with(&["-DANY"], "examples/conform/bluetooth.c", 0, &words);
    conform("examples/conform/battery.c", 0, &["4 threads", "verdict: SAFE"]);
}

#[test]
fn a_certificate_is_checked_part_by_part() {
    let file = path("counters.json");
    let source = "examples/conform/counters.c";
    let (status, out, err) = run(&["conform", "--work", WORK, "--certificate", &file, source]);
    assert_eq!(status, 0, "{out}\n{err}");
    let (status, out, err) = run(&["certify", &file, source]);
    assert_eq!(status, 0, "{out}\n{err}");
    assert!(out.contains("certificate: accepted (3 parts)"), "{out}");
    let (status, out, err) = run(&["certify", "-DSTART=-1", &file, source]);
    assert_eq!(status, 1, "{out}\n{err}");
    // The specification is a part of what is proved.
    let text = fs::read_to_string(&file).expect("the certificate");
    let other = text.replacen("g > 0", "g > 5", 1);
    assert_ne!(text, other);
    let changed = path("changed.json");
    fs::write(&changed, other).expect("a file for the test");
    let (status, out, err) = run(&["certify", &changed, source]);
    assert_eq!(status, 1, "{out}\n{err}");
}

const LOST: &str = "
#include <assert.h>
#include <pthread.h>
int x;
/*@ abstract_thread Adds abstracts add {
      state Before initial;
      state After;
      Before -> After: modifies x;
    } */
static void *add(void *unused) { int t = x; x = t + 1; return 0; }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, add, 0); pthread_create(&two, 0, add, 0);
    pthread_join(one, 0); pthread_join(two, 0);
    assert(x OPERATOR 2);
    return 0;
}
";

#[test]
fn an_error_of_the_abstract_program_is_looked_for_in_the_program() {
    let wrong = path("lost.c");
    fs::write(&wrong, LOST.replace("OPERATOR", "==")).expect("a file for the test");
    let words = ["composition: goes wrong", "verdict: UNSAFE (assertion x == 2 fails"];
    conform(&wrong, 1, &words);
    let right = path("bounded.c");
    fs::write(&right, LOST.replace("OPERATOR", "<=")).expect("a file for the test");
    let words = ["composition: goes wrong", "verdict: UNKNOWN (the abstract threads allow:"];
    conform(&right, 2, &words);
}

#[test]
fn what_cannot_be_said_is_refused_at_its_place() {
    let none = path("none.c");
    fs::write(&none, "int main(void) { return 0; }\n").expect("a file for the test");
    let (status, _, err) = run(&["conform", &none]);
    assert_eq!((status, err.contains("no abstract threads")), (65, true), "{err}");
    let pointer = path("pointer.c");
    let text = "int *p;\nstatic void *f(void *u) { return 0; }\n\
        /*@ abstract_thread T abstracts f { state S initial assert *p > 0; } */\n\
        #include <pthread.h>\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }\n";
    fs::write(&pointer, text).expect("a file for the test");
    let (status, out, err) = run(&["conform", &pointer]);
    assert_eq!(status, 65, "{out}\n{err}");
    assert!(err.contains("pointer.c:3"), "{err}");
}

#[test]
fn parts_can_be_printed() {
    let file = "examples/conform/counters.c";
    let (status, out, err) = run(&["dump", "--engine", "conform", file]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("// A\n") && out.contains("// compose\n"), "{out}");
    let (status, out, _) = run(&["dump", "--engine", "conform", "--stage", "B", file]);
    assert_eq!((status, out.contains("no step of B matches")), (0, true), "{out}");
    let (status, _, err) = run(&["dump", "--engine", "conform", "--stage", "C", file]);
    assert_eq!((status, err.contains("there are A, B, compose")), (64, true), "{err}");
}
