//! `cargo xtask bench contexts`: the drivers in `examples/drivers`, measured as the paper on STORM
//! measures its drivers (§4.2 there).
//!
//! - *contexts* (its Table 2): the time for 1 to 5 contexts a thread.
//! - *points* (its Table 3): the time for two contexts with fewer and fewer places where threads may
//!   switch. In front of it stands what reduction leaves out: with `--no-reduce`, threads may switch
//!   before every access to shared memory.
//! - *slicing* (its Table 4): how many fields are tracked after how many rounds, and how long that
//!   takes; beside it the time with all fields.
//!
//! A run has a limit; one that exceeds it is shown as `>60`.

mod run;
mod table;

use std::path::{Path, PathBuf};

use crate::commands;
use crate::system::{self, Outcome};
use run::{Measured, Run};
use table::Table;

const DRIVERS: [&str; 8] = [
    "serial",
    "serial_fixed",
    "disk",
    "disk_fixed",
    "battery",
    "battery_fixed",
    "battery_recorder",
    "battery_recorder_fixed",
];

const CONTEXTS: std::ops::RangeInclusive<u32> = 1..=5;

/// Percent of the scheduling points that are kept; the paper removes 0, 40, 80 and 100.
const KEPT: [u32; 4] = [100, 60, 20, 0];

/// Fills a table.
type Measure = fn(&Path, &Plan) -> Outcome<Table>;

struct Plan {
    /// Seconds for one run.
    time: u32,
    unwind: u32,
    /// Files; all drivers where none are named.
    files: Vec<PathBuf>,
    tables: Vec<String>,
}

pub fn contexts(args: &[&str]) -> Outcome<()> {
    let plan = read_plan(args)?;
    system::provide_c_preprocessor()?;
    let binary = commands::release_binary()?;
    println!(
        "Selvedge --engine contexts --unwind {}, at most {} s a run; times in seconds\n",
        plan.unwind, plan.time
    );
    let tables: [(&str, Measure); 3] =
        [("contexts", by_contexts), ("points", by_points), ("slicing", by_slicing)];
    for (name, table) in tables {
        if plan.tables.is_empty() || plan.tables.iter().any(|wanted| wanted == name) {
            println!("{}", table(&binary, &plan)?);
        }
    }
    Ok(())
}

impl Plan {
    fn run<'a>(&self, file: &'a Path, contexts: u32, more: &[&str]) -> Run<'a> {
        let more = more.iter().map(|arg| arg.to_string()).collect();
        Run { file, contexts, unwind: self.unwind, time: self.time, more }
    }
}

fn by_contexts(binary: &Path, plan: &Plan) -> Outcome<Table> {
    let mut table = Table::new("Contexts a thread (as Table 2): time, * where the bug is found");
    let numbers = CONTEXTS.map(|k| k.to_string());
    table.heading(["driver".to_string(), "lines".to_string()].into_iter().chain(numbers));
    for file in &plan.files {
        let mut row = vec![name(file), lines(file)?.to_string()];
        for k in CONTEXTS {
            row.push(plan.run(file, k, &[]).measure(binary)?.cell());
        }
        table.row(row);
    }
    Ok(table)
}

fn by_points(binary: &Path, plan: &Plan) -> Outcome<Table> {
    let mut table = Table::new(
        "Scheduling points, two contexts a thread (as Table 3): time with fewer points, * where the \
         bug is found",
    );
    let removed = KEPT.map(|kept| format!("-{} %", 100 - kept));
    let first = ["driver", "every access", "time", "points"].map(String::from);
    table.heading(first.into_iter().chain(removed));
    for file in &plan.files {
        let every = plan.run(file, 2, &["--slice", "off", "--no-reduce"]).measure(binary)?;
        let mut row = vec![name(file), every.points(), every.cell()];
        for (index, kept) in KEPT.iter().enumerate() {
            let more = ["--slice", "off", "--points", &kept.to_string()];
            let measured = plan.run(file, 2, &more).measure(binary)?;
            if index == 0 {
                row.push(measured.points());
            }
            row.push(measured.cell());
        }
        table.row(row);
    }
    Ok(table)
}

