//! The paper's first example (figures 2 and 3), with abstract threads made by hand.

use selvedge_abstract_threads::build;
use selvedge_conform::{Part, PartResult, verify};
use selvedge_ir::spec::{AbstractThread, When};
use selvedge_ir::{BinaryOp, Expr, Int, Program, Property, check, text};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// Two threads that count in locals and publish what they have counted to.
const PROGRAM: &str = "shared g: i32 = 1;
    procedure a() { local x: i32 = START; local c: bool; local d: bool; havoc c;
        while (c) {
            havoc d;
            if (d) { x := g; } else { assume x < 1000; x := x + 1; }
            havoc c;
        }
        g := x;
    }
    procedure b() { local y: i32 = 1; local c: bool; havoc c;
        while (c) { assume y < 1000; y := y + 1; havoc c; }
        g := y; assert g > 0;
    }
    thread a; thread b;";

/// Whoever writes g writes something positive.
fn positive(program: &Program, name: &str, procedure: &str) -> AbstractThread {
    let g = program.object_named("g").expect("g");
    let above = |when, text| {
        let body = |g: &[Expr]| Expr::binary(BinaryOp::Gt, g[0].clone(), Expr::int(0, Int::I32));
        build::clause(program, text, &[(g, when)], body).expect("a scalar")
    };
    let asserts = || vec![above(When::Before, "g > 0")];
    let states = vec![build::state("X1", true, asserts()), build::state("X2", false, asserts())];
    let target = build::target(program, g).expect("a scalar");
    let step = build::step(0, 1, vec![above(When::After, "g' > 0")], vec![target]);
    let procedure = program.procedure_named(procedure).expect("a procedure");
    build::thread(name, procedure, states, vec![step])
}

fn decide(start: &str) -> (Result<Verdict, Stop>, Vec<Part>) {
    let mut program = text::parse("figure.plato", &PROGRAM.replace("START", start)).expect("Plato");
    let threads = [positive(&program, "A", "a"), positive(&program, "B", "b")];
    program.spec.abstract_threads.extend(threads);
    let options = Options::new(&[Property::Assert]);
    let mut parts = Vec::new();
    let mut run = Run::silent(Budget::time(std::time::Duration::from_secs(20)));
    let verdict = verify(&program, &options, &mut run, &mut |part| parts.push(part.clone()));
    (verdict, parts)
}

#[test]
fn threads_that_write_positive_numbers_conform() {
    let (verdict, parts) = decide("1");
    for part in &parts {
        println!("{} {:?} {:?} {}", part.name, part.engine, part.result, part.seconds);
    }
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
    assert_eq!(parts.len(), 3);
}

#[test]
fn a_thread_that_starts_below_zero_does_not_conform() {
    let (verdict, parts) = decide("-1");
    println!("{verdict:?}");
    let Err(Stop::Conformance { what, span }) = verdict else { panic!("{verdict:?}") };
    assert_eq!(what, "A does not abstract a");
    assert_eq!(span.line, 8);
    let PartResult::Mismatch(mismatch) = &parts[0].result else { panic!("{:?}", parts[0]) };
    assert_eq!(mismatch.candidates.len(), 1);
    println!("{mismatch:#?}");
    assert_eq!(mismatch.candidates[0].state, "X1");
    assert!(mismatch.candidates[0].reasons[1].contains("`g' > 0` does not hold"));
}

#[test]
fn parts_are_well_formed_programs() {
    let mut program = text::parse("figure.plato", &PROGRAM.replace("START", "1")).expect("Plato");
    program.spec.abstract_threads.push(positive(&program, "A", "a"));
    let run = Run::silent(Budget::unlimited());
    for name in ["A", "compose"] {
        let part = selvedge_conform::part_named(&program, &run, name);
        let part = part.expect("a part").expect("of that name");
        let printed = text::print(&part);
        println!("{printed}");
        let found = check::check(&part);
        assert!(found.is_empty(), "{}", check::listing(&part, &found));
        assert_eq!(text::parse("again", &printed), Ok(part));
    }
}
