//! The campaign over csmith's programs (Yang, Chen, Eide, Regehr, "Finding and Understanding Bugs
//! in C Compilers", PLDI 2011).
//!
//! Such a program prints a checksum of its global variables at its end. gcc's checksum becomes an
//! assertion in the last call that the program makes, `platform_main_end`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selvedge_ir::Property;

use crate::campaign::{Campaign, in_batches, keep};
use crate::judge::Judged;
use crate::ours::{Question, Said};
use crate::report::{Difference, Report};
use crate::work::Bench;

/// Where csmith's own headers are.
const HEADERS: &str = "/usr/include/csmith";

/// Options that every program has: small, with one argument less to be unknown.
const SMALL: [&str; 8] = [
    "--concise",
    "--no-argc",
    "--max-funcs",
    "4",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "6",
];

/// What differs between programs, by the seed.
const VARIANTS: [&[&str]; 8] = [
    &[],
    &["--no-volatiles", "--builtins", "--builtin-function-prob", "5"],
    &["--no-packed-struct"],
    &["--no-pointers", "--max-funcs", "2"],
    &["--no-jumps", "--no-unions"],
    &["--no-arrays", "--max-struct-fields", "5"],
    &["--no-math64", "--no-longlong"],
    &["--no-bitfields", "--max-block-size", "3"],
];

const GCC: [&str; 6] = [
    "-w",
    "-O0",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-sanitize=alignment",
    "-o",
];
/// Seconds that a real run may take.
const SECONDS: &str = "1";
/// Programs that are tried to make a difference small.
const SHRINKS: usize = 300;

pub fn csmith_programs(campaign: Campaign<'_>) -> Report {
    in_batches(campaign, 1, &|seeds, bench| {
        let mut report = Report::default();
        for seed in seeds {
            one(*seed, campaign.folder, bench, &mut report);
        }
        report
    })
}

fn one(seed: u64, folder: &Path, bench: &Bench, report: &mut Report) {
    report.programs += 1;
    let text = match generated(seed, bench) {
        Ok(text) => text,
        Err(reason) => {
            *report.skipped.entry(reason).or_default() += 1;
            return;
        }
    };
    match judged(&text, bench) {
        Judged::Agree => report.agree += 1,
        Judged::Open(reason) => *report.open.entry(reason).or_default() += 1,
        Judged::Skipped(reason) => *report.skipped.entry(reason).or_default() += 1,
        Judged::Differ(what) => {
            let (program, what) = shrunk(text, what, bench);
            keep(folder, &format!("csmith{seed}.c"), &what, &program);
            report.differences.push(Difference { seed, what, program });
        }
    }
}

/// The program that csmith makes of a seed.
fn generated(seed: u64, bench: &Bench) -> Result<String, String> {
    let variant = VARIANTS[(seed % VARIANTS.len() as u64) as usize];
    let made = Command::new("csmith")
        .args(SMALL)
        .args(variant)
        .args(["--seed", &seed.to_string()])
        // It writes a file about the machine to where it stands.
        .current_dir(bench.folder())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("csmith: {error}"))?;
    match made.status.success() {
        true => Ok(String::from_utf8_lossy(&made.stdout).into_owned()),
        false => Err("csmith made no program".to_owned()),
    }
}

fn judged(text: &str, bench: &Bench) -> Judged {
    let sum = match real_sum(text, bench) {
        Ok(sum) => sum,
        Err(reason) => return Judged::Skipped(reason),
    };
    let checked = text.replace(
        "platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);",
        &format!("assert((crc32_context ^ 0xFFFFFFFFUL) == 0x{sum}UL);"),
    );
    let Ok(file) = bench.file("program.c", &format!("#include <assert.h>\n{checked}")) else {
        return Judged::Skipped("cannot write the program".to_owned());
    };
    let properties = [Property::Assert, Property::Memory, Property::Overflow];
    let include_dirs = [PathBuf::from(HEADERS)];
    let question = Question {
        file: &file,
        properties: &properties,
        include_dirs: &include_dirs,
        execute: true,
    };
    match question.ask() {
        Said::Safe => Judged::Agree,
        Said::Unknown(reason) => Judged::Open(reason),
        other => Judged::Differ(format!("gcc: checksum {sum}; Selvedge: {other:?}")),
    }
}

/// The checksum of a real run that no sanitizer complains about.
fn real_sum(text: &str, bench: &Bench) -> Result<String, String> {
    let file = bench.file("real.c", text).map_err(|error| error.to_string())?;
    let binary = bench.path("real");
    let built = Command::new("gcc")
        .args(GCC)
        .args([&binary, &file])
        .args(["-I", HEADERS])
        .stderr(Stdio::null())
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("gcc does not compile it".to_owned());
    }
    let ran = Command::new("timeout")
        .arg(SECONDS)
        .arg(&binary)
        .env("ASAN_OPTIONS", "detect_leaks=0:symbolize=0:detect_stack_use_after_return=1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err("a real run fails or takes long".to_owned());
    }
    let told = String::from_utf8_lossy(&ran.stdout);
    let sum = told.trim().strip_prefix("checksum = ").map(str::to_owned);
    sum.ok_or_else(|| "no checksum".to_owned())
}

/// Leaves out lines as long as the difference stays.
fn shrunk(text: String, what: String, bench: &Bench) -> (String, String) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (mut what, mut left) = (what, SHRINKS);
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at + size <= lines.len() && left > 0 {
            let mut fewer = lines.clone();
            fewer.drain(at..at + size);
            left -= 1;
            match judged(&fewer.join("\n"), bench) {
                Judged::Differ(found) => (lines, what) = (fewer, found),
                _ => at += size,
            }
        }
        size /= 2;
    }
    (lines.join("\n"), what)
}
