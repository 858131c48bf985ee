//! What `contexts` is measured on: a row for each program, a column for each number of contexts. A cell
//! has the seconds that processors worked for the whole command; `>60` where not all was covered within
//! so many seconds. Larger programs and more contexts are left out behind such a cell.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::programs::{Shape, program};
use super::{Engine, Table, Wanted, write_program};
use crate::bench::usage::{Usage, usage};
use crate::system::Outcome;

pub const CONTEXTS: Engine = Engine {
    name: "contexts",
    arguments: &["--engine", "contexts", "--property", "assert", "--unwind", "1"],
    series: &[
        (Shape::Lists, &[2, 4, 8, 16, 32]),
        (Shape::Common, &[2, 4, 8, 16, 32]),
        (Shape::Scalars, &[2, 4, 8, 16, 32]),
    ],
    table: Table::Contexts(&[1, 2, 3, 4, 5]),
};

pub fn table(wanted: &Wanted<'_>, binary: &Path, folder: &Path, contexts: &[u32]) -> Outcome<()> {
    print!("{:<16} {:>5}", "program", "lines");
    contexts.iter().for_each(|k| print!(" {:>8}", format!("K={k}")));
    println!();
    for (shape, sizes) in wanted.engine.series {
        if wanted.shape.is_some_and(|name| name != shape.name()) {
            continue;
        }
        let mut most = contexts.len();
        for &size in *sizes {
            let text = program(*shape, size);
            if text.lines().count() > wanted.lines || most == 0 {
                break;
            }
            print!("{:<16} {:>5}", format!("{} of {size}", shape.name()), text.lines().count());
            let file = write_program(folder, &text)?;
            for (index, k) in contexts[..most].iter().enumerate() {
                let cell = measure(wanted, binary, &file, *k)?;
                print!(" {:>8}", shown(cell, wanted.time));
                if cell.is_none() {
                    most = index;
                    break;
                }
            }
            println!();
        }
    }
    Ok(())
}

/// The seconds; none where not all was covered.
fn measure(wanted: &Wanted<'_>, binary: &Path, file: &Path, contexts: u32) -> Outcome<Option<f64>> {
    let mut verify = Command::new(binary);
    verify.arg("verify").args(wanted.engine.arguments).args(["--contexts", &contexts.to_string()]);
    verify.args(["--format", "json", "--time", wanted.time]);
    let Usage { stdout, processors, .. } = usage(verify.arg(file))?;
    let report: Value =
        serde_json::from_slice(&stdout).map_err(|error| format!("Selvedge's report: {error}"))?;
    if report["verdict"] == "UNSAFE" {
        return Err(format!("the assertions of {} hold", file.display()));
    }
    Ok(covered(&report, contexts).then_some(processors))
}

/// Whether the answer covers so many contexts.
fn covered(report: &Value, contexts: u32) -> bool {
    let bound = report["stop"]["kind"] == "bound" && report["stop"]["grows"] != true;
    let reason = report["reason"].as_str().unwrap_or_default();
    bound && reason.contains(&format!("within {contexts} context"))
}

fn shown(seconds: Option<f64>, limit: &str) -> String {
    seconds.map_or(format!(">{limit}"), |seconds| format!("{seconds:.1}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_asked_for_is_covered() {
        let report = |reason: &str| json!({"stop": {"kind": "bound"}, "reason": reason});
        let full = report("bound reached: no violation within 3 contexts for each thread");
        assert!(covered(&full, 3) && !covered(&full, 4));
        assert!(!covered(&json!({"stop": {"kind": "time"}, "reason": "time limit"}), 1));
        assert_eq!(shown(None, "60"), ">60");
        assert_eq!(shown(Some(1.25), "60"), "1.2");
    }
}
