//! Programs of growing size, in shapes that strain different parts of an engine.
//!
//! In those for proofs, any number of threads run the same code, and no access races. They differ in what
//! is free to vary at the same time: after a sequence of locks, nothing; after a choice, which lock it
//! was; with flags, the state of each flag, whatever the others are. In those for bounds on contexts
//! (`pairs.rs`), two threads do something to each part, and every part has assertions that hold.

use std::fmt::Write as _;

use super::pairs;

/// How the parts of a program are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Every thread takes all locks, one after the other.
    Sequence,
    /// Every thread takes one lock of its choice, over and over.
    Choice,
    /// A flag for each datum, set by a compare-and-exchange while a thread uses it.
    Flags,
    /// The same, the flag read and set under a lock, the datum used without.
    Busy,
    /// One thread fills linked lists on the heap, the other empties them.
    Lists,
    /// The same by common functions, which get the list to work on.
    Common,
    /// Two threads count up and down.
    Scalars,
}

impl Shape {
    pub fn name(self) -> &'static str {
        match self {
            Shape::Sequence => "sequence",
            Shape::Choice => "choice",
            Shape::Flags => "flags",
            Shape::Busy => "busy",
            Shape::Lists => "lists",
            Shape::Common => "common",
            Shape::Scalars => "scalars",
        }
    }
}

const HEADER: &str = "#include <pthread.h>\n#include <stdatomic.h>\n\n\
    extern int __VERIFIER_nondet_int(void);\n\n";

/// A program of so many parts, each a function or two and the data that they use.
pub fn program(shape: Shape, parts: usize) -> String {
    match shape {
        Shape::Sequence => of_workers(parts, locked, in_sequence),
        Shape::Choice => of_workers(parts, locked, by_choice),
        Shape::Flags => of_workers(parts, flagged, by_choice),
        Shape::Busy => of_workers(parts, busy, by_choice),
        Shape::Lists => pairs::lists(parts),
        Shape::Common => pairs::common(parts),
        Shape::Scalars => pairs::scalars(parts),
    }
}

fn of_workers(parts: usize, part: fn(usize) -> String, calls: fn(usize) -> String) -> String {
    let mut text = String::from(HEADER);
    text.extend((0..parts).map(part));
    text.push_str(
        "static void *worker(void *unused)\n{\n    int amount = __VERIFIER_nondet_int();\n",
    );
    text.push_str(&calls(parts));
    text.push_str("    return 0;\n}\n\n");
    text.push_str(
        "int main(void)\n{\n    while (1) {\n        pthread_t thread;\n        \
         pthread_create(&thread, 0, worker, 0);\n    }\n}\n",
    );
    text
}

/// Two variables under a lock, one of them bounded.
fn locked(i: usize) -> String {
    format!(
        "static pthread_mutex_t lock{i} = PTHREAD_MUTEX_INITIALIZER;\n\
         static int used{i}, last{i};\n\n\
         static void update{i}(int amount)\n{{\n    pthread_mutex_lock(&lock{i});\n    \
         last{i} = amount;\n    if (used{i} < 5)\n        used{i} = used{i} + 1;\n    \
         pthread_mutex_unlock(&lock{i});\n}}\n\n"
    )
}

fn flagged(i: usize) -> String {
    format!(
        "static atomic_int busy{i};\nstatic int total{i};\n\n\
         static void update{i}(int amount)\n{{\n    int free = 0;\n    \
         if (atomic_compare_exchange_strong(&busy{i}, &free, 1)) {{\n        \
         total{i} = amount;\n        atomic_store(&busy{i}, 0);\n    }}\n}}\n\n"
    )
}

fn busy(i: usize) -> String {
    format!(
        "static pthread_mutex_t lock{i} = PTHREAD_MUTEX_INITIALIZER;\n\
         static int busy{i}, total{i};\n\n\
         static void update{i}(int amount)\n{{\n    pthread_mutex_lock(&lock{i});\n    \
         if (busy{i}) {{\n        pthread_mutex_unlock(&lock{i});\n        return;\n    }}\n    \
         busy{i} = 1;\n    pthread_mutex_unlock(&lock{i});\n    total{i} = amount;\n    \
         pthread_mutex_lock(&lock{i});\n    busy{i} = 0;\n    \
         pthread_mutex_unlock(&lock{i});\n}}\n\n"
    )
}

fn in_sequence(parts: usize) -> String {
    let mut text = String::new();
    for part in 0..parts {
        let _ = writeln!(text, "    update{part}(amount);");
    }
    text
}

fn by_choice(parts: usize) -> String {
    let mut text = String::from("    while (1) {\n        switch (__VERIFIER_nondet_int()) {\n");
    for part in 0..parts {
        let _ = write!(text, "        case {part}:\n            update{part}(amount);\n");
        text.push_str("            break;\n");
    }
    text.push_str("        }\n    }\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_WORKERS: [Shape; 4] = [Shape::Sequence, Shape::Choice, Shape::Flags, Shape::Busy];
    const PAIRS: [Shape; 3] = [Shape::Lists, Shape::Common, Shape::Scalars];

    #[test]
    fn a_program_grows_by_the_same_lines_for_each_part() {
        for shape in OF_WORKERS.into_iter().chain(PAIRS) {
            let lines = |parts| program(shape, parts).lines().count();
            assert_eq!(lines(9) - lines(8), lines(5) - lines(4), "{}", shape.name());
            assert!(lines(256) > 2_000);
        }
    }

    #[test]
    fn every_part_is_called_once() {
        for shape in OF_WORKERS {
            let text = program(shape, 12);
            assert_eq!(text.matches("    update11(amount);").count(), 1, "{}", shape.name());
        }
    }
}
