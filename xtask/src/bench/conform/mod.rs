//! `cargo xtask bench conform`: the tables of the paper on abstract threads, re-made.
//!
//! First the examples: how long each takes as a whole, by the clock and on all cores. Then compositions of growing size of the two
//! drivers, the concrete program beside the abstract one, each searched exhaustively by Selvedge
//! (`explore`) and by SPIN on models of the same programs, one after the other on one core each.
//! Times of searches are seconds of the processor for the whole command, without the making of models
//! and the compiling of SPIN's verifier, so that other work on the machine does not count; `-` is above
//! the limit of time or memory.

mod models;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::timed;
use crate::commands;
use crate::system::{self, Outcome};
use models::Driver;

/// Examples, with what is defined for a variant.
const EXAMPLES: [(&str, &str); 7] = [
    ("counters", ""),
    ("counters", "START=-1"),
    ("publish", ""),
    ("bluetooth", ""),
    ("bluetooth", "ANY"),
    ("battery", ""),
    ("battery", "ANY"),
];

/// Seconds of the processor for an example, on all cores.
const LONGEST: u32 = 600;

/// What is measured.
struct Plan {
    workers: u32,
    /// Seconds of the processor for one search.
    seconds: u32,
    /// Another binary than that of a release build.
    binary: Option<PathBuf>,
}

impl Plan {
    fn of(args: &[&str]) -> Outcome<Plan> {
        let mut plan = Plan { workers: 11, seconds: 30, binary: None };
        for option in args.chunks(2) {
            let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number"));
            match *option {
                ["--workers", text] => plan.workers = number(text)?,
                ["--seconds", text] => plan.seconds = number(text)?,
                ["--binary", path] => plan.binary = Some(PathBuf::from(path)),
                _ => {
                    return Err(format!(
                        "unknown option `{}` of `bench conform`",
                        option.join(" ")
                    ));
                }
            }
        }
        Ok(plan)
    }
}

