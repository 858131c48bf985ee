//! The search on programs of a few lines.

use selvedge_exec::{Machine, Scratch, Script, StepResult, ThreadId, Trace};
use selvedge_ir::{Program, Property, text};
use selvedge_random::{self as random, Rng};
use selvedge_verdict::{Budget, Event, Evidence, Measure, Options, Run, Stop, Verdict};

use super::encode::{Codec, Encoder};
use super::{Own, verify};

fn program(text: &str) -> Program {
    match text::parse("test", text) {
        Ok(program) => program,
        Err(errors) => panic!("{}", errors.iter().map(|e| e.to_string()).collect::<String>()),
    }
}

fn asking(properties: &[Property], own: Own) -> Options<Own> {
    Options::with(properties, own)
}

fn search(text: &str, options: &Options<Own>) -> Result<Verdict, Stop> {
    verify(&program(text), options, &mut Run::silent(Budget::unlimited()))
}

fn verdict(text: &str, properties: &[Property]) -> Result<Verdict, Stop> {
    search(text, &Options::new(properties))
}

fn safe_states(text: &str, options: &Options<Own>) -> u64 {
    match search(text, options) {
        Ok(Verdict::Safe(proof)) => match proof.evidence() {
            Evidence::Exhausted(done) => done.states(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn trace(text: &str, properties: &[Property]) -> Trace {
    match verdict(text, properties) {
        Ok(Verdict::Unsafe(found)) => found.trace().clone(),
        other => panic!("{other:?}"),
    }
}

/// Searches with so much work; what comes of it, and what was spent.
fn working(text: &str, options: &Options<Own>, units: u64) -> (Result<Verdict, Stop>, u64) {
    let mut run = Run::silent(Budget::work(units));
    let result = verify(&program(text), options, &mut run);
    (result, run.clock().spent())
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
    let plain = asking(ASSERT, Own { symmetry: false, ..Own::default() });
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
    let plain = all.ask(Own { por: false, ..Own::default() });
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
    let plain = Own { walks: false, ..Own::default() };
    let within = |own: &Own, budget: Budget| {
        verify(&program(text), &asking(ASSERT, own.clone()), &mut Run::silent(budget))
    };
    let memory = Budget { memory: Some(8 << 20), ..Budget::unlimited() };
    assert!(matches!(within(&plain, memory), Err(Stop::Memory { .. })));
    assert_eq!(within(&plain, Budget::work(10_000)).err(), Some(Stop::Work { limit: 10_000 }));
    let states = Own { max_states: Some(1000), ..plain.clone() };
    assert!(matches!(within(&states, Budget::unlimited()), Err(Stop::Bound { .. })));
    let depth = Own { max_depth: Some(10), ..plain };
    assert!(matches!(within(&depth, Budget::unlimited()), Err(Stop::Bound { .. })));
}

/// What a search may spend beyond its budget: one look at the limits, and one step of a thread.
const MARGIN: u64 = 60_000;

#[track_caller]
fn stops_in_time(text: &str, properties: &[Property], own: Own, units: u64) {
    let (result, spent) = working(text, &asking(properties, own), units);
    assert_eq!(result.err(), Some(Stop::Work { limit: units }));
    assert!(spent <= units + MARGIN, "{spent} units spent of {units}");
}

#[test]
fn many_threads_keep_to_the_budget() {
    let text = "
        shared x: u32;
        procedure worker(n: u32) { atomic { x := x + n; } atomic { x := x * n; } }
        procedure main() {
            local t: thread; local i: u32 = 0;
            while (i < 1000) { t := spawn worker(i); i := i + 1; }
        }
        thread main main;";
    for walks in [false, true] {
        let own = Own { walks, ..Own::default() };
        stops_in_time(text, ASSERT, own.clone(), 300_000);
        stops_in_time(text, &[Property::Race], own, 300_000);
    }
}

#[test]
fn inputs_inside_one_step_keep_to_the_budget() {
    let text = "
        shared x: u16;
        procedure main() {
            local a: u16; local b: u16; local i: u16 = 0;
            atomic {
                havoc a; havoc b;
                while (i < 100) { a := a * b + i; i := i + 1; }
                x := a;
            }
            assert x != 12345 \"rare\";
        }
        thread main main;";
    stops_in_time(text, ASSERT, Own { enumerate: 1 << 16, ..Own::default() }, 300_000);
}

#[test]
fn a_way_back_keeps_to_the_budget() {
    // The violation is found at the last of the values, and the way there has to be found again.
    let text = "
        shared x: u16;
        procedure main() {
            local a: u16;
            atomic { havoc a; a := a * 3; x := a / 3; }
            assert x != 300 \"rare\";
        }
        thread main main;";
    let options = asking(ASSERT, Own { enumerate: 1 << 16, ..Own::default() });
    let (found, needed) = working(text, &options, u64::MAX);
    assert!(matches!(found, Ok(Verdict::Unsafe(_))), "{found:?}");
    let (result, spent) = working(text, &options, needed / 2);
    assert_eq!(result.err(), Some(Stop::Work { limit: needed / 2 }));
    assert!(spent <= needed / 2 + MARGIN);
}

#[test]
fn programs_that_double_keep_to_the_budget() {
    let mut text = String::from("shared x: i32; procedure f0(n: i32) { x := x + n; }\n");
    for level in 1..=30 {
        let below = level - 1;
        text += &format!(
            "procedure f{level}(n: i32) {{ call f{below}(n + 1); call f{below}(n + 2); }}\n"
        );
    }
    text += "procedure main() { call f30(3); } thread main main;";
    let (result, spent) = working(&text, &Options::new(ASSERT), 1_000_000);
    assert_eq!(result.err(), Some(Stop::Work { limit: 1_000_000 }));
    // Inlining copies one procedure of at most 200000 edges before it looks again.
    assert!(spent <= 1_000_000 + 400_000 + MARGIN, "{spent}");
}

#[test]
fn the_same_work_gives_the_same_answer() {
    let text = "
        shared x: u32; shared y: u32;
        procedure worker() { while (true) { x := x + y; y := y + 1; assert x != 6000 \"far\"; } }
        thread 3 worker;";
    let once = || {
        let (result, spent) = working(text, &Options::new(ASSERT), 2_000_000);
        (format!("{result:?}"), spent)
    };
    assert_eq!(once(), once());
}

#[test]
fn any_number_of_threads_is_never_safe() {
    let text = "procedure worker() { skip; } thread any worker;";
    let two = Options { threads: Some(2), ..Options::new(ASSERT) };
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
    let own = Own { walks: false, max_states: Some(10_000), ..Own::default() };
    assert!(matches!(search(text, &asking(ASSERT, own)), Ok(Verdict::Unsafe(_))));
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
    let mut depth = None;
    let tell = |event| {
        if let Event::Round(round) = event {
            let found = round.measures.into_iter().find(|(name, _)| name == "depth");
            depth = found.map(|(_, measure)| measure);
        }
    };
    let mut run = Run::new(Budget::work(60_000_000), tell);
    let found = verify(&program(text), &Options::new(ASSERT), &mut run);
    drop(run);
    assert!(matches!(found, Ok(Verdict::Unsafe(_))), "{found:?}");
    let shallow = matches!(depth, Some(Measure::Count(depth)) if depth < 2000);
    assert!(shallow, "found by the search itself");
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
                    StepResult::Moved | StepResult::Ended => state = next,
                    _ => {}
                }
            }
        }
    }
}
