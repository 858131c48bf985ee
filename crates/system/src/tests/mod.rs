//! Systems of small programs.

use selvedge_budget::Clock;
use selvedge_exec::Stop;
use selvedge_ir::{Program, Property, text};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::{Limits, Sort};

use super::{Bad, End, Options, System};

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn prepared(program: &Program, properties: &[Property]) -> Prepared {
    let properties = properties.to_vec();
    prepare(program, &selvedge_passes::Options { properties, ..Default::default() })
}

fn system(source: &str) -> (Prepared, System) {
    let prepared = prepared(&parse(source), &[Property::Assert]);
    let system = System::build(&prepared, &Options::new(&[Property::Assert])).expect("a system");
    (prepared, system)
}

const LOST_UPDATE: &str = "shared x: i32;
    procedure inc() { local t: i32; t := x; x := t + 1; }
    procedure main() { local a: thread; local b: thread;
        a := spawn inc(); b := spawn inc(); join a; join b;
        assert x == 2 \"sum\"; }
    thread main main;";

#[test]
fn a_spawn_passed_at_most_once_starts_an_instance() {
    let (prepared, system) = system(LOST_UPDATE);
    let names: Vec<&str> = system.templates.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["main", "inc", "inc#2"], "{}", system.listing(&prepared.program));
    let shared: Vec<&str> = system.shared.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(shared, ["x", "inc.done", "inc#2.done"]);
}

#[test]
fn one_bad_step_for_each_way_to_go_wrong() {
    let (prepared, system) = system(LOST_UPDATE);
    let bad = system.templates.iter().flat_map(|t| &t.steps).filter_map(|step| match &step.end {
        End::Bad(bad) => Some(bad.to_string()),
        End::To(_) => None,
    });
    let bad: Vec<String> = bad.collect();
    let expected = ["assert: sum", "wraps around", "wraps around"];
    assert_eq!(bad, expected, "{}", system.listing(&prepared.program));
}

/// The ends of all bad steps, and the names of the variables.
fn shape(system: &System) -> (Vec<String>, Vec<&str>, Vec<&str>) {
    let bad = system.templates.iter().flat_map(|t| &t.steps).filter_map(|step| match &step.end {
        End::Bad(bad) => Some(bad.to_string()),
        End::To(_) => None,
    });
    let shared = system.shared.iter().map(|v| v.name.as_str());
    let locals = system.templates.iter().flat_map(|t| &t.locals).map(|v| v.name.as_str());
    (bad.collect(), shared.collect(), locals.collect())
}

#[test]
fn memory_of_one_thread_needs_no_shared_variables() {
    let (prepared, system) = system(
        "shared x: i32; shared only: i32; shared fixed: i32 = 7;
        procedure worker() { x := 1; }
        procedure main() { local p: ptr; local t: i32; local u: i32;
            p := alloc stack i32; *p: i32 := 3; only := 4; spawn worker();
            t := x; u := *p: i32; assert t < u;
            u := only; assert t < u; u := fixed; assert t < u; free stack p; }
        thread main main;",
    );
    let (bad, shared, locals) = shape(&system);
    assert_eq!(shared, ["x"], "{}", system.listing(&prepared.program));
    assert!(locals.iter().all(|name| name.starts_with("main!t")), "{locals:?}");
    assert!(bad.iter().all(|bad| bad.starts_with("assert")), "{bad:?}");
}

#[test]
fn an_object_that_may_be_freed_has_an_alive_flag() {
    let (prepared, system) = system(
        "procedure worker(p: ptr) { local t: i32; t := *p: i32; assert t == 0; }
        procedure main() { local p: ptr; p := alloc stack i32; spawn worker(p); free stack p; }
        thread main main;",
    );
    let (bad, shared, _) = shape(&system);
    let text = system.listing(&prepared.program);
    assert_eq!(shared, ["main!p.alive"], "{text}");
    assert!(bad.iter().any(|bad| bad.contains("dangling")), "{text}");
}

#[test]
fn objects_made_in_loops_are_numbered() {
    let (prepared, system) = system(
        "shared head: ptr;
        procedure worker() { local p: ptr; local t: i32;
            p := head; if (p != null) { t := *p: i32; assert t == 1; } }
        procedure main() { local p: ptr; local c: bool; havoc c;
            while (c) { p := alloc heap i32; *p: i32 := 1; head := p; havoc c; spawn worker(); } }
        thread main main;",
    );
    let (_, shared, _) = shape(&system);
    let text = system.listing(&prepared.program);
    for name in ["head.object", "head.offset", "objects", "heap.main", "heap.main.written"] {
        assert!(shared.contains(&name), "{name} is not there\n{text}");
    }
    assert!(system.templates.iter().any(|t| t.pool), "{text}");
}

