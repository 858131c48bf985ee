//! `cargo xtask bench tar`: Table 2 of the paper on Thread-Modular Abstraction Refinement, re-made,
//! and race checks on driver code with any number of clients.
//!
//! Outer iterations are the times that the environment assumptions were emptied, inner ones the
//! times that they grew in the last of these; queries are questions to the solver. Lines are those
//! that are neither empty nor only a comment. Times are by the clock and of the whole command, with
//! the check of the certificate or the replay of the trace.

use std::path::Path;
use std::process::Command;

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
    command.args(["verify", "--engine", "tar", "--property", "race", "--log"]);
    command.args(["--time", TIME, file]);
    let (output, seconds) =
        timed(|| command.output().map_err(|error| format!("cannot run Selvedge: {error}")))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = told.lines().last().unwrap_or_default();
    let verdict = last.strip_prefix("verdict: ").unwrap_or("none");
    let verdict = verdict.split_whitespace().next().unwrap_or("none").to_owned();
    let round = log.lines().rfind(|line| line.starts_with("round ")).unwrap_or_default();
    let number = |name: &str| {
        let rest = round.split_once(&format!("{name} ")).map_or("", |(_, rest)| rest);
        rest.chars().take_while(char::is_ascii_digit).collect::<String>()
    };
    let open = |line: &&str| line.starts_with("open: ") || line.starts_with("verdict: UNKNOWN");
    let open = told.lines().filter(open).map(str::to_owned).collect();
    let text = std::fs::read_to_string(system::root().join(file)).map_err(|e| e.to_string())?;
    Ok(Row {
        lines: code_lines(&text),
        verdict,
        outer: number("round"),
        inner: number("inner"),
        queries: number("queries"),
        seconds,
        open,
    })
}

fn code_lines(text: &str) -> usize {
    let comment = |line: &str| ["/*", "*", "//"].iter().any(|start| line.starts_with(start));
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !comment(line)).count()
}