pub fn conform(args: &[&str]) -> Outcome<()> {
    let plan = Plan::of(args)?;
    system::provide_c_preprocessor()?;
    system::provide_spin()?;
    let binary = match &plan.binary {
        Some(binary) => binary.clone(),
        None => commands::release_binary()?,
    };
    examples(&binary)?;
    let folder = std::env::temp_dir().join(format!("selvedge-conform-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured =
        Driver::ALL.iter().try_for_each(|driver| compositions(*driver, &binary, &folder, &plan));
    let removed = fs::remove_dir_all(&folder).map_err(|error| error.to_string());
    measured.and(removed)
}

fn examples(binary: &Path) -> Outcome<()> {
    println!("{:<20} {:<8} {:>8} {:>10}", "example", "answer", "seconds", "processor");
    for (name, define) in EXAMPLES {
        let mut command = measured(binary, LONGEST);
        command.current_dir(system::root());
        command.args(["conform", "--format", "json"]);
        command.arg(format!("examples/conform/{name}.c"));
        if !define.is_empty() {
            command.arg(format!("-D{define}"));
        }
        let ((output, processor), seconds) = timed(|| run(&mut command))?;
        let processor = processor.unwrap_or_default();
        let report: Value = serde_json::from_str(&output).unwrap_or_default();
        let verdict = report["verdict"].as_str().unwrap_or("none");
        let name = format!("{name} {define}");
        println!("{name:<20} {verdict:<8} {seconds:>8.2} {processor:>10.2}");
    }
    Ok(())
}

/// What was measured of one search; none above the limits.
type Seconds = Option<f64>;

fn compositions(driver: Driver, binary: &Path, folder: &Path, plan: &Plan) -> Outcome<()> {
    println!(
        "\n{}: seconds of the processor for one unloading thread and n workers",
        driver.name()
    );
    println!("{:>3} | {:^20} | {:^20}", "", "concrete", "abstract");
    println!("{:>3} | {:>9} {:>10} | {:>9} {:>10}", "n", "SPIN", "Selvedge", "SPIN", "Selvedge");
    // A search that was too long once is longer for more threads.
    let mut over = [false; 4];
    for workers in 1..=plan.workers {
        let mut cells = Vec::new();
        for (index, over) in over.iter_mut().enumerate() {
            let (of_abstract, by_spin) = (index >= 2, index % 2 == 0);
            let seconds = match (*over, by_spin) {
                (true, _) => None,
                (false, true) => spin(folder, &driver.promela(of_abstract, workers), plan.seconds)?,
                (false, false) => {
                    let source = model(binary, folder, driver, of_abstract, workers)?;
                    ours(binary, &source, plan.seconds)?
                }
            };
            *over = seconds.is_none();
            cells.push(seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")));
        }
        let [a, b, c, d] = &cells[..] else { return Err("four columns".into()) };
        println!("{workers:>3} | {a:>9} {b:>10} | {c:>9} {d:>10}");
    }
    Ok(())
}

/// The arguments for the example itself, or for its composition of abstract threads.
fn model(
    binary: &Path,
    folder: &Path,
    driver: Driver,
    of_abstract: bool,
    workers: u32,
) -> Outcome<Vec<OsString>> {
    let workers = format!("-DWORKERS={workers}");
    if !of_abstract {
        return Ok(vec![workers.into(), driver.source().into()]);
    }
    let mut dump = Command::new(binary);
    dump.args(["dump", "--engine", "conform", "--stage", "compose", &workers]);
    let model = folder.join("composition.plato");
    let text = system::output(dump.arg(driver.source()))?;
    fs::write(&model, text).map_err(|error| error.to_string())?;
    Ok(vec![model.into()])
}

/// `explore` on a program.
fn ours(binary: &Path, program: &[OsString], seconds: u32) -> Outcome<Seconds> {
    let mut command = measured(binary, seconds);
    command.arg("verify").args(program);
    command.args(["--engine", "explore", "--property", "assert", "--format", "json"]);
    let (report, seconds) = run(command.args(["--time", "0"]))?;
    let answer: Value = serde_json::from_str(&report).unwrap_or_default();
    match answer["verdict"].as_str() {
        Some("SAFE") => Ok(seconds),
        // Ended by the limit, or out of memory.
        Some("UNKNOWN") | None => Ok(None),
        Some(other) => Err(format!("Selvedge does not prove a model: {other}")),
    }
}

/// SPIN on a model; none where it runs out of time or memory.
fn spin(folder: &Path, model: &str, seconds: u32) -> Outcome<Seconds> {
    fs::write(folder.join("model.pml"), model).map_err(|error| error.to_string())?;
    system::output(Command::new("spin").current_dir(folder).args(["-a", "model.pml"]))?;
    let compile = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=4096", "-o", "pan", "pan.c"];
    system::output(Command::new("gcc").current_dir(folder).args(compile))?;
    let mut command = measured(&folder.join("pan"), seconds);
    let (report, seconds) = run(command.current_dir(folder).args(["-E", "-m100000", "-w24"]))?;
    match report.contains("errors: 0") && !report.contains("Search not completed") {
        true => Ok(seconds),
        false if report.contains("errors: ") && !report.contains("errors: 0") => {
            Err(format!("SPIN does not prove the model:\n{report}"))
        }
        false => Ok(None),
    }
}

/// A command that is ended after so many seconds of the processor, and says last on standard error how
/// many it took.
fn measured(binary: &Path, seconds: u32) -> Command {
    let mut command = Command::new("bash");
    let script = "ulimit -t \"$1\"; shift; TIMEFORMAT='%U %S'; time \"$@\"";
    command.arg("-c").arg(script).arg("bash").arg(seconds.to_string()).arg(binary);
    command
}

/// The output of a measured command, and what it took.
fn run(command: &mut Command) -> Outcome<(String, Seconds)> {
    let output = command.output().map_err(|error| format!("cannot run bash: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let times = errors.lines().last().unwrap_or_default().split_whitespace();
    let times: Vec<f64> = times.filter_map(|time| time.parse().ok()).collect();
    Ok((text, (times.len() == 2).then(|| times.iter().sum())))
}
