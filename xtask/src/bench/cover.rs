//! `cargo xtask bench cover`: thread transition systems of growing size, with and without passive
//! updates; the time that covering takes, and the size of the basis.
//!
//! The systems are random, from a fixed seed, in a shape that makes the search work: threads walk
//! through their local states, forwards and sometimes back, and most steps are possible in one
//! shared state only, which they change. Any number of threads start; the target asks for three of
//! them at the far end. The time is that of the search, as the tool itself reports it, with the
//! check of its evidence.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::commands;
use crate::system::{self, Outcome};

/// Shared states, local states, transitions.
const SIZES: [(u64, u64, u64); 8] = [
    (4, 8, 20),
    (6, 12, 40),
    (8, 16, 60),
    (12, 24, 100),
    (16, 32, 150),
    (24, 48, 250),
    (32, 64, 400),
    (64, 128, 1000),
];

/// Of each size there are so many systems; the row shows their sum.
const SYSTEMS: u64 = 5;

const SECONDS: &str = "60";

pub fn run(args: &[&str]) -> Outcome<()> {
    let sizes = match args {
        [] => SIZES.len(),
        ["--sizes", number] => {
            let number = number.parse().ok().filter(|n| (1..=SIZES.len()).contains(n));
            number.ok_or(format!("--sizes needs a number from 1 to {}", SIZES.len()))?
        }
        _ => return Err("usage: cargo xtask bench cover [--sizes N]".into()),
    };
    let binary = commands::release_binary()?;
    let folder = std::env::temp_dir().join(format!("selvedge-bench-cover-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!("{SYSTEMS} systems a row; elements: found in all, basis: left at the end");
    println!("shared local transitions passive | covered not open | elements    basis     time");
    let outcome = SIZES[..sizes].iter().try_for_each(|size| {
        [false, true].iter().try_for_each(|passive| row(&binary, &folder, *size, *passive))
    });
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn row(binary: &Path, folder: &Path, size: (u64, u64, u64), passive: bool) -> Outcome<()> {
    let (shared, locals, transitions) = size;
    let (mut covered, mut not, mut open) = (0, 0, 0);
    let (mut elements, mut basis, mut seconds) = (0, 0, 0.0);
    for seed in 0..SYSTEMS {
        let file = folder.join("system.tts");
        fs::write(&file, generate(size, passive, seed))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let target = format!("{}|{last},{last},{last}", shared - 1, last = locals - 1);
        let mut command = Command::new(binary);
        command.args(["cover", "--format", "json", "--time", SECONDS, "--target", &target]);
        let report = report(command.arg(&file))?;
        match report["verdict"].as_str() {
            Some("SAFE") => not += 1,
            Some("UNSAFE") => covered += 1,
            _ => open += 1,
        }
        elements += report["search"]["elements"].as_u64().unwrap_or(0);
        basis += report["basis"].as_array().map_or(0, Vec::len);
        seconds += report["search"]["seconds"].as_f64().unwrap_or(0.0);
    }
    let with = if passive { "yes" } else { "no" };
    println!(
        "{shared:>6} {locals:>5} {transitions:>11} {with:>7} | {covered:>7} {not:>3} {open:>4} | \
         {elements:>8} {basis:>8} {seconds:>6.2} s"
    );
    Ok(())
}

/// The exit status tells the answer, so only what is no answer is a failure.
fn report(command: &mut Command) -> Outcome<Value> {
    let done = command.output().map_err(|error| format!("cannot run Selvedge: {error}"))?;
    if !matches!(done.status.code(), Some(0..=2)) {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    serde_json::from_slice(&done.stdout).map_err(|error| format!("Selvedge's report: {error}"))
}

fn generate((shared, locals, transitions): (u64, u64, u64), passive: bool, seed: u64) -> String {
    let mut random = Random(seed ^ (shared << 40) ^ (locals << 20) ^ transitions);
    let mut text = format!("{shared} {locals}\n");
    for number in 0..transitions {
        // The first ones make sure that there is a way for a thread through all local states.
        let from = if number + 1 < locals { number } else { random.below(locals) };
        let to = match random.below(4) {
            _ if number + 1 < locals => from + 1,
            0 => random.below(locals),
            _ => (from + 1) % locals,
        };
        let (before, after) = (random.below(shared), random.below(shared));
        let _ = match random.below(if passive { 12 } else { 1 << 32 }) {
            0 => write!(text, "{before} {from} +> {after} {to}"),
            1 => write!(text, "{before} {from} ~> {after} {to}"),
            2..=4 => write!(
                text,
                "{before} {from} -> {after} {to} {p} ~> {} {p} ~> {}",
                random.below(locals),
                random.below(locals),
                p = random.below(locals)
            ),
            _ => write!(text, "{before} {from} -> {after} {to}"),
        };
        text.push('\n');
    }
    text
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}
