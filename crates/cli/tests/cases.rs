//! The case files: each C or Plato program under `tests/` carries what is true of it and what the
//! engines say about it today, and is one test.
//!
//! A case is compiled, its program is checked and printed and parsed back, checked again after each
//! pass, explored, looked through within few contexts, and every trace is replayed. An answer against the truth fails whatever the
//! case expects; an expected `unknown` fails once the engine finds an answer.

#[path = "cases/expectation.rs"]
mod expectation;
#[path = "cases/pipeline.rs"]
mod pipeline;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use expectation::{Case, Truth};
use pipeline::Answer;

/// The front end recurses over the nesting of the source.
const STACK_BYTES: usize = 1 << 28;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    for folder in ["c", "plato"] {
        find_cases(&root.join(folder), &mut files);
    }
    files.sort();
    let trials = files.into_iter().map(|file| trial(&root, file)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every `.c`, `.i` and `.plato` file but those in folders called `parts`, which cases link.
fn find_cases(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_case = path.extension().is_some_and(|e| e == "c" || e == "i" || e == "plato");
        if path.is_dir() && !path.ends_with("parts") {
            find_cases(&path, found);
        } else if path.is_file() && is_case {
            found.push(path);
        }
    }
}

fn trial(root: &Path, file: PathBuf) -> Trial {
    let name = file.strip_prefix(root).unwrap_or(&file).with_extension("");
    Trial::test(name.display().to_string(), move || {
        let body = move || run_case(&file).map_err(Failed::from);
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(body)?;
        thread.join().unwrap_or_else(|_| Err("panicked".into()))
    })
}

fn run_case(file: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let case = Case::read(&String::from_utf8_lossy(&bytes))?;
    let loaded = pipeline::load(file, &case);
    if case.truth == Truth::Rejected {
        return match loaded {
            Ok(_) => Err("accepted, but it should be rejected".into()),
            Err(rejection) => rejection.compare(&case),
        };
    }
    let program = loaded.map_err(|rejection| format!("rejected:\n{}", rejection.listing))?;
    pipeline::check_program(&program, &case.properties)?;
    compare(&pipeline::explore(&program, file, &case.properties)?, &case)?;
    let answer = pipeline::contexts(&program, file, &case.properties);
    answer
        .and_then(|answer| compare_contexts(&answer, &case))
        .map_err(|what| format!("contexts: {what}"))
}

/// An answer against the truth.
fn against_truth(answer: &Answer, case: &Case) -> Result<(), String> {
    match (answer, case.truth) {
        (Answer::Safe, Truth::Unsafe) => Err("WRONG: SAFE, but it is unsafe".into()),
        (Answer::Unsafe { what, lines }, Truth::Safe) => {
            Err(format!("WRONG: UNSAFE ({what}, lines {lines:?}), but it is safe"))
        }
        _ => Ok(()),
    }
}

/// What is found within bounds may be another violation of the same program.
fn compare_contexts(answer: &Answer, case: &Case) -> Result<(), String> {
    against_truth(answer, case)?;
    let Some(expected) = &case.contexts else { return Ok(()) };
    if !expected.admits(answer) {
        return Err(format!("expected {expected}, got {answer}"));
    }
    match answer {
        Answer::Unsafe { what, lines } if !lines.is_subset(&(&case.marked | &case.others)) => {
            Err(format!("reported lines {lines:?} ({what}), marked lines {:?}", case.marked))
        }
        _ => Ok(()),
    }
}

fn compare(answer: &Answer, case: &Case) -> Result<(), String> {
    against_truth(answer, case)?;
    if !case.explore.admits(answer) {
        return Err(format!("expected explore={}, got {answer}", case.explore));
    }
    match answer {
        Answer::Unsafe { what, lines } if *lines != case.marked => {
            Err(format!("reported lines {lines:?} ({what}), marked lines {:?}", case.marked))
        }
        _ => Ok(()),
    }
}
