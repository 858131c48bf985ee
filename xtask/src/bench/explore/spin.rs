//! SPIN on `bench/bluetooth.pml`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Measured, timed};
use crate::system::{self, Outcome};

/// What SPIN was asked to do, for the reader of the table.
pub const SETTINGS: &str = "\
SPIN: `spin -a`, then `gcc -O2 -DSAFETY -DNOCLAIM`, partial-order reduction on, depth bound far
above the deepest state, hash table sized for the number of states. State compression (-DCOLLAPSE)
is off: these states fit into memory, and it costs half as much time again.";

/// SPIN tells its time in hundredths.
pub const CLOCK_SECONDS: f64 = 0.01;

pub fn run(workers: u32) -> Outcome<Measured> {
    let folder = std::env::temp_dir().join(format!("selvedge-spin-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured = run_in(&folder, workers);
    let removed = fs::remove_dir_all(&folder).map_err(|error| error.to_string());
    measured.and_then(|measured| removed.map(|()| measured))
}

fn run_in(folder: &Path, workers: u32) -> Outcome<Measured> {
    let model = system::root().join("bench").join("bluetooth.pml");
    let (report, total_seconds) = timed(|| {
        let define = format!("-DWORKERS={workers}");
        system::output(Command::new("spin").current_dir(folder).args([&define, "-a"]).arg(&model))?;
        system::output(
            Command::new("gcc")
                .current_dir(folder)
                .args(["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=12288"])
                .args(["-o", "pan", "pan.c"]),
        )?;
        // About 6^n states: a table of 2^(2n + 10) slots is neither crowded nor slow to clear.
        let slots = format!("-w{}", 10 + 2 * workers);
        system::output(
            Command::new(folder.join("pan")).current_dir(folder).args(["-m10000", &slots]),
        )
    })?;
    if !report.contains("errors: 0") || report.contains("Search not completed") {
        return Err(format!("SPIN did not prove the model for {workers} workers:\n{report}"));
    }
    Ok(Measured {
        states: number_before(&report, " states, stored").ok_or("SPIN reports no states")? as u64,
        search_seconds: elapsed(&report).ok_or("SPIN reports no time")?,
        total_seconds,
    })
}

fn number_before(report: &str, mark: &str) -> Option<f64> {
    let line = report.lines().find(|line| line.contains(mark))?;
    line.split(mark).next()?.trim().parse().ok()
}

fn elapsed(report: &str) -> Option<f64> {
    let rest = report.split("elapsed time ").nth(1)?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "State-vector 60 byte, depth reached 55, errors: 0\n   \
        597374 states, stored\n  2337390 states, matched\n\npan: elapsed time 0.45 seconds\n";

    #[test]
    fn reads_spins_report() {
        assert_eq!(number_before(REPORT, " states, stored"), Some(597374.0));
        assert_eq!(elapsed(REPORT), Some(0.45));
        assert_eq!(elapsed("pan: out of memory"), None);
    }
}
