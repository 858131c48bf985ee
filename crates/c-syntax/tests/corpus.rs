//! Parses a corpus of real programs, if there is one beside the repository.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selvedge_c_syntax::{PreprocessOptions, SourceMap, load, parse, render};

/// The corpus folder, or none on a machine without it.
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    if !folder.is_dir() {
        eprintln!("no corpus of programs at {}: nothing to parse", folder.display());
        return None;
    }
    Some(folder)
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
}

/// Parses one file and says how long that took; any error fails the test.
fn parses(path: &Path) -> Duration {
    let mut sources = SourceMap::new();
    let source = load(path, &PreprocessOptions::default(), &mut sources)
        .unwrap_or_else(|error| panic!("{}", render(&[error], &sources, false)));
    let start = Instant::now();
    let parsed = parse(source, &sources);
    let time = start.elapsed();
    let wrong = parsed.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    assert!(!wrong, "{}", render(&parsed.diagnostics, &sources, false));
    assert!(!parsed.unit.items.is_empty(), "{} has no items", path.display());
    time
}

#[test]
fn constructs_parse() {
    let Some(corpus) = corpus() else { return };
    let mut programs = Vec::new();
    files(&corpus.join("constructs"), "c", &mut programs);
    assert!(!programs.is_empty());
    for path in &programs {
        parses(path);
    }
}

#[test]
fn verification_tasks_parse() {
    let Some(corpus) = corpus() else { return };
    let mut programs = Vec::new();
    files(&corpus.join("svcomp"), "i", &mut programs);
    assert!(!programs.is_empty());
    let times: Vec<Duration> = programs.iter().map(|path| parses(path)).collect();
    let total: Duration = times.iter().sum();
    let longest = times.iter().max().copied().unwrap_or_default();
    eprintln!("{} programs parsed in {total:?}, the longest in {longest:?}", times.len());
}
