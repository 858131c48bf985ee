//! `cargo xtask bench cover`: thread transition systems of growing size, with and without passive
//! updates; the time that covering takes, and how many elements and bounds it takes.
//!
//! The family: any number of threads go through K locks hand over hand, taking the next before they
//! give the last one back. The shared state says which locks are taken, so there are 2^K of them.
//! With passive updates, whoever waits may be sent one lock back when a lock is given back. The
//! target is that two threads have passed the last lock; it is not covered. In the broken system
//! the last lock can be taken twice, and it is. The time is that of the search and the check of its
//! evidence, as the tool itself reports it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::commands;
use crate::system::{self, Outcome};

const MOST_LOCKS: u32 = 12;

const SECONDS: &str = "120";

pub fn run(args: &[&str]) -> Outcome<()> {
    let most = match args {
        [] => MOST_LOCKS - 1,
        ["--locks", number] => {
            let number = number.parse().ok().filter(|n| (1..=MOST_LOCKS).contains(n));
            number.ok_or(format!("--locks needs a number from 1 to {MOST_LOCKS}"))?
        }
        _ => return Err("usage: cargo xtask bench cover [--locks N]".into()),
    };
    let binary = commands::release_binary()?;
    let folder = std::env::temp_dir().join(format!("selvedge-bench-cover-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!(
        "      shared  local  transi-  passive |      correct: elements, |  broken: elements,"
    );
    println!("locks states states    tions  updates |       bounds and time   |           time");
    let outcome = (1..=most).try_for_each(|locks| {
        [false, true].iter().try_for_each(|passive| row(&binary, &folder, locks, *passive))
    });
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn row(binary: &Path, folder: &Path, locks: u32, passive: bool) -> Outcome<()> {
    let correct = System { locks, passive, broken: false };
    let broken = System { broken: true, ..correct };
    let text = correct.text();
    let transitions = text.lines().count() - 1;
    let proof = measure(binary, folder, correct, "SAFE")?;
    let run = measure(binary, folder, broken, "UNSAFE")?;
    let with = if passive { "yes" } else { "no" };
    println!(
        "{locks:>5} {:>6} {:>6} {transitions:>8}  {with:>7} | {:>7} {:>7} {:>6.2} s | {:>6} {:>6.2} s",
        correct.shared(),
        correct.locals(),
        proof.elements,
        proof.bounds,
        proof.seconds,
        run.elements,
        run.seconds
    );
    Ok(())
}

struct Measured {
    elements: u64,
    bounds: usize,
    seconds: f64,
}

fn measure(binary: &Path, folder: &Path, system: System, expected: &str) -> Outcome<Measured> {
    let file = folder.join("system.tts");
    fs::write(&file, system.text()).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new(binary);
    command.current_dir(system::root()).args(["cover", "--format", "json", "--time", SECONDS]);
    let done = command.args(["--target", &system.target()]).arg(&file).output();
    let done = done.map_err(|error| format!("cannot run Selvedge: {error}"))?;
    let report: Value = serde_json::from_slice(&done.stdout)
        .map_err(|error| format!("Selvedge's report: {error}"))?;
    if report["verdict"] != expected {
        return Err(format!("{expected} was expected:\n{report:#}"));
    }
    Ok(Measured {
        elements: report["search"]["elements"].as_u64().ok_or("no number of elements")?,
        bounds: report["bounds"].as_array().map_or(0, Vec::len),
        seconds: report["search"]["seconds"].as_f64().ok_or("no time")?,
    })
}

#[derive(Clone, Copy)]
struct System {
    locks: u32,
    passive: bool,
    broken: bool,
}

impl System {
    fn shared(self) -> u32 {
        1 << self.locks
    }

    /// Two for each lock, before taking it and with it; and one behind the last.
    fn locals(self) -> u32 {
        2 * self.locks + 1
    }

    fn target(self) -> String {
        let last = self.locals() - 1;
        format!("{}|{last},{last}", 1 << (self.locks - 1))
    }

    fn text(self) -> String {
        let mut text = format!("{} {}\n", self.shared(), self.locals());
        for taken in 0..self.shared() {
            (0..self.locks).for_each(|lock| self.pass(&mut text, taken, lock));
            let last = 1 << (self.locks - 1);
            if taken & last != 0 {
                self.line(&mut text, (taken, self.locals() - 1), (taken & !last, 0), 1);
            }
        }
        text
    }

    /// Taking a lock, and giving back the one before it.
    fn pass(self, text: &mut String, taken: u32, lock: u32) {
        let bit = 1 << lock;
        let before = bit >> 1;
        if taken & before != before {
            return;
        }
        let twice = self.broken && lock == self.locks - 1;
        if taken & bit == 0 || twice {
            let _ = writeln!(text, "{taken} {} -> {} {}", 2 * lock, taken | bit, 2 * lock + 1);
        }
        if taken & bit != 0 {
            let to = (taken & !before, 2 * lock + 2);
            self.line(text, (taken, 2 * lock + 1), to, 2 * lock);
        }
    }

    /// A transition; with passive updates, `waiting` threads stay or go one lock back.
    fn line(self, text: &mut String, from: (u32, u32), to: (u32, u32), waiting: u32) {
        let _ = write!(text, "{} {} -> {} {}", from.0, from.1, to.0, to.1);
        if self.passive && waiting > 0 {
            let back = waiting.saturating_sub(2);
            let _ = write!(text, " {waiting} ~> {waiting} {waiting} ~> {back}");
        }
        text.push('\n');
    }
}
