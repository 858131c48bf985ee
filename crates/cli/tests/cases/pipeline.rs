//! From a case file to an answer, with all that must hold on the way.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use selvedge_engines::Engine;
use selvedge_exec::replay::{ReplayResult, replay};
use selvedge_exec::trace::{Failure, SourcePlace};
use selvedge_exec::{Fault, Trace};
use selvedge_frontend_c as frontend_c;
use selvedge_frontend_java as frontend_java;
use selvedge_ir::{DataModel, Program, Property, check, text};
use selvedge_passes::{self as passes, Stage};
use selvedge_report::{Answer as Said, Report};
use selvedge_verdict::Stop;

use crate::expectation::Case;

/// Units of work for a case: most take a small part of it.
const EXPLORE_WORK: &str = "60000000";
const WORK: &str = "300000";

/// The stages of the passes that are programs.
const TRANSFORMATIONS: [Stage; 6] =
    [Stage::Ir, Stage::Devirtualize, Stage::Inline, Stage::Simplify, Stage::Regions, Stage::Reduce];

/// What the engine said.
#[derive(Debug)]
pub enum Answer {
    Safe,
    Unsafe { what: String, lines: BTreeSet<u32> },
    Unknown { stop: Stop },
}

/// Input that was not accepted.
pub struct Rejection {
    pub listing: String,
    pub messages: Vec<String>,
    pub lines: BTreeSet<u32>,
}

pub fn load(file: &Path, case: &Case) -> Result<Program, Rejection> {
    if file.extension().is_some_and(|e| e == "plato") {
        return load_plato(file);
    }
    if frontend_java::is_java(file) {
        return load_java(file, case);
    }
    let beside = |name: &String| file.with_file_name(name);
    let files: Vec<PathBuf> =
        std::iter::once(file.to_path_buf()).chain(case.with.iter().map(beside)).collect();
    let options = frontend_c::Options {
        model: case.model,
        properties: case.properties.clone(),
        ..frontend_c::Options::default()
    };
    match frontend_c::compile(&files, &options) {
        Ok(compiled) => Ok(compiled.program),
        Err(failure) => {
            let errors = || failure.diagnostics.iter().filter(|d| d.is_error());
            let lines = errors().filter_map(|d| Some(failure.sources.locate(d.span?).line));
            Err(Rejection {
                listing: selvedge_c_syntax::render(&failure.diagnostics, &failure.sources, false),
                messages: errors().map(|d| d.message.clone()).collect(),
                lines: lines.collect(),
            })
        }
    }
}

fn load_java(file: &Path, case: &Case) -> Result<Program, Rejection> {
    let options = frontend_java::Options {
        properties: case.properties.clone(),
        ..frontend_java::Options::default()
    };
    frontend_java::compile(&[file.to_path_buf()], &options).map_err(|failure| Rejection {
        listing: failure.to_string(),
        messages: vec![failure.message.clone()],
        lines: failure.lines.into_iter().collect(),
    })
}

fn load_plato(file: &Path) -> Result<Program, Rejection> {
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    text::parse(&name, &source).map_err(|errors| Rejection {
        listing: errors.iter().map(|e| format!("{e}\n")).collect(),
        messages: errors.iter().map(|e| e.message.clone()).collect(),
        lines: errors.iter().map(|e| e.line).collect(),
    })
}

impl Rejection {
    /// Whether it is the one that the case expects.
    pub fn compare(&self, case: &Case) -> Result<(), String> {
        let words = case.error.as_deref().unwrap_or_default();
        if !self.messages.iter().any(|message| message.contains(words)) {
            return Err(format!("no message contains `{words}`:\n{}", self.listing));
        }
        if !case.marked.is_empty() && self.lines != case.marked {
            return Err(format!(
                "reported lines {:?}, marked lines {:?}:\n{}",
                self.lines, case.marked, self.listing
            ));
        }
        Ok(())
    }
}

/// The program is well-formed, prints and parses back to itself, and stays well-formed in every
/// pass.
pub fn check_program(program: &Program, properties: &[Property]) -> Result<(), String> {
    well_formed("as lowered", program)?;
    let printed = text::print(program);
    let parsed = parse("as lowered", &program.name, &printed)?;
    if parsed != *program {
        return Err(format!(
            "parses back to another program:\n{}",
            first_difference(&printed, &text::print(&parsed))
        ));
    }
    let options = passes::Options { properties: properties.to_vec(), ..passes::Options::default() };
    for stage in TRANSFORMATIONS {
        let dump = passes::dump(program, stage, &options);
        let after = format!("after the pass {}", stage.name());
        well_formed(&after, &parse(&after, &program.name, &dump)?)?;
    }
    Ok(())
}

