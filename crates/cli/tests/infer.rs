//! `selvedge infer`: what it prints is read back and proved, and the sources stay as they are.

mod common;

use std::fs;
use std::path::Path;

use common::{BAD_INPUT, Outcome, SAFE, UNKNOWN, WRONG_USAGE, file, selvedge};

/// Enough for the programs here.
const WORK: &str = "200000000";

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The text without comments that begin with `@`.
fn stripped(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find("/*@") {
        kept.push_str(&rest[..at]);
        let end = rest[at..].find("*/").map_or(rest.len(), |end| at + end + 2);
        rest = &rest[end..];
    }
    kept.push_str(rest);
    let lines = kept.split_inclusive('\n').map(|line| match line.find("//@") {
        Some(at) => format!("{}\n", line[..at].trim_end()),
        None => line.to_owned(),
    });
    lines.collect()
}

fn stripped_example(test: &str, name: &str) -> String {
    let text = fs::read_to_string(example(name)).expect("an example");
    file(
        test,
        Path::new(name).file_name().and_then(|n| n.to_str()).unwrap_or(name),
        stripped(&text),
    )
}

fn infer(args: &[&str]) -> Outcome {
    let all: Vec<&str> =
        ["infer", "--work", WORK].into_iter().chain(args.iter().copied()).collect();
    selvedge(&all)
}

/// What is printed is a program all of whose obligations are proved.
fn is_proved(test: &str, text: &str, options: &[&str]) {
    let annotated = file(test, "annotated.c", text);
    let all: Vec<&str> = ["contracts", "--time", "0"]
        .into_iter()
        .chain(options.iter().copied())
        .chain([annotated.as_str()])
        .collect();
    selvedge(&all).ends(SAFE).says("certified");
}

const COUNTER: &str = "\
#include <assert.h>
#include <pthread.h>
#define LIMIT 10
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count; /* the counter */
static int twice;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    if (count < LIMIT) {
        count++;
        twice = count + count;
        assert(twice == count + count);
    }
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    for (;;) {
        pthread_t t;
        pthread_create(&t, 0, work, 0);
    }
}
";

#[test]
fn a_lock_that_is_held_at_all_writes_protects() {
    let source = file("infer_counter", "a.c", COUNTER);
    let outcome = infer(&[&source]);
    outcome.ends(SAFE).says("proved: ").says("a.c:14: assertion twice == count + count");
    let lock = "unwritable_by_env_if \\holder(m) == \\tid;";
    assert!(
        outcome.out.contains(&format!("//@ {lock}\nstatic int count; /* the")),
        "{}",
        outcome.out
    );
    assert!(outcome.out.contains(&format!("static int twice; //@ {lock}\n")), "{}", outcome.out);
    is_proved("infer_counter", &outcome.out, &[]);
    let without: Vec<&str> = outcome
        .out
        .lines()
        .filter(|line| !line.starts_with("//@"))
        .map(|line| line.split(" //@").next().unwrap_or(line))
        .collect();
    assert_eq!(without.join("\n") + "\n", COUNTER);
}

#[test]
fn line_ends_and_indentation_stay() {
    let source =
        COUNTER.replace('\n', "\r\n").replace("static int twice;", "\t static int twice;  ");
    let path = file("infer_ends", "a.c", &source);
    let outcome = infer(&[&path]);
    outcome.ends(SAFE);
    let lock = "//@ unwritable_by_env_if \\holder(m) == \\tid;\r\n";
    assert!(
        outcome.out.contains(&format!("\t {lock}\t static int twice;  \r\n")),
        "{}",
        outcome.out
    );
    assert_eq!(outcome.out.replace(&format!("\t {lock}"), "").replace(lock, ""), source);
}

