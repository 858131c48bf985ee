//! The engine `horn` as a user meets it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// What is said about a C program.
fn run(name: &str, source: &str, property: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("horn");
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    fs::write(&path, source).expect("a file for the test");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let command = command.arg("verify").arg(path);
    let command = command.args(["--engine", "horn", "--work", "30000000", "--property", property]);
    let Output { stdout, stderr, .. } = command.output().expect("the binary runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&stdout) + &text(&stderr)
}

#[track_caller]
fn says(name: &str, source: &str, property: &str, words: &str) {
    let said = run(name, source, property);
    assert!(said.contains(words), "`{words}` is not in\n{said}");
}

const ARRAY: &str = "#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
int slots[4];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *arg) {
  unsigned i = __VERIFIER_nondet_uint() % 4;
  pthread_mutex_lock(&m);
  assert(slots[i] == 0);
  slots[i] = 1;
  slots[i] = 0;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
";

#[test]
fn a_small_region_is_an_array() {
    says("array.c", ARRAY, "assert", "verdict: SAFE (assert: proved");
    says("array.c", ARRAY, "race", "verdict: SAFE (race: proved");
    let plain =
        ARRAY.replace("pthread_mutex_lock(&m);", "").replace("pthread_mutex_unlock(&m);", "");
    says("array_plain.c", &plain, "assert", "verdict: UNSAFE (assertion slots[i] == 0 fails");
    says("array_plain.c", &plain, "race", "verdict: UNSAFE (data race on slots[");
}

#[test]
fn a_region_that_is_not_followed_is_named() {
    let source = "#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int *buffer;
void *worker(void *arg) {
  buffer[0] = 1;
  assert(buffer[0] == 1);
  return 0;
}
int main(void) {
  pthread_t t;
  unsigned n = __VERIFIER_nondet_uint() % 8 + 1;
  buffer = malloc(n * sizeof(int));
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
}
";
    let reason =
        "UNKNOWN (unsupported: an access to heap.main, of objects whose size is not a constant";
    says("sized.c", source, "assert", reason);
}
