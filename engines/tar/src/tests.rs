//! Small programs whose answer is known.

use std::time::Duration;

use selvedge_ir::{Program, Property, text};

use selvedge_exec::Stop;
use selvedge_smt::Limits;

use super::{Found, Options, Proof, Settled, Survey, survey, verify};

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn run(source: &str, property: Property) -> Result<Found, Stop> {
    let options = Options { time: Some(Duration::from_secs(60)), ..Options::new(&[property]) };
    verify(&parse(source), &options, &mut |_| {})
}

/// Proved, and the proof is accepted.
#[track_caller]
fn safe(source: &str, property: Property) -> Box<Proof> {
    let found = run(source, property);
    let Ok(Found::Safe(proof)) = found else { panic!("{found:?}") };
    let limits = Limits::time(Duration::from_secs(20));
    let checked = selvedge_certify::check(&parse(source), &proof.certificate, &limits);
    assert!(checked.is_ok(), "{checked:?}");
    proof
}

#[track_caller]
fn wrong(source: &str, property: Property) {
    let found = run(source, property);
    assert!(matches!(found, Ok(Found::Unsafe(_))), "{found:?}");
}

const COUNTER: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32; lock m; t := x; x := t + 1; t := x; x := t - 1; unlock m; }
    procedure main() { local a: thread; local b: thread; local t: i32;
        a := spawn inc(); b := spawn inc(); lock m; t := x; assert t == 0 \"free\"; unlock m; }
    thread main main;";

#[test]
fn a_lock_protects_a_counter() {
    safe(COUNTER, Property::Assert);
    wrong(&COUNTER.replace("unlock m;", "").replace("lock m;", ""), Property::Assert);
}

#[test]
fn threads_race_before_they_have_moved() {
    let source = "shared x: i32; procedure worker() { x := 1; } thread any worker;";
    wrong(source, Property::Race);
}

const MODES: &str = "shared mode: i32;
    procedure set() { mode := 3; }
    procedure main() { local a: thread; local t: i32;
        mode := 2; a := spawn set(); t := mode; assert t >= 2; assert t <= 3; }
    thread main main;";

#[test]
fn values_alone_may_be_enough() {
    let options = Options::new(&[Property::Assert]);
    let mut rounds = 0;
    let found = verify(&parse(MODES), &options, &mut |_| rounds += 1);
    assert!(matches!(found, Ok(Found::Safe(_))), "{found:?}");
    // Nothing was refined.
    assert_eq!(rounds, 1);
    safe(MODES, Property::Assert);
    wrong(&MODES.replace("mode := 3", "mode := 4"), Property::Assert);
}

const POOL: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32;
        lock m; t := x; assert t == 0; x := 1; t := x; assert t == 1; x := 0; unlock m; }
    thread any inc;";

#[test]
fn a_pool_is_its_own_environment() {
    safe(POOL, Property::Assert);
    wrong(&POOL.replace("unlock m;", "").replace("lock m;", ""), Property::Assert);
}

#[test]
fn started_threads_are_joined() {
    let source = "shared x: i32;
        procedure inc() { local t: i32; t := x; x := t + 1; }
        procedure main() { local a: thread; local b: thread; local t: i32;
            x := 5; a := spawn inc(); join a; t := x; assert t == 6;
            b := spawn inc(); join b; t := x; assert t == 7; }
        thread main main;";
    safe(source, Property::Assert);
    wrong(&source.replace("join b;", ""), Property::Assert);
}

const PETERSON: &str = "shared f1: i32; shared f2: i32; shared turn: i32; shared in: i32;
    procedure one() { local t: i32;
        f1 := 1; turn := 2;
        wait f2 == 0 || turn == 1;
        t := in; assert t == 0; in := 1; in := 0; f1 := 0; }
    procedure two() { local t: i32;
        f2 := 1; turn := 1;
        wait f1 == 0 || turn == 2;
        t := in; assert t == 0; in := 1; in := 0; f2 := 0; }
    thread one; thread two;";

#[test]
fn private_state_becomes_visible() {
    safe(PETERSON, Property::Assert);
}

#[test]
fn without_the_turn_both_come_in() {
    let both = PETERSON.replace("turn == 1", "turn != 0").replace("turn == 2", "turn != 0");
    wrong(&both, Property::Assert);
}

const HANDED_OVER: &str = "shared flag: i32; shared data: i32;
    procedure producer() { local t: i32; while (true) {
        atomic { t := flag; assume t == 0; } data := 1; atomic { flag := 1; } } }
    procedure consumer() { local t: i32; while (true) {
        atomic { t := flag; assume t == 1; } t := data; atomic { flag := 0; } } }
    thread producer; thread consumer;";

#[test]
fn a_flag_orders_accesses() {
    let proof = safe(HANDED_OVER, Property::Race);
    let expected = "env_assumption flag == 1 ==> data' == data;";
    assert!(proof.assumptions.contains(expected), "{}", proof.assumptions);
    let early =
        HANDED_OVER.replace("t := data; atomic { flag := 0; }", "atomic { flag := 0; } t := data;");
    wrong(&early, Property::Race);
}