#[test]
fn elements_of_small_arrays_are_variables_and_of_large_ones_are_not() {
    let source = "shared a: i32[N];
        procedure worker(i: i32) { a[i] := 1; }
        procedure main() { local i: i32; havoc i; spawn worker(i); spawn worker(1); }
        thread main main;";
    let (prepared, few) = system(&source.replace('N', "2"));
    let (bad, shared, _) = shape(&few);
    let text = few.listing(&prepared.program);
    assert_eq!(shared, ["a[0]", "a[1]"], "{text}");
    assert!(text.contains("1 = worker!i"), "{text}");
    assert!(bad.iter().any(|bad| bad.contains("out of bounds")), "{text}");
    let (prepared, many) = system(&source.replace('N', "100"));
    let (_, shared, _) = shape(&many);
    assert_eq!(shared, ["a[]"], "{}", many.listing(&prepared.program));
}

#[test]
fn a_loop_inside_an_atomic_block_needs_the_token() {
    let (prepared, system) = system(
        "shared x: i32;
        procedure worker() { local i: i32;
            atomic { i := 0; while (i < 3) { x := i; i := i + 1; } } }
        procedure main() { local t: i32; spawn worker(); t := x; assert t != 1; }
        thread main main;",
    );
    let text = system.listing(&prepared.program);
    assert!(system.templates[1].locations.iter().any(|l| l.atomic), "{text}");
    assert!(text.contains("token := 2") && text.contains("token := 0"), "{text}");
}

#[test]
fn a_modular_edge_has_no_bad_step_for_wrapping() {
    let prepared = prepared(&parse(LOST_UPDATE), &[Property::Assert]);
    let mut options = Options::new(&[Property::Assert]);
    let system = System::build(&prepared, &options).expect("a system");
    for template in &system.templates {
        for step in &template.steps {
            if let End::Bad(Bad::Wrap { edge, .. }) = step.end {
                options.modular.insert((template.procedure, edge));
            }
        }
    }
    assert_eq!(options.modular.len(), 1);
    let system = System::build(&prepared, &options).expect("a system");
    assert_eq!(shape(&system).0, ["assert: sum"], "{}", system.listing(&prepared.program));
}

#[test]
fn accesses_that_may_race_are_listed() {
    let source = "shared x: i32; shared m: thread;
        procedure worker() { local t: i32; lock m; t := x; x := t + 1; unlock m; }
        procedure main() { spawn worker(); LOCK x := 5; UNLOCK }
        thread main main;";
    for (locked, expected) in [(false, true), (true, false)] {
        let (lock, unlock) = if locked { ("lock m;", "unlock m;") } else { ("", "") };
        let source = source.replace("UNLOCK", unlock).replace("LOCK", lock);
        let prepared = prepared(&parse(&source), &[Property::Race]);
        let system = System::build(&prepared, &Options::new(&[Property::Race])).expect("a system");
        let writes = |t: &super::Template| t.accesses.iter().any(|a| a.write && !a.atomic);
        let main = &system.templates[0];
        // Under the lock the write is no first action of a step.
        assert_eq!(writes(main), expected, "{}", system.listing(&prepared.program));
    }
}

#[test]
fn building_ends_with_the_work() {
    let prepared = prepared(&parse(LOST_UPDATE), &[Property::Assert]);
    let build = |units: u64| {
        let clock = Clock::counting();
        let limits = Limits::until(&clock, clock.now() + Clock::time_for(units));
        let options = Options { limits, ..Options::new(&[Property::Assert]) };
        System::build(&prepared, &options).map(|_| clock.spent())
    };
    let needed = build(1_000_000).expect("enough");
    assert_eq!(build(needed / 2).expect_err("not enough"), Stop::Work { limit: needed / 2 });
    assert_eq!(build(1), Err(Stop::Work { limit: 1 }));
}

#[test]
fn a_copy_of_a_system_is_independent() {
    let (_, mut system) = system(LOST_UPDATE);
    let mut copy = system.clone();
    let (mine, theirs) = (system.terms.var("a", Sort::Int), copy.terms.var("b", Sort::Int));
    assert_eq!((system.terms.name(mine), copy.terms.name(theirs)), (Some("a"), Some("b")));
    assert_eq!(system.templates[0].tid, copy.templates[0].tid);
}
