//! `contexts` against `explore` on random small programs.
//!
//! What `explore` finds correct must not be found wrong, and what it finds wrong must be found
//! wrong, if the bounds reach so far. `SELVEDGE_RANDOM=FROM,COUNT` chooses other programs.

use std::time::Duration;

use selvedge_engines::contexts;
use selvedge_exec::explore;
use selvedge_exec::random;
use selvedge_exec::{Stop, Trace, Verdict};
use selvedge_ir::{Action, Grain, LocationId, Program, Property, text};

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

fn disagreement(program: &Program, properties: &[Property], both: &mut u64) -> Option<String> {
    let (expected, trace) = reference(program, properties);
    for slice in [contexts::Slice::Off, contexts::Slice::Always] {
        let found = by_contexts(program, properties, slice);
        *both += u64::from(expected == Answer::Unsafe && found == Answer::Unsafe);
        let what = match (&expected, &found) {
            (_, Answer::Defect(what)) => what.clone(),
            (Answer::Safe, Answer::Unsafe) => "a violation of a correct program".into(),
            (Answer::Unsafe, Answer::Safe) => {
                let needed = trace.as_ref().map_or(0, |trace| contexts_of(trace));
                if needed > CONTEXTS as usize
                    || undefined(program, properties)
                    || (properties.contains(&Property::Deadlock) && effects_before_wait(program))
                {
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

/// Whether a thread can do what is undefined; then it is open what else it can do.
fn undefined(program: &Program, properties: &[Property]) -> bool {
    !properties.contains(&Property::Memory)
        && reference(program, &[Property::Memory]).0 != Answer::Safe
}

/// Whether an atomic block does something before it waits: such deadlocks are not looked for.
fn effects_before_wait(program: &Program) -> bool {
    let options = selvedge_passes::Options::default();
    let program = &selvedge_passes::prepare(program, &options).program;
    program.procedures.values().any(|procedure| {
        let inside = |at| procedure.locations[at].grain == Grain::Atomic;
        let effects = procedure.edges().filter(|(_, edge)| {
            let silent = matches!(
                edge.action,
                Action::Skip | Action::Assume(_) | Action::Assign { .. } | Action::Load { .. }
            );
            inside(edge.target) && !silent
        });
        let mut open: Vec<LocationId> = effects.map(|(_, edge)| edge.target).collect();
        let mut seen = open.clone();
        while let Some(at) = open.pop() {
            for edge in &procedure.locations[at].edges {
                if matches!(edge.action, Action::Wait(_) | Action::Lock { .. }) {
                    return true;
                }
                if inside(edge.target) && !seen.contains(&edge.target) {
                    seen.push(edge.target);
                    open.push(edge.target);
                }
            }
        }
        false
    })
}

#[test]
fn contexts_agrees_with_explore() {
    let chosen = std::env::var("SELVEDGE_RANDOM").unwrap_or_else(|_| "0,60".into());
    let (from, count) = chosen.split_once(',').expect("FROM,COUNT");
    let (from, count): (u64, u64) = (from.parse().unwrap(), count.parse().unwrap());
    let mut wrong = Vec::new();
    let mut both = 0;
    for seed in from..from + count {
        let program = random::program(seed);
        let properties = random::properties(seed);
        let Some(what) = disagreement(&program, &properties, &mut both) else { continue };
        let mut shows = |p: &Program| disagreement(p, &properties, &mut 0).is_some();
        let small = random::shrink(&program, &mut shows);
        let text = text::print(&small);
        wrong.push(format!("seed {seed}, {properties:?}: {what}\n{text}"));
        if wrong.len() >= 3 {
            break;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Twice each: without and with slicing.
    println!("{both} of {} searches found a violation", 2 * count);
    assert!(both > count / 4, "only {both} violations: the programs test nothing");
}