fn well_formed(when: &str, program: &Program) -> Result<(), String> {
    let violations = check::check(program);
    if violations.is_empty() {
        return Ok(());
    }
    Err(format!("not well-formed {when}:\n{}", check::listing(program, &violations)))
}

fn parse(when: &str, name: &str, printed: &str) -> Result<Program, String> {
    text::parse(name, printed).map_err(|errors| {
        let errors: String = errors.iter().take(5).map(|e| format!("{e}\n")).collect();
        format!("the text {when} does not parse:\n{errors}")
    })
}

fn first_difference(a: &str, b: &str) -> String {
    let differing = (1..).zip(a.lines().zip(b.lines())).find(|(_, (x, y))| x != y);
    match differing {
        Some((number, (x, y))) => format!("line {number}:\n  {x}\n  {y}"),
        None => "the texts are alike".into(),
    }
}

/// Asks an engine, by the command: a process of its own, so that an amount of work gives the same
/// answer whatever else is tested. An answer that shows a defect is an error.
pub fn ask(engine: Engine, file: &Path, case: &Case) -> Result<Answer, String> {
    let names: Vec<&str> = case.properties.iter().map(|property| property.name()).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(["verify", "--format", "json", "--memory", "1GiB", "--engine", engine.name()]);
    let model = if case.model == DataModel::Lp64 { "lp64" } else { "ilp32" };
    command.args(["--property", &names.join(","), "--model", model]);
    command.args(["--work", if engine == Engine::Explore { EXPLORE_WORK } else { WORK }]);
    if engine == Engine::Contexts {
        command.args(["--contexts", "2", "--unwind", "2", "--threads", "2"]);
    }
    command.arg(file).args(case.with.iter().map(|name| file.with_file_name(name)));
    let output = command.output().map_err(|error| error.to_string())?;
    let report = Report::from_json(&String::from_utf8_lossy(&output.stdout)).map_err(|error| {
        format!("no report ({error}):\n{}", String::from_utf8_lossy(&output.stderr))
    })?;
    match report {
        Report { verdict: Said::Safe, .. } => Ok(Answer::Safe),
        Report { verdict: Said::Unsafe, trace: Some(trace), .. } => {
            confirmed(&trace, file, &case.properties)
        }
        Report { stop: Some(stop), .. } if stop.is_defect() => Err(stop.to_string()),
        Report { stop: Some(stop), .. } => Ok(Answer::Unknown { stop }),
        report => Err(format!("neither a trace nor a reason: {}", report.reason)),
    }
}

fn confirmed(trace: &Trace, file: &Path, properties: &[Property]) -> Result<Answer, String> {
    let written = Trace::from_json(&trace.to_json()).map_err(|e| e.to_string())?;
    match replay(&written).map_err(|e| e.to_string())? {
        ReplayResult::Recurs(_) => {}
        other => return Err(format!("the trace does not replay: {other:?}")),
    }
    let failure = trace.failure().ok_or("UNSAFE without a failure")?;
    // What C leaves undefined is a violation whatever was asked for.
    let undefined =
        failure.property == Property::Memory || matches!(failure.fault, Fault::Undefined { .. });
    if !undefined && !properties.contains(&failure.property) {
        return Err(format!("a failure of {}, which is not checked", failure.property));
    }
    let what = failure.fault.to_string();
    Ok(Answer::Unsafe { what, lines: lines_in(file, failure) })
}

/// The lines of the case file that the failure is about; 0 for places elsewhere.
fn lines_in(file: &Path, failure: &Failure) -> BTreeSet<u32> {
    let line = |place: &Option<SourcePlace>| match place {
        Some(place) if Path::new(&place.file).file_name() == file.file_name() => place.line,
        _ => 0,
    };
    let others = failure.others.iter().map(|other| line(&other.place));
    std::iter::once(line(&failure.place)).chain(others).collect()
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Safe => f.write_str("safe"),
            Answer::Unsafe { what, lines } => write!(f, "unsafe ({what}, lines {lines:?})"),
            Answer::Unknown { stop } => write!(f, "unknown ({stop})"),
        }
    }
}