#[test]
fn files_are_written_where_they_should_be() {
    let source = file("infer_in_place", "a.c", COUNTER);
    let printed = infer(&[&source]).out;
    let folder = Path::new(&source).parent().expect("a folder").join("out");
    fs::create_dir_all(&folder).expect("a folder");
    let outcome = infer(&["-o", &folder.display().to_string(), &source]);
    assert_eq!(outcome.ends(SAFE).out, "");
    assert_eq!(fs::read_to_string(folder.join("a.c")).expect("a file"), printed);
    assert_eq!(fs::read_to_string(&source).expect("a file"), COUNTER);
    infer(&["--in-place", &source]).ends(SAFE);
    assert_eq!(fs::read_to_string(&source).expect("a file"), printed);
    // Nothing is left to be found.
    infer(&["--in-place", &source]).ends(SAFE);
    assert_eq!(fs::read_to_string(&source).expect("a file"), printed);
}

#[test]
fn what_a_header_declares_is_spoken_of_in_the_file() {
    let shared = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                  static int shared;\nstruct box { pthread_mutex_t lock; int inside; };\n";
    file("infer_header", "shared.h", shared);
    let text = "#include \"shared.h\"\nstatic struct box b;\n\
        void *work(void *p)\n{\n    pthread_mutex_lock(&m);\n    shared = 1;\n\
        \u{20}   pthread_mutex_unlock(&m);\n    pthread_mutex_lock(&b.lock);\n    b.inside = 1;\n\
        \u{20}   pthread_mutex_unlock(&b.lock);\n    return p;\n}\n\
        int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n    work(0);\n}\n";
    let source = file("infer_header", "a.c", text);
    let outcome = infer(&["--annotations", &source]);
    outcome.ends(SAFE).says("env_assumption (\\holder(m) == \\tid) ==> shared' == shared;");
    outcome.says("not written: unwritable_by_env_if \\holder(lock) == \\tid;");
    outcome.says("shared.h, which is not among these files");
}

#[test]
fn several_files_are_one_program() {
    let one = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x;\n\
        void *work(void *);\nint main(void)\n{\n    pthread_t t;\n\
        \u{20}   pthread_create(&t, 0, work, 0);\n    work(0);\n}\n";
    let two = "#include <pthread.h>\nextern pthread_mutex_t m;\nextern int x;\n\
        void *work(void *p)\n{\n    pthread_mutex_lock(&m);\n    x = 1;\n\
        \u{20}   pthread_mutex_unlock(&m);\n    return p;\n}\n";
    let (one, two) = (file("infer_several", "one.c", one), file("infer_several", "two.c", two));
    infer(&[&one, &two]).ends(WRONG_USAGE).says("several files cannot be printed as one");
    let outcome = infer(&["--annotations", &one, &two]);
    outcome.ends(SAFE).says("one.c:3: unwritable_by_env_if \\holder(m) == \\tid;");
}

#[test]
fn the_annotations_of_a_paper_are_found_again() {
    let source = stripped_example("infer_simple_lock", "contracts/simple_lock.c");
    let outcome = infer(&[&source]);
    outcome.ends(SAFE).says("pthread_t m; //@ unwritable_by_env_if m == \\tid;");
    outcome.says("int x; //@ unwritable_by_env_if m == \\tid;");
    // The author says it of times when nobody has the lock; it holds always.
    outcome.says("global_invariant ").says("x >= 0;");
    is_proved("infer_simple_lock", &outcome.out, &[]);
}

#[test]
fn members_are_protected_by_locks_of_their_objects() {
    let source = stripped_example("infer_apprentice", "contracts/apprentice.c");
    let outcome = infer(&["--no-tar", &source]);
    outcome.ends(SAFE).says("    int counter; //@ unwritable_by_env_if \\holder(lock) == \\tid;");
    outcome.says("//@ requires argument != 0 && ((struct job *)argument)->objref != 0;");
    is_proved("infer_apprentice", &outcome.out, &[]);
}

/// There is one thread of each function, which no annotation can say.
const TURN: &str = "\
#include <assert.h>
#include <pthread.h>
static int turn;
static void *one(void *unused)
{
    if (turn == 0)
        turn = 1;
    return 0;
}
static void *two(void *unused)
{
    if (turn == 1) {
        assert(turn == 1);
        turn = 2;
    }
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    return 0;
}
";

