//! `cargo xtask bench explore`: the Bluetooth driver, Selvedge beside SPIN.
//!
//! Both get the same program (`examples/bluetooth.c`, `bench/bluetooth.pml`) with the same number
//! of workers and search it exhaustively, one after the other, on one core each. Two times are
//! shown for each: the search alone, as the tool itself reports it, and everything that a user
//! waits for, by the clock: for SPIN generating, compiling and running the verifier, for Selvedge
//! the one command, with C preprocessing and parsing. Where a run is short, the fastest of three
//! counts, because below a tenth of a second the machine's mood decides.

mod selvedge;
mod spin;

use std::fmt;

use super::timed;
use crate::commands;
use crate::system::{self, Outcome};

/// What one tool did on one size.
struct Measured {
    states: u64,
    search_seconds: f64,
    total_seconds: f64,
}

struct Plan {
    workers: u32,
    spin: bool,
    symmetry_off: bool,
}

pub fn explore(args: &[&str]) -> Outcome<()> {
    let plan = read_plan(args)?;
    system::provide_c_preprocessor()?;
    if plan.spin {
        system::provide_spin()?;
    }
    let binary = commands::release_binary()?;
    println!("{}", heading(&plan));
    let mut slower = Slower::default();
    for workers in 1..=plan.workers {
        let ours = repeated(|| selvedge::run(&binary, workers, true))?;
        let theirs = if plan.spin { Some(repeated(|| spin::run(workers))?) } else { None };
        let plain =
            if plan.symmetry_off { Some(selvedge::run(&binary, workers, false)?) } else { None };
        println!("{}", row(workers, theirs.as_ref(), Some(&ours), plain.as_ref()));
        if let Some(theirs) = theirs {
            slower.compare(workers, &ours, &theirs);
        }
    }
    if plan.spin {
        println!("{}\n{slower}", spin::SETTINGS);
    }
    Ok(())
}

/// The sizes at which Selvedge took longer.
#[derive(Default)]
struct Slower {
    search: Vec<String>,
    total: Vec<String>,
}

impl Slower {
    fn compare(&mut self, workers: u32, ours: &Measured, theirs: &Measured) {
        if ours.search_seconds > theirs.search_seconds + spin::CLOCK_SECONDS {
            self.search.push(workers.to_string());
        }
        if ours.total_seconds > theirs.total_seconds {
            self.total.push(workers.to_string());
        }
    }
}

impl fmt::Display for Slower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = [("search", &self.search), ("total", &self.total)];
        for (index, (time, sizes)) in times.into_iter().enumerate() {
            let end = if index == 0 { "\n" } else { "" };
            match sizes.as_slice() {
                [] => write!(f, "Selvedge's {time} time was never above SPIN's.{end}")?,
                some => {
                    let sizes = some.join(", ");
                    write!(f, "Selvedge's {time} time was above SPIN's for {sizes} workers.{end}")?
                }
            }
        }
        Ok(())
    }
}

fn read_plan(args: &[&str]) -> Outcome<Plan> {
    let mut plan = Plan { workers: 8, spin: true, symmetry_off: false };
    let mut rest = args.iter();
    while let Some(&arg) = rest.next() {
        match arg {
            "--no-spin" => plan.spin = false,
            "--no-symmetry" => plan.symmetry_off = true,
            "--workers" => {
                let number = rest.next().and_then(|n| n.parse().ok()).filter(|n| *n >= 1);
                plan.workers = number.ok_or("--workers needs a number")?;
            }
            _ => return Err(format!("unknown option `{arg}` of `bench explore`")),
        }
    }
    Ok(plan)
}

/// Short runs three times, keeping the fastest.
fn repeated(mut run: impl FnMut() -> Outcome<Measured>) -> Outcome<Measured> {
    let mut best = run()?;
    for _ in 0..2 {
        if best.total_seconds > 2.0 {
            break;
        }
        let next = run()?;
        if next.total_seconds < best.total_seconds {
            best = next;
        }
    }
    Ok(best)
}

fn heading(plan: &Plan) -> String {
    let columns = "     states   search    total";
    let mut first = format!("{:>7}", "");
    let mut second = format!("{:>7}", "workers");
    let mut column = |name: &str| {
        first.push_str(&format!(" | {name:^width$}", width = columns.len()));
        second.push_str(&format!(" | {columns}"));
    };
    if plan.spin {
        column("SPIN");
    }
    column("Selvedge");
    if plan.symmetry_off {
        column("Selvedge --no-symmetry");
    }
    format!("{first}\n{second}")
}

fn row(
    workers: u32,
    spin: Option<&Measured>,
    ours: Option<&Measured>,
    plain: Option<&Measured>,
) -> String {
    let mut line = format!("{workers:>7}");
    for measured in [spin, ours, plain].into_iter().flatten() {
        line.push_str(&format!(
            " | {:>11} {:>6.2} s {:>6.2} s",
            measured.states, measured.search_seconds, measured.total_seconds
        ));
    }
    line
}
