//! What a command uses: time by the clock and of the processors, and memory.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::system::Outcome;

/// How often a process is asked how much memory it has.
const LOOK: Duration = Duration::from_millis(5);

/// What a command has printed and used.
pub struct Usage {
    pub stdout: Vec<u8>,
    /// By the clock.
    pub seconds: f64,
    pub processors: f64,
    pub mebibytes: u64,
}

/// Runs a command to its end.
pub fn usage(command: &mut Command) -> Outcome<Usage> {
    let start = Instant::now();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let child = child.map_err(|error| format!("cannot run Selvedge: {error}"))?;
    let id = child.id();
    let reader = std::thread::spawn(move || child.wait_with_output());
    let (mut mebibytes, mut processors) = (0, 0.0f64);
    while !reader.is_finished() {
        mebibytes = mebibytes.max(most_memory(id).unwrap_or(0));
        processors = processors.max(time_of_processors(id).unwrap_or(0.0));
        std::thread::sleep(LOOK);
    }
    let seconds = start.elapsed().as_secs_f64();
    let done = reader.join().map_err(|_| "the reader of Selvedge's report panicked")?;
    let done = done.map_err(|error| format!("cannot run Selvedge: {error}"))?;
    Ok(Usage { stdout: done.stdout, seconds, processors, mebibytes })
}

/// The most memory that a process has had, as Linux tells it.
fn most_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes / 1024)
}

/// The seconds that processors have worked for a process, as Linux tells it in hundredths.
fn time_of_processors(process: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may have blanks; behind it are the state and then numbers.
    let numbers: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |index: usize| numbers.get(index)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
