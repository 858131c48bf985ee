//! `selvedge conform --suggest` and `--from-contracts` as a user meets them: what they print is appended
//! to the source, and read and checked there.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Several times what any example needs.
const WORK: &str = "60000000";

/// For a suggestion: what is left after the first proof goes into merging states.
const SUGGESTION: &str = "6000000";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let Output { status, stdout, stderr } =
        command.args(args).current_dir(root()).output().expect("the binary runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (status.code().unwrap_or(-1), text(&stdout), text(&stderr))
}

/// A file with this text in a folder of these tests.
fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("propose");
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    fs::write(&path, text).expect("a file for the test");
    path.display().to_string()
}

fn example(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("an example")
}

/// A source without its annotations.
fn bare(source: &str) -> String {
    let mut rest = source;
    let mut out = String::new();
    while let Some(start) = rest.find("/*@") {
        let end = rest[start..].find("*/").expect("the end of a comment") + start + 2;
        out.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    out + rest
}

/// What is suggested for a source without abstract threads makes it SAFE.
#[track_caller]
fn suggested(name: &str, source: &str) -> String {
    let without = file(name, source);
    let (status, threads, err) = run(&["conform", "--suggest", "--work", SUGGESTION, &without]);
    assert_eq!(status, 0, "{threads}\n{err}");
    let with = file(&format!("with_{name}"), &format!("{source}{threads}"));
    let (status, out, err) = run(&["conform", "--work", WORK, &with]);
    assert_eq!(status, 0, "{threads}\n{out}\n{err}");
    assert!(out.contains("verdict: SAFE"), "{out}");
    threads
}

#[test]
fn suggestions_for_the_counters_are_those_of_the_paper() {
    let threads = suggested("counters.c", &bare(&example("examples/conform/counters.c")));
    assert!(threads.contains("abstracts grow") && threads.contains("abstracts check"), "{threads}");
    assert!(threads.contains("g' > 0, modifies g;"), "{threads}");
}

#[test]
fn suggestions_prove_the_bluetooth_driver() {
    let threads = suggested("bluetooth.c", &bare(&example("examples/conform/bluetooth.c")));
    assert!(threads.contains("pendingIO' == pendingIO + 1"), "{threads}");
}

#[test]
fn where_nothing_can_be_suggested_it_is_said_why() {
    let source = bare(&example("examples/conform/counters.c")).replace("START 1", "START -1");
    let wrong = file("wrong.c", &source);
    let (status, out, err) = run(&["conform", "--suggest", "--work", SUGGESTION, &wrong]);
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(err.starts_with("no suggestion: "), "{err}");
    let none = file("alone.c", "int main(void) { return 0; }\n");
    let (status, _, err) = run(&["conform", "--suggest", &none]);
    assert_eq!(status, 2, "{err}");
    let (status, _, err) = run(&["conform", "--suggest", "--from-contracts", &none]);
    assert_eq!(status, 64, "{err}");
}

/// Whether contracts hold, and whether they conform as abstract threads.
fn both_ways(name: &str, source: &str) -> (bool, bool) {
    let contracts = file(name, source);
    let (_, out, err) = run(&["contracts", "--time", "0", &contracts]);
    let holds = out.contains("obligations proved");
    let (status, threads, said) = run(&["conform", "--from-contracts", &contracts]);
    assert_eq!(status, 0, "{said}\n{out}\n{err}");
    let with = file(&format!("with_{name}"), &format!("{source}{threads}"));
    let (status, out, err) = run(&["conform", "--work", WORK, &with]);
    assert!(status == 0 || status == 1 || status == 2, "{threads}\n{out}\n{err}");
    println!("{name}\n{threads}{out}{err}");
    (holds, status == 0)
}

/// Two threads that write a variable under a lock, which is a variable as well, with actions that say so.
const LOCKED: &str = "
#include <assert.h>
#include <pthread.h>
pthread_t m; //@ unwritable_by_env_if m == \\tid;
int x; //@ unwritable_by_env_if m == \\tid;
//@ global_invariant 0 <= x && x <= 10;
/*@ modifies m; action: also_modifies x; ensures x' == 1; */
void *set(void *unused) {
    while (!__sync_bool_compare_and_swap(&m, 0, pthread_self()))
        ;
    x = FIRST;
    assert(x == 1);
    __atomic_store_n(&m, 0, __ATOMIC_SEQ_CST);
    return 0;
}
/*@ modifies m, x; */
void *clear(void *unused) {
    TAKE
    x = LAST;
    GIVE
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, set, 0); pthread_create(&two, 0, clear, 0);
    return 0;
}
";

