//! Specifications in comments: what they mean, and what is wrong with them.

use selvedge_ir::{Program, check, text};

use crate::{Options, compile_text};

fn options() -> Options {
    Options { specifications: true, ..Options::default() }
}

/// The program of a text whose specifications are read.
fn program(source: &str) -> Program {
    match compile_text("a.c", source, &options()) {
        Ok(compiled) => {
            let program = compiled.program;
            let violations = check::check(&program);
            assert!(violations.is_empty(), "{}", check::listing(&program, &violations));
            assert_eq!(text::parse("again", &text::print(&program)).expect("Plato"), program);
            program
        }
        Err(failure) => panic!("{:#?}", failure.diagnostics),
    }
}

/// What is specified, as Plato text.
fn printed(source: &str) -> String {
    let whole = text::print(&program(source));
    let starts = ["environment", "invariant", "contract", "abstract_thread"];
    let mut kept = Vec::new();
    let mut inside = false;
    for line in whole.lines() {
        inside |= starts.iter().any(|word| line.starts_with(word));
        if inside {
            kept.push(line);
        }
        inside &= !(line.ends_with(';') && !line.starts_with(' ')) && line != "}";
    }
    kept.join("\n")
}

fn messages(source: &str) -> Vec<String> {
    match compile_text("a.c", source, &options()) {
        Ok(_) => Vec::new(),
        Err(failure) => failure.diagnostics.into_iter().map(|d| d.message).collect(),
    }
}

#[test]
fn show() {
    let source = r#"
typedef struct __m { int q; } lock_t;
#include_pthread
int x; //@ unwritable_by_env_if \holder(m) == \tid;
pthread_mutex_t m;
/*@ env_assumption \holder(m) == \tid ==> x' == x;
    global_invariant \holder(m) == 0 ==> x >= 0 && x <= 10; */
//@ env_assumption \old(x) <= x;
struct container {
    pthread_mutex_t lock;
    int counter; //@ unwritable_by_env_if \holder(lock) == \tid;
    //@ unwritable_by_env_if \tid == \main || next != 0;
    struct container *next;
};
int data[4]; //@ unwritable_by_env_if \runs(worker);
/*@ ghost int readers = 0; */
/*@ global_invariant \forall struct container *p; p->counter >= 0;
    global_invariant !(\exists int i; 0 <= i && i < 4 && data[i] < 0); */

/*@ requires n > 0 && c != 0;
    modifies readers, c->counter;
    action: also_modifies x, m; ensures x' == x + n;
    ensures \result == n; */
int add(struct container *c, int n) { c->counter = n; return n; }

/*@ abstract_thread Worker abstracts worker {
      state W0 initial;
      state W1 assert x > 0;
      W0 -> W1: x' == x + 1, modifies x;
      W1 -> W0: modifies x;
    } */
void *worker(void *arg) { return 0; }
int main(void) { return 0; }
"#;
    let source = source.replace("#include_pthread\n", "");
    let source = source.replace(
        "typedef struct __m { int q; } lock_t;",
        "typedef struct { int z; } pthread_mutex_t;",
    );
    println!("{}", printed(&source));
}
