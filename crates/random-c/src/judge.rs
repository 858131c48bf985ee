//! What must agree: real executions and sanitizers on one side, Selvedge on the other.
//!
//! - All compilers give the same checksum, and C fixes it: Selvedge's execution ends with it, and
//!   no execution has another or goes wrong.
//! - Compilers differ: an order or a representation that C leaves open. Each checksum that was seen
//!   must be possible where the program leaves an order open, otherwise one of them is ours.
//! - A sanitizer complains: Selvedge must not call the program safe.
//! - Threads: every final state that was seen is reachable; where ThreadSanitizer saw a race, and
//!   where a run hung, Selvedge must not call the program free of races or deadlocks.
//!
//! UNKNOWN is never a difference; its reasons are counted.

use selvedge_ir::Property;

use crate::compilers::{self, Ran};
use crate::generate::{Kind, Source};
use crate::ours::{Question, Said};
use crate::work::Bench;

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    Agree,
    /// Selvedge gave no answer, for this reason.
    Open(String),
    /// There is nothing to compare with, for this reason.
    Skipped(String),
    Differ(String),
}

/// What was seen of one program.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Of each compiler with sanitizers, or of many runs without.
    pub runs: Vec<Ran>,
    /// With ThreadSanitizer.
    pub threads: Vec<Ran>,
}

const FAULTS: [Property; 3] = [Property::Assert, Property::Memory, Property::Overflow];
/// Final states that are looked for.
const MAX_STATES: usize = 4;

pub fn judge(source: &Source, seen: &Seen, bench: &Bench) -> Judged {
    match source.kind {
        Kind::Threads => threads(source, seen, bench),
        _ if seen.runs.iter().any(|ran| matches!(ran, Ran::Hung | Ran::Signal(_))) => {
            Judged::Skipped(format!("runs: {:?}", seen.runs))
        }
        _ => sequential(source, seen, bench),
    }
}

fn sequential(source: &Source, seen: &Seen, bench: &Bench) -> Judged {
    let sums = sums(&seen.runs);
    let fault = seen.runs.iter().find_map(|ran| match ran {
        Ran::Fault(what) => Some(what),
        _ => None,
    });
    if let Some(fault) = fault {
        return faulty(source, fault, bench);
    }
    if source.kind == Kind::Unordered {
        return all_possible(source, &sums, bench);
    }
    let expected: Vec<String> = sums.iter().map(|sum| format!("sum == {sum}u")).collect();
    let check = format!("assert({});", expected.join(" || "));
    match ask(source, &check, &FAULTS, true, bench) {
        Said::Safe => Judged::Agree,
        Said::Unknown(reason) => Judged::Open(reason),
        other => Judged::Differ(format!("real runs end with {sums:?}; Selvedge: {other:?}")),
    }
}

fn sums(runs: &[Ran]) -> Vec<u32> {
    let mut sums: Vec<u32> = Vec::new();
    for ran in runs {
        if let Ran::Sum(sum) = ran
            && !sums.contains(sum)
        {
            sums.push(*sum);
        }
    }
    sums
}

/// A sanitizer stopped it. With the checksum unchecked, only faults can be reported.
fn faulty(source: &Source, fault: &str, bench: &Bench) -> Judged {
    match ask(source, "(void)sum;", &FAULTS, false, bench) {
        // The checksum is not asserted, so this is a fault, too.
        Said::Unsafe { .. } => Judged::Agree,
        Said::Unknown(reason) => Judged::Open(reason),
        other => Judged::Differ(format!("a sanitizer: {fault}; Selvedge: {other:?}")),
    }
}

/// Every final state that was seen must be found.
fn all_possible(source: &Source, sums: &[u32], bench: &Bench) -> Judged {
    let mut open = None;
    for sum in sums.iter().take(MAX_STATES) {
        match ask(source, &format!("assert(sum != {sum}u);"), &[Property::Assert], false, bench) {
            Said::Unsafe { .. } => {}
            Said::Unknown(reason) => open = Some(reason),
            other => {
                return Judged::Differ(format!(
                    "a real run ended with {sum}, which Selvedge does not reach: {other:?}"
                ));
            }
        }
    }
    open.map_or(Judged::Agree, Judged::Open)
}

fn threads(source: &Source, seen: &Seen, bench: &Bench) -> Judged {
    let reached = all_possible(source, &sums(&seen.runs), bench);
    if matches!(reached, Judged::Differ(_)) {
        return reached;
    }
    let race = |ran: &&Ran| matches!(ran, Ran::Fault(what) if what.contains("race"));
    // ThreadSanitizer does not know fences: what they order is a race to it.
    if !source.text.contains("atomic_thread_fence")
        && let Some(ran) = seen.threads.iter().find(race)
        && let Some(differ) = not_safe(source, Property::Race, ran, bench)
    {
        return differ;
    }
    if seen.runs.contains(&Ran::Hung)
        && let Some(differ) = not_safe(source, Property::Deadlock, &Ran::Hung, bench)
    {
        return differ;
    }
    reached
}

fn not_safe(source: &Source, property: Property, ran: &Ran, bench: &Bench) -> Option<Judged> {
    match ask(source, "(void)sum;", &[property], false, bench) {
        Said::Unsafe { .. } | Said::Unknown(_) => None,
        other => Some(Judged::Differ(format!("a real run: {ran:?}; Selvedge: {other:?}"))),
    }
}

fn ask(
    source: &Source,
    check: &str,
    properties: &[Property],
    execute: bool,
    bench: &Bench,
) -> Said {
    match bench.file("program.c", &compilers::alone(source, check)) {
        Ok(file) => Question { file: &file, properties, include_dirs: &[], execute }.ask(),
        Err(error) => Said::Unknown(error.to_string()),
    }
}
