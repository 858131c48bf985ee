//! `cargo xtask bench conform`: the tables of the paper on abstract threads, re-made.
//!
//! First the examples: how long each takes as a whole. Then compositions of growing size of the two
//! drivers, the concrete program beside the abstract one, each searched exhaustively by Selvedge
//! (`explore`) and by SPIN on models of the same programs, one after the other on one core each.
//! Times are of the search alone, as the tools report them; `-` is above the limit of time or memory.

mod models;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::timed;
use crate::commands;
use crate::system::{self, Outcome};
use models::Driver;

/// Examples, with what is defined for a variant.
const EXAMPLES: [(&str, &str); 6] = [
    ("counters", ""),
    ("counters", "START=-1"),
    ("bluetooth", ""),
    ("bluetooth", "ANY"),
    ("battery", ""),
    ("battery", "ANY"),
];

/// Seconds for one search.
const TIME: &str = "120";

pub fn conform(args: &[&str]) -> Outcome<()> {
    let workers = match args {
        [] => 11,
        ["--workers", number] => number.parse().map_err(|_| "--workers needs a number")?,
        _ => return Err(format!("unknown option `{}` of `bench conform`", args.join(" "))),
    };
    system::provide_c_preprocessor()?;
    system::provide_spin()?;
    let binary = commands::release_binary()?;
    examples(&binary)?;
    let folder = std::env::temp_dir().join(format!("selvedge-conform-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured =
        Driver::ALL.iter().try_for_each(|driver| compositions(*driver, &binary, &folder, workers));
    let removed = fs::remove_dir_all(&folder).map_err(|error| error.to_string());
    measured.and(removed)
}

fn examples(binary: &Path) -> Outcome<()> {
    println!("{:<20} {:<8} {:>8}", "example", "answer", "seconds");
    for (name, define) in EXAMPLES {
        let mut command = Command::new(binary);
        command.current_dir(system::root());
        command.args(["conform", "--format", "json"]);
        command.arg(format!("examples/conform/{name}.c"));
        if !define.is_empty() {
            command.arg(format!("-D{define}"));
        }
        let (output, seconds) =
            timed(|| command.output().map_err(|error| format!("cannot run Selvedge: {error}")))?;
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let verdict = report["verdict"].as_str().unwrap_or("none");
        let name = format!("{name} {define}");
        println!("{name:<20} {verdict:<8} {seconds:>8.2}");
    }
    Ok(())
}

/// What was measured of one search; none above the limits.
type Seconds = Option<f64>;

fn compositions(driver: Driver, binary: &Path, folder: &Path, most: u32) -> Outcome<()> {
    println!("\n{}: seconds for one unloading thread and n workers", driver.name());
    println!("{:>3} | {:^20} | {:^20}", "", "concrete", "abstract");
    println!("{:>3} | {:>9} {:>10} | {:>9} {:>10}", "n", "SPIN", "Selvedge", "SPIN", "Selvedge");
    // A search that was too long once is longer for more threads.
    let mut over = [false; 4];
    for workers in 1..=most {
        let mut cells = Vec::new();
        for (index, over) in over.iter_mut().enumerate() {
            let (of_abstract, by_spin) = (index >= 2, index % 2 == 0);
            let seconds = match (*over, by_spin) {
                (true, _) => None,
                (false, true) => spin(folder, &driver.promela(of_abstract, workers))?,
                (false, false) => ours(binary, folder, driver, of_abstract, workers)?,
            };
            *over = seconds.is_none();
            cells.push(seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")));
        }
        let [a, b, c, d] = &cells[..] else { return Err("four columns".into()) };
        println!("{workers:>3} | {a:>9} {b:>10} | {c:>9} {d:>10}");
    }
    Ok(())
}

/// `explore` on the example itself, or on its composition of abstract threads.
fn ours(
    binary: &Path,
    folder: &Path,
    driver: Driver,
    of_abstract: bool,
    workers: u32,
) -> Outcome<Seconds> {
    let workers_defined = format!("-DWORKERS={workers}");
    let mut command = Command::new(binary);
    match of_abstract {
        false => command.arg("verify").arg(&workers_defined).arg(driver.source()),
        true => {
            let mut dump = Command::new(binary);
            dump.args(["dump", "--engine", "conform", "--stage", "compose", &workers_defined]);
            let model = folder.join("composition.plato");
            let text = system::output(dump.arg(driver.source()))?;
            fs::write(&model, text).map_err(|error| error.to_string())?;
            command.arg("verify").arg(model)
        }
    };
    command.args(["--engine", "explore", "--property", "assert", "--format", "json"]);
    command.args(["--time", TIME]);
    let output = command.output().map_err(|error| format!("cannot run Selvedge: {error}"))?;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let round = report["rounds"].as_array().and_then(|rounds| rounds.last());
    match report["verdict"].as_str() {
        Some("SAFE") => Ok(round.and_then(|round| round["seconds"].as_f64())),
        Some("UNKNOWN") => Ok(None),
        other => Err(format!("{}, {workers} workers: {other:?}", driver.name())),
    }
}

/// SPIN on a model; none where it runs out of time or memory.
fn spin(folder: &Path, model: &str) -> Outcome<Seconds> {
    fs::write(folder.join("model.pml"), model).map_err(|error| error.to_string())?;
    system::output(Command::new("spin").current_dir(folder).args(["-a", "model.pml"]))?;
    let compile = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=4096", "-o", "pan", "pan.c"];
    system::output(Command::new("gcc").current_dir(folder).args(compile))?;
    let mut command = Command::new("timeout");
    command.current_dir(folder).arg(TIME).arg(folder.join("pan")).args(["-E", "-m100000", "-w24"]);
    let output = command.output().map_err(|error| format!("cannot run the verifier: {error}"))?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(124) || report.contains("Search not completed") {
        return Ok(None);
    }
    if !report.contains("errors: 0") {
        return Err(format!("SPIN does not prove the model:\n{report}"));
    }
    let rest = report.split("elapsed time ").nth(1).and_then(|rest| rest.split(' ').next());
    Ok(rest.and_then(|seconds| seconds.parse().ok()))
}
