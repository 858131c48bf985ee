//! Programs with a few threads: plain and atomic variables, locks, conditions, semaphores.
//!
//! A statement has at most one load of shared memory and then one store, and `PAUSE` stands after
//! it: there a real run has a fence, so that it is sequentially consistent.

use super::{HEAD, Kind, Source};
use crate::choices::Choices;

const PLAIN: [&str; 4] = ["int", "unsigned char", "short", "long"];
/// Atomic types, and what their values are.
const ATOMIC: [(&str, &str); 3] =
    [("atomic_int", "int"), ("_Atomic unsigned char", "unsigned char"), ("atomic_long", "long")];
const LOADS: [&str; 3] = ["seq_cst", "acquire", "relaxed"];
const STORES: [&str; 3] = ["seq_cst", "release", "relaxed"];
const CHANGES: [&str; 5] = ["seq_cst", "acq_rel", "acquire", "release", "relaxed"];

/// What the threads share.
struct Shared {
    /// Plain variables and fields.
    plain: Vec<String>,
    atomics: Vec<Atomic>,
    locks: u64,
}

struct Atomic {
    name: String,
    /// The type of its values.
    value: &'static str,
}

/// How a thread waits for another, if it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handoff {
    None,
    Condition,
    Semaphore,
}

pub fn program(choices: &mut Choices) -> Source {
    let mut text = HEAD.to_owned();
    let shared = shared(choices, &mut text);
    let handoff = choices.pick(&[
        Handoff::None,
        Handoff::None,
        Handoff::None,
        Handoff::Condition,
        Handoff::Semaphore,
    ]);
    text += declarations(handoff);
    let threads = 2 + u64::from(choices.chance(1, 4));
    for number in 0..threads {
        text += &worker(choices, number, &shared, handoff);
    }
    text += &main(choices, threads, &shared, handoff);
    Source { text, kind: Kind::Threads }
}

fn shared(choices: &mut Choices, text: &mut String) -> Shared {
    let mut shared = Shared { plain: Vec::new(), atomics: Vec::new(), locks: 0 };
    for number in 0..1 + choices.below(2) {
        *text += &format!("static {} x{number}$;\n", choices.pick(&PLAIN));
        shared.plain.push(format!("x{number}$"));
    }
    if choices.chance(1, 4) {
        *text += "static struct { unsigned a : 4, b : 6; unsigned char c; } s$;\n";
        shared.plain.extend(["s$.a", "s$.b", "s$.c"].map(str::to_owned));
    }
    for number in 0..choices.below(3) {
        let (atomic, value) = choices.pick(&ATOMIC);
        *text += &format!("static {atomic} a{number}$;\n");
        shared.atomics.push(Atomic { name: format!("a{number}$"), value });
    }
    shared.locks = choices.below(3);
    for number in 0..shared.locks {
        *text += &format!("static pthread_mutex_t m{number}$ = PTHREAD_MUTEX_INITIALIZER;\n");
    }
    *text += "static int out$[3];\n";
    shared
}

fn declarations(handoff: Handoff) -> &'static str {
    match handoff {
        Handoff::None => "",
        Handoff::Condition => {
            "static pthread_mutex_t hm$ = PTHREAD_MUTEX_INITIALIZER;\n\
             static pthread_cond_t hc$ = PTHREAD_COND_INITIALIZER;\nstatic int ready$;\n"
        }
        Handoff::Semaphore => "static sem_t hs$;\n",
    }
}

/// Thread 0 gives, thread 1 waits for it.
fn worker(choices: &mut Choices, number: u64, shared: &Shared, handoff: Handoff) -> String {
    let (before, after) = match (handoff, number) {
        (Handoff::Condition, 0) => {
            let wake = choices.pick(&["signal", "broadcast"]);
            let give = format!(
                "  pthread_mutex_lock(&hm$); ready$ = 1; pthread_cond_{wake}(&hc$); \
                 pthread_mutex_unlock(&hm$);\n"
            );
            (String::new(), give)
        }
        (Handoff::Condition, 1) => {
            let wait = "  pthread_mutex_lock(&hm$); while (!ready$) pthread_cond_wait(&hc$, &hm$); \
                        pthread_mutex_unlock(&hm$);\n";
            (wait.to_owned(), String::new())
        }
        (Handoff::Semaphore, 0) => (String::new(), "  sem_post(&hs$);\n".to_owned()),
        (Handoff::Semaphore, 1) => ("  sem_wait(&hs$);\n".to_owned(), String::new()),
        _ => (String::new(), String::new()),
    };
    let (early, late) = (statements(choices, shared, 3), statements(choices, shared, 2));
    format!(
        "static void *worker{number}$(void *arg) {{\n  int t = *(int *)arg;\n  PAUSE;\n{}  out$[{number}] = t;\n  \
         return 0;\n}}\n",
        match number {
            0 => format!("{early}{after}{late}"),
            _ => format!("{before}{early}{late}"),
        }
    )
}

