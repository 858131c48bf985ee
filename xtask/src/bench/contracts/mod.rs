//! `cargo xtask bench contracts`: what contracts cost on modules of growing size, and what each
//! optimisation saves on the examples.
//!
//! The first table: a module of N functions (`generate.rs`), checked with an empty cache, then again,
//! then after an edit of one function. Times are of the whole command, by the clock and, since others may
//! work on the machine, of the processors; memory is the most that the process had in use. The second: the examples without a cache, with each optimisation
//! switched off. Work is counted by the solver, so it is the same on every machine.

mod generate;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::usage::{Usage, usage};
use crate::commands;
use crate::system::{self, Outcome};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// What is switched off.
const SWITCHES: [&[&str]; 4] = [&[], &["--no-split"], &["--no-focus"], &["--no-commute"]];

const EXAMPLES: [&str; 4] = ["simple_lock", "apprentice", "vector", "readers_writer"];

/// Units of work for each procedure, more than any needs.
const WORK: &str = "1000000000";

pub fn contracts(args: &[&str]) -> Outcome<()> {
    let (mut most, mut jobs, mut binary) = (10_000, None, None);
    let mut rest = args.iter();
    while let Some(&arg) = rest.next() {
        let value = rest.next().copied().ok_or(format!("{arg} needs a value"))?;
        match arg {
            "--functions" => most = value.parse().map_err(|_| "--functions needs a number")?,
            "--jobs" => jobs = Some(value.to_owned()),
            "--binary" => binary = Some(PathBuf::from(value)),
            _ => return Err(format!("unknown option `{arg}` of `bench contracts`")),
        }
    }
    system::provide_c_preprocessor()?;
    let binary = binary.map_or_else(commands::release_binary, Ok)?;
    let jobs: Vec<String> = jobs.into_iter().flat_map(|jobs| ["--jobs".into(), jobs]).collect();
    growth(&binary, most, &jobs)?;
    optimisations(&binary)
}

fn growth(binary: &Path, most: usize, jobs: &[String]) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("selvedge-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!(
        "functions | obligations | first run: clock, processors, memory |    again: both    | \
         after an edit: both, checked"
    );
    let outcome = SIZES.into_iter().filter(|size| *size <= most).try_for_each(|size| {
        let cache = folder.join(format!("cache{size}"));
        let run = |edited| grown(binary, &folder, &cache, jobs, (size, edited));
        let (first, again, edited) = (run(false)?, run(false)?, run(true)?);
        println!(
            "{size:>9} | {:>11} | {:>8.2} s {:>8.2} s {:>7} MiB | {:>7.2} s {:>7.2} s | {:>7.2} s \
             {:>7.2} s {:>4}",
            first.obligations,
            first.seconds,
            first.processors,
            first.mebibytes,
            again.seconds,
            again.processors,
            edited.seconds,
            edited.processors,
            edited.checked
        );
        Ok(())
    });
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn grown(
    binary: &Path,
    folder: &Path,
    cache: &Path,
    jobs: &[String],
    (functions, edited): (usize, bool),
) -> Outcome<Measured> {
    let file = folder.join("module.c");
    fs::write(&file, generate::module(functions, edited))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new(binary);
    command.args(["contracts", "--format", "json", "--library", "--time", "0", "--cache"]);
    command.arg(cache).args(jobs).arg(&file);
    let measured = measure(&mut command)?;
    match measured.proved {
        true => Ok(measured),
        false => Err(format!("not all was proved of a module of {functions} functions")),
    }
}

fn optimisations(binary: &Path) -> Outcome<()> {
    println!("\nexample        | switched off | obligations | questions |     work | seconds");
    for example in EXAMPLES {
        for switch in SWITCHES {
            let mut command = Command::new(binary);
            command.current_dir(system::root()).args(["contracts", "--format", "json"]);
            command.args(["--no-cache", "--jobs", "1", "--work", WORK]).args(switch);
            command.arg(format!("examples/contracts/{example}.c"));
            let Measured { obligations, questions, work, seconds, .. } = measure(&mut command)?;
            let off = switch.first().map_or("", |switch| switch.trim_start_matches("--no-"));
            println!(
                "{example:<14} | {off:<12} | {obligations:>11} | {questions:>9} | {work:>8} | {seconds:>5.2}"
            );
        }
    }
    Ok(())
}

struct Measured {
    obligations: usize,
    proved: bool,
    checked: u64,
    questions: u64,
    work: u64,
    seconds: f64,
    processors: f64,
    mebibytes: u64,
}

fn measure(command: &mut Command) -> Outcome<Measured> {
    let Usage { stdout, seconds, processors, mebibytes } = usage(command)?;
    let report: Value =
        serde_json::from_slice(&stdout).map_err(|error| format!("Selvedge's report: {error}"))?;
    let obligations = report["obligations"].as_array().ok_or("no obligations")?;
    let sum = |field: &str| {
        let parts = report["parts"].as_array().into_iter().flatten();
        parts.filter_map(|part| part[field].as_u64()).sum()
    };
    Ok(Measured {
        obligations: obligations.len(),
        proved: obligations.iter().all(|o| o["outcome"] == "proved") && !obligations.is_empty(),
        checked: report["checked"].as_u64().ok_or("no number of checks")?,
        questions: sum("questions"),
        work: sum("work"),
        seconds,
        processors,
        mebibytes,
    })
}
