//! The models that ship with the repository are well-formed, and the manual shows them as they are.

use std::path::{Path, PathBuf};

use super::{parsed, round_trip};
use crate::check;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn models(folder: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let models = paths.filter(|path| path.extension().is_some_and(|e| e == "plato"));
    let mut models: Vec<(PathBuf, String)> = models
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path, text)
        })
        .collect();
    models.sort();
    models
}

#[test]
fn every_model_parses_checks_and_survives() {
    let all = [models("examples"), models("tests/plato")].concat();
    let good = all.iter().filter(|(_, text)| !text.contains("// truth: rejected"));
    let mut count = 0;
    for (path, text) in good {
        let program = parsed(text);
        let violations = check::check(&program);
        let listing = check::listing(&program, &violations);
        assert!(violations.is_empty(), "{}:\n{listing}", path.display());
        round_trip(&program);
        count += 1;
    }
    assert!(count > 15, "only {count} models were found");
}

#[test]
fn the_manual_shows_the_examples_as_they_are() {
    let manual = std::fs::read_to_string(root().join("docs/plato.md")).expect("the manual");
    let mut shown = 0;
    for (path, text) in models("examples") {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        if ["lock.plato", "producer_consumer.plato", "ticket_lock.plato"].contains(&name.as_str()) {
            assert!(manual.contains(&text), "docs/plato.md does not show {name} as it is");
            shown += 1;
        }
    }
    assert_eq!(shown, 3);
}

/// Every block of the manual that is marked as Plato is a whole program.
#[test]
fn every_program_in_the_manual_is_well_formed() {
    let manual = std::fs::read_to_string(root().join("docs/plato.md")).expect("the manual");
    let blocks: Vec<&str> = manual.split("```").skip(1).step_by(2).collect();
    let programs = blocks.iter().filter_map(|block| block.strip_prefix("plato\n"));
    let mut count = 0;
    for program in programs {
        let program = parsed(program);
        let violations = check::check(&program);
        assert!(violations.is_empty(), "{}", check::listing(&program, &violations));
        count += 1;
    }
    assert!(count >= 4, "only {count} programs were found");
}
