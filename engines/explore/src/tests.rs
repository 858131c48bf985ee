//! The search on programs of a few lines.

use std::time::Duration;

use selvedge_ir::{Program, Property, text};

use super::encode::{Codec, Encoder};
use super::{Options, Progress, explore};
use selvedge_exec::{Machine, SafeEvidence, Scratch, Script, Stop, ThreadId, Trace, Verdict};
use selvedge_random::{self, Rng};

fn program(text: &str) -> Program {
    match text::parse("test", text) {
        Ok(program) => program,
        Err(errors) => panic!("{}", errors.iter().map(|e| e.to_string()).collect::<String>()),
    }
}

fn search(text: &str, options: &Options) -> Result<Verdict, Stop> {
    explore(&program(text), options, &mut |_| {})
}

fn verdict(text: &str, properties: &[Property]) -> Result<Verdict, Stop> {
    search(text, &Options::new(properties))
}

fn safe_states(text: &str, options: &Options) -> u64 {
    match search(text, options) {
        Ok(Verdict::Safe(SafeEvidence::Exhausted { states, .. })) => states,
        other => panic!("{other:?}"),
    }
}

fn trace(text: &str, properties: &[Property]) -> Trace {
    match verdict(text, properties) {
        Ok(Verdict::Unsafe(trace)) => *trace,
        other => panic!("{other:?}"),
    }
}

const ASSERT: &[Property] = &[Property::Assert];

/// Two threads that lose an update.
const LOST_UPDATE: &str = "
    shared x: u8;
    procedure worker() { local t: u8; t := x; x := t + 1; }
    procedure main() {
        local a: thread; local b: thread;
        a := spawn worker(); b := spawn worker();
        join a; join b;
        assert x == 2 \"both count\";
    }
    thread main main;";

#[test]
fn a_violation_comes_with_a_trace() {
    let trace = trace(LOST_UPDATE, ASSERT);
    assert_eq!(trace.failure().map(|f| f.property), Some(Property::Assert));
}

#[test]
fn identical_threads_are_explored_once() {
    let text = "
        shared x: u8;
        procedure worker() { x := x + 1; x := x + 1; }
        thread 4 worker;";
    let all = Options::new(ASSERT);
    let plain = Options { symmetry: false, ..all.clone() };
    let (with, without) = (safe_states(text, &all), safe_states(text, &plain));
    assert!(with * 10 < without, "{with} and {without} states");
}

#[test]
fn independent_threads_are_not_interleaved() {
    let text = "
        shared a: u8; shared b: u8; shared c: u8;
        procedure one() { a := 1; a := a + 1; a := a + 1; }
        procedure two() { b := 1; b := b + 1; b := b + 1; }
        procedure three() { c := 1; c := c + 1; c := c + 1; }
        thread one; thread two; thread three;";
    let all = Options { reduce: false, ..Options::new(ASSERT) };
    let plain = Options { por: false, ..all.clone() };
    let (with, without) = (safe_states(text, &all), safe_states(text, &plain));
    assert!(with * 4 < without, "{with} and {without} states");
}