#[test]
fn wrapping_is_not_forgotten() {
    let source = "shared x: u8;
        procedure count() { local t: u8; while (true) { atomic { t := x; x := t + 1; } } }
        procedure main() { local t: u8; spawn count(); t := x; assert t <= N; }
        thread main main;";
    safe(&source.replace('N', "255"), Property::Assert);
    wrong(&source.replace('N', "2"), Property::Assert);
}

const NO_OWNER: &str = "shared x: i32; shared m: i32;
    procedure inc() { local t: i32; while (true) {
        atomic { t := m; assume t == 0; m := 1; }
        t := x; assert t == 0; x := 1; x := 0; m := 0; } }
    thread any inc;";

#[test]
fn threads_that_hold_a_lock_without_an_owner_are_counted() {
    let proof = safe(NO_OWNER, Property::Assert);
    assert!(!proof.certificate.ghosts.counters.is_empty(), "{:?}", proof.predicates);
    wrong(&NO_OWNER.replace("m := 1", "m := 0"), Property::Assert);
}

#[test]
fn all_pairs_of_accesses_are_looked_at() {
    let source = "shared x: i32; shared y: i32; shared z: i32; shared m: thread;
        procedure one() { local t: i32; x := 1; lock m; t := y; y := t + 1; unlock m; t := z; }
        procedure two() { local t: i32; t := x; lock m; t := y; y := t + 1; unlock m; z := 2; }
        thread one; thread two;";
    let source = source.replace("; ", ";\n");
    let options = Options { all_races: true, ..Options::new(&[Property::Race]) };
    let Survey { found, pairs } = survey(&parse(&source), &options, &mut |_| {});
    assert!(matches!(found, Ok(Found::Unsafe(_))), "{found:?}");
    let shown = |memory: &str| {
        let mut of = pairs.iter().filter(|pair| pair.memory == memory);
        of.any(|pair| matches!(pair.settled, Settled::Shown(_)))
    };
    assert_eq!(["x", "y", "z"].map(shown), [true, false, true], "{pairs:?}");
    let open = pairs.iter().filter(|pair| matches!(pair.settled, Settled::Open(_))).count();
    assert_eq!(open, 0, "{pairs:?}");
}

#[test]
fn objects_that_nobody_accesses_differ_all_the_same() {
    let source = "shared first: ptr;
        procedure work() { local p: ptr; local q: ptr; p := alloc heap i32;
            atomic { q := first; first := p; } assert q != p; }
        thread any work;";
    let found = run(source, Property::Assert);
    assert!(!matches!(found, Ok(Found::Unsafe(_)) | Err(Stop::Unconfirmed { .. })), "{found:?}");
}

/// The load gives the bytes of two stores, of which the proof knows only that they are not those
/// of one. That is no reason to call it a defect.
#[test]
fn what_is_not_known_of_memory_is_no_defect() {
    let source = "layout pair = bytes size 16; shared g: pair;
        procedure work() { local x: i32; atomic { x := *(&g + 3): i32; assume x == 3; } }
        procedure main() { spawn work(); *(&g): i32 := 1; *(&g + 3): i32 := 0; }
        thread main main;";
    let found = run(source, Property::Race);
    assert!(matches!(found, Err(Stop::Unsupported { .. })), "{found:?}");
}

#[test]
fn what_is_new_is_not_freed() {
    let source = "procedure work() { local p: ptr; local t: i32; while (true) {
            p := alloc heap i32; *p: i32 := 3; t := *p: i32; assert t == 3; free heap p; } }
        thread any work;";
    safe(source, Property::Memory);
}

#[test]
fn what_is_true_while_a_thread_runs_is_not_true_of_others() {
    let source = "shared g: u2 = 1; shared m: thread;
        procedure worker() { local t: u2;
            lock m; t := g; g := t + 1; unlock m; lock m; unlock m; }
        thread worker; thread worker;";
    safe(source, Property::Race);
}

#[test]
fn an_atomic_block_that_cannot_be_finished_accesses_nothing() {
    let source = "shared g: i32;
        procedure blocked() { local t: i32; atomic { t := load atomic g; wait t >= 2; } }
        procedure writer() { g := 0; }
        thread blocked; thread writer;";
    safe(source, Property::Race);
    wrong(&source.replace("t >= 2", "t >= 0"), Property::Race);
    wrong(&source.replace("wait t >= 2;", "if (t != 0) { wait t >= 2; }"), Property::Race);
}

#[test]
fn what_constants_exclude_needs_no_proof() {
    let source = "per_thread g: i32 = 1; shared m: thread;
        procedure worker() { local t: i32; lock m; t := g; g := t + 1; unlock m; }
        procedure main() { local a: thread; local t: i32; a := spawn worker();
            t := g; assume t < 1; join a; assert false \"nobody comes here\"; }
        thread main main;";
    safe(source, Property::Assert);
    wrong(&source.replace("t < 1", "t < 2"), Property::Assert);
}
