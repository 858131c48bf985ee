//! Small programs whose answer is known.

use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Event, Integers, Options, Proof, RaceResult, Run, Stop, Verdict};

use super::{Own, dump, stages, verify};

/// Far more than any of the programs here needs.
const WORK: u64 = 60_000_000;

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn decide(source: &str, property: Property) -> Result<Verdict, Stop> {
    let mut run = Run::silent(Budget::work(WORK));
    verify(&parse(source), &Options::new(&[property]), &mut run)
}

/// Proved, and the certificate is accepted.
#[track_caller]
fn safe(source: &str, property: Property) -> Proof {
    match decide(source, property) {
        Ok(Verdict::Safe(proof)) => proof,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn wrong(source: &str, property: Property) {
    let verdict = decide(source, property);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
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
fn value_analysis_alone_can_prove_a_program() {
    let mut rounds = 0;
    let tell = |event: Event| rounds += u32::from(matches!(event, Event::Round(_)));
    let mut run = Run::new(Budget::work(WORK), tell);
    let verdict = verify(&parse(MODES), &Options::new(&[Property::Assert]), &mut run);
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
    drop(run);
    // Nothing was refined.
    assert_eq!(rounds, 1);
    wrong(&MODES.replace("mode := 3", "mode := 4"), Property::Assert);
}

const POOL: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32;
        lock m; t := x; assert t == 0; x := 1; t := x; assert t == 1; x := 0; unlock m; }
    thread any inc;";

#[test]
fn threads_of_a_pool_are_in_each_others_environment() {
    safe(POOL, Property::Assert);
    wrong(&POOL.replace("unlock m;", "").replace("lock m;", ""), Property::Assert);
}

#[test]
fn a_join_orders_accesses_to_shared_memory() {
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
fn petersons_algorithm_needs_visible_locations() {
    safe(PETERSON, Property::Assert);
}

#[test]
fn petersons_algorithm_without_the_turn_is_wrong() {
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
    let expected = "env_assumption \\runs(consumer) && flag == 1 ==> data' == data;";
    let explanation = proof.explanation().expect("a proof is explained");
    assert!(explanation.text.contains(expected), "{}", explanation.text);
    assert!(explanation.clauses.iter().any(|clause| clause == expected), "{explanation:?}");
    let early =
        HANDED_OVER.replace("t := data; atomic { flag := 0; }", "atomic { flag := 0; } t := data;");
    wrong(&early, Property::Race);
}

#[test]
fn a_counter_that_wraps_around_is_followed_exactly() {
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
fn a_lock_without_an_owner_belongs_to_its_last_changer() {
    let proof = safe(NO_OWNER, Property::Assert);
    let certificate = proof.certificate().expect("the engine writes certificates");
    assert!(!certificate.ghosts.changers.is_empty(), "{:?}", proof.explanation());
    wrong(&NO_OWNER.replace("m := 1", "m := 0"), Property::Assert);
}

#[test]
fn all_pairs_of_accesses_are_looked_at() {
    let source = "shared x: i32; shared y: i32; shared z: i32; shared m: thread;
        procedure one() { local t: i32; x := 1; lock m; t := y; y := t + 1; unlock m; t := z; }
        procedure two() { local t: i32; t := x; lock m; t := y; y := t + 1; unlock m; z := 2; }
        thread one; thread two;";
    let source = source.replace("; ", ";\n");
    let options = Options::with(&[Property::Race], Own { all_races: true });
    let mut run = Run::silent(Budget::work(WORK));
    let verdict = verify(&parse(&source), &options, &mut run);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
    let pairs = &run.races;
    let races = |memory: &str| {
        let mut of = pairs.iter().filter(|pair| pair.memory == memory);
        of.any(|pair| matches!(pair.result, RaceResult::Race(_)))
    };
    assert_eq!(["x", "y", "z"].map(races), [true, false, true], "{pairs:?}");
    let open = pairs.iter().filter(|pair| matches!(pair.result, RaceResult::Open(_))).count();
    assert_eq!(open, 0, "{pairs:?}");
}

#[test]
fn two_allocations_differ_even_if_nobody_accesses_them() {
    let source = "shared first: ptr;
        procedure work() { local p: ptr; local q: ptr; p := alloc heap i32;
            atomic { q := first; first := p; } assert q != p; }
        thread any work;";
    let verdict = decide(source, Property::Assert);
    let wrong = matches!(verdict, Ok(Verdict::Unsafe(_)) | Err(Stop::Unconfirmed { .. }));
    assert!(!wrong, "{verdict:?}");
}

/// The load gives the bytes of two stores, of which the proof knows only that they are not those
/// of one. That is no reason to call it a defect.
#[test]
fn unknown_content_of_memory_is_unsupported_and_no_defect() {
    let source = "layout pair = bytes size 16; shared g: pair;
        procedure work() { local x: i32; atomic { x := *(&g + 3): i32; assume x == 3; } }
        procedure main() { spawn work(); *(&g): i32 := 1; *(&g + 3): i32 := 0; }
        thread main main;";
    let verdict = decide(source, Property::Race);
    assert!(matches!(verdict, Err(Stop::Unsupported { .. })), "{verdict:?}");
}

#[test]
fn a_new_object_is_not_freed() {
    let source = "procedure work() { local p: ptr; local t: i32; while (true) {
            p := alloc heap i32; *p: i32 := 3; t := *p: i32; assert t == 3; free heap p; } }
        thread any work;";
    safe(source, Property::Memory);
}

#[test]
fn facts_about_a_running_thread_are_not_assumed_of_ended_ones() {
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
fn steps_that_constants_exclude_need_no_predicates() {
    let source = "per_thread g: i32 = 1; shared m: thread;
        procedure worker() { local t: i32; lock m; t := g; g := t + 1; unlock m; }
        procedure main() { local a: thread; local t: i32; a := spawn worker();
            t := g; assume t < 1; join a; assert false \"nobody comes here\"; }
        thread main main;";
    safe(source, Property::Assert);
    wrong(&source.replace("t < 1", "t < 2"), Property::Assert);
}

#[test]
fn unsupported_options_are_refused_before_any_work() {
    let asked = |options: &Options<Own>| {
        let mut run = Run::silent(Budget::work(WORK));
        let verdict = verify(&parse(POOL), options, &mut run);
        assert_eq!(run.clock().spent(), 0);
        verdict
    };
    let property = Property::Deadlock;
    let stop = asked(&Options::new(&[property])).expect_err("deadlocks are not checked");
    assert_eq!(stop, Stop::Property { engine: "tar".into(), property });
    let options = Options::new(&[Property::Assert]);
    let math = Options { integers: Integers::Math, ..options.clone() };
    assert!(matches!(asked(&math), Err(Stop::Option { .. })));
    let few = Options { threads: Some(2), ..options };
    assert!(matches!(asked(&few), Err(Stop::Option { .. })));
}

#[test]
fn a_budget_of_work_ends_every_part_of_the_engine() {
    let program = parse(PETERSON);
    for limit in [1, 100, 1_000, 3_000] {
        let mut run = Run::silent(Budget::work(limit));
        let verdict = verify(&program, &Options::new(&[Property::Assert]), &mut run);
        assert_eq!(verdict.expect_err("too little work"), Stop::Work { limit });
    }
}

#[test]
fn a_pair_left_open_has_a_reason() {
    let source = "shared x: i32; shared y: i32;
        procedure one() { local t: i32; x := 1; assert t == 1; }
        procedure two() { local t: i32; t := x; y := 1; }
        thread one; thread two;";
    let options = Options::with(&[Property::Race, Property::Assert], Own { all_races: true });
    let mut run = Run::silent(Budget::work(WORK));
    let verdict = verify(&parse(source), &options, &mut run);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
    assert_eq!(run.races.len(), 1, "{:?}", run.races);
    assert!(!matches!(run.races[0].result, RaceResult::Excluded), "{:?}", run.races);
}

#[test]
fn every_stage_can_be_printed() {
    let source = "shared n: i32; shared x: i32;
        procedure count() { local t: i32; while (true) { t := n; n := t + 1; x := 1; } }
        procedure main() { local t: i32; spawn count(); t := x; assert t <= 1; }
        thread main main;";
    let shown = |stage: &str| {
        let mut run = Run::silent(Budget::work(WORK));
        dump(&parse(source), &Options::new(&[Property::Assert]), &mut run, stage)
    };
    for stage in stages() {
        let text = shown(stage).expect("it is printed");
        assert!(text.contains("count"), "{stage}: {text}");
    }
    assert!(shown("system").expect("it is printed").contains("wraps around: edge"));
    assert!(shown("values").expect("it is printed").contains("x"));
    assert!(matches!(shown("nothing"), Err(Stop::Option { .. })));
}