#[test]
fn abstract_threads_are_found_where_annotations_prove_nothing() {
    let source = file("infer_threads", "turn.c", TURN);
    let outcome = infer(&[&source]);
    outcome.ends(SAFE).says("2 abstract threads found, with which `conform` proves all assertions");
    outcome.says("abstract_thread One abstracts one {");
    let annotated = file("infer_threads", "annotated.c", &outcome.out);
    selvedge(&["conform", "--work", WORK, &annotated]).ends(SAFE);
    infer(&["--format", "json", &source]).says("\"abstract_threads\": [");
}

/// The order of two variables is in no single store or comparison with a number.
const RANGE: &str = "\
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int low, high = 10;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    if (high < 1000)
        high += 3;
    if (low < high)
        low++;
    assert(low <= high);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, work, 0);
}
";

#[test]
fn relations_of_variables_come_from_a_proof_of_horn() {
    let source = file("infer_range", "a.c", RANGE);
    let outcome = infer(&[&source]);
    outcome.ends(SAFE).says("global_invariant high >= low;");
    is_proved("infer_range", &outcome.out, &[]);
    let without = infer(&["--no-tar", &source]);
    without.ends(SAFE).says("not proved: ");
}

#[test]
fn what_is_not_proved_is_named() {
    let source = COUNTER.replace("assert(twice == count + count)", "assert(count < 10)");
    let source = file("infer_open", "a.c", source);
    let outcome = infer(&["--no-tar", &source]);
    outcome.ends(SAFE).says("not proved: ").says("a.c:14: assertion count < 10");
}

#[test]
fn everything_that_is_proved_can_be_kept() {
    let source = file("infer_keep", "a.c", COUNTER);
    let all = infer(&["--keep", "all", "--annotations", &source]);
    let needed = infer(&["--keep", "needed", "--annotations", &source]);
    all.ends(SAFE).says("global_invariant count <= 10");
    needed.ends(SAFE);
    assert!(needed.out.lines().count() < all.out.lines().count(), "{}", needed.out);
}

#[test]
fn json_has_the_annotations_and_the_texts() {
    let source = file("infer_json", "a.c", COUNTER);
    let outcome = infer(&["--format", "json", &source]);
    outcome.ends(SAFE);
    let value: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(value["annotations"][0]["line"], 5);
    assert_eq!(value["annotations"][0]["why"], "lock");
    let text = value["files"][0]["text"].as_str().expect("a text");
    is_proved("infer_json", text, &[]);
}

#[test]
fn what_cannot_be_annotated_is_refused() {
    infer(&["none.c"]).ends(BAD_INPUT).says("there is no file");
    infer(&[&example("lock.plato")]).ends(WRONG_USAGE).says("name C files");
    let source = file("infer_refused", "a.c", COUNTER);
    infer(&["-o", "no/such/folder", &source]).ends(WRONG_USAGE).says("there is no folder");
    infer(&["--property", "race", &source]).ends(UNKNOWN).says("no annotations: UNKNOWN");
    let wrong = file("infer_refused", "b.c", "int main(void) { return y; }\n");
    infer(&[&wrong]).ends(BAD_INPUT).says("`y` is not declared");
    let outcome = selvedge(&["infer", "--work", "10", &source]);
    outcome.ends(UNKNOWN).says("no annotations: UNKNOWN");
}

/// What `--proof` prints as annotations is read back.
#[test]
fn the_proofs_of_tar_are_specifications() {
    let mut clauses = 0;
    for name in ["simple_lock", "producer_consumer", "time_varying_lock"] {
        let path = example(&format!("tar/{name}.c"));
        let args = ["verify", "--engine", "tar", "--property", "race", "--proof", "--work", WORK];
        let outcome = selvedge(&[&args[..], &[path.as_str()]].concat());
        outcome.ends(SAFE);
        let said: Vec<&str> =
            outcome.out.lines().map(str::trim).filter(|line| line.starts_with("/*@")).collect();
        clauses += said.len();
        let text = fs::read_to_string(&path).expect("an example");
        let source = file("infer_proofs", "a.c", format!("{text}\n{}\n", said.join("\n")));
        selvedge(&["dump", "--specifications", &source]).ends(SAFE);
    }
    assert!(clauses >= 5, "{clauses}");
}
