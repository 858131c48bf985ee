//! `cargo xtask bench tar`: Table 2 of the paper on Thread-Modular Abstraction Refinement, re-made,
//! and race checks on driver code with any number of clients.
//!
//! Outer iterations are the times that the environment assumptions were emptied, inner ones the
//! times that they grew in the last of these; queries are questions to the solver. Lines are those
//! that are neither empty nor only a comment. Times are by the clock and of the whole command, with
//! the check of the certificate or the replay of the trace.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::timed;
use crate::commands;
use crate::system::{self, Outcome};

const TABLE: &[(&str, &str)] = &[
    ("simple_lock", "SAFE"),
    ("simple_lock_bug", "UNSAFE"),
    ("producer_consumer", "SAFE"),
    ("producer_consumer_bug", "UNSAFE"),
    ("producer_consumer_plain", "UNSAFE"),
    ("time_varying_lock", "SAFE"),
    ("time_varying_lock_bug", "UNSAFE"),
];

/// Seconds for one program.
const TIME: &str = "60";

/// Seconds that the programs of the table may take together.
const LIMIT: f64 = 10.0;

pub fn tar(args: &[&str]) -> Outcome<()> {
    if let Some(arg) = args.first() {
        return Err(format!("unknown option `{arg}` of `bench tar`"));
    }
    system::provide_c_preprocessor()?;
    let binary = commands::release_binary()?;
    println!(
        "{:<28} {:>5}  {:<8} {:>5} {:>5} {:>8} {:>8}",
        "program", "lines", "answer", "outer", "inner", "queries", "seconds"
    );
    let mut seconds = 0.0;
    for (name, expected) in TABLE {
        let row = measure(&binary, &format!("examples/tar/{name}.c"))?;
        println!("{}", row.line(name));
        if row.verdict != *expected {
            return Err(format!("{name}: {} where {expected} is right", row.verdict));
        }
        seconds += row.seconds;
    }
    println!("together {seconds:.2} s");
    if seconds > LIMIT {
        return Err(format!("the table took longer than {LIMIT} s"));
    }
    drivers(&binary)
}

/// Where driver code is, and which files.
const DRIVERS: &[(&str, &str)] =
    &[("examples/tar/drivers", ""), ("examples", "bluetooth"), ("examples/drivers", "")];

/// Race checks on driver code; what is not decided is shown as it is.
fn drivers(binary: &Path) -> Outcome<()> {
    let (mut lines, mut decided) = (0, 0);
    for (folder, start) in DRIVERS {
        for file in driver_files(folder, start)? {
            let row = measure(binary, &format!("{folder}/{file}"))?;
            println!("{}", row.line(file.trim_end_matches(".c")));
            lines += row.lines;
            if row.verdict != "UNKNOWN" && row.verdict != "none" {
                decided += row.lines;
            }
            for open in &row.open {
                println!("    {open}");
            }
        }
    }
    println!("drivers: {lines} lines, {decided} of them in programs that were decided");
    Ok(())
}

fn driver_files(folder: &str, start: &str) -> Outcome<Vec<String>> {
    let folder = system::root().join(folder);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(start) && name.ends_with(".c")).collect();
    names.sort();
    Ok(names)
}

#[derive(Default)]
struct Row {
    lines: usize,
    verdict: String,
    outer: String,
    inner: String,
    queries: String,
    seconds: f64,
    /// Why there is no answer, and pairs of accesses that were left open.
    open: Vec<String>,
}

impl Row {
    fn line(&self, name: &str) -> String {
        let Row { lines, verdict, outer, inner, queries, seconds, .. } = self;
        format!(
            "{name:<28} {lines:>5}  {verdict:<8} {outer:>5} {inner:>5} {queries:>8} {seconds:>8.2}"
        )
    }
}

fn measure(binary: &Path, file: &str) -> Outcome<Row> {
    let mut command = Command::new(binary);
    command.current_dir(system::root());
    command.args(["verify", "--engine", "tar", "--property", "race", "--format", "json"]);
    command.args(["--time", TIME, file]);
    let (output, seconds) =
        timed(|| command.output().map_err(|error| format!("cannot run Selvedge: {error}")))?;
    let text = std::fs::read_to_string(system::root().join(file)).map_err(|e| e.to_string())?;
    let lines = code_lines(&text);
    // A program that is refused has no report.
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Ok(Row { lines, seconds, ..read(&report) })
}

fn read(report: &Value) -> Row {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let verdict = report["verdict"].as_str().unwrap_or("none").to_owned();
    let reason = (verdict == "UNKNOWN").then(|| word(&report["reason"]));
    let none = Vec::new();
    let pairs = report["races"].as_array().unwrap_or(&none).iter();
    let open = pairs.filter(|pair| pair["result"] == "open").map(|pair| {
        let names = ["memory", "first", "second", "reason"];
        let [memory, first, second, why] = names.map(|name| word(&pair[name]));
        format!("open: {memory}: {first} and {second}: {why}")
    });
    let open = open.chain(reason).collect();
    let last = report["rounds"].as_array().and_then(|rounds| rounds.last());
    let number = |name: &str| last.and_then(|round| round[name].as_u64());
    let number = |name: &str| number(name).map_or("-".to_owned(), |number| number.to_string());
    Row {
        verdict,
        outer: number("round"),
        inner: number("inner"),
        queries: number("queries"),
        open,
        ..Row::default()
    }
}

fn code_lines(text: &str) -> usize {
    let comment = |line: &str| ["/*", "*", "//"].iter().any(|start| line.starts_with(start));
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !comment(line)).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_are_read() {
        let report = json!({
            "verdict": "UNKNOWN", "reason": "time limit of 60 s reached",
            "rounds": [{"round": 1}, {"round": 2, "inner": 3, "queries": 90}],
            "races": [
                {"memory": "x", "first": "a.c:1", "second": "a.c:2", "result": "open",
                 "reason": "too large"},
                {"memory": "y", "first": "a.c:3", "second": "a.c:4", "result": "proved"},
            ],
        });
        let row = read(&report);
        assert_eq!((row.outer, row.inner, row.queries), ("2".into(), "3".into(), "90".into()));
        assert_eq!(row.open, ["open: x: a.c:1 and a.c:2: too large", "time limit of 60 s reached"]);
        assert_eq!(read(&Value::Null).verdict, "none");
    }
}
