//! `selvedge infer`: the sources with annotations that were found and proved.

mod output;
mod places;
mod reader;
mod source;
mod threads;

use std::path::PathBuf;

use selvedge_contracts::{self as contracts, Own};
use selvedge_infer::{self as infer, Inferred, Question};
use selvedge_ir::Program;
use selvedge_verdict::{Budget, Event, Options, Run, Stop};

use crate::args::{DEFAULT_TIME, Infer, TimeLimit};
use crate::status::{Refusal, Status};
use crate::{answer, diagnose, files, guard, input, interrupt, memory, terminal};

use places::Places;
use reader::{Folder, Sources};
use source::{Comment, Source, comments};
use threads::Thread;

/// The share of the search for annotations; the rest is for the last check, and for abstract threads.
const SEARCH: f64 = 0.5;

const NOT_AS_WRITTEN: &str = "the annotations are not proved as they are written";

/// The annotations and the texts that have them.
struct Found {
    inferred: Inferred,
    comments: Vec<Comment>,
    threads: Vec<Thread>,
    texts: Vec<String>,
    sources: Sources,
}

pub fn infer(options: &Infer) -> Result<Status, Refusal> {
    interrupt::watch();
    admit(options)?;
    let files = &options.input.files;
    let properties = &options.checks.properties.0;
    let preprocessor = &options.input.preprocessor;
    let read = input::load_specified(files, preprocessor, properties, false)?;
    let program = read.annotated.unwrap_or(read.program);
    let settings = input::settings(preprocessor, properties, false);
    let settings = selvedge_frontend_c::Options { specifications: true, ..settings };
    let folder = Folder::new().map_err(|error| {
        Refusal::input(format!("cannot write into {}: {error}", std::env::temp_dir().display()))
    })?;
    let mut given = Vec::new();
    for file in files {
        given.push(Source::read(file)?);
    }
    let places = Places::of(files, &settings.preprocess);
    let sources = Sources { files: given, places, settings, folder: folder.path().to_owned() };
    let found = work(options, &program, sources);
    drop(folder);
    match found {
        Ok(found) => output::tell(options, &found),
        Err(Stop::Annotation { message, span }) => {
            Err(diagnose::annotation(&program, span, &message))
        }
        Err(stop) => {
            let reason = answer::unknown(&stop, &program);
            let at = reason.place.map_or(String::new(), |place| format!(", {place}"));
            terminal::complain(&format!("no annotations: UNKNOWN ({}{at})\n", reason.reason));
            Ok(Status::Unknown)
        }
    }
}

/// What can be noticed before anything is done.
fn admit(options: &Infer) -> Result<(), Refusal> {
    let named = |extension: &str| {
        let is = |file: &&PathBuf| file.extension().is_some_and(|found| found == extension);
        options.input.files.iter().find(is)
    };
    if let Some(file) = named("plato").or(named("i")) {
        return Err(Refusal::usage(format!(
            "{} has no comments to put annotations into; name C files",
            file.display()
        )));
    }
    if let Some(folder) = &options.output {
        for file in &options.input.files {
            files::can_be_written(&folder.join(file.file_name().unwrap_or_default()))?;
        }
        let names: Vec<_> = options.input.files.iter().map(|file| file.file_name()).collect();
        if (1..names.len()).any(|at| names[..at].contains(&names[at])) {
            return Err(Refusal::usage(
                "two files have the same name, and `-o` puts all into one folder; use `--in-place`",
            ));
        }
    }
    let several = options.input.files.len() > 1 && !options.annotations;
    if several && options.output.is_none() && !options.in_place && !options.is_json() {
        return Err(Refusal::usage(
            "several files cannot be printed as one; give `-o FOLDER`, `--in-place` or \
             `--annotations`",
        ));
    }
    Ok(())
}

/// The search and the last check, within the limits.
fn work(options: &Infer, program: &Program, sources: Sources) -> Result<Found, Stop> {
    let time = match (options.time, options.work) {
        (Some(TimeLimit(limit)), _) => limit,
        (None, Some(_)) => None,
        (None, None) => Some(DEFAULT_TIME),
    };
    let budget = Budget { time, memory: Some(memory::default_limit()), work: options.work };
    let asked = Options::with(&options.checks.properties.0, Own::default());
    let (keep, with_tar) = (options.keep.into(), !options.no_tar);
    let program = program.clone();
    let log = options.log;
    let search = move |teller: guard::Teller<Result<Found, Stop>>| {
        let mut run = Run::new(budget, move |event| teller.tell(event));
        search(program, sources, &asked, keep, with_tar, &mut run)
    };
    let hear = |event| {
        if let (true, Event::Progress(text)) = (log, event) {
            terminal::complain(&format!("{text}\n"));
        }
    };
    guard::run(budget, search, hear).and_then(|found| found)
}

fn search(
    program: Program,
    mut sources: Sources,
    asked: &Options<Own>,
    keep: infer::Keep,
    with_tar: bool,
    run: &mut Run<'_>,
) -> Result<Found, Stop> {
    let for_proofs = with_tar.then(|| lowered_for_races(&sources)).flatten();
    let question =
        Question { program: &program, for_proofs: for_proofs.as_ref(), options: asked, keep };
    let mut part = run.part(SEARCH);
    let inferred = infer::infer(&question, &mut sources, &mut part)?;
    let comments = comments(&sources.places, &sources.files, &inferred.held.kept);
    let texts: Vec<String> = (0..sources.files.len())
        .map(|file| {
            let here: Vec<&Comment> = comments.iter().filter(|c| c.spot.file == file).collect();
            sources.files[file].annotated(&here)
        })
        .collect();
    confirm(&sources, &texts, &inferred, asked, run)?;
    let threads = threads::threads(&sources, &texts, &inferred, run);
    let texts = threads::with(&texts, &threads);
    Ok(Found { inferred, comments, threads, texts, sources })
}

/// The program with all that a proof about races needs.
fn lowered_for_races(sources: &Sources) -> Option<Program> {
    let texts: Vec<String> = sources.files.iter().map(Source::text).collect();
    let mut settings = sources.settings.clone();
    settings.specifications = false;
    for property in [selvedge_ir::Property::Assert, selvedge_ir::Property::Race] {
        if !settings.properties.contains(&property) {
            settings.properties.push(property);
        }
    }
    sources.compile_with(&texts, &settings).ok()
}

/// What will be told is read and checked once more, as it stands.
fn confirm(
    sources: &Sources,
    texts: &[String],
    inferred: &Inferred,
    asked: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let program = sources.compile(texts).map_err(|failed| failed.stop())?;
    let asked = infer::briefly(asked, run);
    let report = contracts::check(&program, &asked, run)?.finished()?;
    let open = report.obligations().filter(|obligation| !obligation.outcome.is_proved()).count();
    match open <= inferred.held.unproved {
        true => Ok(()),
        false => Err(Stop::Refinement { what: NOT_AS_WRITTEN.to_owned() }),
    }
}
