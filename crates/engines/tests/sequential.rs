//! The sequential back end by itself: the C programs without threads under `tests/sequential`.
//!
//! Beside what is true of it, a case says what the back end finds: `// back end: unwind=N` and
//! `correct`, `bounded` (a loop goes on), `cut` (something it does not cover) or `wrong`; and
//! `invariants` where they are found, `given` where they are proved with the loop invariants that the
//! case gives and not found, `rejected` where those given do not hold (at lines marked `NOT USED`).
//! An answer against the truth fails whatever the case expects.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_engines::contexts::interleave::{Steps, interleave};
use selvedge_engines::sequential::{
    Answer, Beyond, Options, Run, SequentialProgram, check, prove, prove_as_given,
};
use selvedge_ir::{Program, Property};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::Limits;

/// The front end recurses over the nesting of the source.
const STACK_BYTES: usize = 1 << 28;

/// To find invariants that are there; that there are none is not waited for.
const ENOUGH: Duration = Duration::from_secs(300);
const LITTLE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sequential");
    let entries = std::fs::read_dir(folder).expect("the folder of cases");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let trials: Vec<Trial> = files.into_iter().map(trial).collect();
    assert!(trials.len() >= 30, "cases are missing");
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(file: PathBuf) -> Trial {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Trial::test(name, move || {
        let body = move || run_case(&file).map_err(Failed::from);
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(body)?;
        thread.join().unwrap_or_else(|_| Err("panicked".into()))
    })
}

/// What a case says of itself.
struct Case {
    safe: bool,
    properties: Vec<Property>,
    unwind: u32,
    found: String,
    invariants: Invariants,
}

/// What becomes of invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Invariants {
    None,
    Found,
    Given,
    Rejected,
}

impl Case {
    fn read(text: &str) -> Option<Case> {
        let field = |key: &str| {
            let head = text.lines().take_while(|line| line.starts_with("//"));
            let mut values = head.filter_map(|line| line[2..].trim().strip_prefix(key));
            values.next().and_then(|rest| rest.strip_prefix(':')).map(str::trim)
        };
        let names = field("property")?.split(',');
        let (unwind, rest) = field("back end")?.strip_prefix("unwind=")?.split_once(' ')?;
        let (found, more) = rest.split_once(';').unwrap_or((rest, ""));
        Some(Case {
            safe: field("truth")? == "safe",
            properties: names
                .map(|name| Property::from_name(name.trim()))
                .collect::<Option<_>>()?,
            unwind: unwind.parse().ok()?,
            found: found.trim().to_owned(),
            invariants: match more.trim() {
                "" => Invariants::None,
                "invariants" => Invariants::Found,
                "given" => Invariants::Given,
                "rejected" => Invariants::Rejected,
                _ => return None,
            },
        })
    }
}

fn run_case(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let case = Case::read(&text).ok_or("the head of the case is not understood")?;
    let options = selvedge_frontend_c::Options {
        properties: case.properties.clone(),
        ..selvedge_frontend_c::Options::default()
    };
    let compiled = selvedge_frontend_c::compile(&[file.to_owned()], &options);
    let program = compiled.map_err(|_| "rejected by the front end")?.program;
    let properties = case.properties.clone();
    let passes = selvedge_passes::Options { properties, ..Default::default() };
    let prepared = prepare(&program, &passes);
    let sequential = SequentialProgram::from_single(&prepared, &case.properties)
        .map_err(|stop| stop.to_string())?;
    let found = unrolled(&program, &prepared, &sequential, &case)?;
    let proved = {
        let time = if case.invariants == Invariants::Found { ENOUGH } else { LITTLE };
        prove(&sequential, &Limits::none(), time).is_some()
    };
    match (found, proved) {
        ("correct", _) | (_, true) if !case.safe => Err("WRONG: it is unsafe".into()),
        ("wrong", _) if case.safe => Err("WRONG: it is safe".into()),
        _ if found != case.found => Err(format!("{found}, but {} is expected", case.found)),
        (_, false) if case.invariants == Invariants::Found => Err("no invariants found".into()),
        (_, true) if case.invariants == Invariants::Given => Err("found without help".into()),
        _ => as_given(file, &text, &case),
    }
}

/// Looks at the invariants that the case gives.
fn as_given(file: &Path, text: &str, case: &Case) -> Result<(), String> {
    if matches!(case.invariants, Invariants::None | Invariants::Found) {
        return Ok(());
    }
    let mut properties = case.properties.clone();
    properties.push(Property::Invariant);
    let options = selvedge_frontend_c::Options {
        properties: properties.clone(),
        ..selvedge_frontend_c::Options::default()
    };
    let compiled = selvedge_frontend_c::compile(&[file.to_owned()], &options);
    let annotated = compiled.map_err(|_| "rejected by the front end")?.annotated;
    let program = annotated.ok_or("the case gives no invariants")?;
    let passes = selvedge_passes::Options { properties, ..Default::default() };
    let prepared = prepare(&program, &passes);
    let sequential = SequentialProgram::from_single(&prepared, &case.properties)
        .map_err(|stop| stop.to_string())?;
    let (proof, unused) = prove_as_given(&sequential, &Limits::none(), ENOUGH);
    let unused: Vec<usize> = unused.iter().map(|unused| unused.span.line as usize).collect();
    let lines = text.lines().enumerate();
    let mut marked: Vec<usize> =
        lines.filter(|(_, line)| line.ends_with("// NOT USED")).map(|(at, _)| at + 1).collect();
    // Each part of a conjunction is an invariant of its own.
    let mut told = unused.clone();
    told.dedup();
    marked.dedup();
    match (proof.is_some(), case.invariants) {
        (true, _) if !case.safe => Err("WRONG: it is unsafe".into()),
        (false, Invariants::Given) => Err(format!("not proved; unused: {unused:?}")),
        (true, Invariants::Rejected) => Err("proved with an invariant that does not hold".into()),
        _ if told != marked => Err(format!("unused at {told:?}, marked {marked:?}")),
        _ => Ok(()),
    }
}

fn unrolled(
    program: &Program,
    prepared: &Prepared,
    sequential: &SequentialProgram,
    case: &Case,
) -> Result<&'static str, String> {
    let mut run = Run::new(Limits::none());
    let answer = check(sequential, &Options::unwind(case.unwind), &mut run);
    Ok(match answer.map_err(|stop| stop.to_string())? {
        Answer::Correct(_) => "correct",
        Answer::Bounded(bounded) if bounded.beyond == Beyond::Unwind => "bounded",
        Answer::Bounded(_) => "cut",
        Answer::Wrong(path) => {
            let exec = selvedge_exec::Options::new(&case.properties);
            interleave(program, prepared, &exec, sequential, &path, Steps::All)?;
            "wrong"
        }
    })
}