#[test]
fn the_end_of_the_program_hides_no_error() {
    let text = "
        procedure worker() { assert false \"reached\"; }
        procedure main() { local t: thread; t := spawn worker(); skip; }
        thread main main;";
    trace(text, ASSERT);
}

#[test]
fn a_busy_thread_does_not_starve_another() {
    let text = "
        shared x: u8;
        procedure busy() { local i: u8 = 0; while (true) { x := i; i := 1 - i; } }
        procedure other() { assert false \"reached\"; }
        thread busy; thread other;";
    trace(text, ASSERT);
}

#[test]
fn deadlocks_are_found_and_only_these() {
    let order = |first: &str, second: &str| {
        format!(
            "shared m: thread; shared n: thread;
             procedure one() {{ lock m; lock n; unlock n; unlock m; }}
             procedure two() {{ lock {first}; lock {second}; unlock {second}; unlock {first}; }}
             thread one; thread two;"
        )
    };
    let deadlock = &[Property::Deadlock];
    assert!(trace(&order("n", "m"), deadlock).failure().is_some());
    assert!(matches!(verdict(&order("m", "n"), deadlock), Ok(Verdict::Safe(_))));
    assert!(matches!(verdict(&order("n", "m"), ASSERT), Ok(Verdict::Safe(_))));
}

#[test]
fn a_thread_that_is_excluded_is_not_deadlocked() {
    let text = "
        shared m: thread;
        procedure one() { lock m; assume false; unlock m; }
        procedure two() { lock m; unlock m; }
        thread one; thread two;";
    assert!(matches!(verdict(text, &[Property::Deadlock]), Ok(Verdict::Safe(_))));
}

#[test]
fn what_is_unsupported_prevents_safe_but_not_unsafe() {
    let text = |condition: &str| {
        format!(
            "procedure odd() {{ unsupported \"magic\"; }}
             procedure sound() {{ assert {condition} \"fine\"; }}
             thread odd; thread sound;"
        )
    };
    match verdict(&text("true"), ASSERT) {
        Err(Stop::Unsupported { what, .. }) => assert_eq!(what, "magic"),
        other => panic!("{other:?}"),
    }
    trace(&text("false"), ASSERT);
}

#[test]
fn a_blocked_input_keeps_its_other_values() {
    // The first thread can go on only for one value; the other must be seen with all of them.
    let text = "
        shared x: u8;
        procedure main() {
            local v: u8; havoc v; x := v;
            local a: thread; local b: thread;
            a := spawn picky(); b := spawn strict();
            join a; join b;
        }
        procedure picky() { atomic { assume x == 0; } }
        procedure strict() { assert x == 0 \"zero\"; }
        thread main main;";
    trace(text, ASSERT);
}

#[test]
fn limits_are_respected() {
    let text = "
        shared x: u32;
        procedure worker() { while (true) { x := x + 1; } }
        thread 2 worker;";
    let plain = Options { walks: false, ..Options::new(ASSERT) };
    let memory = Options { memory: Some(8 << 20), ..plain.clone() };
    assert!(matches!(search(text, &memory), Err(Stop::Memory { .. })));
    let time = Options { time: Some(Duration::from_millis(50)), ..plain.clone() };
    assert!(matches!(search(text, &time), Err(Stop::Time { .. })));
    let states = Options { max_states: Some(1000), ..plain.clone() };
    assert!(matches!(search(text, &states), Err(Stop::Bound { .. })));
    let depth = Options { max_depth: Some(10), ..plain };
    assert!(matches!(search(text, &depth), Err(Stop::Bound { .. })));
}

#[test]
fn any_number_of_threads_is_never_safe() {
    let text = "procedure worker() { skip; } thread any worker;";
    let two = Options { any_threads: Some(2), ..Options::new(ASSERT) };
    assert!(matches!(search(text, &two), Err(Stop::Bound { .. })));
    assert!(matches!(verdict(text, ASSERT), Err(Stop::Unsupported { .. })));
}

#[test]
fn threads_without_bound_do_not_hide_what_few_can_do() {
    let text = "
        shared x: u8;
        procedure worker() { x := x + 1; assert x < 3 \"few\"; }
        procedure main() { local t: thread; while (true) { t := spawn worker(); } }
        thread main main;";
    let options = Options { walks: false, max_states: Some(10_000), ..Options::new(ASSERT) };
    assert!(matches!(search(text, &options), Ok(Verdict::Unsafe(_))));
}

#[test]
fn walks_meet_what_lies_deep() {
    // Breadth-first search sees all orders of the first rounds before it comes to the last.
    let text = "
        shared x: u32; shared y: u32;
        procedure worker() {
            local i: u32 = 0;
            while (i < 2000) { x := x + y; y := y + i; i := i + 1; }
            assert x == 0 \"deep\";
        }
        thread 3 worker;";
    let limits = Options { time: Some(Duration::from_secs(60)), ..Options::new(ASSERT) };
    let mut last = Progress::default();
    let found = explore(&program(text), &limits, &mut |progress| last = *progress);
    assert!(matches!(found, Ok(Verdict::Unsafe(_))), "{found:?}");
    assert!(last.depth < 2000, "found by the search itself");
}

/// Encoding a state that was decoded gives the same bytes, and what was left out does not matter.
#[test]
fn states_come_back_from_their_bytes() {
    for seed in 0..200 {
        let program = random::program(seed);
        let options = selvedge_passes::Options::default();
        let prepared = selvedge_passes::prepare(&program, &options);
        let machine = Machine::new(&prepared.program, selvedge_exec::Options::new(ASSERT));
        let mut state = machine.initial().expect("random programs can start");
        let codec = Codec::new(&prepared, &machine.code, &state, true);
        let (mut encoder, mut scratch) = (Encoder::default(), Scratch::default());
        let mut rng = Rng::new(seed);
        if state.halted {
            continue;
        }
        for _ in 0..30 {
            codec.encode(&state, &mut encoder);
            let bytes = encoder.bytes.clone();
            let mut decoded = state.clone();
            codec.decode(&bytes, &mut decoded);
            codec.encode(&decoded, &mut encoder);
            assert_eq!(bytes, encoder.bytes, "seed {seed}");
            state = decoded;
            if state.threads.is_empty() {
                break;
            }
            let thread = rng.below(state.threads.len() as u64) as usize;
            if !state.threads[thread].ended() {
                let id = ThreadId::from_index(thread);
                let mut next = state.clone();
                match machine.macro_step(&mut next, id, &mut Script::new(), &mut scratch) {
                    selvedge_exec::StepResult::Moved | selvedge_exec::StepResult::Ended => {
                        state = next
                    }
                    _ => {}
                }
            }
        }
    }
}
