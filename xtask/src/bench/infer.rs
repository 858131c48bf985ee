//! `cargo xtask bench infer`: annotations that people wrote, taken out of programs and looked for.
//!
//! For each program: lines of code, clauses that its author wrote, clauses that are found, how many of
//! the author's are among them word for word, the checks of the program that are proved with them and
//! those that are not, and seconds by the clock. Conditions joined by `||` and requirements joined by
//! `&&` are counted one by one. What is found differs from what was written where the checks of the
//! program need less, so the column of checks is the one that matters. Words behind the command choose
//! programs; `--binary PATH` before them takes another binary than that of a release build.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::timed;
use crate::commands;
use crate::system::{self, Outcome};

/// Programs, each with the properties that are checked.
const PROGRAMS: &[(&str, &str)] = &[
    ("examples/contracts/simple_lock.c", "assert"),
    ("examples/contracts/apprentice.c", "assert"),
    ("examples/contracts/readers_writer.c", "assert"),
    ("examples/contracts/vector.c", "assert,memory"),
    ("examples/conform/counters.c", "assert"),
    ("examples/conform/bluetooth.c", "assert"),
    ("examples/conform/battery.c", "assert"),
    ("examples/tar/simple_lock.c", "assert"),
    ("examples/tar/producer_consumer.c", "assert"),
    ("examples/tar/time_varying_lock.c", "assert"),
    ("examples/tar/drivers/uart.c", "assert"),
    ("examples/tar/drivers/radio.c", "assert"),
    ("examples/tar/drivers/ether.c", "assert"),
    ("examples/tar/drivers/sensor.c", "assert"),
];

/// Seconds for one program.
const TIME: &str = "300";

pub fn infer(args: &[&str]) -> Outcome<()> {
    system::provide_c_preprocessor()?;
    let (binary, args) = match args {
        ["--binary", path, rest @ ..] => (PathBuf::from(path), rest),
        _ => (commands::release_binary()?, args),
    };
    println!(
        "{:<34} {:>5} {:>7} {:>5} {:>8} {:>6} {:>4} {:>8}",
        "program", "lines", "written", "found", "the same", "proved", "open", "seconds"
    );
    for (program, properties) in PROGRAMS {
        if args.is_empty() || args.iter().any(|part| program.contains(part)) {
            println!("{}", measure(&binary, program, properties)?);
        }
    }
    Ok(())
}

fn measure(binary: &Path, program: &str, properties: &str) -> Outcome<String> {
    let text = std::fs::read_to_string(program).map_err(|error| format!("{program}: {error}"))?;
    let written = clauses(&text);
    let folder = PathBuf::from("target/infer");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = Path::new(program);
    let copy = folder.join(path.file_name().unwrap_or_default());
    std::fs::write(&copy, stripped(&text)).map_err(|error| error.to_string())?;
    let mut command = Command::new(binary);
    command.args(["infer", "--format", "json", "--time", TIME, "--property", properties]);
    command.arg("-I").arg(path.parent().unwrap_or(Path::new("."))).arg(&copy);
    let (output, seconds) = timed(|| command.output().map_err(|error| error.to_string()))?;
    let name = program.trim_start_matches("examples/").trim_end_matches(".c");
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) else {
        let why = String::from_utf8_lossy(&output.stderr);
        let why = why.lines().last().unwrap_or_default();
        return Ok(format!("{name:<34} {lines:>5} {:>7}  {why}", written.len()));
    };
    let list = |field: &str| answer[field].as_array().cloned().unwrap_or_default();
    let found: Vec<String> = list("annotations")
        .iter()
        .filter_map(|annotation| annotation["clause"].as_str())
        .flat_map(parts)
        .collect();
    let same = same(&written, &found);
    Ok(format!(
        "{name:<34} {lines:>5} {:>7} {:>5} {same:>8} {:>6} {:>4} {seconds:>8.1}",
        written.len(),
        found.len(),
        answer["proved_checks"],
        list("not_proved").len(),
    ))
}

