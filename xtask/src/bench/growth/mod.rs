//! `cargo xtask bench growth`: what an engine costs on programs of growing size.
//!
//! Each series is one shape of program (`programs.rs`) in several sizes. A row has the lines of the
//! program, the answer, the seconds that processors worked for the whole command, and the most memory
//! that it had in use. Of the seconds, `rounds` are those of the engine's rounds, as a share of the
//! time by the clock; `certify` is what a second command takes to check the certificate. The rest is
//! for reading the program and for what is done before the first round. `times` is the growth of the
//! seconds since the row above, for as many times the lines.
//!
//! An engine that covers bounds instead of proving has a table of its own (`contexts.rs`). Another
//! engine joins with a file like `tar.rs` and a line in `ENGINES`.

mod contexts;
mod pairs;
mod programs;
mod tar;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::usage::{Usage, usage};
use crate::commands;
use crate::system::{self, Outcome};
use programs::{Shape, program};

/// How an engine is called, and on what.
struct Engine {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The shapes, each with the numbers of parts.
    series: &'static [(Shape, &'static [usize])],
    table: Table,
}

/// What is told of each program.
#[derive(Clone, Copy)]
enum Table {
    Proofs,
    /// The time for each of these numbers of contexts.
    Contexts(&'static [u32]),
}

const ENGINES: &[Engine] = &[tar::TAR, contexts::CONTEXTS];

/// What is measured.
struct Wanted<'a> {
    engine: &'static Engine,
    shape: Option<&'a str>,
    /// The most lines of a program.
    lines: usize,
    /// Seconds for one program.
    time: &'a str,
    binary: Option<PathBuf>,
}

pub fn growth(args: &[&str]) -> Outcome<()> {
    let wanted = read(args)?;
    system::provide_c_preprocessor()?;
    let binary = wanted.binary.clone().map_or_else(commands::release_binary, Ok)?;
    let folder = std::env::temp_dir().join(format!("selvedge-growth-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let outcome = match wanted.engine.table {
        Table::Proofs => proofs(&wanted, &binary, &folder),
        Table::Contexts(numbers) => contexts::table(&wanted, &binary, &folder, numbers),
    };
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn read<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let mut wanted =
        Wanted { engine: &ENGINES[0], shape: None, lines: 4_000, time: "120", binary: None };
    let mut rest = args;
    if let [name, more @ ..] = args
        && !name.starts_with("--")
    {
        let engine = ENGINES.iter().find(|engine| engine.name == *name);
        wanted.engine = engine.ok_or_else(|| format!("no series of programs for `{name}`"))?;
        rest = more;
    }
    for pair in rest.chunks(2) {
        match *pair {
            ["--shape", name] => wanted.shape = Some(name),
            ["--lines", most] => {
                wanted.lines = most.parse().map_err(|_| "--lines needs a number")?;
            }
            ["--time", seconds] => wanted.time = seconds,
            ["--binary", file] => wanted.binary = Some(PathBuf::from(file)),
            [other, ..] => return Err(format!("bad use of `{other}` in `bench growth`")),
            [] => {}
        }
    }
    let is_known = |name| wanted.engine.series.iter().any(|(shape, _)| shape.name() == name);
    match wanted.shape.filter(|name| !is_known(*name)) {
        Some(name) => Err(format!("no shape is called `{name}`")),
        None => Ok(wanted),
    }
}

fn proofs(wanted: &Wanted<'_>, binary: &Path, folder: &Path) -> Outcome<()> {
    println!(
        "{:<16} {:>5}  {:<8} {:>8} {:>6} {:>6} {:>8} {:>8} {:>11}",
        "program", "lines", "answer", "seconds", "times", "MiB", "rounds", "certify", "obligations"
    );
    for (shape, sizes) in wanted.engine.series {
        if wanted.shape.is_some_and(|name| name != shape.name()) {
            continue;
        }
        let mut before: Option<f64> = None;
        for &size in *sizes {
            let text = program(*shape, size);
            if text.lines().count() > wanted.lines {
                break;
            }
            let row = measure(wanted, binary, folder, &text)?;
            let times = before.map_or("-".to_owned(), |b| format!("{:.1}", row.processors / b));
            println!(
                "{:<16} {:>5}  {:<8} {:>8.2} {times:>6} {:>6} {:>8.2} {:>8.2} {:>11}",
                format!("{} of {size}", shape.name()),
                text.lines().count(),
                row.verdict,
                row.processors,
                row.mebibytes,
                row.rounds,
                row.certify,
                row.obligations
            );
            before = Some(row.processors.max(0.01));
            if row.verdict != "SAFE" {
                // Larger ones would take as long.
                break;
            }
        }
    }
    Ok(())
}

fn write_program(folder: &Path, text: &str) -> Outcome<PathBuf> {
    let file = folder.join("program.c");
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

struct Row {
    verdict: String,
    processors: f64,
    mebibytes: u64,
    rounds: f64,
    certify: f64,
    obligations: String,
}

fn measure(wanted: &Wanted<'_>, binary: &Path, folder: &Path, text: &str) -> Outcome<Row> {
    let (file, certificate) = (write_program(folder, text)?, folder.join("certificate.json"));
    let mut verify = Command::new(binary);
    verify.arg("verify").args(wanted.engine.arguments);
    verify.args(["--format", "json", "--time", wanted.time, "--certificate"]);
    let Usage { stdout, seconds, processors, mebibytes } =
        usage(verify.arg(&certificate).arg(&file))?;
    let report: Value =
        serde_json::from_slice(&stdout).map_err(|error| format!("Selvedge's report: {error}"))?;
    let verdict = report["verdict"].as_str().unwrap_or("none").to_owned();
    let mut certify = 0.0;
    if verdict == "SAFE" {
        certify = usage(Command::new(binary).arg("certify").arg(&certificate))?.processors;
    }
    let rounds = seconds_of_rounds(&report) / seconds.max(0.01) * processors;
    let obligations = obligations(&report);
    Ok(Row { verdict, processors, mebibytes, rounds, certify, obligations })
}

fn seconds_of_rounds(report: &Value) -> f64 {
    let rounds = report["rounds"].as_array().into_iter().flatten();
    rounds.filter_map(|round| round["seconds"].as_f64()).sum()
}

/// The number in front of the word, as the reason has it.
fn obligations(report: &Value) -> String {
    let reason = report["reason"].as_str().unwrap_or_default();
    let words: Vec<&str> = reason.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "obligations");
    at.and_then(|at| words.get(at.checked_sub(1)?)).map_or("-".to_owned(), |n| (*n).to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_are_read() {
        let report = json!({
            "reason": "race: proved, 1,579 obligations certified",
            "rounds": [{"seconds": 1.5}, {"seconds": 2.0}],
        });
        assert_eq!(obligations(&report), "1,579");
        assert!((seconds_of_rounds(&report) - 3.5).abs() < 1e-9);
        assert_eq!(obligations(&Value::Null), "-");
    }

    #[test]
    fn arguments_are_checked() {
        assert!(read(&["tar", "--shape", "flags", "--lines", "500"]).is_ok());
        for wrong in [&["nobody"][..], &["--shape", "star"], &["--lines", "many"], &["--time"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