fn by_slicing(binary: &Path, plan: &Plan) -> Outcome<Table> {
    let mut table = Table::new(
        "Slicing, two contexts a thread (as Table 4): fields tracked, rounds, time, * where the bug \
         is found",
    );
    let columns = ["driver", "fields", "tracked", "rounds", "time", "all fields", "ratio"];
    table.heading(columns.map(String::from).into_iter());
    for file in &plan.files {
        let sliced = plan.run(file, 2, &["--slice", "always"]).measure(binary)?;
        let whole = plan.run(file, 2, &["--slice", "off"]).measure(binary)?;
        table.row(vec![
            name(file),
            sliced.fields(),
            sliced.tracked(),
            sliced.rounds.to_string(),
            sliced.cell(),
            whole.cell(),
            ratio(&sliced, &whole),
        ]);
    }
    Ok(table)
}

/// How much longer the second took; a run that was cut short took at least so long.
fn ratio(fast: &Measured, slow: &Measured) -> String {
    match (fast.seconds, slow.seconds) {
        (Some(fast), Some(slow)) => format!("{:.1}", slow / fast),
        (Some(fast), None) => format!(">{:.0}", f64::from(slow.limit) / fast),
        (None, _) => "-".to_string(),
    }
}

fn name(file: &Path) -> String {
    file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
}

/// Lines of the driver itself; other versions of it are the same file with a switch.
fn lines(file: &Path) -> Outcome<usize> {
    let stem = name(file);
    let driver = stem.trim_end_matches("_fixed").trim_end_matches("_recorder");
    let source = file.with_file_name(format!("{driver}.c"));
    let text = std::fs::read_to_string(&source)
        .map_err(|error| format!("{}: {error}", source.display()))?;
    Ok(text.lines().count())
}

fn read_plan(args: &[&str]) -> Outcome<Plan> {
    let mut plan = Plan { time: 60, unwind: 2, files: Vec::new(), tables: Vec::new() };
    let mut only: Vec<&str> = Vec::new();
    let mut rest = args.iter();
    while let Some(&arg) = rest.next() {
        let mut value = || rest.next().copied().ok_or(format!("{arg} needs a value"));
        let number = |text: &str| {
            let number = text.parse::<u32>().ok().filter(|n| *n >= 1);
            number.ok_or(format!("{arg} needs a number, not `{text}`"))
        };
        match arg {
            "--time" => plan.time = number(value()?)?,
            "--unwind" => plan.unwind = number(value()?)?,
            "--only" => only.extend(value()?.split(',')),
            "--table" => plan.tables.extend(value()?.split(',').map(String::from)),
            file if file.ends_with(".c") => plan.files.push(PathBuf::from(file)),
            _ => return Err(format!("unknown option `{arg}` of `bench contexts`")),
        }
    }
    known("table", &plan.tables, &["contexts", "points", "slicing"])?;
    known("driver", &only, &DRIVERS)?;
    if plan.files.is_empty() {
        let folder = system::root().join("examples").join("drivers");
        let wanted = |driver: &&str| only.is_empty() || only.contains(driver);
        let files = DRIVERS.iter().filter(|driver| wanted(driver));
        plan.files = files.map(|driver| folder.join(format!("{driver}.c"))).collect();
    }
    Ok(plan)
}

fn known<T: AsRef<str>>(what: &str, asked: &[T], there: &[&str]) -> Outcome<()> {
    match asked.iter().find(|name| !there.contains(&name.as_ref())) {
        Some(name) => Err(format!("no {what} `{}`; there are {}", name.as_ref(), there.join(", "))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans() {
        let plan = read_plan(&["--time", "5", "--only", "serial,disk_fixed"]).expect("a plan");
        assert_eq!((plan.time, plan.files.len()), (5, 2));
        assert_eq!(read_plan(&[]).expect("a plan").files.len(), DRIVERS.len());
        for wrong in [["--only", "usb"], ["--time", "0"], ["--time", "soon"], ["--table", "two"]] {
            assert!(read_plan(&wrong).is_err(), "{wrong:?}");
        }
        assert!(read_plan(&["--time"]).is_err() && read_plan(&["--fast"]).is_err());
    }

    #[test]
    fn ratios() {
        let of = |seconds| {
            let mut measured = Measured::default();
            (measured.seconds, measured.limit) = (seconds, 60);
            measured
        };
        assert_eq!(ratio(&of(Some(2.0)), &of(Some(5.0))), "2.5");
        assert_eq!(ratio(&of(Some(2.0)), &of(None)), ">30");
        assert_eq!(ratio(&of(None), &of(Some(5.0))), "-");
    }
}