/// How many of the clauses are among others, each counted once.
fn same(written: &[String], found: &[String]) -> usize {
    let mut left: Vec<&String> = found.iter().collect();
    let mut count = 0;
    for clause in written {
        if let Some(at) = left.iter().position(|other| *other == clause) {
            left.remove(at);
            count += 1;
        }
    }
    count
}

/// The text without comments that begin with `@`.
fn stripped(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((at, end)) = comment(rest) {
        kept.push_str(&rest[..at]);
        rest = &rest[end..];
    }
    kept + rest
}

/// The first comment that begins with `@`.
fn comment(text: &str) -> Option<(usize, usize)> {
    let block = text.find("/*@");
    let line = text.find("//@");
    let at = block.into_iter().chain(line).min()?;
    let closing = if block == Some(at) { "*/" } else { "\n" };
    let length = text[at..]
        .find(closing)
        .map_or(text.len() - at, |end| end + if closing == "\n" { 0 } else { closing.len() });
    Some((at, at + length))
}

/// All clauses of a text, in parts.
fn clauses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((at, end)) = comment(rest) {
        let inside = rest[at + 3..end].trim_end_matches("*/");
        match inside.contains("abstract_thread") {
            true => {
                let threads = inside.matches("abstract_thread ").count();
                found.extend((0..threads).map(|_| "abstract_thread".to_owned()));
            }
            false => found.extend(split(inside).iter().flat_map(|clause| parts(clause))),
        }
        rest = &rest[end..];
    }
    found
}

/// The clauses of a comment. A `;` behind a quantified variable ends none.
fn split(comment: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in comment.split(';') {
        let continues = found.last().is_some_and(|last| {
            last.contains("\\forall") && !last.contains(';')
                || last.trim().starts_with("action:") && !last.contains("ensures")
        });
        match found.last_mut() {
            Some(last) if continues => *last = format!("{last};{piece}"),
            _ if piece.trim().is_empty() => {}
            _ => found.push(piece.to_owned()),
        }
    }
    found
}

/// A clause in parts, with blanks and bound variables made equal.
fn parts(clause: &str) -> Vec<String> {
    let clause = clause.split_whitespace().collect::<Vec<_>>().join(" ");
    let clause = renamed(clause.trim().trim_end_matches(';'));
    let Some((word, formula)) = clause.split_once(' ') else { return vec![clause] };
    let sign = match word {
        "unwritable_by_env_if" => " || ",
        "requires" | "global_invariant" if !formula.contains("==>") => " && ",
        _ => return vec![clause],
    };
    match formula.contains("\\forall") {
        true => vec![clause.clone()],
        false => formula.split(sign).map(|part| format!("{word} {part}")).collect(),
    }
}

/// With `p` for the variable of `\forall struct s *v`.
fn renamed(clause: &str) -> String {
    let bound = clause.split_once("\\forall ").and_then(|(_, rest)| rest.split_once(';'));
    let name = bound.and_then(|(declared, _)| declared.rsplit('*').next()).map(str::trim);
    match name {
        Some(name) if !name.is_empty() => {
            clause.replace(&format!("*{name};"), "*p;").replace(&format!("{name}->"), "p->")
        }
        _ => clause.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_taken_out_and_counted() {
        let text = "int x; //@ unwritable_by_env_if a || b;\n/*@ requires p != 0 && q;\n modifies x;\n\
                    action: also_modifies y; ensures y' == 1; */\nint f;\n\
                    /*@ global_invariant \\forall struct s *v; v->n >= 0; */";
        assert_eq!(stripped(text), "int x; \n\nint f;\n");
        let expected = [
            "unwritable_by_env_if a",
            "unwritable_by_env_if b",
            "requires p != 0",
            "requires q",
            "modifies x",
            "action: also_modifies y; ensures y' == 1",
            "global_invariant \\forall struct s *p; p->n >= 0",
        ];
        assert_eq!(clauses(text), expected);
    }
}
