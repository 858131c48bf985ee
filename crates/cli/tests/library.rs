//! The C library itself agrees with the cases about its models: a case that is said to be safe
//! compiles, runs, and ends without a signal.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn safe_cases_hold_in_the_real_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/library");
    let folder = std::env::temp_dir().join(format!("selvedge-library-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let mut wrong = Vec::new();
    let mut tried = 0;
    for file in cases(&root) {
        let program = folder.join("program");
        if compiles(&file, &program) {
            tried += 1;
            if let Some(signal) = ends_by_signal(&program) {
                wrong.push(format!("{} ended by signal {signal}", file.display()));
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 20, "only {tried} cases could be run");
}

/// Those that are safe and take no inputs from the verifier.
fn cases(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).expect("the cases are there");
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> = files
        .filter(|file| {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            text.contains("// truth: safe") && !text.contains("__VERIFIER")
        })
        .collect();
    found.sort();
    found
}

/// Whether it can be linked: some cases call functions that are nowhere defined.
fn compiles(file: &Path, program: &Path) -> bool {
    let mut compiler = Command::new("cc");
    compiler.arg("-w").arg(file).arg("-o").arg(program).arg("-lpthread");
    compiler.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn ends_by_signal(program: &Path) -> Option<i32> {
    let mut run = Command::new(program);
    run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    run.status().expect("a program that was just made").signal()
}