fn statements(choices: &mut Choices, shared: &Shared, most: u64) -> String {
    let mut text = String::new();
    let mut count = 0;
    while count < most && choices.chance(3, 4) {
        text += &format!("  {}\n  PAUSE;\n", statement(choices, shared, 2));
        count += 1;
    }
    text
}

fn statement(choices: &mut Choices, shared: &Shared, depth: u32) -> String {
    let number = 1 + choices.below(3);
    match choices.below(if depth == 0 { 5 } else { 9 }) {
        0 | 1 => plain(choices, shared, number),
        2..=4 => atomic(choices, shared, number),
        5 | 6 if shared.locks > 0 => {
            let lock = choices.below(shared.locks);
            let (first, second) =
                (statement(choices, shared, depth - 1), statement(choices, shared, 0));
            let body =
                format!("PAUSE; {first} PAUSE; {second} PAUSE; pthread_mutex_unlock(&m{lock}$);");
            match choices.below(4) {
                3 => format!("if (pthread_mutex_trylock(&m{lock}$) == 0) {{ {body} }}"),
                // No lock inside another: two threads could wait for each other.
                _ if depth < 2 => plain(choices, shared, number),
                _ => format!("pthread_mutex_lock(&m{lock}$); {body}"),
            }
        }
        7 => {
            let variable = &shared.plain[choices.below(shared.plain.len() as u64) as usize];
            let body = statement(choices, shared, depth - 1);
            format!("if ({variable} == {}) {{ PAUSE; {body} }}", choices.below(3))
        }
        _ => {
            let body = statement(choices, shared, depth - 1);
            let condition = choices.pick(&["t & 1", "t == 0", "t > 1"]);
            format!("if ({condition}) {{ {body} }}")
        }
    }
}

fn plain(choices: &mut Choices, shared: &Shared, number: u64) -> String {
    let variable = &shared.plain[choices.below(shared.plain.len() as u64) as usize];
    match choices.below(6) {
        0 => format!("{variable} = {number};"),
        1 => format!("t = {variable};"),
        2 => format!("t = t * 4 + {variable};"),
        3 => format!("{variable} = t + {number};"),
        4 => format!("{variable} += {number};"),
        _ => format!("{variable}++;"),
    }
}

fn atomic(choices: &mut Choices, shared: &Shared, number: u64) -> String {
    if shared.atomics.is_empty() {
        return plain(choices, shared, number);
    }
    let Atomic { name, value } =
        &shared.atomics[choices.below(shared.atomics.len() as u64) as usize];
    match choices.below(8) {
        0 => format!("{name} = {number};"),
        1 => format!("t = t * 4 + {name};"),
        2 => {
            let order = choices.pick(&STORES);
            format!("atomic_store_explicit(&{name}, {number}, memory_order_{order});")
        }
        3 => {
            let order = choices.pick(&LOADS);
            format!("t = t * 4 + atomic_load_explicit(&{name}, memory_order_{order});")
        }
        4 => {
            let (operation, order) = (
                choices.pick(&["fetch_add", "fetch_sub", "fetch_or", "exchange"]),
                choices.pick(&CHANGES),
            );
            format!(
                "t = t * 4 + atomic_{operation}_explicit(&{name}, {number}, memory_order_{order});"
            )
        }
        5 => format!(
            "{{ {} e = {}; t = t * 2 + atomic_compare_exchange_strong(&{name}, &e, {number}); t = t * 4 + \
             (int)e; }}",
            value,
            choices.below(3)
        ),
        6 => format!("{name}++;"),
        _ => {
            let (load, other) = (choices.pick(&LOADS), &shared.plain[0]);
            format!(
                "if (atomic_load_explicit(&{name}, memory_order_{load}) == {number}) {{ PAUSE; t = t * 4 \
                 + {other}; }}"
            )
        }
    }
}

fn main(choices: &mut Choices, threads: u64, shared: &Shared, handoff: Handoff) -> String {
    let mut text = String::from("static unsigned program$(void) {\n  pthread_t id[3];\n");
    text += &format!("  int t = 0, args[3] = {{ 0, {}, 2 }};\n", choices.below(2));
    if handoff == Handoff::Semaphore {
        text += "  sem_init(&hs$, 0, 0);\n";
    }
    let one_by_one = choices.chance(1, 8);
    for number in 0..threads {
        text += &format!(
            "  pthread_create(&id[{number}], 0, worker{number}$, &args[{number}]);\n  PAUSE;\n"
        );
        if one_by_one {
            text += &format!("  pthread_join(id[{number}], 0);\n");
        }
    }
    text += &statements(choices, shared, 1);
    for number in 0..threads {
        if !one_by_one {
            text += &format!("  pthread_join(id[{number}], 0);\n");
        }
    }
    for name in shared.plain.iter().chain(shared.atomics.iter().map(|atomic| &atomic.name)) {
        text += &format!("  mix$({name});\n");
    }
    text + "  mix$(t); mix$(out$[0]); mix$(out$[1]); mix$(out$[2]);\n  return sum$;\n}\n"
}
