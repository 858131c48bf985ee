//! Annotations in comments: those of docs/specifications.md are understood, and wrong ones are told at
//! their places, with the exit status of wrong input.

mod common;

use common::{BAD_INPUT, SAFE, file, selvedge};

/// What the front end's own tests say of wrong annotations.
const WRONG: &str = include_str!("../../frontend-c/src/tests/wrong_annotations.txt");

/// What the wrong annotations are about.
const AROUND: &str = "typedef struct { int unused; } pthread_mutex_t;
int x, y; pthread_mutex_t m; int data[4];
struct node { int count; struct node *next; pthread_mutex_t lock; } *head;
void *work(void *argument) { return 0; }
int main(void) { x = y; return head ? data[0] : x; }
";

#[test]
fn a_wrong_annotation_is_told_at_its_place() {
    let wrong = WRONG.split("\n== ").skip(1).filter_map(|one| one.split_once('\n'));
    let begin = AROUND.lines().count() + 1;
    let mut count = 0;
    for (message, annotation) in wrong {
        let source =
            file("wrong_annotations", &format!("{count}.c"), format!("{AROUND}{annotation}"));
        let outcome = selvedge(&["contracts", "--library", &source]);
        assert_eq!(outcome.status, BAD_INPUT, "{annotation}\n{}", outcome.err);
        let lines = begin..=begin + annotation.lines().count();
        let there = outcome.err.lines().any(|line| {
            let rest = line.split_once(&format!("{count}.c:")).map(|(_, rest)| rest);
            let number = rest.and_then(|rest| rest.split(':').next()?.parse().ok());
            number.is_some_and(|number| lines.contains(&number))
        });
        let told = outcome.err.contains(message);
        assert!(told && there, "{annotation}\nexpected: {message}\nfound: {}", outcome.err);
        count += 1;
    }
    assert!(count >= 40, "{count}");
}

const PAGE: &str = include_str!("../../../docs/specifications.md");

/// What the page's examples are about.
const SUBJECT: &str = "#include <pthread.h>
#include <stddef.h>
pthread_mutex_t lock, m; pthread_t owner;
int x, n, total, count, counter, stopping, stopped, pending, has_writer, *items;
struct node { int count; struct node *next; } *p;
struct table { pthread_mutex_t mutex; ptrdiff_t reading;
  /*@ ghost \\set<thread> readers; */ } *l;
int f(int k) { total = k; return 0; }
void *work(void *unused) { int ticket = 0; while (ticket < n) ticket++; return 0; }
int worker(void) { return 0; }
";

/// Variables of the specification that examples of formulas and bodies are about.
const GHOSTS: &str = "/*@ ghost \\map<thread, int> turns; ghost pthread_t writer; */\n";

const MAIN: &str = "int main(void) { work(0); return f(1) + worker() + n; }\n";

#[track_caller]
fn is_understood(name: &str, source: &str) {
    let path = file("annotations", &format!("{name}.c"), source);
    let outcome = selvedge(&["dump", "--specifications", "--library", &path]);
    assert_eq!(outcome.status, SAFE, "{source}\n{}", outcome.err);
}

/// What stands in the last cells of the tables.
fn formulas() -> Vec<String> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next());
    let code = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    code.map(|formula| formula.replace("\\|", "|")).collect()
}

/// Indented paragraphs, each with the heading above it.
fn blocks() -> Vec<(&'static str, String)> {
    let (mut blocks, mut heading, mut open) = (Vec::new(), "", false);
    for line in PAGE.lines() {
        match (line.strip_prefix("    "), open) {
            (Some(code), false) => blocks.push((heading, format!("{code}\n"))),
            (Some(code), true) => {
                let last: &mut (&str, String) = blocks.last_mut().expect("a block is open");
                last.1.push_str(&format!("{code}\n"));
            }
            _ => {}
        }
        open = line.starts_with("    ");
        heading = line.strip_prefix("## ").unwrap_or(heading);
    }
    blocks
}

#[test]
fn examples_of_formulas_are_understood() {
    for (number, formula) in formulas().iter().enumerate() {
        let clause = match formula.contains("\\result") {
            true => format!("/*@ ensures {formula}; */ int last(void) {{ return 0; }}"),
            false => format!("/*@ env_assumption {formula}; */"),
        };
        is_understood(&format!("formula{number}"), &format!("{SUBJECT}{GHOSTS}{clause}\n{MAIN}"));
    }
}

#[test]
fn examples_of_clauses_are_understood() {
    for (number, (heading, block)) in blocks().iter().enumerate() {
        let source = match *heading {
            "In a body" => format!(
                "{SUBJECT}{GHOSTS}/*@ requires l != 0; */ void last(int i) {{\n{block}\
                 while (i < n) i++; }}\n{MAIN}"
            ),
            _ => format!("{SUBJECT}{}\n{MAIN}", block.replace("{ ... }", "{ return n; }")),
        };
        is_understood(&format!("block{number}"), &source);
    }
}

/// Every form that annotations have.
const FORMS: [&str; 37] = [
    "x'",
    "\\old(",
    "\\tid",
    "\\main",
    "\\runs(",
    "\\holder(",
    "\\result",
    "\\length(",
    "\\alive(",
    " ==> ",
    " <==> ",
    "\\forall ",
    "\\exists ",
    "\\in(",
    "\\add(",
    "\\remove(",
    "\\empty",
    "\\count(",
    "\\update(",
    "\\set<thread>",
    "\\map<thread, int>",
    "\\other(",
    "unwritable_by_env_if ",
    "env_assumption ",
    "global_invariant ",
    "ghost ",
    "predicate ",
    "requires ",
    "modifies ",
    "action: also_modifies ",
    "ensures ",
    "loop invariant ",
    "assert ",
    "abstract_thread ",
    " abstracts ",
    " initial",
    "nostutter",
];

#[test]
fn every_form_has_an_example() {
    let blocks = blocks().into_iter().map(|(_, block)| block);
    let examples: Vec<String> = formulas().into_iter().chain(blocks).collect();
    let missing: Vec<&str> = FORMS
        .into_iter()
        .filter(|form| !examples.iter().any(|example| example.contains(form)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
