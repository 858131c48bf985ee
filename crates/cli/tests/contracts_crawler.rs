//! `selvedge contracts` on a large program: the crawler, and the mistakes that can be put into it.

mod common;

use std::path::Path;

use common::{Outcome, SAFE, UNKNOWN, file, selvedge};

/// For each function, of which the most that one needs is a third of it, and for the check of the
/// certificate.
const WORK: &str = "20000000";

fn crawler() -> String {
    format!("{}/../../examples/contracts/crawler/crawler.c", env!("CARGO_MANIFEST_DIR"))
}

/// The mistake, the line of the program that shows it, what is wrong with it, and the annotation.
const BUGS: [(&str, &str, &str, &str); 6] = [
    (
        "EARLY_UNLOCK",
        "ring[place].name = name;",
        "write when not allowed",
        "unwritable_by_env_if \\holder(frontier) == \\tid",
    ),
    (
        "READ_LOCK",
        "fingerprints[slot] = print;",
        "write when not allowed",
        "unwritable_by_env_if seen_lock.writer == \\tid",
    ),
    (
        "WRONG_LOCK",
        "h->errors = 0;",
        "write when not allowed",
        "unwritable_by_env_if \\holder(lock) == \\tid",
    ),
    (
        "NO_LOCK",
        "duplicates = plus(duplicates, 1);",
        "write when not allowed",
        "unwritable_by_env_if \\holder(statistics) == \\tid",
    ),
    (
        "ORDER",
        "fill_page(place, name, size, sum);",
        "fill_page is called where it must not be",
        "pages[place].owner == \\tid",
    ),
    ("BOUNDS", "event_kind[place] = kind;", "out of bounds", ""),
];

/// The line of the program that a message begins with the place of.
fn line_at(message: &str) -> String {
    let mut parts = message.split(':');
    let (file, line) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = line.parse::<usize>().ok().and_then(|line| text.lines().nth(line - 1));
    line.unwrap_or_default().to_owned()
}

#[test]
fn the_crawler_is_proved_and_its_mistakes_are_named() {
    let beside = file("contracts_crawler", "a.c", "");
    let cache = Path::new(&beside).with_file_name("cache");
    let _ = std::fs::remove_dir_all(&cache);
    let cache = cache.to_str().expect("a path of letters");
    let source = crawler();
    let run = |define: &str| -> Outcome {
        let args = ["contracts", "--work", WORK, "--property", "assert,memory"];
        let more = ["--cache", cache, define, &source];
        selvedge(&[&args[..], &more[..]].concat())
    };
    run("-DCORRECT").ends(SAFE).says("all 2,220 obligations proved").says("obligations certified");
    for (name, step, wrong, annotation) in BUGS {
        let outcome = run(&format!("-DBUG_{name}"));
        let named = outcome.ends(UNKNOWN).out.split("\n\n").any(|part| {
            let first = part.lines().next().unwrap_or_default();
            line_at(first).trim() == step && first.contains(wrong) && part.contains(annotation)
        });
        assert!(named, "{name}: {}", outcome.out);
    }
}
