//! Contracts in the place of calls: used by the checks of threads, and shown by checks of their own.

use selvedge_conform::{Certificate, Part, check, verify};
use selvedge_ir::{Program, Property, check as well_formed, text};
use selvedge_smt::Limits;
use selvedge_verdict::{Budget, Evidence, Obligation, Options, Run, Stop, Verdict};

/// A thread publishes what it has counted to; others rely on what is published to be positive.
const PROGRAM: &str = "shared g: i32 = 1; shared w: i32 = 0;
    procedure publish(x: i32) { PUBLISH }
    procedure count(n: i32) -> i32 {
        local c: bool; local m: i32;
        havoc c;
        if (c && n < 1000) { m := call count(n + 1); COUNTED return m; }
        return n;
    }
    procedure worker() { local n: i32; n := call count(START); call publish(n); }
    procedure main() { local v: i32; spawn worker(); v := g; assert v > 0; SEEN }
    thread main main;
    contract publish {
        requires \"x > 0\" { x: i32 := parameter 0; } holds x > 0;
        action {
            modifies \"g\" {} at &g: i32;
            ensures \"g' == x\" { x: i32 := parameter 0; t: i32 := after g; } holds t == x;
        }
    }
    contract count {
        requires \"n > 0\" { n: i32 := parameter 0; } holds n > 0;
        ALLOWED
        ensures \"result >= n\" { n: i32 := parameter 0; r: i32 := result; } holds r >= n;
    }
    abstract_thread A abstracts worker {
        state X initial { }
        step 0 -> 0 {
            ensures \"g' > 0\" { t: i32 := after g; } holds t > 0;
            modifies \"g\" {} at &g: i32;
        }
    }";

/// The program with some of its parts changed.
fn program(changes: &[(&str, &str)]) -> Program {
    let mut source = PROGRAM.to_owned();
    for (name, what) in changes {
        source = source.replace(name, what);
    }
    for (name, what) in [("PUBLISH", "g := x;"), ("START", "1")] {
        source = source.replace(name, what);
    }
    for name in ["COUNTED", "SEEN", "ALLOWED"] {
        source = source.replace(name, "");
    }
    text::parse("contracts.plato", &source).unwrap_or_else(|error| panic!("{error:?}\n{source}"))
}

fn decide(program: &Program) -> (Result<Verdict, Stop>, Vec<Part>) {
    let options = Options::new(&[Property::Assert]);
    let mut parts = Vec::new();
    let mut run = Run::silent(Budget::time(std::time::Duration::from_secs(20)));
    let verdict = verify(program, &options, &mut run, &mut |part| parts.push(part.clone()));
    (verdict, parts)
}

/// Why there is no verdict.
fn refused(changes: &[(&str, &str)]) -> String {
    let (verdict, _) = decide(&program(changes));
    match verdict {
        Err(Stop::Conformance { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn contracts_stand_in_the_place_of_calls_and_are_parts_of_the_proof() {
    let program = program(&[]);
    let (verdict, parts) = decide(&program);
    let Ok(Verdict::Safe(proof)) = verdict else { panic!("{verdict:?} {parts:#?}") };
    let kinds: Vec<Obligation> = parts.iter().map(|part| part.obligation).collect();
    let (conforms, keeps) = (Obligation::Conforms(0), [0, 1].map(Obligation::Keeps));
    assert_eq!(kinds, [conforms, keeps[0], keeps[1], Obligation::Composition]);

    let Evidence::Parts(evidence) = proof.evidence() else { panic!("no parts") };
    let mut certificate = Certificate::of(&program, evidence).expect("a certificate");
    let run = Run::silent(Budget::unlimited());
    assert!(check(&program, &certificate, &Limits::default(), &run).is_ok());
    certificate.parts.remove(1);
    assert!(check(&program, &certificate, &Limits::default(), &run).is_err());
}

#[test]
fn parts_are_well_formed_programs() {
    let program = program(&[]);
    let run = Run::silent(Budget::unlimited());
    let names = selvedge_conform::part_names(&program, &run).expect("parts");
    assert_eq!(names, ["A", "publish", "count", "compose"]);
    for name in names {
        let part = selvedge_conform::part_named(&program, &run, &name);
        let part = part.expect("a part").expect("of that name");
        let found = well_formed::check(&part);
        assert!(found.is_empty(), "{}", well_formed::listing(&part, &found));
        assert_eq!(text::parse("again", &text::print(&part)), Ok(part));
    }
}

#[test]
fn a_procedure_must_keep_its_contract() {
    let kept = "publish does not keep its contract";
    assert_eq!(refused(&[("PUBLISH", "g := x + 1;")]), kept);
    assert_eq!(refused(&[("PUBLISH", "g := x; g := x;")]), kept);
    assert_eq!(refused(&[("PUBLISH", "skip;")]), kept);
    assert_eq!(refused(&[("PUBLISH", "g := x; assert w == 0;")]), kept);
    let counted = "count does not keep its contract";
    assert_eq!(refused(&[("COUNTED", "m := m - 2;")]), counted);
    assert_eq!(refused(&[("COUNTED", "g := m;")]), counted);
}

#[test]
fn what_is_required_must_hold_at_the_call() {
    assert_eq!(refused(&[("START", "0")]), "A does not abstract worker");
    assert_eq!(refused(&[("COUNTED", "m := call count(0);")]), "count does not keep its contract");
}

#[test]
fn a_contract_that_allows_more_is_what_counts() {
    let allowed = ("ALLOWED", "modifies \"g\" {} at &g: i32;");
    assert_eq!(refused(&[allowed]), "A does not abstract worker");
}

#[test]
fn what_recursive_procedures_write_is_not_known_to_others() {
    let seen = ("SEEN", "v := w; assert v == 0;");
    let (verdict, _) = decide(&program(&[seen]));
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
    let (verdict, _) = decide(&program(&[seen, ("COUNTED", "w := 1;")]));
    assert!(!matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
}

#[test]
fn a_procedure_with_pointers_is_inlined() {
    let source = "shared g: i32 = 1;
        procedure set(p: ptr) { *(p): i32 := 2; }
        procedure worker() { local p: ptr; local v: i32;
            p := alloc heap i32; *(p): i32 := 1; call set(p); v := *(p): i32; assert v == 2; }
        procedure main() { spawn worker(); }
        thread main main;
        contract set { }
        abstract_thread A abstracts worker { state X initial { assert \"g == 1\"
            { t: i32 := load g; } holds t == 1; } }";
    let program = text::parse("pointers.plato", source).expect("Plato");
    let (verdict, parts) = decide(&program);
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?} {parts:#?}");
    assert_eq!(parts.len(), 2);
}