fn locked(first: &str, last: &str, lock: bool) -> String {
    let take = "while (!__sync_bool_compare_and_swap(&m, 0, pthread_self())) ;";
    let give = "__atomic_store_n(&m, 0, __ATOMIC_SEQ_CST);";
    let (take, give) = if lock { (take, give) } else { ("", "") };
    let source = LOCKED.replace("FIRST", first).replace("LAST", last);
    source.replace("TAKE", take).replace("GIVE", give)
}

#[test]
fn contracts_hold_exactly_if_they_conform_as_abstract_threads() {
    assert_eq!(both_ways("good.c", &locked("1", "2", true)), (true, true));
    assert_eq!(both_ways("other_value.c", &locked("2", "2", true)), (false, false));
    assert_eq!(both_ways("outside.c", &locked("1", "11", true)), (false, false));
    assert_eq!(both_ways("unlocked.c", &locked("1", "2", false)), (false, false));
}

/// The same with a mutex.
fn mutexed(source: &str) -> String {
    let variable = "pthread_t m; //@ unwritable_by_env_if m == \\tid;";
    let take = "while (!__sync_bool_compare_and_swap(&m, 0, pthread_self()))\n        ;";
    assert!(source.contains(variable) && source.contains(take));
    source
        .replace(variable, "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
        .replace("if m == \\tid", "if \\holder(m) == \\tid")
        .replace(take, "pthread_mutex_lock(&m);")
        .replace(
            "while (!__sync_bool_compare_and_swap(&m, 0, pthread_self())) ;",
            "pthread_mutex_lock(&m);",
        )
        .replace("__atomic_store_n(&m, 0, __ATOMIC_SEQ_CST);", "pthread_mutex_unlock(&m);")
}

#[test]
fn contracts_that_modify_a_mutex_conform_if_they_hold() {
    let both = |name: &str, source: &str| both_ways(name, &mutexed(source));
    assert_eq!(both("mutex.c", &locked("1", "2", true)), (true, true));
    assert_eq!(both("mutex_value.c", &locked("2", "2", true)), (false, false));
    assert_eq!(both("mutex_unlocked.c", &locked("1", "2", false)), (false, false));
    // Who does not hold it may not release it.
    let released = mutexed(&locked("1", "2", true)).replace(
        "    pthread_mutex_lock(&m);\n    x = 2;",
        "    if (x == 2) pthread_mutex_lock(&m);\n    x = 2;",
    );
    assert_eq!(both_ways("mutex_released.c", &released), (false, false));
}

#[test]
fn the_first_example_of_contracts_conforms_as_abstract_threads() {
    let source = example("examples/contracts/simple_lock.c");
    assert_eq!(both_ways("simple_lock.c", &source), (true, true));
    let early = source.replacen("    x = 0;\n    release();", "    x = -1;\n    release();", 1);
    assert_ne!(early, source);
    assert_eq!(both_ways("negative.c", &early), (false, false));
}

#[test]
fn abstract_threads_of_contracts_are_of_linear_size() {
    let size = |actions: usize| {
        let actions: String = (0..actions)
            .map(|n| format!("action: also_modifies x; ensures x' == {n};\n"))
            .collect();
        let source = locked("1", "2", true);
        let source = source.replace("action: also_modifies x; ensures x' == 1;", &actions);
        let path = file("many.c", &source);
        let (status, threads, err) = run(&["conform", "--from-contracts", &path]);
        assert_eq!(status, 0, "{err}");
        let states = threads.matches("state ").count();
        (states, threads.matches("->").count(), threads.len())
    };
    let sizes: Vec<_> = [2, 4, 6].into_iter().map(size).collect();
    assert_eq!(sizes[1].0 - sizes[0].0, sizes[2].0 - sizes[1].0);
    assert_eq!(sizes[1].1 - sizes[0].1, sizes[2].1 - sizes[1].1);
    assert!(sizes[2].2 - sizes[1].2 <= sizes[1].2 - sizes[0].2 + 64, "{sizes:?}");
}

#[test]
fn contracts_that_no_abstract_thread_can_say_are_refused_at_their_place() {
    let source = example("examples/contracts/apprentice.c");
    let path = file("apprentice.c", &source);
    let (status, out, err) = run(&["conform", "--from-contracts", &path]);
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("apprentice.c:"), "{err}");
}
