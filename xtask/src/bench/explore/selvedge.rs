//! Selvedge on `examples/bluetooth.c`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Measured, timed};
use crate::system::{self, Outcome};

pub fn run(binary: &Path, workers: u32, symmetry: bool) -> Outcome<Measured> {
    let mut command = Command::new(binary);
    command.current_dir(system::root()).args(["verify", "--engine", "explore", "--time", "0"]);
    command.args(["--format", "json", &format!("-DWORKERS={workers}")]);
    if !symmetry {
        command.arg("--no-symmetry");
    }
    command.arg("examples/bluetooth.c");
    let (text, total_seconds) = timed(|| system::output(&mut command))?;
    let report: Value =
        serde_json::from_str(&text).map_err(|error| format!("Selvedge's report: {error}"))?;
    if report["verdict"] != "SAFE" {
        return Err(format!("Selvedge did not prove the program for {workers} workers:\n{text}"));
    }
    let search = &report["rounds"][0];
    Ok(Measured {
        states: search["states"].as_u64().ok_or("Selvedge reports no states")?,
        search_seconds: search["seconds"].as_f64().ok_or("Selvedge reports no time")?,
        total_seconds,
    })
}
