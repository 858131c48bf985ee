//! `contexts` against `explore` on random small programs.
//!
//! What `explore` finds correct must not be found wrong, and what it finds wrong must be found
//! wrong, if the bounds reach so far. `SELVEDGE_RANDOM=FROM,COUNT` chooses other programs.

use std::time::Duration;

use selvedge_engines::contexts;
use selvedge_exec::explore;
use selvedge_exec::random;
use selvedge_exec::{Stop, Trace, Verdict};
use selvedge_ir::{Program, Property, text};

const CONTEXTS: u32 = 4;
const UNWIND: u32 = 4;

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    /// Without a verdict, for a good reason.
    Open,
    Defect(String),
}

fn reference(program: &Program, properties: &[Property]) -> (Answer, Option<Box<Trace>>) {
    let options = explore::Options {
        max_states: Some(100_000),
        walks: false,
        ..explore::Options::new(properties)
    };
    match explore::explore(program, &options, &mut |_| {}) {
        Ok(Verdict::Safe(_)) => (Answer::Safe, None),
        Ok(Verdict::Unsafe(trace)) => (Answer::Unsafe, Some(trace)),
        Err(_) => (Answer::Open, None),
    }
}

fn by_contexts(program: &Program, properties: &[Property], slice: contexts::Slice) -> Answer {
    let options = contexts::Options {
        contexts: Some(CONTEXTS),
        unwind: Some(UNWIND),
        time: Some(Duration::from_secs(60)),
        slice,
        ..contexts::Options::new(properties)
    };
    match contexts::verify(program, &options, &mut |_| {}) {
        Ok(Verdict::Unsafe(_)) => Answer::Unsafe,
        Ok(Verdict::Safe(_)) => Answer::Defect("SAFE".into()),
        Err(Stop::Bound { .. }) => Answer::Safe,
        Err(Stop::Time { .. } | Stop::Unsupported { .. } | Stop::Undefined { .. }) => Answer::Open,
        Err(stop) => Answer::Defect(stop.to_string()),
    }
}

/// How often a thread of a smaller number acts behind one of a larger: the contexts needed, about.
fn contexts_of(trace: &Trace) -> usize {
    let threads: Vec<u32> = trace.schedule().iter().map(|entry| entry.thread).collect();
    1 + threads.windows(2).filter(|pair| pair[1] < pair[0]).count()
}

fn disagreement(program: &Program, properties: &[Property]) -> Option<String> {
    let (expected, trace) = reference(program, properties);
    for slice in [contexts::Slice::Off, contexts::Slice::Always] {
        let found = by_contexts(program, properties, slice);
        let what = match (&expected, &found) {
            (_, Answer::Defect(what)) => what.clone(),
            (Answer::Safe, Answer::Unsafe) => "a violation of a correct program".into(),
            (Answer::Unsafe, Answer::Safe) => {
                let needed = trace.as_ref().map_or(0, |trace| contexts_of(trace));
                if needed > CONTEXTS as usize {
                    continue;
                }
                format!("missed a violation within {needed}")
            }
            _ => continue,
        };
        return Some(format!("{slice:?}: {what}"));
    }
    None
}

#[test]
fn contexts_agrees_with_explore() {
    let chosen = std::env::var("SELVEDGE_RANDOM").unwrap_or_else(|_| "0,60".into());
    let (from, count) = chosen.split_once(',').expect("FROM,COUNT");
    let (from, count): (u64, u64) = (from.parse().unwrap(), count.parse().unwrap());
    let mut wrong = Vec::new();
    for seed in from..from + count {
        let program = random::program(seed);
        let properties = supported(&random::properties(seed));
        let Some(what) = disagreement(&program, &properties) else { continue };
        let mut shows = |p: &Program| disagreement(p, &properties).is_some();
        let small = random::shrink(&program, &mut shows);
        let text = text::print(&small);
        wrong.push(format!("seed {seed}, {properties:?}: {what}\n{text}"));
        if wrong.len() >= 3 {
            break;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn supported(properties: &[Property]) -> Vec<Property> {
    let known = [Property::Assert, Property::Overflow];
    let chosen: Vec<Property> = properties.iter().copied().filter(|p| known.contains(p)).collect();
    if chosen.is_empty() { vec![Property::Assert] } else { chosen }
}
