//! The case files: each C, Java or Plato program under `tests/` carries what is true of it and what every
//! engine answers today, and is one test.
//!
//! A case is compiled, its program is checked and printed and parsed back, checked again after each
//! pass, and given to every engine with an amount of work; every trace is replayed. An answer against
//! the truth fails whatever the case expects; an expected `unknown` fails once the engine finds an
//! answer. `cargo xtask cases --update` writes what the engines answer into the files, but never
//! an answer against the truth.

#[path = "cases/expectation.rs"]
mod expectation;
#[path = "cases/pipeline.rs"]
mod pipeline;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_engines::Engine;

use expectation::{Case, Expected, Truth, restate};
use pipeline::Answer;

/// What the names of cases end with.
const CASES: [&str; 4] = ["c", "i", "java", "plato"];

/// The front end recurses over the nesting of the source.
const STACK_BYTES: usize = 1 << 28;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    for folder in ["c", "java", "plato"] {
        find_cases(&root.join(folder), &mut files);
    }
    files.sort();
    let trials = files.into_iter().map(|file| trial(&root, file)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every `.c`, `.i`, `.java` and `.plato` file but those in folders called `parts`, which cases link.
fn find_cases(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_case = path.extension().is_some_and(|e| CASES.iter().any(|known| e == *known));
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
    let text = String::from_utf8_lossy(&bytes);
    let case = Case::read(&text)?;
    let loaded = pipeline::load(file, &case);
    if case.truth == Truth::Rejected {
        return match loaded {
            Ok(_) => Err("accepted, but it should be rejected".into()),
            Err(rejection) => rejection.compare(&case),
        };
    }
    let program = loaded.map_err(|rejection| format!("rejected:\n{}", rejection.listing))?;
    pipeline::check_program(&program, &case.properties)?;
    let mut stated = BTreeMap::new();
    for engine in Engine::ALL {
        let answer = pipeline::ask(engine, file, &case)
            .and_then(|answer| against_truth(&answer, &case).map(|()| answer))
            .map_err(|what| format!("{}: {what}", engine.name()))?;
        if goes_without_saying(engine, &answer) && !case.engines.contains_key(&engine) {
            continue;
        }
        if updates() {
            let known = case.engines.get(&engine).filter(|known| known.admits(&answer));
            stated.insert(engine, known.cloned().unwrap_or_else(|| Expected::of(&answer)));
        } else {
            compare(engine, &answer, &case).map_err(|what| format!("{}: {what}", engine.name()))?;
        }
    }
    if updates() && stated != case.engines {
        std::fs::write(file, restate(&text, &stated)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Cases name the engine `locks` only where it has a verdict: it is not made for most of them.
fn goes_without_saying(engine: Engine, answer: &Answer) -> bool {
    engine == Engine::Locks && matches!(answer, Answer::Unknown { .. })
}

/// Whether answers are written into the files instead of compared.
fn updates() -> bool {
    std::env::var_os("SELVEDGE_UPDATE").is_some()
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

fn compare(engine: Engine, answer: &Answer, case: &Case) -> Result<(), String> {
    let Some(expected) = case.engines.get(&engine) else {
        return Err("the case does not state its answer; `cargo xtask cases --update` does".into());
    };
    if !expected.admits(answer) {
        return Err(format!("expected {expected}, got {answer}"));
    }
    let Answer::Unsafe { what, lines } = answer else { return Ok(()) };
    // A search finds the violation that is marked; other engines may find another one.
    let right = match engine {
        Engine::Explore => *lines == case.marked,
        _ => lines.is_subset(&(&case.marked | &case.others)),
    };
    match right {
        true => Ok(()),
        false => Err(format!("reported lines {lines:?} ({what}), marked lines {:?}", case.marked)),
    }
}
